"""Test claims one after another; an accident in one does not stop the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from traceback import format_exception

from ...solvers import clock
from .claim import Claim, Outcome, Trial, Undecided, Untrue


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What came of testing a claim.

    Parameters
    ----------
    claim
        Which.
    outcome
        What the test gave; None if it did not end.
    error
        Why it did not, in one line; "" if it did.
    trace
        Where that happened, for whoever mends it.
    seconds, cpu
        Wall-clock time, and that of the processor without child processes.
    """

    claim: Claim
    outcome: Outcome | None = None
    error: str = ""
    trace: str = ""
    seconds: float
    cpu: float = 0.0

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


def verify(claims: Iterable[Claim], trial: Trial) -> Iterator[Verdict]:
    """Test every claim; whatever a test raises becomes its verdict."""
    for claim in claims:
        start, began = clock.now(), clock.cpu()
        try:
            outcome = _tested(claim, trial)
        except Exception as error:
            name = "" if isinstance(error, Undecided) else f"{type(error).__name__}: "
            yield Verdict(
                claim=claim,
                error=" ".join(f"{name}{error}".split()),
                trace="".join(format_exception(error)),
                seconds=clock.now() - start,
                cpu=clock.cpu() - began,
            )
        else:
            yield Verdict(
                claim=claim,
                outcome=outcome,
                seconds=clock.now() - start,
                cpu=clock.cpu() - began,
            )


def _tested(claim: Claim, trial: Trial) -> Outcome:
    """Test a claim; what a method says that is not so breaks it."""
    try:
        return claim.test(trial)
    except Untrue as error:
        return Outcome(
            holds=False, result=str(error), instances=1, counterexample=error.instance
        )
