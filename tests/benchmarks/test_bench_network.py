"""The benchmark of wormhole networks runs."""

from __future__ import annotations

import subprocess
import sys

import pytest

from ..paths import ROOT

BENCH = ROOT / "benchmarks" / "bench_network.py"


def run(*rows: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(BENCH), *rows], capture_output=True, text=True, check=False
    )


def test_an_unknown_row_is_named() -> None:
    done = run("9x9")
    assert done.returncode == 1
    assert "no such row: ['9x9']" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("row", ["32x32 L=1 at", "flits, worms: 8x8 L=1 "])
def test_a_row_is_measured(row: str) -> None:
    done = run(row)
    assert done.returncode == 0, done.stderr
    assert row in done.stdout
