"""Where the repository is, and the data that lies outside it."""

from __future__ import annotations

import os
from pathlib import Path

TESTS = Path(__file__).parent
ROOT = TESTS.parent
SHARED = Path(os.environ.get("CLOSEKNIT_DATA") or ROOT.parent / "shared")
"""Published tables, traces and benchmarks; see `tests.data`."""
PAGES = (
    ROOT / "README.md",
    ROOT / "docs" / "index.md",
    *sorted((ROOT / "docs").glob("[!g]*/*.md")),
)
"""README and the pages of the site, without those that building it generates."""
