"""The optimal city: the limit of optimal towns, from its differential equation.

The boundary in the first quadrant is y = f(x), symmetric in x and y. With A(x) the area
below it from 0 to x, f'(x) = -A(x)/A(f(x)). By symmetry A(f(x)) = Q - A(x) + x f(x),
with Q the area of the quadrant. Up to the diagonal this leaves one equation in f and A,
and one unknown: the half width f(0). Derivation in docs/science/theory.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_QUADRANT = 0.25
_TOLERANCE = 1e-13


@dataclass(frozen=True, slots=True, eq=False)
class City:
    """The optimal city of area 1.

    The boundary in the first quadrant, ``x`` and ``y``, starts at the vertical axis.
    """

    psi: float  # mean L1 distance of two of its points; w(n) is near psi/2 n^2.5
    half_width: float  # f(0): where the boundary meets an axis
    diagonal: float  # where it meets the diagonal: f(x) = x
    x: Floats
    y: Floats


def _slopes(x: float, state: Floats) -> tuple[float, float, float]:
    """Return the derivatives of f, A, and the integrand of the mean distance.

    The mean of |x - x'| over the city is the integral of 2 F (1 - F), F the area to the
    left; F = 1/2 + 2 A right of the axis. With both axes and both sides this makes
    2 - 32 A² per abscissa, taken here at x and, beyond the diagonal, at f(x).
    """
    f, below, _ = state
    beyond = _QUADRANT - below + x * f
    fall = -below / beyond
    return fall, f, 2 - 32 * below**2 - (2 - 32 * beyond**2) * fall


def _to_the_diagonal(half_width: float, points: int = 2) -> tuple[Floats, Floats]:
    """Integrate from the axis to the diagonal; return abscissas and states."""
    from scipy.integrate import solve_ivp  # which takes long to import

    def meets(x: float, state: Floats) -> float:
        return float(state[0] - x)

    meets.terminal = True  # type: ignore[attr-defined]
    run = solve_ivp(
        _slopes,
        (0.0, 1.0),
        (half_width, 0.0, 0.0),
        method="DOP853",
        rtol=_TOLERANCE,
        atol=_TOLERANCE,
        events=meets,
        dense_output=True,
    )
    assert run.t_events is not None
    assert run.sol is not None
    end = float(run.t_events[0][0])
    x = np.linspace(0.0, end, points)
    return x, np.asarray(run.sol(x))


def _excess(half_width: float) -> float:
    """Return the quadrant's area for a half width, less the required 1/4."""
    x, states = _to_the_diagonal(half_width)
    return float(2 * states[1, -1] - x[-1] ** 2 - _QUADRANT)


@cache
def city(points: int = 200) -> City:
    """Integrate the boundary of the optimal city.

    Parameters
    ----------
    points
        Number of boundary points on either side of the diagonal.

    Notes
    -----
    The half width is found by bracketing, until the quadrant has area 1/4; psi then has
    about 12 correct digits. Source: Bender, Bender, Demaine and Fekete 2004, quoted by
    Bender et al. 2008, Figure 3; the reduction to the diagonal is derived.

    >>> round(city().psi, 10)
    0.650245953
    """
    from scipy.optimize import brentq

    half_width = float(brentq(_excess, 0.55, 0.6, xtol=1e-15, rtol=1e-14))
    x, states = _to_the_diagonal(half_width, points)
    f = states[0]
    return City(
        psi=float(states[2, -1]),
        half_width=half_width,
        diagonal=float(x[-1]),
        x=np.concatenate([x, f[-2::-1]]),
        y=np.concatenate([f, x[-2::-1]]),
    )
