"""A campaign as cases of JUnit XML: one for each run."""

from __future__ import annotations

from collections.abc import Iterator

from ...instances.value import cost_text
from ..campaigns.rows import FAILED
from ..pages.junit import ERROR, FAILURE, PASSED, SKIPPED, Case
from .report import Report
from .scoring import ScoredRun


def cases(report: Report) -> Iterator[Case]:
    """Yield the cases; what answered nothing is skipped, with the reason.

    A contradicted proof is a failure of the run that made it.
    """
    for run in report.judged:
        came, text = _outcome(run)
        yield Case(
            group=run.row.instance,
            name=run.row.method,
            seconds=run.row.seconds or 0.0,
            came=came,
            said=text,
        )


def _outcome(run: ScoredRun) -> tuple[str, str]:
    row, verdict = run.row, run.verdict
    if row.status == FAILED:
        return ERROR, row.error
    if run.problem:
        return FAILURE, run.problem
    if verdict.contradiction and row in (verdict.proved, verdict.refuted):
        return FAILURE, verdict.contradiction
    if row.cost is None and row.status != "infeasible":
        return SKIPPED, row.error or f"{row.status}: nothing found"
    if row.cost is None:
        return PASSED, row.status
    optimum = "not proven" if verdict.optimum is None else cost_text(verdict.optimum)
    return PASSED, f"cost {cost_text(row.cost)}, optimum {optimum}"
