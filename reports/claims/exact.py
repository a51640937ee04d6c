"""The claim that the exact routes are exact."""

from __future__ import annotations

from functools import partial
from itertools import combinations

from ...heuristics import KSUBSET
from ...instances import InputError, KSubset, cost
from .claim import Claim, Outcome, Trial, Untrue
from .samples import sampled
from .shrink import shrunk

SAMPLES, QUICK_SAMPLES = 300, 60
_MOST_FREE = 12
"""All subsets of so many are priced one by one, from the definition."""


def _test(method: str, trial: Trial) -> Outcome:
    count = QUICK_SAMPLES if trial.quick else SAMPLES
    seen = 0
    for instance in sampled(trial.seed, 2 * count):
        if instance.n > _MOST_FREE:
            continue
        try:
            wrong = _disagreement(method, trial, instance)
        except InputError:  # not an instance for this method
            continue
        seen += 1
        if wrong:
            smallest = shrunk(
                instance, lambda smaller: bool(_disagreement(method, trial, smaller))
            )
            return Outcome(
                holds=False,
                result=_disagreement(method, trial, smallest),
                instances=seen,
                counterexample=smallest,
            )
    return Outcome(
        holds=seen > 0,
        result=f"as by enumeration on samples of seed {trial.seed}"
        if seen
        else "takes none of the instances",
        instances=seen,
    )


def _disagreement(method: str, trial: Trial, instance: KSubset) -> str:
    least = min(
        cost(instance, chosen) for chosen in combinations(range(instance.n), instance.k)
    )
    try:
        found = trial.optimum(instance, method)
    except Untrue as error:
        return str(error)
    if found == least:
        return ""
    return (
        f"{method} proves {found}, enumeration {least} "
        f"(n = {instance.n}, k = {instance.k})"
    )


EXACT_CLAIMS = tuple(
    Claim(
        name=f"{name}-is-exact",
        statement=f"What {name} proves optimal is.",
        source="by definition of the problem",
        tested=f"samples with at most {_MOST_FREE} free processors, of {2 * SAMPLES} "
        f"({2 * QUICK_SAMPLES} if quick), against the cost of every subset",
        test=partial(_test, name),
    )
    for name, method in KSUBSET.items()
    if method.exact and not method.runs_solver
)
"""One for every exact search of our own; a solver's word is graded as such."""
