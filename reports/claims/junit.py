"""JUnit XML, as continuous integration reads it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from xml.etree import ElementTree

from ...instances.files import write_text
from . import Claim, ClaimResult

_UNPRINTABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold in any form."""


def junit_xml(verdicts: Sequence[ClaimResult], pending: Iterable[Claim] = ()) -> str:
    """Return one test suite: a case a claim, with its failure or its error.

    Parameters
    ----------
    verdicts
        What has been tested.
    pending
        What has not: listed as skipped.
    """
    waiting = list(pending)
    words = [verdict.word for verdict in verdicts]
    counts = {
        "tests": len(words) + len(waiting),
        "failures": words.count("broken"),
        "errors": words.count("error"),
        "skipped": len(waiting),
        "time": _seconds(sum(verdict.seconds for verdict in verdicts)),
    }
    attributes = {key: str(value) for key, value in counts.items()}
    top = ElementTree.Element("testsuites", attributes)
    suite = ElementTree.SubElement(
        top, "testsuite", {"name": "closeknit verify", **attributes}
    )
    for verdict in verdicts:
        case = ElementTree.SubElement(
            suite,
            "testcase",
            {
                "classname": "closeknit.claims",
                "name": verdict.claim.name,
                "time": _seconds(verdict.seconds),
            },
        )
        said = _printable(verdict.said)
        if verdict.word == "broken":
            failure = ElementTree.SubElement(case, "failure", {"message": said})
            failure.set("type", "broken")
            failure.text = f"{_printable(verdict.claim.statement)}\n{said}"
        elif verdict.word == "error":
            error = ElementTree.SubElement(case, "error", {"message": said})
            error.set("type", said.partition(":")[0])
            error.text = _printable(verdict.trace)
        else:
            ElementTree.SubElement(case, "system-out").text = said
    for claim in waiting:
        case = ElementTree.SubElement(
            suite,
            "testcase",
            {"classname": "closeknit.claims", "name": claim.name, "time": _seconds(0)},
        )
        ElementTree.SubElement(case, "skipped", {"message": "not reached"})
    ElementTree.indent(top)
    return ElementTree.tostring(top, encoding="unicode")


def write_junit(
    path: str | Path, verdicts: Sequence[ClaimResult], pending: Iterable[Claim] = ()
) -> None:
    """Write the suite to a file, whole or not at all."""
    head = '<?xml version="1.0" encoding="UTF-8"?>\n'
    write_text(path, f"{head}{junit_xml(verdicts, pending)}\n")


def _seconds(value: float) -> str:
    return f"{value:.3f}"


def _printable(text: str) -> str:
    return _UNPRINTABLE.sub("\ufffd", text)
