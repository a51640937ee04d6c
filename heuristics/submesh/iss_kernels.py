"""Kernels of the interval set scans; see ``iss_arrays``.

Linked lists in arrays, node by node as in Morgenstern 1994, 3.1: a pool of
nodes with LOW, HIGH, COUNT and NEXT; node 0 is no node. ``pool[NEXT, 0]`` is the first
node given back, ``pool[LOW, 0]`` the last ever made. A list is known by the index of
its head. Every function returns, or adds to ``tally[0]``, the nodes it touches exactly
where the plain lists count them.
"""

from __future__ import annotations

from ...instances import IntArray as Ints
from ...solvers.running.kernels import kernel

LOW, HIGH, NEXT, COUNT = 0, 1, 2, 3


@kernel
def _make(pool: Ints, low: int, high: int, follower: int) -> int:
    """Return a node, one given back if there is one."""
    node: int = pool[NEXT, 0]
    if node:
        pool[NEXT, 0] = pool[NEXT, node]
    else:
        pool[LOW, 0] += 1
        node = pool[LOW, 0]
    pool[LOW, node], pool[HIGH, node], pool[NEXT, node] = low, high, follower
    return node


@kernel
def _drop(pool: Ints, node: int) -> None:
    pool[NEXT, node] = pool[NEXT, 0]
    pool[NEXT, 0] = node


@kernel
def _link(heads: Ints, line: int, pool: Ints, before: int, node: int) -> None:
    if before:
        pool[NEXT, before] = node
    else:
        heads[line] = node


@kernel
def add(heads: Ints, line: int, pool: Ints, low: int, high: int) -> int:
    """Add an interval to the set of a line; returns the nodes touched."""
    touched = 0
    before, node = 0, heads[line]
    while node:
        touched += 1
        if pool[HIGH, node] >= low - 1:
            break
        before, node = node, pool[NEXT, node]
    if node and pool[HIGH, node] == low - 1:
        after = pool[NEXT, node]
        touched += after > 0
        pool[HIGH, node] = high
        if after and pool[LOW, after] == high + 1:
            pool[HIGH, node] = pool[HIGH, after]
            pool[NEXT, node] = pool[NEXT, after]
            _drop(pool, after)
    elif node and pool[LOW, node] == high + 1:
        pool[LOW, node] = low
    else:
        _link(heads, line, pool, before, _make(pool, low, high, node))
    return touched


@kernel
def delete(heads: Ints, line: int, pool: Ints, low: int, high: int) -> int:
    """Take an interval out of the set of a line; returns the nodes touched."""
    touched = 0
    before, node = 0, heads[line]
    while node:
        touched += 1
        if pool[HIGH, node] >= low:
            break
        before, node = node, pool[NEXT, node]
    if pool[LOW, node] < low:
        if high < pool[HIGH, node]:
            rest = _make(pool, high + 1, pool[HIGH, node], pool[NEXT, node])
            pool[NEXT, node] = rest
        pool[HIGH, node] = low - 1
    elif high < pool[HIGH, node]:
        pool[LOW, node] = high + 1
    else:
        _link(heads, line, pool, before, pool[NEXT, node])
        _drop(pool, node)
    return touched


@kernel
def note(heads: Ints, pool: Ints, box: Ints, four: bool) -> int:
    """Add a box to the sets: base and reverse base rows, then columns."""
    a, b, c, d = box[0], box[1], box[2], box[3]
    touched: int = add(heads[0], b, pool, a, c) + add(heads[1], d, pool, a, c)
    if four:
        touched += add(heads[2], a, pool, b, d) + add(heads[3], c, pool, b, d)
    return touched


@kernel
def forget(heads: Ints, pool: Ints, box: Ints, four: bool) -> int:
    """Take a box out of the sets."""
    a, b, c, d = box[0], box[1], box[2], box[3]
    touched: int = delete(heads[0], b, pool, a, c) + delete(heads[1], d, pool, a, c)
    if four:
        touched += delete(heads[2], a, pool, b, d) + delete(heads[3], c, pool, b, d)
    return touched


@kernel
def begin(scan: Ints, width: int) -> None:
    """Make a scan set of one element; its head always is node 1."""
    scan[LOW, 0] = scan[NEXT, 0] = 0
    scan[COUNT, _make(scan, 0, width - 1, 0)] = 0


@kernel
def change(pool: Ints, interval: int, scan: Ints, by: int) -> int:
    """Count the intervals of a set once more or once less; returns what it touches."""
    touched = 0
    before = node = 0
    while interval:
        low, high = pool[LOW, interval], pool[HIGH, interval]
        touched += 1
        interval = pool[NEXT, interval]
        if not node:
            touched += 1
            node = 1
        while scan[HIGH, node] < low:
            touched += 1
            before, node = node, scan[NEXT, node]
        if scan[LOW, node] < low:
            rest = _make(scan, low, scan[HIGH, node], scan[NEXT, node])
            scan[COUNT, rest] = scan[COUNT, node]
            scan[NEXT, node] = rest
            scan[HIGH, node] = low - 1
            before, node = node, rest
        while True:
            if scan[HIGH, node] > high:
                rest = _make(scan, high + 1, scan[HIGH, node], scan[NEXT, node])
                scan[COUNT, rest] = scan[COUNT, node]
                scan[NEXT, node] = rest
                scan[HIGH, node] = high
            scan[COUNT, node] += by
            if before and scan[COUNT, before] == scan[COUNT, node]:
                scan[HIGH, before] = scan[HIGH, node]
                scan[NEXT, before] = scan[NEXT, node]
                _drop(scan, node)
                node = before
            else:
                before = node
            after = scan[NEXT, node]
            if not after:
                break
            touched += 1
            if scan[HIGH, node] == high:
                if scan[COUNT, after] == scan[COUNT, node]:
                    scan[HIGH, node] = scan[HIGH, after]
                    scan[NEXT, node] = scan[NEXT, after]
                    _drop(scan, after)
                else:
                    node = after
                break
            node = after
    return touched


@kernel
def slide(pool: Ints, gone: int, come: int, scan: Ints) -> int:
    """Drop the intervals of one line, and count those of another, if there are any.

    Callers skip it where there are none at all: the call alone costs 8 ns.
    """
    touched = 0
    if gone:
        touched += change(pool, gone, scan, -1)
    if come:
        touched += change(pool, come, scan, 1)
    return touched


@kernel
def open_interval(scan: Ints, length: int, tally: Ints) -> int:
    """Return the leftmost free part of this length; -1 if there is none."""
    node, touched, found = 1, 0, -1
    while node:
        touched += 1
        if scan[COUNT, node] == 0 and scan[HIGH, node] - scan[LOW, node] + 1 >= length:
            found = scan[LOW, node]
            break
        node = scan[NEXT, node]
    tally[0] += touched
    return found


@kernel
def sweep(
    base: Ints,
    reverse: Ints,
    pool: Ints,
    scan: Ints,
    width: int,
    depth: int,
    length: int,
    extent: int,
    tally: Ints,
) -> tuple[int, int]:
    """Go over the mesh from its first line; returns where it is free, or (-1, -1)."""
    begin(scan, width)
    touched = 0
    for line in range(extent):
        if base[line]:
            touched += change(pool, base[line], scan, 1)
    found = open_interval(scan, length, tally)
    at = 0
    while found < 0 and at + extent < depth:
        if reverse[at] or base[at + extent]:
            touched += slide(pool, reverse[at], base[at + extent], scan)
        if reverse[at]:
            found = open_interval(scan, length, tally)
        at += 1
    tally[0] += touched
    return (found, at) if found >= 0 else (-1, -1)


@kernel
def sweep_from_both(
    base: Ints,
    reverse: Ints,
    pool: Ints,
    scan: Ints,
    other: Ints,
    width: int,
    depth: int,
    length: int,
    extent: int,
    tally: Ints,
) -> tuple[int, int]:
    """Go over the mesh from both edges in turn until every window was seen."""
    touched = 0
    found = line = -1
    up, down = 0, depth - extent
    for number in range(depth - extent + 1):
        if number % 2 == 0:
            fresh = True
            if number == 0:
                begin(scan, width)
                for at in range(extent):
                    if base[at]:
                        touched += change(pool, base[at], scan, 1)
            else:
                if reverse[up] or base[up + extent]:
                    touched += slide(pool, reverse[up], base[up + extent], scan)
                fresh = reverse[up] > 0
                up += 1
            if fresh:
                found, line = open_interval(scan, length, tally), up
        else:
            fresh = True
            if number == 1:
                begin(other, width)
                for at in range(depth - 1, depth - extent - 1, -1):
                    if reverse[at]:
                        touched += change(pool, reverse[at], other, 1)
            else:
                gone = base[down + extent - 1]
                if gone or reverse[down - 1]:
                    touched += slide(pool, gone, reverse[down - 1], other)
                fresh = gone > 0
                down -= 1
            if fresh:
                found, line = open_interval(other, length, tally), down
        if found >= 0:
            break
    tally[0] += touched
    return (found, line) if found >= 0 else (-1, -1)
