"""What every method for processor sets must hold to, besides what all must."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from closeknit.instances import ProcessorSet, ProcSet
from closeknit.solvers import Status

from ..strategies import procsets
from .suite import SUBJECTS

ALL = SUBJECTS["procset"]

by_name = pytest.mark.parametrize("name", ALL.methods)


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
