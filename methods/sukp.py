"""Every method for the set-union knapsack problem."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from ..instances import Sukp
from ..solvers.method import Method, table
from . import models_sukp as models
from .models import NAMES

SUKP: Mapping[str, Method[Sukp]] = table(
    Method(name="bruteforce", where="exact.sukp.bruteforce:bruteforce", exact=True),
    Method(
        name="sukp-bb",
        where="exact.sukp.sukp_bb.search:sukp_bb",
        exact=True,
        seeded=True,
    ),
    Method(name="tabu", where="heuristics.sukp.tabu:tabu", seeded=True),
    *(
        Method(
            name=name,
            where=f"methods.models_sukp:{name}",
            exact=True,
            refuses=partial(models.METHODS.refusal, name),
            seeded=True,
            runs_solver=True,
        )
        for name in NAMES
    ),
    Method(name="auto", where="methods.auto_sukp:auto", exact=True, seeded=True),
)
"""Methods for the set-union knapsack, by the name used in reports."""
