"""Graphs as nodes and links; large ones as a list of the chosen nodes."""

from __future__ import annotations

from collections.abc import Collection
from textwrap import wrap

from ...instances import Graph, KSubset
from ...instances.topologies.graph import names_of
from .shapes import Circle, Lines, Picture, Point, Rect, Shape, text

_ROOM = 380
_MARGIN = 12
_MOST_NODES = 128
_MOST_LINES = 40


def graph_picture(instance: KSubset, chosen: Collection[int], accent: str) -> Picture:
    """Draw one selection: processors as squares, other nodes as dots.

    Parameters
    ----------
    instance
        On a ``Graph`` topology.
    chosen
        Node numbers of the selection.
    accent
        Class of the chosen processors.
    """
    graph = instance.topology
    assert isinstance(graph, Graph)
    if graph.nodes > _MOST_NODES:
        return _listed(graph, chosen)
    places = _layout(graph)
    free = {v for (v,) in instance.free}
    links: list[list[Point]] = [[places[u], places[v]] for u, v, _ in graph.edges]
    processors = set(graph.processors)
    side = 14 if graph.nodes <= 40 else 9
    nodes: list[Shape] = []
    for v, (x, y) in enumerate(places):
        if v not in processors:
            nodes.append(Circle(kind="ck-edge", x=x, y=y, r=3))
            continue
        name = accent if v in chosen else "ck-free" if v in free else "ck-busy"
        left, top = x - side / 2, y - side / 2
        nodes.append(Rect(kind=name, x=left, y=top, width=side, height=side))
        if graph.nodes <= 40:
            label = str(v)
            nodes.append(text(x, y + side + 4, label, size=8, anchor="middle"))
    lines = Lines(kind="ck-edge", strokes=links, width=0.8)
    height = max(y for _, y in places) + 2 * _MARGIN
    return Picture(_ROOM, height, [lines, *nodes])


def _layout(graph: Graph) -> list[tuple[float, float]]:
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


def _listed(graph: Graph, chosen: Collection[int]) -> Picture:
    """List the chosen nodes by their nearest neighbour, such as their switch."""
    groups: dict[int, list[int]] = {}
    for v in sorted(chosen):
        nearest = min(graph.neighbours[v], key=lambda link: (link[1], link[0]))[0]
        groups.setdefault(nearest, []).append(v)
    lines: list[str] = []
    for at, some in sorted(groups.items()):
        line = f"at {names_of(graph, [at])[0]}: " + ", ".join(names_of(graph, some))
        lines += wrap(line, 62, subsequent_indent="    ")
    shown = lines[:_MOST_LINES]
    body = [text(0, 12 + 14 * i, line, size=10) for i, line in enumerate(shown)]
    note = f"a graph of {graph.nodes} nodes is not drawn"
    note += "; chosen nodes are listed" * bool(chosen)
    if len(lines) > _MOST_LINES:
        note += " in part"
    return Picture(_ROOM, 14 * len(shown) + 8, body, note)
