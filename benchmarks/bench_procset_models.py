"""Time general solvers until they prove the models of processor sets optimal.

    python benchmarks/bench_procset_models.py [--requests N] [--time-limit S]
        [--granularity node|core] [--only TEXT]

Requests of the 256-node machine of Drakenberg 2012, seeded: the share of free nodes is
drawn from 10 to 90 %; three of four request as many nodes as the paper's jobs do (5.57
on average, standard deviation 3.43), every fourth any number up to all free ones.
Seconds are of processors, of this process and of its children together, from the
instance to the checked answer; wall-clock time is printed as well. All ways that prove
a request must agree on it.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from statistics import median, quantiles
from time import perf_counter

from closeknit.formulations.procset import cpsat as procset_cpsat
from closeknit.formulations.procset import mip as procset_mip
from closeknit.formulations.procset.set_classes import classes_of
from closeknit.heuristics.procset.cheapest_first import cheapest_first
from closeknit.instances import InputError, ProcSet
from closeknit.instances.procset.generators import drakenberg_system
from closeknit.instances.procset.sample_machine import CORES
from closeknit.methods import PROCSET
from closeknit.solvers import Result, Settings, SolverError, Status, cpsat, mip

Way = Callable[[ProcSet, Settings], Result]
HOSTS = 256


def requests(count: int, granularity: str) -> list[ProcSet]:
    """Sample requests, the same ones every time."""
    pick = random.Random(1)
    found = []
    for seed in range(count):
        share = Fraction(pick.randint(10, 90), 100)
        free = int(HOSTS * share)
        nodes = min(free, max(1, round(pick.gauss(5.57, 3.43))))
        if seed % 4 == 0:
            nodes = pick.randint(1, free)
        wanted = nodes
        if granularity == "core":
            wanted = nodes * CORES - pick.randrange(CORES)
        found.append(
            drakenberg_system(wanted, free=share, seed=seed, granularity=granularity)
        )
    return found


def with_cpsat(*, weighted: bool = False, parameters: str | None = None) -> Way:
    """Solve with CP-SAT and these of its parameters."""

    def run(instance: ProcSet, settings: Settings) -> Result:
        hint = cheapest_first(classes_of(instance))
        model = procset_cpsat.classes(instance, hint=hint, weighted=weighted)
        if parameters is not None:
            model = replace(model, parameters=parameters)
        return cpsat.solve(model, settings=settings)

    return run


def in_one_objective(backend: str) -> Way:
    """Solve with all levels folded into one objective."""

    def run(instance: ProcSet, settings: Settings) -> Result:
        hint = cheapest_first(classes_of(instance))
        model = procset_mip.classes(instance, hint=hint, weighted=True)
        return mip.solve(model, backend, settings=settings)

    return run


def a_process_a_level(backend: str) -> Way:
    """Solve level by level, each in a process of its own."""

    def run(instance: ProcSet, settings: Settings) -> Result:
        start = perf_counter()
        best = cheapest_first(classes_of(instance))
        proved: list[int] = []
        for number in range(instance.levels):
            model = procset_mip.classes(instance, hint=best)
            procset_mip.set_level_objective(model, number, proved)
            unit, known = model.levels[number].unit, tuple(proved)
            rest = (0,) * (instance.levels - number - 1)

            def unfold(
                bound: int,
                known: tuple[int, ...] = known,
                unit: int = unit,
                rest: tuple[int, ...] = rest,
            ) -> tuple[int, ...]:
                return (*known, unit * bound, *rest)

            model = replace(model, levels=(), unfold=unfold)
            result = mip.solve(model, backend, settings=settings, start=start)
            best = result.chosen or best
            if not (
                isinstance(result.objective, tuple) and isinstance(result.bound, tuple)
            ):
                return result  # stopped before anything was proved
            if result.bound[: number + 1] != result.objective[: number + 1]:
                return result
            proved.append(result.objective[number])
        return result

    return run


DEFAULTS = ""
CLAUSES = "linearization_level: 2"
WAYS: dict[str, Way] = {
    "classes/cpsat": PROCSET["classes/cpsat"],
    "classes/cpsat, with presolve": with_cpsat(parameters=CLAUSES),
    "classes/cpsat, its own defaults": with_cpsat(parameters=DEFAULTS),
    "classes/cpsat, one objective": with_cpsat(
        weighted=True, parameters=procset_cpsat.PARAMETERS
    ),
    "classes/cpsat, one objective, with presolve": with_cpsat(
        weighted=True, parameters=CLAUSES
    ),
    "classes/cpsat, one objective, its own defaults": with_cpsat(
        weighted=True, parameters=DEFAULTS
    ),
    "classes/highs": PROCSET["classes/highs"],
    "classes/highs, one process per level": a_process_a_level("highs"),
    "classes/highs, one objective": in_one_objective("highs"),
    "classes/cbc": PROCSET["classes/cbc"],
    "classes/cbc, one objective": in_one_objective("cbc"),
}


def processor_seconds() -> float:
    """Seconds that this process and its children have used."""
    own = resource.getrusage(resource.RUSAGE_SELF)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def p95(seconds: list[float]) -> float:
    return quantiles(seconds, n=20, method="inclusive")[-1]


def main() -> None:
    """Print a row for every way, as Markdown, as soon as it is done."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=60)
    parser.add_argument("--time-limit", type=float, default=20.0)
    parser.add_argument("--granularity", choices=["node", "core"], default="node")
    parser.add_argument("--only", default="", help="ways whose name has this")
    args = parser.parse_args()
    asked = requests(args.requests, args.granularity)
    settings = Settings(time_limit=args.time_limit)
    optima: dict[str, object] = {}
    print("| way | proved | cpu ms: median | p95 | largest | wall ms: median | p95 |")
    print("|---|---|---|---|---|---|---|")
    for name, way in WAYS.items():
        if args.only not in name:
            continue
        used, passed, proved = [], [], 0
        for instance in asked:
            began, start = processor_seconds(), perf_counter()
            try:
                result = way(instance, settings)
            except (InputError, SolverError) as error:
                print(f"{name}: {error}", file=sys.stderr)
                continue
            passed.append(perf_counter() - start)
            used.append(processor_seconds() - began)
            if result.status is Status.OPTIMAL:
                proved += 1
                known = optima.setdefault(instance.name, result.objective)
                if known != result.objective:
                    raise SystemExit(f"{name}: {instance.name}: {known} before")
        if len(used) < 2:
            print(f"| {name} | {proved} of {len(asked)} | | | | | |", flush=True)
            continue
        cells = [median(used), p95(used), max(used), median(passed), p95(passed)]
        numbers = " | ".join(f"{1e3 * cell:.0f}" for cell in cells)
        print(f"| {name} | {proved} of {len(asked)} | {numbers} |", flush=True)


if __name__ == "__main__":
    main()
