"""Benchmarks run, and their plain versions arrive at the same answers."""

from __future__ import annotations

import subprocess
import sys

import pytest

from ..paths import ROOT

UNKNOWN = {
    "bench_mm": (2, "mm 3x3 k=1"),
    "bench_network": (1, "9x9"),
    "bench_network_packets": (1, "uniforms"),
    "bench_stream": (1, "runs"),
    "bench_submesh": (1, "fill 1..3x"),
}
"""Of each benchmark the status for a row that it does not have, and that row."""
KNOWN = {
    "bench_mm": ("mm 64x64 k=256", "mc1x1 128x128 k=32"),
    "bench_network": ("32x32 L=1 at", "flits, worms: 8x8 L=1 "),
    "bench_network_packets": ("yardstick", "uniform torus 8x8", "lone"),
    "bench_stream": ("measure", "choose"),
    "bench_submesh": ("fill 1..512", "run 256 iss"),
}


def run(bench: str, *rows: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(ROOT / "benchmarks" / f"{bench}.py"), *rows],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("bench", UNKNOWN)
def test_an_unknown_row_is_named(bench: str) -> None:
    status, row = UNKNOWN[bench]
    done = run(bench, row)
    assert done.returncode == status
    assert f"no such row: [{row!r}]" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bench", "row"), [(bench, row) for bench, rows in KNOWN.items() for row in rows]
)
def test_a_row_is_measured(bench: str, row: str) -> None:
    done = run(bench, row)
    assert done.returncode == 0, done.stderr
    assert row.removesuffix(" iss") in done.stdout
    assert bench != "bench_mm" or "mm-inc" not in done.stdout  # no other row
