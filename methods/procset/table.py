"""The table of methods for processor-set selection."""

from __future__ import annotations

from ...exact.procset import bruteforce, goldschmidt, lookahead
from ...exact.procset.frontier_dp import method as frontier_dp
from ...exact.procset.set_opening_bb import method as set_opening_bb
from ...heuristics.procset import reaching
from ...solvers.running.method import Method, table
from .. import models_exact
from . import auto as auto_procset
from . import models as models_procset

TABLE = table(
    "procset",
    Method("bruteforce", bruteforce.bruteforce, exact=True),
    Method("reaching-printed", reaching.reaching_printed, seeded=True),
    Method("reaching", reaching.reaching, takes_required=True, seeded=True),
    Method("lookahead", lookahead.lookahead),
    Method("frontier-dp", frontier_dp.frontier_dp, exact=True),
    Method("set-opening-bb", set_opening_bb.set_opening_bb, exact=True),
    Method("goldschmidt", goldschmidt.goldschmidt, exact=True),
    *models_procset.MODEL.methods(),
    models_exact.method(),
    Method("auto", auto_procset.auto, exact=True, takes_required=True),
    quick=("reaching-printed", "reaching", "lookahead"),
    variants={"reaching": ("reaching-printed",)},
)
"""Methods for processor sets, by the name used in reports."""
