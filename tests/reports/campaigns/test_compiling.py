"""Kernels are compiled before a report begins, unless they are interpreted."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from closeknit.instances import mesh, write_ksubset
from closeknit.reports.campaigns import compiling, pool
from closeknit.solvers.running import kernels


def test_a_report_runs_where_kernels_are_interpreted(tmp_path: Path) -> None:
    write_ksubset(mesh(3, 3, k=3), tmp_path / "job.json")
    words = ["ratios", "job.json", "--methods", "mm", "--out", "found"]
    done = subprocess.run(
        [sys.executable, "-m", "closeknit", *words],
        cwd=tmp_path,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "mm" in (tmp_path / "found/ratios.csv").read_text()


class Idle:
    """A process of the pool that ends each call at once."""

    def __init__(self, *_: object) -> None:
        self.call: object = None
        self.kinds: set[str] = set()
        self.had: list[int] = []

    def begin(self, call: tuple[int, pool.Call]) -> None:
        self.had.append(call[0])


def test_calls_of_one_kind_go_to_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has their machine code; one that has had all of its kinds takes the last.

    Those of no kind are begun in the order given, by any.
    """
    monkeypatch.setattr(pool, "_Worker", Idle)
    first, second = Idle(), Idle()
    workers: Any = [first, second]

    def give(kinds: str, turns: list[Idle]) -> None:
        calls = [pool.Call(os.getpid, kind=kind.strip()) for kind in kinds]
        waiting = deque(enumerate(calls))
        for turn in turns:
            first.call = second.call = ()
            turn.call = None
            pool._begun(waiting, workers, None)

    give("aababca", [first, second, first, second, second, second, second])
    assert (first.had, second.had) == ([0, 1], [2, 4, 5, 6, 3])
    give("   ", [second, first, second])
    assert (first.had[2:], second.had[5:]) == ([1], [0, 2])


def test_compiling_is_announced_until_it_was_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Processes of the pool do not announce it: the one that starts them does."""
    monkeypatch.setattr(compiling, "_ready_file", lambda: tmp_path / "ready.json")
    monkeypatch.setattr(kernels, "_worth_saying", 0.5)
    place = tmp_path / "ready.json"
    for tasks, ended, said in (
        ({"one", "two"}, {"one"}, True),  # the other's process was killed
        ({"one"}, {"one"}, False),
        ({"one", "two"}, {"two"}, True),
        ({"one", "two"}, set(), False),
        ({"three"}, {"three"}, True),
    ):
        monkeypatch.setattr(kernels, "_worth_saying", 0.5)
        with suppress(KeyError), compiling.announcing(tasks, of_all=1, jobs=2) as done:
            err = capsys.readouterr().err
            assert ("compiling kernels, once, about" in err) == said
            done |= ended
            compiling._keep(place, {"another"})
            raise KeyError
    assert compiling._read(place) == {"one", "two", "three", "another"}


def test_what_is_interpreted_was_not_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numba may not even be there; the next run would compile without saying so."""
    monkeypatch.setattr(compiling, "INTERPRETED", True)
    monkeypatch.setattr(compiling, "_ready_file", None)
    with compiling.announcing({"one"}, of_all=1, jobs=2) as done:
        done.add("one")


@pytest.mark.parametrize(
    "text", ['["one", 1, null]', "[" * 10**6, "3", '{"a": 1', "\0"]
)
def test_a_record_that_is_damaged_is_written_anew(tmp_path: Path, text: str) -> None:
    place = tmp_path / "ready.json"
    place.write_text(text)
    compiling._keep(place, {"two"})
    assert compiling._read(place) - {"one"} == {"two"}
