"""Campaigns without processes: for tests of what they say and keep.

The calls of a campaign take milliseconds with the methods of `tests.toys`; its
processes take seconds, and are tested where they are the subject.
"""

from __future__ import annotations

import sys
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import pytest

from closeknit.reports.campaigns import pool


def at_once(
    calls: Sequence[pool.Call], *, jobs: int, scratch: Path | None = None
) -> Generator[tuple[int, Any], None, None]:
    """Make all calls in this process, so that no process is started."""
    for position, call in enumerate(calls):
        yield position, pool.value_of(call.function)


def stay_in_process(patch: pytest.MonkeyPatch) -> None:
    """Let campaigns start no process."""
    patch.setattr(pool, "run", at_once)


def main() -> None:
    """Run the command line so, for a test that needs a fresh process, but one only."""
    from closeknit.cli.app import run

    stay_in_process(pytest.MonkeyPatch())
    sys.exit(run(sys.argv[1:]))
