"""Models for CP-SAT: which jobs to move so that domains are free of jobs."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from ortools.sat.python import cp_model

from ...instances import InputError
from ...solvers import Limit, Settings, cpsat
from .layout import ClusterLayout

_MOST_PAIRS = 2**18
"""Maximal number of pairs of a job and a leaf in a model."""
Counts = list[dict[int, int]]
"""Of every job, how many nodes it has on each leaf."""


@dataclass(frozen=True)
class Goal:
    """What is wanted."""

    domains: int = 0
    """So many domains without a job."""
    room: int = 0
    """One domain with so many free nodes."""
    by_jobs: bool = False
    """Count moved jobs first, then nodes; otherwise nodes first."""
    spread: bool = False
    """Whether a job may get onto more leaves than it is on."""


@dataclass(frozen=True)
class Solved:
    """The best arrangement found."""

    after: Counts | None
    """None if nothing was found."""
    bound: int | None
    """On moved nodes, or jobs; None if the goal is proved to be impossible."""
    limit: Limit | None = None


def freed_domains(layout: ClusterLayout, goal: Goal, settings: Settings) -> Solved:
    """Choose the domains that are freed as if jobs could be torn apart at will.

    Then only the nodes of freed domains move, and there is room if the other domains
    have as many free nodes. Exact if the goal allows jobs to spread; otherwise the
    bound holds, and the arrangement is None.
    """
    model = cp_model.CpModel()
    freed = [model.new_bool_var(f"free {name}") for name in layout.domains]
    model.add(cp_model.LinearExpr.sum(freed) >= goal.domains)
    gone = _leaf_variables(layout, model, freed)
    taken: defaultdict[_Cell, int] = defaultdict(int)
    held: defaultdict[tuple[int, _Cell], int] = defaultdict(int)
    total: defaultdict[int, int] = defaultdict(int)
    for leaf, nodes in enumerate(layout.free):
        total[layout.part[leaf]] += len(nodes)
        held[layout.part[leaf], layout.within[leaf]] += len(nodes)
    moved = [model.new_bool_var(f"move {job.name}") for job in layout.jobs]
    for job, x in zip(layout.jobs, moved, strict=True):
        for leaf, some in job.nodes.items():
            cell = layout.within[leaf]
            taken[cell] += len(some)
            held[layout.part[leaf], cell] += len(some)
            if job.stays and cell:
                model.add(gone[cell] == 0)
            if cell:
                model.add_implication(gone[cell], x)
    for part, free in total.items():
        mine = [cell for cell in gone if held[part, cell]]
        weights = [held[part, cell] for cell in mine]
        sum_ = cp_model.LinearExpr.weighted_sum([gone[cell] for cell in mine], weights)
        # Empty domains that stay empty are not needed as room.
        model.add(sum_ <= free)
    nodes_ = cp_model.LinearExpr.weighted_sum(
        list(gone.values()), [taken[cell] for cell in gone]
    )
    weight = _minimise(model, layout, goal, nodes_, moved)
    found = cpsat.decide(model, freed, settings=settings)
    if found.impossible:
        return Solved(None, None)
    bound = max(0, found.bound or 0) // weight
    if found.values is None or not goal.spread:
        return Solved(None, bound, found.limit)
    return Solved(_refill(layout, found.values), bound, found.limit)


_Cell = tuple[int, ...]
"""The domains of a leaf."""


def _leaf_variables(
    layout: ClusterLayout, model: cp_model.CpModel, freed: list[cp_model.IntVar]
) -> dict[_Cell, cp_model.IntVar]:
    """Return, for leaves in the same domains, whether any of these is freed."""
    found: dict[_Cell, cp_model.IntVar] = {}
    for cell in dict.fromkeys(layout.within):
        if len(cell) == 1:
            found[cell] = freed[cell[0]]
        elif cell:
            found[cell] = model.new_bool_var(f"empty {cell}")
            for g in cell:
                model.add_implication(freed[g], found[cell])
    return found


def _minimise(
    model: cp_model.CpModel,
    layout: ClusterLayout,
    goal: Goal,
    nodes: cp_model.LinearExprT,
    moved: list[cp_model.IntVar],
) -> int:
    """Minimise moved nodes, then jobs, or vice versa; return the first weight."""
    jobs = cp_model.LinearExpr.sum(moved)
    if goal.by_jobs:
        weight = sum(job.size for job in layout.jobs) + 1
        model.minimize(weight * jobs + nodes)
    else:
        weight = len(layout.jobs) + 1
        model.minimize(weight * nodes + jobs)
    return weight


def _refill(layout: ClusterLayout, freed: list[int]) -> Counts:
    """Move the nodes of freed domains to free ones elsewhere, in order."""
    room = {
        leaf: len(nodes)
        for leaf, nodes in enumerate(layout.free)
        if not any(freed[g] for g in layout.within[leaf])
    }
    after: Counts = []
    for job in layout.jobs:
        counts = {v: len(nodes) for v, nodes in job.nodes.items()}
        for leaf, count in list(counts.items()):
            if not any(freed[g] for g in layout.within[leaf]):
                continue
            del counts[leaf]
            for other in room:
                if layout.part[other] == layout.part[leaf] and room[other] and count:
                    some = min(count, room[other])
                    room[other] -= some
                    count -= some
                    counts[other] = counts.get(other, 0) + some
        after.append(counts)
    return after


def rearrange(
    layout: ClusterLayout, goal: Goal, settings: Settings, least: int = 0
) -> Solved:
    """Find the arrangement with the fewest moves.

    Parameters
    ----------
    layout
        Where the jobs are.
    goal
        What is wanted.
    settings
        The time limit counts.
    least
        Proved: fewer moves (nodes, or jobs) will not do.
    """
    movable = sum(not job.stays for job in layout.jobs)
    if movable * len(layout.leaves) > _MOST_PAIRS:
        problem = f"jobs times switches must be at most {_MOST_PAIRS}"
        raise InputError(problem, "state", movable * len(layout.leaves))
    model = cp_model.CpModel()
    leaves = range(len(layout.leaves))
    room = [len(nodes) for nodes in layout.free]
    for job in layout.jobs:
        for v, nodes in job.nodes.items():
            room[v] += len(nodes)
    counts: list[dict[int, cp_model.LinearExprT]] = []
    moved: list[cp_model.IntVar] = []
    kept: list[cp_model.LinearExprT] = []
    for job in layout.jobs:
        have = {v: len(nodes) for v, nodes in job.nodes.items()}
        moves = model.new_bool_var(f"move {job.name}")
        moved.append(moves)
        if job.stays:
            model.add(moves == 0)
            counts.append(dict(have))
            kept.append(job.size)
            continue
        mine: dict[int, cp_model.LinearExprT] = {}
        used: dict[int, cp_model.IntVar] = {}
        stayed = []
        parts = {layout.part[v] for v in have}
        for v in leaves:
            if layout.part[v] not in parts or not room[v]:
                continue
            most = have.get(v, 0) if layout.closed[v] else min(job.size, room[v])
            x = model.new_int_var(0, most, f"{job.name} on {v}")
            mine[v] = x
            if not goal.spread:
                at = layout.place[v]
                if at not in used:
                    used[at] = model.new_bool_var(f"{job.name} uses {at}")
                model.add(x <= most * used[at])
            if v in have:
                same = model.new_int_var(0, have[v], f"{job.name} keeps {v}")
                model.add(same <= x)
                stayed.append(same)
        for part in parts:
            inside = [mine[v] for v in mine if layout.part[v] == part]
            size = sum(count for v, count in have.items() if layout.part[v] == part)
            model.add(cp_model.LinearExpr.sum(inside) == size)
        if not goal.spread:
            places = {layout.place[v] for v in have}
            model.add(cp_model.LinearExpr.sum(list(used.values())) <= len(places))
        total = cp_model.LinearExpr.sum(stayed)
        model.add(job.size - total <= job.size * moves)
        kept.append(total)
        counts.append(mine)
    _want(model, layout, goal, counts, room)
    nodes = sum(job.size for job in layout.jobs) - cp_model.LinearExpr.sum(kept)
    model.add((cp_model.LinearExpr.sum(moved) if goal.by_jobs else nodes) >= least)
    weight = _minimise(model, layout, goal, nodes, moved)
    variables = [x for mine in counts for x in mine.values() if not isinstance(x, int)]
    found = cpsat.decide(model, variables, settings=settings)
    if found.impossible:
        return Solved(None, None)
    bound = max(least, (found.bound or 0) // weight)
    if found.values is None:
        return Solved(None, bound, found.limit)
    values = iter(found.values)
    after = [
        {
            v: n
            for v, x in mine.items()
            if (n := x if isinstance(x, int) else next(values))
        }
        for mine in counts
    ]
    return Solved(after, bound, found.limit)


def _want(
    model: cp_model.CpModel,
    layout: ClusterLayout,
    goal: Goal,
    counts: list[dict[int, cp_model.LinearExprT]],
    room: list[int],
) -> None:
    """Add that leaves are not overfull, and that the goal is reached."""
    on: list[list[cp_model.LinearExprT]] = [[] for _ in room]
    for mine in counts:
        for v, x in mine.items():
            on[v].append(x)
    reached = [model.new_bool_var(f"free {name}") for name in layout.domains]
    model.add(cp_model.LinearExpr.sum(reached) >= (1 if goal.room else goal.domains))
    inside: list[list[int]] = [[] for _ in layout.domains]
    for v, most in enumerate(room):
        used = cp_model.LinearExpr.sum(on[v])
        if goal.room or not layout.within[v]:
            model.add(used <= most)
        for domain in layout.within[v]:
            inside[domain].append(v)
            if not goal.room:
                model.add(used <= most * (1 - reached[domain]))
    if goal.room:
        for g, listed in enumerate(inside):
            members = [v for v in listed if not layout.closed[v]]
            most = sum(room[v] + layout.coming[v] for v in members)
            taken = cp_model.LinearExpr.sum([x for v in members for x in on[v]])
            model.add(most - taken >= goal.room * reached[g])
