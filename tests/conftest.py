"""Settings of all tests: simulations are checked, no test is timed, data is named."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import settings

from .data import REASON, require
from .paths import SHARED
from .serving.browser import browser, chromium
from .serving.site import site
from .tiers import EXAMPLES, LONGEST, draw_more, is_quick, left_out

__all__ = ["browser", "chromium", "site"]

os.environ["CLOSEKNIT_CHECK"] = "1"  # see simulation/invariants.py
os.environ.pop("GITHUB_ACTIONS", None)  # for which commands write more
# Workers and the many processes that tests start read modules as bytecode.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
settings.register_profile("untimed", deadline=None, max_examples=2 * EXAMPLES)
settings.register_profile("quick", deadline=None, max_examples=EXAMPLES)
settings.load_profile("untimed")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the tier."""
    says = "quick: the core's tests that stay in one process (make test)"
    parser.addoption("--tier", choices=("quick", "full"), default="full", help=says)
    says = "let Hypothesis draw so many times as many examples (make test-slow)"
    parser.addoption("--draws", type=int, default=1, metavar="N", help=says)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out what is not of the quick tier, unread, if that is asked for."""
    if config.getoption("tier") == "full" or collection_path.name == "conftest.py":
        return None
    return None if is_quick(collection_path) else True


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Leave what collecting makes to no garbage collector.

    It is some two million objects, all of which stay: looking for garbage among them
    takes a third of the time of collecting.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Leave out what starts processes or takes seconds, in the quick tier.

    In the full one those that take longest come first, so that no process ends alone.
    """
    if (times := config.getoption("draws")) != 1:
        draw_more(items, times)
    if config.getoption("tier") == "full":
        items.sort(key=lambda one: one.path.name not in LONGEST)
        return
    kept: dict[bool, list[pytest.Item]] = {True: [], False: []}
    for one in items:
        kept[one.name.partition("[")[0] not in left_out(one.path)].append(one)
    config.hook.pytest_deselected(items=kept[False])
    items[:] = kept[True]


@pytest.fixture(autouse=True)
def _state_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Let no planted contradiction leave a file in the user's home."""
    os.environ["XDG_STATE_HOME"] = str(tmp_path_factory.getbasetemp() / "state")


@pytest.fixture(autouse=True)
def _ctrl_c_is_pythons_own() -> None:
    """Undo what a command that was run in this process did to the handler."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker of `tests.data`."""
    config.addinivalue_line("markers", "data(*paths): reads these, outside the code")
    if config.getoption("tier") == "quick":
        settings.load_profile("quick")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip or fail a test whose data is missing."""
    for marker in item.iter_markers("data"):
        require(*marker.args)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Count and name the tests that were skipped, by what they lack."""
    if terminalreporter.config.getoption("tier") == "quick":
        terminalreporter.section("the quick tier")
        terminalreporter.line(
            "left out, and run by `make test-full`: tests of the slices and of pages, "
            "those that start processes or a browser, and those that take seconds; "
            "the slowest are run by `make test-slow`"
        )
    whys = defaultdict(list)
    for report in terminalreporter.stats.get("skipped", []):
        told = report.longrepr
        why = told[2] if isinstance(told, tuple) else str(told)
        whys[REASON if REASON in why else why].append(report.nodeid)
    for why, names in sorted(whys.items()):
        named = why.removeprefix("Skipped: ").strip(" :")
        terminalreporter.section(f"{len(names)} tests skipped: {named}")
        for name in sorted(names):
            terminalreporter.line(name)
        if why == REASON:
            at = f"The data is looked for in {SHARED}; see `make data`."
            terminalreporter.line(at)
