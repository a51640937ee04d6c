"""Data that lies outside the repository: where it is, and what its absence means.

`CLOSEKNIT_DATA` names the folder; `../shared` is taken if it is unset. A test declares
the files that it reads with ``@needs("data/swf")``, or calls `require`. Where they are
missing the test is skipped, and counted and named at the end of the run; if the data is
required (see `required`) it fails. CONTRIBUTING.md says where the files come from.
"""

from __future__ import annotations

import os

import pytest

from .paths import SHARED, TESTS

REASON = "needs data outside the repository: "

LOGS = SHARED / "data" / "swf"
PARAGON = LOGS / "SDSC-Par-1996-3.1-cln.swf.xz"
IPSC = LOGS / "NASA-iPSC-1993-3.1-cln.swf.xz"
PACKINGS = SHARED / "data" / "packing"
KNAPSACKS = SHARED / "data" / "sukp"
QAPLIB = SHARED / "data" / "qaplib"
"""Taillard's grey patterns as the library has them; most users have none."""
REFERENCE = TESTS / "reference"
"""Tables of numbers, which come with the tests."""

needs = pytest.mark.data
"""Mark a test with the paths, within the folder of data, that it reads."""


def required() -> bool:
    """Whether missing data fails a test: CLOSEKNIT_REQUIRE_DATA=1, or CI without =0."""
    chosen = os.environ.get("CLOSEKNIT_REQUIRE_DATA")
    return chosen == "1" if chosen else os.environ.get("CI", "").lower() == "true"


def require(*names: str) -> None:
    """Skip, or fail where data is required, unless all of these are there."""
    missing = [name for name in names if not (SHARED / name).exists()]
    if missing:
        reason = f"{REASON}{', '.join(missing)}"
        if required():
            pytest.fail(f"{reason}, in {SHARED}; see `make data`", pytrace=False)
        pytest.skip(reason)
