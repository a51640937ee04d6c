"""The exact model of processor sets, run by general solvers.

``cpsat`` and ``mip`` (which is HiGHS), and ``mip/scip`` and ``mip/cbc``. Neither
ortools nor PuLP is imported before a method is run.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from time import perf_counter
from typing import TYPE_CHECKING, Any

from ...instances import ProcSet, cost
from ...solvers import DEFAULT, Grade, Limit, Proof, Result, Settings, answer

if TYPE_CHECKING:
    from ..registry import RunOn

BACKENDS = {"cpsat": "cp-sat", "mip": "highs", "mip/scip": "scip", "mip/cbc": "cbc"}
"""Names of the methods, and what solves the model."""
NAMES = tuple(BACKENDS)
_FREE = Proof(Grade.CHECKED, "costs that are not negative")


def refusal(name: str, instance: ProcSet) -> str | None:
    """Say why a method would not prove anything about an instance."""
    if name == "cpsat":
        return None
    from ...formulations.procset_mip import refusal

    return refusal(instance)


@cache
def method(name: str) -> RunOn[ProcSet]:
    """Return the function of a method.

    Raises
    ------
    KeyError
        When there is no such method.
    """
    backend = BACKENDS[name]

    def run(instance: ProcSet, /, settings: Settings = DEFAULT) -> Result:
        return _run(backend, instance, settings)

    run.__name__ = run.__qualname__ = name
    run.__doc__ = (
        f"Solve the model over classes of like processors with {backend}.\n\n"
        "One level of the cost after the other, each kept at its optimum. Starts from "
        "the classes that add least, one by one. Stopped within a level, the bound is "
        "the optima of the levels before, the solver's bound on this one, and 0 for "
        "the rest.\n\n"
        "Guarantee: exact, if the solver is right.\n"
        "Time: exponential at worst; measured in docs/procset-models.md.\n"
        "Source: Drakenberg 2012, eqs. 1 and 2, written as a model; levels one by "
        "one as in preemptive goal programming.\n"
    )
    return run


def __getattr__(name: str) -> Any:
    if name in NAMES:
        return method(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _run(backend: str, instance: ProcSet, settings: Settings) -> Result:
    start = perf_counter()
    hint: tuple[int, ...] | None = None
    try:
        from ...formulations.procset_terms import ProcsetTerms
        from .cheapest_first import cheapest_first

        terms = ProcsetTerms(instance)
        hint = cheapest_first(terms.grouped)
        nothing = (0,) * instance.levels
        if cost(instance, hint) == nothing:
            return answer(instance, hint, start=start, bound=nothing, proof=_FREE)
        solve = _with_cpsat if backend == "cp-sat" else _with_mip
        run = solve(instance, hint, backend)
    except KeyboardInterrupt:
        return answer(instance, hint, start=start, limit=Limit.INTERRUPT)
    return run(settings=settings, start=start)


def _with_cpsat(
    instance: ProcSet, hint: tuple[int, ...], backend: str
) -> Callable[..., Result]:
    from ...solvers import cpsat

    run = cpsat.solve  # imported first: it says what is missing
    from ...formulations import procset_cpsat

    return partial(run, procset_cpsat.classes(instance, hint=hint))


def _with_mip(
    instance: ProcSet, hint: tuple[int, ...], backend: str
) -> Callable[..., Result]:
    from ...formulations import procset_mip
    from ...solvers import mip

    return partial(mip.solve, procset_mip.classes(instance, hint=hint), backend)
