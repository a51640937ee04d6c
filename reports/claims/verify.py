"""Test claims; an error in one does not stop the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, fields
from functools import cache, partial
from traceback import format_exception
from typing import Any

from ...methods.rederiving import Rederived
from ...solvers.running import clock
from ...solvers.running.interrupt import ending_callers
from ..campaigns import pool
from ..campaigns.compiling import announcing
from .catalogue import CLAIMS, PARTS
from .running.claim import Claim, Outcome, Trial, Undecided, UntrueAnswer, failed


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimResult:
    """The result of testing a claim, or the error.

    Parameters
    ----------
    claim
        Which.
    outcome
        The outcome of the test; None if it did not end.
    error
        Why the test did not end, in one line; "" if it did.
    trace
        The traceback, for debugging.
    seconds, cpu
        Wall-clock time, and that of the processor without child processes.
    rederived
        What became of the optima that it asked for and that were derived again, by
        digest: several claims may ask for one; of those known already some are missing.
    """

    claim: Claim
    outcome: Outcome | None = None
    error: str = ""
    trace: str = ""
    seconds: float
    cpu: float = 0.0
    rederived: Mapping[str, Rederived] = field(default_factory=dict)

    @property
    def holds(self) -> bool:
        """Whether the test ended and nothing contradicts the claim."""
        return self.outcome is not None and self.outcome.holds

    @property
    def word(self) -> str:
        """``holds``, ``broken`` or ``error``."""
        if self.outcome is None:
            return "error"
        return "holds" if self.outcome.holds else "broken"

    @property
    def said(self) -> str:
        """The result, or the error."""
        return self.outcome.result if self.outcome is not None else self.error


def verify(claims: Iterable[Claim], trial: Trial) -> Iterator[ClaimResult]:
    """Test every claim; whatever a test raises becomes its verdict."""
    for claim in claims:
        start, began = clock.now(), clock.cpu()
        trial.relied.clear()
        found: dict[str, Any]
        try:
            with ending_callers():
                found = {"outcome": claim.test(trial)}
        except UntrueAnswer as error:  # a false answer of a method
            found = {"outcome": failed(str(error), 1, error.instance)}
        except Exception as error:
            name = "" if isinstance(error, Undecided) else f"{type(error).__name__}: "
            trace = "".join(format_exception(error))
            found = {"error": " ".join(f"{name}{error}".split()), "trace": trace}
        seconds, cpu = clock.now() - start, clock.cpu() - began
        again = dict(trial.relied)
        yield ClaimResult(
            claim=claim, **found, seconds=seconds, cpu=cpu, rederived=again
        )


def verify_in_parallel(
    claims: Sequence[Claim], trial: Trial, jobs: int
) -> Iterator[ClaimResult]:
    """Test claims that are registered in several processes; yield as they end.

    Those about methods of one's own are tested in this one. Of the trial only seed,
    size and time limit are used for the others. Claims about one problem need the same
    machine code, and go to one process as long as there are others.
    """
    away = [claim for claim in claims if CLAIMS.get(claim.name) is claim]
    settings = trial.seed, trial.quick, trial.time_limit
    calls = [
        pool.Call(
            partial(_verdict_on, claim.name, *settings),
            kind=PARTS.get(claim.name, "ksubset"),
        )
        for claim in away
    ]
    names = [f"claim {claim.name}{' if quick' * trial.quick}" for claim in away]
    with (
        announcing(names, of_all=len(CLAIMS), jobs=jobs) as done,
        closing(pool.run(calls, jobs=jobs)) as ended,
    ):
        for position, found in ended:
            if isinstance(found, pool.Failure):
                found = {"error": found.why, "seconds": 0.0}
            elif not found["error"]:
                done.add(names[position])
            yield ClaimResult(claim=away[position], **found)
    here = [claim for claim in claims if CLAIMS.get(claim.name) is not claim]
    yield from verify(here, trial)


def _verdict_on(name: str, seed: int, quick: bool, time_limit: float) -> dict[str, Any]:
    """Return the verdict on a claim, without the claim: its test cannot be pickled."""
    [one] = verify([CLAIMS[name]], _trial_here(seed, quick, time_limit))
    return {f.name: getattr(one, f.name) for f in fields(one) if f.name != "claim"}


@cache
def _trial_here(seed: int, quick: bool, time_limit: float) -> Trial:
    """Return the trial of this process, in which no answer is derived again twice."""
    return Trial(seed=seed, quick=quick, time_limit=time_limit)
