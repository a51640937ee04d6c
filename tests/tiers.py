"""Which tests the quick tier runs: those of the core that stay in one process.

``pytest --tier quick`` (`make test`) leaves out the tests of the slices next to the
core, those that start processes or a browser, and those that take seconds (`LONG`);
`make test-full` runs all but the slow ones, and `.ci/run` calls it.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import is_hypothesis_test, settings

from .paths import TESTS

CORE = (
    *("api", "cli", "conformance", "exact", "formulations", "heuristics", "instances"),
    *("methods", "proofs", "reports", "scheduler", "simulation", "solvers"),
)
"""Folders of the quick tier."""
INSIDE = tuple(f"{one}/" for one in CORE)
ALSO = ("test_house.py", "docs/test_words.py")
"""Files of others."""
STARTS_PROCESSES = re.compile(
    r"\b(subprocess|Popen|multiprocessing|run_alone|os\.kill|setitimer|browser)\b"
)
EXAMPLES = 25
"""Examples that Hypothesis draws in the quick tier for tests that set no number; twice
as many in the full one."""
LONGEST = ("test_verify.py", "test_machine_code.py", "test_campaign_faults.py")
"""Files whose tests take longest."""
LONG = tomllib.loads((TESTS / "long.toml").read_text("utf-8"))
"""Tests that take more than 1.3 seconds, by file."""


@cache
def is_quick(path: Path) -> bool:
    """Whether the quick tier collects this file or, of a folder, anything in it."""
    name = path.relative_to(TESTS).as_posix()
    also = (".", *CORE, "docs") if path.is_dir() else ALSO
    return name in also or name.startswith(INSIDE)


@cache
def left_out(path: Path) -> frozenset[str]:
    """Return the tests of a file that the quick tier does not run.

    A test starts processes if it says so, or if a function or a fixture of the file
    that it names does.
    """
    text = path.read_text("utf-8")
    lines = text.splitlines()
    functions = [
        (one.name, "\n".join(lines[one.lineno - 1 : one.end_lineno]))
        for one in ast.walk(ast.parse(text))
        if isinstance(one, ast.FunctionDef)
    ]
    words = {name: set(re.findall(r"\w+", body)) for name, body in functions}
    found = {name for name, body in functions if STARTS_PROCESSES.search(body)}
    while more := {name for name, used in words.items() if used & found} - found:
        found |= more
    return frozenset({*found, *LONG.get(path.relative_to(TESTS).as_posix(), ())})


def draw_more(items: Iterable[pytest.Item], times: int) -> None:
    """Let Hypothesis draw so many times as many examples for each test."""
    test: Any
    for test in {one.function for one in items if isinstance(one, pytest.Function)}:
        if is_hypothesis_test(test):
            given = getattr(test, "_hypothesis_internal_use_settings", settings())
            more = settings(given, max_examples=times * given.max_examples)
            test._hypothesis_internal_use_settings = more  # Hypothesis reads it
