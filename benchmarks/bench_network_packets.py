"""Time the cut-through networks, on one core, in CPU time.

Run ``python benchmarks/bench_network_packets.py [TEXT]...``; only rows whose name
contains a TEXT are measured.

- ``yardstick``: a kernel that walks through a random cycle of 2^11 rows of 64 bytes and
  does ten operations on each, in nanoseconds a step. It is measured before and after
  every other row; these also give their time in steps of it, which does not depend on
  how busy the machine is.
- ``uniform``: messages of 1 to 6 packets between random processors, all released at
  once, in nanoseconds per packet and hop (best of three), and what compares, the 40 to
  180 ns of a prototype on an idle core.
- ``lone``: one packet after the other on an 8 x 8 torus: the cost of a cycle.
- ``kernel``: a workload of 64 kB on 64 processors, in row order and random, in seconds.
- ``many``: 16 instances of 2M, BU and 3M with 16 kB on 1024 processors, random.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Iterator
from time import process_time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np  # noqa: E402

from closeknit.instances import Torus  # noqa: E402
from closeknit.instances.ksubset.graph_generators import dragonfly_network  # noqa: E402
from closeknit.network.cut_through.engine import CutThrough  # noqa: E402
from closeknit.network.engine import Network  # noqa: E402
from closeknit.network.kary_tree import KaryTree  # noqa: E402
from closeknit.network.messages import Messages, messages  # noqa: E402
from closeknit.network.workloads.table import workload  # noqa: E402
from closeknit.solvers.running.kernels import kernel  # noqa: E402

Lines = Iterator[str]
ROWS_OF_YARDSTICK = 2**11
STEPS = 2**20
KERNELS = ("BI", "BU", "2M", "3M", "2W", "3W", "WF", "MG")
NONE = np.zeros(0, np.int64)


@kernel
def walk(table: np.ndarray, steps: int) -> int:
    """Follow a cycle through a table."""
    at = 0
    total = 0
    for _ in range(steps):
        for column in range(1, 8):
            total += table[at, column] ^ column
        table[at, 7] += 1
        at = table[at, 0]
    return total


def yardstick() -> float:
    """Return the nanoseconds of a step of `walk`, the best of three."""
    order = np.random.default_rng(1).permutation(ROWS_OF_YARDSTICK)
    table = np.zeros((ROWS_OF_YARDSTICK, 8), np.int64)
    table[order, 0] = np.roll(order, -1)
    walk(table, 1)
    return min(once(lambda: walk(table, STEPS)) for _ in range(3)) / STEPS * 1e9


def once(work: Callable[[], object]) -> float:
    """Return the CPU seconds of a run."""
    start = process_time()
    work()
    return process_time() - start


def drawn(processors: int, each: int) -> Messages:
    """Return messages between random processors."""
    draw = np.random.default_rng(1)
    count = each * processors
    return Messages(
        draw.integers(0, processors, count),
        draw.integers(0, processors, count),
        draw.integers(1, 97, count),
        np.zeros(count, np.int64),
        NONE,
        NONE,
    )


def measured(network: Network, given: Messages, seed: int = 0) -> tuple[float, int]:
    """Return the CPU seconds and the packet hops of a simulation."""
    engine = CutThrough(network, seed=seed)
    engine.add(given)
    seconds = once(engine.finish)
    return seconds, int(engine.carried.sum()) // 16


def uniform(network: Network, each: int) -> Lines:
    """Time a load beyond saturation."""
    step = yardstick()
    given = drawn(CutThrough(network).processors, each)
    runs = [measured(network, given) for _ in range(3)]
    hop = min(seconds / hops for seconds, hops in runs) * 1e9
    step = min(step, yardstick())
    yield f"{hop:8.0f} ns per packet and hop, {hop / step:.1f} steps of {step:.1f} ns"


def lone() -> Lines:
    """Time packets that are alone."""
    count = 20_000
    chain = [(i, i + 1) for i in range(count - 1)]
    given = messages([(0, 36, 16)] * count, chain)
    seconds, hops = measured(Torus(8, 8), given)
    yield f"{seconds / hops * 1e9:8.0f} ns per hop"


def kernels() -> Lines:
    """Time the causal workloads of 64 kB on 64 processors."""
    total = 0.0
    for name in KERNELS:
        made = workload(name)
        for network in (Torus(8, 8), KaryTree(4, 3)):
            for place in (np.arange(64), np.random.default_rng(1).permutation(64)):
                total += measured(network, made.on(place.tolist()))[0]
    yield f"{total:8.2f} s for {', '.join(KERNELS)} twice on two networks"


def many() -> Lines:
    """Time 16 instances on 1024 processors."""
    place = np.random.default_rng(1).permutation(1024).tolist()
    for name in ("2M", "BU", "3M"):
        made = workload(name, 64, 2**14)
        for network in (Torus(32, 32), KaryTree(4, 5)):
            engine = CutThrough(network)
            for job in range(16):
                engine.add(made.on(place[64 * job : 64 * job + 64]), job)
            seconds = once(engine.finish)
            hops = int(engine.carried.sum()) // 16
            yield (
                f"{seconds:8.2f} s, {hops} packet hops, {engine.time} cycles: "
                f"{name} on {network}"
            )


ROWS: dict[str, Callable[[], Lines]] = {
    "yardstick": lambda: iter([f"{yardstick():8.1f} ns a step"]),
    "uniform torus 8x8": lambda: uniform(Torus(8, 8), 200),
    "uniform torus 32x32": lambda: uniform(Torus(32, 32), 20),
    "uniform 4-ary 3-tree": lambda: uniform(KaryTree(4, 3), 200),
    "uniform 4-ary 5-tree": lambda: uniform(KaryTree(4, 5), 20),
    "uniform dragonfly": lambda: uniform(dragonfly_network(4, 2, 2), 200),
    "lone": lone,
    "kernel": kernels,
    "many": many,
}


def main(wanted: list[str]) -> None:
    """Measure the requested rows."""
    unknown = [w for w in wanted if not any(w in name for name in ROWS)]
    if unknown:
        sys.exit(f"no such row: {unknown} (there are {', '.join(ROWS)})")
    print(f"Python {platform.python_version()}, {platform.machine()}")
    for network in (Torus(2), KaryTree(2, 1), dragonfly_network(1, 1, 1)):
        measured(network, messages([(0, 1, 1)]))  # compiles
    for name, row in ROWS.items():
        if not wanted or any(w in name for w in wanted):
            for line in row():
                print(f"{name:22}{line}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
