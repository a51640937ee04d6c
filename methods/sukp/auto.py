"""The default exact route for the set-union knapsack."""

from __future__ import annotations

from ...exact.sukp.sukp_bb.search import MOVES, first_choice, prove
from ...instances import Sukp
from ...solvers import DEFAULT, Result, Settings
from ...solvers.running import clock
from ...solvers.running.answer import solve_prepaid

_PROVABLE = 250
"""Items and elements up to which a proof is likely."""
_MANY_MOVES = 2000
"""Moves of tabu per item and element on larger instances."""


def auto(instance: Sukp, /, settings: Settings = DEFAULT) -> Result:
    """Choose by tabu, then prove by sukp-bb.

    On instances too large for a proof, tabu makes more moves. What is required is paid
    for first, and weighs nothing then.

    Guarantee: exact.
    Time: that of sukp-bb; tabu takes at most a fifth of the limit.
    Source: derived for closeknit, see docs/science/sukp-bb.md.
    """
    if instance.required:
        return solve_prepaid(auto, instance, settings)
    start = clock.now()
    large = instance.n + len(instance.weights) > _PROVABLE
    moves = _MANY_MOVES if large else MOVES
    first, limit = first_choice(instance, settings, moves)
    return prove(instance, first, limit, settings=settings, start=start)
