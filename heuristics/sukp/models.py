"""The exact model of the set-union knapsack, run by general solvers.

``mip`` (which is HiGHS), ``mip/scip``, ``mip/cbc`` and ``cpsat``. Neither ortools nor
PuLP is imported before a method is run.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from time import perf_counter
from typing import TYPE_CHECKING, Any

from ...instances import Sukp, cost
from ...solvers import DEFAULT, Grade, Limit, Proof, Result, Settings, answer

if TYPE_CHECKING:
    from ..registry import RunOn

BACKENDS = {"cpsat": "cp-sat", "mip": "highs", "mip/scip": "scip", "mip/cbc": "cbc"}
"""Names of the methods, and what solves the model."""
NAMES = tuple(BACKENDS)
_ALL = Proof(Grade.CHECKED, "profits that are not negative")


def refusal(name: str, instance: Sukp) -> str | None:
    """Say why a method would not prove anything about an instance."""
    if name == "cpsat":
        return None
    from ...formulations.sukp_mip import refusal

    return refusal(instance)


@cache
def method(name: str) -> RunOn[Sukp]:
    """Return the function of a method.

    Raises
    ------
    KeyError
        When there is no such method.
    """
    backend = BACKENDS[name]

    def run(instance: Sukp, /, settings: Settings = DEFAULT) -> Result:
        return _run(backend, instance, settings)

    run.__name__ = run.__qualname__ = name
    run.__doc__ = (
        f"Solve the model of items and elements with {backend}.\n\n"
        "Starts from the items of most profit for the weight they add.\n\n"
        "Guarantee: exact, if the solver is right.\n"
        "Time: exponential at worst; measured in docs/procset-models.md.\n"
        "Source: Goldschmidt, Nehme and Yu 1994, the standard model.\n"
    )
    return run


def __getattr__(name: str) -> Any:
    if name in NAMES:
        return method(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _run(backend: str, instance: Sukp, settings: Settings) -> Result:
    start = perf_counter()
    hint: tuple[int, ...] = ()
    try:
        from .sukp_greedy import greedy

        hint = greedy(instance)
        if cost(instance, hint) == 0:
            return answer(instance, hint, start=start, bound=0, proof=_ALL)
        solve = _with_cpsat if backend == "cp-sat" else _with_mip
        run = solve(instance, hint, backend)
    except KeyboardInterrupt:
        return answer(instance, hint, start=start, limit=Limit.INTERRUPT)
    return run(settings=settings, start=start)


def _with_cpsat(
    instance: Sukp, hint: tuple[int, ...], backend: str
) -> Callable[..., Result]:
    from ...solvers import cpsat

    run = cpsat.solve  # imported first: it says what is missing
    from ...formulations import sukp_cpsat

    return partial(run, sukp_cpsat.union(instance, hint=hint))


def _with_mip(
    instance: Sukp, hint: tuple[int, ...], backend: str
) -> Callable[..., Result]:
    from ...formulations import sukp_mip
    from ...solvers import mip

    return partial(mip.solve, sukp_mip.union(instance, hint=hint), backend)
