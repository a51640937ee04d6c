"""The shape of the nodes of a certificate: what a line must be, and its typed form.

Every line is decoded once, before any rule of the checker sees it: steps and ends are
those of two tables, every number is an integer in range, a list of points or of cuts
names each of them once, and what is chosen is not rejected. So a rule tests just what
it uses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import starmap
from typing import Any, NamedTuple, TypeVar

from ..errors import InputError
from ..reading import fields
from ..reading.fields import Shape

Ints = tuple[int, ...]
Words = tuple[Any, ...]
T = TypeVar("T")


class Step(NamedTuple):
    """A rule, and what it is applied to.

    Of ``cost``, ``twins`` and ``companions`` the chosen points, and the rejected ones;
    of ``narrow`` the cuts, and both ends of the intervals that are left; of
    ``exchange`` the points that need another, and those others.
    """

    rule: str
    what: tuple[Ints, ...]


class End(NamedTuple):
    """Why a node ends, or that it is split, and what is named for it.

    Cuts and points; of ``bound`` its value, and the ends of all intervals; of
    ``split`` the cut, and the most inside of it in the first child.
    """

    reason: str
    what: Words


class Node(NamedTuple):
    """A line of a certificate."""

    steps: tuple[Step, ...]
    end: End


class CertificateShapes:
    """Decodes steps, ends and nodes for n points, m cuts, and k to be chosen."""

    def __init__(self, n: int, m: int, k: int) -> None:
        points, cuts, counts = (n, "point"), (m, "cut"), (k + 1, "count")
        point, cut, count = starmap(fields.index, (points, cuts, counts))
        low_or_high = fields.exactly(m, 0, k)
        divided = _shape_of_points(fields.indices(*points))
        self.step: Shape[Step] = _shape_by_word(
            Step,
            {
                "cost": divided,
                "narrow": _columns(cuts, counts, counts, once=True),
                "exchange": _columns(points, points),
                "twins": divided,
                "companions": divided,
            },
        )
        self.end: Shape[End] = _shape_by_word(
            End,
            {
                "counts": fields.row(),
                "bound": fields.row(fields.integer, low_or_high, low_or_high),
                "narrow": fields.row(cut),
                "exchange": fields.row(point, point),
                "twins": fields.row(point),
                "companions": fields.row(point),
                "split": fields.row(cut, count),
            },
        )
        self._node = fields.row(fields.many(self.step), self.end)

    def node(self, value: Any) -> Node:
        """Decode a line; raises InputError if it has another shape."""
        return Node._make(self._node(value, "node"))


def _shape_by_word(
    made: Callable[[str, Any], T], known: Mapping[str, Shape[Any]]
) -> Shape[T]:
    """Return the shape of a list that begins with a word, which states what follows."""
    word = fields.one_of(*known)

    def decode(value: Any, field: str) -> T:
        first, *rest = fields.lists(value, field) or [None]
        name = word(first, f"{field}[0]")
        return made(name, known[name](rest, f"{field}.{name}"))

    return decode


def _shape_of_points(points: Shape[tuple[int, ...]]) -> Shape[tuple[Ints, ...]]:
    """Return the shape of a list of chosen points and one of rejected points."""
    both = fields.row(points, points)

    def decode(value: Any, field: str) -> tuple[Ints, ...]:
        chosen, rejected = both(value, field)
        for p in set(chosen).intersection(rejected):
            raise InputError("both chosen and rejected", field, p)
        return chosen, rejected

    return decode


def _columns(*counts: tuple[int, str], once: bool = False) -> Shape[tuple[Ints, ...]]:
    """Return the shape of one list of rows, as columns; the first all different."""
    one = fields.row(fields.columns(*counts))

    def decode(value: Any, field: str) -> tuple[Ints, ...]:
        (found,) = one(value, field)
        if once:
            fields.distinct(found[0], f"{field}[0]")
        return tuple(map(tuple, found))

    return decode
