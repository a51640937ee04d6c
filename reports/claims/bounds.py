"""Claims that a method never costs more than its bound times the optimum."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import product

from ...heuristics.ksubset import ptas, ptas_published
from ...instances import InputError, KSubset, Mesh, Points, Torus
from ...methods import KSUBSET
from ...solvers import Ties
from ...solvers.method import Guarantee
from .claim import Claim, Outcome, Trial, Untrue, held, refuted
from .samples import every_subset, sampled
from .shrink import broken

SAMPLES, QUICK_SAMPLES = 4000, 500
_ALIAS = {"mm-free": "genalg"}
_NEVER_ABOVE = {"mm-inc": "mm", "mm-inc-first": "mm", "mm-inc-all": "mm-all"}
"""Methods that start from another and only improve."""
_LARGEST_ENUMERATED = 10
"""Free processors up to which the worst order of ties is looked for."""


@dataclass(frozen=True, slots=True)
class _Bound:
    """One method, and what it must keep to."""

    method: str
    guarantee: Guarantee[KSubset]
    takes_ties: bool

    def orders(self, instance: KSubset) -> tuple[Ties, ...]:
        """Return the orders of ties under which the bound is tested."""
        small = instance.n <= _LARGEST_ENUMERATED
        return (Ties.LEX, Ties.WORST) if self.takes_ties and small else (Ties.LEX,)

    def excess(self, trial: Trial, instance: KSubset, ties: Ties) -> str:
        """Describe how the bound is broken; "" if it is kept.

        Raises
        ------
        InputError
            When the method does not take this instance.
        """
        factor = self.guarantee(instance)
        try:
            paid = trial.pay(self.method, instance, ties)
            optimum = trial.optimum(instance)
        except Untrue as error:
            return str(error)
        shape = f"n = {instance.n}, k = {instance.k}, ties {ties.value}"
        if paid < optimum:
            return (
                f"{self.method} costs {paid}, less than the optimum {optimum} that "
                f"{trial.exact} proves ({shape})"
            )
        if factor is not None and paid > factor * optimum:
            ratio = f", ratio {Fraction(paid, optimum)}" if optimum else ""
            return (
                f"{self.method} costs {paid}, above {factor} times the optimum "
                f"{optimum}{ratio} ({shape})"
            )
        start = _NEVER_ABOVE.get(self.method)
        if start and paid > (before := trial.pay(start, instance)):
            return f"{self.method} costs {paid}, {start} only {before} ({shape})"
        return ""


def _test(bound: _Bound, trial: Trial) -> Outcome:
    count = QUICK_SAMPLES if trial.quick else SAMPLES
    shape = (2, 4) if trial.quick else (3, 3)
    instances: Iterable[KSubset] = (
        *every_subset(*shape, least_k=2),
        *sampled(trial.seed, count),
    )
    seen, worst = 0, Fraction(1)
    for instance in instances:
        for ties in bound.orders(instance):
            try:
                excess = bound.excess(trial, instance, ties)
            except InputError:  # not an instance for this method
                continue
            seen += ties is Ties.LEX
            if excess:
                wrong = partial(bound.excess, trial, ties=ties)
                return broken(instance, wrong, seen)
            if optimum := trial.optimum(instance):
                worst = max(worst, Fraction(trial.pay(bound.method, instance), optimum))
    sizes = "x".join(map(str, shape))
    return Outcome(
        holds=seen > 0,
        result=f"kept; largest ratio {worst} (all subsets of {sizes}; {count} samples, "
        f"seed {trial.seed})"
        if seen
        else "takes none of the instances",
        instances=seen,
    )


def written_out(k: int, d: int, flat: bool) -> dict[str, Fraction]:
    """Return the guarantees by their formulas, the greatest term by trying all.

    Parameters
    ----------
    k, d
        Processors chosen, axes.
    flat
        Whether the network is a mesh or points, where medians exist.
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


def as_stated(trial: Trial) -> Outcome:
    """Compare what methods promise with the published formulas, for every k and d."""
    seen = 0
    most = 40 if trial.quick else 130
    for d, k in product((1, 2, 3, 4), range(1, most)):
        free = tuple((i,) + (0,) * (d - 1) for i in range(k))
        shape = (most,) + (1,) * (d - 1)
        for topology in (Mesh(shape), Torus(shape), Points(free)):
            instance = KSubset("promised", topology, free, k)
            flat = not isinstance(topology, Torus)
            seen += 1
            for name, wanted in written_out(k, d, flat).items():
                promise = KSUBSET[name].guarantee
                found = promise(instance) if promise is not None else None
                if found != wanted:
                    return refuted(
                        f"{name} promises {found}, not {wanted} "
                        f"(k = {k}, d = {d}, {topology.kind})",
                        seen,
                        instance,
                    )
    return held(f"as published for k below {most}, d = 1..4", seen)


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
        test=as_stated,
    ),
    *(
        Claim(
            name=f"{_ALIAS.get(name, name)}-upper-bound",
            statement=f"{name} costs {_STATEMENTS.get(name, 'at most its guarantee')}.",
            source=_SOURCES.get(
                name, "Bender et al. 2008, Theorem 2; finite k derived, docs/theory.md"
            ),
            tested="every choice of free processors and k of a 3x3 mesh (2x4 if "
            f"quick); {SAMPLES} samples ({QUICK_SAMPLES} if quick) of meshes, tori, "
            "points and trees, d = 1..4; optima proved",
            test=partial(_test, _Bound(name, method.guarantee, method.takes_ties)),
        )
        for name, method in KSUBSET.items()
        if method.guarantee is not None and name not in _OTHERWISE
    ),
)
"""One for every registered method that has a guarantee, but for the PTAS."""
