"""Time the exact selection of processor sets inside a running process, on one core.

Run ``python benchmarks/bench_procset.py [TEXT]...``; only rows whose name contains a
TEXT are measured. A machine is prepared once, and each request is timed alone, in CPU
milliseconds, from the flags of the available processors to the processors chosen and
their cost. After one request that compiles, the best of three calls is taken, so that
other work on the machine counts little; of 16 384 nodes with realistic costs, one.

- ``week``: 21 902 jobs with the moments of Drakenberg 2012, section 6.1, come to the
  256-node machine in the course of a week (`simulation.week`) and start when they fit,
  each served by frontier-dp. Hosts are whole, as there.
- ``any``: 1 to 256 hosts free, drawn, requests of any size; ``partly``: of these
  hosts 3 in 10 have busy cores.
- ``16384``: 655 racks and a centre of 9, 2000 hosts and more free, 512 wanted.

The baseline ``reaching`` answers a sample of the same requests: how often it is
optimal, and its time. Last, CP-SAT and HiGHS prove some of them.

The paper gives times in graphs only. Its exact method was run up to |Pa| - r = 12.
"""

from __future__ import annotations

import os
import platform
import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from statistics import median
from time import process_time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np  # noqa: E402
import numpy.typing as npt  # noqa: E402

from closeknit.exact.procset.incremental_selector import RequestSolver  # noqa: E402
from closeknit.heuristics.procset.reaching import ReachingMachine  # noqa: E402
from closeknit.instances import cost  # noqa: E402
from closeknit.instances.procset.generators import SetSystem, system  # noqa: E402
from closeknit.methods import PROCSET  # noqa: E402
from closeknit.simulation.dispatch import dispatch  # noqa: E402
from closeknit.simulation.week import NODE, Submission, synthetic_week  # noqa: E402
from closeknit.solvers import Settings, Status  # noqa: E402

Flags = npt.NDArray[np.bool_]
SEED = 1
SAMPLE = 400
PROVEN = 60


def week(made: SetSystem, machine: RequestSolver) -> Iterator[tuple[Flags, int]]:
    """Run the synthetic week; yield free processors and request at each start."""
    each = len(made.processors) // 256
    jobs = [
        replace(job, processors=job.processors // NODE * each)
        for job in synthetic_week(SEED)
    ]

    def choose(free: Flags, job: Submission) -> npt.NDArray[np.int64]:
        return machine.select(free, job.processors).chosen

    for turn in dispatch(jobs, len(made.processors), choose):
        yield turn.available.copy(), turn.job.processors


def drawn(
    made: SetSystem, count: int, least: int, wanted: int = 0, partly: float = 0
) -> Iterator[tuple[Flags, int]]:
    """Draw free hosts, and a request of whole hosts unless some are free in part."""
    pick = random.Random(SEED)
    hosts = max(made.hosts) + 1
    each = len(made.processors) // hosts
    for _ in range(count):
        free = np.zeros((hosts, each), dtype=np.bool_)
        some = pick.sample(range(hosts), pick.randint(least, hosts))
        free[some] = True
        for host in some:
            if pick.random() < partly:
                free[host, pick.sample(range(each), pick.randint(1, each - 1))] = False
        request = wanted or pick.randint(1, len(some)) * each
        if partly:
            request = pick.randint(1, int(free.sum()))
        yield free.reshape(-1), request


def timed(call: Callable[[], object], times: int) -> float:
    """Least CPU milliseconds of some calls."""
    best = float("inf")
    for _ in range(times):
        start = process_time()
        call()
        best = min(best, process_time() - start)
    return 1000 * best


def spread(seconds: list[float]) -> str:
    """Median, 95th percentile and maximum."""
    ordered = sorted(seconds)
    return (
        f"{median(ordered):9.3f} {ordered[int(0.95 * (len(ordered) - 1))]:9.3f} "
        f"{ordered[-1]:9.3f}"
    )


def measure(
    name: str,
    made: SetSystem,
    requests: Callable[[RequestSolver], Iterator[tuple[Flags, int]]],
    target: str,
    *,
    times: int = 3,
    sample: int = SAMPLE,
) -> list[tuple[Flags, int, tuple[int, ...]]]:
    """Print a row for frontier-dp, one for reaching; return the sample and optima."""
    start = process_time()
    machine = RequestSolver(len(made.processors), made.sets)
    prepared = process_time() - start
    everything = np.ones(len(made.processors), dtype=np.bool_)
    machine.select(everything, 5)
    asked = list(requests(machine))
    spent, optima, largest = [], [], (0.0, 0, 0)
    for free, request in asked:
        found = machine.select(free, request)
        assert found.exact
        optima.append(found.cost)
        spent.append(timed(lambda: machine.select(free, request), times))  # noqa: B023
        largest = max(largest, (spent[-1], int(free.sum()), request))
    print(
        f"{name:24}{'frontier-dp':12}{len(asked):8}{spread(spent)}  "
        f"all optimal; prepared in {prepared:.2f} s, width {machine.width(everything)}"
        f"; slowest: {largest[2]} of {largest[1]}; {target}",
        flush=True,
    )
    step = max(1, len(asked) // max(sample, 1))
    some = [
        (*ask, optimum)
        for ask, optimum in zip(asked[::step], optima[::step], strict=True)
    ]
    baseline = ReachingMachine(len(made.processors), made.sets)
    baseline.select(everything, 5)
    spent, optimal = [], 0
    for free, request, optimum in some if sample else []:
        spent.append(timed(lambda: baseline.select(free, request), 1))  # noqa: B023
        chosen = baseline.select(free, request).tolist()
        instance = made.ask(request, np.flatnonzero(free).tolist())
        optimal += cost(instance, chosen) == optimum
    if spent:
        print(
            f"{'':24}{'reaching':12}{len(spent):8}{spread(spent)}  "
            f"{optimal} of {len(spent)} optimal",
            flush=True,
        )
    return some


def prove(
    made: SetSystem, some: list[tuple[Flags, int, tuple[int, ...]]], name: str
) -> None:
    """Print a row for a solver: wall time, since it runs in a process of its own."""
    step = max(1, len(some) // PROVEN)
    spent, proven = [], 0
    for free, request, optimum in some[::step][:PROVEN]:
        instance = made.ask(request, np.flatnonzero(free).tolist())
        result = PROCSET[name](instance, Settings(time_limit=60))
        spent.append(1000 * result.seconds)
        if result.status is Status.OPTIMAL:
            proven += 1
            assert result.objective == optimum
    print(
        f"{'':24}{name:12}{len(spent):8}{spread(spent)}  {proven} proven, all the same "
        f"cost; wall time",
        flush=True,
    )


def main(wanted: list[str]) -> None:
    """Print the table."""
    print(f"python {platform.python_version()}, {platform.machine()}, seed {SEED}")
    print(f"{'':24}{'method':12}{'requests':>8}{'median':>9}{'p95':>10}{'max ms':>10}")

    def chosen(name: str) -> bool:
        return not wanted or any(text in name for text in wanted)

    for grain, target in (
        ("node", "wanted: median 0.2 ms, max 15 ms"),
        ("core", "wanted: median 0.5 ms, max 20 ms"),
    ):
        made = system(grain)
        if chosen(name := f"week {grain}"):
            some = measure(name, made, lambda m, s=made: week(s, m), target)  # type: ignore[misc]
            for solver in ("classes/cpsat", "classes/highs"):
                prove(made, some, solver)
        if chosen(name := f"any {grain}"):
            measure(name, made, lambda m, s=made: drawn(s, 2000, 1), target)  # type: ignore[misc]
        if grain == "core" and chosen(name := f"partly {grain}"):
            measure(
                name,
                made,
                lambda m, s=made: drawn(s, 500, 1, partly=0.3),  # type: ignore[misc]
                target,
                sample=50,
            )
    for costs, times in (("uniform", 3), ("realistic", 1)):
        if chosen(name := f"16384 node {costs}"):
            made = system("node", costs, racks=655, centre=9)
            measure(
                name,
                made,
                lambda m, s=made: drawn(s, 10, 2000, 512),  # type: ignore[misc]
                "wanted: 30 ms",
                times=times,
                sample=0,
            )


if __name__ == "__main__":
    main(sys.argv[1:])
