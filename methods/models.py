"""An exact model as methods: the same model, run by each of the general solvers.

Neither ortools nor PuLP is imported before a method is run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic

from ..instances import cost
from ..instances.value import ordered
from ..solvers import DEFAULT, Limit, Proof, Result, Settings, answer, clock
from ..solvers.method import Kind, RunOn, stopped

if TYPE_CHECKING:
    from types import ModuleType

CP_SAT = "cp-sat"
BACKENDS = {"cpsat": CP_SAT, "mip": "highs", "mip/scip": "scip", "mip/cbc": "cbc"}
"""Names of the methods, and what solves the model."""
NAMES = tuple(BACKENDS)


def solver(backend: str) -> Callable[..., Result]:
    """Return what solves a formulation by a backend; ``settings``, ``start`` follow.

    Raises
    ------
    SolverError
        When the backend is not installed.
    """
    if backend == CP_SAT:
        from ..solvers import cpsat

        return cpsat.solve
    from ..solvers import mip

    return partial(mip.solve, backend=backend)


@dataclass(frozen=True, kw_only=True)
class ModelMethods(Generic[Kind]):
    """The methods of one model that is written for CP-SAT and as a MIP.

    Parameters
    ----------
    formulation
        ``problem:function``, a function of both ``formulations.problem_cpsat`` and
        ``formulations.problem_mip``.
    first
        Finds a solution from which solvers start; a free one is returned at once.
    free
        Why no solution costs less than one that is free.
    fallback
        The answer when Ctrl-C comes before there is a first solution.
    doc
        Docstring of the methods, with ``{backend}`` in it.
    """

    formulation: str
    first: Callable[[Kind], tuple[int, ...]]
    free: Proof
    fallback: tuple[int, ...] | None = None
    doc: str

    def refusal(self, name: str, instance: Kind) -> str | None:
        """Say why a method would not prove anything about an instance."""
        if BACKENDS[name] == CP_SAT:
            return None
        why: str | None = self._module("mip").refusal(instance)
        return why

    def method(self, name: str) -> RunOn[Kind]:
        """Return the function of a method.

        Raises
        ------
        AttributeError
            When there is no such method; so this may be a module's ``__getattr__``.
        """
        if name not in BACKENDS:
            raise AttributeError(f"no method {name!r} by model")
        return _function(self, name)

    def run(self, backend: str, instance: Kind, settings: Settings) -> Result:
        """Solve the model of an instance with a backend."""
        start = clock.now()
        hint = self.fallback
        try:
            hint = self.first(instance)
            price = cost(instance, hint)
            if not any(ordered(price)):
                return answer(instance, hint, start=start, bound=price, proof=self.free)
            solve = solver(backend)  # imported first: it says what is missing
            form = self._module("cpsat" if backend == CP_SAT else "mip")
            build = getattr(form, self.formulation.partition(":")[2])
            model = build(instance, hint=hint)
        except KeyboardInterrupt:
            if hint is None:
                return stopped(instance, Limit.INTERRUPT, start=start)
            return answer(instance, hint, start=start, limit=Limit.INTERRUPT)
        return solve(model, settings=settings, start=start)

    def _module(self, kind: str) -> ModuleType:
        package = __name__.partition(".")[0]
        problem = self.formulation.partition(":")[0]
        return import_module(f"{package}.formulations.{problem}.{kind}")


@cache
def _function(methods: ModelMethods[Any], name: str) -> RunOn[Any]:
    backend = BACKENDS[name]

    def run(instance: Any, /, settings: Settings = DEFAULT) -> Result:
        return methods.run(backend, instance, settings)

    run.__name__ = run.__qualname__ = name
    run.__doc__ = methods.doc.format(backend=backend)
    return run
