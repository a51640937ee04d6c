"""Claims about bounds: of what methods cost, and of what any choice costs."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import product

from ...formulations.ksubset.bounds.bounds import compute_bound
from ...heuristics.ksubset.ptas import published as ptas_published
from ...heuristics.ksubset.ptas import scheme as ptas
from ...instances import InputError, KSubset, Mesh, Points, Torus
from ...instances.ksubset.lower_bounds import AXIS, STAR, TOWN
from ...methods import KSUBSET
from ...solvers import Ties
from ...solvers.running.method import Guarantee
from .running.claim import Claim, Outcome, Trial, failed, passed
from .running.samples import draw_samples, every_subset
from .running.shrink import survey

SAMPLES, QUICK_SAMPLES = 4000, 500
BELOW_SAMPLES, QUICK_BELOW_SAMPLES = 2000, 250
_ALIAS = {"mm-free": "genalg"}
_NEVER_ABOVE = {"mm-inc": "mm", "mm-inc-first": "mm", "mm-inc-all": "mm-all"}
"""Methods that start from another and only improve."""
_LARGEST_ENUMERATED = 10
"""Free processors up to which the worst order of ties is looked for."""


def within(
    method: str,
    trial: Trial,
    promise: Guarantee[KSubset] | None = None,
    takes_ties: bool = False,
) -> Outcome:
    """Compare what a method costs with its bound, under ties of either kind.

    The bound is that of the tables if none is given.
    """
    count = QUICK_SAMPLES if trial.quick else SAMPLES
    shape = (2, 4) if trial.quick else (3, 3)
    if promise is None:
        promise, takes_ties = KSUBSET[method].guarantee, KSUBSET[method].takes_ties
    assert promise is not None
    worst = Fraction(1)

    def excess(instance: KSubset) -> str:
        nonlocal worst
        factor, optimum = promise(instance), trial.optimum(instance)
        for ties in Ties.LEX, Ties.WORST:
            if ties is Ties.WORST and (
                not takes_ties or instance.n > _LARGEST_ENUMERATED
            ):
                break
            paid = trial.pay(method, instance, ties)
            at = f"(n = {instance.n}, k = {instance.k}, ties {ties.value})"
            if paid < optimum:
                return (
                    f"{method} costs {paid}, less than the optimum {optimum} that "
                    f"{trial.exact} proves {at}"
                )
            if factor is not None and paid > factor * optimum:
                ratio = f", ratio {Fraction(paid, optimum)}" if optimum else ""
                return (
                    f"{method} costs {paid}, above {factor} times the optimum "
                    f"{optimum}{ratio} {at}"
                )
            start = _NEVER_ABOVE.get(method)
            if start and paid > (before := trial.pay(start, instance)):
                return f"{method} costs {paid}, {start} only {before} {at}"
            if ties is Ties.LEX and optimum:
                worst = max(worst, Fraction(paid, optimum))
        return ""

    return survey(
        lambda: (
            f"kept; largest ratio {worst} (all subsets of {shape[0]}x{shape[1]}; "
            f"{count} samples, seed {trial.seed})"
        ),
        ((*every_subset(*shape, least_k=2), *draw_samples(trial.seed, count)), excess),
        refusals=True,
    )


def _below(by: str, trial: Trial) -> Outcome:
    """Compare a bound with optima that an exact search proves without it."""
    shape = (2, 4) if trial.quick else (3, 3)
    count = QUICK_BELOW_SAMPLES if trial.quick else BELOW_SAMPLES
    shares: list[Fraction] = []
    tight = 0

    def above(instance: KSubset) -> str:
        nonlocal tight
        bound = compute_bound(instance, by)
        if bound is None:
            raise InputError("there is no such bound")
        optimum = trial.optimum(instance, trial.search)
        tight += bound == optimum
        if optimum:
            shares.append(Fraction(bound, optimum))
        if bound <= optimum:
            return ""
        at = f"(n = {instance.n}, k = {instance.k})"
        return f"{by} {bound}, the optimum is {optimum} {at}"

    return survey(
        lambda: (
            f"never above; {float(sum(shares) / len(shares)):.3f} of the optimum "
            f"on the mean, equal on {tight}, seed {trial.seed}"
        ),
        ((*every_subset(*shape, least_k=2), *draw_samples(trial.seed, count)), above),
        refusals=True,
    )


def guarantees_by_formula(k: int, d: int, flat: bool) -> dict[str, Fraction]:
    """Return the guarantees by their formulas, the greatest term by trying all.

    ``flat`` networks are meshes and points, where medians exist.
    """
    one = Fraction(1)
    star = max(one, 2 - Fraction(2, k))
    m = k // 2
    median = one
    if m:
        even = [m // (2 * d) + (i < m % (2 * d)) for i in range(2 * d)]
        apart = sum(a * b for i, a in enumerate(even) for b in even[:i])
        median = 1 + Fraction(2 * apart, m * (k - m))
    by_median = min(median, star) if flat else star
    return {
        "mm": by_median,
        "mm-free": star,
        "mm-inc": by_median,
        "mm-inc-first": by_median,
        "mm-all": by_median,
        "mm-inc-all": by_median,
        "mc1x1": star * d,
        "mc1x1-all": star * d,
    }


def compare_with_formulas(trial: Trial) -> Outcome:
    """Compare what methods promise with the published formulas, for every k and d."""
    seen = 0
    most = 40 if trial.quick else 130
    for d, k in product((1, 2, 3, 4), range(1, most)):
        free = tuple((i,) + (0,) * (d - 1) for i in range(k))
        shape = (most,) + (1,) * (d - 1)
        for topology in (Mesh(shape), Torus(shape), Points(free)):
            instance = KSubset("promised", topology, free, k)
            flat = topology.is_flat
            seen += 1
            for name, wanted in guarantees_by_formula(k, d, flat).items():
                promise = KSUBSET[name].guarantee
                found = promise(instance) if promise is not None else None
                if found != wanted:
                    return failed(
                        f"{name} promises {found}, not {wanted} "
                        f"(k = {k}, d = {d}, {topology.kind})",
                        seen,
                        instance,
                    )
    return passed(f"as published for k below {most}, d = 1..4", seen)


_STATEMENTS = {
    "mm": "at most rho_k(d) ≤ 2 - 1/(2d) optima; off meshes and points, 2 - 2/k",
    "mm-free": "at most 2 - 2/k optima",
    "mm-inc": "no more than the bound of mm, and no more than mm",
    "mm-inc-first": "no more than the bound of mm, and no more than mm",
    "mm-all": "no more than the bound of mm",
    "mm-inc-all": "no more than the bound of mm, and no more than mm-all",
    "mc1x1": "at most (2 - 2/k) d optima",
    "mc1x1-all": "at most (2 - 2/k) d optima",
}
_SOURCES = {
    "mm-free": "Krumke et al. 1997, quoted by Bender et al. 2008, section 2",
    "mc1x1": "Bender et al. 2008, Theorem 3",
    "mc1x1-all": "Bender et al. 2008, Theorem 3",
}

_OTHERWISE = {*ptas.STRIPS, *ptas_published.STRIPS}
"""Methods too slow for so many samples: see ``claims.ptas``."""

BOUND_CLAIMS = (
    Claim(
        name="guarantees-are-as-published",
        statement="The guarantees of the methods are those of the theorems, equally "
        "tight.",
        source="Bender et al. 2008, Theorems 2 and 3; Krumke et al. 1997",
        tested="k below 130 (40 if quick), d = 1..4, meshes, tori and points; formulas "
        "written out",
        test=compare_with_formulas,
    ),
    *(
        Claim(
            name=f"{_ALIAS.get(name, name)}-upper-bound",
            statement=f"{name} costs {_STATEMENTS.get(name, 'at most its guarantee')}.",
            source=_SOURCES.get(
                name,
                "Bender et al. 2008, Theorem 2; finite k derived, "
                "docs/science/theory.md",
            ),
            tested="every choice of free processors and k of a 3x3 mesh (2x4 if "
            f"quick); {SAMPLES} samples ({QUICK_SAMPLES} if quick) of meshes, tori, "
            "points and trees, d = 1..4; optima proved",
            test=partial(within, name),
        )
        for name, method in KSUBSET.items()
        if method.guarantee is not None and name not in _OTHERWISE
    ),
)
"""One for every registered method that has a guarantee, but for the PTAS."""

_WHAT = {
    STAR: ("Half the k cheapest stars", "Krumke et al. 1997 for one star; derived"),
    TOWN: ("The optimal town of k points", "derived"),
    AXIS: ("The cheapest k coordinates of each axis", "derived"),
}

LOWER_BOUND_CLAIMS = tuple(
    Claim(
        name=f"{by.replace(' ', '-')}-is-below",
        statement=f"{what} never cost more than the optimum, where they apply.",
        source=f"{source}, docs/science/theory.md",
        tested="every choice of free processors and k of a 3x3 mesh (2x4 if quick) and "
        f"{BELOW_SAMPLES} samples ({QUICK_BELOW_SAMPLES} if quick), against an exact "
        "search that does not use it",
        test=partial(_below, by),
    )
    for by, (what, source) in _WHAT.items()
)
