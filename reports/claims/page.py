"""A page in Markdown about all claims: what each says, how it was tested, what came."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from importlib.metadata import version
from pathlib import Path

from ...instances.files import write_text
from . import Claim, ClaimResult, Trial
from .untested import UNTESTED


def claims_page(
    trial: Trial, verdicts: Sequence[ClaimResult], *, on: date, by: str
) -> str:
    """Return the page.

    Parameters
    ----------
    trial
        How they were tested.
    verdicts
        What came of it, in order.
    on, by
        When, and by which version.
    """
    held = sum(verdict.holds for verdict in verdicts)
    seen = sum(verdict.outcome.instances for verdict in verdicts if verdict.outcome)
    command = "closeknit verify" + (" --quick" if trial.quick else "")
    lines = [
        "# Claims",
        "",
        f"{held} of {len(verdicts)} claims hold on {seen} instances: "
        f"`{command} --seed {trial.seed}`, closeknit {by}, {on.isoformat()}. "
        "Optima are proved, ratios exact; sampled claims say which seed. Seconds are "
        "those of one processor. This page is written by `--markdown`.",
        "",
        "| claim | source | instances | verdict | seconds |",
        "|---|---|---:|---|---:|",
    ]
    for verdict in verdicts:
        claim = verdict.claim
        count = str(verdict.outcome.instances) if verdict.outcome else ""
        lines.append(
            f"| [{claim.name}](#{_anchor(claim)}) | {_cell(claim.source)} | {count} | "
            f"{verdict.word} | {verdict.cpu:.1f} |"
        )
    for verdict in verdicts:
        lines += ["", *about(verdict.claim), f"- Result: {_line(verdict.said)}."]
    lines += ["", "## Not tested", ""]
    for one in UNTESTED:
        lines.append(f"- {one.what} ({one.source}): {one.why}.")
    return "\n".join(lines) + "\n"


def about(claim: Claim) -> list[str]:
    """Return the lines about a claim that do not depend on a run."""
    return [
        f"## {claim.name}",
        "",
        _line(claim.statement),
        "",
        f"- Source: {_line(claim.source)}.",
        f"- Tested: {_line(claim.tested)}.",
    ]


def write_page(path: str | Path, trial: Trial, verdicts: Sequence[ClaimResult]) -> None:
    """Write the page of today to a file, whole or not at all."""
    today = datetime.now(UTC).date()
    page = claims_page(trial, verdicts, on=today, by=version("closeknit"))
    write_text(path, page)


def _anchor(claim: Claim) -> str:
    return claim.name.replace(".", "")


def _cell(text: str) -> str:
    return _line(text).replace("|", "\\|")


def _line(text: str) -> str:
    """Keep to one line, and Markdown from reading more into it."""
    text = " ".join(text.split()).removesuffix(".")
    for mark in ("<", "*"):
        text = text.replace(mark, f"\\{mark}")
    return text
