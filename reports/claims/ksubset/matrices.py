"""Claims about bounds by semidefinite matrices, and certificates of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from ....exact.ksubset.dnn_bb.record import record
from ....exact.ksubset.dnn_bb.relaxation import Ascent, start
from ....instances import InputError, KSubset, arrays
from ....instances.ksubset.certificate_file import follow_lines
from ....proofs.checking.dnn.matrices import BoundsChecker
from ....solvers import SolverError
from ....solvers.running import clock
from ..running.claim import Claim, Outcome, Trial, Undecided
from ..running.samples import draw_samples, least_cost
from ..running.shrink import survey

SAMPLES, QUICK_SAMPLES = 300, 40
_MOST_PROCESSORS, _LOOKS = 9, 8


def _drawn(trial: Trial) -> Iterator[KSubset]:
    """Yield instances whose choices can all be priced, and of more than one pair."""
    count = QUICK_SAMPLES if trial.quick else SAMPLES
    for instance in draw_samples(trial.seed, 20 * count):
        few = replace(instance, free=instance.free[:_MOST_PROCESSORS], k=1)
        if few.n >= 4:
            count -= 1
            yield replace(few, k=2 + count % (few.n - 2))
        if not count:
            return


def _above_the_optimum(instance: KSubset) -> str:
    """Name a bound above the optimum; "" if there is none."""
    costs, best = arrays.hops(instance) / 2, least_cost(instance)
    if instance.k == instance.n:
        return ""
    ascent = Ascent(costs, instance.k, start(costs, instance.k))
    for look in range(_LOOKS):
        if (bound := ascent.advance()) > best + 1e-6 * max(1, best):
            return f"look {look + 1} bounds by {bound}, the optimum is {best}"
    return ""


def bounds_hold(trial: Trial) -> Outcome:
    """Compare each bound on the way with the cost of every choice."""
    said = f"no bound is above the optimum, seed {trial.seed}"
    return survey(said, (_drawn(trial), _above_the_optimum))


def _proves(instance: KSubset, objective: int, lines: list[object]) -> bool:
    """Whether lines prove that nothing costs less."""

    def follow_nodes(rest: Iterator[object], look: Callable[[], None]) -> None:
        BoundsChecker(instance, objective, rest, look).follow()

    try:
        follow_lines("certificate", [*map(json.dumps, lines)], follow_nodes)
    except InputError:
        return False
    return True


def _wrong_certificate(trial: Trial, instance: KSubset) -> str:
    """Tell what is wrong with the certificate of an optimum; "" if nothing."""
    best = least_cost(instance)
    first = tuple(range(instance.k))
    until = clock.now() + trial.time_limit
    lines = record(instance, best, first, until, listed=2)
    if not isinstance(lines, list):
        raise Undecided(f"no certificate of {instance.name}: {lines.value}")
    if not _proves(instance, best, lines):
        return f"a certificate of {best} is refused"
    if _proves(instance, best + 1, lines):
        return f"a certificate of {best} shows {best + 1}"
    try:
        record(instance, best + 1, first, until, listed=2)
    except SolverError:
        return ""
    return f"{best + 1} is recorded, the optimum is {best}"


def certificates_are_exact(trial: Trial) -> Outcome:
    """Write certificates of optima, check them, and what they do not prove."""
    said = f"all optima are certified, and nothing above, seed {trial.seed}"
    return survey(said, (_drawn(trial), partial(_wrong_certificate, trial)))


MATRIX_CLAIMS = (
    Claim(
        name="dnn-bound-is-valid",
        statement="Every bound of the doubly nonnegative relaxation, at every look, "
        "is at most the optimum.",
        source="derived, docs/science/any-network.md",
        tested=f"{SAMPLES} ({QUICK_SAMPLES} if quick) instances of up to "
        f"{_MOST_PROCESSORS} processors, {_LOOKS} looks each, against the cost of "
        "every choice",
        test=bounds_hold,
    ),
    Claim(
        name="dnn-certificates-are-exact",
        statement="Every optimum has a certificate by semidefinite matrices that the "
        "checker of plain integers accepts; the same does not show one more, and none "
        "is written of one more.",
        source="derived, docs/science/any-network.md",
        tested="the same instances, with as many branches as there may be",
        test=certificates_are_exact,
    ),
)
