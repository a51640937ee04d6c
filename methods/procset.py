"""Every method for the processor-set selection problem."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from ..instances import ProcSet
from ..solvers.method import Method, table
from . import models_procset as models
from .models import NAMES

PROCSET: Mapping[str, Method[ProcSet]] = table(
    Method(name="bruteforce", where="exact.procset.bruteforce:bruteforce", exact=True),
    Method(
        name="reaching-printed",
        where="heuristics.procset.reaching:reaching_printed",
        seeded=True,
    ),
    Method(name="reaching", where="heuristics.procset.reaching:reaching", seeded=True),
    Method(
        name="reaching-beam",
        where="heuristics.procset.reaching:reaching_beam",
        seeded=True,
    ),
    Method(name="lookahead", where="exact.procset.lookahead:lookahead"),
    Method(
        name="frontier-dp",
        where="exact.procset.frontier_dp.method:frontier_dp",
        exact=True,
    ),
    Method(
        name="local-search",
        where="heuristics.procset.local_search:local_search",
        seeded=True,
    ),
    Method(
        name="opened-bb",
        where="exact.procset.set_opening_bb.method:set_opening_bb",
        exact=True,
    ),
    Method(
        name="goldschmidt",
        where="exact.procset.goldschmidt:goldschmidt",
        exact=True,
    ),
    *(
        Method(
            name=name,
            where=f"methods.models_procset:{name}",
            exact=True,
            refuses=partial(models.METHODS.refusal, name),
            seeded=True,
            runs_solver=True,
        )
        for name in NAMES
    ),
    Method(name="auto", where="methods.auto_procset:auto", exact=True),
)
"""Methods for processor sets, by the name used in reports."""
