"""What is written about claims and verdicts: a page, and JUnit XML."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime
from importlib.metadata import version
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from ...instances.files import write_text
from ..pages.document import Document, Link, Section, Table
from ..pages.markdown import markdown_of
from . import Claim, ClaimResult, Trial

_UNPRINTABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold in any form."""
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


def junit_xml(verdicts: Sequence[ClaimResult], pending: Iterable[Claim] = ()) -> str:
    """Return one test suite, one case per claim; those pending are skipped."""
    waiting = list(pending)
    words = [verdict.word for verdict in verdicts]
    attributes = {
        "tests": str(len(words) + len(waiting)),
        "failures": str(words.count("broken")),
        "errors": str(words.count("error")),
        "skipped": str(len(waiting)),
        "time": f"{sum(verdict.seconds for verdict in verdicts):.3f}",
    }
    top = Element("testsuites", attributes)
    suite = SubElement(top, "testsuite", {"name": "closeknit verify", **attributes})
    for verdict in verdicts:
        case = _case(suite, verdict.claim, verdict.seconds)
        said = _printable(verdict.said)
        if verdict.word == "broken":
            failure = SubElement(case, "failure", {"message": said, "type": "broken"})
            failure.text = f"{_printable(verdict.claim.statement)}\n{said}"
        elif verdict.word == "error":
            kind = said.partition(":")[0]
            error = SubElement(case, "error", {"message": said, "type": kind})
            error.text = _printable(verdict.trace)
        else:
            SubElement(case, "system-out").text = said
    for claim in waiting:
        SubElement(_case(suite, claim, 0), "skipped", {"message": "not reached"})
    indent(top)
    return tostring(top, encoding="unicode")


def _case(suite: Element, claim: Claim, seconds: float) -> Element:
    named = {"classname": "closeknit.claims", "name": claim.name}
    return SubElement(suite, "testcase", {**named, "time": f"{seconds:.3f}"})


def write_junit(
    path: str | Path, verdicts: Sequence[ClaimResult], pending: Iterable[Claim] = ()
) -> None:
    """Write the suite to a file, whole or not at all."""
    head = '<?xml version="1.0" encoding="UTF-8"?>\n'
    write_text(path, f"{head}{junit_xml(verdicts, pending)}\n")


def _printable(text: str) -> str:
    return _UNPRINTABLE.sub("\ufffd", text)
