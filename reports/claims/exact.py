"""The claim that the exact routes are exact."""

from __future__ import annotations

from functools import lru_cache, partial
from itertools import combinations

from ...instances import KSubset, cost
from ...methods import KSUBSET
from .claim import Claim, Outcome, Trial
from .samples import every_subset, of_one_axis, sampled
from .shrink import survey

SAMPLES, QUICK_SAMPLES = 300, 60
_MOST_FREE = 12
"""All subsets of so many are priced one by one, from the definition."""


def _test(method: str, trial: Trial) -> Outcome:
    count = QUICK_SAMPLES if trial.quick else SAMPLES
    samples = (*sampled(trial.seed, 2 * count), *of_one_axis(trial.seed, 2 * count))
    every = (*every_subset(2, 4, least_k=2), *samples)
    small = (instance for instance in every if instance.n <= _MOST_FREE)
    return survey(
        f"as by enumeration on all subsets of 2x4 and samples of seed {trial.seed}",
        (small, partial(_disagreement, method, trial)),
        refusals=True,
    )


def _disagreement(method: str, trial: Trial, instance: KSubset) -> str:
    least = _enumerated(instance)
    found = trial.optimum(instance, method)
    if found == least:
        return ""
    return (
        f"{method} proves {found}, enumeration {least} "
        f"(n = {instance.n}, k = {instance.k})"
    )


@lru_cache(maxsize=2048)
def _enumerated(instance: KSubset) -> int:
    subsets = combinations(range(instance.n), instance.k)
    return min(cost(instance, chosen) for chosen in subsets)


EXACT_CLAIMS = tuple(
    Claim(
        name=f"{name}-is-exact",
        statement=f"Every answer that {name} proves optimal is optimal.",
        source="by definition of the problem",
        tested="every choice of free processors and k of a 2x4 mesh, and samples with "
        f"at most {_MOST_FREE} free processors, of {2 * SAMPLES} "
        f"({2 * QUICK_SAMPLES} if quick), and as many lines, rings and trees; against "
        "the cost of every subset",
        test=partial(_test, name),
    )
    for name, method in KSUBSET.items()
    if method.exact and not method.runs_solver
)
"""One for every exact search of our own; a solver's word is graded as such."""
