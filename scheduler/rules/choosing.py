"""A choice by a rule, priced, beside the proved optimum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...instances import InputError
from ...instances.suggestions import entry_named
from ...solvers import DEFAULT, Settings, Status, clock
from ..placement import NodeSelector, Placement, Request, measures
from ..topologies import Hierarchy
from .greedy import RULES
from .state import Flags, State


def by_rule(
    name: str,
    selector: NodeSelector,
    request: Request,
    free: Sequence[Flags],
    settings: Settings = DEFAULT,
) -> Placement:
    """Choose nodes by a rule, in the first fabric where it finds any.

    Returns
    -------
    Placement
        With the bound of the exact choice, and optimal if it costs no more.

    Raises
    ------
    InputError
        If there is no such rule, or it knows nothing of what the request asks for.
    """
    rule = entry_named(name, RULES, "method", "rule")
    if request.levels or request.require or (request.segment > 1 and not rule.segments):
        problem = "knows no groups at several levels and no required nodes"
        if request.segment > 1 and not rule.segments:
            problem = "knows no segments"
        raise InputError(problem, "method", name)
    exact = selector.select(request, free, settings)
    start = clock.now()
    for i, fabric in enumerate(selector.cluster.fabrics):
        if not isinstance(fabric, Hierarchy):
            raise InputError("is for trees and blocks", "method", name)
        state = State(fabric, free[i], request.segment)
        chosen = rule.choose(state, request.k // request.segment)
        if chosen is None or len(chosen) != request.k:
            continue
        at = np.bincount(fabric.home[free[i]], minlength=len(fabric.parent))
        found = measures.cost(fabric, request.objective, chosen, fabric.below(at))
        optimal = found == exact.bound
        return Placement(
            Status.OPTIMAL if optimal else Status.FEASIBLE,
            i,
            chosen,
            found,
            exact.bound,
            exact.by,
            exact.limit,
            clock.now() - start,
        )
    if exact.status is Status.INFEASIBLE:
        return exact
    return replace(exact, status=Status.UNKNOWN, chosen=(), objective=None)
