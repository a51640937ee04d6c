"""What every method for processor sets must hold to, besides what all must."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from closeknit.instances import ProcessorSet, ProcSet
from closeknit.solvers import Status

from ..strategies import procsets
from .suite import SUBJECTS

ALL = SUBJECTS["procset"]

by_name = pytest.mark.parametrize("name", ALL.methods)
exact_by_name = pytest.mark.parametrize("name", ALL.exact)


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


@exact_by_name
def test_the_optimum_survives_renaming_and_reordering(name: str) -> None:
    @ALL.examples(name, 40)
    @given(instance=procsets(), data=st.data())
    def holds(instance: ProcSet, data: st.DataObject) -> None:
        other = relisted(instance, data)
        assert ALL.run(name, instance).objective == ALL.run(name, other).objective

    holds()


@exact_by_name
def test_what_costs_nothing_or_is_busy_changes_nothing(name: str) -> None:
    @ALL.examples(name, 25)
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
        assert ALL.run(name, more).objective == ALL.run(name, instance).objective

    holds()


@by_name
def test_more_than_there_are_is_proved_infeasible(name: str) -> None:
    @ALL.examples(name, 15)
    @given(instance=procsets(infeasible=True))
    def holds(instance: ProcSet) -> None:
        short = replace(instance, request=instance.n + 1)
        if not ALL.accepts(name, short):
            return
        result = ALL.methods[name](short)
        assert result.status is Status.INFEASIBLE
        assert str(result.proof) == "checked: counting"
        assert (result.chosen, result.objective, result.bound) == (None, None, None)

    holds()


def test_all_processors_requested_leave_no_choice() -> None:
    sets = (ProcessorSet("both", (0, 1), (2, 0)), ProcessorSet("one", (1,), (0, 5)))
    instance = ProcSet("all", ("a", "b", "c"), (0, 1), 2, sets)
    for name, method in ALL.methods.items():
        if ALL.accepts(name, instance):
            result = method(instance)
            assert result.chosen == (0, 1), name
            assert result.objective == (2, 5), name
