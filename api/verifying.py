"""Test claims: published bounds, derived formulas, exactness of the exact routes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from logging import getLogger
from typing import TypedDict

from ..instances import Instance
from ..reports.claims.catalogue import chosen_claims
from ..reports.claims.running.claim import Claim, Trial
from ..reports.claims.verify import ClaimResult, verify_in_parallel
from ..reports.claims.verify import verify as tested_here
from ..solvers import Settings
from ..solvers.running.settings import cpus
from .solving import MethodLike
from .tables import Table

_LOG = getLogger("closeknit.claims")
_SHOWN = ("claim", "verdict", "instances", "seconds", "result")


class VerdictRow(TypedDict):
    """The verdict on a claim."""

    claim: str
    verdict: str
    instances: int | None
    seconds: float
    result: str
    counterexample: Instance | None
    statement: str
    source: str


class Verdicts(Table[VerdictRow]):
    """One row for each claim; see `verify`.

    Parameters
    ----------
    results
        What came of each claim.
    """

    def __init__(self, results: Sequence[ClaimResult]) -> None:
        self.results = results
        held = sum(one.holds for one in results)
        title = f"{held} of {len(results)} claims hold"
        super().__init__(list(map(_record, results)), _SHOWN, title)

    @property
    def holds(self) -> bool:
        """Whether all claims hold."""
        return all(one.holds for one in self.results)


def verify(
    *claims: MethodLike,
    quick: bool = False,
    seed: int = 0,
    time_limit: float = 60.0,
    jobs: int | None = 1,
) -> Verdicts:
    """Test claims exactly; all of them if none is named.

    Parameters
    ----------
    claims
        Names; patterns with ``*``, ``?`` and ``[...]``; groups; methods, for what is
        claimed of them. See ``closeknit verify --list``. Methods of one's own, as
        ``module:name`` or the callables themselves, for the guarantees that they state;
        they are run in this process.
    quick
        Test on fewer and smaller instances.
    seed
        Of the instances that are sampled.
    time_limit
        Seconds for one run of a method.
    jobs
        Processes; None for one for each CPU.

    Returns
    -------
    Verdicts
        A row for each claim; ``holds`` states whether all of them hold.

    Raises
    ------
    InputError
        With a suggestion, for a name that is none of these; for a method of one's own
        without a guarantee.

    Examples
    --------
    >>> import closeknit as ck
    >>> ck.verify("mm-blocks", quick=True).holds
    True
    """
    chosen = chosen_claims(claims)
    settings = Settings(time_limit=time_limit, seed=seed)
    trial = Trial(seed=settings.seed, quick=quick, time_limit=settings.time_limit)
    number = cpus() if jobs is None else jobs
    return Verdicts(verdicts_on(chosen, trial, number))


def verdicts_on(
    claims: Sequence[Claim],
    trial: Trial,
    jobs: int,
    progress: Callable[[list[ClaimResult], ClaimResult], None] | None = None,
) -> list[ClaimResult]:
    """Test claims; return the verdicts in the order of the claims.

    One job runs in this process. ``progress`` is called after each claim with all
    verdicts so far, and with that on the claim.
    """
    order = {claim.name: i for i, claim in enumerate(claims)}
    results: list[ClaimResult] = []
    for one in (
        tested_here(claims, trial)
        if jobs == 1
        else verify_in_parallel(claims, trial, jobs)
    ):
        results.append(one)
        results.sort(key=lambda one: order[one.claim.name])
        done = f"{len(results)} of {len(claims)} claims"
        _LOG.info("%s: %s %s", done, one.claim.name, one.word)
        if progress is not None:
            progress(results, one)
    return results


def _record(one: ClaimResult) -> VerdictRow:
    return {
        "claim": one.claim.name,
        "verdict": one.word,
        "instances": one.outcome.instances if one.outcome else None,
        "seconds": one.seconds,
        "result": one.said,
        "counterexample": one.outcome.counterexample if one.outcome else None,
        "statement": one.claim.statement,
        "source": one.claim.source,
    }
