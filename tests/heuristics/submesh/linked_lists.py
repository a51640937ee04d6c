"""Interval sets and scan sets: the ordered linked lists of Morgenstern 1994, 3.1.

Both count the nodes that are touched: one whenever a pointer is followed to a node.
Making a node, or going back to the one just left, costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

Interval = tuple[int, int]


@dataclass(slots=True)
class Tally:
    """What is counted, shared by the sets of one allocator."""

    touched: int = 0


@dataclass(slots=True, eq=False)
class _Node:
    low: int
    high: int
    next: _Node | None = None


class IntervalSet:
    """Disjoint intervals of integers, no two of them adjacent, in order.

    >>> row = IntervalSet()
    >>> row.add(0, 3); row.add(7, 8); row.add(4, 6)
    >>> list(row)
    [(0, 8)]
    >>> row.delete(2, 3); list(row)
    [(0, 1), (4, 8)]
    """

    def __init__(self, tally: Tally | None = None) -> None:
        self._head: _Node | None = None
        self._tally = tally if tally is not None else Tally()

    def __bool__(self) -> bool:
        return self._head is not None

    def __iter__(self) -> Iterator[Interval]:
        """Go through the intervals; every one is a node touched."""
        node = self._head
        while node is not None:
            self._tally.touched += 1
            yield node.low, node.high
            node = node.next

    def _first_ending_from(self, low: int) -> tuple[_Node | None, _Node | None]:
        """Return the first node that ends at low or later, and the one before it."""
        before, node = None, self._head
        while node is not None:
            self._tally.touched += 1
            if node.high >= low:
                break
            before, node = node, node.next
        return before, node

    def add(self, low: int, high: int) -> None:
        """Add an interval; it is joined to those adjacent to it.

        Raises
        ------
        ValueError
            When it meets an interval of the set, or is turned inside out.
        """
        if low > high:
            raise ValueError(f"[{low}, {high}] is turned inside out.")
        before, node = self._first_ending_from(low - 1)
        if node is not None and node.low <= high and node.high >= low:
            raise ValueError(f"[{low}, {high}] meets [{node.low}, {node.high}].")
        if node is not None and node.high == low - 1:
            after = node.next
            if after is not None:
                self._tally.touched += 1
                if after.low <= high:
                    raise ValueError(f"[{low}, {high}] meets what is there.")
            node.high = high
            if after is not None and after.low == high + 1:
                node.high, node.next = after.high, after.next
        elif node is not None and node.low == high + 1:
            node.low = low
        else:
            self._link(before, _Node(low, high, node))

    def delete(self, low: int, high: int) -> None:
        """Take away an interval that lies in one of the set.

        Raises
        ------
        ValueError
            When it does not.
        """
        before, node = self._first_ending_from(low)
        if node is None or not node.low <= low <= high <= node.high:
            raise ValueError(f"[{low}, {high}] is not in the set.")
        if node.low < low:
            if high < node.high:
                node.next = _Node(high + 1, node.high, node.next)
            node.high = low - 1
        elif high < node.high:
            node.low = high + 1
        else:
            self._link(before, node.next)

    def _link(self, before: _Node | None, node: _Node | None) -> None:
        if before is None:
            self._head = node
        else:
            before.next = node


@dataclass(slots=True, eq=False)
class _Element:
    low: int
    high: int
    count: int
    next: _Element | None = None


class ScanSet:
    """How many of the intervals that were added cover each part of a line.

    Elements ([a, b], p) follow one another without a gap; neighbours differ in p.

    >>> line, row = ScanSet(15), IntervalSet()
    >>> row.add(0, 8); row.add(10, 13)
    >>> line.add_interval_set(row)
    >>> list(line)
    [((0, 8), 1), ((9, 9), 0), ((10, 13), 1), ((14, 14), 0)]
    >>> line.open_interval(1), line.open_interval(2)
    (9, -1)
    """

    def __init__(self, width: int, tally: Tally | None = None) -> None:
        self._head = _Element(0, width - 1, 0)
        self._tally = tally if tally is not None else Tally()

    def __iter__(self) -> Iterator[tuple[Interval, int]]:
        """Go through the elements, without counting."""
        node: _Element | None = self._head
        while node is not None:
            yield (node.low, node.high), node.count
            node = node.next

    def open_interval(self, x: int) -> int:
        """Return where the leftmost part of length x or more begins that none covers.

        -1 if there is none.
        """
        node: _Element | None = self._head
        while node is not None:
            self._tally.touched += 1
            if node.count == 0 and node.high - node.low + 1 >= x:
                return node.low
            node = node.next
        return -1

    def add_interval_set(self, intervals: IntervalSet) -> None:
        """Count every interval of a set once more, in one walk along both lists."""
        self._change(intervals, 1)

    def delete_interval_set(self, intervals: IntervalSet) -> None:
        """Count every interval of a set once less; each must have been added."""
        self._change(intervals, -1)

    def _change(self, intervals: IntervalSet, by: int) -> None:
        before: _Element | None = None
        node: _Element | None = None
        for low, high in intervals:
            if node is None:
                self._tally.touched += 1
                node = self._head
            while node.high < low:
                before, node = node, self._step(node)
            if node.low < low:
                node.next = _Element(low, node.high, node.count, node.next)
                node.high = low - 1
                before, node = node, node.next
            while True:
                if node.high > high:
                    node.next = _Element(high + 1, node.high, node.count, node.next)
                    node.high = high
                node.count += by
                if before is not None and before.count == node.count:
                    before.high, before.next = node.high, node.next
                    node = before
                else:
                    before = node
                if node.next is None:
                    break
                after = self._step(node)
                if node.high == high:
                    if after.count == node.count:
                        node.high, node.next = after.high, after.next
                    else:
                        node = after
                    break
                node = after

    def _step(self, node: _Element) -> _Element:
        """Follow the pointer of an element that is not the last."""
        self._tally.touched += 1
        assert node.next is not None
        return node.next
