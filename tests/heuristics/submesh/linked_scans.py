"""Interval set scans, as published: linked lists, one row (or column) at a time.

`IntervalSetScan` and `FourWayScan` follow Morgenstern 1994, section 3, with objects.
Tests compare them with ``heuristics.submesh.iss_arrays``, which has the same lists in
arrays.
"""

from __future__ import annotations

from collections.abc import Sequence

from closeknit.heuristics.submesh.allocator import SubmeshAllocator
from closeknit.instances.submesh import Box, box_at

from .linked_lists import IntervalSet, ScanSet, Tally

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
    backward
        Whether it goes from the last line to the first.
    tally
        Counts the nodes touched.
    """

    def __init__(
        self,
        entered: Lines,
        left: Lines,
        width: int,
        extent: int,
        tally: Tally,
        *,
        backward: bool = False,
    ) -> None:
        self._entered, self._left = entered, left
        self._extent = extent
        self._backward = backward
        self.scan = ScanSet(width, tally)
        self._at = 0
        self._changed = True
        for line in range(extent):
            self.scan.add_interval_set(entered[self._line(line)])

    def _line(self, number: int) -> int:
        return len(self._entered) - 1 - number if self._backward else number

    @property
    def first(self) -> int:
        """The lowest line of the window."""
        return min(self._line(self._at), self._line(self._at + self._extent - 1))

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
        left = self._left[self._line(self._at)]
        entered = self._entered[self._line(self._at + self._extent)]
        self._changed |= bool(left)
        self.scan.delete_interval_set(left)
        self.scan.add_interval_set(entered)
        self._at += 1


class IntervalSetScan(SubmeshAllocator):
    """ISS: base and reverse base sets of every row, scanned from the top."""

    def __init__(
        self, shape: Sequence[int], *, rotate: bool = False, torus: bool = False
    ) -> None:
        super().__init__(shape, rotate=rotate, torus=torus)
        self._tally = Tally()
        self.base, self.reverse = self._sets(1), self._sets(1)

    def _sets(self, axis: int) -> list[IntervalSet]:
        return [IntervalSet(self._tally) for _ in range(self.shape[axis])]

    def _search(self, size: tuple[int, ...]) -> Box | None:
        before = self._tally.touched
        place = self._place(*size)
        self.steps += self._tally.touched - before
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
        before = self._tally.touched
        self._note(box)
        self.steps += self._tally.touched - before

    def _give(self, box: Box) -> None:
        before = self._tally.touched
        self._forget(box)
        self.steps += self._tally.touched - before

    def _note(self, box: Box) -> None:
        a, b, c, d = box
        self.base[b].add(a, c)
        self.reverse[d].add(a, c)

    def _forget(self, box: Box) -> None:
        a, b, c, d = box
        self.base[b].delete(a, c)
        self.reverse[d].delete(a, c)


class FourWayScan(IntervalSetScan):
    """4ISS: two sweeps from opposite edges in turn, along the longer side.

    A request at least as wide as deep is sought row by row from the top and from the
    bottom; a narrower one column by column from the left and from the right.
    """

    def __init__(
        self, shape: Sequence[int], *, rotate: bool = False, torus: bool = False
    ) -> None:
        super().__init__(shape, rotate=rotate, torus=torus)
        self.base_columns, self.reverse_columns = self._sets(0), self._sets(0)

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
        sweeps: list[Sweep] = []
        for number in range(windows):
            if number < 2:
                sets = (reverse, base) if number else (base, reverse)
                sweeps.append(
                    Sweep(*sets, width, extent, self._tally, backward=bool(number))
                )
            else:
                sweeps[number % 2].advance()
            sweep = sweeps[number % 2]
            if (i := sweep.open_interval(length)) >= 0:
                return i, sweep.first
        return None

    def _note(self, box: Box) -> None:
        super()._note(box)
        a, b, c, d = box
        self.base_columns[a].add(b, d)
        self.reverse_columns[c].add(b, d)

    def _forget(self, box: Box) -> None:
        super()._forget(box)
        a, b, c, d = box
        self.base_columns[a].delete(b, d)
        self.reverse_columns[c].delete(b, d)
