"""Campaigns in other processes: what they have found by now, and waiting for it."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from closeknit.reports.campaigns.row_fields import document_of
from closeknit.reports.campaigns.store import FILE, rows_in

CHANGING = ("seconds", "finished", "memory_peak")
"""What differs from run to run."""
HUNGRY = (
    sys.executable,
    "-c",
    "x = bytearray(600 << 20); import time; time.sleep(600)",
)
"""A command that takes more memory than tests allow."""


def sleeper(note: Path) -> tuple[str, ...]:
    """Return a command that notes the number of its process, and never ends."""
    return "sh", "-c", f"echo $$ > {note}.new; mv {note}.new {note}; exec sleep 600"


def is_gone(pid: int) -> bool:
    """Whether a process has ended; its parent may not know yet."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return True
    return state == "Z"


def until(condition: Callable[[], bool], seconds: float = 300) -> bool:
    """Wait; return whether the condition came to hold."""
    end = monotonic() + seconds
    while not condition():
        if monotonic() > end:
            return False
        sleep(0.02)
    return True


def count(out: Path) -> int:
    """Count rows without reading them, so that asking often costs nothing."""
    try:
        with closing(sqlite3.connect(out / FILE)) as database:
            ((found,),) = database.execute("SELECT count(*) FROM results")
            return int(found)
    except sqlite3.Error:  # not made yet
        return 0


def wait_for_rows(out: Path, least: int) -> None:
    """Wait until so many rows are there."""
    assert until(lambda: count(out) >= least), "no rows came"


def results(out: Path) -> list[dict[str, Any]]:
    """What was found, without what differs from run to run; in a fixed order."""
    found = [document_of(row) for row in rows_in(out / FILE)]
    kept = [{k: v for k, v in one.items() if k not in CHANGING} for one in found]
    return sorted(kept, key=lambda one: (one["instance"], one["method"]))
