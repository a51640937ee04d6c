"""How long the exact choice of nodes takes, beside greedy rules in the same run.

Run ``python benchmarks/bench_clusters.py [--states N]``. Trees have switches of 32
nodes and 16 switches below each further one; every switch has its own share of busy
nodes, half of all. Milliseconds of processor time on one core, warm: the median over
the states, of the exact choice for the default objective, fewest switches, and for the
one that takes longest.

A second table has 200 drawn changes of running jobs each: preemptions and drains on
2000 nodes with 700 jobs (kueue#13148), and repairs of 3 nodes of 10 000: milliseconds,
how many are proven, and for how many numbers a proof in a file says that nothing
is less (--prove SECONDS: the limit on writing each, and on checking it).

A third table has drawn jobs of parts, see job_sets.py; half of them fit.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time

import job_sets
import numpy as np
from bench_rules import tree

from closeknit.clusters.contention.links import TreeLinks
from closeknit.clusters.contention.tree import LinkWish
from closeknit.clusters.placement import NodeSelector, Objective, Request
from closeknit.clusters.placement.program import Flags
from closeknit.clusters.placement.request import NO_LINKS
from closeknit.clusters.rules import RULES, HierarchyState
from closeknit.clusters.topologies import Hierarchy
from closeknit.formulations.cluster.changes.change import (
    LeastChange,
    OngoingJob,
    RunningState,
    preempt,
)
from closeknit.formulations.cluster.changes.drain import drain
from closeknit.formulations.cluster.changes.repair import repair
from closeknit.formulations.cluster.constraints import Slices, within
from closeknit.formulations.cluster.domains import DomainTree, NodeDevices
from closeknit.formulations.cluster.job import GangJob, Role
from closeknit.formulations.cluster.proof import (
    LOG,
    RECOUNT,
    NoFitProof,
    prove_impossible,
)
from closeknit.solvers import Limit, Settings, Status

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
    parser.add_argument("--changes", type=int, default=200)
    parser.add_argument("--prove", type=float, default=60.0, metavar="SECONDS")
    parser.add_argument("--jobs", type=int, default=200)
    args = parser.parse_args()
    changes(args.changes, args.prove)
    job_sets.print_table(args.jobs)
    head = " | ".join(SHOWN)
    print(
        "| nodes | k | exact, ms | slowest objective | target | links | contention | "
        f"{head} |"
    )
    print("|---|---|---|---|---|---|---|" + "---|" * len(SHOWN))
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

    links = TreeLinks(np.where(fabric.level == 0, 3200, 25600))
    chance = np.random.default_rng(16)
    counted = TreeLinks(
        links.capacity, chance.integers(0, 1600, (2, len(fabric.parent)))
    )

    def exact_of_links(power: int) -> float:
        objective = Objective.CONTENTION if power else Objective.LINKS
        request = Request(k, objective, links=LinkWish(counted, power))
        return milliseconds(lambda free: selector.select(request, free), drawn)

    times = {objective.value: exact(objective) for objective in NO_LINKS}
    slowest = max(times, key=lambda name: times[name])
    return [
        f"{times['switches']:.2f}",
        f"{times[slowest]:.2f} ({slowest})",
        f"{target:g}",
        *(f"{exact_of_links(power):.2f}" for power in (0, 4)),
        *(f"{greedy(name):.2f}" for name in SHOWN),
    ]


def even_racks(blocks: int, racks: int, nodes: int) -> DomainTree:
    """Return a tree of so many blocks, racks in each, and nodes in each rack."""
    inner = blocks * racks
    parent = [-1, *[0] * blocks, *(1 + i // racks for i in range(inner))]
    home = np.repeat(np.arange(1 + blocks, 1 + blocks + inner), nodes)
    return DomainTree(
        tuple(f"n{i}" for i in range(len(home))),
        home,
        tuple(f"d{i}" for i in range(len(parent))),
        np.array(parent),
        np.array([2, *[1] * blocks, *[0] * inner]),
        np.array([0, *[2] * (blocks + inner)]),
        ("rack", "block", "all"),
    )


def busy_state(
    chance: random.Random, tree: DomainTree, jobs: int, free: float
) -> RunningState:
    """Draw jobs of 1 to 8 nodes or a few more, mostly near each other."""
    n = len(tree.nodes)
    sizes = [chance.choice([1, 1, 1, 2, 2, 4, 4, 8]) for _ in range(jobs)]
    step = 1 if sum(sizes) < n * (1 - free) else -1
    while (sum(sizes) - int(n * (1 - free))) * step < 0:
        j = chance.randrange(jobs)
        sizes[j] = max(1, sizes[j] + step)
    order = iter(sorted(range(n), key=lambda i: i + 30 * chance.random()))
    found = []
    for j, size in enumerate(sizes):
        nodes = dict.fromkeys(next(order) for _ in range(size))
        lost = chance.randrange(3600) * size
        found.append(OngoingJob(f"j{j}", nodes, chance.randrange(4), lost))
    whole = np.ones(n, dtype=np.int64)
    left = whole.copy()
    left[[i for job in found for i in job.nodes]] = 0
    return RunningState(NodeDevices(tree, left, whole), tuple(found))


def draw_preemption(seed: int, settings: Settings) -> LeastChange:
    """Ask for slices within racks; half of the jobs are small, and often fit."""
    chance = random.Random(seed)
    state = busy_state(chance, even_racks(10, 10, 20), 700, 0.05)
    size = chance.choice([4, 8, 16])
    k = size * chance.randrange(*((2, 12) if seed % 2 else (12, 40)))
    asked = [Slices("rack", ("w",), size)]
    if chance.random() < 0.3 and k <= 160:
        asked.append(within("block", ("w",)))
    return preempt(GangJob((Role("w", k),), tuple(asked)), state, settings)


def draw_drain(seed: int, settings: Settings) -> LeastChange:
    """Ask for a few racks that are free of jobs."""
    chance = random.Random(seed)
    tree = even_racks(10, 10, 20)
    state = busy_state(chance, tree, 700, chance.choice([0.05, 0.1]))
    held = {int(tree.home[i]) for job in state.jobs for i in job.nodes}
    return drain("rack", 100 - len(held) + chance.randrange(1, 4), state, settings)


def draw_repair(seed: int, settings: Settings) -> LeastChange:
    """Let 3 nodes fail of a job that has 16 of the 20 nodes of some racks."""
    chance = random.Random(seed)
    tree = even_racks(25, 20, 20)
    state = busy_state(chance, tree, 3000, 0.1)
    racks = chance.sample(range(500), chance.randrange(5, 40))
    placed = tuple(20 * r + i for r in racks for i in range(16))
    jobs = tuple(x for x in state.jobs if x.nodes.keys().isdisjoint(placed))
    free = np.ones(len(tree.nodes), dtype=np.int64)
    free[[*placed, *(i for x in jobs for i in x.nodes)]] = 0
    state = RunningState(NodeDevices(tree, free, state.devices.whole), jobs)
    job = GangJob((Role("w", len(placed)),), (Slices("rack", ("w",), 16),))
    failed = chance.sample(placed, 3)
    return repair(job, {"w": placed}, failed, state, settings)


def proofs_of(found: LeastChange, seconds: float) -> list[NoFitProof | Limit]:
    """Prove every number of a change that is not 0, or that no change will do."""
    wanted = [stage.less for stage in found.stages if stage.proved and stage.less]
    if found.status is Status.INFEASIBLE and (refuted := found.refuted) is not None:
        wanted = [lambda: refuted]
    with TemporaryDirectory() as folder:
        path = str(Path(folder) / "p")
        return [prove_impossible(less(), path, seconds) for less in wanted]


def changes(count: int, seconds: float) -> None:
    """Print what drawn changes of running jobs take, and their proofs."""
    print(
        "| change | median, ms | 99 % | most | proven | no change | impossible | "
        "statements: recount | pseudo-Boolean | neither | changes with all proofs | "
        "median size, KiB | most | proving, s |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")
    for draw in (draw_preemption, draw_drain, draw_repair):
        found = [draw(seed, Settings(time_limit=60)) for seed in range(count)]
        spent = sorted(1000 * one.seconds for one in found)
        settled = [x for x in found if x.status in (Status.OPTIMAL, Status.INFEASIBLE)]
        shown = [proofs_of(one, seconds) for one in settled]
        proofs = [x for some in shown for x in some if isinstance(x, NoFitProof)]
        kinds = Counter(proof.kind for proof in proofs)
        sizes = [proof.size / 1024 for proof in proofs] or [0.0]
        whole = sum(all(isinstance(x, NoFitProof) for x in some) for some in shown)
        cells = [
            f"{median(spent):.1f}",
            f"{spent[int(0.99 * (count - 1))]:.0f}",
            f"{spent[-1]:.0f}",
            f"{len(settled)} of {count}",
            str(sum(not (one.ends or one.moves) and bool(one.stages) for one in found)),
            str(sum(one.status is Status.INFEASIBLE for one in found)),
            *(str(kinds[kind]) for kind in (RECOUNT, LOG)),
            str(sum(map(len, shown)) - len(proofs)),
            f"{whole} of {len(settled)}",
            f"{median(sizes):.0f}",
            f"{max(sizes):.0f}",
            f"{median([proof.seconds for proof in proofs] or [0.0]):.2f}",
        ]
        name = draw.__name__.removeprefix("draw_")
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
