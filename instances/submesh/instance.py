"""The type `Submesh`: a mesh, residents that hold boxes of it, and a request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from ..errors import InputError
from ..extended import Extended
from ..words import with_noun
from .boxes import Box, rows, sides, ways_of

MOST_PROCESSORS = 2**24
"""Maximal number of processors of a mesh."""


@dataclass(frozen=True, slots=True)
class Resident:
    """A job that holds a box.

    Parameters
    ----------
    box
        Its box.
    fixed
        Whether it must not be moved.
    turns
        Whether it may be turned when it is moved.
    """

    box: Box
    fixed: bool = False
    turns: bool = False


@dataclass(frozen=True, repr=False)
class Submesh(Extended):
    """A mesh or torus, its residents, and the request.

    Parameters
    ----------
    name
        Unique among the instances of a report.
    shape
        Sides of the mesh: two or three.
    residents
        Jobs with disjoint boxes inside the mesh.
    request
        Sides of the requested box, each at least 1. A box longer than the mesh is
        proved infeasible.
    rotate
        Whether the request may be turned.
    migrate
        Whether residents may be moved.
    torus
        Whether boxes may wrap round every axis.
    blocked
        Defective processors outside all residents.
    source
        Description of its origin.
    seed
        Seed of its generator; None if it was not generated.

    Raises
    ------
    InputError
        If a side is below 1, a box is outside the mesh, inverted or overlaps another,
        or a blocked processor does not exist, is repeated or held.
    """

    name: str
    shape: tuple[int, ...]
    residents: tuple[Resident, ...]
    request: tuple[int, ...]
    rotate: bool = False
    migrate: bool = True
    torus: bool = False
    blocked: tuple[tuple[int, ...], ...] = ()
    source: str = ""
    seed: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "blocked", tuple(sorted(self.blocked)))
        if len(self.shape) not in (2, 3):
            raise InputError("must have two or three sides", "mesh", list(self.shape))
        for field, size in (("mesh", self.shape), ("request", self.request)):
            if len(size) != self.d:
                raise InputError(f"must have {self.d} sides", field, list(size))
            for axis, side in enumerate(size):
                if side < 1:
                    raise InputError("must be at least 1", f"{field}[{axis}]", side)
        if self.size > MOST_PROCESSORS:
            raise InputError(
                f"must have at most {MOST_PROCESSORS} processors",
                "mesh",
                list(self.shape),
            )
        for i, one in enumerate(self.residents):
            if wrong := box_error(self, one.box):
                raise InputError(wrong, f"residents[{i}]", list(one.box))
        self._refuse_blocked()
        names = [f"residents[{i}]" for i in range(len(self.residents))]
        boxes = dict(zip(names, (one.box for one in self.residents), strict=True))
        if clash := first_overlap(self, boxes):
            raise InputError(f"overlaps {clash[0]}", clash[1], list(boxes[clash[1]]))

    def _refuse_blocked(self) -> None:
        seen: set[tuple[int, ...]] = set()
        for cell in self.blocked:
            inside = box_error(self, (*cell, *cell)) is None
            if not inside or cell in seen:
                raise InputError(
                    "listed twice" if inside else "lies outside the mesh",
                    "blocked",
                    list(cell),
                )
            seen.add(cell)

    @property
    def d(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of processors, blocked ones included."""
        return prod(self.shape)

    @property
    def free(self) -> int:
        """Number of processors that are neither held nor blocked."""
        held = sum(prod(sides(one.box)) for one in self.residents)
        return self.size - held - len(self.blocked)


def overlap(instance: Submesh, one: Box, other: Box) -> bool:
    """Whether two boxes of the mesh have a processor in common.

    They do if their intervals intersect along every axis, on a torus cyclically.

    >>> two = Submesh("two", (4, 4), (), (1, 1), torus=True)
    >>> overlap(two, (3, 0, 4, 1), (0, 1, 0, 1))
    True
    >>> overlap(two, (1, 0, 2, 1), (3, 0, 4, 0))
    False
    """
    d = instance.d
    for a, side in enumerate(instance.shape):
        if instance.torus:
            ahead = (other[a] - one[a]) % side
            behind = (one[a] - other[a]) % side
            if ahead > one[d + a] - one[a] and behind > other[d + a] - other[a]:
                return False
        elif other[a] > one[d + a] or one[a] > other[d + a]:
            return False
    return True


def first_overlap(
    instance: Submesh, boxes: Mapping[str, Box]
) -> tuple[str, str] | None:
    """Return the names of two boxes that overlap, blocked processors first.

    The boxes are entered into the mesh one by one until one meets a taken processor.
    """
    taken = bytearray(instance.size)
    for cell in instance.blocked:
        for run in rows(instance.shape, (*cell, *cell)):
            taken[run] = b"\1"
    before: list[str] = []
    for name, box in boxes.items():
        runs = list(rows(instance.shape, box))
        if any(1 in taken[run] for run in runs):
            for cell in instance.blocked:
                if overlap(instance, box, (*cell, *cell)):
                    return "a blocked processor", name
            met = (one for one in before if overlap(instance, boxes[one], box))
            return next(met), name
        for run in runs:
            taken[run] = b"\1" * (run.stop - run.start)
        before.append(name)
    return None


def box_error(instance: Submesh, box: Box) -> str | None:
    """Return why this is not a box of the mesh, or None if it is one."""
    d = instance.d
    if len(box) != 2 * d:
        return f"must be {2 * d} coordinates"
    for axis, side in enumerate(instance.shape):
        low, high = box[axis], box[d + axis]
        if low > high:
            return "is inverted: the lowest corner comes first"
        last = low + side - 1 if instance.torus else side - 1
        if not 0 <= low < side or high > last:
            return "lies outside the mesh"
    return None


def unsolvable(instance: Submesh) -> str | None:
    """Return why counting shows that there is no placement; None if it does not.

    >>> unsolvable(Submesh("low", (4, 4), (), (5, 1)))
    'a 5x1 box does not fit into a 4x4 mesh'
    """
    if not ways_of(instance.shape, instance.request, instance.rotate):
        wanted, mesh = (
            "x".join(map(str, s)) for s in (instance.request, instance.shape)
        )
        return f"a {wanted} box does not fit into a {mesh} mesh"
    if prod(instance.request) > instance.free:
        number = with_noun(prod(instance.request), "processor")
        return f"{number} requested, {instance.free} free"
    return None


def dearest(instance: Submesh) -> tuple[int, int, int]:
    """Return a bound on every cost: all residents moved, all processors, all steps."""
    count = len(instance.residents)
    steps = count * sum(side - 1 for side in instance.shape)
    return count, instance.size, steps
