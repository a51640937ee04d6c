"""Rounding of a solver's float bound to a valid integer bound."""

from __future__ import annotations

from math import ceil, isfinite

ABSOLUTE, RELATIVE = 1e-3, 1e-9
"""Safety margins subtracted from float bounds before they are rounded up: solvers
treat 1e-6 as zero in each of up to several thousand terms."""
MOST_PROVED = 5 * 10**8
"""Largest integer objective that can be proved optimal despite the tolerances."""


def rounded_up(bound: float | None, unit: int = 1, slack: float = 0.0) -> int | None:
    """Round a solver's float bound up to a non-negative integer, with safety margins.

    Parameters
    ----------
    bound
        The solver's bound on its objective; None or infinite without a bound.
    unit
        Factor from the quantity to be bounded to the objective.
    slack
        Additional margin for the model, see ``MipFormulation.slack``.

    >>> rounded_up(7.0004), rounded_up(7.01), rounded_up(7.0, unit=2)
    (7, 8, 4)
    """
    if bound is None or not isfinite(bound):
        return None
    safe = ceil(bound - slack - ABSOLUTE - RELATIVE * abs(bound))
    return max(0, -(-safe // unit))
