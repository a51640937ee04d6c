"""A page about all claims: what each states, how it was tested, and the result."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from importlib.metadata import version
from pathlib import Path

from ...instances.files import write_text
from ..pages.document import Document, Link, Section, Table
from ..pages.markdown import markdown_of
from . import Claim, ClaimResult, Trial
from .untested import UNTESTED


def claims_document(
    trial: Trial, verdicts: Sequence[ClaimResult], *, on: date, by: str
) -> Document:
    """Build the page.

    Parameters
    ----------
    trial
        How the claims were tested.
    verdicts
        One result per claim, in order.
    on, by
        The day of the test, and the version of closeknit.
    """
    held = sum(verdict.holds for verdict in verdicts)
    seen = sum(verdict.outcome.instances for verdict in verdicts if verdict.outcome)
    command = "closeknit verify" + (" --quick" if trial.quick else "")
    table = Table(
        columns=("*claim", "*source", "instances", "*verdict", "seconds"),
        rows=tuple(
            (
                Link(v.claim.name),
                v.claim.source,
                v.outcome.instances if v.outcome else "",
                *(v.word, f"{v.cpu:.1f}"),
            )
            for v in verdicts
        ),
    )
    return Document(
        name="claims",
        title="Claims",
        lead=(
            f"{held} of {len(verdicts)} claims hold on {seen} instances: "
            f"`{command} --seed {trial.seed}`, closeknit {by}, {on.isoformat()}. "
            "Optima are proved, ratios exact; sampled claims state their seed. Seconds "
            "are processor time. This page is written by `--markdown`.",
        ),
        sections=(
            Section(title="All claims", tables=(table,)),
            *(about(v.claim, _sentence(v.said)) for v in verdicts),
            Section(
                title="Not tested",
                items=tuple(f"{u.what} ({u.source}): {u.why}." for u in UNTESTED),
            ),
        ),
    )


def about(claim: Claim, result: str = "") -> Section:
    """Return the section on a claim, with the result of a run if there is one."""
    items = f"Source: {_sentence(claim.source)}", f"Tested: {_sentence(claim.tested)}"
    found = (f"Result: {result}",) if result else ()
    return Section(
        title=claim.name,
        text=(_sentence(claim.statement),),
        items=(*items, *found),
    )


def write_page(path: str | Path, trial: Trial, verdicts: Sequence[ClaimResult]) -> None:
    """Write the page of today to a file, whole or not at all."""
    today = datetime.now(UTC).date()
    page = claims_document(trial, verdicts, on=today, by=version("closeknit"))
    write_text(path, markdown_of(page))


def _sentence(text: str) -> str:
    return text.removesuffix(".") + "."
