"""Optima on graphs: fat-trees, dragonflies, hypercubes and random graphs.

    python benchmarks/bench_graphs.py [NAME...] [--limit SECONDS]

``auto`` after a warm-up, CPU seconds of one core. Names select the rows that begin with
them.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from time import process_time

import networkx

from closeknit import KSUBSET, KSubset, Settings
from closeknit.instances import Graph
from closeknit.instances.ksubset import graph_generators as families
from closeknit.methods.warming import kind_of, warm

HALF, QUARTER, MOST = Fraction(1, 2), Fraction(1, 4), Fraction(3, 4)
NODES, WANTED = 200, 10


def erdos_renyi(degree: int, seed: int) -> KSubset:
    """Choose nodes of the largest part of a random graph of this mean degree."""
    drawn = networkx.gnp_random_graph(NODES, degree / (NODES - 1), seed=seed)
    part = max(networkx.connected_components(drawn), key=len)
    graph = Graph.from_networkx(drawn.subgraph(part).copy())
    return KSubset(f"er-{degree}-s{seed}", graph, tuple(graph.locations()), WANTED)


ROWS: dict[str, Callable[[], KSubset]] = {
    "fat-tree": partial(families.fat_tree, 16, 64),
    "fat-tree half": partial(families.fat_tree, 16, 64, HALF, 1),
    "fat-tree quarter": partial(families.fat_tree, 16, 64, QUARTER, 1),
    "dragonfly 16": partial(families.dragonfly, 8, 4, 4, 16),
    "dragonfly 32": partial(families.dragonfly, 8, 4, 4, 32),
    "dragonfly 40": partial(families.dragonfly, 8, 4, 4, 40),
    "dragonfly 64": partial(families.dragonfly, 8, 4, 4, 64),
    "dragonfly half 16": partial(families.dragonfly, 8, 4, 4, 16, HALF, 1),
    "dragonfly half 24": partial(families.dragonfly, 8, 4, 4, 24, HALF, 1),
    "dragonfly half 64": partial(families.dragonfly, 8, 4, 4, 64, HALF, 1),
    "dragonfly 8 8 2": partial(families.dragonfly, 8, 8, 2, 64),
    "dragonfly 16 4 1": partial(families.dragonfly, 16, 4, 1, 64),
    "dragonfly 16 8 1 half": partial(families.dragonfly, 16, 8, 1, 64, HALF),
    "hypercube": partial(families.hypercube, 6, 10, MOST, 1),
    **{
        f"regular {degree} s{seed}": partial(
            families.random_regular, NODES, degree, WANTED, seed=seed
        )
        for degree in (3, 4, 6, 10)
        for seed in ((1, 2, 3) if degree < 10 else (1,))
    },
    **{
        f"er {degree} s{seed}": partial(erdos_renyi, degree, seed)
        for degree in (4, 6, 8, 12, 20)
        for seed in ((1, 2, 3) if degree < 10 else (1,))
    },
}


def main() -> None:
    """Print one line per row: optimum or bounds, route and seconds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--limit", type=float, default=60.0, metavar="SECONDS")
    wanted = parser.parse_args()
    for name, make in ROWS.items():
        if wanted.names and not name.startswith(tuple(wanted.names)):
            continue
        instance = make()
        warm(KSUBSET["auto"], kind_of(instance))
        began = process_time()
        found = KSUBSET["auto"](instance, Settings(time_limit=wanted.limit))
        seconds = process_time() - began
        print(
            f"{name:18} {instance.n:5} {instance.k:3} {found.bound} to "
            f"{found.objective}  {found.proof}  {seconds:.2f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
