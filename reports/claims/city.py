"""Claims about the limit of optimal towns: the city."""

from __future__ import annotations

from ...formulations.ksubset.bounds.city import city
from ...formulations.ksubset.bounds.towns import town
from .claim import Claim, Outcome, Trial, held, refuted

PSI = 0.650245952951
"""As Bender, Bender, Demaine and Fekete 2004 give it."""

_TEN_DIGITS = 5e-11
State = tuple[float, float, float]


def psi(trial: Trial) -> Outcome:
    """Integrate the boundary by steps of our own, and compare the mean distance."""
    steps = 300 if trial.quick else 1200
    width = _half_width(steps)
    _, (_, _, own) = _diagonal(width, steps)
    found = city()
    for what, value, wanted in (
        ("psi", found.psi, PSI),
        ("psi by own steps", own, PSI),
        ("half width", found.half_width, width),
    ):
        if not abs(value - wanted) < _TEN_DIGITS:
            return refuted(f"{what} {value:.12f}, not {wanted:.12f}", 1)
    quotients = [town(k) / (found.psi / 2 * k**2.5) for k in (25, 50, 100, 150, 200)]
    if quotients != sorted(quotients) or not 0.97 < quotients[0] < quotients[-1] < 1:
        return refuted(f"towns over it {quotients}", 5)
    return held(
        f"psi = {found.psi:.12f}, by {steps} own steps {own:.12f}; w(200) is "
        f"{quotients[-1]:.5f} of psi/2 200^2.5",
        5,
    )


def _half_width(steps: int) -> float:
    """Find the half width whose quadrant has area 1/4, by the secant method."""

    def excess(width: float) -> float:
        x, (_, below, _) = _diagonal(width, steps)
        return 2 * below - x * x - 0.25

    a, b = 0.57, 0.58
    left, right = excess(a), excess(b)
    while abs(b - a) > 1e-14 and right != left:
        a, b = b, b - right * (b - a) / (right - left)
        left, right = right, excess(b)
    return b


def _diagonal(width: float, steps: int) -> tuple[float, State]:
    """Go from the axis to the diagonal in equal steps and a last one that hits it."""
    step = 0.45 / steps
    x, state = 0.0, (width, 0.0, 0.0)
    while True:
        after = _runge_kutta(x, state, step)
        if after[0] <= x + step:
            break
        x, state = x + step, after
    short, long = 0.0, step
    for _ in range(60):
        middle = (short + long) / 2
        if _runge_kutta(x, state, middle)[0] > x + middle:
            short = middle
        else:
            long = middle
    return x + short, _runge_kutta(x, state, short)


def _runge_kutta(x: float, state: State, step: float) -> State:
    """Make one step of fourth order."""
    one = _slope(x, state)
    two = _slope(x + step / 2, _moved(state, one, step / 2))
    three = _slope(x + step / 2, _moved(state, two, step / 2))
    four = _slope(x + step, _moved(state, three, step))
    f, area, mean = (
        s + step / 6 * (a + 2 * b + 2 * c + d)
        for s, a, b, c, d in zip(state, one, two, three, four, strict=True)
    )
    return f, area, mean


def _moved(state: State, slope: State, step: float) -> State:
    f, area, mean = (s + step * a for s, a in zip(state, slope, strict=True))
    return f, area, mean


def _slope(x: float, state: State) -> State:
    """Slopes of f, of A (f itself), and of the mean distance, 2 - 32 A² a side."""
    f, area, _ = state
    beyond = 0.25 - area + x * f
    fall = -area / beyond
    return fall, f, (2 - 32 * area * area) - (2 - 32 * beyond * beyond) * fall


CITY_CLAIMS = (
    Claim(
        name="bender-figure-3",
        statement="The mean distance in the limiting shape of optimal towns is psi = "
        "0.650245952951, to ten digits, and towns tend to it from below.",
        source="Bender et al. 2008, Figure 3; Bender et al. 2004",
        tested="the differential equation integrated by an adaptive solver and by "
        "equal steps of fourth order; towns of 25 to 200 points",
        test=psi,
    ),
)
