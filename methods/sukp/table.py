"""The table of methods for the set-union knapsack problem."""

from __future__ import annotations

from ...exact.sukp import bruteforce
from ...exact.sukp.sukp_bb import search as sukp_bb
from ...heuristics.sukp import tabu
from ...solvers.running.method import Method, table
from .. import models_exact
from . import auto as auto_sukp
from . import models as models_sukp

TABLE = table(
    "sukp",
    Method("bruteforce", bruteforce.bruteforce, exact=True),
    Method("sukp-bb", sukp_bb.sukp_bb, exact=True, seeded=True),
    Method("tabu", tabu.tabu, takes_required=True, seeded=True),
    *models_sukp.MODEL.methods(),
    models_exact.method(),
    Method("auto", auto_sukp.auto, exact=True, takes_required=True, seeded=True),
    quick=("tabu",),
)
"""Methods for the set-union knapsack, by the name used in reports."""
