"""Which tests the quick tier runs: those of the core that stay in one process.

``pytest --tier quick`` (`make test`) leaves out what starts processes, opens a browser,
runs commands from end to end, or belongs to a slice beside the core; `make test-full`
runs all but the slow ones, and `.ci/run` calls it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from .paths import TESTS

QUICK = (
    *("conformance", "exact", "formulations", "heuristics", "instances", "methods"),
    *("proofs", "scheduler", "simulation", "solvers", "api/test_api.py"),
    *("reports/claims/test_claims.py", "test_house.py", "docs/test_words.py"),
)
"""Folders and files of the quick tier, but for those that start processes."""
STARTS_PROCESSES = re.compile(
    r"\b(subprocess|Popen|multiprocessing|run_alone|os\.kill|setitimer|browser)\b"
)
EXAMPLES = 25
"""Examples that Hypothesis draws for each of its tests in the quick tier."""


@cache
def is_quick(path: Path) -> bool:
    """Whether the quick tier collects this file or, of a folder, anything in it."""
    name = path.relative_to(TESTS).as_posix()
    if path.is_dir():
        inside = (one == name or one.startswith(f"{name}/") for one in QUICK)
        return name == "." or any(inside) or name.startswith(tuple(folders()))
    if not name.startswith(tuple(folders())):
        return name in QUICK
    return not STARTS_PROCESSES.search(path.read_text("utf-8"))


def folders() -> Iterator[str]:
    """Return the folders of the quick tier, each with a slash behind it."""
    return (f"{one}/" for one in QUICK if not one.endswith(".py"))


def left_out() -> list[str]:
    """List the files of tests that the quick tier does not collect."""
    files = sorted(TESTS.rglob("test_*.py"))
    return [str(one.relative_to(TESTS)) for one in files if not is_quick(one)]
