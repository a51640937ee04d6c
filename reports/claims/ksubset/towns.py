"""Claims about the cheapest k processors of an empty mesh, and the limit shape."""

from __future__ import annotations

from functools import partial
from math import comb

import numpy as np
import numpy.typing as npt

from ....formulations.ksubset.bounds.city import city
from ....formulations.ksubset.bounds.towns import (
    TOWN_SEARCH,
    town,
    town_bound_value,
    town_in_space,
    town_sites,
    town_sites_in_space,
)
from ....instances import KSubset, Site, mesh
from ..running.claim import Claim, Outcome, Trial, failed, passed
from ..running.samples import pair_sum

Floats = npt.NDArray[np.float64]

FIGURE_2 = {
    **{2: 1, 3: 4, 4: 8, 5: 16, 6: 25, 7: 38, 8: 54, 9: 72, 10: 96, 11: 124},
    **{12: 152, 13: 188, 14: 227, 15: 272, 16: 318, 17: 374, 18: 433, 19: 496},
    **{20: 563, 21: 632},
}
"""Least pair sums by k, as printed in Figure 2 of Bender et al. 2008."""

AVERAGES = (
    *("1.000", "1.333", "1.333", "1.600", "1.666", "1.809", "1.928", "2.000", "2.133"),
    *("2.254", "2.303", "2.410", "2.494", "2.590", "2.650", "2.750", "2.830", "2.900"),
    *("2.963", "3.009"),
)
"""Their averages over the pairs, cut off after three decimals, as printed there."""

A193452 = (
    *(0, 1, 4, 8, 16, 25, 38, 54, 72, 96, 124, 152, 188, 227, 272, 318, 374, 433, 496),
    *(563, 632, 716, 804, 895, 992, 1091, 1204, 1318, 1442, 1570, 1704, 1840, 1996),
    *(2153, 2318, 2486, 2656, 2847, 3040, 3241, 3446, 3662, 3886, 4112, 4360, 4612),
    *(4868, 5128, 5398),
)
"""Optimal towns of 1, 2, ... points in the plane, as the encyclopedia lists them."""

A290190 = (0, 1, 4, 8, 16, 25, 36, 48, 68, 89, 112, 136, 168)
"""The same in space; that of one point added."""

SIDE = 9
"""Side of the meshes searched: two more than an optimal town of 40 needs."""


def _w(k: int, d: int) -> int:
    return town(k) if d == 2 else town_in_space(k)


def _room(k: int, d: int = 2) -> KSubset:
    """Return a full mesh in which an optimal town of k lies."""
    if d == 3:
        side = 1 + max(2, *(max(site) for site in town_sites_in_space(k)))
        return mesh(side, side, side, k=k)
    assert max(map(max, town_sites(k))) < SIDE
    return mesh(SIDE, SIDE, k=k)


def _differs(k: int, who: str, found: int, expected: int, seen: int) -> Outcome:
    return failed(f"k = {k}: {who} says {found}, not {expected}", seen, _room(k))


def figure_2(trial: Trial) -> Outcome:
    """Compare towns and the exact routes with the printed sums."""
    largest = 12 if trial.quick else 21
    seen = 0
    for k, printed in FIGURE_2.items():
        by_towns = town(k)
        if by_towns != printed:
            return _differs(k, "the search over partitions", by_towns, printed, seen)
        if k > largest:
            continue
        for method in dict.fromkeys((trial.exact, trial.search)):
            seen += 1
            found = trial.optimum(_room(k), method)
            if found != printed:
                return _differs(k, method, found, printed, seen)
    return passed(
        f"as printed: partitions to k = 21; {trial.exact} and {trial.search} on "
        f"{SIDE}x{SIDE} to k = {largest}",
        seen,
    )


def averages(trial: Trial) -> Outcome:
    """Compare the quotients of Figure 2 with its decimals, cut off as printed."""
    for k, printed in zip(FIGURE_2, AVERAGES, strict=True):
        thousandths = 1000 * town(k) // comb(k, 2)
        found = f"{thousandths // 1000}.{thousandths % 1000:03}"
        if found != printed:
            said = f"k = {k}: {town(k)}/{comb(k, 2)} = {found}, not {printed}"
            return failed(said, k - 1, _room(k))
    return passed("all twenty", len(AVERAGES))


def optimal_towns(d: int, trial: Trial) -> Outcome:
    """Compare the search over partitions with those over sets of processors."""
    largest = {2: 24, 3: 16}[d] if trial.quick else 40
    for k in range(1, largest + 1):
        room = _room(k, d)
        found = trial.optimum(room, trial.search)
        if found != _w(k, d):
            return _differs(k, trial.search, found, _w(k, d), k)
    where = f"{SIDE}x{SIDE}" if d == 2 else "a cube"
    result = f"{trial.search} on {where} gives w(k) for k = 1..{largest}"
    return passed(result, largest)


def published_towns(trial: Trial) -> Outcome:
    """Compare both tables with the encyclopedia, and every town with its price."""
    sizes = {2: 100, 3: 30} if trial.quick else TOWN_SEARCH
    seen = 0
    for d, listed in ((2, A193452), (3, A290190)):
        before = 0
        for k in range(1, sizes[d] + 1):
            seen += 1
            value = _w(k, d)
            sites: tuple[Site, ...]
            sites = town_sites(k) if d == 2 else town_sites_in_space(k)
            why = ""
            if k <= len(listed) and value != listed[k - 1]:
                why = f"w = {value}, listed {listed[k - 1]}"
            elif len(set(sites)) != k or pair_sum(sites) != value:
                why = f"its points cost {pair_sum(sites)}, not {value}"
            elif k > 2 and (k - 2) * value < k * before:
                why = f"w = {value}, less than {k}/{k - 2} of {before} before"
            if why:
                room = _room(k, d) if d == 3 or k <= 40 else None
                return failed(f"d = {d}, k = {k}: {why}", seen, room)
            before = value
    return passed(
        f"{len(A193452)} and {len(A290190)} listed values; every town to k = "
        f"{sizes[2]} and {sizes[3]} costs w(k); (n - 2) w(n) is at least n w(n - 1)",
        seen,
    )


def extension(trial: Trial) -> Outcome:
    """Continue a table cut off at m, and compare with what is known beyond."""
    seen = 0
    for d, longest in {2: 100, 3: 30}.items() if trial.quick else TOWN_SEARCH.items():
        table = [_w(k, d) for k in range(longest + 1)]
        for m in range(2, longest):
            value = table[m]
            for n in range(m + 1, longest + 1):
                seen += 1
                value = -(-n * value // (n - 2))
                loose = -(-n * (n - 1) * table[m] // (m * (m - 1)))
                if not loose <= value <= table[n]:
                    return failed(
                        f"d = {d}: from w({m}) to {value} for n = {n}, "
                        f"{loose} at once; w({n}) = {table[n]}",
                        seen,
                        _room(n, d) if d == 3 else None,
                    )
        top = TOWN_SEARCH[d]
        beyond = town_bound_value(top + 1, d)
        if beyond != -(-(top + 1) * _w(top, d) // (top - 1)):
            return failed(f"d = {d}: {beyond} beyond the table", seen)
    return passed("every continuation stays at or below w", seen)


# The limit of towns: the city

PSI = 0.650245952951
"""As Bender, Bender, Demaine and Fekete 2004 give it."""
_TEN_DIGITS = 5e-11


def psi(trial: Trial) -> Outcome:
    """Integrate the boundary by steps of our own, and compare the mean distance."""
    from scipy.optimize import root_scalar

    steps = 300 if trial.quick else 1200

    def excess(width: float) -> float:
        """Compare the area of the quadrant with 1/4."""
        x, (_, below, _) = _diagonal(width, steps)
        return float(2 * below - x * x - 0.25)

    width = root_scalar(excess, x0=0.57, x1=0.58, method="secant", xtol=1e-14).root
    _, (_, _, own) = _diagonal(width, steps)
    found = city()
    for what, value, wanted in (
        ("psi", found.psi, PSI),
        ("psi by own steps", own, PSI),
        ("half width", found.half_width, width),
    ):
        if not abs(value - wanted) < _TEN_DIGITS:
            return failed(f"{what} {value:.12f}, not {wanted:.12f}", 1)
    quotients = [town(k) / (found.psi / 2 * k**2.5) for k in (25, 50, 100, 150, 200)]
    if quotients != sorted(quotients) or not 0.97 < quotients[0] < quotients[-1] < 1:
        return failed(f"towns over it {quotients}", 5)
    return passed(
        f"psi = {found.psi:.12f}, by {steps} own steps {own:.12f}; w(200) is "
        f"{quotients[-1]:.5f} of psi/2 200^2.5",
        5,
    )


def _diagonal(width: float, steps: int) -> tuple[float, Floats]:
    """Go from the axis to the diagonal in equal steps and a last one that hits it."""
    from scipy.optimize import brentq

    x, step, state = 0.0, 0.45 / steps, np.array([width, 0.0, 0.0])
    while (after := _runge_kutta(x, state, step))[0] > x + step:
        x, state = x + step, after
    last = brentq(lambda h: _runge_kutta(x, state, h)[0] - x - h, 0, step, xtol=1e-18)
    return x + last, _runge_kutta(x, state, last)


def _runge_kutta(x: float, state: Floats, step: float) -> Floats:
    """Make one step of fourth order."""
    one = _slope(x, state)
    two = _slope(x + step / 2, state + step / 2 * one)
    three = _slope(x + step / 2, state + step / 2 * two)
    four = _slope(x + step, state + step * three)
    return state + step / 6 * (one + 2 * two + 2 * three + four)


def _slope(x: float, state: Floats) -> Floats:
    """Slopes of f, of A (f itself), and of the mean distance, 2 - 32 A² a side."""
    f, area, _ = state.tolist()
    beyond = 0.25 - area + x * f
    fall = -area / beyond
    mean = (2 - 32 * area * area) - (2 - 32 * beyond * beyond) * fall
    return np.array([fall, f, mean])


TOWN_CLAIMS = (
    Claim(
        name="bender-figure-2",
        statement="The least pair sums of 2 to 21 grid points are those printed.",
        source="Bender et al. 2008, Figure 2",
        tested="every k from 2 to 21, by partitions and by exact routes on a mesh (to "
        "12 if quick)",
        test=figure_2,
    ),
    Claim(
        name="bender-figure-2-averages",
        statement="The averages printed there are those sums over k (k - 1)/2, cut off "
        "after three decimals.",
        source="Bender et al. 2008, Figure 2",
        tested="all twenty of them",
        test=averages,
    ),
    Claim(
        name="optimal-towns",
        statement="Some cheapest k points of the grid form a centred Young diagram.",
        source="derived, docs/science/theory.md; values to k = 80: Demaine et al. 2011",
        tested="every k to 40 (24 if quick), against an exact search that knows "
        "nothing of towns",
        test=partial(optimal_towns, 2),
    ),
    Claim(
        name="optimal-towns-in-space",
        statement="Some cheapest k points of the grid in space form a centred plane "
        "partition.",
        source="derived, docs/science/theory.md",
        tested="every k to 40 (16 if quick), against an exact search that knows "
        "nothing of towns, on the least cube that holds one found and three per side",
        test=partial(optimal_towns, 3),
    ),
    Claim(
        name="published-towns",
        statement="w(k) is as listed in A193452 and A290190; towns have these costs.",
        source="OEIS A193452 (Demaine et al. 2011) and A290190",
        tested="k to 49 in the plane and 13 in space; every town to k = 200 and 48 "
        "(100 and 30 if quick) priced pair by pair",
        test=published_towns,
    ),
    Claim(
        name="town-extension",
        statement="(n - 2) w(n) is at least n w(n - 1), so that a table may be "
        "continued by bounds.",
        source="derived, docs/science/theory.md",
        tested="from every m to every n up to 200 in the plane and 48 in space (100 "
        "and 30 if quick)",
        test=extension,
    ),
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
