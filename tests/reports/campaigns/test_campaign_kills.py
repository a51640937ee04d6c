"""A campaign whose driver and workers are killed again and again."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from time import sleep

import pytest

from closeknit.instances import write_ksubset
from closeknit.reports.campaigns.store import FILE, LOCK, rows_in

from ...paths import ROOT
from ...toys import small
from .watching import count, results, until

PROGRAM = """
import sys
import closeknit.methods
from closeknit.cli.app import run
from tests.toys import SABOTEURS, TOYS
names = ("first", "last", "pausing", "filing", "auto")
closeknit.methods.METHODS = {
    "ksubset": {name: {**TOYS, **SABOTEURS}[name] for name in names}
}
sys.exit(run(sys.argv[1:]))
"""


def driver(folder: Path, out: Path, temporary: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [
            *(sys.executable, "-c", PROGRAM, "ratios", str(folder)),
            *("--out", str(out), "--jobs", "2"),
        ],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(temporary)},
    )


def workers_of(pid: int) -> list[int]:
    """Return the processes in which runs are made, not those of multiprocessing."""
    found = []
    with suppress(OSError, ValueError):
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        for child in map(int, children):
            if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
                found.append(child)
    return found


@pytest.mark.parametrize("kills", [3, pytest.param(200, marks=pytest.mark.slow)])
def test_nothing_is_lost_doubled_or_left_behind(tmp_path: Path, kills: int) -> None:
    folder, temporary = tmp_path / "instances", tmp_path / "tmp"
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    for place in (folder, temporary):
        place.mkdir()
    instances = 40 if kills > 3 else 12
    for i in range(instances):
        write_ksubset(small(f"i{i}", 2 + i % 3, busy=i % 4), folder / f"{i}.json")
    with driver(folder, whole, temporary) as process:
        assert process.wait(600) == 0
    expected = results(whole)
    assert len(expected) == 5 * instances
    assert list(temporary.iterdir()) == []

    draw = random.Random(kills)
    done, with_rows = 0, 0
    while done < kills:
        before = count(parts)
        if before > len(expected) - 20:  # begin anew
            for path in parts.glob("results.sqlite*"):
                path.unlink()
            before = 0
        with driver(folder, parts, temporary) as process:
            # At most two workers of one driver: three deaths would be too many.
            for victim in ["worker"] * draw.randrange(3) + ["driver"]:
                wait_a_little(process, parts, before, draw)
                if process.poll() is not None:
                    break
                living = workers_of(process.pid)
                if victim == "worker" and living:
                    os.kill(draw.choice(living), signal.SIGKILL)
                    done += 1
                elif victim == "driver":
                    process.kill()
                    done += 1
                with_rows += count(parts) > 0
        kept = rows_in(parts / FILE) if count(parts) else []
        assert len({row.key for row in kept}) == len(kept) >= min(before, len(kept))
    with driver(folder, parts, temporary) as process:
        _, complained = process.communicate(timeout=600)
    assert (process.returncode, complained) == (0, "")
    assert results(parts) == expected
    assert with_rows > kills / 2
    assert until(lambda: not list(temporary.iterdir()))
    assert {path.name for path in parts.iterdir()} == {
        *(LOCK, FILE, "rederived.json", "report.html", "report.md", "ratios.csv")
    }


def wait_a_little(
    process: subprocess.Popen[str], out: Path, before: int, draw: random.Random
) -> None:
    """Wait for a few rows, and then for a moment of any length."""
    enough = before + draw.randrange(4)
    assert until(lambda: process.poll() is not None or count(out) >= enough)
    sleep(draw.random() * 0.2)
