"""Points as a scatter; those that fall together are counted."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from math import sqrt

from ...instances import KSubset, Site
from .shapes import Circle, Label, Picture, Rect, Shape, at

_ROOM = 330
_MARGIN = 24
_TOGETHER = 9
"""Points nearer than this, in pixels, are drawn as one and counted."""


@dataclass(slots=True)
class _Spot:
    xs: list[float] = field(default_factory=list)
    ys: list[float] = field(default_factory=list)
    busy: int = 0
    free: int = 0
    chosen: int = 0

    @property
    def place(self) -> tuple[float, float]:
        return sum(self.xs) / len(self.xs), sum(self.ys) / len(self.ys)


def points_picture(instance: KSubset, chosen: Collection[int], accent: str) -> Picture:
    """Draw the chosen points: first axis to the right, second upwards, same scale.

    Sites may repeat, so the choice is of indices. Further axes are not shown.
    """
    picked = set(chosen)
    busy = Counter(instance.topology.locations()) - Counter(instance.free)
    plane = [_plane(site) for site in instance.topology.locations()]
    left, low = (min(axis) for axis in zip(*plane, strict=True))
    right, high = (max(axis) for axis in zip(*plane, strict=True))
    unit = _ROOM / max(right - left, high - low, 1)
    spots: dict[tuple[int, int], _Spot] = defaultdict(_Spot)

    def spot(site: Site) -> _Spot:
        x, y = _plane(site)
        px, py = (x - left) * unit, (high - y) * unit
        found = spots[int(px // _TOGETHER), int(py // _TOGETHER)]
        found.xs.append(px)
        found.ys.append(py)
        return found

    for site in busy.elements():
        spot(site).busy += 1
    for i, site in enumerate(instance.free):
        found = spot(site)
        found.free += 1
        found.chosen += i in picked
    width, height = (right - left) * unit, (high - low) * unit
    largest = max(s.busy + s.free for s in spots.values())
    marks = [
        mark
        for key in sorted(spots)
        for mark in _marks(spots[key], largest, accent, width, bool(picked))
    ]
    wide, high = width + 32, height + 32
    frame = Rect(kind="ck-edge", x=-16, y=-16, width=wide, height=high, opacity=0.35)
    notes = []
    if any(s.busy + s.free > 1 for s in spots.values()):
        meaning = ": chosen/all" if picked else ""
        notes.append(f"a number counts points drawn as one{meaning}")
    if instance.topology.dimension > 2:
        notes.append(f"first two of {instance.topology.dimension} axes")
    body = [at(_MARGIN, _MARGIN, frame, *marks)]
    return Picture(
        max(width + 2 * _MARGIN, 120), height + 2 * _MARGIN, body, "; ".join(notes)
    )


def _plane(site: Site) -> tuple[int, int]:
    return (site[0], site[1]) if len(site) > 1 else (site[0], 0)


def _marks(
    spot: _Spot, largest: int, accent: str, width: float, of_chosen: bool
) -> list[Shape]:
    x, y = spot.place
    total = spot.busy + spot.free
    outer = 4 + 6 * sqrt((total - 1) / max(largest - 1, 1))
    kind = "ck-free" if spot.free else "ck-busy"
    marks: list[Shape] = [
        Circle(kind=kind, x=x, y=y, r=outer),
        Circle(kind="ck-edge", x=x, y=y, r=outer, width=0.7),
    ]
    if spot.chosen:
        inner = outer * sqrt(spot.chosen / total)
        marks.append(Circle(kind=accent, x=x, y=y, r=inner))
    if total > 1:
        after = x + outer + 3
        flipped = after > width - 20
        marks.append(
            Label(
                x - outer - 3 if flipped else after,
                y + 3.5,
                f"{spot.chosen}/{total}" if of_chosen else str(total),
                size=9,
                anchor="end" if flipped else "start",
            )
        )
    return marks
