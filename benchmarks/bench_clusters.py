"""How long the exact choice of nodes takes, beside greedy rules in the same run.

Run ``python benchmarks/bench_clusters.py [--states N]``. Trees have switches of 32
nodes and 16 switches below each further one; every switch has its own share of busy
nodes, half of all. Milliseconds of processor time on one core, warm: the median over
the states, of the exact choice for the default objective, fewest switches, and for the
one that takes longest.

The first table has drawn jobs of parts, see job_sets.py; half of them fit.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable
from statistics import median
from time import process_time

import job_sets
import numpy as np
from bench_rules import tree

from closeknit.clusters.placement import NodeSelector, Objective, Request
from closeknit.clusters.placement.program import Flags
from closeknit.clusters.rules import RULES, HierarchyState
from closeknit.clusters.topologies import Hierarchy
from closeknit.solvers import Status

TARGETS = (
    (1000, 16, 1.0),
    (1000, 128, 1.0),
    (10_000, 512, 20.0),
    (100_000, 512, 500.0),
)
"""Nodes, nodes of the job, and milliseconds."""
SHOWN = ("slurm-tree", "kueue-best-fit", "volcano-binpack", "flux-low")


def states(selector: NodeSelector, count: int) -> list[list[Flags]]:
    """Draw which nodes are free."""
    chance = random.Random(16)
    [fabric] = selector.cluster.fabrics
    drawn = []
    for _ in range(count):
        share = [chance.betavariate(0.7, 0.7) for _ in range(len(fabric.nodes) // 32)]
        free = [chance.random() > share[i // 32] for i in range(len(fabric.nodes))]
        drawn.append([np.array(free)])
    return drawn


def milliseconds(
    run: Callable[[list[Flags]], object], drawn: list[list[Flags]]
) -> float:
    """Return the median over states, each warm."""
    spent = []
    for free in drawn:
        run(free)
        before = process_time()
        run(free)
        spent.append(1000 * (process_time() - before))
    return median(spent)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--states", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=200)
    args = parser.parse_args()
    job_sets.print_table(args.jobs)
    head = " | ".join(SHOWN)
    print(f"| nodes | k | exact, ms | slowest objective | target | {head} |")
    print("|---|---|---|---|---|" + "---|" * len(SHOWN))
    for n, k, target in TARGETS:
        selector = NodeSelector(tree([32] * (n // 32), 16))
        print(f"| {n} | {k} | {' | '.join(row(selector, k, target, args.states))} |")


def row(selector: NodeSelector, k: int, target: float, count: int) -> list[str]:
    """Return the cells behind the sizes."""
    [fabric] = selector.cluster.fabrics
    assert isinstance(fabric, Hierarchy)
    drawn = states(selector, count)

    def exact(objective: Objective) -> float:
        request = Request(k, objective)
        assert selector.select(request, drawn[0]).status is Status.OPTIMAL
        return milliseconds(lambda free: selector.select(request, free), drawn)

    def greedy(name: str) -> float:
        choose = RULES[name].choose
        return milliseconds(
            lambda free: choose(HierarchyState(fabric, free[0]), k), drawn
        )

    times = {objective.value: exact(objective) for objective in Objective}
    slowest = max(times, key=lambda name: times[name])
    return [
        f"{times['switches']:.2f}",
        f"{times[slowest]:.2f} ({slowest})",
        f"{target:g}",
        *(f"{greedy(name):.2f}" for name in SHOWN),
    ]


if __name__ == "__main__":
    main()
