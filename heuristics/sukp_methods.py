"""Every method for the set-union knapsack problem."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from ..instances import Sukp
from .model_methods import NAMES
from .registry import Method, table
from .sukp import models

SUKP: Mapping[str, Method[Sukp]] = table(
    Method(
        name="bruteforce", where="heuristics.sukp.bruteforce:bruteforce", exact=True
    ),
    Method(
        name="sukp-bb",
        where="heuristics.sukp.sukp_bb:sukp_bb",
        exact=True,
        seeded=True,
    ),
    Method(name="tabu", where="heuristics.sukp.tabu:tabu", seeded=True),
    *(
        Method(
            name=name,
            where=f"heuristics.sukp.models:{name}",
            exact=True,
            refuses=partial(models.METHODS.refusal, name),
            seeded=True,
            runs_solver=True,
        )
        for name in NAMES
    ),
    Method(name="auto", where="heuristics.sukp.auto:auto", exact=True, seeded=True),
)
"""Methods for the set-union knapsack, by the name used in reports."""
