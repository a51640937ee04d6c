"""Kernels of the exact selection on hierarchies; see ``program``.

A table holds, for every number of segments, the least cost of choosing that many below
a domain. Costs are one integer: the parts of the objective, each times a factor that
exceeds all that follows, so that the order of integers is the lexicographic one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...solvers.kernels import kernel

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

FAR = 2**61
"""The cost of what cannot be; two of them do not overflow."""
AT, USED = 0, 1
"""In the state of a run: the next event, and the entries kept so far."""


class Shape(NamedTuple):
    """What does not depend on the request."""

    event: Ints  # (2 domains,) v opens a domain, ~v closes it; depth first
    parent: Ints  # (domains,)
    depth: Ints  # (domains,)


class Costs(NamedTuple):
    """What a request makes of a hierarchy; counts are segments of ``size`` nodes."""

    k: int
    size: int
    room: Ints  # (domains,) segments that fit at a domain itself
    need: Ints  # (domains,) segments that required nodes there take
    own: Ints  # (domains,) cost of taking any node at a domain itself
    open: Ints  # (domains,) cost of taking any node below
    edge: Ints  # (domains,) cost of the edge above, a half hop, times its weight
    spoil: Ints  # (domains,) cost of c (2 free - c), for c nodes taken below
    free: Ints  # (domains,) free nodes below
    unit: Ints  # (domains,) segments below come in multiples of it


class Tables(NamedTuple):
    """Tables of the domains that are open, and those that are needed again."""

    table: Ints  # (depths, k + 1)
    length: Ints  # (depths,)
    kept: Ints  # two tables for every domain that was closed
    begin: Ints  # (domains,) where these begin in ``kept``
    first: Ints  # (domains,) length of the first of them
    second: Ints  # (domains,) and of the second
    whole: Ints  # (domains,) least cost of all k segments below


@kernel
def _close(costs: Costs, v: int, table: Ints) -> None:
    """Add what a domain and the edge above it cost."""
    total = costs.k * costs.size
    unit, edge, price = costs.unit[v], costs.edge[v], costs.open[v]
    spoil, free = costs.spoil[v], 2 * costs.free[v]
    for i in range(len(table)):
        c = i * costs.size
        if table[i] >= FAR or i % unit:
            table[i] = FAR
        elif i:
            table[i] += price + edge * c * (total - c) + spoil * c * (free - c)


@kernel
def _merge(a: Ints, b: Ints, out: Ints) -> None:
    """Set out[t] to the least a[i] + b[j] with i + j = t."""
    out[:] = FAR
    if len(a) < len(b):
        a, b = b, a
    for j in range(len(b)):
        extra = b[j]
        if extra < FAR:
            source = a[: min(len(a), len(out) - j)]
            target = out[j : j + len(source)]
            for t in range(len(source)):
                target[t] = min(target[t], source[t] + extra)


@kernel
def fill(shape: Shape, costs: Costs, tables: Tables, state: Ints, work: int) -> bool:
    """Take events while work is left; True when all are taken."""
    k = costs.k
    table, length = tables.table, tables.length
    while state[AT] < len(shape.event):
        if work < 0:
            return False
        v = shape.event[state[AT]]
        state[AT] += 1
        if v >= 0:
            depth = shape.depth[v]
            own = min(costs.room[v], k) + 1
            length[depth] = own
            table[depth, :own] = costs.own[v]
            table[depth, 0] = 0
            table[depth, : min(own, costs.need[v])] = FAR
            work -= own
            continue
        v = ~v
        depth = shape.depth[v]
        b = table[depth, : length[depth]]
        _close(costs, v, b)
        tables.whole[v] = b[k] if len(b) > k else FAR
        work -= len(b)
        if depth:
            a = table[depth - 1, : length[depth - 1]]
            at = tables.begin[v] = state[USED]
            tables.first[v], tables.second[v] = len(a), len(b)
            kept = tables.kept[at : at + len(a) + len(b)]
            kept[: len(a)] = a
            kept[len(a) :] = b
            state[USED] += len(kept)
            length[depth - 1] = min(len(a) + len(b) - 1, k + 1)
            _merge(
                kept[: len(a)],
                kept[len(a) :],
                table[depth - 1, : length[depth - 1]],
            )
            work -= len(a) * len(b)
    return True


@kernel
def trace(shape: Shape, tables: Tables, top: int, k: int, taken: Ints) -> None:
    """Split k segments below a domain; leave in ``taken`` those at domains themselves.

    Of equally cheap splits the one with fewest in the domain that is listed later.
    """
    taken[:] = 0
    for at in range(len(shape.event) - 1, -1, -1):
        v = ~shape.event[at]
        if v < 0:
            continue
        if v == top:
            taken[v] = k
            continue
        if not shape.depth[v]:
            continue
        count = taken[shape.parent[v]]
        if count:
            begin, first = tables.begin[v], tables.first[v]
            best, most = FAR, 0
            for j in range(min(count + 1, tables.second[v])):
                if count - j < first:
                    cost = tables.kept[begin + count - j]
                    cost += tables.kept[begin + first + j]
                    if cost < best:
                        best, most = cost, j
            taken[v] = most
            taken[shape.parent[v]] = count - most


@kernel
def entries(shape: Shape, room: Ints, k: int, length: Ints) -> int:
    """Return how many entries `fill` will keep."""
    total = 0
    for v in shape.event:
        if v >= 0:
            length[shape.depth[v]] = min(room[v], k) + 1
        elif shape.depth[~v]:
            depth = shape.depth[~v]
            a, b = length[depth - 1], length[depth]
            total += a + b
            length[depth - 1] = min(a + b - 1, k + 1)
    return total


@kernel
def pick(
    member: Ints, home: Ints, free: Flags, wanted: Flags, count: Ints, picked: Flags
) -> None:
    """Pick nodes at every domain: those that are wanted, then free ones in order."""
    for i in member:
        if wanted[i]:
            picked[i] = True
            count[home[i]] -= 1
    for i in member:
        if free[i] and not picked[i] and count[home[i]] > 0:
            picked[i] = True
            count[home[i]] -= 1
