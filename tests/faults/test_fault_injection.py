"""The injector itself: every call fails once, everything is put back."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

import pytest

from .fault_injection import (
    Injector,
    broken,
    every_fault,
    full,
    in_child,
    out_of_memory,
)


def test_every_call_fails_once_and_the_last_trial_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "file"

    def trial(injector: Injector) -> str:
        with injector:
            try:
                path.write_text("one")
                path.replace(tmp_path / "other")
                os.stat(tmp_path / "other")  # noqa: PTH116
            except (OSError, MemoryError) as error:
                return repr(error)
        return "done"

    before = Path.replace, os.stat
    points = (
        *full("pathlib:Path.write_text"),
        *broken("pathlib:Path.replace"),
        *out_of_memory("os:stat"),
    )
    met = [
        (injector.met.place if injector.met else "", outcome)
        for injector, outcome in every_fault(points, trial)
    ]
    assert (Path.replace, os.stat) == before
    places, outcomes = zip(*met, strict=True)
    assert places[0] == "pathlib:Path.write_text"
    assert f"OSError({errno.ENOSPC}" in outcomes[0]
    assert places[1] == "pathlib:Path.replace"
    assert f"OSError({errno.EIO}" in outcomes[1]
    assert places[2:] == ("os:stat", "")
    assert outcomes[2:] == ("MemoryError()", "done")


def test_a_lasting_fault_fails_all_later_calls() -> None:
    with Injector(broken("os:stat"), 2, lasting=True) as injector:
        os.stat(".")  # noqa: PTH116
        for _ in range(3):
            with pytest.raises(OSError, match="Input/output"):
                os.stat(".")  # noqa: PTH116
    assert injector.calls == 4


def test_a_child_has_streams_and_a_status_of_its_own() -> None:
    def echo() -> int:
        print(sys.stdin.read().upper())
        os.write(2, b"said\n")
        return 7

    found = in_child(echo, stdin=b"heard")
    assert (found.status, found.out, found.err) == (7, b"HEARD\n", "said\n")


def test_a_child_shares_the_count_and_shows_its_traceback() -> None:
    with Injector(broken("os:getpid"), 2) as injector:
        found = in_child(lambda: os.getpid() * 0 + os.getpid())
    assert found.status == 1
    assert "Traceback" in found.err
    assert injector.met is not None
    assert injector.calls == 2


def test_a_child_that_hangs_is_killed() -> None:
    assert in_child(lambda: os.read(os.pipe()[0], 1)[0], seconds=0.2).status == -9
