"""How often reaching is optimal on the 256-node machine, and how long it takes.

Run ``python benchmarks/bench_reaching.py [JOBS [node|uniform|core]...]``. A synthetic
stream of jobs with the moments of Drakenberg 2012, section 6.1, is replayed, first
come, first served; times between arrivals alternate between a loaded and an overloaded
machine, so that much and little is available. Every multi-node request is answered by
every method and by frontier-dp, which proves the optimum; the choice of reaching is
carried out, as in the paper. All seeds are fixed. "Exact size only" prices as reaching
does, but removes a union of exactly |Pa| - r processors or nothing, as printed.

At core granularity requests are cut short of whole nodes at random, so that 7 of 8
are no multiple of 8; ``(8)`` marks the rows of those that are.

Milliseconds are medians of the process's own CPU time, one call per request, inside a
running process.
"""

from __future__ import annotations

import heapq
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from statistics import median
from time import process_time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np  # noqa: E402
import numpy.typing as npt  # noqa: E402

from closeknit.exact.procset.incremental_selector import RequestSolver  # noqa: E402
from closeknit.heuristics.procset.reaching import ReachingMachine  # noqa: E402
from closeknit.instances.procset.generators import system  # noqa: E402
from closeknit.instances.procset.sample_machine import CORES  # noqa: E402
from closeknit.instances.procset.set_system import SetSystem  # noqa: E402

SEED = 1
BINS = (12, 40, 80, 120, 160, 256)
Flags = npt.NDArray[np.bool_]
Choose = Callable[[Flags, int], npt.NDArray[np.int64]]


@dataclass
class Tally:
    """Counts and times of one method in one bin."""

    tried: int = 0
    optimal: int = 0
    seconds: list[float] = field(default_factory=list)


class ExactSize(ReachingMachine):
    """Reaching priced by covered sets that removes |Pa| - r processors or nothing."""

    def _best(self, price: npt.NDArray[np.int64], held: npt.NDArray[np.int64]) -> int:
        return len(held) - 1


def jobs(count: int) -> Iterator[tuple[float, int, float]]:
    """Draw arrival, nodes and run time of jobs, as section 6.1 describes them.

    30.6 % have one node; of all, nodes are 5.57 on average with a deviation of 3.43;
    run times are log-normal with the means and deviations given.
    """
    random = np.random.default_rng(SEED)

    def lognormal(mean: float, deviation: float) -> float:
        spread = np.log(1 + (deviation / mean) ** 2)
        drawn = random.lognormal(np.log(mean) - spread / 2, np.sqrt(spread))
        return float(min(drawn, 8 * 3600))

    now = 0.0
    for i in range(count):
        if random.random() < 0.306:
            nodes, seconds = 1, lognormal(243, 390)
        else:
            nodes = int(np.clip(np.rint(random.normal(7.6, 2.0)), 2, 16))
            seconds = lognormal(848, 3170)
        work = 5.57 * 800
        load = 1.1 if i // 500 % 2 else 0.75
        now += float(random.exponential(work / (256 * load)))
        yield now, nodes, seconds


def replay(
    machine: SetSystem, wanted: Callable[[int], int], count: int, choose: Choose
) -> Iterator[tuple[Flags, int]]:
    """Yield available processors and request at each start; carry out the choice."""
    free = np.ones(len(machine.processors), dtype=np.bool_)
    running: list[tuple[float, int, npt.NDArray[np.int64]]] = []
    clock = 0.0
    for i, (arrival, nodes, seconds) in enumerate(jobs(count)):
        request = wanted(nodes)
        clock = max(clock, arrival)
        while running and (running[0][0] <= clock or free.sum() < request):
            end, _, held = heapq.heappop(running)
            clock = max(clock, end)
            free[held] = True
        if nodes > 1:
            yield free.copy(), request
        held = choose(free, request)
        free[held] = False
        heapq.heappush(running, (clock + seconds, i, held))


def measure(granularity: str, costs: str, count: int) -> None:
    """Replay the stream on one form of the machine and print a table."""
    machine = system(granularity, costs)
    n, sets = len(machine.processors), machine.sets
    member = np.zeros((len(sets), n), dtype=np.float32)
    for k, one in enumerate(sets):
        member[k, list(one.members)] = 1
    vectors = np.array([one.cost for one in sets])
    random = np.random.default_rng(SEED)
    core = granularity == "core"
    each_node = CORES if core else 1

    def wanted(nodes: int) -> int:
        return CORES * nodes - int(random.integers(CORES)) if core else nodes

    exact = RequestSolver(n, sets)
    printed = ReachingMachine(n, sets, covers=False)
    exactly = ExactSize(n, sets)
    covering = ReachingMachine(n, sets)
    methods: dict[str, Choose] = {
        "frontier-dp": lambda free, request: exact.select(free, request).chosen,
        "reaching-printed": printed.select,
        "exact size only": exactly.select,
        "reaching": covering.select,
    }
    tallies: dict[tuple[str, int, bool], Tally] = {}
    seen = 0
    for free, request in replay(machine, wanted, count, covering.select):
        surplus = int(free.sum()) - request
        at = next(i for i, most in enumerate(BINS) if surplus <= most * each_node)
        seen += 1
        best: tuple[int, ...] = ()
        for name, choose in methods.items():
            start = process_time()
            chosen = choose(free, request)
            seconds = process_time() - start
            taken = np.zeros(n, dtype=np.float32)
            taken[chosen] = 1
            price = tuple(vectors[member @ taken > 0].sum(axis=0).tolist())
            best = best or price
            assert best <= price
            whole = core and request % CORES == 0
            tally = tallies.setdefault((name, at, whole), Tally())
            tally.tried += 1
            tally.optimal += price == best
            tally.seconds.append(seconds)
    print(f"\n{granularity} granularity, {costs} costs: {seen} multi-node requests")
    labels = [
        f"{low * each_node + 1}..{high * each_node}"
        for low, high in zip((-1, *BINS), BINS, strict=False)
    ]
    labels[0] = f"<= {BINS[0] * each_node}"
    for whole in (False, True) if core else (False,):
        for at, label in enumerate(labels):
            cells = []
            for name in methods:
                tally = tallies.get((name, at, whole))
                if tally is None:
                    continue
                share = 100 * tally.optimal / tally.tried
                each = 1000 * median(tally.seconds)
                cells.append(f"{name} {share:.1f} % {each:.2f} ms")
                if name == "frontier-dp":
                    cells[-1] = f"{tally.tried} requests, {each:.2f} ms exact"
            if cells:
                print(f"{'(8) ' if whole else ''}{label:>8}: " + "; ".join(cells))


def main() -> None:
    """Print all tables."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    forms = sys.argv[2:] or ["node", "uniform", "core"]
    if "node" in forms:
        measure("node", "realistic", count)
    if "uniform" in forms:
        measure("node", "uniform", count)
    if "core" in forms:
        measure("core", "realistic", count // 2)


if __name__ == "__main__":
    main()
