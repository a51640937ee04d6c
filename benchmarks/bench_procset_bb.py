"""Prove processor-set optima of sets without a layout, and print the times.

Run ``python benchmarks/bench_procset_bb.py [ROW]... [--count N] [--limit S]
[--method M] [--models S] [--ablate]``; rows are named as in the table, all of them if
left out. Every row has the seeds 0 to N - 1, and is solved as `closeknit solve` does,
by ``auto`` unless another method is named. Kernels are compiled beforehand. Seconds
are CPU seconds of the process, which does all its work on one core; ``wanted`` is the
target for each instance. ``proven`` counts proofs within the limit, and the worst
seconds of an unproven one are those of the limit; ``gap`` is then how far apart cost
and bound were at the first level where they differ, at most.

``--models S`` also runs the model for CP-SAT, on the first instance of each row, with
S seconds each. ``--ablate`` switches the rules off one by one.
"""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from statistics import median
from time import perf_counter, process_time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[variable] = "1"

from rich.console import Console  # noqa: E402
from rich.table import Table  # noqa: E402

from closeknit.exact.procset.set_opening_bb.layout import OpeningRules  # noqa: E402
from closeknit.exact.procset.set_opening_bb.search import ALL_RULES, SetOpeningSearch  # noqa: E402
from closeknit.formulations.procset.set_classes import classes_of  # noqa: E402
from closeknit.instances import ProcSet  # noqa: E402
from closeknit.instances.procset.generators import (  # noqa: E402
    random_domains,
    random_sets,
    torus_planes,
)
from closeknit.instances.value import as_tuple  # noqa: E402
from closeknit.methods import PROCSET  # noqa: E402
from closeknit.methods.warming import kind_of, warm  # noqa: E402
from closeknit.solvers import Settings, Status  # noqa: E402

HALF = Fraction(1, 2)
console = Console(width=110)


@dataclass(frozen=True)
class Row:
    """One line of the table: an instance for each seed, and the wanted seconds."""

    name: str
    wanted: float
    make: Callable[..., ProcSet]


def planes(side: int, request: int, free: Fraction, **how: object) -> Row:
    share = "full" if free == 1 else f"{float(free):.0%} free"
    extra = "".join(f" {value}" for value in how.values())
    return Row(
        f"{side}^3 r={request} {share}{extra}",
        {10: 5.0, 12: 35.0}.get(side, 60.0),
        partial(torus_planes, (side,) * 3, request, free=free, **how),
    )


def domains(n: int, families: int, size: int, request: int, **how: object) -> Row:
    extra = "".join(f" {value}" for value in how.values())
    return Row(
        f"{n} in {families}x{size} r={request}{extra}",
        0.5,
        partial(random_domains, n, families, size, request, **how),
    )


ROWS = (
    planes(10, 32, Fraction(1)),
    planes(10, 32, HALF),
    planes(12, 32, Fraction(1)),
    planes(12, 32, Fraction(7, 10)),
    planes(12, 32, HALF),
    planes(12, 32, HALF, costs="levels"),
    planes(12, 32, HALF, costs="drawn"),
    planes(12, 32, HALF, private=9),
    planes(12, 128, HALF),
    planes(16, 64, HALF),
    domains(256, 3, 32, 32),
    domains(256, 3, 32, 64),
    domains(256, 3, 32, 64, costs="levels"),
    domains(256, 3, 32, 64, costs="drawn"),
    domains(256, 3, 16, 32),
    domains(512, 4, 64, 32),
    domains(512, 3, 32, 64, costs="levels"),
    domains(512, 3, 32, 64),
    Row(
        "256 in 25 random sets r=32",
        0.5,
        partial(random_sets, 256, 25, Fraction(1, 10), 32),
    ),
    Row(
        "512 in 40 random sets r=64",
        0.5,
        partial(random_sets, 512, 40, Fraction(1, 10), 64, levels=2),
    ),
)
ABLATIONS = {"all rules": ALL_RULES} | {
    f"without {rule}": ALL_RULES._replace(**{rule: False})
    for rule in OpeningRules._fields
}
ABLATED = (
    planes(10, 32, Fraction(1)),
    planes(12, 128, HALF),
    planes(10, 32, HALF, costs="drawn"),
    domains(256, 3, 32, 64),
    domains(256, 3, 32, 64, costs="drawn"),
    domains(256, 3, 16, 32),
)


def gap(cost: tuple[int, ...], bound: tuple[int, ...]) -> float:
    pairs = zip(cost, bound, strict=True)
    return next((1 - low / high for high, low in pairs if high != low), 0.0)


def table_of(rows: list[Row], count: int, limit: float, method: str) -> None:
    """Solve every instance as `closeknit solve --method` does."""
    columns = ("instances", "wanted", "proven", "median s", "worst s", "gap")
    table = Table(title=f"{method}, CPU seconds on one core")
    for column in columns:
        table.add_column(column, justify="left" if column == "instances" else "right")
    for row in rows:
        jobs = [row.make(seed=seed) for seed in range(count)]
        for kind in {kind_of(job) for job in jobs}:
            warm(PROCSET[method], kind)
        times, gaps, proven = [], [0.0], 0
        for instance in jobs:
            start = process_time()
            result = PROCSET[method](instance, Settings(time_limit=limit))
            times.append(process_time() - start)
            proven += result.status is Status.OPTIMAL
            gaps.append(gap(as_tuple(result.objective), as_tuple(result.bound)))
        table.add_row(
            row.name,
            f"{row.wanted:g}",
            f"{proven} of {count}",
            f"{median(times):.3f}",
            f"{max(times):.3f}",
            f"{max(gaps):.0%}" if max(gaps) else "",
        )
    console.print(table)


def beside_models(rows: list[Row], limit: float) -> None:
    """Run the model for CP-SAT for comparison."""
    table = Table(title=f"wall seconds, one thread, at most {limit:g} s")
    for column in ("instance", "set-opening-bb", "classes/cpsat", "same optimum"):
        table.add_column(column)
    for row in rows:
        instance = row.make(seed=0)
        warm(PROCSET["set-opening-bb"], kind_of(instance))
        cells, costs = [], []
        for name in ("set-opening-bb", "classes/cpsat"):
            start = perf_counter()
            result = PROCSET[name](instance, Settings(time_limit=limit))
            seconds = perf_counter() - start
            proved = result.status is Status.OPTIMAL
            cells.append(f"{seconds:.2f}" + ("" if proved else " (unproved)"))
            costs.append(result.objective if proved else None)
        same = "" if None in costs else "yes" if costs[0] == costs[1] else "NO"
        table.add_row(row.name, *cells, same)
    console.print(table)


def ablate(count: int, limit: float) -> None:
    """Switch off one rule after the other; sums over all instances."""
    table = Table(
        title=f"what each rule of set-opening-bb buys (at most {limit:g} s each)"
    )
    for column in ("rules", "nodes", "seconds", "ratio", "unproved"):
        table.add_column(column, justify="left" if column == "rules" else "right")
    instances = [row.make(seed=seed) for row in ABLATED for seed in range(count)]
    for instance in instances:
        warm(PROCSET["set-opening-bb"], kind_of(instance))
    reference = 0.0
    for name, rules in ABLATIONS.items():
        nodes, seconds, unproved = 0, 0.0, 0
        for instance in instances:
            start = process_time()
            search = SetOpeningSearch(classes_of(instance), rules)
            unproved += search.run(perf_counter() + limit) is not None
            seconds += process_time() - start
            nodes += search.nodes
        reference = reference or seconds
        table.add_row(
            name,
            str(nodes),
            f"{seconds:.2f}",
            f"{seconds / reference:.2f}",
            str(unproved) if unproved else "",
        )
    console.print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", nargs="*", help="as in the table")
    parser.add_argument("--count", type=int, default=5, help="of each row (5)")
    parser.add_argument("--limit", type=float, default=10.0, help="seconds each (10)")
    parser.add_argument("--models", type=float, metavar="S", help="CP-SAT, S seconds")
    parser.add_argument("--ablate", action="store_true")
    parser.add_argument("--method", choices=PROCSET, default="auto")
    args = parser.parse_args()
    if unknown := set(args.rows) - {row.name for row in ROWS}:
        parser.error(f"no such row: {', '.join(sorted(unknown))}")
    rows = [row for row in ROWS if not args.rows or row.name in args.rows]
    console.print(f"{platform.platform()}, Python {platform.python_version()}")
    if args.ablate:
        ablate(args.count, args.limit)
    elif args.models:
        beside_models(rows, args.models)
    else:
        table_of(rows, args.count, args.limit, args.method)


if __name__ == "__main__":
    main()
