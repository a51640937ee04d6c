"""Trees from the root down; large ones as a list of the chosen nodes."""

from __future__ import annotations

from collections.abc import Collection
from textwrap import wrap

from ...instances import KSubset, Tree
from .shapes import Circle, Lines, Picture, Point, Rect, Shape, text

_ROOM = 380
_STEP = 46
_MOST_NODES = 96


def tree_picture(instance: KSubset, chosen: Collection[int], accent: str) -> Picture:
    """Draw one selection: processors as squares, other nodes as dots.

    Parameters
    ----------
    instance
        On a ``Tree`` topology.
    chosen
        Node numbers of the selection.
    accent
        Class of the chosen processors.
    """
    tree = instance.topology
    assert isinstance(tree, Tree)
    if len(tree.parent) > _MOST_NODES:
        return _listed(tree, chosen)
    across, level = _layout(tree)
    leaves = max(across.values()) + 1
    step = min(_ROOM / leaves, 34)
    places = {v: ((x + 0.5) * step, level[v] * _STEP + 14) for v, x in across.items()}
    free = {v for (v,) in instance.free}
    edges: list[list[Point]] = []
    nodes: list[Shape] = []
    for v in tree.order:
        x, y = places[v]
        if tree.parent[v] >= 0:
            up_x, up_y = places[tree.parent[v]]
            edges.append([(up_x, up_y), (x, y)])
            if step >= 14 and tree.weight[v] != 1:
                middle = (up_x + 2 * x) / 3 + 2, (up_y + 2 * y) / 3
                nodes.append(text(*middle, str(tree.weight[v]), size=8, faint=True))
        nodes += _node(tree, v, x, y, step, free, chosen, accent)
    lines = Lines(kind="ck-edge", strokes=edges, width=0.8)
    height = max(level.values()) * _STEP + 36
    return Picture(leaves * step + 8, height, [lines, *nodes])


def _layout(tree: Tree) -> tuple[dict[int, float], dict[int, int]]:
    """Leaves in a row, every other node above the middle of its children."""
    children: list[list[int]] = [[] for _ in tree.parent]
    level: dict[int, int] = {}
    for v in tree.order:
        up = tree.parent[v]
        level[v] = level[up] + 1 if up >= 0 else 0
        if up >= 0:
            children[up].append(v)
    across: dict[int, float] = {}
    stack = [tree.order[0]]
    leaves = 0
    while stack:
        v = stack.pop()
        stack.extend(reversed(children[v]))
        if not children[v]:
            across[v] = leaves
            leaves += 1
    for v in reversed(tree.order):
        if children[v]:
            across[v] = (across[children[v][0]] + across[children[v][-1]]) / 2
    return across, level


def _node(
    tree: Tree,
    v: int,
    x: float,
    y: float,
    step: float,
    free: Collection[int],
    chosen: Collection[int],
    accent: str,
) -> list[Shape]:
    if v not in tree.processors:
        return [Circle(kind="ck-edge", x=x, y=y, r=2.5)]
    name = accent if v in chosen else "ck-free" if v in free else "ck-busy"
    side = min(step - 2, 16)
    left, top = x - side / 2, y - side / 2
    shapes: list[Shape] = [Rect(kind=name, x=left, y=top, width=side, height=side)]
    if step >= 16:
        below = y + side / 2 + 10
        shapes.append(text(x, below, str(v), size=8, anchor="middle", faint=True))
    return shapes


def _listed(tree: Tree, chosen: Collection[int]) -> Picture:
    lines = []
    by_parent: dict[int, list[int]] = {}
    for v in sorted(chosen):
        by_parent.setdefault(tree.parent[v], []).append(v)
    for up, below in sorted(by_parent.items()):
        line = f"below {up}: " + ", ".join(map(str, below))
        lines += wrap(line, 62, subsequent_indent="    ")
    body = [text(0, 12 + 14 * i, line, size=10) for i, line in enumerate(lines[:40])]
    note = f"a tree of {len(tree.parent)} nodes is not drawn"
    note += "; chosen nodes are listed" * bool(chosen)
    if len(lines) > 40:
        note += " in part"
    return Picture(_ROOM, 14 * min(len(lines), 40) + 8, body, note)
