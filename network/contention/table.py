"""The table of methods for the contention problem."""

from __future__ import annotations

from ...solvers.running.method import Method, table
from . import search
from .auto import auto
from .decisions import decisions, refuses_decisions

TABLE = table(
    "contention",
    Method("anneal", search.anneal, seeded=True),
    Method("link-dp", search.link_dp, exact=True, refuses=search.refuses_no_tree),
    Method("decisions", decisions, refuses=refuses_decisions, seeded=True),
    Method("link-bb", search.link_bb, exact=True, seeded=True),
    Method("auto", auto, exact=True, seeded=True),
    quick=("anneal",),
)
"""Methods for the contention problem, by the name used in reports."""
