"""Peel and re-open: the local search over opened sets."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.heuristics.procset import local_search
from closeknit.instances import ProcessorSet, ProcSet, cost
from closeknit.instances.procset.generators import (
    drakenberg_system,
    random_domains,
    torus_planes,
)
from closeknit.instances.value import ordered
from closeknit.methods import PROCSET
from closeknit.solvers import Limit, Settings, Status

from ...oracles import cheapest
from ...strategies import procsets

METHOD = PROCSET["local-search"]


@settings(deadline=None)
@given(instance=procsets(), seed=st.integers(0, 3))
def test_valid_and_between_the_optimum_and_reaching(
    instance: ProcSet, seed: int
) -> None:
    how = Settings(seed=seed)
    found = METHOD(instance, how)
    assert found.status is Status.FEASIBLE
    assert found.chosen is not None
    assert len(found.chosen) == instance.request
    assert found.objective == cost(instance, found.chosen)
    reached = PROCSET["reaching"](instance, how).objective
    assert found.objective is not None
    assert reached is not None
    assert cheapest(instance) <= ordered(found.objective) <= ordered(reached)
    assert METHOD(instance, how).chosen == found.chosen


def _block(n: int, request: int, *sets: tuple[tuple[int, ...], int]) -> ProcSet:
    return ProcSet(
        "by-hand",
        tuple(f"p{i}" for i in range(n)),
        tuple(range(n)),
        request,
        tuple(
            ProcessorSet(f"s{i}", members, (price,))
            for i, (members, price) in enumerate(sets)
        ),
    )


def test_improves_on_reaching_by_closing_a_set() -> None:
    better = 0
    for seed in range(10):
        instance = random_domains(64, 3, 8, 12, seed=seed, free=48)
        how = Settings(seed=seed)
        reached = PROCSET["reaching"](instance, how).objective
        found = METHOD(instance, how).objective
        assert found is not None
        assert reached is not None
        assert ordered(found) <= ordered(reached)
        better += found != reached
    assert better >= 3


def test_processors_in_no_set_come_first() -> None:
    instance = _block(5, 2, ((0, 1, 2), 3))
    assert METHOD(instance).chosen == (3, 4)


def test_everything_wanted() -> None:
    assert METHOD(_block(3, 3, ((0, 1), 3), ((2,), 1))).chosen == (0, 1, 2)


@pytest.mark.parametrize("seed", range(3))
def test_the_machine_and_the_planes(seed: int) -> None:
    for instance, exact in (
        (drakenberg_system(6, free=18, seed=seed), "goldschmidt"),
        (torus_planes((4, 4), 5, free=12, seed=seed), "bruteforce"),
        (
            drakenberg_system(
                20, granularity="core", free=4, seed=seed, partly=Fraction(1, 2)
            ),
            "goldschmidt",
        ),
    ):
        best = PROCSET[exact](instance)
        assert best.status is Status.OPTIMAL
        assert METHOD(instance).objective == best.objective


def test_costs_of_several_words() -> None:
    far = 2**60
    instance = ProcSet(
        "wide",
        ("a", "b", "c"),
        (0, 1, 2),
        2,
        (
            ProcessorSet("a", (0,), (1, far, 3)),
            ProcessorSet("b", (1,), (1, far + 1, 0)),
            ProcessorSet("c", (2,), (1, 5, far)),
        ),
    )
    assert METHOD(instance).objective == cheapest(instance) == (2, far + 5, far + 3)


def test_limits_bring_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = drakenberg_system(30, free=100, seed=1)
    stopped = METHOD(instance, Settings(node_limit=5))
    assert stopped.limit is Limit.NODES
    assert stopped.chosen is not None
    again = METHOD(instance, Settings(node_limit=5))
    assert again.chosen == stopped.chosen
    monkeypatch.setattr(local_search, "_WORK", 1)
    assert METHOD(instance, Settings(time_limit=0)).limit is Limit.TIME
    late = METHOD(instance, Settings(time_limit=0.05))
    assert late.limit is Limit.TIME
    assert late.chosen is not None


def test_ctrl_c_brings_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    import signal

    from closeknit.heuristics.procset import local_search_kernels as kernels

    descend = kernels.descend

    def interrupted(*args: object) -> bool:
        signal.raise_signal(signal.SIGINT)
        return bool(descend(*args[:-1], 1))

    monkeypatch.setattr(kernels, "descend", interrupted)
    stopped = METHOD(drakenberg_system(30, free=100, seed=1))
    assert stopped.limit is Limit.INTERRUPT
    assert stopped.chosen is not None
