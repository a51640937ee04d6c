"""Writing a configuration as text, which parses to an equal configuration."""

from __future__ import annotations

from collections.abc import Iterable

from closeknit.scheduler.config.model import Configuration, CostBlock, Group
from closeknit.scheduler.config.sizes import heading

COMMA = ",\n    "


def written(one: Configuration) -> str:
    """Write a configuration in the language of ``grammar.lark``, if that is possible.

    Processors are those of the hosts one after the other, named HOST.NUMBER with
    ascending numbers, each available through a queue.
    """
    heads = (f"{each.head} : {each.text}" for each in one.constraints)
    parts = [
        f"queues: {', '.join(one.queues)}",
        f"slots: {COMMA.join(_slots(one))}",
        f"groups: {COMMA.join(_group(one, group) for group in one.groups)}",
        "costs:",
        *map(_block, one.costs),
        "end-costs",
        f"constraints:\n    {COMMA.join(heads) or 'otherwise : true'}",
    ]
    if one.lookahead is not None:
        parts.append(f"options:\n    lookahead = after {one.lookahead}")
    return "".join(f"{part}\n" for part in parts)


def _slots(one: Configuration) -> Iterable[str]:
    everywhere = set.intersection(*map(set, one.through))
    usable = [("", everywhere)]
    for queue, members in zip(one.queues, one.through, strict=True):
        usable.append((f"{queue}@", set(members) - everywhere))
    for host, members in zip(one.hosts, one.processors_of, strict=True):
        shares = [
            head + _spans(int(one.processors[i].rpartition(".")[2]) for i in own)
            for head, some in usable
            if (own := sorted(some.intersection(members)))
        ]
        yield f"[{host}={';'.join(shares)}]"


def _spans(numbers: Iterable[int]) -> str:
    """Write ascending numbers as ranges.

    >>> _spans([1, 2, 3, 5, 7, 8])
    '1..3,5,7..8'
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join(str(a) if a == b else f"{a}..{b}" for a, b in runs)


def _group(one: Configuration, group: Group) -> str:
    listed = []
    for host, processors in zip(one.hosts, one.processors_of, strict=True):
        inside = [i for i in processors if i in set(group.members)]
        whole = len(inside) == len(processors)
        listed += [host] if whole else [one.processors[i] for i in inside]
    return f"{group.name}={{{', '.join(listed)}}}"


def _block(block: CostBlock) -> str:
    prices = (
        f"{price.queue}@{price.group}=[{','.join(map(str, price.cost))}]"
        for price in block.prices
    )
    return f"    {heading(block.sizes)}:\n    {COMMA.join(prices)}"
