"""The exact front of moves against domains freed, with a plan for each point."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ...solvers import DEFAULT, Limit, Settings, cpsat
from ...solvers.running import clock
from .defrag_model import Counts, Goal, Solved, freed_domains, rearrange
from .layout import ClusterLayout
from .move_order import JobMove, steps


@dataclass(frozen=True)
class GoalMoves:
    """The fewest moves for one goal."""

    goal: Goal
    nodes: int | None
    """Moved nodes, and jobs; None if nothing was found."""
    jobs: int | None
    bound: int | None
    """Proved on nodes, or on jobs if these count first; None if it is impossible."""
    freed: tuple[str, ...] = ()
    """The domains without a job in the end; or with room for the job."""
    plan: tuple[JobMove, ...] | None = ()
    """The moves in order; None if no possible order was found."""
    by: str = cpsat.BY
    limit: Limit | None = None

    @property
    def proved(self) -> bool:
        """Whether no other way has fewer moves, or there is no way."""
        value = self.jobs if self.goal.by_jobs else self.nodes
        return self.bound is None or value == self.bound


def front(
    layout: ClusterLayout, goal: Goal, settings: Settings = DEFAULT
) -> Iterator[GoalMoves]:
    """Find the fewest moves for one domain more than are free now, for two, and so on.

    The last point is impossible, or the limit was reached at it.
    """
    start = clock.now()
    taken = layout.taken()
    least = 0
    for count in range(taken.count(0) + 1, len(layout.domains) + 1):
        wanted = replace(goal, domains=count)
        point = fewest(layout, wanted, settings.remaining(start), least)
        yield point
        if point.nodes is None or point.limit:
            return
        least = point.bound or 0


def fewest(
    layout: ClusterLayout, goal: Goal, settings: Settings = DEFAULT, least: int = 0
) -> GoalMoves:
    """Find the fewest moves that reach a goal.

    Parameters
    ----------
    layout
        Where the jobs are.
    goal
        What is wanted.
    settings
        The time limit counts.
    least
        Proved: it takes at least so many moved nodes, or jobs.
    """
    start = clock.now()
    solved = Solved(None, least)
    if not goal.room:
        solved = freed_domains(layout, goal, settings)
        if solved.bound is None:
            return GoalMoves(goal, None, None, None)
    bound = max(least, solved.bound or 0)
    if solved.after is None:
        solved = rearrange(layout, goal, settings.remaining(start), bound)
    if solved.after is None:
        return GoalMoves(goal, None, None, solved.bound, limit=solved.limit)
    nodes, jobs = _count_moves(layout, solved.after)
    return GoalMoves(
        goal,
        nodes,
        jobs,
        max(bound, solved.bound or 0),
        tuple(_domains_met(layout, goal, solved.after)),
        steps(layout, solved.after),
        limit=solved.limit,
    )


def _count_moves(layout: ClusterLayout, after: Counts) -> tuple[int, int]:
    """Return how many nodes and how many jobs are moved."""
    moved = [
        (
            Counter({v: len(nodes) for v, nodes in job.nodes.items()}) - Counter(x)
        ).total()
        for job, x in zip(layout.jobs, after, strict=True)
    ]
    return sum(moved), sum(map(bool, moved))


def _domains_met(layout: ClusterLayout, goal: Goal, after: Counts) -> Iterator[str]:
    """Return the domains that are as they were wanted."""
    room = [0] * len(layout.domains)
    on = [0] * len(layout.domains)
    for v, inside in enumerate(layout.within):
        for domain in inside:
            room[domain] += len(layout.free[v]) + layout.coming[v]
    for job, counts in zip(layout.jobs, after, strict=True):
        for v in {*counts, *job.nodes}:
            now = counts.get(v, 0)
            for domain in layout.within[v]:
                left = len(job.nodes.get(v, ())) - now
                room[domain] += 0 if layout.closed[v] else left
                on[domain] += now
    for g, name in enumerate(layout.domains):
        if room[g] >= goal.room if goal.room else not on[g]:
            yield name
