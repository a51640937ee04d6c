"""Proofs that no change is less; none that the least itself is impossible."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from closeknit.formulations.cluster import proof
from closeknit.formulations.cluster.changes.change import LeastChange, preempt
from closeknit.formulations.cluster.changes.drain import drain
from closeknit.formulations.cluster.changes.repair import repair
from closeknit.formulations.cluster.proof import NoFitProof, prove_impossible
from closeknit.formulations.cluster.stages import NoPlace, NoSolution
from closeknit.proofs.writing.learning import Learner
from closeknit.solvers import SolverError, Status

from .parts import (
    CONSTRAINTS,
    has_placement,
    place_and_fail,
    random_job,
    random_state,
)


def refuted(what: NoSolution) -> bool:
    formula = proof.formula_of_model(what.model, what.rows, dict(what.at_most))
    found: bool = Learner(len(formula.names), formula.rows).refute(lambda: None)
    return found


def compare(found: LeastChange) -> int:
    """Refute less of every number, and not the number itself; return how many."""
    count = 0
    if found.status is Status.INFEASIBLE:
        what = found.refuted
        assert what is not None
        if isinstance(what, NoSolution):
            assert refuted(what)
        else:
            assert not has_placement(what.job, what.devices)
        return 1
    for stage in found.stages:
        assert stage.proved
        if stage.less is None:
            assert stage.value == 0
            continue
        count += 1
        what = stage.less()
        if isinstance(what, NoPlace):
            assert not has_placement(what.job, what.devices)
        else:
            assert refuted(what)
            *kept, (number, most) = what.at_most
            assert most == (stage.value or 0) - 1
            assert not refuted(replace(what, at_most=(*kept, (number, most + 1))))
    return count


@given(st.integers(0, 2**32))
@settings(max_examples=60, suppress_health_check=[HealthCheck.filter_too_much])
def test_nothing_less_than_the_least_preemption(seed: int) -> None:
    chance = random.Random(seed)
    state = random_state(chance, chance.randrange(2, 5), 3, 4)
    kinds = tuple(chance.sample(CONSTRAINTS, 2))
    job = random_job(chance, state.devices, kinds, 3)
    assume(compare(preempt(job, state)))


@given(st.integers(0, 2**32))
@example(312)  # a job that could move is waited for
@settings(max_examples=60, suppress_health_check=[HealthCheck.filter_too_much])
def test_nothing_less_than_the_least_drain(seed: int) -> None:
    chance = random.Random(seed)
    state = random_state(chance, chance.randrange(2, 5), 2, 3)
    level = state.devices.tree.levels[0]
    domains = len(state.devices.tree.of_level(0))
    found = drain(level, chance.randrange(1, domains + 1), state, until=5)
    assume(compare(found))


@given(st.integers(0, 2**32))
@settings(max_examples=60, suppress_health_check=[HealthCheck.filter_too_much])
def test_nothing_less_than_the_least_repair(seed: int) -> None:
    chance = random.Random(seed)
    drawn = None
    while drawn is None:
        state = random_state(chance, chance.randrange(3, 6), 3, 2)
        kinds = tuple(chance.sample(CONSTRAINTS, 2))
        job = random_job(chance, state.devices, kinds, 3)
        drawn = place_and_fail(chance, job, state)
    placed, failed, _, running = drawn
    assume(compare(repair(job, placed, failed, running)))


def test_a_proof_of_too_much_is_none(tmp_path: Path) -> None:
    chance = random.Random(4)
    while True:
        state = random_state(chance, 4, 3, 4)
        job = random_job(chance, state.devices, CONSTRAINTS[:2], 3)
        stages = preempt(job, state).stages
        what = [one.less() for one in stages if one.less]
        models = [x for x in what if isinstance(x, NoSolution)]
        if models:
            break
    found = prove_impossible(models[0], str(tmp_path / "a"), 9)
    assert isinstance(found, NoFitProof)
    assert found.kind == proof.LOG
    *kept, (number, most) = models[0].at_most
    more = replace(models[0], at_most=(*kept, (number, most + 1)))
    with pytest.raises(SolverError, match="solution"):
        prove_impossible(more, str(tmp_path / "b"), 9)
