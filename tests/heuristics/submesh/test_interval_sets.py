"""Interval sets and scan sets, against sets of integers, and Figure 4 of the paper."""

from collections import Counter
from itertools import groupby, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .linked_lists import IntervalSet, ScanSet, Tally
from .linked_scans import FourWayScan, IntervalSetScan, Sweep

# Figure 4 shows four residents: the column sets and the row sets leave no other choice.
FIGURE_4 = [(0, 0, 8, 0), (10, 0, 13, 8), (7, 1, 8, 5), (2, 3, 3, 6)]
PROGRESSION = {
    (0, 1): [((0, 6), 1), ((7, 8), 2), ((9, 9), 0), ((10, 13), 1), ((14, 14), 0)],
    (1, 2): [((0, 6), 0), ((7, 8), 1), ((9, 9), 0), ((10, 13), 1), ((14, 14), 0)],
    (2, 3): [
        ((0, 1), 0),
        ((2, 3), 1),
        ((4, 6), 0),
        ((7, 8), 1),
        ((9, 9), 0),
        ((10, 13), 1),
        ((14, 14), 0),
    ],
    (6, 7): [((0, 1), 0), ((2, 3), 1), ((4, 9), 0), ((10, 13), 1), ((14, 14), 0)],
    (7, 8): [((0, 9), 0), ((10, 13), 1), ((14, 14), 0)],
}
PROGRESSION[3, 4] = PROGRESSION[4, 5] = PROGRESSION[5, 6] = PROGRESSION[2, 3]


def figure_4(cls: type[IntervalSetScan]) -> IntervalSetScan:
    mesh = cls((15, 9))
    for box in FIGURE_4:
        mesh.hold(box)
    return mesh


def test_the_sets_of_figure_4_are_those_printed() -> None:
    mesh = figure_4(FourWayScan)
    assert isinstance(mesh, FourWayScan)

    def filled(sets: list[IntervalSet]) -> dict[int, list[tuple[int, int]]]:
        return {n: list(one) for n, one in enumerate(sets) if one}

    assert filled(mesh.base) == {0: [(0, 8), (10, 13)], 1: [(7, 8)], 3: [(2, 3)]}
    assert filled(mesh.reverse) == {
        0: [(0, 8)],
        5: [(7, 8)],
        6: [(2, 3)],
        8: [(10, 13)],
    }
    assert filled(mesh.base_columns) == {
        0: [(0, 0)],
        2: [(3, 6)],
        7: [(1, 5)],
        10: [(0, 8)],
    }
    assert filled(mesh.reverse_columns) == {3: [(3, 6)], 8: [(0, 5)], 13: [(0, 8)]}


def test_the_progression_of_figure_4() -> None:
    mesh = figure_4(IntervalSetScan)
    scan = ScanSet(15)
    assert list(scan) == [((0, 14), 0)]
    scan.add_interval_set(mesh.base[0])
    assert list(scan) == [((0, 8), 1), ((9, 9), 0), ((10, 13), 1), ((14, 14), 0)]
    sweep = Sweep(mesh.base, mesh.reverse, 15, 2, Tally())
    for row in range(8):
        if row:
            sweep.advance()
        assert list(sweep.scan) == PROGRESSION[row, row + 1]
        assert sweep.scan.open_interval(10) == (0 if row == 7 else -1)
    assert mesh.allocate((10, 2)) == (0, 7, 9, 8)


class TestIntervalSet:
    @given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 4)), max_size=40))
    def test_holds_what_a_set_of_integers_holds(
        self, changes: list[tuple[int, int]]
    ) -> None:
        made, wanted = IntervalSet(), set[int]()
        for low, more in changes:
            piece = set(range(low, low + more + 1))
            if piece <= wanted:
                made.delete(low, low + more)
                wanted -= piece
            elif not piece & wanted:
                made.add(low, low + more)
                wanted |= piece
            else:
                with pytest.raises(ValueError, match="meets"):
                    made.add(low, low + more)
                with pytest.raises(ValueError, match="not in the set"):
                    made.delete(low, low + more)
        runs = list(made)
        assert [x for low, high in runs for x in range(low, high + 1)] == sorted(wanted)
        assert all(one[1] + 1 < two[0] for one, two in pairwise(runs))
        assert bool(made) == bool(wanted)

    def test_refuses_an_interval_turned_inside_out(self) -> None:
        with pytest.raises(ValueError, match="inside out"):
            IntervalSet().add(3, 2)

    def test_counts_a_node_whenever_a_pointer_leads_to_it(self) -> None:
        tally = Tally()
        row = IntervalSet(tally)
        row.add(0, 1)
        assert tally.touched == 0  # the list was empty
        row.add(4, 5)
        assert tally.touched == 1
        row.add(8, 9)
        assert tally.touched == 3
        row.delete(4, 4)
        assert tally.touched == 5
        scan = ScanSet(10, tally)
        assert scan.open_interval(10) == 0
        assert tally.touched == 6
        scan.add_interval_set(IntervalSet(tally))
        assert tally.touched == 6


rows = st.lists(st.sets(st.integers(0, 11)), min_size=1, max_size=6)


def interval_set(cells: set[int]) -> IntervalSet:
    made = IntervalSet()
    for cell in sorted(cells, key=lambda x: x * 7 % 12):
        made.add(cell, cell)
    return made


class TestScanSet:
    @settings(deadline=None)
    @given(rows, st.integers(1, 12), st.randoms(use_true_random=False))
    def test_counts_what_covers_each_processor(
        self, sets: list[set[int]], x: int, order: object
    ) -> None:
        scan, covers = ScanSet(12), Counter[int]()
        for cells in sets:
            scan.add_interval_set(interval_set(cells))
            covers.update(cells)
            self.compare(scan, covers, x)
        for cells in sets[::2]:
            scan.delete_interval_set(interval_set(cells))
            covers.subtract(cells)
            self.compare(scan, covers, x)

    @staticmethod
    def compare(scan: ScanSet, covers: Counter[int], x: int) -> None:
        wanted = []
        for count, run in groupby(range(12), key=lambda cell: covers[cell]):
            cells = list(run)
            wanted.append(((cells[0], cells[-1]), count))
        assert list(scan) == wanted
        fits = [low for (low, high), p in wanted if p == 0 and high - low + 1 >= x]
        assert scan.open_interval(x) == (fits[0] if fits else -1)
