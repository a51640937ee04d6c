"""The exact model of processor-set selection, solved by general solvers."""

from __future__ import annotations

from ...instances import ProcSet
from ...instances.result import NOTHING
from ..models import Build, Model


def _cpsat() -> Build[ProcSet]:
    from ...formulations.procset.cpsat import classes

    return classes


def _mip() -> Build[ProcSet]:
    from ...formulations.procset.mip import classes

    return classes


def _refusal(instance: ProcSet) -> str | None:
    from ...formulations.procset.mip import refusal

    return refusal(instance)


def _first(instance: ProcSet) -> tuple[int, ...]:
    from ...formulations.procset.terms import ProcsetTerms
    from ...heuristics.procset.cheapest_first import cheapest_first

    return cheapest_first(ProcsetTerms(instance).grouped)


MODEL = Model(
    name="classes",
    cpsat=_cpsat,
    mip=_mip,
    refuses_mip=_refusal,
    first=_first,
    free=NOTHING,
    doc="""Solve the model over classes of like processors with {backend}.

    The levels of the cost are minimized one after the other, each kept at its optimum.
    Solvers start from the classes that add least, one by one. When stopped within a
    level, the bound consists of the optima of the levels before, the solver's bound on
    this one, and 0 for the rest.

    Guarantee: exact, if the solver is right.
    Time: exponential at worst; measured in docs/science/procset-models.md.
    Source: Drakenberg 2012, eqs. 1 and 2, written as a model; levels one by one as in
    preemptive goal programming.
    """,
)
