"""Feasibility with migration by mixed-integer solvers, as a reference."""

from __future__ import annotations

from ..instances import Submesh
from ..solvers import DEFAULT, Limit, Result, Settings, answer, clock


def refusal(instance: Submesh) -> str | None:
    """Say why there is no mixed-integer model of an instance; None if there is."""
    from ..formulations.submesh.packing_mip import refusal

    return refusal(instance)


def highs(instance: Submesh, /, settings: Settings = DEFAULT) -> Result:
    """Decide by HiGHS: for every two boxes, which lies left of or below which.

    Guarantee: exact on whether there is a placement, if the solver is right.
    Time: exponential at worst; measured in docs/submesh-feasibility.md.
    Source: the relative positions of Onodera, Taniguchi and Tamaru 1991.
    """
    return _run(instance, "highs", settings)


def scip(instance: Submesh, /, settings: Settings = DEFAULT) -> Result:
    """Decide by SCIP: for every two boxes, which lies left of or below which.

    Guarantee: exact on whether there is a placement, if the solver is right.
    Time: exponential at worst; measured in docs/submesh-feasibility.md.
    Source: the relative positions of Onodera, Taniguchi and Tamaru 1991.
    """
    return _run(instance, "scip", settings)


def _run(instance: Submesh, backend: str, settings: Settings) -> Result:
    start = clock.now()
    try:
        from ..formulations.submesh.packing_mip import left_below
        from ..solvers import mip

        built = left_below(instance)
    except KeyboardInterrupt:
        return answer(instance, None, start=start, limit=Limit.INTERRUPT)
    return mip.solve(built, backend, settings=settings, start=start)
