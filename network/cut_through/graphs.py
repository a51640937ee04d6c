"""Graphs and trees as arrays for the cut-through engine, and tables of routes.

Every link of a graph takes one cycle; its length only decides which paths are
shortest. Packets take virtual channel i on their i-th link between switches, so that no
circle of packets can wait for each other (Günther 1981, buffer classes by hops); there
are as many channels as the longest route has such links.
"""

from __future__ import annotations

import numpy as np

from ...instances import Graph, InputError, Tree
from ...instances.arrays.graphs import weighted_rows
from ...solvers.running.kernels import kernel
from .layout import DRAWN, GRAPH, LOWEST, TABLE, VALIANT, Ints, Routes
from .nets import NO_TABLE, NetworkPlan

MOST_DISTANCES = 2**24
ROUTINGS = {"minimal": LOWEST, "drawn": DRAWN, "valiant": VALIANT}


@kernel
def longest(order: Ints, away: Ints, links: Ints, first: Ints, most: Ints) -> None:
    """Find the most links that any shortest path from each vertex has.

    Parameters
    ----------
    order
        Vertices in increasing order of distance from the goal.
    away
        Distances from the goal.
    links
        Rows: begin, end, length; sorted by begin.
    first
        Where the links of a vertex begin.
    most
        Receives the numbers.
    """
    for v in order:
        found = 0
        for i in range(first[v], first[v + 1]):
            u = links[i, 1]
            if away[u] + links[i, 2] == away[v]:
                found = max(found, most[u] + 1)
        most[v] = found


@kernel
def lowest_ports(away: Ints, links: Ints, first: Ints, ports: Ints) -> None:
    """Find the first link of a shortest path from every vertex to every goal.

    Parameters
    ----------
    away
        Distances of the vertices, one row per goal.
    links, first
        See `longest`.
    ports
        Receives the numbers of the links among those of their vertex.
    """
    for row in range(len(away)):
        for v in range(len(first) - 1):
            for i in range(first[v], first[v + 1]):
                if away[row, links[i, 1]] + links[i, 2] == away[row, v]:
                    ports[row, v] = i - first[v]
                    break


@kernel
def follow(table: Ints, links: Ints, first: Ints, home: Ints, found: Ints) -> int:
    """Follow a table of ports from every processor to every other.

    Parameters
    ----------
    table
        Port to take at a vertex towards a processor, or -1, shape (processors,
        vertices).
    links, first, home
        See `longest` and `Routes`.
    found
        Receives sender, receiver and vertex at which the first bad route breaks off, or
        has gone round in a circle.

    Returns
    -------
    int
        The longest route in links, or -1 if there is a bad one.
    """
    most = 0
    for p in range(len(home)):
        for q in range(len(home)):
            v = home[p]
            hops = 0
            while v != home[q]:
                port = table[q, v]
                if port < 0 or hops >= len(first):
                    found[0], found[1], found[2] = p, q, v
                    return -1
                v = links[first[v] + port, 1]
                hops += 1
            most = max(most, hops)
    return most


def graph_plan(
    graph: Graph | Tree, routing: str, table: np.ndarray | None = None
) -> NetworkPlan:
    """Lay out a graph or a tree and its routes.

    Parameters
    ----------
    graph
        Network; the edges of a tree count as one link each.
    routing
        ``minimal`` (of shortest paths the one by the neighbours of lowest number),
        ``drawn`` (any shortest path, drawn per packet and hop) or ``valiant`` (a
        shortest path to a switch drawn per packet, and from there; Valiant and Brebner
        1981).
    table
        Instead of these, the neighbour to which a node passes a packet for a processor,
        shape (processors, nodes); -1 where no such packet comes.

    Raises
    ------
    InputError
        If the routing is not known, a pair has no route, or the tables grow too large.
    """
    nodes, edges = _edges(graph)
    if table is None and routing not in ROUTINGS:
        raise InputError(f"must be one of {', '.join(ROUTINGS)}", "routing", routing)
    both = np.concatenate([edges, edges[:, [1, 0, 2]]])
    links = both[np.lexsort((both[:, 1], both[:, 0]))]
    degree = np.bincount(links[:, 0], minlength=nodes)
    first = np.concatenate([[0], np.cumsum(degree)]).astype(np.int64)
    home = np.array(graph.processors, np.int64)
    host = np.zeros(nodes, np.bool_)
    host[home] = degree[home] == 1
    switches = np.flatnonzero(~host)
    way = TABLE if table is not None else ROUTINGS[routing]
    goals = home
    if way == VALIANT:
        if not len(switches):
            way = LOWEST
        goals = np.unique(np.concatenate([home, switches]))
    if len(goals) * nodes > MOST_DISTANCES:
        raise InputError(
            f"the tables of routes would have more than {MOST_DISTANCES} entries",
            "topology",
            len(goals) * nodes,
        )
    row = np.full(nodes, -1, np.int64)
    row[goals] = np.arange(len(goals))
    if table is not None:
        away = _ports(table, links, first, len(home))
        found = np.zeros(3, np.int64)
        hops = int(follow(away, links, first, home, found))
        if hops < 0:
            p, q, v = found.tolist()
            stuck: tuple[object, ...] = p, q, v
            if graph.graph and graph.graph.names:
                names = graph.graph.names
                stuck = tuple(names[node] for node in (home[p], home[q], v))
            raise InputError(
                "processor {} has no route to {}: packets do not get past node "
                "{}".format(*stuck),
                "table",
            )
    else:
        away = _distances(goals, links, nodes)
        most = np.zeros((len(goals), nodes), np.int64)
        for i in range(len(goals)):
            order = np.argsort(away[i], kind="stable")
            longest(order, away[i], links, first, most[i])
        hops = int(most[row[home]][:, home].max())
        if way == VALIANT:
            one = int(most[row[switches]][:, home].max())
            hops = one + int(most[row[home]][:, switches].max())
    if way == LOWEST:
        lowest = np.full((len(goals), nodes), -1, np.int64)
        lowest_ports(away, links, first, lowest)
        away, way = lowest, TABLE
    if host[home].all():
        hops -= 2  # the first and the last link need no further channels
    lanes = np.full(len(links), max(1, hops), np.int64)
    lanes[host[links[:, 0]]] = 1
    lanes[host[links[:, 1]]] = 0
    routes = Routes(
        kind=GRAPH,
        way=way,
        radix=0,
        home=home,
        first=first,
        out=np.arange(len(links)),
        ends=links[:, 1:].copy(),
        at=NO_TABLE,
        sides=NO_TABLE,
        row=row,
        away=away,
        middles=switches,
    )
    return NetworkPlan(
        routes=routes,
        links=links,
        lanes=lanes,
        traits=np.zeros((nodes, 2), np.int64),
        channels=[("link", links[:, :2].copy())],
        name_of=lambda v: f"node {v}",
        hosts=host[links[:, 0]],
    )


def _edges(graph: Graph | Tree) -> tuple[int, Ints]:
    """Return the number of nodes, and two nodes and a length per edge."""
    if tree := graph.tree:
        rows = [(up, v, 1) for v, up in enumerate(tree.parent) if up >= 0]
    else:
        assert graph.graph
        rows = list(graph.graph.edges)
    return graph.nodes, np.array(rows, np.int64).reshape(-1, 3)


def _distances(goals: Ints, links: Ints, nodes: int) -> Ints:
    """Return the distances from some vertices, one row each."""
    if not len(links):
        return np.zeros((len(goals), nodes), np.int64)
    return weighted_rows(goals, links, nodes)


def _ports(table: np.ndarray, links: Ints, first: Ints, processors: int) -> Ints:
    """Return the ports to the neighbours in a table."""
    nodes = len(first) - 1
    given = np.asarray(table)
    if given.shape != (processors, nodes) or given.dtype.kind not in "iu":
        raise InputError(
            f"must be integers of shape {(processors, nodes)}", "table", given.shape
        )
    ports = np.full(given.shape, -1, np.int64)
    for v in range(nodes):
        neighbours = links[first[v] : first[v + 1], 1]
        wanted = given[:, v]
        at = np.searchsorted(neighbours, wanted)
        known = at < len(neighbours)
        known[known] = neighbours[at[known]] == wanted[known]
        bad = np.flatnonzero(~known & (wanted >= 0))
        if len(bad):
            raise InputError(
                f"must be a neighbour of node {v}",
                f"table[{bad[0]}][{v}]",
                int(wanted[bad[0]]),
            )
        ports[known, v] = at[known]
    return ports
