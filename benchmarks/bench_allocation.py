"""Time one request of every allocator, and compare the pair sums of the choices.

Run ``python benchmarks/bench_allocation.py [NAME]...``; names of allocators select
rows. Meshes are half full at random, with fixed seeds. A request is one ``find`` on
one core, after one that compiles; microseconds are CPU time, the least of several
rounds over all states. ``in`` + ``out`` is ``allocate`` and ``release``. The pair sum
is the mean over the states, divided by that of mm-inc.

The peer is the Hilbert best fit of SST's scheduler, 5 ms of CPU time per request on
128x128 for k = 256, measured on another day.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from time import process_time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np  # noqa: E402

from closeknit.heuristics.allocation.allocator import Allocator  # noqa: E402
from closeknit.instances import Grid, IntArray, KSubset, Mesh, cost  # noqa: E402
from closeknit.methods import KSUBSET  # noqa: E402
from closeknit.methods.allocators.table import STRATEGIES  # noqa: E402

PEER_US = 5000.0
ROUNDS = 5


@dataclass(frozen=True)
class Setting:
    """A mesh, a request, and how many half-full states of it."""

    side: int
    k: int
    states: int

    def busy(self) -> list[IntArray]:
        """Draw the busy processors of each state."""
        cells = self.side**2
        return [
            np.random.default_rng(seed).choice(cells, cells // 2, replace=False)
            for seed in range(self.states)
        ]


SETTINGS = (Setting(16, 32, 60), Setting(128, 256, 3))


def microseconds(run: Callable[[], object], calls: int) -> float:
    """CPU time of a call: the least of several rounds."""
    least = inf
    for _ in range(ROUNDS):
        start = process_time()
        for _ in range(calls):
            run()
        least = min(least, process_time() - start)
    return 1e6 * least / calls


def pair_sum(topology: Grid, one: Allocator, chosen: IntArray) -> int:
    """Compute the cost of a choice from the definition."""
    sites = tuple(one.places[number] for number in chosen)
    k = len(sites)
    return int(cost(KSubset("chosen", topology, sites, k), range(k)))


def main() -> None:
    """Print the table."""
    chosen = sys.argv[1:] or list(STRATEGIES)
    if unknown := [name for name in chosen if name not in STRATEGIES]:
        sys.exit(f"no such allocator: {unknown[0]}")
    print(f"{platform.machine()}, Python {platform.python_version()}, one core")
    for setting in SETTINGS:
        topology = Mesh((setting.side, setting.side))
        states = setting.busy()
        print(
            f"\n{setting.side}x{setting.side}, k = {setting.k}, "
            f"{setting.states} states half full\n"
            "| allocator | find us | in + out us | pair sum | peer |\n"
            "|---|---|---|---|---|"
        )
        best = 0
        for name in ["mm-inc", *chosen]:
            if name in STRATEGIES and STRATEGIES[name].refuses(topology):
                continue
            spent = turned = 0.0
            weighed = 0
            for busy in states:
                if name == "mm-inc":
                    weighed += by_mm_inc(topology, busy, setting.k)
                    continue
                one = STRATEGIES[name](topology)
                one.hold(busy.tolist())
                grant = one.find(setting.k)
                if grant is None:
                    sys.exit(f"{name} does not serve {setting.k} processors")
                weighed += pair_sum(topology, one, grant.used)
                calls = max(1, 60 // setting.states)
                spent += microseconds(lambda: one.find(setting.k), calls)  # noqa: B023
                turned += microseconds(lambda: turn(one, setting.k), calls)  # noqa: B023
            if name == "mm-inc":
                best = weighed
                continue
            us = spent / len(states)
            peer = f"{PEER_US / us:.0f} x faster" if setting.side == 128 else ""
            print(
                f"| {name} | {us:.1f} | {turned / len(states):.1f} "
                f"| {weighed / best:.3f} | {peer} |",
                flush=True,
            )


def turn(one: Allocator, k: int) -> None:
    """Allocate a job and release it."""
    grant = one.allocate(k)
    assert grant is not None
    one.release(grant)


def by_mm_inc(topology: Grid, busy: IntArray, k: int) -> int:
    """Return the pair sum of the choice of mm-inc."""
    taken = set(busy.tolist())
    places = enumerate(topology.locations())
    free = tuple(site for number, site in places if number not in taken)
    objective = KSUBSET["mm-inc"](KSubset("half full", topology, free, k)).objective
    assert isinstance(objective, int)
    return objective


if __name__ == "__main__":
    main()
