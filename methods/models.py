"""Methods that solve an exact model with one of the general solvers.

Neither ortools nor PuLP is imported before such a method is called.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Generic, Protocol

from ..instances import cost
from ..instances.value import as_tuple
from ..solvers import Limit, Proof, Result, Settings, answer
from ..solvers.formulation import Formulation
from ..solvers.running import clock
from ..solvers.running.method import Inst, Inst_contra, Method, Variant, stopped_result

CP_SAT = "cpsat"
MIP_BACKENDS = ("highs", "cbc")
BACKENDS = (CP_SAT, *MIP_BACKENDS)
"""General solvers, as in the names ``formulation/backend`` of methods."""


class Build(Protocol[Inst_contra]):
    """Builds a model; solvers start from the solution ``hint``."""

    def __call__(
        self, instance: Inst_contra, /, *, hint: tuple[int, ...] | None = None
    ) -> Formulation:
        """Build the model."""
        ...


def solver(backend: str) -> Callable[..., Result]:
    """Return the function that solves a formulation with a backend.

    Its keyword arguments are ``settings`` and ``start``. Raises SolverError if the
    backend is not installed.
    """
    if backend == CP_SAT:
        from ..solvers import cpsat

        return cpsat.solve
    from ..solvers import mip

    return partial(mip.solve, backend=backend)


@dataclass(frozen=True, kw_only=True)
class Model(Generic[Inst]):
    """An exact model, formulated for CP-SAT and as a mixed-integer program."""

    name: str
    """Name of the formulation."""
    cpsat: Callable[[], Build[Inst]]
    mip: Callable[[], Build[Inst]]
    """Return the function that builds the model; they import ortools or PuLP."""
    refuses_mip: Callable[[Inst], str | None]
    """Returns why mixed-integer solvers cannot prove anything about an instance."""
    first: Callable[[Inst], tuple[int, ...]]
    """Finds a solution from which solvers start; if it costs nothing, it is returned at
    once."""
    free: Proof
    """Proof that no solution costs less than nothing."""
    doc: str
    """Docstring of the methods, with ``{backend}`` in it."""

    def methods(self) -> list[Method[Inst]]:
        """Return one method per backend."""
        return [
            Method(
                f"{self.name}/{backend}",
                Variant(run, (self, backend), self.doc.format(backend=backend)),
                exact=True,
                refuses=None if backend == CP_SAT else self.refuses_mip,
                takes_required=True,
                seeded=True,
                runs_solver=True,
            )
            for backend in BACKENDS
        ]


def run(form: Model[Inst], backend: str, instance: Inst, settings: Settings) -> Result:
    """Solve the model of an instance with a backend."""
    start = clock.now()
    hint: tuple[int, ...] | None = None
    try:
        hint = form.first(instance)
        price = cost(instance, hint)
        if not any(as_tuple(price)):
            return answer(instance, hint, start=start, bound=price, proof=form.free)
        solve = solver(backend)  # first, as its error names the missing library
        build = form.cpsat() if backend == CP_SAT else form.mip()
        model = build(instance, hint=hint)
    except KeyboardInterrupt:
        if hint is None:
            return stopped_result(instance, Limit.INTERRUPT, start=start)
        return answer(instance, hint, start=start, limit=Limit.INTERRUPT)
    return solve(model, settings=settings, start=start)
