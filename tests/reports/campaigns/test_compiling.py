"""Kernels are compiled before a report begins, unless they are interpreted."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from closeknit.instances import mesh, write_ksubset


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
