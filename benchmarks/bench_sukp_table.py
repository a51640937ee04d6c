"""The table of docs/science/sukp.md: the benchmark of He et al. searched by tabu.

    python benchmarks/bench_sukp_table.py [--data DIR] [--seconds S] [--seeds N]
        [--instances TEXT]... [--bound METHOD] [--bound-seconds S] [--beyond]

Prints markdown. DIR holds ``best_known.csv`` and the instances, ``setI/*.txt.xz``
(../shared/data/sukp where it is there). A run ends at the best value known (with
``--beyond`` it does not), after S CPU seconds, or when its moves are used up.
``reached`` counts the seeds that came to the best known value; ``CPU s`` are the
seconds to the best value of a run, the median and the worst over all seeds. A run is
of one thread, after one to compile. Bounds are proved by METHOD (sukp-bb) within
its own seconds by the clock; 0 leaves them out.
"""

from __future__ import annotations

import argparse
import csv
import platform
import sys
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from statistics import mean, median
from time import process_time

from closeknit.heuristics.sukp.tabu import TabuSearch, moves_of
from closeknit.instances import Sukp, read_instance
from closeknit.instances.sukp.generators import random_sukp
from closeknit.methods import SUKP
from closeknit.solvers import Settings

DATA = Path(__file__).parents[2] / "shared" / "data" / "sukp"
_WARM = (Fraction(1, 5), Fraction(3, 4))
_STEP = 2048
"""Moves between two readings of the clock."""


@dataclass(frozen=True)
class Run:
    """One seed: the best profit, and the time and moves to it."""

    profit: int
    seconds: float
    moves: int


def run(instance: Sukp, seed: int, seconds: float, wanted: int) -> Run:
    """Search until the wanted profit, or for so many CPU seconds."""
    start = process_time()
    search = TabuSearch(instance, seed)
    stop = moves_of(instance)
    total = sum(instance.profits)
    best = Run(0, 0.0, 0)
    while search.moves < stop and process_time() - start < seconds:
        search.step(min(_STEP, stop - search.moves))
        if (profit := total - search.left_out) > best.profit:
            best = Run(profit, process_time() - start, search.moves)
            if profit >= wanted:
                break
    return best


def bounded(instance: Sukp, method: str, seconds: float) -> tuple[str, str]:
    """Return the proved upper bound on the profit and the seconds it took."""
    if not seconds:
        return "", ""
    result = SUKP[method](instance, Settings(time_limit=seconds))
    if not isinstance(result.bound, int):
        return "", ""
    return str(sum(instance.profits) - result.bound), f"{result.seconds:.0f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA, metavar="DIR")
    parser.add_argument("--seconds", type=float, default=60, metavar="S")
    parser.add_argument("--seeds", type=int, default=10, metavar="N")
    parser.add_argument(
        "--instances", nargs="+", default=[""], metavar="TEXT", help="part of a name"
    )
    parser.add_argument("--bound", default="sukp-bb", metavar="METHOD")
    parser.add_argument("--bound-seconds", type=float, default=60, metavar="S")
    parser.add_argument("--beyond", action="store_true")
    args = parser.parse_args()
    if args.bound not in SUKP:
        parser.error(f"no such method: {args.bound}")
    if not (args.data / "best_known.csv").is_file():
        parser.error(f"no best_known.csv in {args.data}")
    with (args.data / "best_known.csv").open(newline="") as lines:
        rows = [
            row
            for row in csv.DictReader(lines)
            if any(text in row["name"] for text in args.instances)
            and (args.data / row["set"] / f"{row['name']}.txt.xz").is_file()
        ]
    if not rows:
        parser.error("no such instance")
    warm = TabuSearch(random_sukp(12, 12, *_WARM, seed=0), 0)
    warm.run(float("inf"), 20_000)
    print(f"{platform.platform()}, Python {platform.python_version()}; tabu,")
    print(f"{args.seeds} seeds of at most {args.seconds:g} CPU seconds\n")
    print(
        "| instance | printed | known | best | mean | reached | CPU s | moves "
        "| bound | gap | s |"
    )
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    below = 0
    for row in rows:
        known = int(row["best_verified_lower_bound"])
        path = args.data / row["set"] / f"{row['name']}.txt.xz"
        instance = read_instance(path)
        assert isinstance(instance, Sukp)
        wanted = sum(instance.profits) if args.beyond else known
        runs = [run(instance, s, args.seconds, wanted) for s in range(args.seeds)]
        best = max(one.profit for one in runs)
        below += best < known
        times = [one.seconds for one in runs]
        bound, seconds = bounded(instance, args.bound, args.bound_seconds)
        gap = f"{(int(bound) - best) / int(bound):.1%}" if bound else ""
        cells = (
            row["name"].removeprefix("sukp_"),
            row["lfeda2019_Cbest"],
            known,
            f"**{best}**" if best > known else best,
            f"{mean(one.profit for one in runs):.1f}",
            f"{sum(one.profit >= known for one in runs)} of {len(runs)}",
            f"{median(times):.2f}, {max(times):.2f}",
            max(one.moves for one in runs),
            "proven" if bound == str(best) else bound,
            "" if bound == str(best) else gap,
            seconds,
        )
        print("| " + " | ".join(map(str, cells)) + " |", flush=True)
    print(f"\n{len(rows) - below} of {len(rows)} reach the best value known.")
    sys.exit(below > 0)


if __name__ == "__main__":
    main()
