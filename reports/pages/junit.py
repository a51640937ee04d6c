"""JUnit XML: one suite of cases, as every CI system shows it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from ...instances.writing.files import write_text

_UNPRINTABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold in any form."""
PASSED, FAILURE, ERROR, SKIPPED = "passed", "failure", "error", "skipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One test: its name, its outcome and the text.

    ``came`` is `PASSED`, `FAILURE`, `ERROR` or `SKIPPED`; ``about`` is shown where it
    is one of the middle two; ``kind`` is its type then.
    """

    group: str
    name: str
    seconds: float
    came: str
    said: str = ""
    about: str = ""
    kind: str = ""


def junit_xml(suite: str, cases: Iterable[Case]) -> str:
    """Return a test suite with these cases."""
    listed = list(cases)
    words = [case.came for case in listed]
    attributes = {
        "tests": str(len(words)),
        "failures": str(words.count(FAILURE)),
        "errors": str(words.count(ERROR)),
        "skipped": str(words.count(SKIPPED)),
        "time": f"{sum(case.seconds for case in listed):.3f}",
    }
    top = Element("testsuites", attributes)
    inside = SubElement(top, "testsuite", {"name": suite, **attributes})
    for case in listed:
        named = {"classname": _printable(case.group), "name": _printable(case.name)}
        one = SubElement(inside, "testcase", {**named, "time": f"{case.seconds:.3f}"})
        said = _printable(case.said)
        if case.came == PASSED:
            SubElement(one, "system-out").text = said
            continue
        kind = {"type": case.kind} if case.kind else {}
        what = SubElement(one, case.came, {"message": said, **kind})
        what.text = _printable(case.about) or None
    indent(top)
    return tostring(top, encoding="unicode")


def write_junit(path: str | Path, suite: str, cases: Iterable[Case]) -> None:
    """Write the suite to a file, whole or not at all."""
    head = '<?xml version="1.0" encoding="UTF-8"?>\n'
    write_text(path, f"{head}{junit_xml(suite, cases)}\n")


def _printable(text: str) -> str:
    return _UNPRINTABLE.sub("\ufffd", text)
