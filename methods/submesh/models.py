"""Feasibility with migration by mixed-integer solvers, as a reference."""

from __future__ import annotations

from ...instances import Submesh
from ...solvers import Limit, Result, Settings, answer
from ...solvers.running import clock
from ...solvers.running.method import Method, Variant

BACKENDS = {"highs": "HiGHS"}
"""The backends, and the display names of the solvers."""

_DOC = """Decide by {solver}: for every two boxes, which lies left of or below which.

Guarantee: exact on whether there is a placement, if the solver is right.
Time: exponential at worst; measured in docs/submesh-feasibility.md.
Source: the relative positions of Onodera, Taniguchi and Tamaru 1991.
"""


def methods() -> list[Method[Submesh]]:
    """Return one method per backend."""
    return [
        Method(
            f"left-below/{backend}",
            Variant(run, (backend,), _DOC.format(solver=solver)),
            refuses=refusal,
            seeded=True,
            runs_solver=True,
        )
        for backend, solver in BACKENDS.items()
    ]


def refusal(instance: Submesh) -> str | None:
    """Return why there is no mixed-integer model of an instance; None if there is."""
    from ...formulations.submesh.packing_mip import refusal

    return refusal(instance)


def run(backend: str, instance: Submesh, settings: Settings) -> Result:
    """Solve the model of relative positions with a backend."""
    start = clock.now()
    try:
        from ...formulations.submesh.packing_mip import left_below
        from ...solvers import mip

        built = left_below(instance)
    except KeyboardInterrupt:
        return answer(instance, None, start=start, limit=Limit.INTERRUPT)
    return mip.solve(built, backend, settings=settings, start=start)
