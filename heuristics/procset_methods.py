"""Every method for the processor-set selection problem."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from ..instances import ProcSet
from .model_methods import NAMES
from .procset import models
from .registry import Method, table

PROCSET: Mapping[str, Method[ProcSet]] = table(
    Method(
        name="bruteforce", where="heuristics.procset.bruteforce:bruteforce", exact=True
    ),
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
    Method(name="lookahead", where="heuristics.procset.lookahead:lookahead"),
    Method(
        name="frontier-dp",
        where="heuristics.procset.frontier_dp:frontier_dp",
        exact=True,
    ),
    Method(
        name="local-search",
        where="heuristics.procset.local_search:local_search",
        seeded=True,
    ),
    Method(
        name="opened-bb", where="heuristics.procset.opened_bb:opened_bb", exact=True
    ),
    Method(
        name="goldschmidt",
        where="heuristics.procset.goldschmidt:goldschmidt",
        exact=True,
    ),
    *(
        Method(
            name=name,
            where=f"heuristics.procset.models:{name}",
            exact=True,
            refuses=partial(models.METHODS.refusal, name),
            seeded=True,
            runs_solver=True,
        )
        for name in NAMES
    ),
    Method(name="auto", where="heuristics.procset.auto:auto", exact=True),
)
"""Methods for processor sets, by the name used in reports."""
