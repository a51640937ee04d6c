"""Points as a scatter; those that fall together are counted."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from math import sqrt

from ...instances import KSubset, Site
from .shapes import Circle, Label, Picture, Rect, Shape, at

_ROOM = 330
_MARGIN = 24
_TOGETHER = 9
"""Points nearer than this, in pixels, are drawn as one and counted."""
_MOST_SLICES = 9
_COLUMNS = 3
_BESIDE = 40
"""Between the slices; their frames take 32 of it."""
_HEAD = 12


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

    Sites may repeat, so the choice is of indices. Of more axes, each place along them
    is a slice of its own; slices that lie close together are drawn as one.
    """
    picked = set(chosen)
    busy = Counter(instance.topology.locations()) - Counter(instance.free)
    plane = [_plane(site) for site in instance.topology.locations()]
    slices = _slices(instance.topology.locations())
    columns = min(len(slices), _COLUMNS)
    left, low = (min(axis) for axis in zip(*plane, strict=True))
    right, high = (max(axis) for axis in zip(*plane, strict=True))
    room = (_ROOM - (columns - 1) * _BESIDE) / columns
    unit = room / max(right - left, high - low, 1)
    found: dict[str, dict[tuple[int, int], _Spot]] = {
        name: defaultdict(_Spot) for name in slices.values()
    }

    def spot(site: Site) -> _Spot:
        x, y = _plane(site)
        px, py = (x - left) * unit, (high - y) * unit
        place = int(px // _TOGETHER), int(py // _TOGETHER)
        one = found[slices[site[2:]]][place]
        one.xs.append(px)
        one.ys.append(py)
        return one

    for site in busy.elements():
        spot(site).busy += 1
    for i, site in enumerate(instance.free):
        one = spot(site)
        one.free += 1
        one.chosen += i in picked
    width, height = (right - left) * unit, (high - low) * unit
    sizes = [s.busy + s.free for spots in found.values() for s in spots.values()]
    top = _HEAD if len(found) > 1 else 0
    body: list[Shape] = []
    for number, (name, spots) in enumerate(found.items()):
        x = _MARGIN + number % columns * (width + _BESIDE)
        y = _MARGIN + top + number // columns * (height + _BESIDE + top)
        frame = Rect(
            kind="ck-edge", x=-16, y=-16, width=width + 32, height=height + 32,
            opacity=0.35,
        )  # fmt: skip
        head = [Label(-16, -20, name, size=10, faint=True)] if top else []
        marks = [
            mark
            for key in sorted(spots)
            for mark in _marks(spots[key], max(sizes), accent, width, bool(picked))
        ]
        body.append(at(x, y, frame, *head, *marks))
    notes = []
    if max(sizes) > 1:
        meaning = ": chosen/all" if picked else ""
        notes.append(f"a number counts points drawn as one{meaning}")
    if top:
        notes.append("slices across the axes beyond the second")
    rows = -(-len(found) // columns)
    return Picture(
        max(columns * (width + _BESIDE) - _BESIDE + 2 * _MARGIN, 120),
        rows * (height + _BESIDE + top) - _BESIDE + 2 * _MARGIN,
        body,
        "; ".join(notes),
    )


def _slices(sites: Iterable[Site]) -> dict[Site, str]:
    """Return the name of the slice of each place along the axes beyond the second.

    At most `_MOST_SLICES`: beyond, those of neighbours in lexicographic order are one.
    """
    places = sorted({site[2:] for site in sites})
    size = -(-len(places) // _MOST_SLICES)
    names = {}
    for first in range(0, len(places), size):
        group = places[first : first + size]
        ends = (
            ", ".join(map(str, place)) for place in dict.fromkeys((group[0], group[-1]))
        )
        name = f"at {' to '.join(ends)}"
        names.update(dict.fromkeys(group, name))
    return names


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
