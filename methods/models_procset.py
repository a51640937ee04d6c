"""The exact model of processor sets, run by general solvers: see `model_methods`.

``cpsat`` and ``mip`` (which is HiGHS), and ``mip/scip`` and ``mip/cbc``.
"""

from __future__ import annotations

from ..instances import ProcSet
from ..solvers import Grade, Proof
from .models import ModelMethods


def _first(instance: ProcSet) -> tuple[int, ...]:
    from ..formulations.procset.terms import ProcsetTerms
    from ..heuristics.procset.cheapest_first import cheapest_first

    return cheapest_first(ProcsetTerms(instance).grouped)


METHODS = ModelMethods(
    formulation="procset:classes",
    first=_first,
    free=Proof(Grade.CHECKED, "costs that are not negative"),
    doc="""Solve the model over classes of like processors with {backend}.

    One level of the cost after the other, each kept at its optimum. Starts from the
    classes that add least, one by one. Stopped within a level, the bound is the
    optima of the levels before, the solver's bound on this one, and 0 for the rest.

    Guarantee: exact, if the solver is right.
    Time: exponential at worst; measured in docs/procset-models.md.
    Source: Drakenberg 2012, eqs. 1 and 2, written as a model; levels one by one as in
    preemptive goal programming.
    """,
)
__getattr__ = METHODS.method
