"""Optima of an instance and of its relatives agree, by all methods that prove them."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from closeknit.instances import problem_of, sha256
from closeknit.methods import METHODS
from closeknit.solvers import DEFAULT, Result, Settings, Status
from closeknit.solvers.running.method import AnyMethod, Method
from tests.metamorphic.relations import RELATIONS
from tests.metamorphic.runner import (
    exact_methods,
    pairs_of,
    starts_processes,
    try_case,
    try_numbers,
)

CASES, FEW = 6, 1
"""Of each relation; the second for methods that start a process for each instance."""
PIECE = 2500


@pytest.mark.parametrize(
    "method", exact_methods(), ids=lambda one: f"{one.problem} {one.name}"
)
def test_every_exact_method_obeys_every_relation(method: AnyMethod) -> None:
    tried = 0
    for _, relation in pairs_of([method]):
        for case in range(FEW if starts_processes(method) else CASES):
            name = f"{method.problem} {method.name} {relation} {case}"
            found = try_case(Random(name), method, relation, name)
            assert found.wrong == []
            tried += found.tried.total()
    assert tried >= (3 if starts_processes(method) else 4 * CASES)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 10_000, PIECE))
def test_ten_thousand_cases(first: int) -> None:
    """``make metamorphic`` tries a million."""
    found = try_numbers(range(first, first + PIECE))
    assert found.wrong == []
    assert found.tried.total() == PIECE


def dearer(instance: Any, /, settings: Settings = DEFAULT) -> Result:
    """Claim too large an optimum of about every second instance."""
    auto: AnyMethod = METHODS[problem_of(instance).name]["auto"]
    found = auto(instance, settings)
    if found.status is Status.OPTIMAL and int(sha256(instance), 16) % 2:
        more: Any = found.objective
        more = more + 10**7 if isinstance(more, int) else (more[0] + 10**7, *more[1:])
        return replace(found, objective=more, bound=more)
    return found


@pytest.mark.parametrize(
    ("problem", "relation"),
    [(p, name) for p, some in RELATIONS.items() for name in some],
)
def test_a_wrong_optimum_is_noticed(problem: str, relation: str) -> None:
    takes = METHODS[problem]["auto"].takes_required
    method = Method("dearer", dearer, exact=True, takes_required=takes, problem=problem)
    for case in range(60):
        name = f"dearer {relation} {case}"
        if try_case(Random(name), method, relation, name).wrong:
            return
    pytest.fail("nothing is noticed")
