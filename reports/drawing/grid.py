"""Meshes and tori as squares; further axes as layers side by side."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import groupby, product
from math import isqrt, prod

from ...instances import Grid, KSubset, Site
from .shapes import Label, Lines, Picture, Rect, Shape, at, box

_ROOM = 380
_LARGEST_CELL = 26
_MOST_CELLS = 128
"""Beyond this many cells per side only the surroundings of the choice are drawn."""
_MOST_DISTINCT = 256
"""Beyond this many cells per side free and busy ones are not distinguished."""
_MOST_LAYERS = 16
_GAP = 14


def grid_picture(
    instance: KSubset, chosen: Collection[Site], others: Collection[Site], accent: str
) -> Picture:
    """Draw the chosen sites; the last two axes make a layer, row 0 on top.

    ``others`` are those of the other selection, if there is one: both pictures show the
    same part of the network, and cells that only this one has get a dot.
    """
    topology = instance.topology.grid
    assert topology
    shape = (1, *topology.shape) if topology.dimension == 1 else topology.shape
    lead = topology.dimension - 2
    free, picked, elsewhere = (
        [(0, *site) if lead < 0 else site for site in sites]
        for sites in (instance.free, sorted(chosen), sorted(others))
    )
    lead = max(lead, 0)
    either = picked + elsewhere
    layers = sorted({site[:lead] for site in either})
    notes = []
    if prod(shape[:lead]) <= _MOST_LAYERS or not either:
        layers = list(product(*map(range, shape[:lead])))
    else:
        notes.append("layers without a chosen processor are left out")
    if len(layers) > _MOST_LAYERS:
        layers = layers[:_MOST_LAYERS]
        notes.append(f"only the first {_MOST_LAYERS} layers are drawn")
    window, cut = _window(shape[lead:], [site[lead:] for site in either])
    if cut:
        notes.append("only the surroundings of the choice are drawn")
    coarse = max(window[1] - window[0], window[3] - window[2]) > _MOST_DISTINCT
    if coarse:
        notes.append("too large to tell free and busy processors apart")
    columns = len(layers) if len(layers) < 4 else min(4, isqrt(len(layers) - 1) + 1)
    cell = _cell_size(window, columns)
    shapes: list[Shape] = []
    width = height = 0.0
    for i, layer in enumerate(layers):
        one = _layer(
            window,
            cell,
            None if coarse else [s[lead:] for s in free if s[:lead] == layer],
            [s[lead:] for s in picked if s[:lead] == layer],
            {s[lead:] for s in elsewhere if s[:lead] == layer} if others else None,
            accent,
            joined=topology.rings[-2:],
        )
        top = 16.0 if lead else 0.0
        x = (i % columns) * (one.width + _GAP)
        y = (i // columns) * (one.height + top + _GAP)
        if lead:
            name = "layer " + ", ".join(map(str, layer))
            shapes.append(Label(x + 14, y + 11, name, size=10, faint=True))
        shapes.append(at(x, y + top, *one.shapes))
        width, height = max(width, x + one.width), max(height, y + top + one.height)
    if any(topology.rings):
        notes.append(f"{describe_rings(topology)}: links wrap around")
    return Picture(width, height, shapes, "; ".join(notes))


def describe_rings(grid: Grid) -> str:
    """Say which sides of a grid are joined; empty for a mesh.

    >>> describe_rings(Grid((4, 4), rings=(False, True)))
    'the ends of axis 2 are joined'
    """
    if all(grid.rings):
        return "opposite sides are joined"
    axes = [str(a) for a, ring in enumerate(grid.rings, 1) if ring]
    return f"the ends of axis {' and '.join(axes)} are joined" if axes else ""


Window = tuple[int, int, int, int]
"""First and one past the last row, the same of columns."""


def _window(
    shape: tuple[int, ...], picked: list[tuple[int, ...]]
) -> tuple[Window, bool]:
    sides = []
    for axis, side in enumerate(shape):
        low, high = 0, side
        if side > _MOST_CELLS and picked:
            values = [site[axis] for site in picked]
            low, high = max(0, min(values) - 3), min(side, max(values) + 4)
        sides += [low, high]
    top, bottom, left, right = sides
    cut = (bottom - top, right - left) != shape
    return (top, bottom, left, right), cut


def _cell_size(window: Window, columns: int) -> float:
    top, bottom, left, right = window
    room = (_ROOM - (columns - 1) * _GAP) / columns - 30
    size = min(room / (right - left), _ROOM / (bottom - top), _LARGEST_CELL)
    return max(int(size), 3) if size >= 3 else max(round(size, 2), 0.3)


def _layer(
    window: Window,
    cell: float,
    free: Iterable[tuple[int, ...]] | None,
    picked: Iterable[tuple[int, ...]],
    others: Collection[tuple[int, ...]] | None,
    accent: str,
    *,
    joined: Collection[bool],
) -> Picture:
    top, bottom, left, right = window
    rows, columns = bottom - top, right - left

    def shift(sites: Iterable[tuple[int, ...]]) -> list[tuple[int, int]]:
        return [
            (r - top, c - left)
            for r, c in sites
            if top <= r < bottom and left <= c < right
        ]

    light, strong = shift(free or ()), shift(picked)
    own = [] if others is None else shift(s for s in picked if s not in others)
    # In cell units: one stroke for each run of neighbours keeps large meshes small.
    ground = "ck-free" if free is None else "ck-busy"
    whole = [box(0, 0, columns, rows)]
    shapes: list[Shape] = [
        Lines(kind=ground, strokes=whole, closed=True, width=0),
        *_runs(light, "ck-free"),
        *(_runs(strong, accent) if cell >= 1.5 else _dots(strong, accent, 3 / cell)),
    ]
    if cell >= 5:
        lines = [[(c, 0), (c, rows)] for c in range(columns + 1)]
        lines += [[(0, r), (columns, r)] for r in range(rows + 1)]
        shapes.append(Lines(kind="ck-grid", strokes=lines, width=1 / cell))
    if own and cell >= 5:
        shapes += _dots(own, "ck-dot", 0.32)
    wide, high = columns * cell, rows * cell
    dashes = (5, 3) if any(joined) else ()
    frame = Rect(
        kind="ck-edge", x=-2, y=-2, width=wide + 4, height=high + 4, dashes=dashes
    )
    ends = [
        (-6, min(cell, 10) + 0.0, top, "end"),
        (2, high + 13, left, "start"),
        *[(-6, high, bottom - 1, "end")] * (rows > 1),
        *[(wide, high + 13, right - 1, "end")] * (columns > 1),
    ]
    ticks = [
        Label(x, y, str(n), size=9, anchor=anchor, faint=True)
        for x, y, n, anchor in ends
    ]
    inner = at(26, 3, at(0, 0, *shapes, scale=cell), frame, *ticks)
    return Picture(wide + 30, high + 20, [inner])


def _runs(cells: list[tuple[int, int]], name: str) -> list[Shape]:
    """Stroke rows of neighbouring cells; nothing if there are none."""
    strokes = []
    numbered = enumerate(sorted(cells))
    for (r, _), group in groupby(
        numbered, lambda item: (item[1][0], item[1][1] - item[0])
    ):
        run = [c for _, (_, c) in group]
        strokes.append([(run[0], r + 0.5), (run[0] + len(run), r + 0.5)])
    return [Lines(kind=name, strokes=strokes)] * bool(strokes)


def _dots(cells: list[tuple[int, int]], name: str, size: float) -> list[Shape]:
    """Put a round dot, of a size given in cells, on each of these."""
    strokes = [[(c + 0.5, r + 0.5)] * 2 for r, c in sorted(cells)]
    return [Lines(kind=name, strokes=strokes, width=size, round=True)]
