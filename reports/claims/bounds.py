"""Claims that a method never costs more than its bound times the optimum."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from ...heuristics import KSUBSET, ptas, ptas_published
from ...heuristics.registry import Guarantee
from ...instances import InputError, KSubset
from ...solvers import Ties
from .claim import Claim, Outcome, Trial, Untrue
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
        """Say how the bound is broken; "" if it is kept.

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

BOUND_CLAIMS = tuple(
    Claim(
        name=f"{_ALIAS.get(name, name)}-upper-bound",
        statement=f"{name} costs {_STATEMENTS.get(name, 'what it promises')}.",
        source=_SOURCES.get(
            name, "Bender et al. 2008, Theorem 2; finite k derived, docs/theory.md"
        ),
        tested="every choice of free processors and k of a 3x3 mesh (2x4 if quick); "
        f"{SAMPLES} samples ({QUICK_SAMPLES} if quick) of meshes, tori, points and "
        "trees, d = 1..4; optima proved",
        test=partial(_test, _Bound(name, method.guarantee, method.takes_ties)),
    )
    for name, method in KSUBSET.items()
    if method.guarantee is not None and name not in _OTHERWISE
)
"""One for every registered method that has a guarantee, but for the PTAS."""
