"""Memory of a process and its descendants, read from /proc."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_PAGE = os.sysconf("SC_PAGE_SIZE")
EVERY = 0.1
"""Seconds between two measurements."""


def resident_bytes(process: int) -> int:
    """Return the resident bytes of a process and its descendants.

    Resident pages, not address space: solvers and numba reserve far more than they
    touch. 0 for what has ended, and where there is no /proc.
    """
    total = 0
    for each in family(process):
        with suppress(OSError, ValueError, IndexError):
            statm = Path(f"/proc/{each}/statm").read_text()
            total += _PAGE * int(statm.split()[1])
    return total


def family(process: int) -> list[int]:
    """Return a process and its descendants, parents first."""
    found = [process]
    for each in found:  # which grows
        with suppress(OSError, ValueError):
            for thread in Path(f"/proc/{each}/task").iterdir():
                found += map(int, (thread / "children").read_text().split())
    return found


class Peak:
    """The peak so far, in MiB."""

    def __init__(self) -> None:
        self.bytes = 0

    @property
    def mib(self) -> int | None:
        """Rounded up; None where it cannot be known."""
        return -(-self.bytes // 2**20) or None


@contextmanager
def peak() -> Iterator[Peak]:
    """Measure the peak memory of this process and its descendants in a block.

    Of this process alone the kernel keeps the peak exactly; with its children the
    sum is looked at ten times a second, while this process lets others run.
    """
    found = Peak()
    _forget_own_peak()
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(EVERY):
            found.bytes = max(found.bytes, resident_bytes(os.getpid()))

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield found
    finally:
        ended.set()
        watcher.join()
        found.bytes = max(found.bytes, _own_peak())


def _forget_own_peak() -> None:
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _own_peak() -> int:
    with suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return 1024 * int(line.split()[1])
    return 0
