"""Kernels of the dynamic programme over trees; see ``tree_dp``.

Nodes are numbered breadth first, so that parents come before children and
children of one node are neighbours. A *bunch* is what hangs from a node without
branching: its own processor and the subtrees that hold a single one. A *path*
runs from a node down the child with most free processors at each step; other
children start paths of their own. Along a path, from the bottom up, one table
after the other is merged in: a bunch, or the finished table of a lighter path.

Entry c - lowest of a table is the least cost of its edges when c processors are
chosen among its own. Of s processors at least k - (n - s) and at most k are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

BUNCH, PATH = 0, 1
"""What a step merges in."""
AT, STEP, SIDE = 0, 1, 2
"""Where a run stands: path or group, step, and which buffer holds the table."""
DONE, AGAIN, LONG = 0, 1, 2
"""Why `descend` came back: all is chosen, its work is used up, a long path is next."""
FAR = 2**62


class Plan(NamedTuple):
    """What to merge, in which order."""

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


@njit(cache=True)
def lowest(n: int, k: int, size: int) -> int:
    """Return the least number that some of the processors must contribute."""
    return max(0, k - (n - size))


@njit(cache=True)
def entries(n: int, k: int, size: int) -> int:
    """Return the length of a table."""
    return min(size, k) - max(0, k - (n - size)) + 1


@njit(cache=True)
def _same(keys: Ints, a: int, b: int, length: int) -> bool:
    return bool(np.all(keys[a : a + length] == keys[b : b + length]))


@njit(cache=True)
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
) -> Plan:
    """List the steps of all paths; give paths with equal steps a common group.

    Parameters
    ----------
    up, weight, size
        Parent, weight of the edge to it, and free processors of every node.
    child
        Where the children of a node begin, shape (nodes + 1,).
    bunch, member
        As in `Plan`.
    away
        Distance of every processor from the node its bunch hangs from.
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
        mixed = 0
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
            mixed = ((mixed ^ keys[i]) * 1099511628211) & 0xFFFFFFFFFFFF
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
    return Plan(
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


@njit(cache=True)
def _operand(plan: Plan, pool: Ints, step: int) -> tuple[Ints, int]:
    """Return the table that a step merges in, and its number of processors."""
    if plan.kind[step] == BUNCH:
        u = plan.operand[step]
        begin, size = plan.bunch[u] + u, plan.bunch[u + 1] - plan.bunch[u]
        least = lowest(plan.n, plan.k, size)
        return plan.price[begin + least : begin + min(size, plan.k) + 1], size
    path = plan.operand[step]
    begin = plan.table[plan.group[path]]
    size = plan.size[path]
    return pool[begin : begin + entries(plan.n, plan.k, size)], size


@njit(cache=True)
def _merge(a: Ints, b: Ints, shift: int, out: Ints) -> None:
    """Set out[t] to the least a[i] + b[j] with i + j = t + shift."""
    out[:] = FAR
    if len(b) > len(a):
        a, b = b, a
    for j in range(len(b)):
        begin = max(0, shift - j)
        count = min(len(a) - begin, len(out) - (begin + j - shift))
        if count <= 0:
            continue
        source = a[begin : begin + count]
        target = out[begin + j - shift : begin + j - shift + count]
        extra = b[j]
        for t in range(count):
            target[t] = min(target[t], source[t] + extra)


@njit(cache=True)
def run(
    plan: Plan,
    pool: Ints,
    buffer: Ints,
    kept: Ints,
    origin: int,
    state: Ints,
    stop: int,
    work: int,
) -> int:
    """Take the steps up to ``stop`` while work is left; return what is left.

    Parameters
    ----------
    pool
        Finished tables of groups.
    buffer
        Two tables, shape (2, k + 1); the current one is ``buffer[state[SIDE]]``.
    kept
        Where the table before each step is kept, from the step whose ``entry`` is
        ``origin``; of length 0 if they are not needed.
    work
        Sums to form, more or less.
    """
    n, k = plan.n, plan.k
    while state[STEP] < stop and work > 0:
        step = state[STEP]
        size = plan.before[step]
        old = buffer[state[SIDE], : entries(n, k, size)]
        state[SIDE] = 1 - state[SIDE]
        if len(kept):
            at = plan.entry[step] - origin
            kept[at : at + len(old)] = old
        other, added = _operand(plan, pool, step)
        least = lowest(n, k, size + added)
        new = buffer[state[SIDE], : entries(n, k, size + added)]
        shift = least - lowest(n, k, size) - lowest(n, k, added)
        _merge(old, other, shift, new)
        weight = plan.edge[step]
        if weight:
            for t in range(len(new)):
                new[t] += weight * (least + t) * (k - least - t)
        work -= len(new) + len(old) * len(other)
        state[STEP] += 1
    return work


@njit(cache=True)
def climb(plan: Plan, pool: Ints, buffer: Ints, state: Ints, work: int) -> bool:
    """Fill the tables of all groups but the last, the root's; True when done."""
    none = np.empty(0, dtype=np.int64)
    while state[AT] < len(plan.leader) - 1:
        path = plan.leader[state[AT]]
        if state[STEP] < 0:
            state[STEP] = plan.first[path]
            buffer[state[SIDE], 0] = 0
        work = run(plan, pool, buffer, none, 0, state, plan.stop[path], work)
        if state[STEP] < plan.stop[path]:
            return False
        begin, end = plan.table[state[AT]], plan.table[state[AT] + 1]
        pool[begin:end] = buffer[state[SIDE], : end - begin]
        state[AT] += 1
        state[STEP] = -1
    return True


@njit(cache=True)
def trace(
    plan: Plan,
    pool: Ints,
    kept: Ints,
    first: int,
    stop: int,
    count: int,
    need: Ints,
    picked: Flags,
) -> int:
    """Split a count among the operands of some steps; return what is left below.

    Needs the tables before these steps in ``kept``. Of equally cheap splits the
    one with least in the operand is taken.
    """
    n, k = plan.n, plan.k
    for step in range(stop - 1, first - 1, -1):
        size = plan.before[step]
        at = plan.entry[step] - plan.entry[first]
        old = kept[at : at + entries(n, k, size)]
        other, added = _operand(plan, pool, step)
        below, least = lowest(n, k, size), lowest(n, k, added)
        best, taken = FAR, -1
        for j in range(len(other)):
            i = count - least - j - below
            if 0 <= i < len(old) and old[i] + other[j] < best:
                best = old[i] + other[j]
                taken = least + j
        u = plan.operand[step]
        if plan.kind[step] == BUNCH:
            for i in range(plan.bunch[u], plan.bunch[u] + taken):
                picked[plan.member[i]] = True
        else:
            need[u] = taken
        count -= taken
    return count


@njit(cache=True)
def descend(
    plan: Plan,
    pool: Ints,
    buffer: Ints,
    kept: Ints,
    need: Ints,
    picked: Flags,
    state: Ints,
    work: int,
) -> int:
    """Turn the counts of paths into chosen processors, from the root down.

    Stops before a path whose tables do not fit in ``kept``.
    """
    while state[AT] < len(plan.first):
        path = state[AT]
        first, stop = plan.first[path], plan.stop[path]
        if need[path] == plan.size[path]:
            for step in range(first, stop):
                u = plan.operand[step]
                if plan.kind[step] == PATH:
                    need[u] = plan.size[u]
                else:
                    for i in range(plan.bunch[u], plan.bunch[u + 1]):
                        picked[plan.member[i]] = True
        elif need[path]:
            if plan.entry[stop] - plan.entry[first] > len(kept):
                return LONG
            if state[STEP] < 0:
                state[STEP] = first
                buffer[state[SIDE], 0] = 0
            origin = plan.entry[first]
            work = run(plan, pool, buffer, kept, origin, state, stop, work)
            if state[STEP] < stop:
                return AGAIN
            trace(plan, pool, kept, first, stop, need[path], need, picked)
        state[AT] += 1
        state[STEP] = -1
    return DONE
