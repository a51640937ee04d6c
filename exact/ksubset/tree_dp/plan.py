"""What a tree tells before any table: counts, a choice, a bound, and what to merge.

Nodes are numbered breadth first, so that parents come before children and
children of one node are neighbours. A *bunch* is what hangs from a node without
branching: its own processor and the subtrees that hold a single one. A *path*
runs from a node down the child with most free processors at each step; other
children start paths of their own. Along a path, from the bottom up, one table
after the other is merged in: a bunch, or the finished table of a lighter path.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....solvers.running.kernels import kernel

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

BUNCH, PATH = 0, 1
"""What a step merges in."""


class MergePlan(NamedTuple):
    """The order in which tables are merged."""

    n: int
    k: int
    kind: Ints  # (steps,) BUNCH or PATH
    operand: Ints  # (steps,) a node or the number of a path
    edge: Ints  # (steps,) weight of the edges above, up to the next merge
    before: Ints  # (steps,) processors merged before, along the same path
    entry: Ints  # (steps + 1,) entries of the tables before the steps, summed up
    first: Ints  # (paths,) first step
    stop: Ints  # (paths,) the step after the last
    size: Ints  # (paths,) free processors
    group: Ints  # (paths,) equal for paths with equal tables
    leader: Ints  # (groups,) the path that a group's table is computed for
    table: Ints  # (groups + 1,) where the tables of groups begin
    bunch: Ints  # (nodes + 1,) where the processors of a bunch begin in ``member``
    member: Ints  # (n,) processors by bunch, nearest first
    price: Ints  # (n + nodes,) tables of the bunches; node u's begins at bunch[u] + u


@kernel
def gather(
    up: Ints, weight: Ints, node: Ints, size: Ints, home: Ints, away: Ints
) -> None:
    """Count the free processors below every node; find the bunch of each of them."""
    for u in node:
        size[u] += 1
    for v in range(len(up) - 1, 0, -1):
        size[up[v]] += size[v]
    for p in range(len(node)):
        u = node[p]
        while size[u] == 1:
            away[p] += weight[u]
            u = up[u]
        home[p] = u


@kernel
def choose_first(up: Ints, size: Ints, node: Ints, k: int, picked: Flags) -> None:
    """Choose the first k, depth first, below a deepest node that has k."""
    first = np.zeros(len(up), dtype=np.int64)
    taken = np.zeros(len(up), dtype=np.int64)
    for u in node:
        taken[u] += 1
    filled = taken.copy()
    taken[:] = 0
    begin = 0
    for v in range(len(up)):
        if v:
            first[v] = first[up[v]] + filled[up[v]]
            filled[up[v]] += size[v]
        if size[v] >= k:
            begin = first[v]  # breadth first: the last such node is a deepest one
    for p in range(len(node)):
        u = node[p]
        place = first[u] + taken[u]
        taken[u] += 1
        picked[p] = begin <= place < begin + k


@kernel
def secant(n: int, k: int, up: Ints, weight: Ints, size: Ints, node: Ints) -> int:
    """Bound the cost from below: every c (k - c) by its secant on [least, most].

    Of the processors below an edge at least k - (n - size) and at most k are chosen.
    """
    constant = 0
    slope = np.zeros(len(up), dtype=np.int64)
    for v in range(1, len(up)):
        least, most = max(0, k - (n - size[v])), min(size[v], k)
        constant += weight[v] * least * most
        slope[v] = slope[up[v]] + weight[v] * (k - least - most)
    each = slope[node]
    each.sort()
    return max(0, constant + int(each[:k].sum()))


@kernel
def entries(n: int, k: int, size: int) -> int:
    """Return the length of a table: of the counts that some processors can have."""
    return min(size, k) - max(0, k - (n - size)) + 1


@kernel
def _same(keys: Ints, a: int, b: int, length: int) -> bool:
    return bool(np.all(keys[a : a + length] == keys[b : b + length]))


# Over 120 lines: its parts share most local variables, which a split would pass on.
@kernel
def steps_of(
    n: int,
    k: int,
    up: Ints,
    weight: Ints,
    size: Ints,
    child: Ints,
    bunch: Ints,
    member: Ints,
    away: Ints,
) -> MergePlan:
    """List the steps of all paths; give paths with equal steps a common group.

    ``size`` counts free processors, ``child`` is where the children of a node begin,
    and ``away`` the distance of a processor from the node that its bunch hangs from.
    """
    nodes = len(up)
    price = np.zeros(n + nodes, dtype=np.int64)
    for u in range(nodes):
        for i in range(bunch[u], bunch[u + 1]):
            price[i + u + 1] = price[i + u] + (k - 1) * away[member[i]]
    heavy = np.full(nodes, -1, dtype=np.int64)
    for v in range(1, nodes):
        u = up[v]
        if size[v] > 1 and (heavy[u] < 0 or size[v] > size[heavy[u]]):
            heavy[u] = v
    number = np.full(nodes, -1, dtype=np.int64)
    paths = 0
    for v in range(nodes):
        if v == 0 or (size[v] > 1 and heavy[up[v]] != v):
            number[v] = paths
            paths += 1
    top = np.flatnonzero(number >= 0)
    capacity = nodes + paths
    kind = np.empty(capacity, dtype=np.int64)
    operand = np.empty(capacity, dtype=np.int64)
    edge = np.zeros(capacity, dtype=np.int64)
    before = np.empty(capacity, dtype=np.int64)
    entry = np.zeros(capacity + 1, dtype=np.int64)
    first = np.empty(paths, dtype=np.int64)
    stop = np.empty(paths, dtype=np.int64)
    group = np.empty(paths, dtype=np.int64)
    leader = np.empty(paths, dtype=np.int64)
    table = np.zeros(paths + 1, dtype=np.int64)
    keys = np.empty(3 * capacity + n, dtype=np.int64)
    key_of = np.zeros(paths + 1, dtype=np.int64)  # of groups, one after the other
    slots = 4
    while slots < 2 * paths:
        slots *= 2
    slot = np.full(slots, -1, dtype=np.int64)
    spine = np.empty(nodes, dtype=np.int64)
    others = np.empty(paths, dtype=np.int64)
    steps = groups = 0
    for path in range(paths - 1, -1, -1):  # lighter paths before what they join
        depth = 0
        u = top[path]
        while u >= 0:
            spine[depth] = u
            depth += 1
            u = heavy[u]
        first[path] = steps
        merged = 0
        for j in range(depth - 1, -1, -1):
            u = spine[j]
            joined = 0
            for v in range(child[u], child[u + 1]):
                if number[v] >= 0:
                    others[joined] = group[number[v]] * paths + number[v]
                    joined += 1
            others[:joined].sort()  # by group, so that equal nodes have equal steps
            for i in range(-1, joined):
                if i < 0:
                    kind[steps], operand[steps] = BUNCH, u
                    added = bunch[u + 1] - bunch[u]
                    if not added:
                        continue
                else:
                    kind[steps], operand[steps] = PATH, others[i] % paths
                    added = size[top[operand[steps]]]
                before[steps] = merged
                entry[steps + 1] = entry[steps] + entries(n, k, merged)
                merged += added
                steps += 1
            if merged < n:  # else the edge has all k on one side
                edge[steps - 1] += weight[u]
        stop[path] = steps
        at = end = key_of[groups]
        mixed = np.int64(0)
        for step in range(first[path], steps):
            if kind[step] == BUNCH:
                u = operand[step]
                keys[end] = bunch[u] - bunch[u + 1]
                for i in range(bunch[u], bunch[u + 1]):
                    end += 1
                    keys[end] = away[member[i]]
            else:
                keys[end] = group[operand[step]]
            keys[end + 1] = edge[step]
            end += 2
        for i in range(at, end):
            word = np.uint64(mixed ^ keys[i]) * np.uint64(1099511628211)
            mixed = np.int64(word & np.uint64(0xFFFFFFFFFFFF))
            mixed ^= mixed >> 21
        place = mixed % slots
        while slot[place] >= 0:
            other = slot[place]
            length = key_of[other + 1] - key_of[other]
            if length == end - at and _same(keys, key_of[other], at, length):
                break
            place = (place + 1) % slots
        if slot[place] < 0:
            slot[place] = groups
            leader[groups] = path
            table[groups + 1] = table[groups] + entries(n, k, size[top[path]])
            groups += 1
            key_of[groups] = end
        group[path] = slot[place]
    return MergePlan(
        n,
        k,
        kind[:steps].copy(),
        operand[:steps].copy(),
        edge[:steps].copy(),
        before[:steps].copy(),
        entry[: steps + 1].copy(),
        first,
        stop,
        size[top],
        group,
        leader[:groups].copy(),
        table[: groups + 1].copy(),
        bunch,
        member,
        price,
    )
