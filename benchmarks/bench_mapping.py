"""Task mapping: what is proven in 60 s, and what annealing takes.

    python benchmarks/bench_mapping.py [NAME...] [--limit SECONDS] [--data DIR]

CPU seconds of one core, after a warm-up. Names select the rows that begin with them.
Rows of measured traffic, cut to their first ranks, need the folder of measured
communication (by default data/comm in the folder that CLOSEKNIT_DATA names).
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from pathlib import Path
from time import process_time

import numpy as np

from closeknit.instances import Mesh, Torus
from closeknit.network.engine import Network
from closeknit.network.kary_tree import KaryTree
from closeknit.network.mapping.instance import RankMapping
from closeknit.network.mapping.table import MAPPERS
from closeknit.network.processor_numbers import hops_between
from closeknit.network.workloads.measured import read_traffic
from closeknit.solvers import Settings

LEAST_BYTES = 1000
GRIDS = {12: Torus(3, 4), 16: Torus(4, 4), 20: Torus(4, 5)}
SCATTERED = (0, 2, 5, 17, 19, 20, 33, 36, 38, 50, 52, 55, 65, 68, 71, 84)
"""Processors of a mesh 16x16, so that its symmetries are of no use."""


def on(network: Network, traffic: np.ndarray, *places: int) -> RankMapping:
    """Put ranks on the first processors, or on those given."""
    used = np.array(places or range(len(traffic)), np.int64)
    return RankMapping(traffic, hops_between(network, used))


def dense(n: int, seed: int) -> np.ndarray:
    """Draw what all ranks send to all."""
    return np.random.default_rng(seed).integers(0, 10, (n, n))


def exact_rows(data: Path | None) -> Iterator[tuple[str, list[RankMapping]]]:
    """Yield names and instances that are to be proven."""
    for network, n, name in (
        (Mesh(3, 4), 12, "dense, mesh 3x4"),
        (Mesh(2, 7), 14, "dense, mesh 2x7"),
        (Mesh(4, 4), 16, "dense, mesh 4x4"),
        (Torus(4, 4), 16, "dense, torus 4x4"),
        (KaryTree(4, 2), 16, "dense, 4-ary 2-tree"),
        (Mesh(3, 6), 18, "dense, mesh 3x6"),
    ):
        yield name, [on(network, dense(n, seed)) for seed in (1, 2, 3)]
    whole = [] if data is None else measured(data)
    for n, grid in GRIDS.items() if whole else ():
        name = f"measured, torus {'x'.join(map(str, grid.shape))}"
        yield name, [on(grid, one[:n, :n]) for one in whole]
    if whole:
        parts = [one[:12, :12] for one in whole]
        mesh = Mesh(16, 16)
        yield (
            "measured, 12 of a mesh",
            [on(mesh, one, *SCATTERED[:12]) for one in parts],
        )
        parts = [one[:16, :16] for one in whole]
        yield "measured, 16 of a mesh", [on(mesh, one, *SCATTERED) for one in parts]


def measured(data: Path) -> list[np.ndarray]:
    """Read the matrices of 64 ranks that hold more than bookkeeping."""
    found = []
    for path in sorted(data.rglob("*.csv")):
        traffic = read_traffic(path).at_least(LEAST_BYTES)
        if traffic.tasks == 64 and len(traffic.size):
            found.append(traffic.matrix())
    return found


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--limit", type=float, default=60.0)
    parser.add_argument("--data", type=Path)
    args = parser.parse_args()
    data = args.data
    if data is None and (folder := os.environ.get("CLOSEKNIT_DATA")):
        data = Path(folder, "data", "comm")
    MAPPERS["exact"](on(Mesh(2, 3), dense(6, 0)), Settings())
    print("| proven | instances | proven | median s | worst s |\n|---|--:|--:|--:|--:|")
    for name, instances in exact_rows(data):
        if not any(name.startswith(one) for one in args.names or [""]):
            continue
        seconds, proven = [], 0
        for mapping in instances:
            start = process_time()
            found = MAPPERS["exact"](mapping, Settings(time_limit=args.limit))
            seconds.append(process_time() - start)
            proven += found.status.value == "optimal"
        print(
            f"| {name} | {len(instances)} | {proven} | {np.median(seconds):.2g} | "
            f"{max(seconds):.2g} |",
            flush=True,
        )
    print("\n| annealing | ranks | s |\n|---|--:|--:|")
    for side in (4, 8, 16, 32):
        name = f"ring of ranks, torus {side}x{side}"
        if any(name.startswith(one) for one in args.names or [""]):
            order = np.random.default_rng(side).permutation(side**2)
            traffic = np.zeros((side**2, side**2), np.int64)
            traffic[order, np.roll(order, 1)] = 1
            start = process_time()
            MAPPERS["annealing"](
                on(Torus(side, side), traffic), Settings(time_limit=600)
            )
            print(f"| {name} | {side**2} | {process_time() - start:.2g} |", flush=True)


if __name__ == "__main__":
    main()
