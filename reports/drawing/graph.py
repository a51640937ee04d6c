"""Trees and graphs as nodes and links; large ones as a list of the chosen nodes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from textwrap import wrap

from ...instances import Graph, KSubset, Tree
from ...instances.topologies.graph_json import names_of
from .shapes import Circle, Label, Lines, Picture, Point, Rect, Shape

_ROOM = 380
_MARGIN = 12
_STEP = 46
MOST_OF_TREE, MOST_OF_GRAPH = 96, 128
_MOST_LINES = 40


def graph_picture(
    instance: KSubset, graph: Graph, chosen: Collection[int], accent: str
) -> Picture:
    """Draw the chosen nodes of a graph: processors as squares, other nodes as dots."""
    if graph.nodes > MOST_OF_GRAPH:
        return _list_nodes("graph", graph.nodes, _by_switch(graph, chosen))
    places = lay_out(graph)
    free = {v for (v,) in instance.free}
    links: list[list[Point]] = [[places[u], places[v]] for u, v, _ in graph.edges]
    processors = set(graph.processors)
    side = 14 if graph.nodes <= 40 else 9
    nodes: list[Shape] = []
    for v, (x, y) in enumerate(places):
        if v not in processors:
            nodes.append(Circle(kind="ck-edge", x=x, y=y, r=3))
            continue
        kind = accent if v in chosen else "ck-free" if v in free else "ck-busy"
        nodes.append(_square(x, y, side, kind))
        if graph.nodes <= 40:
            nodes.append(Label(x, y + side + 4, str(v), size=8, anchor="middle"))
    lines = Lines(kind="ck-edge", strokes=links, width=0.8)
    height = max(y for _, y in places) + 2 * _MARGIN
    return Picture(_ROOM, height, [lines, *nodes])


def tree_picture(
    instance: KSubset, tree: Tree, chosen: Collection[int], accent: str
) -> Picture:
    """Draw the chosen nodes of a tree as `graph_picture` does, from the root down."""
    if len(tree.parent) > MOST_OF_TREE:
        return _list_nodes("tree", len(tree.parent), _by_parent(tree, chosen))
    across, level = _levels(tree)
    leaves = max(across.values()) + 1
    step = min(_ROOM / leaves, 34)
    side = min(step - 2, 16)
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
                nodes.append(Label(*middle, str(tree.weight[v]), size=8, faint=True))
        if v not in tree.processors:
            nodes.append(Circle(kind="ck-edge", x=x, y=y, r=2.5))
            continue
        kind = accent if v in chosen else "ck-free" if v in free else "ck-busy"
        nodes.append(_square(x, y, side, kind))
        if step >= 16:
            below = y + side / 2 + 10
            nodes.append(Label(x, below, str(v), size=8, anchor="middle", faint=True))
    lines = Lines(kind="ck-edge", strokes=edges, width=0.8)
    height = max(level.values()) * _STEP + 36
    return Picture(leaves * step + 8, height, [lines, *nodes])


def _square(x: float, y: float, side: float, kind: str) -> Rect:
    return Rect(kind=kind, x=x - side / 2, y=y - side / 2, width=side, height=side)


def lay_out(graph: Graph) -> list[tuple[float, float]]:
    """Place the nodes so that those with few hops between them lie close together.

    By Kamada and Kawai's springs, which begin from a circle, so that the same graph
    has the same picture.
    """
    import networkx

    links = networkx.Graph()
    links.add_nodes_from(range(graph.nodes))
    links.add_weighted_edges_from(graph.edges)
    found = networkx.kamada_kawai_layout(links, weight="weight")
    xs, ys = zip(*(found[v] for v in range(graph.nodes)), strict=True)
    low_x, low_y = min(xs), min(ys)
    span = max(max(xs) - low_x, max(ys) - low_y) or 1.0
    scale = (_ROOM - 2 * _MARGIN) / span
    return [
        (
            round(_MARGIN + (x - low_x) * scale, 1),
            round(_MARGIN + (y - low_y) * scale, 1),
        )
        for x, y in zip(xs, ys, strict=True)
    ]


def _levels(tree: Tree) -> tuple[dict[int, float], dict[int, int]]:
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


def _by_parent(tree: Tree, chosen: Collection[int]) -> Mapping[str, Sequence[str]]:
    groups: dict[int, list[str]] = defaultdict(list)
    for v in sorted(chosen):
        groups[tree.parent[v]].append(str(v))
    return {f"below {up}": groups[up] for up in sorted(groups)}


def _by_switch(graph: Graph, chosen: Collection[int]) -> Mapping[str, Sequence[str]]:
    """Group the chosen nodes by their nearest neighbour, such as their switch."""
    groups: dict[int, list[int]] = defaultdict(list)
    for v in sorted(chosen):
        nearest = min(graph.neighbours[v], key=lambda link: (link[1], link[0]))[0]
        groups[nearest].append(v)
    return {
        f"at {names_of(graph, [at])[0]}": names_of(graph, groups[at])
        for at in sorted(groups)
    }


def _list_nodes(kind: str, nodes: int, groups: Mapping[str, Sequence[str]]) -> Picture:
    """List the chosen nodes by where they are."""
    lines = [
        line
        for where, names in groups.items()
        for line in wrap(f"{where}: {', '.join(names)}", 62, subsequent_indent="    ")
    ]
    shown = lines[:_MOST_LINES]
    body = [Label(0, 12 + 14 * i, line, size=10) for i, line in enumerate(shown)]
    note = f"a {kind} of {nodes} nodes is not drawn"
    note += "; chosen nodes are listed" * bool(groups)
    note += " in part" * (len(lines) > _MOST_LINES)
    return Picture(_ROOM, 14 * len(shown) + 8, body, note)
