"""The benchmark of allocators runs, and its first fits agree on every place."""

from __future__ import annotations

import subprocess
import sys

import pytest

from ..paths import ROOT

BENCH = ROOT / "benchmarks" / "bench_submesh.py"


def run(*rows: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(BENCH), *rows], capture_output=True, text=True, check=False
    )


def test_an_unknown_row_is_named() -> None:
    done = run("fill 1..3x")
    assert done.returncode == 1
    assert "no such row: ['fill 1..3x']" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("row", ["fill 1..512", "run 256 iss"])
def test_a_row_is_measured(row: str) -> None:
    done = run(row)
    assert done.returncode == 0, done.stderr
    assert " ".join(row.split()[:2]) in done.stdout
