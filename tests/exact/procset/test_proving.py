"""Proofs about processor sets hold, and prove what enumeration finds."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from io import StringIO
from itertools import combinations
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.exact.procset.bruteforce import bruteforce
from closeknit.exact.procset.proving import levels, relaxation
from closeknit.exact.procset.proving.families import Families
from closeknit.exact.procset.proving.levels import prove
from closeknit.exact.procset.proving.relaxation import Box, Logged, Relaxation
from closeknit.exact.procset.proving.shapes import Shapes
from closeknit.instances import ProcessorSet, ProcSet, cost
from closeknit.instances.procset.generators import (
    drakenberg_system,
    random_domains,
    random_sets,
    torus_planes,
)
from closeknit.methods import PROCSET
from closeknit.proofs.checking import Propagator, Refused, check_proof, formula_of
from closeknit.proofs.checking.formulas import levels_of, unfold
from closeknit.proofs.checking.rows import Row
from closeknit.proofs.writing.proof_log import ProofLog
from closeknit.proofs.writing.propagation_kernels import FastPropagator
from closeknit.solvers import SolverError

from ...forging.small_proofs import LEANING
from ...oracles import cheapest
from ...strategies import procsets


class Forgetful(Propagator):
    """Knows nothing but the rows that are there, as VeriPB does: begins anew."""

    def remove(self, number: int, row: Row) -> None:
        rows = {n: one for n, one in self._rows.items() if n != number}
        Propagator.__init__(self, self._spend)
        for each, one in rows.items():
            self.enter(each, one)


EVERY = (Propagator, FastPropagator, Forgetful)

TWO = ProcSet(
    "two",
    ("a", "b", "c"),
    (0, 1, 2),
    2,
    (ProcessorSet("ab", (0, 1), (1, 0)), ProcessorSet("c", (2,), (0, 5))),
)


def written(instance: ProcSet, chosen: tuple[int, ...] | None) -> list[str]:
    """Return the lines of a proof; none where the prover does not serve."""
    stream = StringIO()
    if not prove(instance, chosen, ProofLog(formula_of(instance), stream)):
        return []
    return stream.getvalue().splitlines(keepends=True)


def proved(
    instance: ProcSet,
    chosen: tuple[int, ...] | None,
    propagator: type[Propagator] = FastPropagator,
) -> tuple[int, ...] | None:
    """Return the bound of a checked proof."""
    lines = written(instance, chosen)
    outcome = check_proof(formula_of(instance), lines, None, propagator)
    if outcome.bound is None:
        return None
    return unfold(outcome.bound, levels_of(instance))


@settings(max_examples=100)
@given(procsets(infeasible=True))
def test_proves_the_cheapest(instance: ProcSet) -> None:
    chosen = bruteforce(instance).chosen
    if not written(instance, chosen):
        most = [
            sum(one.cost[i] for one in instance.sets) for i in range(instance.levels)
        ]
        assert max(most) >= levels._MOST
        return
    for propagator in EVERY:
        bound = proved(instance, chosen, propagator)
        assert bound == (None if chosen is None else cheapest(instance))


@st.composite
def grids(draw: st.DrawFn) -> ProcSet:
    """Planes and domains, few enough to enumerate."""
    seed = draw(st.integers(0, 10**6))
    costs = draw(st.sampled_from(["equal", "equal", "levels", "drawn"]))
    private = draw(st.sampled_from([0, 0, 3]))
    request = draw(st.integers(2, 8))
    free = draw(st.integers(request, 12))
    if draw(st.booleans()):
        shape = draw(st.sampled_from([(3, 3, 3), (4, 4), (3, 2, 2), (2, 2, 2, 2)]))
        free = min(free, prod(shape))
        return torus_planes(
            shape, request, free=free, seed=seed, costs=costs, private=private
        )
    families, size = draw(st.integers(2, 4)), draw(st.integers(2, 5))
    return random_domains(
        14, families, size, request, free=free, seed=seed, costs=costs, private=private
    )


@settings(max_examples=60)
@given(grids(), st.booleans())
def test_proves_the_cheapest_shape_by_shape(instance: ProcSet, always: bool) -> None:
    """Also where going through the shapes is not worthwhile."""
    with pytest.MonkeyPatch.context() as patch:
        if always:
            patch.setattr(Shapes, "worthwhile", paid)
        for propagator in (FastPropagator, Forgetful):
            bound = proved(instance, bruteforce(instance).chosen, propagator)
            assert bound == cheapest(instance)


def paid(self: Shapes) -> bool:
    """Whether there are shapes at all."""
    return len(self._budgets.sizes) > 1


@pytest.mark.parametrize(
    "instance",
    [
        # A clause that the writer did not propagate made new variables certain.
        torus_planes((3, 2, 2), 5, free=9, seed=610888, costs="drawn"),
        torus_planes((3, 3, 3), 6, free=10, seed=530516, costs="drawn"),
        random_domains(14, 3, 5, 8, free=12, seed=676437),
        # A set outside of all sets of another family.
        random_domains(14, 4, 2, 6, free=9, seed=499288, private=3),
        # No set of a family may be open; multipliers that are all rounded to 0.
        random_domains(14, 4, 2, 3, free=10, seed=533520, private=3),
        random_domains(14, 3, 3, 8, free=12, seed=594630, costs="levels"),
        # A clause of one literal was deleted, and a later step leans on it.
        LEANING,
    ],
    ids=lambda one: one.name,
)
@pytest.mark.parametrize("always", [False, True])
def test_proves_where_a_step_was_refused(
    instance: ProcSet, always: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if always:
        monkeypatch.setattr(Shapes, "worthwhile", paid)
    for propagator in EVERY:
        found = proved(instance, bruteforce(instance).chosen, propagator)
        assert found == cheapest(instance)


@settings(max_examples=20)
@given(grids())
def test_sets_hold_no_more_than_their_reach(instance: ProcSet) -> None:
    """Of every choice: what it takes from a set, by how many sets it opens."""
    home = {
        i: [s for s, one in enumerate(instance.sets) if i in one.members]
        for i in instance.available
    }
    families = Families([home[i] for i in instance.available], [1] * instance.n)
    for chosen in combinations(instance.available, instance.request):
        opened = {s for i in chosen for s in home[i]}
        shape = tuple(len(opened.intersection(sets)) for sets in families.sets)
        for a, sets in enumerate(families.sets):
            if len(shape) > 1:
                reach, _ = families.reaches(a, shape)
                for s, most in zip(sets, reach, strict=True):
                    assert sum(s in home[i] for i in chosen) <= most
                assert families.narrowest(shape)[1] >= len(chosen)


@pytest.mark.parametrize(
    "instance",
    [
        drakenberg_system(30, free=Fraction(3, 10), seed=3),
        drakenberg_system(21, granularity="core", free=12, partly=Fraction(1, 2)),
        torus_planes((4, 4, 4), 9, free=Fraction(1, 2), seed=1),
        torus_planes((6, 6, 6), 24, costs="levels"),
        torus_planes((7, 7), 12, free=Fraction(1, 2), seed=2, costs="drawn"),
        random_domains(48, 4, 12, 8),
        torus_planes((3, 3, 3), 7, free=20, costs="drawn", private=3),
        random_domains(32, 3, 8, 10, costs="levels"),
        random_sets(40, 12, Fraction(1, 5), 15, levels=2),
    ],
    ids=lambda one: one.name,
)
def test_proves_what_the_search_finds(instance: ProcSet) -> None:
    found = PROCSET["auto"](instance)
    assert proved(instance, found.chosen) == found.objective


def test_a_choice_too_many_is_cut() -> None:
    """A choice may hold more processors than requested."""
    assert proved(TWO, (0, 1, 2)) == (1, 0)


def test_a_choice_that_is_not_optimal_is_an_error() -> None:
    assert cost(TWO, (0, 2)) == (1, 5)
    with pytest.raises(SolverError, match="has a solution"):
        written(TWO, (0, 2))


def test_a_proof_of_another_request_does_not_hold() -> None:
    more = replace(TWO, request=3)
    lines = written(TWO, (0, 1))
    with pytest.raises(Refused):
        check_proof(formula_of(more), lines)
    assert proved(more, (0, 1, 2)) == (1, 5)


def test_costs_too_large_are_left_to_others() -> None:
    sets = (*TWO.sets, ProcessorSet("a", (0,), (0, levels._MOST)))
    assert written(replace(TWO, sets=sets), (0, 1)) == []


@settings(max_examples=50)
@given(st.data())
def test_a_smaller_model_has_the_same_optimum(data: st.DataObject) -> None:
    """What a box decides is left out of the programme, and changes nothing."""
    columns = data.draw(st.integers(2, 6))
    row = st.dictionaries(
        st.integers(1, columns), st.integers(-5, 5).filter(bool), min_size=1
    )
    drawn = data.draw(
        st.lists(st.tuples(row, st.integers(-4, 6)), min_size=2, max_size=7)
    )
    rows = [Logged(1, terms, degree) for terms, degree in drawn]
    sizes = np.ones(columns, dtype=np.int64)
    box = Box(np.zeros_like(sizes), sizes)
    fixed = data.draw(st.lists(st.sampled_from([0, 1, None]), min_size=columns))
    inner = Box(
        np.array([int(fixed[c] == 1) for c in range(columns)]),
        np.array([int(fixed[c] != 0) for c in range(columns)]),
    )
    column = {x: x - 1 for x in range(1, columns + 1)}
    small, large = (Relaxation(column, sizes, rows) for _ in range(2))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(relaxation, "_SHRUNK", 0.0)
        large.solve(box)
        values = [one.solve(inner)[0] for one in (small, large)]
    assert len(large._models) == 1
    goal = np.array([rows[-1].terms.get(c + 1, 0) for c in range(columns)])
    assert values[0] @ goal == pytest.approx(values[1] @ goal, abs=1e-6)
