"""The dynamic program over a cut of the sets."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.exact.procset import goldschmidt
from closeknit.formulations.procset.set_classes import classes_of
from closeknit.instances import ProcessorSet, ProcSet
from closeknit.instances.procset.generators import (
    drakenberg_system,
    random_domains,
    random_sets,
    torus_planes,
)
from closeknit.instances.value import as_tuple
from closeknit.methods import PROCSET
from closeknit.solvers import Limit, Settings, Status

from ...oracles import cheapest
from ...strategies import procsets
from ..stopped import assert_stopped

METHOD = PROCSET["goldschmidt"]


@pytest.mark.parametrize("seed", range(6))
def test_agrees_with_bruteforce_on_larger_systems(seed: int) -> None:
    for instance in (
        random_sets(14, 12, Fraction(1, 4), 8, levels=2, seed=seed, private=3),
        random_domains(16, 3, 4, 7, seed=seed, costs="levels", free=14),
        torus_planes((3, 3, 2), 6, seed=seed, free=14, costs="drawn", private=5),
        drakenberg_system(7, free=15, seed=seed),
        drakenberg_system(13, granularity="core", free=2, seed=seed),
    ):
        assert METHOD(instance).objective == PROCSET["bruteforce"](instance).objective


def test_classes_weigh_their_number_and_costs_may_be_huge() -> None:
    """Two of {0, 1, 2} and 3 go, or the pair; 2^60 at each of three levels."""
    far = 2**60
    instance = ProcSet(
        "huge",
        ("a", "b", "c", "d", "e"),
        (0, 1, 2, 3, 4),
        3,
        (
            ProcessorSet("three", (0, 1, 2), (far, 0, 0)),
            ProcessorSet("pair", (3, 4), (far, far, 1)),
            ProcessorSet("one", (3,), (0, far, far)),
        ),
    )
    found = METHOD(instance)
    assert found.chosen == (0, 1, 2)
    assert found.objective == found.bound == (far, 0, 0)
    assert str(found.proof) == "enumerated: goldschmidt"


@settings(deadline=None)
@given(procsets(), st.integers(1, 12))
def test_a_node_limit_brings_a_choice_and_a_bound(
    instance: ProcSet, nodes: int
) -> None:
    found = METHOD(instance, Settings(node_limit=nodes))
    best = cheapest(instance)
    assert found.objective is not None
    assert found.bound is not None
    assert as_tuple(found.bound) <= best <= as_tuple(found.objective)
    if found.status is not Status.OPTIMAL:
        assert found.limit is Limit.NODES


def test_the_wall(monkeypatch: pytest.MonkeyPatch) -> None:
    """The states multiply with what is left over, until they are too many."""
    states = {}
    for surplus in (4, 8):
        instance = drakenberg_system(50, free=50 + surplus, seed=0)
        program = goldschmidt._Program(classes_of(instance))
        assert program.run(lambda states: None) is None
        states[surplus] = program.widest
    assert states[8] > 10 * states[4]
    instance = drakenberg_system(50, free=58, seed=0)
    optimum = METHOD(instance).objective
    assert optimum is not None
    monkeypatch.setattr(goldschmidt, "MOST_STATES", 1000)
    monkeypatch.setattr(goldschmidt, "_LOOK", 16)
    stopped = METHOD(instance)
    assert_stopped(instance, stopped, Limit.MEMORY, optimum)
    assert stopped.bound != optimum


def test_a_time_limit_brings_a_choice_and_a_bound() -> None:
    instance = drakenberg_system(50, free=62, seed=0)
    stopped = METHOD(instance, Settings(time_limit=0.05))
    assert_stopped(instance, stopped, Limit.TIME)
