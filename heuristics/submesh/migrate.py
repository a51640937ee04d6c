"""Room for a request by moving residents: as few, as small and as near as can be."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter

from ...instances import Submesh
from ...solvers import DEFAULT, Result, Settings, Status
from .first_fit import first_fit


def migrate(instance: Submesh, /, settings: Settings = DEFAULT) -> Result:
    """Move the fewest residents, then the least area, then the least way, by CP-SAT.

    A free place costs nothing and needs no model. Otherwise one model decides whether
    there is room at all, and then minimises residents, area and way one after the
    other, each kept at its optimum. Stopped early, it has the optima of the levels
    that are settled for a bound.

    Guarantee: exact.
    Time: exponential at worst, see docs/submesh-migration.md.
    Source: Morgenstern 1994, section 3.3, whose migration this makes exact.
    """
    start = perf_counter()
    direct = first_fit(instance, settings)
    if direct.status in (Status.OPTIMAL, Status.INFEASIBLE) or direct.limit:
        return replace(direct, seconds=perf_counter() - start)
    from ...formulations.submesh_moves import moves
    from ...solvers import cpsat

    return cpsat.solve(moves(instance), settings=settings, start=start)
