"""The benchmark runs, and its plain versions arrive at the same costs."""

from __future__ import annotations

import subprocess
import sys

import pytest

from ..paths import ROOT

BENCH = ROOT / "benchmarks" / "bench_mm.py"


def run(*rows: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(BENCH), *rows], capture_output=True, text=True, check=False
    )


def test_an_unknown_row_is_named() -> None:
    done = run("mm 3x3 k=1")
    assert done.returncode == 2
    assert "no such row: ['mm 3x3 k=1']" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("row", ["mm 64x64 k=256", "mc1x1 128x128 k=32"])
def test_a_row_is_measured(row: str) -> None:
    done = run(row)
    assert done.returncode == 0, done.stderr
    assert row in done.stdout
    assert "mm-inc" not in done.stdout
