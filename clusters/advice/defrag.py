"""The exact front of moves against domains freed, with a plan for each point."""

from __future__ import annotations

from collections.abc import Iterator

from ...formulations.cluster.changes.change import LeastChange
from ...formulations.cluster.changes.drain import FreeGoal, free_domains
from ...solvers import DEFAULT, Settings, Status
from ...solvers.running import clock
from .layout import ClusterLayout


def fewest(
    layout: ClusterLayout,
    count: int,
    settings: Settings = DEFAULT,
    *,
    room: int = 0,
    by_jobs: bool = False,
    spread: bool = False,
    least: int = 0,
) -> LeastChange:
    """Find the fewest moves after which so many domains are free of jobs.

    Parameters
    ----------
    layout
        Where the jobs are.
    count, room
        So many domains; or one domain with room for a job of so many nodes.
    settings
        The time limit counts.
    by_jobs
        Count moved jobs first, then nodes; otherwise nodes first.
    spread
        Whether a job may get onto more places than it is on.
    least
        Proved: it takes at least so many moved nodes, or jobs.
    """
    order = ("jobs", "devices") if by_jobs else ("devices", "jobs")
    more = (layout.coming, order, -1, spread, least)
    return free_domains(
        FreeGoal(layout.domains, count, room, *more), layout.state, settings
    )


def front(
    layout: ClusterLayout,
    settings: Settings = DEFAULT,
    *,
    by_jobs: bool = False,
    spread: bool = False,
) -> Iterator[tuple[int, LeastChange]]:
    """Find the fewest moves for one domain more than are free now, for two, and so on.

    The last point is impossible, or the limit was reached at it.
    """
    start, least = clock.now(), 0
    for count in range(layout.taken().count(0) + 1, len(layout.domains) + 1):
        left = settings.remaining(start)
        point = fewest(layout, count, left, by_jobs=by_jobs, spread=spread, least=least)
        yield count, point
        if point.status is Status.INFEASIBLE or point.limit:
            return
        least = point.stages[0].bound
