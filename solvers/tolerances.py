"""From a float that a solver calls a bound to an integer that is one."""

from __future__ import annotations

from math import ceil, floor, isfinite

ABSOLUTE, RELATIVE = 1e-3, 1e-9
"""Float bounds are lowered by this much before they are rounded up: solvers
accept 1e-6 as zero in each of up to some thousand terms."""
MOST_PROVED = 5 * 10**8
"""Integer objectives up to this can be proved optimal in spite of the tolerances."""

EXACT = 2.0**52
"""Floats up to twice this are apart by at most one."""
_INTEGERS = 1e-6
"""CP-SAT counts in integers; its bound is a float only on the way out."""


def integer_bound(bound: float) -> int:
    """Return the integer of a bound that CP-SAT gives as a float.

    >>> integer_bound(6.9999999), integer_bound(7.01)
    (7, 8)
    """
    if abs(bound) < EXACT:
        return ceil(bound - _INTEGERS)
    return floor(bound - abs(bound) / EXACT)  # it may have been rounded upwards


def rounded_up(bound: float | None, unit: int = 1, slack: float = 0.0) -> int | None:
    """Turn a solver's float into an integer bound that is not negative.

    Parameters
    ----------
    bound
        The solver's bound on its objective; None or infinite if it has none.
    unit
        The objective is this many times what the bound is for.
    slack
        What the model's own tolerances add, see ``MipFormulation.slack``.

    >>> rounded_up(7.0004), rounded_up(7.01), rounded_up(7.0, unit=2)
    (7, 8, 4)
    """
    if bound is None or not isfinite(bound):
        return None
    safe = ceil(bound - slack - ABSOLUTE - RELATIVE * abs(bound))
    return max(0, -(-safe // unit))
