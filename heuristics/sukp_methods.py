"""Every method for the set-union knapsack problem."""

from __future__ import annotations

from collections.abc import Mapping

from ..instances import Sukp
from .registry import Method, table

SUKP: Mapping[str, Method[Sukp]] = table(
    Method(
        name="bruteforce", where="heuristics.sukp.bruteforce:bruteforce", exact=True
    ),
    Method(name="sukp-bb", where="heuristics.sukp.sukp_bb:sukp_bb", exact=True),
    Method(name="auto", where="heuristics.sukp.auto:auto", exact=True),
)
"""Methods for the set-union knapsack, by the name used in reports."""
