"""Writing a configuration as text, which parses to an equal configuration."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from textwrap import TextWrapper

from closeknit.instances.errors import InputError
from closeknit.scheduler.config.model import Configuration, CostBlock, Group
from closeknit.scheduler.config.sizes import heading

_NAME = re.compile(r"[A-Za-z_]\w*(-\w+)*", re.ASCII)
_WIDTH = 88


def written(configuration: Configuration) -> str:
    """Write a configuration in the language of ``grammar.lark``.

    Raises
    ------
    InputError
        If the language cannot express it: invalid characters in names, processors not
        in the order of hosts and numbers, or available through no queue.
    """
    return "".join(f"{part}\n" for part in _parts(configuration))


def _parts(configuration: Configuration) -> Iterator[str]:
    names = (*configuration.queues, *configuration.hosts)
    for name in (*names, *(group.name for group in configuration.groups)):
        if not _NAME.fullmatch(name):
            raise InputError("cannot be a name in a configuration", value=name)
    yield _wrap("queues: ", configuration.queues)
    yield _wrap("slots: ", _slots(configuration))
    yield _wrap(
        "groups: ", (_group(configuration, group) for group in configuration.groups)
    )
    yield "costs:"
    for block in configuration.costs:
        yield from _block(block)
    yield "end-costs\n\nconstraints:"
    heads = [f"    {one.head} : {one.text}" for one in configuration.constraints]
    yield ",\n".join(heads) or "    otherwise : true"
    if configuration.lookahead is not None:
        yield f"\noptions:\n    lookahead = after {configuration.lookahead}"


def _wrap(head: str, items: Iterable[str]) -> str:
    """List items after a keyword, as many per line as fit, all lines aligned."""
    wrapper = TextWrapper(
        width=_WIDTH,
        initial_indent=head,
        subsequent_indent=" " * len(head),
        break_long_words=False,
        break_on_hyphens=False,
    )
    return wrapper.fill(", ".join(items)) + "\n"


def _slots(configuration: Configuration) -> Iterator[str]:
    usable = [set(members) for members in configuration.through]
    if [i for members in configuration.processors_of for i in members] != list(
        range(len(configuration.processors))
    ):
        raise InputError("must be in the order of the hosts", "processors")
    for host, members in zip(
        configuration.hosts, configuration.processors_of, strict=True
    ):
        numbers = {}
        for i in members:
            of, _, number = configuration.processors[i].rpartition(".")
            if of != host or not re.fullmatch(r"0|[1-9]\d*", number, re.ASCII):
                raise InputError("must be named HOST.NUMBER", "processors")
            numbers[int(number)] = i
        if not numbers or list(numbers) != sorted(numbers):
            raise InputError("must be ascending on each host", "processors")
        common = {n for n, i in numbers.items() if all(i in one for one in usable)}
        shares = [_spans(common)] if common else []
        for queue, one in zip(configuration.queues, usable, strict=True):
            own = {n for n, i in numbers.items() if i in one} - common
            if own:
                shares.append(f"{queue}@{_spans(own)}")
        if not all(any(i in one for one in usable) for i in members):
            raise InputError("must be available through a queue", "processors")
        yield f"[{host}={';'.join(shares)}]"


def _spans(numbers: set[int]) -> str:
    """Write numbers as ranges.

    >>> _spans({1, 2, 3, 5, 7, 8})
    '1..3,5,7..8'
    """
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join(str(a) if a == b else f"{a}..{b}" for a, b in runs)


def _group(configuration: Configuration, group: Group) -> str:
    members = set(group.members)
    listed = []
    for host in sorted({configuration.host_of[i] for i in members}):
        processors = configuration.processors_of[host]
        if members.issuperset(processors):
            listed.append(configuration.hosts[host])
        else:
            inside = sorted(members.intersection(processors))
            listed += [configuration.processors[i] for i in inside]
    return f"{group.name}={{{', '.join(listed)}}}"


def _block(block: CostBlock) -> Iterator[str]:
    yield f"    {heading(block.sizes)}:"
    yield ",\n".join(
        f"        {price.queue}@{price.group}=[{','.join(map(str, price.cost))}]"
        for price in block.prices
    )
