"""A choice by a rule, priced, next to the proved optimum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from ...instances import InputError
from ...instances.reading.suggestions import entry_named
from ...solvers import DEFAULT, Settings, Status
from ...solvers.running import clock
from ..placement import NodeSelector, Placement, Request
from ..placement.domains import as_written_down
from ..placement.program import Chooser
from ..placement.space import SpaceChooser
from .greedy import RULES
from .state import Flags, HierarchyState

_GONE = {
    "slurm-pack-serial": "slurm-tree",
    "slurm-hilbert": "slurm-flat",
    "volcano-spread": "volcano-binpack",
}
"""Rules that were removed, and what comes closest."""


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
        If there is no such rule, or it knows nothing of what the request asks for, or
        of such networks.
    """
    if instead := _GONE.get(name):
        raise InputError(f"{name} was removed: take {instead}", "method")
    rule = entry_named(name, RULES, "method", "rule")
    special = request.levels or request.require or request.slice
    if special or (request.segment > 1 and not rule.segments):
        problem = "knows no groups at several levels, no required nodes and no slices"
        if request.segment > 1 and not rule.segments:
            problem = "knows no segments"
        raise InputError(problem, "method", name)
    exact = selector.select(request, free, settings)
    start = clock.now()
    for i, chooser in enumerate(selector.choosers):
        state = seen(name, chooser, free[i], request.segment)
        chosen = rule.choose(state, request.k // request.segment)
        if chosen is None or len(chosen) != request.k:
            continue
        found = chooser.cost(request.objective, chosen, free[i])
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


def seen(
    name: str, chooser: Chooser | SpaceChooser, free: Flags, size: int = 1
) -> HierarchyState:
    """Return what a rule sees of the free nodes of one fabric.

    Raises InputError if it knows nothing of such networks.
    """
    if isinstance(chooser, Chooser):
        return HierarchyState(chooser.fabric, free, size)
    if not RULES[name].anywhere and chooser.alike.cables is None:
        problem = f"is for networks with leaf switches, not for {chooser.fabric.kinds}"
        raise InputError(f"{name} {problem}", "method")
    return HierarchyState(_written_down(chooser.alike), free, size)


_written_down = lru_cache(maxsize=16)(as_written_down)
