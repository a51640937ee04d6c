"""The nodes of a cluster below their switches, racks or blocks: free, busy, chosen.

A drawing is one narrow column, which a telephone shows as it is; a page has the same
panels side by side, as many as there is room for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from textwrap import wrap

import numpy as np

from ...instances import IntArray
from ...instances.words import with_noun
from ...reports.drawing.shapes import (
    Canvas,
    Label,
    Picture,
    Point,
    Rect,
    Shape,
    at,
    box,
    boxes,
    breadth,
    crop,
)
from ..placement.program import Flags
from ..topologies import Hierarchy

_ROOM = 356
_MARGIN = 12
_MOST_LEAVES = 20
"""Leaves of a panel; those of a switch with more are parted."""
_MOST_NODES = 4096
"""Beyond so many nodes only panels with chosen ones are drawn."""
_MOST_DRAWN = 2**14
_PER_ROW = 32
_NAME = 72
"""Most room for the name of a leaf."""
_GAP = 12
_LARGEST, _SMALLEST = 13.0, 7.2
"""Sides of a node with the gap."""


@dataclass(frozen=True)
class LeafPanel:
    """Some leaves with their nodes."""

    title: str
    nodes: int
    free: int
    chosen: int
    picture: Picture


def panels(
    fabrics: Sequence[tuple[Hierarchy, Flags, Sequence[int]]],
) -> tuple[list[LeafPanel], str]:
    """Draw the leaves of every fabric, with its free and its chosen nodes.

    Returns
    -------
    tuple
        The panels, and what is not drawn, if anything.
    """
    found: list[LeafPanel] = []
    every = sum(len(fabric.nodes) for fabric, *_ in fabrics)
    drawn = left_out = 0
    for fabric, free, chosen in fabrics:
        picked = np.zeros(len(fabric.nodes), dtype=np.bool_)
        picked[list(chosen)] = True
        kinds = np.where(picked, 2, np.where(free, 1, 0))
        order = np.argsort(fabric.home, kind="stable")
        ends = fabric.has_nodes.cumsum()
        for title, leaves in _parts(fabric):
            members = [order[ends[v] - fabric.has_nodes[v] : ends[v]] for v in leaves]
            own = kinds[np.concatenate(members)]
            taken = int((own == 2).sum())
            few = every <= _MOST_NODES or taken
            if not few or drawn + len(own) > _MOST_DRAWN:
                left_out += 1
                continue
            drawn += len(own)
            above = [int(fabric.parent[v]) for v in leaves]
            picture = _panel(
                [fabric.domains[v] for v in leaves],
                [kinds[m] for m in members],
                [fabric.domains[v] for v in above] if len(set(above)) > 1 else [],
            )
            found.append(
                LeafPanel(title, len(own), int((own > 0).sum()), taken, picture)
            )
    note = f"not drawn: {with_noun(left_out, 'further part')}" if left_out else ""
    return found, note


def cluster_drawing(
    found: Sequence[LeafPanel], *, title: str, about: Sequence[str], note: str = ""
) -> Canvas:
    """Return panels below each other, under a title and lines about the choice."""
    shapes: list[Shape] = []
    y = 28.0
    for line in wrap(title, int(_ROOM / breadth("x", 14)), break_on_hyphens=False):
        shapes.append(Label(_MARGIN, y, line, size=14, bold=True))
        y += 18
    long = int(_ROOM / breadth("x", 11))
    for text in about:
        for line in _wrap(text, long)[:6]:
            shapes.append(Label(_MARGIN, y, line, size=11))
            y += 15
    y += 8
    for panel in found:
        shapes.append(Label(_MARGIN, y + 4, _heading(panel), size=12, bold=True))
        shapes.append(at(_MARGIN, y + 12, *panel.picture.shapes))
        y += panel.picture.height + 34
    x = float(_MARGIN)
    for kind, label in _LEGEND:
        shapes.append(Rect(kind=kind, x=x, y=y - 9, width=10, height=10, rx=1.5))
        shapes.append(Label(x + 15, y, label, size=11))
        x += breadth(label, 11) + 32
    shapes.append(Label(x, y, "numbers: free/all", size=11))
    y += 18
    if note:
        shapes.append(Label(_MARGIN, y, note, size=10, faint=True))
        y += 15
    width, height = _ROOM + 2.0 * _MARGIN, y
    content = repr((title, about, [(p.title, p.free, p.chosen) for p in found]))
    return Canvas(
        width=width,
        height=height,
        title=title,
        description=". ".join(about),
        mark="ck" + sha256(content.encode()).hexdigest()[:10],
        shapes=[Rect(kind="ck-page", width=width, height=height, rx=6), *shapes],
    )


_LEGEND = (("ck-a", "chosen"), ("ck-free", "free"), ("ck-busy", "busy"))
_KINDS = ("ck-busy", "ck-free", "ck-a")


def _wrap(text: str, width: int) -> list[str]:
    return wrap(text, width, subsequent_indent="   ", break_on_hyphens=False)


def _heading(panel: LeafPanel) -> str:
    shown = f"{panel.free} of {panel.nodes} free"
    if panel.chosen:
        shown += f", {panel.chosen} chosen"
    name = crop(panel.title, _ROOM - breadth(shown, 12) - 20, 12)
    return f"{name}: {shown}"


def _parts(fabric: Hierarchy) -> list[tuple[str, list[int]]]:
    """Part the leaves into panels: whole subtrees, as long as they are small."""
    leaves = (fabric.has_nodes > 0).astype(np.int64)
    below = fabric.below(leaves).tolist()
    children: list[list[int]] = [[] for _ in fabric.parent]
    for v in range(1, len(fabric.parent)):
        children[int(fabric.parent[v])].append(v)
    found: list[tuple[str, list[int]]] = []
    stack = [0]
    while stack:
        v = stack.pop()
        if below[v] <= _MOST_LEAVES:
            if inside := _inside(v, children, leaves):
                found.append((fabric.domains[v], inside))
            continue
        own = [v] * int(leaves[v])
        own += [c for c in children[v] if below[c] == 1 and not children[c]]
        pieces = [own[i : i + _MOST_LEAVES] for i in range(0, len(own), _MOST_LEAVES)]
        for i, piece in enumerate(pieces, 1):
            part = f", part {i} of {len(pieces)}" if len(pieces) > 1 else ""
            found.append((fabric.domains[v] + part, piece))
        stack += [c for c in reversed(children[v]) if c not in set(own)]
    return found


def _inside(v: int, children: list[list[int]], leaves: IntArray) -> list[int]:
    found, stack = [], [v]
    while stack:
        v = stack.pop()
        if leaves[v]:
            found.append(v)
        stack += reversed(children[v])
    return found


def _panel(
    names: Sequence[str], kinds: Sequence[IntArray], above: Sequence[str]
) -> Picture:
    """Draw leaves as rows of nodes, in columns if they are small.

    With ``above``, the name of the switch above each, they stand below these names.
    """
    most = min(_PER_ROW, max(map(len, kinds)))
    name = min(_NAME, max(breadth(one, 10) for one in names) + 6.0)
    beside = name + 4 + breadth(f"{most}/{most}", 9)
    columns = int((_ROOM + _GAP) // (beside + most * _SMALLEST + _GAP))
    columns = max(1, min(len(names), columns))
    wide = (_ROOM + _GAP) / columns - _GAP
    side = min(_LARGEST, max(_SMALLEST, (wide - beside) / most))
    runs: dict[str, list[list[Point]]] = {kind: [] for kind in _KINDS}
    labels: list[Shape] = []
    rows = -(-len(names) // columns)
    x0 = y = tallest = 0.0
    last = ""
    for i, (leaf, own) in enumerate(zip(names, kinds, strict=True)):
        if i % rows == 0 and i:
            x0, y, last = x0 + wide + _GAP, 0.0, ""
        if above and above[i] != last:
            last = above[i]
            y += 3.0 * (y > 0)
            labels.append(Label(x0, y + 10, crop(last, wide, 10), size=10, bold=True))
            y += 15
        lines = -(-len(own) // most)
        middle = y + side / 2 + 3.5
        shown = crop(leaf, name - 4, 10)
        labels.append(Label(x0, middle, shown, size=10))
        for j, kind in enumerate(own.tolist()):
            left = x0 + name + j % most * side
            top = y + j // most * side
            runs[_KINDS[kind]].append(box(left, top, side - 1.2, side - 1.2))
        count = f"{int((own > 0).sum())}/{len(own)}"
        right = x0 + name + most * side + 4
        labels.append(Label(right, middle, count, size=9, faint=True))
        y += max(14.0, lines * side + 4)
        tallest = max(tallest, y)
    return Picture(_ROOM, tallest, [*boxes(runs), *labels])
