"""Prove the busiest link on networks that are no tree, by decisions.

    python benchmarks/bench_links.py [--seeds N]

Half of the processors, drawn, are free; everyone sends to everyone. Prints, for each
network, the median and the longest seconds over seeds, annealing and building
included, next to those of annealing alone once loads are known, the baseline; machine
code is made before.
The mesh has a background: jobs of 16 on its other processors, everyone to everyone.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable, Iterator

from closeknit.instances import Graph, KSubset, Mesh, Topology, Torus
from closeknit.instances.ksubset.graph_generators import dragonfly_network
from closeknit.instances.value import as_tuple
from closeknit.network.contention.decisions import decisions
from closeknit.network.contention.instance import Contention, Link
from closeknit.network.contention.search import annealed
from closeknit.network.loads import LoadTable
from closeknit.solvers import Settings
from closeknit.solvers.running import clock


def one_global_link(a: int, p: int, h: int) -> Graph:
    """Return a dragonfly whose shortest ways take at most one global link."""
    graph = dragonfly_network(a, p, h)
    hosts = set(graph.processors)
    edges = (
        (u, v, 1 if {u, v} & hosts or u // a == v // a else 3)
        for u, v, _ in graph.edges
    )
    return Graph(graph.nodes, tuple(edges), graph.processors)


def fat_tree(leaves: int, hosts: int, spines: int) -> Graph:
    """Return leaves with hosts, each with a cable to every spine."""
    inner = leaves + spines
    up = [(i, leaves + j, 1) for i in range(leaves) for j in range(spines)]
    down = [(i // hosts, inner + i, 1) for i in range(leaves * hosts)]
    nodes = inner + leaves * hosts
    return Graph(nodes, tuple(up + down), tuple(range(inner, nodes)))


CASES: dict[str, tuple[Callable[[], Topology], int, str]] = {
    "dragonfly, 144 hosts": (lambda: one_global_link(4, 4, 2), 32, "minimal"),
    "dragonfly, 342 hosts": (lambda: one_global_link(6, 3, 3), 16, "minimal"),
    "fat-tree, 1024 hosts": (lambda: fat_tree(32, 32, 16), 64, "d-mod-k"),
    "mesh 16x16, background": (lambda: Mesh(16, 16), 32, "dimension-order"),
    "torus 10x10": (lambda: Torus(10, 10), 8, "dimension-order"),
}


def instances(name: str, seeds: int) -> Iterator[Contention]:
    """Yield states of a network."""
    make, k, routing = CASES[name]
    network = make()
    sites = list(network.locations())
    for seed in range(seeds):
        draw = random.Random(seed)
        some = sorted(draw.sample(range(len(sites)), len(sites) // 2))
        job = KSubset(f"{name}-{seed}", network, tuple(sites[i] for i in some), k)
        plain = Contention(job, routing)
        links: tuple[Link, ...] = ()
        if "background" in name:
            table = LoadTable(plain.routes)
            others = [i for i in range(len(sites)) if i not in set(some)]
            jobs = (sorted(others[i : i + 16]) for i in range(0, len(others), 16))
            busy = sum(table.of(one) for one in jobs).tolist()  # type: ignore[union-attr]
            links = tuple(
                Link(*ends, plain.unit, load * plain.unit // 15)
                for ends, load in zip(plain.routes.links, busy, strict=True)
            )
        yield Contention(job, routing, links=links)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    args = parser.parse_args()
    for warm in instances("torus 10x10", 1):
        decisions(warm, Settings(time_limit=60))
    print("| network | k | proved | s, median | s, most | s, annealing |")
    print("|---|--:|--:|--:|--:|--:|")
    for name, (_, k, _) in CASES.items():
        took, base, proved = [], [], 0
        for instance in instances(name, args.seeds):
            start = time.perf_counter()
            found = decisions(instance, Settings(time_limit=60))
            took.append(time.perf_counter() - start)
            start = time.perf_counter()
            annealed(instance, Settings(), clock.now(), rounds=2)
            base.append(time.perf_counter() - start)
            assert found.objective is not None
            assert found.bound is not None
            proved += as_tuple(found.objective)[0] == as_tuple(found.bound)[0]
        print(
            f"| {name} | {k} | {proved} of {args.seeds} "
            f"| {statistics.median(took):.1f} | {max(took):.1f} "
            f"| {statistics.median(base):.1f} |"
        )


if __name__ == "__main__":
    main()
