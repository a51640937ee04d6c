"""Points in space under L1."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..decimals import refuse_scale, scaled
from ..errors import InputError
from ..value import LARGEST
from ..visible import brief
from .topology import Manhattan, Site


@dataclass(frozen=True)
class Points(Manhattan):
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
    """

    coordinates: tuple[Site, ...]
    scale: int = 1

    def __post_init__(self) -> None:
        """Convert lists, arrays and decimals; refuse invalid points."""
        field = "topology.coordinates"
        if not _is_exact(self.coordinates):
            coordinates, scale = scaled(self.coordinates, field)
            if self.scale != 1:
                raise InputError("is for integers", "scale", self.scale)
            object.__setattr__(self, "coordinates", coordinates)
            object.__setattr__(self, "scale", scale)
        if not self.coordinates:
            raise InputError("needs at least one point", field)
        if not self.coordinates[0]:
            raise InputError("needs at least one axis", f"{field}[0]")
        for i, point in enumerate(self.coordinates):
            if len(point) != self.dimension:
                raise InputError(
                    f"must have {self.dimension} coordinates like the first point",
                    f"{field}[{i}]",
                    list(point),
                )
            if any(abs(x) >= LARGEST for x in point):
                raise InputError(
                    "coordinates must stay below 2^62 once scaled to integers",
                    f"{field}[{i}]",
                    list(point),
                )
        refuse_scale(self.scale, (x for point in self.coordinates for x in point))
        object.__setattr__(self, "coordinates", tuple(sorted(self.coordinates)))

    def __repr__(self) -> str:
        shown = f"{len(self.coordinates)} points in {self.dimension}-D"
        return brief(
            "Points", shown + f", in units of 1/{self.scale}" * (self.scale > 1)
        )

    kind = "points"

    @property
    def dimension(self) -> int:
        """Number of axes."""
        return len(self.coordinates[0])

    def locations(self) -> Iterator[Site]:
        """All points, in lexicographic order, with repeats."""
        return iter(self.coordinates)


def _is_exact(coordinates: object) -> bool:
    """Whether the coordinates are tuples of integers."""
    return type(coordinates) is tuple and all(
        type(point) is tuple and set(map(type, point)) <= {int} for point in coordinates
    )
