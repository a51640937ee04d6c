"""Time mm, mc1x1 and mm-inc against plain numpy, on one core.

Run ``python benchmarks/bench_mm.py [NAME]...``; names as in the table select rows.
All instances are half-full random meshes with a fixed seed. Every measurement runs
in a process of its own, so that the peak of its resident memory (the whole process:
interpreter, libraries, instance) is its own. Seconds are the median of several
calls after one that compiles. The numpy versions follow the definitions: all
centres in a loop, ``argpartition`` for the k nearest, sorted coordinates for the
pair sum, and must arrive at the same cost. Where that takes minutes they run on a
sample of the centres and the time is extrapolated, which the table marks with ~.
"""

from __future__ import annotations

import json
import os
import platform
import resource
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from statistics import median
from time import perf_counter
from typing import Any

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np  # noqa: E402
import numpy.typing as npt  # noqa: E402

from closeknit.instances import KSubset, arrays  # noqa: E402
from closeknit.instances.ksubset.generators import random_occupancy  # noqa: E402
from closeknit.methods import KSUBSET  # noqa: E402

Ints = npt.NDArray[np.int64]

SEED = 1
SAMPLE = 100
"""Centres that a numpy version tries where all would take too long."""
SWITCH = "--measure"


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    method: str
    shape: tuple[int, int]
    k: int
    calls: int = 7
    sampled: bool = False
    wanted: str = ""

    @property
    def name(self) -> str:
        """As the first column has it."""
        return f"{self.method} {self.shape[0]}x{self.shape[1]} k={self.k}"

    @property
    def instance(self) -> KSubset:
        """What is solved."""
        return random_occupancy(self.shape, self.k, Fraction(1, 2), SEED)


ROWS = (
    Row("mm", (64, 64), 256),
    Row("mm", (128, 128), 256, wanted="0.1 s"),
    Row("mm", (1024, 1024), 1024, calls=3, sampled=True, wanted="5 s, 500 MiB"),
    Row("mm-free", (128, 128), 256),
    Row("mc1x1", (128, 128), 32),
    Row("mc1x1", (128, 128), 256),
    Row("mm-inc", (128, 128), 256),
)


def numpy_pair_sum(points: Ints) -> int:
    k = len(points)
    weight = 2 * np.arange(k) - k + 1
    return int((weight @ np.sort(points, axis=0)).sum())


def numpy_mm(points: Ints, k: int, centres: Ints) -> tuple[int, Ints]:
    """Nearest k of every centre; distance and index in one key break ties."""
    n = len(points)
    index = np.arange(n)
    best, chosen = -1, index
    for centre in centres:
        key = np.abs(points - centre).sum(axis=1) * n + index
        near = np.argpartition(key, k - 1)[:k]
        total = numpy_pair_sum(points[near])
        if best < 0 or total < best:
            best, chosen = total, near
    return best, chosen


def numpy_mc1x1(points: Ints, k: int, centres: Ints) -> int:
    n = len(points)
    index = np.arange(n)
    best, chosen = -1, index
    for centre in centres:
        key = np.abs(points - centre).max(axis=1) * n + index
        near = np.argpartition(key, k - 1)[:k]
        total = int((key[near] // n).sum())
        if best < 0 or total < best:
            best, chosen = total, near
    return numpy_pair_sum(points[chosen])


def numpy_mm_inc(points: Ints, k: int, centres: Ints) -> int:
    """Best exchange by the whole table of exchanges, from the answer of mm."""
    _, chosen = numpy_mm(points, k, centres)
    inside = np.zeros(len(points), dtype=bool)
    inside[chosen] = True
    while True:
        p, q = np.flatnonzero(inside), np.flatnonzero(~inside)
        star = sum(np.abs(points - point).sum(axis=1) for point in points[p])
        hops = np.abs(points[p, None] - points[None, q]).sum(axis=2)
        change = star[None, q] - star[p, None] - hops
        out, into = np.unravel_index(change.argmin(), change.shape)
        if change[out, into] >= 0:
            return numpy_pair_sum(points[p])
        inside[p[out]], inside[q[into]] = False, True


def with_numpy(row: Row, instance: KSubset) -> tuple[int | None, float]:
    """Cost and seconds of the plain version; no cost if it only took a sample."""
    points = arrays.points(instance)
    centres = points
    if row.method in ("mm", "mm-inc"):
        axes = [np.unique(axis) for axis in points.T]
        centres = np.array(list(product(*axes)))
    share = 1.0
    if row.sampled:
        pick = np.random.default_rng(SEED)
        share = SAMPLE / len(centres)
        centres = pick.choice(centres, SAMPLE, replace=False)
    run: Callable[[Ints, int, Ints], Any] = {
        "mm": lambda *of: numpy_mm(*of)[0],
        "mm-free": lambda *of: numpy_mm(*of)[0],
        "mc1x1": numpy_mc1x1,
        "mm-inc": numpy_mm_inc,
    }[row.method]
    start = perf_counter()
    objective = run(points, row.k, centres)
    seconds = (perf_counter() - start) / share
    return None if row.sampled else objective, seconds


def measure(row: Row, *, plain: bool) -> dict[str, Any]:
    """Measure in this process."""
    instance = row.instance
    if plain:
        objective, seconds = with_numpy(row, instance)
    else:
        method = KSUBSET[row.method]
        times = []
        for _ in range(row.calls + 1):
            start = perf_counter()
            result = method(instance)
            times.append(perf_counter() - start)
            if result.limit is not None:
                raise SystemExit(f"{row.name}: cut short by {result.limit.value}")
        assert isinstance(result.objective, int)
        objective, seconds = result.objective, median(times[1:])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    mib = peak / 1024 if sys.platform != "darwin" else peak / 2**20
    return {"objective": objective, "seconds": seconds, "mib": mib}


def in_child(row: Row, *, plain: bool) -> dict[str, Any]:
    """Measure in a fresh process."""
    command = [sys.executable, __file__, SWITCH, row.name, "numpy" if plain else "own"]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    measured: dict[str, Any] = json.loads(done.stdout)
    return measured


def main(names: list[str]) -> int:
    from rich.console import Console
    from rich.table import Table

    if unknown := set(names) - {row.name for row in ROWS}:
        known = ", ".join(f"'{row.name}'" for row in ROWS)
        print(f"no such row: {sorted(unknown)}; there are {known}", file=sys.stderr)
        return 2
    table = Table(
        title=f"half-full random meshes, one core, warm; Python "
        f"{platform.python_version()}, numpy {np.__version__}",
        caption=f"peak: of the whole process; ~ extrapolated from {SAMPLE} centres",
    )
    for heading in (
        "",
        "seconds",
        "peak MiB",
        "numpy s",
        "peak MiB",
        "ratio",
        "target",
    ):
        table.add_column(
            heading, justify="left" if heading in ("", "target") else "right"
        )
    wrong = 0
    for row in ROWS:
        if names and row.name not in names:
            continue
        print(f"{row.name} ...", file=sys.stderr)
        own, plain = in_child(row, plain=False), in_child(row, plain=True)
        if plain["objective"] not in (None, own["objective"]):
            print(f"{row.name}: costs differ: {own} {plain}", file=sys.stderr)
            wrong = 1
        table.add_row(
            row.name,
            f"{own['seconds']:.4f}",
            f"{own['mib']:.0f}",
            f"{'~' if row.sampled else ''}{plain['seconds']:.2f}",
            f"{plain['mib']:.0f}",
            f"{plain['seconds'] / own['seconds']:.0f}",
            row.wanted,
        )
    Console(width=None if sys.stdout.isatty() else 100).print(table)
    return wrong


if __name__ == "__main__":
    if sys.argv[1:2] == [SWITCH]:
        chosen = next(row for row in ROWS if row.name == sys.argv[2])
        print(json.dumps(measure(chosen, plain=sys.argv[3] == "numpy")))
    else:
        sys.exit(main(sys.argv[1:]))
