"""Where the repository is, and the data that lies outside it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
ROOT = TESTS.parent
SHARED = Path(os.environ.get("CLOSEKNIT_DATA") or ROOT.parent / "shared")
"""Published tables, traces and benchmarks; tests that need them are skipped without."""


LOGS = SHARED / "data" / "swf"


PARAGON = LOGS / "SDSC-Par-1996-3.1-cln.swf.xz"


IPSC = LOGS / "NASA-iPSC-1993-3.1-cln.swf.xz"


needs_logs = pytest.mark.skipif(not LOGS.exists(), reason="needs the archive's logs")
