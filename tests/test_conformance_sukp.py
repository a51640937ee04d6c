"""What every method for the set-union knapsack must hold to."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from closeknit.heuristics import SUKP
from closeknit.heuristics.registry import Method
from closeknit.instances import Sukp, check, cost
from closeknit.solvers import Limit, Result, Settings, Status

from .strategies import least_left_out, sukps

EXACT = [name for name, method in SUKP.items() if method.exact]

by_name = pytest.mark.parametrize("name", SUKP)
exact_by_name = pytest.mark.parametrize("name", EXACT)


def examples(name: str, many: int) -> settings:
    """Settings of Hypothesis: solvers start a process each time, so few for them."""
    return settings(
        max_examples=4 if SUKP[name].runs_solver else many,
        deadline=None,
        derandomize=SUKP[name].runs_solver,
        suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
        database=None,
    )


def run(name: str, instance: Sukp, **how: object) -> Result:
    """Run a method where it may be run; a heuristic for some steps only."""
    assume(accepts(SUKP[name], instance))
    few = {} if SUKP[name].exact else {"node_limit": 2000}
    return SUKP[name](instance, Settings(**{**few, **how}))  # type: ignore[arg-type]


def accepts(method: Method[Sukp], instance: Sukp) -> bool:
    return not (method.refuses and method.refuses(instance))


def relisted(instance: Sukp, data: st.DataObject) -> Sukp:
    """List items and elements in another order."""
    items = data.draw(st.permutations(range(instance.n)))
    elements = data.draw(st.permutations(range(len(instance.weights))))
    place = {old: new for new, old in enumerate(elements)}
    return Sukp(
        "relisted",
        tuple(instance.profits[i] for i in items),
        tuple(instance.weights[e] for e in elements),
        tuple(tuple(place[e] for e in instance.items[i]) for i in items),
        instance.capacity,
    )


@by_name
def test_states_what_it_promises(name: str) -> None:
    method = SUKP[name]
    assert method.summary.endswith(".")
    for what in ("Guarantee", "Time", "Source"):
        assert method.says(what), f"{name} does not state its {what}"
    if not method.exact:
        assert method.says("Ties"), f"{name} does not state its tie order"


@by_name
def test_answers_are_valid_and_honest(name: str) -> None:
    @examples(name, 80)
    @given(instance=sukps())
    def holds(instance: Sukp) -> None:
        result = run(name, instance)
        least = least_left_out(instance)
        assert result.chosen is not None
        assert check(instance, result.chosen) == []
        assert list(result.chosen) == sorted(set(result.chosen))
        assert result.objective == cost(instance, result.chosen)
        assert isinstance(result.objective, int)
        assert result.objective >= least
        if result.bound is not None:
            assert isinstance(result.bound, int)
            assert result.bound <= least
        if SUKP[name].exact:
            assert result.status is Status.OPTIMAL
            assert result.bound == result.objective == least
            assert result.limit is None
        guarantee = SUKP[name].guarantee
        if guarantee is not None and (factor := guarantee(instance)) is not None:
            assert result.objective <= factor * least

    holds()


@by_name
def test_same_seed_same_answer(name: str) -> None:
    @examples(name, 15)
    @given(instance=sukps(), seed=st.integers(0, 5))
    def holds(instance: Sukp, seed: int) -> None:
        again = replace(instance, name="anew", source="elsewhere", seed=9)
        first, second = (run(name, one, seed=seed) for one in (instance, again))
        assert first.chosen == second.chosen
        assert first.bound == second.bound

    holds()


@exact_by_name
def test_the_optimum_survives_reordering(name: str) -> None:
    @examples(name, 40)
    @given(instance=sukps(), data=st.data())
    def holds(instance: Sukp, data: st.DataObject) -> None:
        other = relisted(instance, data)
        assert run(name, instance).objective == run(name, other).objective

    holds()


@exact_by_name
def test_what_weighs_nothing_or_gains_nothing_changes_nothing(name: str) -> None:
    @examples(name, 25)
    @given(instance=sukps(most_items=6))
    def holds(instance: Sukp) -> None:
        light = len(instance.weights)
        everything = tuple(range(light + 1))
        more = replace(
            instance,
            profits=(*instance.profits, 0),
            weights=(*instance.weights, 0),
            items=(*(tuple([*needs, light]) for needs in instance.items), everything),
        )
        assert run(name, more).objective == run(name, instance).objective

    holds()


@pytest.mark.parametrize("how", [{"node_limit": 1}, {"time_limit": 1e-6}], ids=str)
@by_name
def test_limits_leave_something_valid(name: str, how: dict[str, float]) -> None:
    @examples(name, 20)
    @given(instance=sukps())
    def holds(instance: Sukp) -> None:
        result = run(name, instance, **how)
        least = least_left_out(instance)
        assert result.status in (Status.OPTIMAL, Status.FEASIBLE, Status.UNKNOWN)
        if result.chosen is not None:
            assert check(instance, result.chosen) == []
            assert result.objective == cost(instance, result.chosen)
            assert isinstance(result.objective, int)
            assert result.objective >= least
        if result.bound is not None:
            assert isinstance(result.bound, int)
            assert result.bound <= least
        if SUKP[name].exact and result.status is not Status.OPTIMAL:
            assert result.limit in (Limit.TIME, Limit.NODES)

    holds()


def test_room_for_nothing_and_for_all() -> None:
    full = Sukp("full", (5, 4), (3, 2), ((0,), (0, 1)), 5)
    for name, method in SUKP.items():
        few = Settings() if method.exact else Settings(node_limit=2000)
        if accepts(method, full):
            assert method(full, few).chosen == (0, 1), name
            assert method(replace(full, capacity=0), few).objective == 9, name
