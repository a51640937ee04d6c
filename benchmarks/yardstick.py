"""What every removal of a search, a bound or a rule is measured by.

    python benchmarks/yardstick.py [--area A]... [--row TEXT]... [--sieve] [--out F]
                                   [--against F]

Every row of docs/use/how-fast.md that solves something, the standard study, and 40
drawn instances of each problem on kinds that no row has. ``--sieve`` takes a quarter of
each row, and one instance of a row whose instances take seconds. ``--out`` writes what
was found, ``--against`` compares with such a file and ends with 1 where a decision is
lost or a row takes more than 1.3 times as long; rows below 10 ms a case count by their
sum. Seconds are CPU seconds of the process and its children, after a first call that
compiles; limits are by the clock, and so wide that a busy machine loses nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from time import process_time
from typing import NamedTuple

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[variable] = "1"

import bench_dp  # noqa: E402
import bench_exact  # noqa: E402
import bench_procset  # noqa: E402
import bench_procset_bb  # noqa: E402
import bench_sukp  # noqa: E402
from bench_packing import DATA  # noqa: E402
from packings import read_packings  # noqa: E402

from closeknit.exact.procset.incremental_selector import RequestSolver  # noqa: E402
from closeknit.exact.submesh.feasibility import Feasibility, decide, feasibility  # noqa: E402
from closeknit.instances import Instance, KSubset  # noqa: E402
from closeknit.instances.ksubset.generators import clustered_points, random_occupancy  # noqa: E402
from closeknit.instances.ksubset.graph_generators import (  # noqa: E402
    dragonfly,
    hypercube,
    random_regular,
)
from closeknit.instances.problems import problem_of  # noqa: E402
from closeknit.instances.procset.generators import random_domains, random_sets, system  # noqa: E402
from closeknit.instances.submesh.generators import waiting_state  # noqa: E402
from closeknit.instances.sukp.generators import random_sukp  # noqa: E402
from closeknit.methods import METHODS  # noqa: E402
from closeknit.methods.warming import kind_of, warm  # noqa: E402
from closeknit.reports.campaigns.study.file import read_study  # noqa: E402
from closeknit.solvers import Settings, Status  # noqa: E402

HALF = Fraction(1, 2)
Case = Callable[[], tuple[str | None, str]]
SLOWER, SHORT = 1.3, 0.01


class Found(NamedTuple):
    """What one case gave: its answer (None: not decided), how surely, CPU seconds."""

    answer: str | None
    grade: str
    seconds: float


@dataclass(frozen=True)
class Row:
    """Some cases of one kind; ``long`` where one of them takes seconds."""

    area: str
    name: str
    cases: Callable[[], Iterable[Case]]
    long: bool = False


def _seconds() -> float:
    children = getrusage(RUSAGE_CHILDREN)
    return process_time() + children.ru_utime + children.ru_stime


def solved(
    instance: Instance, limit: float, threads: int = 1
) -> tuple[str | None, str]:
    """Run ``auto``: the optimum and its grade, or None if it was not proved."""
    settings = Settings(time_limit=limit, threads=threads)
    result = METHODS[problem_of(instance).name]["auto"](instance, settings)
    if result.status not in (Status.OPTIMAL, Status.INFEASIBLE):
        return None, ""
    return str(result.objective), result.proof.grade.value if result.proof else ""


def fitted(verdict: Feasibility) -> tuple[str | None, str]:
    """Whether boxes fit, and what decided it."""
    return (None if verdict.fits is None else str(verdict.fits)), str(verdict.by)


def _solve(
    instances: Callable[[], Iterable[Instance]], limit: float, threads: int = 1
) -> Callable[[], Iterator[Case]]:
    def cases() -> Iterator[Case]:
        for one in instances():
            warm(METHODS[problem_of(one).name]["auto"], kind_of(one))
            yield lambda one=one: solved(one, limit, threads)  # type: ignore[misc]

    return cases


def _ksubset_rows() -> Iterator[Row]:
    large = {"64x64 k=256", "64x64 k=512", "128x128 k=128", "16x16x16 k=64"}
    for row in bench_exact.ROWS:
        yield Row(
            "ksubset",
            row.name,
            _solve(lambda row=row: row.instances(min(10, row.most)), 4 * row.seconds),  # type: ignore[misc]
            row.name in large or row.name.startswith("64x64"),
        )
    for one in bench_dp.ROWS:
        if sum(one.sizes) <= 20_000 or one.method == "tree-dp":
            case = _solve(lambda one=one: [bench_dp.instance_of(one)], 120)  # type: ignore[misc]
            yield Row("ksubset", one.name, case)
    yield Row("ksubset", "standard study", _solve(_standard, 60))
    yield Row("ksubset", "40 drawn of other kinds", _solve(_other_ksubsets, 30))


def _standard() -> Iterator[Instance]:
    yield from read_study("standard").instances


def _other_ksubsets() -> Iterator[KSubset]:
    """Draw graphs, dragonflies, hypercubes, clouds of points, one-sided free sets."""
    for seed in range(8):
        yield random_regular(40, 4, 8, Fraction(3, 4), seed)
        yield dragonfly(4, 2, 2, 10, HALF, seed)
        yield hypercube(6, 12, HALF, seed)
        yield clustered_points(200, 2 + seed % 2, 20, seed, clusters=4)
        drawn = random_occupancy((32, 32), 40, Fraction(2, 5), seed)
        left = [p for p in drawn.topology.locations() if p[0] < 12]
        kept = {*drawn.free, *left[seed % 3 :: 3]}
        one_sided = tuple(p for p in kept if p[0] < 12 or sum(p) % 5 == 0)
        yield KSubset(f"one-sided-{seed}", drawn.topology, tuple(sorted(one_sided)), 40)


def _select(costs: str, grain: str, racks: int | None, how: str) -> Iterator[Case]:
    more = {} if racks is None else {"racks": racks, "centre": 9}
    made = system(grain, costs, **more)
    machine = RequestSolver(len(made.processors), made.sets)
    asked: Iterator[tuple[bench_procset.Flags, int]]
    if how == "week":
        asked = islice(bench_procset.week(made, machine), 0, None, 5)
    elif how == "partly":
        asked = bench_procset.drawn(made, 500, 1, partly=0.3)
    elif how == "any":
        asked = bench_procset.drawn(made, 2000, 1)
    else:
        asked = bench_procset.drawn(made, 10, 2000, int(how))
    for free, request in asked:

        def case() -> tuple[str | None, str]:
            found = machine.select(free, request)  # noqa: B023
            return (str(found.cost) if found.exact else None), ""

        yield case


def _procset_rows() -> Iterator[Row]:
    for grain in ("node", "core"):
        for how in ("week", "any", *(["partly"] if grain == "core" else [])):
            yield Row(
                "procset",
                f"256 nodes by {grain}, {how}",
                lambda grain=grain, how=how: _select("realistic", grain, None, how),  # type: ignore[misc]
            )
    for costs in ("uniform", "realistic"):
        for request in ("256", "512"):
            yield Row(
                "procset",
                f"16384 nodes {costs} r={request}",
                lambda costs=costs, r=request: _select(costs, "node", 655, r),  # type: ignore[misc]
            )
    for row in bench_procset_bb.ROWS:
        yield Row(
            "procset",
            row.name,
            _solve(lambda row=row: (row.make(seed=s) for s in range(4)), 20),  # type: ignore[misc]
            row.wanted > 1,
        )
    yield Row("procset", "40 drawn of other kinds", _solve(_other_procsets, 20))


def _other_procsets() -> Iterator[Instance]:
    """Draw dense sets: every processor in a third of them, or in several families."""
    for seed in range(10):
        yield random_sets(48, 16, Fraction(1, 3), 12, levels=2, free=HALF, seed=seed)
        yield random_sets(96, 30, Fraction(1, 5), 24, seed=seed)
        yield random_domains(128, 4, 16, 20, free=96, seed=seed, private=3)
        yield random_domains(60, 2, 6, 15, seed=seed, costs="levels")


def _sukp_rows() -> Iterator[Row]:
    yield Row(
        "sukp",
        "the six smallest of the benchmark",
        _solve(lambda: bench_sukp.instances((), (), False), 60),
    )
    for size, seeds, threads in (((110, 120), (1, 2, 3), 1), ((150,), (1, 2, 3), 2)):
        yield Row(
            "sukp",
            f"random of {size} items",
            _solve(
                lambda size=size, seeds=seeds: (  # type: ignore[misc]
                    one
                    for one in bench_sukp.instances(size, seeds, False)
                    if one.n > 100
                ),
                600,
                threads,
            ),
            threads > 1,
        )
    yield Row("sukp", "40 drawn of other kinds", _solve(_other_sukps, 60))


def _other_sukps() -> Iterator[Instance]:
    for seed in range(10):
        yield random_sukp(60, 60, Fraction(1, 10), Fraction(1, 4), seed)
        yield random_sukp(40, 100, Fraction(1, 20), HALF, seed)
        yield random_sukp(80, 30, Fraction(1, 5), HALF, seed)
        yield random_sukp(30, 30, HALF, Fraction(4, 5), seed)


def _packings(file: str) -> Iterator[Case]:
    for one in read_packings(DATA / file):
        yield lambda one=one: fitted(decide(one, Settings(time_limit=20)))  # type: ignore[misc]


def _states(most: int, count: int) -> Iterator[Case]:
    for seed in range(count):
        one = waiting_state((256, 256), 1, most, seed)
        yield lambda one=one: fitted(feasibility(one, Settings(time_limit=10)))  # type: ignore[misc]


def _submesh_rows() -> Iterator[Row]:
    yield Row("submesh", "Clautiaux et al.", lambda: _packings("CJCM.jsonl"))
    yield Row("submesh", "Hopper and Turton", lambda: _packings("HT2001a.jsonl"))
    for most in (192, 128, 102, 90, 59, 42):
        yield Row(
            "submesh",
            f"256x256, sides to {most}: does it fit",
            lambda most=most: _states(most, 30 if most > 60 else 10),  # type: ignore[misc]
        )
    for most in (128, 90):
        yield Row(
            "submesh",
            f"256x256, sides to {most}: fewest moved",
            _solve(lambda most=most: _waiting((256, 256), most, 30), 10),  # type: ignore[misc]
        )
    yield Row("submesh", "40 drawn of other kinds", _solve(_other_submeshes, 10))


def _waiting(shape: tuple[int, ...], most: int, count: int) -> Iterator[Instance]:
    return (waiting_state(shape, 1, most, seed) for seed in range(count))


def _other_submeshes() -> Iterator[Instance]:
    """Draw tori, boxes that may turn, three dimensions, tight fits, many residents."""
    for seed in range(8):
        yield waiting_state((32, 32), 1, 12, seed, torus=True)
        yield waiting_state((48, 48), 2, 20, seed, rotate=True)
        yield waiting_state((12, 12, 12), 2, 7, seed)
        yield waiting_state((20, 30), 3, 9, seed)
        yield waiting_state((24, 24), 1, 7, seed)


ROWS = (*_ksubset_rows(), *_procset_rows(), *_sukp_rows(), *_submesh_rows())


def measure(row: Row, sieve: bool) -> list[Found]:
    """Run the cases of a row; the first twice, unless it takes long, to load code."""
    cases = row.cases()
    if sieve:
        cases = islice(cases, 1) if row.long else islice(cases, 0, None, 4)
    found: list[Found] = []
    for case in cases:
        if not (found or row.long):
            case()
        start = _seconds()
        answer, grade = case()
        found.append(Found(answer, grade, _seconds() - start))
    return found


def compare(row: Row, now: list[Found], before: list[Found]) -> tuple[str, float, bool]:
    """Return what a row says beside an earlier run, its factor, whether it is worse."""
    lost = sum(
        old.answer is not None and new.answer is None
        for new, old in zip(now, before, strict=True)
    )
    other = sum(
        None not in (old.answer, new.answer) and old.answer != new.answer
        for new, old in zip(now, before, strict=True)
    )
    spent, past = (sum(one.seconds for one in runs) for runs in (now, before))
    factor = spent / past if past else 1.0
    long = past / max(1, len(before)) >= SHORT
    text = f"{past:9.2f} s before, {factor:5.2f}x"
    if lost or other:
        text += f"  LOST {lost}, OTHER ANSWERS {other}"
    return text, factor, bool(lost or other or (long and factor > SLOWER))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    areas = sorted({row.area for row in ROWS})
    parser.add_argument(
        "--area", action="append", choices=areas, help="all if left out"
    )
    parser.add_argument("--row", action="append", default=[], help="a part of its name")
    parser.add_argument("--sieve", action="store_true", help="a quarter of each row")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--against", type=Path)
    args = parser.parse_args()
    before = json.loads(args.against.read_text()) if args.against else {}
    found: dict[str, list[Found]] = {}
    worse, short = [], [0.0, 0.0]
    for row in ROWS:
        if args.area and row.area not in args.area:
            continue
        if args.row and not any(text in row.name for text in args.row):
            continue
        key = f"{row.area}: {row.name}"
        now = found[key] = measure(row, args.sieve)
        decided = sum(one.answer is not None for one in now)
        spent = sum(one.seconds for one in now)
        line = f"{key:50} {decided:5} of {len(now):5} {spent:9.2f} s"
        if key in before:
            old = [Found(*one) for one in before[key]]
            text, _, bad = compare(row, now, old)
            line += f"  {text}"
            worse += [key] if bad else []
            if sum(one.seconds for one in old) < SHORT * len(old):
                short[0] += spent
                short[1] += sum(one.seconds for one in old)
        print(line, flush=True)
        if args.out:
            args.out.write_text(json.dumps(found) + "\n")
    print(
        f"{sum(one.seconds for row in found.values() for one in row):.0f} CPU s in all"
    )
    if short[1]:
        print(f"rows below 10 ms a case together: {short[0] / short[1]:.2f}x")
        if short[0] > SLOWER * short[1]:
            worse.append("rows below 10 ms a case")
    for key in worse:
        print(f"worse: {key}", file=sys.stderr)
    return 1 if worse else 0


if __name__ == "__main__":
    raise SystemExit(main())
