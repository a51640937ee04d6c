"""Methods for k-subsets that are wrong, for whoever must find that out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from closeknit.instances import KSubset, arrays
from closeknit.methods import KSUBSET
from closeknit.solvers import DEFAULT, Grade, Proof, Result, Settings, Status, answer
from closeknit.solvers.running import clock
from closeknit.solvers.running.method import Run


def farthest(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Choose the k farthest from the first; what a heuristic should not do."""
    start = clock.now()
    order = np.argsort(-arrays.hops(instance)[0], kind="stable")
    return answer(instance, order[: instance.k].tolist(), start=start)


def proved(found: Result, grade: Grade = Grade.ENUMERATED) -> Result:
    """Call a result optimal."""
    return replace(
        found,
        status=Status.OPTIMAL,
        bound=found.objective,
        proof=Proof(grade, "saboteur"),
        limit=None,
    )


def overconfident(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Claim, as the word of a solver, that whatever is farthest is optimal."""
    return proved(farthest(instance, settings), Grade.SOLVER)


def twice(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Choose one processor again and again."""
    return Result(status=Status.FEASIBLE, chosen=(0,) * instance.k, objective=0)


def with_saboteur(name: str, run: Run) -> Mapping[str, Run]:
    """Put a method in the place of a registered one."""
    return MappingProxyType({**KSUBSET, name: run})
