"""Claims about methods of one's own: the factor that a function states of itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial

from ...instances import InputError, KSubset
from ...methods import KSUBSET
from ...methods.user_methods import OwnMethod
from ...solvers import DEFAULT, Result, Settings, SolverError
from .bounds import QUICK_SAMPLES, SAMPLES, within
from .running.claim import Claim, Outcome, Trial, Undecided, UntrueAnswer, failed


def claim_about(method: OwnMethod) -> Claim:
    """Return the claim that a method keeps the guarantee that it states.

    Raises InputError if it states none, or is for another problem than k-subsets, from
    which alone instances are drawn.
    """
    if method.guarantee is None:
        raise InputError(
            "states no guarantee, so that there is nothing to test; give it one, such "
            "as `rule.guarantee = lambda instance: Fraction(2)`",
            method.name,
        )
    if method.name in KSUBSET:  # which proves optima, for instance
        method = method.with_name(f"own:{method.name}")
    if method.problem not in ("", "ksubset"):
        raise InputError(
            "is for another problem: guarantees are tested on k-subsets",
            method.name,
            method.problem,
        )
    return Claim(
        name=method.name,
        statement=f"{method.name} costs at most its guarantee.",
        source="its attribute guarantee",
        tested="every choice of free processors and k of a 3x3 mesh (2x4 if quick); "
        f"{SAMPLES} samples ({QUICK_SAMPLES} if quick) of meshes, tori, points and "
        "trees, d = 1..4; optima proved",
        test=partial(_keeps, method),
    )


def _keeps(method: OwnMethod, trial: Trial) -> Outcome:
    """Test it like the methods of closeknit; an answer that is not valid breaks it."""
    covered = 0
    assert method.guarantee is not None
    stated: Callable[[KSubset], Fraction | None] = method.guarantee

    def promise(instance: KSubset) -> Fraction | None:
        nonlocal covered
        factor = stated(instance)
        covered += factor is not None
        return factor

    def run(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
        try:
            result = method(instance, settings)
        except SolverError as error:
            raise UntrueAnswer(f"{instance.name}: {error}", instance) from error
        if result.chosen is None and result.limit is None:
            raise Undecided(f"{method.name} chose nothing on {instance.name}")
        return result

    own = replace(trial, methods={**trial.methods, method.name: run})
    outcome = within(method.name, own, promise)
    if outcome.holds and not covered:
        return failed("its guarantee is None on every instance", outcome.instances)
    return outcome
