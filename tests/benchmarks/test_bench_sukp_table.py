"""The benchmark's table is printed from whatever data there is."""

from __future__ import annotations

import lzma
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

from closeknit.instances.sukp.generators import random_sukp
from closeknit.instances.sukp.instance import profit
from closeknit.instances.writing.sukp_text import sukp_text
from closeknit.methods import SUKP as KNAPSACK

from ..paths import ROOT

BENCH = ROOT / "benchmarks" / "bench_sukp_table.py"


def run(*how: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(BENCH), *how], capture_output=True, text=True, check=False
    )


def test_no_data_is_said_in_a_line(tmp_path: Path) -> None:
    done = run("--data", str(tmp_path))
    assert done.returncode == 2
    assert f"no best_known.csv in {tmp_path}" in done.stderr
    assert "Traceback" not in done.stderr


def test_reached_and_missed(tmp_path: Path) -> None:
    instance = random_sukp(15, 15, Fraction(1, 5), Fraction(3, 4), seed=3)
    chosen = KNAPSACK["bruteforce"](instance).chosen
    assert chosen is not None
    most = profit(instance, chosen)
    (tmp_path / "setI").mkdir()
    lines = ["name,set,lfeda2019_Cbest,best_verified_lower_bound"]
    for name, known in (("reached", most), ("missed", most + 1)):
        packed = lzma.compress(sukp_text(instance).encode())
        (tmp_path / "setI" / f"sukp_{name}.txt.xz").write_bytes(packed)
        lines.append(f"sukp_{name},setI,{most + 2},{known}")
    (tmp_path / "best_known.csv").write_text("\n".join(lines) + "\n")
    how = ("--data", str(tmp_path), "--seeds", "2", "--seconds", "5", "--bound-seconds")
    done = run(*how, "0")
    assert done.returncode == 1, done.stderr
    assert f"| reached | {most + 2} | {most} | {most} | {most}.0 | 2 of 2 |" in (
        done.stdout
    )
    assert f"| missed | {most + 2} | {most + 1} | {most} | {most}.0 | 0 of 2 |" in (
        done.stdout
    )
    assert "1 of 2 reach the best value known." in done.stdout
    done = run(*how, "10", "--instances", "reached", "--bound", "bruteforce")
    assert done.returncode == 0, done.stderr
    assert "| proven |" in done.stdout
