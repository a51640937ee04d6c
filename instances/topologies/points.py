"""Points in space under L1."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import InitVar, dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from ...loading import find
from ..errors import InputError
from ..reading import fields
from ..reading.decimals import (
    decimals,
    digits,
    refuse_scale,
    scale_points,
    unscale,
)
from ..value import LARGEST
from .topology import AlongAxes, Site, reads

if TYPE_CHECKING:
    Rows = Iterable[Iterable[int | float | Decimal]]


@dataclass(frozen=True, repr=False)
class Points(AlongAxes):
    """Points in space under L1, possibly repeated.

    Parameters
    ----------
    coordinates
        All points, free and busy, as tuples of integers; sorted on construction.
        Lists, arrays and decimals are converted, and decimals scaled exactly.
    scale
        True coordinates are these divided by ``scale``, and distances are in units of
        1/scale. Must be the least power of ten that makes all coordinates integers, so
        that equal points are equal instances.
    digits
        Round coordinates to so many digits after the decimal point, half to even.

    Examples
    --------
    >>> Points([[0.12345, 1], [2, 0.5]], digits=3).coordinates
    ((123, 1000), (2000, 500))
    """

    coordinates: tuple[Site, ...]
    scale: int = 1
    digits: InitVar[int | None] = None
    given: tuple[Site, ...] = field(default=(), init=False, compare=False, repr=False)
    """The points in the order in which they were given, unless they were sorted."""

    if TYPE_CHECKING:

        def __init__(
            self, coordinates: Rows, scale: int = 1, digits: int | None = None
        ) -> None: ...

    def __post_init__(self, digits: int | None) -> None:
        """Convert lists, arrays and decimals; refuse invalid points."""
        where = "topology.coordinates"
        if digits is not None or not _is_exact(self.coordinates):
            convert = find("instances.support.point_lists").convert_points
            coordinates, scale = convert(self.coordinates, digits, where)
            if self.scale != 1:
                raise InputError("is for integers", "scale", self.scale)
            object.__setattr__(self, "coordinates", coordinates)
            object.__setattr__(self, "scale", scale)
        if not self.coordinates:
            raise InputError("needs at least one point", where)
        if not self.coordinates[0]:
            raise InputError("needs at least one axis", f"{where}[0]")
        for i, point in enumerate(self.coordinates):
            if len(point) != self.dimension:
                raise InputError(
                    f"must have {self.dimension} coordinates like the first point",
                    f"{where}[{i}]",
                    list(point),
                )
            if any(abs(x) >= LARGEST for x in point):
                raise InputError(
                    "coordinates must stay below 2^62 once scaled to integers",
                    f"{where}[{i}]",
                    list(point),
                )
        refuse_scale(self.scale, (x for point in self.coordinates for x in point))
        ordered = tuple(sorted(self.coordinates))
        if ordered != self.coordinates:
            object.__setattr__(self, "given", self.coordinates)
            object.__setattr__(self, "coordinates", ordered)

    kind = "points"
    repeats = True

    @property
    def dimension(self) -> int:
        """Number of axes."""
        return len(self.coordinates[0])

    @property
    def ring_lengths(self) -> tuple[int, ...]:
        """Zeros: no axis is a ring."""
        return (0,) * self.dimension

    def in_given_order(self) -> Iterator[Site]:
        """All points in the order in which they were given."""
        return iter(self.given or self.coordinates)

    @property
    def processors_in_all(self) -> int:
        """Number of points, free or busy."""
        return len(self.coordinates)

    def document(self) -> dict[str, Any]:
        """Return the object ``topology`` of a file."""
        return {"kind": self.kind, "coordinates": self.listed(self.coordinates)}

    def listed(self, sites: Sequence[Site]) -> list[Any]:
        """Return sites as in files: coordinates in the file's units."""
        if self.scale == 1:
            return super().listed(sites)
        unit = Decimal(1) / self.scale
        return [[unscale(x, unit) for x in site] for site in sites]

    def parse_sites(self, value: Any, field: str) -> list[Site]:
        """Return the points that a file lists."""
        found = []
        for i, row in enumerate(fields.lists(value, field)):
            at = f"{field}[{i}]"
            numbers = decimals(row, at)
            if any(10 ** digits(x) > self.scale for x in numbers):
                raise InputError("no such processor", at, [str(x) for x in numbers])
            found.append(tuple(int(x * self.scale) for x in numbers))
        return found

    def locations(self) -> Iterator[Site]:
        """All points, in lexicographic order, with repeats."""
        return iter(self.coordinates)


@reads("points")
def _parse(value: dict[str, Any]) -> Points:
    """Build points from the object ``topology`` of a file."""
    both = "kind", "coordinates"
    fields.only(value, both, both, "topology")
    where = "topology.coordinates"
    return Points(*scale_points(fields.lists(value["coordinates"], where), where))


def _is_exact(coordinates: object) -> bool:
    """Whether the coordinates are tuples of integers."""
    return type(coordinates) is tuple and all(
        type(point) is tuple and set(map(type, point)) <= {int} for point in coordinates
    )
