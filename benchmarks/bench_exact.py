"""Prove optima on the sizes that matter, on one core, and print the times.

Run ``python benchmarks/bench_exact.py [ROW]... [--count N] [--method M] [--ablate]
[--models S] [--sweep OUT.svg] [--json OUT]``; rows are named as in the table, all of
them if left out.
Every row has N instances with random occupancy and N fragmented by jobs that came
and went (seeds 0 to N - 1), except where only one kind makes sense. Kernels are
compiled beforehand. Seconds are CPU seconds of the process, which does all its work
on one core; ``wanted`` is the target for the median.

After all rows, the models for general solvers are compared with closeknit's own
searches on the sizes that they can solve, with a minute each; ``--models S`` does only
that, with S seconds each. All of it takes about an hour, mostly the time limits of the
models.

``--ablate`` switches the rules of cuts-bb off one by one. ``--sweep``
draws the time against n and k.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[variable] = "1"

from rich.console import Console  # noqa: E402
from rich.table import Table  # noqa: E402

from closeknit.exact.ksubset.cuts_bb.box import ALL_RULES, SearchRules  # noqa: E402
from closeknit.exact.ksubset.cuts_bb.search import CutsSearch  # noqa: E402
from closeknit.heuristics.ksubset.mm_inc import first_solution  # noqa: E402
from closeknit.instances import KSubset, mesh  # noqa: E402
from closeknit.instances.ksubset.generators import random_occupancy, uniform_points  # noqa: E402
from closeknit.methods import KSUBSET  # noqa: E402
from closeknit.methods.warming import kind_of, warm  # noqa: E402
from closeknit.simulation.fragmentation import fragment  # noqa: E402
from closeknit.solvers import Settings, Status  # noqa: E402

HALF = Fraction(1, 2)
console = Console(width=110)


@dataclass(frozen=True)
class Row:
    """One line of the table: some instances, and how soon they should be proved."""

    name: str
    wanted: float
    instances: Callable[[int], Iterator[KSubset]]
    limit: float = 0.0
    most: int = 1000
    """Instances of each kind at most, where each takes minutes."""

    @property
    def seconds(self) -> float:
        """Limit for one instance."""
        return self.limit or max(10.0, 4 * self.wanted)


def meshes(
    *shape: int, k: int, kind: str = "mesh", free: Fraction = HALF, jobs: bool = True
) -> Callable[[int], Iterator[KSubset]]:
    def make(count: int) -> Iterator[KSubset]:
        for seed in range(count):
            yield random_occupancy(shape, k, free, seed, kind=kind)
        for seed in range(count if jobs else 0):
            yield fragment(
                shape,
                k,
                seed,
                utilisation=1 - free,
                mean_size=max(8, k // 4),
                kind=kind,
            )

    return make


def points(n: int, k: int) -> Callable[[int], Iterator[KSubset]]:
    return lambda count: (uniform_points(n, 2, k, seed) for seed in range(count))


def shares(*ks: int) -> Callable[[int], Iterator[KSubset]]:
    def make(count: int) -> Iterator[KSubset]:
        for k in ks:
            for percent in (30, 50, 70):
                if k <= 256 * percent // 100:
                    yield from meshes(16, 16, k=k, free=Fraction(percent, 100))(count)

    return make


ROWS = (
    Row("16x16 k=8..64", 0.1, shares(8, 16, 32, 64)),
    Row("16x16 k=128", 0.5, meshes(16, 16, k=128)),
    Row("32x32 k=64", 3, meshes(32, 32, k=64)),
    Row("32x32 k=128", 3, meshes(32, 32, k=128)),
    Row("32x32 k=256", 3, meshes(32, 32, k=256)),
    Row("64x64 k=64", 30, meshes(64, 64, k=64)),
    Row("64x64 k=128", 30, meshes(64, 64, k=128)),
    Row("64x64 k=256", 120, meshes(64, 64, k=256), 120, 5),
    Row("64x64 k=512", 120, meshes(64, 64, k=512), 120, 5),
    Row("128x128 k=128", 300, meshes(128, 128, k=128), 300, 1),
    Row("8x8x8 k=64", 1, meshes(8, 8, 8, k=64), 60),
    Row("16x16x16 k=64", 300, meshes(16, 16, 16, k=64), 300, 5),
    Row("torus 16x16 k=32", 30, meshes(16, 16, k=32, kind="torus")),
    Row("torus 8x8x8 k=32", 30, meshes(8, 8, 8, k=32, kind="torus")),
    Row("500 points k=25", 3, points(500, 25)),
    Row("500 points k=50", 30, points(500, 50)),
    Row(
        "full 16x16 k=2..60",
        10,
        lambda count: (mesh(16, 16, k=k) for k in range(2, 61)),
    ),
)

ABLATIONS = {"all rules": ALL_RULES} | {
    f"without {rule}": ALL_RULES._replace(**{rule: False})
    for rule in SearchRules._fields
}
ABLATED = (
    meshes(16, 16, k=32),
    meshes(32, 32, k=128, jobs=False),
    meshes(8, 8, 8, k=24, jobs=False),
    meshes(12, 12, k=16, kind="torus", jobs=False),
    points(200, 20),
)
BESIDE = (
    "auto",
    "cuts-bb",
    "rlt/highs",
    "cuts-unary/cpsat",
    "pairs/cpsat",
    "pairs/highs",
)
MODELLED = (
    ("8x8 k=8", meshes(8, 8, k=8)),
    ("8x8 k=16", meshes(8, 8, k=16)),
    ("10x10 k=16", meshes(10, 10, k=16)),
    ("16x16 k=16", meshes(16, 16, k=16)),
    ("full 8x8 k=25", lambda count: iter([mesh(8, 8, k=25)])),
)


def timed(instance: KSubset, method: str, limit: float) -> tuple[float, float | None]:
    """Return CPU seconds and the gap that was left, None if it was proved."""
    start = process_time()
    result = KSUBSET[method](instance, Settings(time_limit=limit))
    seconds = process_time() - start
    if result.status is Status.OPTIMAL:
        return seconds, None
    assert isinstance(result.objective, int)
    bound = result.bound if isinstance(result.bound, int) else 0
    return seconds, 1 - bound / result.objective


def frontier(rows: list[Row], count: int, method: str) -> list[dict[str, object]]:
    table = Table(title=f"{method}, CPU seconds on one core")
    for column in ("instances", "number", "proven", "median", "worst", "wanted", "gap"):
        table.add_column(column, justify="left" if column == "instances" else "right")
    found = []
    for row in rows:
        jobs = list(row.instances(min(count, row.most)))
        for kind in {kind_of(job) for job in jobs}:
            warm(KSUBSET[method], kind)
        runs = [timed(each, method, row.seconds) for each in jobs]
        gaps = [gap for _, gap in runs if gap is not None]
        times = [seconds for seconds, _ in runs]
        found.append(
            {
                "row": row.name,
                "number": len(runs),
                "proven": len(runs) - len(gaps),
                "median": median(times),
                "worst": max(times),
                "wanted": row.wanted,
                "gap": max(gaps, default=0.0),
            }
        )
        table.add_row(
            row.name,
            str(len(runs)),
            f"{len(runs) - len(gaps)}",
            f"{median(times):.3f}",
            f"{max(times):.3f}",
            f"{row.wanted:g}",
            f"{max(gaps):.1%}" if gaps else "",
        )
        console.print(f"{found[-1]}", style="dim")
    console.print(table)
    return found


def ablate(count: int) -> None:
    """Switch off one rule after the other; nodes and seconds, as ratios too."""
    table = Table(title="what each rule of cuts-bb buys (sums over all instances)")
    for column in ("rules", "nodes", "ratio", "seconds", "ratio ", "unproved"):
        table.add_column(column, justify="left" if column == "rules" else "right")
    instances = [each for make in ABLATED for each in make(count)]
    starts = [first_solution(each, Settings()).chosen or () for each in instances]
    reference = (0, 0.0)
    for name, rules in ABLATIONS.items():
        nodes, seconds, unproved = 0, 0.0, 0
        for instance, chosen in zip(instances, starts, strict=True):
            search = CutsSearch(instance, chosen, rules=rules)
            before = process_time()
            if search.run(perf_counter() + 20) is not None:
                unproved += 1
            seconds += process_time() - before
            nodes += search.nodes
        reference = reference if reference[0] else (nodes, seconds)
        table.add_row(
            name,
            str(nodes),
            f"{nodes / reference[0]:.2f}",
            f"{seconds:.2f}",
            f"{seconds / reference[1]:.2f}",
            str(unproved) if unproved else "",
        )
    console.print(table)
    console.print(f"{len(instances)} instances, at most 20 s each")


def beside_models(count: int, limit: float) -> None:
    """Compare the models for general solvers with cuts-bb."""
    methods = [name for name in BESIDE if name in KSUBSET]
    table = Table(title=f"wall seconds to the proof, median (at most {limit:g} s)")
    table.add_column("instances")
    for name in methods:
        table.add_column(name, justify="right")
    for title, make in MODELLED:
        cells = []
        for name in methods:
            times, proved, number = [], 0, 0
            for instance in make(count):
                start = perf_counter()
                result = KSUBSET[name](instance, Settings(time_limit=limit))
                times.append(perf_counter() - start)
                proved += result.status is Status.OPTIMAL
                number += 1
            share = "" if proved == number else f" ({proved} of {number})"
            cells.append(f"{median(times):.2f}{share}")
        table.add_row(title, *cells)
    console.print(table)


def sweep(count: int, picture: Path) -> None:
    """Draw the time to the proof against n, a line for each k: half-full meshes."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "closeknit"
    import matplotlib.pyplot as plt

    times: dict[int, list[tuple[int, float, float]]] = {}
    for side in (8, 12, 16, 24, 32, 48, 64):
        for k in (8, 16, 32, 64, 128, 256, 512):
            if 2 * k > side * side // 2:
                continue
            runs = [timed(i, "auto", 60)[0] for i in meshes(side, side, k=k)(count)]
            n = side * side // 2
            times.setdefault(k, []).append((n, median(runs), max(runs)))
            console.print(f"n = {n}, k = {k}: {median(runs):.4f} s, {max(runs):.4f} s")
    figure, axes = plt.subplots(figsize=(7, 4.2), layout="constrained")
    colours = matplotlib.colormaps["viridis"].resampled(len(times) + 1)
    for i, (k, line) in enumerate(times.items()):
        n, middle, worst = zip(*line, strict=True)
        axes.plot(n, middle, "o-", color=colours(i), label=f"k = {k}", markersize=4)
        axes.fill_between(n, middle, worst, color=colours(i), alpha=0.15, linewidth=0)
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="n, free processors of a half-full square mesh",
        ylabel="CPU seconds to the proof",
        title="The frontier: median, shaded up to the worst",
    )
    axes.set_xticks([32, 128, 512, 2048], ["32", "128", "512", "2048"])
    axes.minorticks_off()
    axes.grid(alpha=0.3)
    axes.legend(frameon=False, ncols=2)
    figure.savefig(picture, metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", nargs="*", help="as in the table")
    parser.add_argument("--count", type=int, default=10, help="of each kind (10)")
    parser.add_argument("--method", default="auto", help="auto if left out")
    parser.add_argument("--ablate", action="store_true")
    parser.add_argument("--models", type=float, metavar="S", help="limit for each")
    parser.add_argument("--sweep", type=Path, metavar="OUT.svg", help="draw it")
    parser.add_argument("--json", type=Path, help="write the figures there")
    args = parser.parse_args()
    unknown = set(args.rows) - {row.name for row in ROWS}
    if unknown:
        parser.error(f"no such row: {', '.join(sorted(unknown))}")
    console.print(f"{platform.platform()}, Python {platform.python_version()}")
    for small in (mesh(4, 4, k=5), next(meshes(4, 4, k=5, kind="torus")(1))):
        if not KSUBSET[args.method].refusal(small):
            KSUBSET[args.method](small)
        CutsSearch(small, tuple(range(5))).run(perf_counter() + 60)
    gc.collect()
    gc.freeze()  # else a collection of the compilers' leftovers hits some instance
    if args.ablate:
        ablate(args.count)
    elif args.sweep:
        sweep(args.count, args.sweep)
    elif args.models:
        beside_models(args.count, args.models)
    else:
        rows = [row for row in ROWS if not args.rows or row.name in args.rows]
        found = frontier(rows, args.count, args.method)
        if args.json:
            args.json.write_text(json.dumps(found, indent=1) + "\n")
        if not args.rows:
            beside_models(1, 60.0)


if __name__ == "__main__":
    main()
