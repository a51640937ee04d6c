"""The claim that cheap lower bounds are lower bounds."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from ...formulations.ksubset.bounds.bounds import AXIS, STAR, TOWN, rederive
from ...instances import KSubset
from .claim import Claim, Outcome, Trial, held
from .samples import every_subset, sampled
from .shrink import broken, described

SAMPLES, QUICK_SAMPLES = 2000, 250


def below(by: str, trial: Trial) -> Outcome:
    """Compare a bound with optima that an exact search proves without it."""
    shape = (2, 4) if trial.quick else (3, 3)
    count = QUICK_SAMPLES if trial.quick else SAMPLES
    seen = tight = 0
    nearest: list[Fraction] = []
    for instance in (*every_subset(*shape, least_k=2), *sampled(trial.seed, count)):
        bound = rederive(instance, by)
        if bound is None:
            continue
        seen += 1
        wrong = partial(_above, by, trial)
        if described(wrong, instance):
            return broken(instance, wrong, seen)
        optimum = trial.optimum(instance, trial.search)
        tight += bound == optimum
        if optimum:
            nearest.append(Fraction(bound, optimum))
    mean = float(sum(nearest) / len(nearest))
    return held(
        f"never above; {mean:.3f} of the optimum on the mean, equal on {tight}, "
        f"seed {trial.seed}",
        seen,
    )


def _above(by: str, trial: Trial, instance: KSubset) -> str:
    bound = rederive(instance, by)
    if bound is None:
        return ""
    optimum = trial.optimum(instance, trial.search)
    if bound <= optimum:
        return ""
    return (
        f"{by} {bound}, the optimum is {optimum} (n = {instance.n}, k = {instance.k})"
    )


_WHAT = {
    STAR: ("Half the k cheapest stars", "Krumke et al. 1997 for one star; derived"),
    TOWN: ("The optimal town of k points", "derived"),
    AXIS: ("The cheapest k coordinates of each axis", "derived"),
}

LOWER_BOUND_CLAIMS = tuple(
    Claim(
        name=f"{by.replace(' ', '-')}-is-below",
        statement=f"{what} never cost more than the optimum, where they apply.",
        source=f"{source}, docs/theory.md",
        tested="every choice of free processors and k of a 3x3 mesh (2x4 if quick) and "
        f"{SAMPLES} samples ({QUICK_SAMPLES} if quick), against an exact search that "
        "does not use it",
        test=partial(below, by),
    )
    for by, (what, source) in _WHAT.items()
)
