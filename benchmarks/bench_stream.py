"""Time streams of jobs, on one core, in CPU time.

Run ``python benchmarks/bench_stream.py [TEXT]...``; only rows whose name contains a
TEXT are measured.

- ``run``: 20 000 jobs on a 16 x 16 mesh under mm-inc, measured, in seconds; the
  target is 60. ``drawn``: exponential sizes of mean 16, 84 % offered; ``sdsc``:
  the first of the SDSC Paragon's log of 1996 of up to 256 processors, where
  ``../shared/data/swf`` is there: more than the machine can take.
- ``measure``: where the jobs of the drawn stream lie, by kernels, in microseconds
  per job. Baseline: the definitions of `dispersal` in plain Python, on the
  same jobs; both must agree.
- ``choose``: the same stream, shorter, under several allocators, in microseconds
  per job. Baseline: ``random``, which ignores distances.

The best of three, except for ``run``, which is run once.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from time import process_time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np  # noqa: E402

from closeknit.instances import Mesh  # noqa: E402
from closeknit.instances.ksubset.dispersal import (  # noqa: E402
    balance_factor,
    nodes_affected,
    pieces,
)
from closeknit.methods.allocators.table import allocator  # noqa: E402
from closeknit.simulation.stream.jobs import StreamJob, generate, jobs_of_trace  # noqa: E402
from closeknit.simulation.stream.kernels import measure_job  # noqa: E402
from closeknit.simulation.stream.measures import measure  # noqa: E402
from closeknit.simulation.stream.simulator import Start, StartPolicy, simulate  # noqa: E402

MESH = Mesh((16, 16))
JOBS = 20_000
WANTED = 60.0
SEED = 1
LOG = Path(__file__).parents[2] / "shared/data/swf/SDSC-Par-1996-3.1-cln.swf.xz"
ALLOCATORS = (
    *("thrifty", "mm-inc", "mm", "mc1x1", "hilbert/best-fit", "mc", "mbs", "paging"),
)

Lines = Iterator[str]


def drawn(n: int) -> list[StreamJob]:
    """Return a stream that fills the mesh to about five sixths."""
    return generate(n, seed=SEED, most=256, interarrival=45.0)


def logged() -> list[StreamJob]:
    """Return the first jobs of the Paragon's log that fit."""
    return jobs_of_trace(LOG, most=256)[0][:JOBS]


def once(work: Callable[[], object]) -> float:
    """Return the CPU seconds of a run."""
    start = process_time()
    work()
    return process_time() - start


def best(work: Callable[[], object]) -> float:
    """Return the CPU seconds of the best of three runs."""
    return min(once(work) for _ in range(3))


def run(jobs: list[StreamJob], policy: StartPolicy) -> Lines:
    """Simulate and measure a whole stream."""
    measure(jobs[:100], allocator("mm-inc", MESH))  # compiles
    seconds = once(lambda: measure(jobs, allocator("mm-inc", MESH), policy))
    yield f"{seconds:8.2f} s, {seconds / WANTED:.2f} of the {WANTED:.0f} s wanted"


def kernels_and_definitions() -> Lines:
    """Measure the same jobs twice."""
    machine = allocator("mm-inc", MESH)
    starts = [e for e in simulate(drawn(1000), machine) if isinstance(e, Start)]
    shape = np.array(MESH.shape)
    used = [start.grant.used for start in starts]
    sites = [[machine.places[i] for i in numbers] for numbers in used]

    def fast() -> list[tuple[float, int, int, int]]:
        found = [(len(u), measure_job(u, shape, False)) for u in used]
        return [
            (pairs / max(k * (k - 1) // 2, 1), box, abs(lean), count)
            for k, (pairs, box, lean, count) in found
        ]

    def slow() -> list[tuple[float, int, int, int]]:
        return [
            (
                sum(MESH.distance(p, q) for p, q in combinations(at, 2))
                / max(len(at) * (len(at) - 1) // 2, 1),
                nodes_affected(MESH, at),
                balance_factor(MESH, at),
                pieces(MESH, at),
            )
            for at in sites
        ]

    assert fast() == slow()
    quick, baseline = best(fast) * 1e6 / 1000, best(slow) * 1e6 / 1000
    yield f"{quick:8.1f} µs per job by kernels"
    yield f"{baseline:8.1f} µs by definitions, {baseline / quick:.0f} times as long"


def choices() -> Lines:
    """Run the same stream under several allocators."""
    jobs = drawn(500)

    def seconds(name: str) -> float:
        return best(lambda: list(simulate(jobs, allocator(name, MESH))))

    baseline = seconds("random")
    for name in ALLOCATORS:
        took = seconds(name)
        yield (
            f"{took * 1e6 / 500:8.0f} µs per job under {name}, "
            f"{took / baseline:.1f} of random's {baseline * 1e6 / 500:.0f}"
        )


ROWS: dict[str, Callable[[], Lines]] = {
    "run drawn fcfs": lambda: run(drawn(JOBS), StartPolicy.FCFS),
    "run drawn easy": lambda: run(drawn(JOBS), StartPolicy.EASY),
    "run sdsc fcfs": lambda: run(logged(), StartPolicy.FCFS),
    "run sdsc easy": lambda: run(logged(), StartPolicy.EASY),
    "measure": kernels_and_definitions,
    "choose": choices,
}


def main(wanted: list[str]) -> None:
    """Measure the requested rows."""
    unknown = [w for w in wanted if not any(w in name for name in ROWS)]
    if unknown:
        sys.exit(f"no such row: {unknown} (there are {', '.join(ROWS)})")
    print(
        f"{platform.processor() or platform.machine()}, Python {sys.version.split()[0]}"
    )
    for name, row in ROWS.items():
        if wanted and not any(w in name for w in wanted):
            continue
        if "sdsc" in name and not LOG.exists():
            print(f"{name:15} no log")
            continue
        for line in row():
            print(f"{name:15} {line}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
