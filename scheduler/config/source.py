"""The syntax tree of a configuration: names and numbers with their positions.

`parse` builds it; `check` resolves the names and builds a `Configuration`.
"""

from __future__ import annotations

from typing import NamedTuple

from .expression import Expression


class Word(NamedTuple):
    """A name or a number as written, with line and column, both counted from 1."""

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
    """``when PEs in [a,b]``, or ``otherwise`` without bounds, with its position."""

    bounds: Span | None
    line: int
    column: int


class PriceText(NamedTuple):
    """The price of a group for a queue."""

    queue: Word
    group: Word
    cost: tuple[Word, ...]
    line: int
    column: int


class Block(NamedTuple):
    """Prices for a range of sizes."""

    sizes: Sizes
    prices: tuple[PriceText, ...]


class ConstraintText(NamedTuple):
    """A condition for a range of sizes, of one queue or of all."""

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
