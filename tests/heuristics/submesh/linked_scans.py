"""Interval set scans, as published: what they find, and how many nodes they touch.

`IntervalSetScan` and `FourWayScan` follow Morgenstern 1994, section 3, whose intervals
lie in ordered linked lists. A node is touched whenever a pointer leads to it; making
one, or going back to the one just left, costs nothing. Here the lists are derived from
sets and counts of cells, and what a walk along them touches is counted, not walked.
Tests compare both with ``heuristics.submesh.iss_arrays``, which walks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from closeknit.heuristics.submesh.allocator import SubmeshAllocator
from closeknit.instances.submesh import Box, box_at

Interval = tuple[int, int]


@dataclass
class Tally:
    """What is counted, shared by the sets of one allocator."""

    touched: int = 0


@dataclass
class IntervalSet:
    """Disjoint intervals of integers, no two of them adjacent: the runs of its cells.

    >>> row = IntervalSet()
    >>> row.add(0, 3); row.add(7, 8); row.add(4, 6); row.delete(2, 3)
    >>> row.intervals
    [(0, 1), (4, 8)]
    """

    tally: Tally = field(default_factory=Tally)
    cells: set[int] = field(default_factory=set)

    @property
    def intervals(self) -> list[Interval]:
        """Its intervals, in order."""
        numbered = enumerate(sorted(self.cells))
        runs = ([*run] for _, run in groupby(numbered, lambda one: one[1] - one[0]))
        return [(run[0][1], run[-1][1]) for run in runs]

    def _look_for(self, low: int) -> list[Interval]:
        """Touch the intervals up to the first that ends at low or later; return it.

        Those after it are returned, too.
        """
        every = self.intervals
        before = sum(high < low for _, high in every)
        self.tally.touched += min(before + 1, len(every))
        return every[before:]

    def add(self, low: int, high: int) -> None:
        """Add an interval that meets none; it is joined to those adjacent to it."""
        match self._look_for(low - 1):
            case [(_, end), _, *_] if end == low - 1:
                self.tally.touched += 1  # it may be joined to the next one as well
        self.cells.update(range(low, high + 1))

    def delete(self, low: int, high: int) -> None:
        """Take away an interval that lies in one of the set."""
        self._look_for(low)
        self.cells.difference_update(range(low, high + 1))


class ScanSet:
    """How many of the intervals that were added cover each part of a line.

    >>> line, row = ScanSet(15), IntervalSet()
    >>> row.add(0, 8); row.add(10, 13)
    >>> line.change(row, 1)
    >>> line.elements
    [((0, 8), 1), ((9, 9), 0), ((10, 13), 1), ((14, 14), 0)]
    >>> line.open_interval(1), line.open_interval(2)
    (9, -1)
    """

    def __init__(self, width: int, tally: Tally | None = None) -> None:
        self._covers = [0] * width
        self._tally = tally or Tally()

    @property
    def elements(self) -> list[tuple[Interval, int]]:
        """Parts that follow one another without a gap; neighbours differ in number."""
        parts = groupby(enumerate(self._covers), lambda one: one[1])
        runs = ((number, [cell for cell, _ in run]) for number, run in parts)
        return [((run[0], run[-1]), number) for number, run in runs]

    def open_interval(self, x: int) -> int:
        """Return where the leftmost part of length x or more begins that none covers.

        -1 if there is none.
        """
        for (low, high), number in self.elements:
            self._tally.touched += 1
            if number == 0 and high - low + 1 >= x:
                return low
        return -1

    def change(self, intervals: IntervalSet, by: int) -> None:
        """Count every interval of a set once more or less, in one walk along both.

        It touches the intervals, the elements up to the one that begins after the last
        of them, and what is left of an element that an interval ends within.
        """
        some = intervals.intervals
        if not some:
            return
        elements = [part for part, _ in self.elements]
        begun = sum(low <= some[-1][1] + 1 for low, _ in elements)
        cut = {high for _, high in some} - {high for _, high in elements}
        self._tally.touched += len(some) + begun + len(cut)
        for cell in intervals.cells:
            self._covers[cell] += by


Lines = Sequence[IntervalSet]


class Sweep:
    """A window of lines that goes over the mesh, and what is held in it.

    Parameters
    ----------
    entered, left
        For every line, the intervals that begin and that end there, in the direction
        of the sweep: base and reverse base sets, or the other way round.
    width
        Length of a line.
    extent
        Lines in the window.
    tally
        Counts the nodes touched.
    """

    def __init__(
        self, entered: Lines, left: Lines, width: int, extent: int, tally: Tally
    ) -> None:
        self._entered, self._left = entered, left
        self._extent = extent
        self.scan = ScanSet(width, tally)
        self.first = 0
        self._changed = True
        for line in entered[:extent]:
            self.scan.change(line, 1)

    def open_interval(self, length: int) -> int:
        """Return where a free part of the window begins; -1 if none is that long.

        Looked for again only after something was taken away: adding opens nothing.
        """
        if not self._changed:
            return -1
        self._changed = False
        return self.scan.open_interval(length)

    def advance(self) -> None:
        """Drop the first line of the window and add the next."""
        left = self._left[self.first]
        self._changed |= bool(left.cells)
        self.scan.change(left, -1)
        self.scan.change(self._entered[self.first + self._extent], 1)
        self.first += 1


class IntervalSetScan(SubmeshAllocator):
    """ISS: base and reverse base sets of every row, scanned from the top."""

    def __init__(self, shape: Sequence[int], *, rotate: bool = False) -> None:
        super().__init__(shape, rotate=rotate)
        self._tally = Tally()
        self.base, self.reverse, self.base_columns, self.reverse_columns = (
            [IntervalSet(self._tally) for _ in range(self.shape[axis])]
            for axis in (1, 1, 0, 0)
        )

    def _counted(self) -> None:
        self.steps += self._tally.touched
        self._tally.touched = 0

    def _search(self, size: tuple[int, ...]) -> Box | None:
        place = self._place(*size)
        self._counted()
        return None if place is None else box_at(place, size)

    def _place(self, x: int, y: int) -> tuple[int, int] | None:
        width, depth = self.shape
        sweep = Sweep(self.base, self.reverse, width, y, self._tally)
        for row in range(depth - y + 1):
            if row:
                sweep.advance()
            if (i := sweep.open_interval(x)) >= 0:
                return i, row
        return None

    def _take(self, box: Box) -> None:
        for line, low, high in self._edges(box):
            line.add(low, high)
        self._counted()

    def _give(self, box: Box) -> None:
        for line, low, high in self._edges(box):
            line.delete(low, high)
        self._counted()

    def _edges(self, box: Box) -> Iterable[tuple[IntervalSet, int, int]]:
        a, b, c, d = box
        return [(self.base[b], a, c), (self.reverse[d], a, c)]


class FourWayScan(IntervalSetScan):
    """4ISS: two sweeps from opposite edges in turn, along the longer side.

    A request at least as wide as deep is sought row by row from the top and from the
    bottom; a narrower one column by column from the left and from the right.
    """

    def _place(self, x: int, y: int) -> tuple[int, int] | None:
        width, depth = self.shape
        if x >= y:
            return self._between(self.base, self.reverse, width, x, y)
        found = self._between(self.base_columns, self.reverse_columns, depth, y, x)
        return None if found is None else (found[1], found[0])

    def _between(
        self, base: Lines, reverse: Lines, width: int, length: int, extent: int
    ) -> tuple[int, int] | None:
        """Sweep from both edges until every window was seen."""
        windows = len(base) - extent + 1
        ways = [(base, reverse), (reverse[::-1], base[::-1])]
        sweeps: list[Sweep] = []
        for number in range(windows):
            if number < 2:
                sweeps.append(Sweep(*ways[number], width, extent, self._tally))
            else:
                sweeps[number % 2].advance()
            sweep = sweeps[number % 2]
            if (i := sweep.open_interval(length)) >= 0:
                return i, windows - 1 - sweep.first if number % 2 else sweep.first
        return None

    def _edges(self, box: Box) -> Iterable[tuple[IntervalSet, int, int]]:
        a, b, c, d = box
        columns = [(self.base_columns[a], b, d), (self.reverse_columns[c], b, d)]
        return [*super()._edges(box), *columns]
