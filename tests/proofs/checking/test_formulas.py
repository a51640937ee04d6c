"""Formulas of instances: their optima are those of the instances."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from closeknit.instances import (
    InputError,
    Instance,
    KSubset,
    Submesh,
    Sukp,
    Torus,
)
from closeknit.instances.problems import problem_of
from closeknit.instances.submesh import Resident
from closeknit.instances.submesh.packing import Item, Packing
from closeknit.instances.value import Value, as_tuple
from closeknit.proofs.checking import Formula, formula_of
from closeknit.proofs.checking.formulas import fold, levels_of, place_boxes, unfold
from closeknit.proofs.writing.exact_log import boxes_of
from closeknit.proofs.writing.opb_text import opb_text
from tests.forging.small_proofs import cheapest_assignment, priced
from tests.oracles import cheapest, cheapest_placement, least_left_out, optimum
from tests.strategies import ksubsets, procsets, submeshes, sukps

RING = KSubset("ring", Torus((5,)), tuple((i,) for i in range(5)), 3)
"""Its formula counts half hops."""


def least(instance: Instance) -> tuple[int, ...] | None:
    """Return what the cheapest assignment costs, by CP-SAT; None if there is none."""
    formula = formula_of(instance)
    chosen = cheapest_assignment(formula)
    if chosen is None:
        return None
    paid, left = divmod(priced(formula, chosen) + formula.offset, formula.unit)
    assert left == 0
    return unfold(paid, levels_of(instance))


@pytest.mark.parametrize(
    ("instances", "cheapest_of"),
    [
        (ksubsets(), optimum),
        (procsets(infeasible=True), cheapest),
        (sukps(), least_left_out),
        (submeshes(), cheapest_placement),
    ],
    ids=("ksubset", "procset", "sukp", "submesh"),
)
def test_the_cheapest_assignment_costs_what_the_cheapest_choice_does(
    instances: st.SearchStrategy[Any], cheapest_of: Callable[[Any], Value | None]
) -> None:
    @given(instances)
    @settings(max_examples=60, deadline=None)
    def holds(instance: Any) -> None:
        # what CP-SAT can add up
        assume(sum(formula_of(instance).objective.values()) < 2**60)
        short = problem_of(instance).unsolvable(instance)
        best = None if short else cheapest_of(instance)
        assert least(instance) == (None if best is None else as_tuple(best))

    holds()


@given(st.lists(st.integers(0, 9), min_size=1, max_size=4))
def test_folding_keeps_the_order(parts: list[int]) -> None:
    weights = [10 ** (len(parts) - 1 - i) for i in range(len(parts))]
    assert unfold(fold(tuple(parts), weights), weights) == tuple(parts)


def test_half_hops() -> None:
    assert formula_of(RING).unit == 2
    assert least(RING) == (optimum(RING),) == (4,)


def test_refuses_formulas_that_are_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("closeknit.proofs.checking.formulas.MOST_TERMS", 5)
    with pytest.raises(InputError, match="more than 5"):
        formula_of(RING)


def test_terms_of_a_torus_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every place of every box has a term at each of its cells."""
    one = Submesh("one", (3, 3), (Resident((0, 0, 0, 0)),), (2, 2), torus=True)
    monkeypatch.setattr("closeknit.proofs.checking.formulas.MOST_TERMS", 2 * 9 * 4)
    formula_of(one)
    monkeypatch.setattr("closeknit.proofs.checking.formulas.MOST_TERMS", 71)
    with pytest.raises(InputError, match="would have 72 terms, more than 71"):
        formula_of(one)


def test_cells_that_one_box_can_use_have_no_row() -> None:
    """A box of one cell has its place by an equation, and no other box is there."""
    alone = formula_of(Submesh("alone", (2, 2), (), (1, 1), torus=True))
    assert [len(row.terms) for row in alone.rows] == [4, 4]


def test_levels_are_no_larger_than_they_must_be() -> None:
    """One box may move, 6 processors with it, by 3 hops."""
    one = Submesh("one", (3, 2), (Resident((0, 0, 0, 1)),), (1, 1))
    assert levels_of(one) == (7 * 4, 4, 1)


def test_boxes_are_read_from_the_variables() -> None:
    fixed, turns = Item((1, 2), at=(2, 0, 2, 1)), Item((1, 2), turns=True)
    packing = Packing("one", (3, 2), (fixed, turns))
    formula = Formula()
    place_boxes(packing, formula)
    assert not any(name.startswith("r0_") for name in formula.names)
    ways_of = [f"r1_{way}" for way in range(2)]
    assert {*ways_of, "o1_0_1", "o1_1_1"} <= {*formula.names}
    found = [boxes_of(packing, {way, "o1_0_1"}) for way in ways_of]
    assert sorted(found) == [
        ((2, 0, 2, 1), (1, 0, 1, 1)),
        ((2, 0, 2, 1), (1, 0, 2, 0)),
    ]


@pytest.mark.parametrize(
    "instance",
    [
        Submesh("whole mesh", (2, 3), (), (2, 3)),
        Submesh("too long", (2, 3), (), (3, 3)),
        Submesh("too long for a torus", (2, 3), (), (3, 3), torus=True),
        Submesh("nothing moves", (4, 3), (), (1, 1), migrate=False),
        Sukp("no profit", (0, 0), (1, 2), ((0,), (1,)), 2),
    ],
    ids=lambda one: one.name,
)
def test_what_costs_nothing_has_an_objective(instance: Instance) -> None:
    """A checker refuses a priced solution, or a bound, where there is none."""
    formula = formula_of(instance)
    assert f"min: +0 {formula.names[0]} ;\n" in opb_text(formula)
    assert not any(formula.objective.values())
