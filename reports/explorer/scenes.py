"""Where the processors of a network are drawn on the page, and what else is drawn."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product
from math import cos, isqrt, pi, prod, sin, sqrt
from typing import Any

from ...instances import Graph, Grid, InputError, Site, Topology, Tree
from ..drawing.graph import MOST_OF_GRAPH, lay_out
from ..drawing.grid import describe_rings

MOST_SHOWN = 4096
"""Processors of a network that the page shows."""
_CELL = 24.0
_GAP = 18.0
_ROOM = 560.0
_PER_ROW = 26
_HEAD = 20.0
_GOLDEN = pi * (3 - sqrt(5))
_RACK_MOST = 24
_MOST_IN_A_ROW = 40
"""Characters of the name of a rack, and leaves of a tree that are drawn in a row."""

Point = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Scene:
    """A network laid out in pixels; squares of ``side`` are centred on ``spots``.

    ``place`` gives the position of a site that may be a centre.
    """

    spots: list[Point]
    side: float
    place: Callable[[Site], Point]
    links: list[tuple[Point, Point]] = field(default_factory=list)
    dots: list[Point] = field(default_factory=list)
    boxes: list[tuple[float, float, float, float]] = field(default_factory=list)
    texts: list[tuple[float, float, str]] = field(default_factory=list)
    note: str = ""

    def document(self) -> dict[str, Any]:
        """Return it as JSON."""
        corners = [(x + w, y + h) for x, y, w, h in self.boxes]
        ends = [*self.spots, *self.dots, *corners]
        texts = [(round(x, 1), round(y, 1), text) for x, y, text in self.texts]
        return {
            "width": round(max(x for x, _ in ends) + self.side, 1),
            "height": round(max(y for _, y in ends) + self.side, 1),
            "side": self.side,
            "spots": [_round(spot) for spot in self.spots],
            "links": [[*_round(a), *_round(b)] for a, b in self.links],
            "dots": [_round(dot) for dot in self.dots],
            "boxes": [[round(x, 1) for x in box] for box in self.boxes],
            "texts": texts,
            "note": self.note,
        }


def scene_of(
    topology: Topology, names: tuple[str, ...] = (), *, racks: bool = False
) -> Scene:
    """Lay a network out.

    Parameters
    ----------
    topology
        The network.
    names
        Of the nodes of a tree, for the heads of racks.
    racks
        Whether the processors of a tree are drawn in racks, by their parents.

    Raises
    ------
    InputError
        If it has more processors than the page shows.
    """
    count = sum(1 for _ in topology.locations())
    if count > MOST_SHOWN:
        problem = f"has {count} processors; at most {MOST_SHOWN} are shown"
        raise InputError(problem, "topology")
    if topology.grid:
        return _grid(topology.grid)
    if tree := topology.tree:
        return _racks(tree, names) if racks else _tree(tree)
    return _graph(topology.graph) if topology.graph else _cloud(topology)


def _round(point: Point) -> list[float]:
    return [round(point[0], 1), round(point[1], 1)]


def _grid(grid: Grid) -> Scene:
    """Draw the last two axes as a layer, and layers side by side."""
    shape = (1, *grid.shape) if grid.dimension == 1 else grid.shape
    *lead, rows, columns = shape
    layers = list(product(*map(range, lead)))
    beside = len(layers) if len(layers) < 4 else min(4, isqrt(len(layers) - 1) + 1)
    cell = max(9.0, min(_CELL, _ROOM / (beside * columns)))
    head = _HEAD if lead else 4.0
    corners = {
        layer: (
            i % beside * (columns * cell + _GAP) + 4,
            i // beside * (rows * cell + head + 4) + head,
        )
        for i, layer in enumerate(layers)
    }

    def place(site: Site) -> Point:
        *layer, row, column = (0, *site) if grid.dimension == 1 else site
        x, y = corners[tuple(layer)]
        return x + (column + 0.5) * cell, y + (row + 0.5) * cell

    return Scene(
        spots=[place(site) for site in grid.locations()],
        side=cell - 2,
        place=place,
        texts=[
            (x, y - 5, f"layer {', '.join(map(str, layer))}")
            for layer, (x, y) in corners.items()
            if lead
        ],
        note=describe_rings(grid),
    )


def _cloud(points: Topology) -> Scene:
    """Draw points to scale; those that would cover each other lie round their place."""
    sites = list(points.locations())
    plane = [(site[0], site[1] if len(site) > 1 else 0) for site in sites]
    left, right = min(x for x, _ in plane), max(x for x, _ in plane)
    low, high = min(y for _, y in plane), max(y for _, y in plane)
    unit = _ROOM / max(right - left, high - low, 1)
    side = 10.0 if len(sites) <= 400 else 7.0
    margin = side * (1 + sqrt(len(sites)) / 2)

    def place(site: Site) -> Point:
        y = site[1] if len(site) > 1 else 0
        return margin + (site[0] - left) * unit, margin + (high - y) * unit

    together: dict[tuple[int, int], int] = defaultdict(int)
    spots: list[Point] = []
    for site in sites:
        x, y = place(site)
        if unit >= side + 1 and len(set(sites)) == len(sites):
            spots.append((x, y))
            continue
        key = round(x / side), round(y / side)
        i = together[key]
        together[key] += 1
        away = 0.62 * (side + 1) * sqrt(i)
        spots.append((x + away * cos(i * _GOLDEN), y + away * sin(i * _GOLDEN)))
    notes = []
    if max(together.values(), default=1) > 1:
        notes.append("points at the same place are drawn side by side")
    if points.dimension > 2:
        notes.append(f"the first two of {points.dimension} axes are drawn")
    return Scene(spots=spots, side=side, place=place, note="; ".join(notes))


def _tree(tree: Tree) -> Scene:
    """Draw the root on top; of many leaves those below the same node in a block."""
    children: dict[int, list[int]] = defaultdict(list)
    for v, up in enumerate(tree.parent):
        children[up].append(v)
    leaves = {v for v in tree.order if v not in children}
    blocks = len(leaves) > _MOST_IN_A_ROW
    level: dict[int, int] = {}
    for v in tree.order:
        level[v] = level[tree.parent[v]] + 1 if tree.parent[v] >= 0 else 0
    left: dict[int, float] = {}
    wide: dict[int, float] = {}
    row: dict[int, int] = {}
    columns: dict[int, int] = {}
    for v in tree.order:
        count = sum(c in leaves for c in children.get(v, ()))
        columns[v] = isqrt(count - 1) + 1 if blocks and count else count
    for v in reversed(tree.order):
        inner = sum(wide[c] + 0.6 for c in children.get(v, ()) if c not in leaves)
        wide[v] = max(1.0, columns[v] + inner)
    left[tree.order[0]] = 0.0
    for v in tree.order:
        at = left[v]
        own = [c for c in children.get(v, ()) if c in leaves]
        for i, c in enumerate(own):
            row[c], column = divmod(i, columns[v])
            left[c] = at + column
        at += columns[v] + (0.6 if own else 0.0)
        for c in children.get(v, ()):
            if c not in leaves:
                left[c], row[c] = at, 0
                at += wide[c] + 0.6
    step = max(11.0, min(_CELL, _ROOM / (wide[tree.order[0]] + 0.7)))
    spot = {
        v: (
            (left[v] + (0.5 if v in leaves else wide[v] / 2) + 0.2) * step,
            level[v] * 48.0 + 14 + row.get(v, 0) * step,
        )
        for v in tree.order
    }
    drawn = [v for v in tree.order[1:] if not (blocks and row[v])]
    return Scene(
        spots=[spot[v] for v in tree.processors],
        side=step - 2,
        place=lambda site: spot[site[0]],
        links=[(spot[tree.parent[v]], spot[v]) for v in drawn],
        dots=[spot[v] for v in sorted(set(tree.order) - set(tree.processors))],
    )


def _racks(tree: Tree, names: tuple[str, ...]) -> Scene:
    """Draw a box for each node that has processors below itself, with these in rows."""
    racks: dict[int, list[int]] = defaultdict(list)
    for v in tree.processors:
        racks[tree.parent[v]].append(v)
    cell = 22.0
    most = max(len(inside) for inside in racks.values())
    columns = min(_PER_ROW, most, max(4 if most <= 32 else 8, isqrt(most)))
    beside = max(1, int((_ROOM + _GAP) // (columns * cell + 10 + _GAP)))
    high = -(-most // columns) * cell + _HEAD + 14
    at: dict[int, Point] = {}
    boxes: list[tuple[float, float, float, float]] = []
    texts: list[tuple[float, float, str]] = []
    wide = columns * cell + 10
    for i, (rack, inside) in enumerate(racks.items()):
        x, y = 4 + i % beside * (wide + _GAP), 4 + i // beside * (high + 6)
        boxes.append((x, y, wide, high - 6))
        name = names[rack] if names and rack >= 0 else f"rack {i}"
        room = min(_RACK_MOST, int(wide // 7))
        short = name if len(name) <= room else f"{name[: room - 1]}…"
        texts.append((x + 6, y + 15, short))
        at[rack] = (x + wide / 2, y + 11)
        for j, v in enumerate(inside):
            row, column = divmod(j, columns)
            spot = (x + 5 + (column + 0.5) * cell, y + _HEAD + (row + 0.5) * cell)
            at[v] = spot
    middle = (4 + wide * min(beside, len(racks)) / 2, 2.0)
    return Scene(
        spots=[at[v] for v in tree.processors],
        side=cell - 4,
        place=lambda site: at.get(site[0], middle),
        boxes=boxes,
        texts=texts,
    )


def _graph(graph: Graph) -> Scene:
    """Draw nodes and links by springs; many nodes in rows, without links."""
    inner = sorted(set(range(graph.nodes)) - set(graph.processors))
    if graph.nodes > MOST_OF_GRAPH:
        beside = isqrt(prod((len(graph.processors) - 1, 2))) + 1
        at = {
            v: ((i % beside + 0.7) * _CELL, (i // beside + 0.7) * _CELL)
            for i, v in enumerate(graph.processors)
        }
        outside = (0.2 * _CELL, 0.2 * _CELL)
        return Scene(
            spots=[at[v] for v in graph.processors],
            side=_CELL - 3,
            place=lambda site: at.get(site[0], outside),
            note=f"a graph of {graph.nodes} nodes is drawn in rows, without its links",
        )
    stretch = 1.45
    where = [(x * stretch, y * stretch + 4) for x, y in lay_out(graph)]
    return Scene(
        spots=[where[v] for v in graph.processors],
        side=18.0 if graph.nodes <= 64 else 13.0,
        place=lambda site: where[site[0]],
        links=[(where[u], where[v]) for u, v, _ in graph.edges],
        dots=[where[v] for v in inner],
    )
