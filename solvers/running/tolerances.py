"""Rounding of a solver's float bound to a valid integer bound."""

from __future__ import annotations

from math import ceil, floor, isfinite

ABSOLUTE, RELATIVE = 1e-3, 1e-9
"""Safety margins subtracted from float bounds before they are rounded up: solvers
treat 1e-6 as zero in each of up to several thousand terms."""
MOST_PROVED = 5 * 10**8
"""Largest integer objective that can be proved optimal despite the tolerances."""

EXACT = 2.0**52
"""Floats up to twice this are apart by at most one."""
_INTEGERS = 1e-6
"""CP-SAT counts in integers; its bound is a float only on the way out."""


def integer_bound(bound: float, offset: float = 0.0) -> int:
    """Return the integer of a bound that CP-SAT gives as a float.

    CP-SAT adds the constant of the objective, ``offset``, in floating point.

    >>> integer_bound(6.9999999), integer_bound(7.01), integer_bound(7.000001, 1e10)
    (7, 8, 7)
    """
    if abs(bound) < EXACT:
        return ceil(bound - max(_INTEGERS, 4 * abs(offset) / EXACT))
    return floor(bound - abs(bound) / EXACT)  # it may have been rounded upwards


def round_up(bound: float | None, unit: int = 1) -> int | None:
    """Round a solver's float bound up to a non-negative integer, with safety margins.

    ``unit`` is the factor from the quantity to be bounded to the objective.

    >>> round_up(7.0004), round_up(7.01), round_up(7.0, unit=2)
    (7, 8, 4)
    """
    if bound is None or not isfinite(bound):
        return None
    safe = ceil(bound - ABSOLUTE - RELATIVE * abs(bound))
    return max(0, -(-safe // unit))
