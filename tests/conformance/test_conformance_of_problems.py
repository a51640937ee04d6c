"""What every method must hold to, whatever the problem and whatever it does inside."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from closeknit.instances.value import as_tuple
from closeknit.methods import METHODS
from closeknit.solvers import Grade, Limit, Status
from closeknit.solvers.running.method import AnyMethod

from .suite import SUBJECTS, Subject

PROVED = (Status.OPTIMAL, Status.INFEASIBLE)

by_name = pytest.mark.parametrize(
    ("subject", "name"),
    [
        pytest.param(subject, name, id=f"{problem}-{name}")
        for problem, subject in SUBJECTS.items()
        for name in subject.methods
    ],
)


@pytest.mark.parametrize(
    "method",
    [method for table in METHODS.values() for method in table.values()],
    ids=lambda method: f"{method.problem}-{method.name}",
)
def test_states_what_it_promises(method: AnyMethod) -> None:
    assert method.summary.endswith(".")
    wanted = ["Guarantee", "Time", "Source"]
    if not (method.exact or method.runs_solver):
        wanted.append("Ties")
    for what in wanted:
        assert method.doc_entry(what), f"{method.name} does not state its {what}"


@by_name
def test_answers_are_valid_and_honest(subject: Subject, name: str) -> None:
    method = subject.methods[name]

    @subject.examples(name, 50)
    @given(instance=subject.instances)
    def holds(instance: Any) -> None:
        result = subject.run(name, instance)
        least = subject.hold(instance, result)
        if method.exact or "node_limit" not in subject.heuristics:
            assert result.limit is None
        if subject.always:
            assert result.chosen is not None
        if method.exact and least is None:
            assert result.status is Status.INFEASIBLE
        elif method.exact:
            assert result.status is Status.OPTIMAL
            assert result.bound == result.objective == least
        if result.proof is not None and result.proof.grade is Grade.SOLVER:
            assert method.runs_solver or name in subject.mixed
        factor = method.guarantee(instance) if method.guarantee else None
        if factor is not None:
            assert result.objective is not None
            assert least is not None
            levels = list(zip(as_tuple(result.objective), as_tuple(least), strict=True))
            paid, optimum = next(((a, b) for a, b in levels if a != b), levels[0])
            assert paid <= factor * optimum

    holds()


@by_name
def test_same_seed_same_answer(subject: Subject, name: str) -> None:
    """Nor does the seed matter where it is not said."""
    seeded = subject.methods[name].seeded

    @subject.examples(name, 20)
    @given(instance=subject.instances, seed=st.integers(0, 5))
    def holds(instance: Any, seed: int) -> None:
        again = replace(instance, name="anew", source="elsewhere", seed=9)
        first = subject.run(name, instance, seed=seed)
        second = subject.run(name, again, seed=seed if seeded else 0)
        assert first.status is second.status
        assert first.chosen == second.chosen
        assert first.bound == second.bound

    holds()


@pytest.mark.parametrize("how", [{"node_limit": 1}, {"time_limit": 1e-6}], ids=str)
@by_name
def test_limits_leave_something_valid(
    subject: Subject, name: str, how: dict[str, float]
) -> None:
    @subject.examples(name, 12)
    @given(instance=subject.instances)
    def holds(instance: Any) -> None:
        result = subject.run(name, instance, **how)
        subject.hold(instance, result)
        if subject.methods[name].exact and result.status not in PROVED:
            assert result.limit in (Limit.TIME, Limit.NODES)

    holds()
