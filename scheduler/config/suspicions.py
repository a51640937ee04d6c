"""Warnings about valid configurations that are probably not intended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .findings import Diagnostics, list_some
from .model import Configuration, CostBlock
from .sizes import heading, left_over
from .source import GroupText, Sizes, Source, Word

_FEW = 3


def warn_of_oddities(
    configuration: Configuration,
    source: Source,
    hosts: Sequence[Word],
    findings: Diagnostics,
) -> None:
    """Record a warning for everything that is valid but probably not intended.

    ``hosts`` holds the position of the slots of each host.
    """
    _queues(configuration, source, findings)
    _warn_of_no_use(configuration, source, hosts, findings)
    _prices(configuration, source, findings)
    _sizes(configuration, source, findings)
    _twice_on_a_level(configuration, source, findings)


def _queues(
    configuration: Configuration, source: Source, findings: Diagnostics
) -> None:
    priced = {price.queue for block in configuration.costs for price in block.prices}
    own = {one.queue for one in configuration.constraints}
    for queue, word in zip(configuration.queues, source.queues, strict=True):
        if not configuration.usable(queue):
            findings.warning(word, f"queue {queue} has no processors")
        elif queue not in priced:
            findings.warning(
                word, f"queue {queue} has no prices: all its selections cost nothing"
            )
        if own.isdisjoint((queue, None)):
            findings.warning(
                word, f"queue {queue} has no constraint: it accepts every selection"
            )


def _warn_of_no_use(
    configuration: Configuration,
    source: Source,
    hosts: Sequence[Word],
    findings: Diagnostics,
) -> None:
    priced = {price.group for block in configuration.costs for price in block.prices}
    for text in source.groups:
        if text.name.text not in priced:
            findings.warning(text.name, f"group {text.name.text} has no price")
    used = {
        configuration.host_of[i]
        for group in configuration.groups
        for i in group.members
    }
    for host, word in enumerate(hosts):
        if host not in used:
            findings.warning(word, f"host {configuration.hosts[host]} is in no group")


def _prices(
    configuration: Configuration, source: Source, findings: Diagnostics
) -> None:
    usable = {queue: set(configuration.usable(queue)) for queue in configuration.queues}
    members = {group.name: group.members for group in configuration.groups}
    idle: dict[tuple[str, str], bool] = {}
    for block in source.costs:
        for text in block.prices:
            pair = text.queue.text, text.group.text
            if pair not in idle:
                idle[pair] = usable[pair[0]].isdisjoint(members[pair[1]])
            if idle[pair]:
                findings.warning(
                    text.queue, f"queue {pair[0]} has no processors of group {pair[1]}"
                )
            elif not any(int(word.text) for word in text.cost):
                findings.warning(text, f"group {pair[1]} costs nothing")


def _sizes(configuration: Configuration, source: Source, findings: Diagnostics) -> None:
    most = len(configuration.processors)
    _warn_of_no_size(
        [block.sizes for block in source.costs],
        [block.sizes for block in configuration.costs],
        most,
        findings,
    )
    own = {one.queue for one in configuration.constraints}
    for family in own:
        governed = [
            len(configuration.usable(queue))
            for queue in configuration.queues
            if (queue == family if family else queue not in own)
        ]
        texts = [
            text.sizes
            for text in source.constraints
            if (text.queue.text if text.queue else None) == family
        ]
        if governed:
            bounds = [one.sizes for one in configuration.constraints]
            chosen = [one.queue == family for one in configuration.constraints]
            kept = [b for b, keep in zip(bounds, chosen, strict=True) if keep]
            _warn_of_no_size(texts, kept, max(governed), findings)
        else:
            findings.warning(
                texts[0], "is never used: every queue has constraints of its own"
            )


def _warn_of_no_size(
    texts: Sequence[Sizes],
    bounds: Sequence[tuple[int, int] | None],
    most: int,
    findings: Diagnostics,
) -> None:
    for text, sizes in zip(texts, bounds, strict=True):
        if sizes is not None and sizes[0] > most:
            findings.warning(
                text, f"{heading(sizes)} is never used: there are {most} processors"
            )
        elif sizes is None and not list(left_over(bounds, most)):
            findings.warning(text, "otherwise is never used: no size is left over")


def _twice_on_a_level(
    configuration: Configuration, source: Source, findings: Diagnostics
) -> None:
    """Warn of hosts that pay twice on one level, once per pair of groups."""
    texts = {text.name.text: text for text in source.groups}
    seen: set[tuple[int, str, str]] = set()
    for block in configuration.costs:
        for queue in configuration.queues:
            for level, one, other, hosts, none in _overlaps(
                configuration, block, queue
            ):
                if (level, one, other) in seen:
                    continue
                seen.add((level, one, other))
                names = [configuration.hosts[host] for host in hosts]
                many = len(names) > 1
                missing = [configuration.hosts[host] for host in none]
                findings.warning(
                    _place(texts[other], names[0]),
                    f"{'hosts' if many else 'host'} {list_some(names)} "
                    f"{'are' if many else 'is'} in two groups of level {level + 1}, "
                    f"{one} and {other}, and pay{'' if many else 's'} for both"
                    + (f" ({list_some(missing)} in none)" if missing else ""),
                )


_Overlap = tuple[int, str, str, list[int], list[int]]


def _overlaps(
    configuration: Configuration, block: CostBlock, queue: str
) -> Iterator[_Overlap]:
    """Yield a level, two groups priced on it only, hosts in both, hosts in no group."""
    members = {group.name: group.members for group in configuration.groups}
    owners: dict[int, dict[int, list[str]]] = {}
    shared: dict[tuple[int, str, str], list[int]] = {}
    for price in block.prices:
        levels = [level for level, cost in enumerate(price.cost) if cost]
        if price.queue != queue or len(levels) != 1:
            continue
        of_level = owners.setdefault(levels[0], {})
        for processor in members[price.group]:
            before = of_level.setdefault(processor, [])
            for other in before[:_FEW]:
                host = configuration.host_of[processor]
                hosts = shared.setdefault((levels[0], other, price.group), [])
                if host not in hosts[-1:]:
                    hosts.append(host)
            before.append(price.group)
    for (level, one, other), hosts in shared.items():
        held = {configuration.host_of[processor] for processor in owners[level]}
        none = [host for host in range(len(configuration.hosts)) if host not in held]
        yield level, one, other, hosts, none if len(none) <= _FEW else []


def _place(text: GroupText, host: str) -> Word:
    for span in text.members:
        if span.first.text.partition(".")[0] == host:
            return span.first
    return text.name
