"""From the cables of a fabric to a hierarchy where its hops are those of a tree.

Hosts with the same neighbours form a group, usually those of one leaf switch. Fabrics
whose cables form a tree keep their switches; others of which the hops between hosts are
those of a tree, such as fat-trees with several spines, become that tree. Anything else
is a `Graph`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from ...instances import Graph, Tree, arrays
from ...instances.arrays.graphs import tree_of
from ...instances.words import with_noun
from .fabric import MOST_NODES, Cluster, Fabric, FabricKind, Hierarchy, Space
from .switch_trees import SourceFile

_LEAST_HOSTS = 3
"""Hosts below which any network is a tree."""

Links = Mapping[tuple[str, str], int]
"""Pairs of names, in order, and the line of the first cable between the two."""


def build_from_cables(
    source: str, links: Links, hosts: Sequence[str], where: SourceFile
) -> Cluster:
    """Build a cluster from cables; one fabric for each connected part with hosts.

    Raises InputError if there are no hosts, or a fabric is too large for a graph.
    """
    if not hosts:
        where.fail(0, "has no hosts")
    if len(hosts) > MOST_NODES:
        where.fail(0, f"has more than {MOST_NODES} nodes")
    near: dict[str, list[str]] = {name: [] for name in hosts}
    for a, b in links:
        near.setdefault(a, []).append(b)
        near.setdefault(b, []).append(a)
    is_host = set(hosts)
    seen: set[str] = set()
    fabrics: list[Fabric] = []
    for begin in hosts:
        if begin in seen:
            continue
        part = [begin]
        seen.add(begin)
        for name in part:
            fresh = [other for other in near[name] if other not in seen]
            seen.update(fresh)
            part.extend(fresh)
        fabrics.append(_fabric(part, near, is_host))
    fabrics.sort(key=lambda fabric: -len(fabric.nodes))
    return Cluster(source, tuple(fabrics))


def _fabric(
    part: list[str], near: Mapping[str, list[str]], is_host: set[str]
) -> Fabric:
    number = {name: i for i, name in enumerate(part)}
    pairs = sorted(
        {
            (min(number[a], number[b]), max(number[a], number[b]))
            for a in part
            for b in near[a]
        }
    )
    hosts = [number[name] for name in part if name in is_host]
    if len(pairs) == len(part) - 1 and (tree := _tree(part, near, is_host)):
        return tree
    edges = tuple((a, b, 1) for a, b in pairs)
    graph = Graph(len(part), edges, tuple(hosts), names=tuple(part))
    if tree := _tree_of_hops(graph, part, near):
        return tree
    switches = len(part) - len(hosts)
    groups = {tuple(sorted(near[part[v]])) for v in hosts}
    words = (
        f"graph of {with_noun(switches, 'switch')}, {with_noun(len(groups), 'group')}"
    )
    words += " of hosts with the same switches"
    names = tuple(part[v] for v in hosts)
    return Space(FabricKind.GRAPH, names, graph, tuple((v,) for v in hosts), words)


def _tree(
    part: list[str], near: Mapping[str, list[str]], is_host: set[str]
) -> Hierarchy | None:
    """Hang a tree of cables at a switch in its middle; None if a host has two links."""
    switches = [name for name in part if name not in is_host]
    if not switches or any(len(near[name]) != 1 for name in part if name in is_host):
        return None
    inner = {v: [w for w in near[v] if w not in is_host] for v in switches}
    degree = {v: len(ws) for v, ws in inner.items()}
    shell = [v for v in switches if degree[v] <= 1]
    for v in shell:  # peel leaves; the last one is in the middle
        for w in inner[v]:
            degree[w] -= 1
            if degree[w] == 1:
                shell.append(w)
    order, up = [shell[-1]], {shell[-1]: -1}
    waiting = [shell[-1]]
    order = []
    while waiting:
        v = waiting.pop()
        order.append(v)
        children = [w for w in inner[v] if w not in up]
        up.update(dict.fromkeys(children, len(order) - 1))
        waiting.extend(reversed(children))
    place = {v: i for i, v in enumerate(order)}
    nodes = [name for name in part if name in is_host]
    return _kept(
        nodes,
        [place[near[name][0]] for name in nodes],
        order,
        [up[v] for v in order],
        [2] * len(order),
        FabricKind.TREE,
        part,
    )


def _tree_of_hops(
    graph: Graph, part: list[str], near: Mapping[str, list[str]]
) -> Hierarchy | None:
    """Return the tree whose hops between hosts are those of the graph, if there is one.

    The last half hops of a host's edge are the node's own; what is left is a domain.
    """
    hosts = list(graph.processors)
    found = tree_of(arrays.table(graph)[:, hosts])
    if found is None or len(hosts) < _LEAST_HOSTS:
        return None
    leaf = list(found[3])
    order, parent, weight = _hung(found[0], found[1])
    place = {v: i for i, v in enumerate(order)}
    guests, inside = Counter(leaf), set(parent)
    home = []
    for v in map(place.__getitem__, leaf):
        if guests[order[v]] != 1 or v in inside or weight[v] < 2:
            return None
        home.append(parent[v] if weight[v] == 2 else v)
        weight[v] -= 2
    names = [""] * len(parent)
    for v, host in zip(home, hosts, strict=True):
        names[v] = "+".join(sorted(near[part[host]]))
    for upper, v in enumerate((v for v, name in enumerate(names) if not name), 1):
        names[v] = f"upper-{upper}"
    named = [part[v] for v in hosts]
    return _kept(named, home, names, parent, weight, FabricKind.GRAPH, part)


def _hung(
    up: Sequence[int], weights: Sequence[int]
) -> tuple[list[int], list[int], list[int]]:
    """Hang a tree at the middle of a longest path: order, parents and weights."""
    near: list[list[tuple[int, int]]] = [[] for _ in up]
    for v, (u, weight) in enumerate(zip(up, weights, strict=True)):
        if u >= 0:
            near[u].append((v, weight))
            near[v].append((u, weight))

    def walk(root: int) -> tuple[list[int], dict[int, int], dict[int, int]]:
        order, before, away = [], {root: -1}, {root: 0}
        waiting = [root]
        while waiting:
            v = waiting.pop()
            order.append(v)
            for w, weight in reversed(near[v]):
                if w not in before:
                    before[w], away[w] = v, away[v] + weight
                    waiting.append(w)
        return order, before, away

    _, _, away = walk(0)
    end = max(away, key=lambda v: away[v])
    _, before, away = walk(end)
    far = max(away, key=lambda v: away[v])
    path = [far]
    while path[-1] != end:
        path.append(before[path[-1]])
    middle = min(path[1:-1] or path, key=lambda v: abs(2 * away[v] - away[far]))
    order, before, away = walk(middle)
    place = {v: i for i, v in enumerate(order)}
    parent = [place.get(before[v], -1) for v in order]
    below = [away[v] - away[before[v]] if before[v] >= 0 else 0 for v in order]
    return order, parent, below


def _kept(
    nodes: list[str],
    home: list[int],
    names: list[str],
    parent: list[int],
    weight: list[int],
    kind: FabricKind,
    part: list[str],
) -> Hierarchy:
    occupied = set(home)
    for v in range(len(parent) - 1, 0, -1):
        if v in occupied:
            occupied.add(parent[v])
    occupied.add(0)
    kept = [v for v in range(len(parent)) if v in occupied]
    place = {v: i for i, v in enumerate(kept)}
    known = [one for v in kept for one in (names[v], *names[v].split("+"))]
    order = sorted(range(len(nodes)), key=lambda i: (home[i], nodes[i]))
    return Hierarchy(
        kind,
        tuple(nodes[i] for i in order),
        np.array([place[home[i]] for i in order], dtype=np.int64),
        tuple(names[v] for v in kept),
        np.array([place.get(parent[v], -1) for v in kept], dtype=np.int64),
        np.array([weight[v] for v in kept], dtype=np.int64),
        ("switch",),
        others=frozenset(part).difference(nodes, known),
    )


def tree_topology(fabric: Hierarchy) -> Tree:
    """Return a hierarchy as a `Tree` with twice its hops; nodes come after domains."""
    domains = len(fabric.parent)
    nodes = len(fabric.nodes)
    return Tree(
        (*fabric.parent.tolist(), *fabric.home.tolist()),
        (*fabric.weight.tolist(), *[2] * nodes),
        tuple(range(domains, domains + nodes)),
    )
