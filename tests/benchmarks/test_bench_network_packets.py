"""The benchmark of cut-through networks runs."""

from __future__ import annotations

import subprocess
import sys

import pytest

from ..paths import ROOT

BENCH = ROOT / "benchmarks" / "bench_network_packets.py"


def run(*rows: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(BENCH), *rows], capture_output=True, text=True, check=False
    )


def test_an_unknown_row_is_named() -> None:
    done = run("uniforms")
    assert done.returncode == 1
    assert "no such row: ['uniforms']" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("row", ["yardstick", "uniform torus 8x8", "lone"])
def test_a_row_is_measured(row: str) -> None:
    done = run(row)
    assert done.returncode == 0, done.stderr
    assert row in done.stdout
