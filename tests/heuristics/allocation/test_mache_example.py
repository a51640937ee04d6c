"""The worked example of Mache et al. 1999, section 3, against all that it prints.

Its state is in the figures only. The text gives: a job of 8; columns 0 to 7, with
costs 8, 4, 2, 4, 6, 8, 12, 18 of their candidates (it treats column 5, of cost 8, on
its own and lists the others); columns 5 and 6 in shell 0 of column 5, two idle nodes
there, then shell numbers 0+0+1+1+1+1+2+2; after MC 16 processors allocated above the
middle and 10 below; for PLAS 16 nodes affected and a balanced job; for MC-Elongated
column 2, 12 nodes affected and balance factor 2. Shell 0 of two columns for a job of 8
means 4 rows, and 26 allocated after it 14 idle before it, which the costs confirm. MC
serves jobs that ask for a shape; of 8 processors, 2x4 is the one that has its figures.
"""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

from closeknit.heuristics.allocation.allocator import Allocation, Allocator
from closeknit.heuristics.allocation.mc import MC
from closeknit.heuristics.allocation.mc_elongated import MCElongated
from closeknit.heuristics.allocation.plas import PLAS
from closeknit.instances import IntArray, Mesh, Site
from closeknit.instances.ksubset.dispersal import balance_factor, nodes_affected, pieces

from ...additions.recipes import mache_example

MESH = Mesh((4, 8))
COSTS = [8, 4, 2, 4, 6, 8, 12, 18]
IDLE = (2, 0, 4, 2, 2, 2, 0, 2)
"""Idle processors of every column."""


def costs(idle: IntArray, width: int, left: int, job: int = 8) -> IntArray:
    """Price the candidates of all columns for many states at once.

    ``idle`` has a state a row, a column a column; shell 0 is ``width`` columns, of
    which ``left`` lie to the left of the centre. Shells go on to 99 where a state has
    too few idle processors.
    """
    found = []
    columns = np.arange(idle.shape[1])
    for centre in columns:
        start, end = centre - left, centre - left + width
        shell = np.maximum(0, np.maximum(start - columns, columns - end + 1))
        total = np.zeros(len(idle), dtype=np.int64)
        missing = np.full(len(idle), job)
        for number in range(shell.max() + 1):
            taken = np.minimum(missing, idle[:, shell == number].sum(axis=1))
            total += number * taken
            missing = missing - taken
        found.append(total + 99 * missing)
    return np.stack(found, axis=1)


def states(most: int) -> IntArray:
    """Return all numbers of idle processors that eight columns may have."""
    return np.indices((most + 1,) * 8, dtype=np.int8).reshape(8, -1).T.astype(np.int64)


@pytest.fixture(scope="module")
def of_four_rows() -> IntArray:
    return states(4)


def test_the_costs_leave_two_states_of_four_rows(of_four_rows: IntArray) -> None:
    fitting = of_four_rows[(costs(of_four_rows, 2, 0) == COSTS).all(axis=1)]
    assert fitting.tolist() == [[1, 2, 2, 4, 0, 3, 0, 2], list(IDLE)]
    assert set(fitting.sum(axis=1)) == {32 - 26 + 8}  # as MC's 16 + 10 say
    in_shell_0 = fitting[:, 5] + fitting[:, 6]
    in_shell_1 = fitting[:, 4] + fitting[:, 7]
    printed = (in_shell_0 == 2) & (in_shell_1 == 4)
    assert fitting[printed].tolist() == [list(IDLE)]


def test_other_readings_fit_no_state(of_four_rows: IntArray) -> None:
    # the definition's own start, floor(8 / (2 * 4)) = 1 column to the left
    assert not (costs(of_four_rows, 2, 1) == COSTS).all(axis=1).any()
    # column 5 after column 4 in the list, not before column 6
    merged = [8, 4, 2, 4, 8, 6, 12, 18]
    for left in (0, 1):
        assert not (costs(of_four_rows, 2, left) == merged).all(axis=1).any()


class Look:
    """What a strategy gives in a state, in the terms of the text."""

    def __init__(self, one: Allocator, free: set[Site]) -> None:
        held = one.hold(i for i, site in enumerate(one.places) if site not in free)
        grant = one.find(8, (2, 4))
        assert isinstance(grant, Allocation)
        one.release(held)
        self.job = [one.places[i] for i in grant.used]
        self.busy = [site for site in one.places if site not in free] + self.job
        self.above = sum(row < 2 for row, _ in self.busy)


def fits(free: set[Site], mc: MC, plas: PLAS, elongated: MCElongated) -> bool:
    """Tell whether all that is printed of allocations holds in a state."""
    of_mc = Look(mc, free)
    if (of_mc.above, len(of_mc.busy)) != (16, 26) or pieces(MESH, of_mc.job) > 1:
        return False
    of_plas, of_elongated = Look(plas, free), Look(elongated, free)
    return (
        balance_factor(MESH, of_mc.busy) == 6
        and nodes_affected(MESH, of_plas.job) == 16
        and balance_factor(MESH, of_plas.job) == 0
        and nodes_affected(MESH, of_elongated.job) == 12
        and balance_factor(MESH, of_elongated.busy) == 2
    )


def test_all_that_is_printed() -> None:
    instance = mache_example()
    free = set(instance.free)
    assert tuple(sum(c == x for _, c in free) for x in range(8)) == IDLE
    assert fits(free, MC(MESH), PLAS(MESH), MCElongated(MESH))
    elongated = MCElongated(MESH)
    elongated.hold(i for i, site in enumerate(elongated.places) if site not in free)
    assert elongated.costs(8) == COSTS
    chosen = Look(MCElongated(MESH), free).job
    assert {column for _, column in chosen} == {2, 3, 4}
    assert nodes_affected(MESH, Look(MC(MESH), free).job) == 8  # a submesh of 2x4


def test_only_here_does_mc_find_a_whole_submesh() -> None:
    one = MC(MESH), PLAS(MESH), MCElongated(MESH)
    fitting = []
    for rows in product(*(combinations(range(4), count) for count in IDLE)):
        free: set[Site] = {
            (row, column) for column, its in enumerate(rows) for row in its
        }
        if fits(free, *one):
            fitting.append(free)
    assert len(fitting) == 5
    whole = [f for f in fitting if nodes_affected(MESH, Look(one[0], f).job) == 8]
    assert whole == [set(mache_example().free)]
