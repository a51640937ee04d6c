"""The exact model of the set-union knapsack, by general solvers: see `model_methods`.

``mip`` (which is HiGHS), ``mip/scip``, ``mip/cbc`` and ``cpsat``.
"""

from __future__ import annotations

from ..instances import Sukp
from ..solvers import Grade, Proof
from .models import ModelMethods


def _first(instance: Sukp) -> tuple[int, ...]:
    from ..heuristics.sukp.sukp_greedy import greedy

    return greedy(instance)


METHODS = ModelMethods(
    formulation="sukp:union",
    first=_first,
    free=Proof(Grade.CHECKED, "profits that are not negative"),
    fallback=(),
    doc="""Solve the model of items and elements with {backend}.

    Starts from the items of most profit for the weight they add.

    Guarantee: exact, if the solver is right.
    Time: exponential at worst; measured in docs/procset-models.md.
    Source: Goldschmidt, Nehme and Yu 1994, the standard model.
    """,
)
__getattr__ = METHODS.method
