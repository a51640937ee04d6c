"""What is written about claims and verdicts: a page, and cases of JUnit XML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime
from importlib.metadata import version
from pathlib import Path

from ...instances.writing.files import write_text
from ..pages.document import Document, Section, SectionLink, Table
from ..pages.junit import ERROR, FAILURE, PASSED, SKIPPED, Case
from ..pages.markdown import markdown_of
from .running.claim import Claim, Trial
from .verify import ClaimResult

UNTESTED = (
    (
        "The supremum of w(MM)/w(OPT) over all arrangements of k points is attained",
        "Bender et al. 2008, Lemma 1",
        "it is about a continuum of arrangements; what follows from it, Theorem 2, is "
        "tested by `mm-upper-bound` and `rho-exhaustively`",
    ),
    (
        "Claims 0 to 5 in the proof of Theorem 2",
        "Bender et al. 2008, section 2.3",
        "they move points continuously to a worst case; the final bound is tested",
    ),
    (
        "No polynomial algorithm finds optima in fixed dimension, unless P = NP",
        "Bender et al. 2008, Conjecture 1",
        "a conjecture about all algorithms",
    ),
    (
        "Theorems 4 and 5 for every epsilon",
        "Bender et al. 2008, section 4",
        "the enumeration as printed is out of reach but for tiny instances; its lemmas "
        "are tested one by one, and the improved scheme on proved optima",
    ),
    (
        "Running times, such as linear time on a line or ring",
        "Bender et al. 2008, section 1",
        "asymptotic; `benchmarks/` measures some",
    ),
    (
        "Table 1, and flow times in a simulated network",
        "Bender et al. 2008, sections 5 and 6",
        "they need job traces: `closeknit reproduce` sets them beside ours",
    ),
    (
        "Selecting processors is NP-hard in the strong sense",
        "Drakenberg 2012, Theorem 1",
        "hardness is no finite fact; the reduction itself is tested both ways",
    ),
)
"""What the papers say that no run can test: the statement, its source, and why not."""


def claims_document(
    trial: Trial, verdicts: Sequence[ClaimResult], *, on: date, by: str
) -> Document:
    """Build the page of a day, ``on``, and of a version of closeknit, ``by``."""
    held = sum(verdict.holds for verdict in verdicts)
    seen = sum(verdict.outcome.instances for verdict in verdicts if verdict.outcome)
    command = "closeknit verify" + (" --quick" if trial.quick else "")
    table = Table(
        columns=("*claim", "*source", "instances", "*verdict", "seconds"),
        rows=tuple(
            (
                SectionLink(v.claim.name),
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
                items=tuple(
                    f"{what} ({source}): {why}." for what, source, why in UNTESTED
                ),
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


def cases(
    verdicts: Sequence[ClaimResult], pending: Iterable[Claim] = ()
) -> Iterator[Case]:
    """Yield one case of JUnit XML per claim; those pending are skipped."""
    for one in verdicts:
        named = {"group": "closeknit.claims", "name": one.claim.name}
        came, about, kind = PASSED, "", ""
        if one.word == "broken":
            came, kind = FAILURE, "broken"
            about = f"{one.claim.statement}\n{one.said}"
        elif one.word == "error":
            came, about, kind = ERROR, one.trace, one.said.partition(":")[0]
        told = {"said": one.said, "about": about, "kind": kind}
        yield Case(**named, seconds=one.seconds, came=came, **told)
    for claim in pending:
        named = {"group": "closeknit.claims", "name": claim.name}
        yield Case(**named, seconds=0, came=SKIPPED, said="not reached")
