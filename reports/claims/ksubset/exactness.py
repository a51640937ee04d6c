"""Claims that exact methods are exact: what each proves is what enumeration states."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from math import comb, prod
from random import Random
from typing import Any

from ....instances import Instance, KSubset, ProcSet, Sukp, Value, problem_of
from ....methods import METHODS
from ....methods.models_exact import NAME as BY_EXACT
from ....proofs.writing.exact_log import exact_version
from ....solvers import SolverError
from ..running.claim import Claim, Outcome, Trial
from ..running.samples import least_cost
from ..running.shrink import survey

MOST_PRICED = 1000
"""Choices of an instance up to which all are priced one by one, from the definition."""
MODELLED, QUICK_MODELLED = 8, 3
_LARGEST_MODELLED = 2000
"""Choices of an instance up to which every model of it is solved."""
ENUMERATED = (
    f"against the cost of every choice, where there are more than {MOST_PRICED} by "
    "bruteforce"
)


def choices(instance: Instance) -> int:
    """Return how many choices there are, those of items that do not fit among them.

    Of submeshes only the places of the request are counted, as if it were not turned.
    """
    return _COUNTS[problem_of(instance).name](instance)


_COUNTS: dict[str, Callable[[Any], int]] = {
    "ksubset": lambda one: comb(one.n, one.k),
    "procset": lambda one: comb(len(one.available), one.request),
    "sukp": lambda one: 1 << one.n,
    "submesh": lambda one: prod(
        max(0, side - s + 1) for side, s in zip(one.shape, one.request, strict=True)
    ),
}


def least(trial: Trial, instance: KSubset | ProcSet | Sukp) -> Value:
    """Return the optimum by the definition, or by bruteforce if that takes long."""
    if choices(instance) > MOST_PRICED:
        return trial.least(instance, "bruteforce")[0]
    found: Value = least_cost(instance)
    return found


def inexact(
    trial: Trial,
    method: str,
    instance: Any,
    reference: Callable[[Trial, Any], Value] = least,
) -> str:
    """Describe which other optimum than the reference a method proves; "" if none."""
    counted = reference is least and choices(instance) <= MOST_PRICED
    found = trial.least(instance, method, enumerated=counted)[0]
    wanted = reference(trial, instance)
    return "" if found == wanted else f"{method} proves {found}, enumeration {wanted}"


def _agrees(
    method: str,
    drawn: Callable[[Trial], Iterable[Instance]],
    wrong: Callable[[Trial, str, Any], str],
    trial: Trial,
) -> Outcome:
    instances: Iterable[Any] = drawn(trial)
    if method == "bruteforce":  # the reference where there are more choices
        instances = (one for one in instances if choices(one) <= MOST_PRICED)
    return survey(
        f"as by enumeration, seed {trial.seed}",
        (instances, partial(wrong, trial, method)),
        refusals=True,
    )


def _models_agree(
    problem: str,
    drawn: Callable[[Trial], Iterable[Any]],
    wrong: Callable[[Trial, str, Any], str],
    trial: Trial,
) -> Outcome:
    count = QUICK_MODELLED if trial.quick else MODELLED
    small = [one for one in drawn(trial) if choices(one) <= _LARGEST_MODELLED]
    some = sorted(Random(trial.seed).sample(small, 3 * count), key=choices)[-count:]
    models = [
        name
        for name, method in METHODS[problem].items()
        if method.exact and method.runs_solver and name != BY_EXACT
    ]
    with suppress(SolverError):  # Exact is an extra
        exact_version()
        models.append(BY_EXACT)
    return survey(
        f"{len(models)} models as by enumeration, seed {trial.seed}",
        *((some, partial(wrong, trial, name)) for name in models),
        refusals=True,
    )


def exact_claims(
    problem: str,
    drawn: Callable[[Trial], Iterable[Instance]],
    tested: str,
    wrong: Callable[[Trial, str, Any], str] = inexact,
) -> Iterator[Claim]:
    """Yield claims for every exact search of our own in a table, and one for models.

    Parameters
    ----------
    problem
        Its name.
    drawn
        Instances to test methods on; those that a method refuses are left out.
    tested
        What these are.
    wrong
        Describes what a method, by name, proves wrongly; "" if nothing.
    """
    of = f"{problem}-".removeprefix("ksubset-")
    for name, method in METHODS[problem].items():
        if method.exact and not method.runs_solver:
            yield Claim(
                name=f"{of}{name.removeprefix(of)}-is-exact",
                statement=f"Every answer that {name} proves optimal for {problem} is "
                "optimal.",
                source="by definition of the problem",
                tested=tested,
                test=partial(_agrees, name, drawn, wrong),
            )
    yield Claim(
        name=f"{problem}-models-are-exact",
        statement=f"Every answer that a model for {problem} proves optimal by its "
        "solver is optimal.",
        source="by definition of the problem",
        tested=f"{MODELLED} ({QUICK_MODELLED} if quick) of the instances of the other "
        "claims of exactness, by every model that takes them and every solver",
        test=partial(_models_agree, problem, drawn, wrong),
    )
