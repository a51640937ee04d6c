"""Kernels of the exact selection on hierarchies; see ``program``.

A table holds, for every number of segments, the least cost of choosing that many below
a domain. Costs are one integer: the parts of the objective, each times a factor that
exceeds all that follows, so that the order of integers is the lexicographic one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...solvers.running.kernels import kernel

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

FAR = 2**61
"""The cost of what cannot be; two of them do not overflow."""
AT, USED, NEXT = 0, 1, 2
"""In the state of a run: the next event, the entries kept so far, and where a merge
that was begun goes on, or -1."""


class Shape(NamedTuple):
    """What does not depend on the request."""

    event: Ints  # (2 domains,) v opens a domain, ~v closes it; depth first
    parent: Ints  # (domains,)
    depth: Ints  # (domains,)


class Costs(NamedTuple):
    """What a request makes of a hierarchy; counts are segments of ``size`` nodes.

    Segments come in a table at the place of their number. If the last one is smaller,
    ``stride`` is 3, and they come at three times that number, and one more if the last
    one is there, too. Then ``length`` and ``more`` have room for that.
    """

    k: int  # the place of all
    size: int
    stride: int  # 1 or 3
    last: int  # nodes of the last one; 0 if it is a smaller group of whole segments
    length: Ints  # (domains,) of the table of a domain itself
    room: Ints  # (domains,) segments that fit at a domain itself
    more: Ints  # (domains,) those next to the last one; -1 if that does not fit
    most: Ints  # (domains,) length that a table may have in the end
    need: Ints  # (domains,) segments that required nodes there take
    own: Ints  # (domains,) cost of taking any node at a domain itself
    open: Ints  # (domains,) cost of taking any node below
    linear: Ints  # (domains,) cost of each node below
    square: Ints  # (domains,) cost of the square of their number; below 0 in places
    unit: Ints  # (domains,) segments below come in multiples of it
    odd: Ints  # (domains,) what is left of them with the last group; -1: it begins here
    free: Ints  # (domains,) free nodes below
    rest: Ints  # (domains,) cost of the pairs of those that stay free and others
    left: int  # nodes that stay free
    ready: Ints  # (domains,) nodes at a domain itself that cost nothing more
    beyond: int  # cost of each further one


class DomainTables(NamedTuple):
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
    unit, price = costs.unit[v], costs.open[v]
    linear, square = costs.linear[v], costs.square[v]
    free, rest, left = costs.free[v], costs.rest[v], costs.left
    for i in range(len(table)):
        c = i * costs.size
        if table[i] >= FAR or i % unit:
            table[i] = FAR
            continue
        if rest:
            stay = free - c
            table[i] += rest * stay * (left - stay)
        if i:
            table[i] += price + c * (linear + c * square)


@kernel
def _close_with_last(costs: Costs, v: int, table: Ints) -> None:
    """Do so where the last segment or group is smaller.

    Whole groups stay, and with the last segment those with the last group. Where groups
    of whole segments begin to have a smaller last one, it is marked.
    """
    unit, odd, begins = costs.unit[v], costs.odd[v], False
    if odd < 0:
        odd, begins = -odd, True
    for t in range(len(table)):
        i, f = t // 3, t % 3
        if f == 1 and begins:
            table[t] = table[t - 1] if i % unit == odd else FAR
    for t in range(len(table)):
        i, f = t // 3, t % 3
        if f > 1 or table[t] >= FAR or i % unit != f * odd:
            table[t] = FAR
        elif t:
            c = i * costs.size + f * costs.last
            table[t] += costs.open[v] + c * (costs.linear[v] + c * costs.square[v])


@kernel
def _merge(a: Ints, b: Ints, out: Ints, begin: int, end: int) -> None:
    """Lower out[t] to a[i] + b[j] with i + j = t, for j from begin to end."""
    for j in range(begin, end):
        extra = b[j]
        if extra < FAR:
            source = a[: min(len(a), len(out) - j)]
            target = out[j : j + len(source)]
            for t in range(len(source)):
                target[t] = min(target[t], source[t] + extra)


@kernel
def _open(costs: Costs, tables: DomainTables, v: int, depth: int) -> None:
    """Begin the table of a domain with the nodes at the domain itself."""
    own, stride = costs.length[v], costs.stride
    tables.length[depth] = own
    table = tables.table[depth, :own]
    table[:] = costs.own[v]
    table[0] = 0
    if stride > 1:
        for t in range(1, own):
            if t % 3 > 1 or t // 3 > (costs.more[v] if t % 3 else costs.room[v]):
                table[t] = FAR
    if costs.beyond:
        for i in range(1, own):
            table[i] += costs.beyond * max(0, i * costs.size - costs.ready[v])
    table[: min(own, costs.need[v])] = FAR


@kernel
def _keep(tables: DomainTables, v: int, depth: int, k: int, at: int) -> int:
    """Keep the tables of a domain and of its parent, which begins again."""
    length = tables.length
    a = tables.table[depth - 1, : length[depth - 1]]
    b = tables.table[depth, : length[depth]]
    end = at + len(a) + len(b)
    tables.begin[v], tables.first[v], tables.second[v] = at, len(a), len(b)
    tables.kept[at : at + len(a)] = a
    tables.kept[at + len(a) : end] = b
    length[depth - 1] = min(len(a) + len(b) - 1, k + 1)
    tables.table[depth - 1, : length[depth - 1]] = FAR
    return end


@kernel
def fill(
    shape: Shape, costs: Costs, tables: DomainTables, state: Ints, work: int
) -> bool:
    """Take events while work is left, also parts of a merge; True at the end."""
    k = costs.k
    while state[AT] < len(shape.event):
        if work <= 0:
            return False
        v = shape.event[state[AT]]
        if v >= 0:
            _open(costs, tables, v, shape.depth[v])
            work -= tables.length[shape.depth[v]]
            state[AT] += 1
            continue
        v = ~v
        depth = shape.depth[v]
        if state[NEXT] < 0:
            tables.length[depth] = min(tables.length[depth], costs.most[v])
            table = tables.table[depth, : tables.length[depth]]
            if costs.stride > 1:
                _close_with_last(costs, v, table)
            else:
                _close(costs, v, table)
            tables.whole[v] = table[k] if len(table) > k else FAR
            work -= len(table)
            if not depth:
                state[AT] += 1
                continue
            state[USED] = _keep(tables, v, depth, k, state[USED])
            state[NEXT] = 0
        begin, first, second = tables.begin[v], tables.first[v], tables.second[v]
        a = tables.kept[begin : begin + first]
        b = tables.kept[begin + first : begin + first + second]
        if first < second:
            a, b = b, a
        j = state[NEXT]
        end = min(len(b), j + max(1, work // len(a)))
        _merge(a, b, tables.table[depth - 1, : tables.length[depth - 1]], j, end)
        work -= (end - j) * len(a)
        state[NEXT] = end
        if end == len(b):
            if costs.stride > 1:  # two last ones are none
                tables.table[depth - 1, 2 : tables.length[depth - 1] : 3] = FAR
            state[NEXT] = -1
            state[AT] += 1
    return True


@kernel
def trace(
    shape: Shape, costs: Costs, tables: DomainTables, top: int, taken: Ints
) -> None:
    """Split all segments below a domain; leave in ``taken`` those at domains.

    They are places in tables. Of equally cheap splits the one with fewest in the domain
    that is listed later.
    """
    taken[:] = 0
    for at in range(len(shape.event) - 1, -1, -1):
        v = ~shape.event[at]
        if v < 0:
            continue
        if v == top:
            taken[v] = costs.k
            if costs.stride > 1 and costs.odd[v] < 0:
                taken[v] -= 1
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
            taken[shape.parent[v]] = count - most
            taken[v] = most
            if costs.stride > 1 and costs.odd[v] < 0 and most % 3 == 1:
                taken[v] -= 1


@kernel
def entries(shape: Shape, own: Ints, most: Ints, k: int, length: Ints) -> int:
    """Return how many entries `fill` will keep."""
    total = 0
    for v in shape.event:
        if v >= 0:
            length[shape.depth[v]] = own[v]
        elif shape.depth[~v]:
            depth = shape.depth[~v]
            a, b = length[depth - 1], min(length[depth], most[~v])
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
