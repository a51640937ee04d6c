"""What every method for processor sets must hold to, whatever it does inside."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from closeknit.heuristics import PROCSET
from closeknit.heuristics.registry import Method
from closeknit.instances import ProcessorSet, ProcSet, check, cost
from closeknit.instances.value import ordered
from closeknit.solvers import Grade, Limit, Result, Settings, Status

from .strategies import cheapest, procsets

EXACT = [name for name, method in PROCSET.items() if method.exact]

by_name = pytest.mark.parametrize("name", PROCSET)
exact_by_name = pytest.mark.parametrize("name", EXACT)


def examples(name: str, many: int) -> settings:
    """Settings of Hypothesis: solvers start a process each time, so few for them."""
    return settings(
        max_examples=4 if PROCSET[name].runs_solver else many,
        deadline=None,
        derandomize=PROCSET[name].runs_solver,
        suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
        database=None,
    )


def run(name: str, instance: ProcSet, **how: object) -> Result:
    """Run a method where it may be run."""
    assume(accepts(PROCSET[name], instance))
    return PROCSET[name](instance, Settings(**how))  # type: ignore[arg-type]


def accepts(method: Method[ProcSet], instance: ProcSet) -> bool:
    return not (method.refuses and method.refuses(instance))


def relisted(instance: ProcSet, data: st.DataObject) -> ProcSet:
    """Rename processors, list them in another order, and the sets likewise."""
    order = data.draw(st.permutations(range(len(instance.processors))))
    place = {old: new for new, old in enumerate(order)}
    return ProcSet(
        "relisted",
        tuple(f"p{old}" for old in order),
        tuple(place[i] for i in instance.available),
        instance.request,
        tuple(
            ProcessorSet(f"t{i}", tuple(place[j] for j in one.members), one.cost)
            for i, one in enumerate(data.draw(st.permutations(instance.sets)))
        ),
    )


@by_name
def test_states_what_it_promises(name: str) -> None:
    method = PROCSET[name]
    assert method.summary.endswith(".")
    for what in ("Guarantee", "Time", "Source"):
        assert method.says(what), f"{name} does not state its {what}"
    if not method.exact:
        assert method.says("Ties"), f"{name} does not state its tie order"


@by_name
def test_answers_are_valid_and_honest(name: str) -> None:
    @examples(name, 80)
    @given(instance=procsets())
    def holds(instance: ProcSet) -> None:
        method = PROCSET[name]
        result = run(name, instance)
        least = cheapest(instance)
        assert result.chosen is not None
        assert check(instance, result.chosen) == []
        assert list(result.chosen) == sorted(set(result.chosen))
        assert result.objective == cost(instance, result.chosen)
        assert isinstance(result.objective, tuple)
        assert result.objective >= least
        assert result.limit is None
        if result.bound is not None:
            assert ordered(result.bound) <= least
        if method.exact:
            assert result.status is Status.OPTIMAL
            assert result.bound == result.objective == least
            assert result.proof is not None
            if result.proof.grade is Grade.SOLVER:
                assert method.runs_solver or name == "auto"
        if method.guarantee is not None:
            factor = method.guarantee(instance)
            if factor is not None:
                levels = zip(result.objective, least, strict=True)
                paid, optimum = next(
                    ((a, b) for a, b in levels if a != b), (least[0], least[0])
                )
                assert paid <= factor * optimum

    holds()


@by_name
def test_same_seed_same_answer(name: str) -> None:
    @examples(name, 25)
    @given(instance=procsets(), seed=st.integers(0, 5))
    def holds(instance: ProcSet, seed: int) -> None:
        again = replace(instance, name="anew", source="elsewhere", seed=9)
        first, second = (run(name, one, seed=seed) for one in (instance, again))
        assert first.chosen == second.chosen
        assert first.bound == second.bound

    holds()


@exact_by_name
def test_the_optimum_survives_renaming_and_reordering(name: str) -> None:
    @examples(name, 40)
    @given(instance=procsets(), data=st.data())
    def holds(instance: ProcSet, data: st.DataObject) -> None:
        other = relisted(instance, data)
        assert run(name, instance).objective == run(name, other).objective

    holds()


@exact_by_name
def test_what_costs_nothing_or_is_busy_changes_nothing(name: str) -> None:
    @examples(name, 25)
    @given(instance=procsets(), data=st.data())
    def holds(instance: ProcSet, data: st.DataObject) -> None:
        nothing = (0,) * instance.levels
        everyone = tuple(range(len(instance.processors)))
        stranger = len(instance.processors)
        price = data.draw(st.tuples(*[st.integers(0, 9)] * instance.levels))
        more = replace(
            instance,
            processors=(*instance.processors, "stranger"),
            sets=(
                ProcessorSet("free of charge", everyone, nothing),
                *instance.sets,
                ProcessorSet("never touched", (stranger,), price),
            ),
        )
        assert run(name, more).objective == run(name, instance).objective

    holds()


@by_name
def test_more_than_there_are_is_proved_infeasible(name: str) -> None:
    @examples(name, 15)
    @given(instance=procsets(infeasible=True))
    def holds(instance: ProcSet) -> None:
        short = replace(instance, request=instance.n + 1)
        if not accepts(PROCSET[name], short):
            return
        result = PROCSET[name](short)
        assert result.status is Status.INFEASIBLE
        assert str(result.proof) == "checked: counting"
        assert (result.chosen, result.objective, result.bound) == (None, None, None)

    holds()


@pytest.mark.parametrize("how", [{"node_limit": 1}, {"time_limit": 1e-6}], ids=str)
@by_name
def test_limits_leave_something_valid(name: str, how: dict[str, float]) -> None:
    @examples(name, 20)
    @given(instance=procsets())
    def holds(instance: ProcSet) -> None:
        result = run(name, instance, **how)
        least = cheapest(instance)
        assert result.status in (Status.OPTIMAL, Status.FEASIBLE, Status.UNKNOWN)
        if result.chosen is not None:
            assert check(instance, result.chosen) == []
            assert result.objective == cost(instance, result.chosen)
            assert ordered(result.objective) >= least
        if result.bound is not None:
            assert ordered(result.bound) <= least
        if PROCSET[name].exact and result.status is not Status.OPTIMAL:
            assert result.limit in (Limit.TIME, Limit.NODES)

    holds()


def test_all_processors_requested_leave_no_choice() -> None:
    sets = (ProcessorSet("both", (0, 1), (2, 0)), ProcessorSet("one", (1,), (0, 5)))
    instance = ProcSet("all", ("a", "b", "c"), (0, 1), 2, sets)
    for name, method in PROCSET.items():
        if accepts(method, instance):
            result = method(instance)
            assert result.chosen == (0, 1), name
            assert result.objective == (2, 5), name
