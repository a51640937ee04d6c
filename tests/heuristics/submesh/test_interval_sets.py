"""The plain interval sets and scan sets against Figure 4 of the paper, and by hand."""

from .linked_scans import (
    FourWayScan,
    IntervalSet,
    IntervalSetScan,
    ScanSet,
    Sweep,
    Tally,
)

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
    sets = (mesh.base, mesh.reverse, mesh.base_columns, mesh.reverse_columns)
    assert [
        {n: one.intervals for n, one in enumerate(lines) if one.cells} for lines in sets
    ] == [
        {0: [(0, 8), (10, 13)], 1: [(7, 8)], 3: [(2, 3)]},
        {0: [(0, 8)], 5: [(7, 8)], 6: [(2, 3)], 8: [(10, 13)]},
        {0: [(0, 0)], 2: [(3, 6)], 7: [(1, 5)], 10: [(0, 8)]},
        {3: [(3, 6)], 8: [(0, 5)], 13: [(0, 8)]},
    ]


def test_the_progression_of_figure_4() -> None:
    mesh = figure_4(IntervalSetScan)
    scan = ScanSet(15)
    assert scan.elements == [((0, 14), 0)]
    scan.change(mesh.base[0], 1)
    assert scan.elements == [((0, 8), 1), ((9, 9), 0), ((10, 13), 1), ((14, 14), 0)]
    sweep = Sweep(mesh.base, mesh.reverse, 15, 2, Tally())
    for row in range(8):
        if row:
            sweep.advance()
        assert sweep.scan.elements == PROGRESSION[row, row + 1]
        assert sweep.scan.open_interval(10) == (0 if row == 7 else -1)
    assert mesh.allocate((10, 2)) == (0, 7, 9, 8)


def test_a_node_counts_whenever_a_pointer_leads_to_it() -> None:
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
    scan.change(IntervalSet(tally), 1)
    assert tally.touched == 6
