"""Deriving again what a method answered: by a proof, and by the source of its kernels.

An own search may be wrong by a fault of its own or of its machine code. A certificate
or a pseudo-Boolean proof of the same answer is written by other code than the search,
or with other numbers, and followed by a checker that shares nothing with either.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TypeVar

from ..instances import Instance, Value
from ..instances.value import cost_text
from ..solvers import Contradiction, Grade, Limit, Proof, Result, Settings, Status
from ..solvers.running.kernels import interpreted
from ..solvers.running.method import RunOn
from .confirming import Refuted, ask_others, prove_again

Item = TypeVar("Item")

_LEAST = 1.0
_TIMES = 10
_SECOND = 10.0
"""Seconds to find out what the optimum is where a proof contradicts an answer."""
_SHARE = 20
MOST_INTERPRETED = 64
"""Processors or items to choose from, up to which answers are also interpreted."""


@dataclass(frozen=True, slots=True)
class Rederived:
    """The outcome of deriving an answer again.

    Parameters
    ----------
    wrong
        What contradicts it, with both values, in one line; "" if nothing does.
    finished
        Whether it was derived again; False where time was over before.
    proof
        What vouches for it now, if that is more than before.
    """

    wrong: str = ""
    finished: bool = True
    proof: Proof | None = None


OPEN = Rederived(finished=False)


def seconds_for(solving: float) -> float:
    """Return the time limit on deriving an answer again, by the time of its search."""
    return max(_LEAST, _TIMES * solving)


def rederivable(result: Result) -> bool:
    """Whether an answer is derived again: what closeknit's own searches have proved."""
    return (
        result.status in (Status.OPTIMAL, Status.INFEASIBLE)
        and result.proof is not None
        and result.proof.grade is Grade.ENUMERATED
    )


def rederive(
    instance: Instance,
    name: str,
    result: Result,
    seconds: float,
    where: Path | None = None,
) -> Rederived:
    """Prove an optimum, or infeasibility, by a certificate or an own proof.

    What is the word of a solver is compared with other code instead.

    Parameters
    ----------
    instance, name, result
        The instance, the method that answered, and what it answered.
    seconds
        Limit on all of it.
    where
        Folder of the file that a contradiction leaves, see `confirming.keep_both`.
    """
    refuted = ""
    try:
        if rederivable(result):
            return Rederived() if prove_again(instance, result, seconds) else OPEN
    except Refuted as error:  # then others say what is true
        refuted, seconds = str(error), max(seconds, _SECOND)
    try:
        found = ask_others(
            *(instance, name, result, Settings(time_limit=seconds)),
            refuted=refuted,
            where=where,
        )
    except Contradiction as error:
        return Rederived(str(error).removeprefix(f"{instance.name}: "))
    return OPEN if found is result else Rederived(proof=found.proof)


def draw_some(items: Iterable[Item], seed: int) -> list[Item]:
    """Draw 1 of 20 items, and at least one."""
    several = list(items)
    number = -(-len(several) // _SHARE)
    return Random(f"closeknit interpreted {seed}").sample(several, number)


def is_drawn(what: str) -> bool:
    """Whether an item of a sequence is drawn, as 1 in 20 are."""
    return Random(f"closeknit interpreted {what}").randrange(_SHARE) == 0


def interpret(
    run: RunOn[Instance],
    instance: Instance,
    name: str,
    answer: tuple[Value | None, Value | None, str],
    settings: Settings,
) -> Rederived:
    """Run the Python source of a method's kernels; compare cost, bound and status.

    Parameters
    ----------
    run, instance, name
        The method, what it was run on, and its name.
    answer
        Cost, bound and status of the run of machine code.
    settings
        Of that run, but for the time limit, which is on this one.
    """
    with interpreted():
        result = run(instance, settings)
    if result.limit in (Limit.TIME, Limit.MEMORY):
        return OPEN
    if result.limit is Limit.INTERRUPT:
        raise KeyboardInterrupt
    found = result.objective, result.bound, result.status.value
    if found == answer:
        return Rederived()
    return Rederived(
        f"{name} answers {_text(answer)} by machine code, and {_text(found)} by the "
        "source of the same kernels"
    )


def _text(answer: tuple[Value | None, Value | None, str]) -> str:
    cost, bound, status = answer
    return f"{status}, cost {cost_text(cost) or '-'}, bound {cost_text(bound) or '-'}"


def count_text(found: Collection[Rederived], what: str) -> str:
    """Count answers that were derived again, are contradicted, or not finished."""
    wrong = sum(bool(one.wrong) for one in found)
    held = sum(one.finished for one in found) - wrong
    left = len(found) - held - wrong
    rest = [f"{wrong} contradicted"] * bool(wrong)
    rest += [f"{left} not finished in time"] * bool(left)
    return f"{held} of {len(found)} {what}" + (f" ({', '.join(rest)})" if rest else "")
