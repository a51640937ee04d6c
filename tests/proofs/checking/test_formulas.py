"""Formulas of instances: their optima are those of the instances."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from ortools.sat.python import cp_model

from closeknit.instances import (
    InputError,
    Instance,
    KSubset,
    ProcSet,
    Submesh,
    Sukp,
    Torus,
)
from closeknit.instances.submesh import Resident
from closeknit.instances.submesh.packing import Item, Packing
from closeknit.proofs.checking import Formula, formula_of
from closeknit.proofs.checking.formulas import fold, levels_of, place_boxes, unfold
from closeknit.proofs.writing.exact_log import boxes_of
from closeknit.proofs.writing.opb_text import opb_text
from tests.oracles import cheapest, cheapest_placement, least_left_out, optimum
from tests.strategies import ksubsets, procsets, submeshes, sukps


def least(formula: Formula) -> int | None:
    """Return the least cost of an assignment, by CP-SAT; None if there is none."""
    model = cp_model.CpModel()
    x = [model.new_bool_var(name) for name in formula.names]

    def literal(v: int) -> cp_model.LiteralT:
        return x[v - 1] if v > 0 else ~x[-v - 1]

    for row in formula.rows:
        total = sum(a * literal(v) for v, a in row.terms.items())
        model.add_bool_or([]) if not row.terms and row.degree > 0 else None
        if row.terms:
            model.add(total >= row.degree)
    model.minimize(sum(a * x[v - 1] for v, a in formula.objective.items()))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    status = solver.solve(model)
    if status == cp_model.INFEASIBLE:
        return None
    assert status == cp_model.OPTIMAL
    # added up here: the solver says it as a float
    chosen = sum(a for v, a in formula.objective.items() if solver.value(x[v - 1]))
    value = chosen + formula.offset
    assert value % formula.unit == 0
    return int(value // formula.unit)


@given(ksubsets())
@settings(max_examples=60)
def test_k_subsets(instance: KSubset) -> None:
    assert least(formula_of(instance)) == optimum(instance)


@given(procsets())
@settings(max_examples=60)
def test_processor_sets(instance: ProcSet) -> None:
    formula = formula_of(instance)
    assume(sum(formula.objective.values()) < 2**60)  # what CP-SAT can add up
    found = least(formula)
    if instance.request > len(instance.available):
        assert found is None
    else:
        assert found is not None
        assert unfold(found, levels_of(instance)) == cheapest(instance)


@given(sukps())
@settings(max_examples=60)
def test_knapsacks(instance: Sukp) -> None:
    assert least(formula_of(instance)) == least_left_out(instance)


@given(submeshes())
@settings(max_examples=60, deadline=None)
def test_placements(instance: Submesh) -> None:
    found = least(formula_of(instance))
    best = cheapest_placement(instance)
    if best is None:
        assert found is None
    else:
        assert found is not None
        assert unfold(found, levels_of(instance)) == best


@given(st.lists(st.integers(0, 9), min_size=1, max_size=4))
def test_folding_keeps_the_order(parts: list[int]) -> None:
    weights = [10 ** (len(parts) - 1 - i) for i in range(len(parts))]
    assert unfold(fold(tuple(parts), weights), weights) == tuple(parts)


def test_half_hops() -> None:
    ring = KSubset("ring", Torus((5,)), tuple((i,) for i in range(5)), 3)
    formula = formula_of(ring)
    assert formula.unit == 2
    assert least(formula) == optimum(ring) == 4


def test_refuses_formulas_that_are_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    ring = KSubset("ring", Torus((5,)), tuple((i,) for i in range(5)), 3)
    monkeypatch.setattr("closeknit.proofs.checking.formulas.MOST_TERMS", 5)
    with pytest.raises(InputError, match="more than 5"):
        formula_of(ring)


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
