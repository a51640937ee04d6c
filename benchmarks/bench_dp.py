"""Time the exact dynamic programmes on trees, rings and lines, on one core.

Run ``python benchmarks/bench_dp.py [TEXT]...``; only rows whose name contains a TEXT
are measured. Seconds are the median of five calls after one that compiles, and
include checking and pricing the answer, not making the instance. Every row runs in
a process of its own, so that the peak of resident memory (the whole process) is its
own. All instances have fixed seeds, and every answer must be proved optimal.
"""

from __future__ import annotations

import multiprocessing
import os
import platform
import random
import resource
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from statistics import median
from time import perf_counter

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[variable] = "1"

from closeknit.instances import KSubset, Points, Topology, Torus, Tree  # noqa: E402
from closeknit.methods import KSUBSET  # noqa: E402
from closeknit.solvers import Settings, Status  # noqa: E402

SEED = 1
CALLS = 5


@dataclass(frozen=True)
class Row:
    """One line of the table.

    ``sizes`` are the degrees of a fat-tree from the root down, or the number of
    nodes; ``free`` is the percentage of free processors, ``heaviest`` the largest of
    random edge weights, which are all 1 otherwise.
    """

    method: str
    family: str
    sizes: tuple[int, ...]
    k: int
    free: int = 100
    heaviest: int = 1
    wanted: str = ""

    @property
    def name(self) -> str:
        """As the first column has it."""
        sizes = "x".join(map(str, self.sizes))
        text = f"{self.method} {self.family} {sizes} k={self.k}"
        if self.free < 100:
            text += f" {self.free} % free"
        if self.heaviest > 1:
            text += f" weights 1..{self.heaviest}"
        return text


FAT, LARGE = (10, 20, 50), (10, 50, 200)
ROWS = (
    Row("tree-dp", "fat-tree", FAT, 512, wanted="0.1 s"),
    Row("tree-dp", "fat-tree", FAT, 512, free=50),
    Row("tree-dp", "fat-tree", FAT, 512, free=50, heaviest=9),
    Row("tree-dp", "fat-tree", LARGE, 10_000, wanted="5 s"),
    Row("tree-dp", "fat-tree", LARGE, 10_000, free=50),
    Row("tree-dp", "fat-tree", LARGE, 10_000, free=80, heaviest=9),
    Row("tree-dp", "fat-tree", (10, 100, 1000), 100_000, free=50),
    Row("tree-dp", "fat-tree", (2,) * 16, 10_000, free=90),
    Row("tree-dp", "random tree", (100_000,), 10_000, free=50, heaviest=9),
    Row("tree-dp", "star", (100_000,), 10_000),
    Row("tree-dp", "chain", (100_000,), 512),
    Row("tree-dp", "chain", (100_000,), 10_000),
    Row("ring-dp", "ring", (512,), 128, free=50),
    Row("ring-dp", "ring", (2000,), 100, free=50),
    Row("ring-dp", "ring", (2000,), 300, free=50),
    Row("ring-dp", "ring", (2000,), 500, free=50),
    Row("ring-dp", "ring", (2000,), 800, free=50),
    Row("ring-dp", "ring", (100_000,), 50, free=50),
    Row("ring-window", "ring", (1_000_000,), 10_000, free=50),
    Row("line-window", "points", (1_000_000,), 10_000),
)


def tree(row: Row, pick: random.Random) -> Tree:
    """Build the tree of a row; processors are the leaves, or on a chain all nodes."""
    parent = [-1]
    if row.family == "chain":
        parent += range(row.sizes[0] - 1)
        leaves = list(range(row.sizes[0]))
    elif row.family == "random tree":
        parent += [pick.randrange(v) for v in range(1, row.sizes[0])]
        leaves = list(range(row.sizes[0]))
    else:
        leaves = [0]
        for ways in row.sizes:
            begin = len(parent)
            parent += [v for v in leaves for _ in range(ways)]
            leaves = list(range(begin, len(parent)))
    weight = [pick.randint(1, row.heaviest) for _ in parent]
    return Tree(tuple(parent), tuple(weight), tuple(leaves))


def instance_of(row: Row) -> KSubset:
    """Build what is solved."""
    pick = random.Random(SEED)
    topology: Topology
    if row.family == "ring":
        topology = Torus(row.sizes)
    elif row.family == "points":
        topology = Points(tuple((pick.randrange(10**7),) for _ in range(row.sizes[0])))
    else:
        topology = tree(row, pick)
    places = list(topology.locations())
    free = pick.sample(places, len(places) * row.free // 100)
    return KSubset(row.name, topology, tuple(free), row.k)


def measure(row: Row) -> tuple[int, float, float]:
    """Return n, the median of the seconds, and the peak of memory in MiB."""
    instance = instance_of(row)
    method = KSUBSET[row.method]
    times = []
    for _ in range(CALLS + 1):
        start = perf_counter()
        result = method(instance, Settings(time_limit=600))
        times.append(perf_counter() - start)
        if method.exact and result.status is not Status.OPTIMAL:
            raise SystemExit(f"{row.name}: {result.status.value}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    mib = peak / 1024 if sys.platform != "darwin" else peak / 2**20
    return instance.n, median(times[1:]), mib


def main(texts: list[str]) -> int:
    from rich.console import Console
    from rich.table import Table

    rows = [row for row in ROWS if not texts or any(t in row.name for t in texts)]
    if not rows:
        known = "\n  ".join(row.name for row in ROWS)
        print(f"no row contains {texts}; there are\n  {known}", file=sys.stderr)
        return 2
    table = Table(title=f"one core, warm; Python {platform.python_version()}")
    table.add_column("")
    for heading in ("n", "seconds", "peak MiB"):
        table.add_column(heading, justify="right")
    table.add_column("target")
    with ProcessPoolExecutor(
        1, multiprocessing.get_context("spawn"), max_tasks_per_child=1
    ) as pool:
        for row, (n, seconds, mib) in zip(rows, pool.map(measure, rows), strict=True):
            print(f"{row.name}: {seconds:.4f} s", file=sys.stderr)
            figures = (str(n), f"{seconds:.4f}", f"{mib:.0f}")
            table.add_row(row.name, *figures, row.wanted)
    Console(width=None if sys.stdout.isatty() else 100).print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
