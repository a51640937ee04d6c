"""The exact model of the set-union knapsack problem, solved by general solvers."""

from __future__ import annotations

from ...heuristics.sukp.sukp_greedy import greedy
from ...instances import Sukp
from ...instances.result import NOTHING
from ..models import Build, Model


def _cpsat() -> Build[Sukp]:
    from ...formulations.sukp.cpsat import union

    return union


def _mip() -> Build[Sukp]:
    from ...formulations.sukp.mip import union

    return union


def _refusal(instance: Sukp) -> str | None:
    from ...formulations.sukp.mip import refusal

    return refusal(instance)


MODEL = Model(
    name="union",
    cpsat=_cpsat,
    mip=_mip,
    refuses_mip=_refusal,
    first=greedy,
    free=NOTHING,
    doc="""Solve the model of items and elements with {backend}.

    Solvers start from the items of most profit for the weight they add.

    Guarantee: exact, if the solver is right.
    Time: exponential at worst; measured in docs/science/procset-models.md.
    Source: Goldschmidt, Nehme and Yu 1994, the standard model.
    """,
)
