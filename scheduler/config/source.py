"""The text of a configuration, part by part, as it was written.

What the parser makes of a file: every name and number with its place, nothing looked
up yet. `check` turns it into a `Configuration`, or says what is wrong where.
"""

from __future__ import annotations

from typing import NamedTuple

from .expression import Expression


class Word(NamedTuple):
    """A name or a number as written, and where: line and column, both from 1."""

    text: str
    line: int
    column: int


class Span(NamedTuple):
    """One name or number, or a range of them."""

    first: Word
    last: Word | None


class Share(NamedTuple):
    """Processors of a host, for one queue or for all of them."""

    queue: Word | None
    numbers: tuple[Span, ...]


class Slot(NamedTuple):
    """The processors of a host, or of each of a range of hosts."""

    hosts: Span
    shares: tuple[Share, ...]


class GroupText(NamedTuple):
    """A group and its members, hosts or processors."""

    name: Word
    members: tuple[Span, ...]


class Sizes(NamedTuple):
    """`when PEs in [a,b]`, or `otherwise` without bounds; where it begins."""

    bounds: Span | None
    line: int
    column: int


class PriceText(NamedTuple):
    """What a queue pays for a group."""

    queue: Word
    group: Word
    cost: tuple[Word, ...]
    line: int
    column: int


class Block(NamedTuple):
    """Prices for some sizes."""

    sizes: Sizes
    prices: tuple[PriceText, ...]


class ConstraintText(NamedTuple):
    """A condition for some sizes, perhaps of one queue."""

    queue: Word | None
    sizes: Sizes
    expression: Expression


class Source(NamedTuple):
    """A whole file."""

    queues: tuple[Word, ...]
    slots: tuple[Slot, ...]
    groups: tuple[GroupText, ...]
    costs: tuple[Block, ...]
    constraints: tuple[ConstraintText, ...]
    lookahead: tuple[Word, ...] = ()
