"""Which tests the quick tier runs: those of the core that stay in one process.

``pytest --tier quick`` (`make test`) leaves out the tests of the slices next to the
core, those that start processes or a browser, and those that take seconds (`LONG`);
`make test-full` runs all but the slow ones, and `.ci/run` calls it.
"""

from __future__ import annotations

import ast
import re
import tomllib
from functools import cache
from pathlib import Path

from .paths import TESTS

CORE = (
    *("api", "cli", "conformance", "exact", "formulations", "heuristics", "instances"),
    *("methods", "proofs", "reports", "scheduler", "simulation", "solvers"),
)
"""Folders of the quick tier."""
ALSO = ("test_house.py", "docs/test_words.py")
"""Files of others."""
STARTS_PROCESSES = re.compile(
    r"\b(subprocess|Popen|multiprocessing|run_alone|os\.kill|setitimer|browser)\b"
)
EXAMPLES = 25
"""Examples that Hypothesis draws for each of its tests in the quick tier."""
LONG = tomllib.loads((TESTS / "long.toml").read_text("utf-8"))
"""Tests that take more than 1.3 seconds, by file."""


@cache
def is_quick(path: Path) -> bool:
    """Whether the quick tier collects this file or, of a folder, anything in it."""
    name = path.relative_to(TESTS).as_posix()
    if path.is_dir():
        return name in {".", *CORE, "docs"} or name.startswith(inside())
    return name in ALSO or name.startswith(inside())


def inside() -> tuple[str, ...]:
    """Return the folders of the quick tier, each with a slash behind it."""
    return tuple(f"{one}/" for one in CORE)


@cache
def left_out(path: Path) -> frozenset[str]:
    """Return the tests of a file that the quick tier does not run.

    A test starts processes if it says so, or if a function or a fixture of the file
    that it names does.
    """
    text = path.read_text("utf-8")
    tree = ast.parse(text)
    functions = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)]
    words = {
        one.name: set(re.findall(r"\w+", ast.get_source_segment(text, one) or ""))
        for one in functions
    }
    found = {
        one.name
        for one in functions
        if STARTS_PROCESSES.search(ast.get_source_segment(text, one) or "")
    }
    while more := {name for name, used in words.items() if used & found} - found:
        found |= more
    return frozenset({*found, *LONG.get(path.relative_to(TESTS).as_posix(), ())})
