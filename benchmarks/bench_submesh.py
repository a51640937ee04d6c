"""Time the allocation of submeshes as the mesh fills, on one core, in CPU time.

Run ``python benchmarks/bench_submesh.py [TEXT]...``; only rows whose name contains a
TEXT are measured. All is of Morgenstern 1994: the mesh of Table 3, 1024 x 1024, with
sides uniform from 1 to 1024, 512, 256, 128 and 64, which keeps 2 to about 750
residents in it; to 32, about 3000.

- ``fill``: states that a queue served first come, first served under iss comes to,
  after the mesh has filled. Each method is given the same residents and the same next
  request, which fits in about half of the states, and nothing is allocated: in
  microseconds per request, the best of three, averaged over the states. Two baselines
  keep a 0/1 array, an element per processor: ``zhu-first-fit``, compiled as ours are,
  and ``numpy``, which adds up the array along both axes and looks for a window of sum
  0. Those that are first fits must agree on the place.
- ``run``: whole simulations, dispatcher and releases included, in seconds, the best of
  three, with the target.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import mean
from time import process_time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np  # noqa: E402

from closeknit.heuristics.submesh.allocator import SubmeshAllocator  # noqa: E402
from closeknit.instances.submesh import Box, box_at  # noqa: E402
from closeknit.methods.allocators.submesh import ALLOCATORS  # noqa: E402
from closeknit.simulation.submesh.simulator import Fixed, first_come  # noqa: E402
from closeknit.simulation.submesh.stream import (  # noqa: E402
    BoxRequest,
    Normal,
    Sides,
    Uniform,
    queue,
)

SEED = 1
MESH = (1024, 1024)
RANGES = (1024, 512, 256, 128, 64, 32)
STATES = 40
FIRST_FITS = ("iss", "bitmap", "fs-f", "as", "fs-1", "zhu-first-fit", "numpy")
METHODS = ("iss", "4iss", "bitmap", "mbv", "fs-f", "as", "fs-1", "fs-n")
BASELINES = ("zhu-first-fit", "numpy")
SLOW = {"fs-1": 128, "as": 64}
"""Not measured below these ranges: they take 10 to 100 ms per request there."""


class NumpyArray(SubmeshAllocator):
    """First fit with numpy alone: sums over all windows of a 0/1 array."""

    def __init__(
        self, shape: Sequence[int], *, rotate: bool = False, torus: bool = False
    ) -> None:
        super().__init__(shape, rotate=rotate, torus=torus)
        self.array = np.zeros(shape[::-1], dtype=np.int32)

    def _search(self, size: tuple[int, ...]) -> Box | None:
        x, y = size
        sums = np.zeros([n + 1 for n in self.array.shape], dtype=np.int32)
        np.cumsum(np.cumsum(self.array, axis=0), axis=1, out=sums[1:, 1:])
        window = sums[y:, x:] - sums[y:, :-x] - sums[:-y, x:] + sums[:-y, :-x]
        free = window == 0
        at = int(free.argmax())
        j, i = divmod(at, free.shape[1])
        return box_at((i, j), size) if free[j, i] else None

    def _take(self, box: Box) -> None:
        a, b, c, d = box
        self.array[b : d + 1, a : c + 1] = 1

    def _give(self, box: Box) -> None:
        a, b, c, d = box
        self.array[b : d + 1, a : c + 1] = 0


@dataclass(frozen=True)
class State:
    """Boxes that are held, and the request that comes next."""

    held: tuple[Box, ...]
    size: tuple[int, ...]


class Watched(Fixed):
    """Keeps a state every so many attempts."""

    def __init__(self, allocator: SubmeshAllocator, begin: int, every: int) -> None:
        super().__init__(allocator)
        self.begin, self.every = begin, every
        self.attempts = 0
        self.states: list[State] = []

    def place(self, request: BoxRequest) -> bool:
        """Give the request a box if there is one."""
        self.attempts += 1
        if self.attempts > self.begin and self.attempts % self.every == 0:
            self.states.append(State(tuple(self.boxes()), request.size))
        return super().place(request)


def make(name: str, shape: Sequence[int]) -> SubmeshAllocator:
    return NumpyArray(shape) if name == "numpy" else ALLOCATORS[name](shape)


def timed(call: Callable[[], object], times: int = 3) -> float:
    """Least CPU seconds of some calls."""
    best = float("inf")
    for _ in range(times):
        start = process_time()
        call()
        best = min(best, process_time() - start)
    return best


def warm(name: str) -> None:
    """Run once what is compiled at the first call."""
    mesh = make(name, (8, 8))
    for size in [(8, 1), (2, 3), (3, 2), (8, 8)]:
        mesh.allocate(size)
    mesh.release(mesh.held[0])


def states(highest: int) -> list[State]:
    """Return states of a mesh that has filled, spread over a run."""
    n = max(1000, 40 * (1024 // highest) ** 2)
    occupancy = Watched(ALLOCATORS["iss"](MESH), n, max(1, n // STATES))
    first_come(queue(MESH, n + n // 2, Uniform(1, highest), seed=SEED), occupancy)
    return occupancy.states[:STATES]


def fill(highest: int) -> None:
    """Print a row: the time per request of each method at these states."""
    some = states(highest)
    places: dict[str, list[Box | None]] = {}
    row = f"{f'fill 1..{highest}':14}{mean(len(one.held) for one in some):10.1f}"
    for name in (*METHODS, *BASELINES):
        if highest < SLOW.get(name, 0):
            row += f"{'-':>14}"
            continue
        spent = 0.0
        places[name] = []
        for one in some:
            mesh = make(name, MESH)
            for box in one.held:
                mesh.hold(box)
            places[name].append(mesh.find(one.size))
            spent += timed(lambda: mesh.find(one.size))  # noqa: B023
        row += f"{1e6 * spent / len(some):14.1f}"
    first = [places[name] for name in FIRST_FITS if name in places]
    assert all(one == first[0] for one in first)
    found = sum(one is not None for one in first[0])
    print(f"{row}   {found} of {len(some)} find a place", flush=True)


RUNS: Sequence[tuple[str, str, tuple[int, int], int, Sides, float | None]] = (
    ("256", "iss", (256, 256), 1000, Uniform(1, 256), 0.1),
    ("256", "4iss", (256, 256), 1000, Uniform(1, 256), 0.1),
    ("256", "bitmap", (256, 256), 1000, Uniform(1, 256), 0.1),
    ("256", "fs-1", (256, 256), 1000, Uniform(1, 256), 10),
    ("256", "mbv", (256, 256), 1000, Uniform(1, 256), None),
    ("256", "zhu-first-fit", (256, 256), 1000, Uniform(1, 256), None),
    ("256 normal", "iss", (256, 256), 1000, Normal(128, 43), 0.1),
    ("256 normal", "4iss", (256, 256), 1000, Normal(128, 43), 0.1),
    ("256 normal", "bitmap", (256, 256), 1000, Normal(128, 43), 0.1),
    ("1024 1..64", "iss", MESH, 4000, Uniform(1, 64), 5),
    ("1024 1..64", "4iss", MESH, 4000, Uniform(1, 64), None),
    ("1024 1..64", "bitmap", MESH, 4000, Uniform(1, 64), None),
    ("1024 1..64", "fs-f", MESH, 4000, Uniform(1, 64), None),
)


def run(
    row: str,
    name: str,
    mesh: tuple[int, int],
    requests: int,
    lengths: Sides,
    wanted: float | None,
) -> None:
    """Print a row: a whole simulation."""
    asked = queue(mesh, requests, lengths, seed=SEED)
    spent = timed(lambda: first_come(asked, Fixed(make(name, mesh))))
    measured = first_come(asked, Fixed(make(name, mesh))) if name == "iss" else None
    print(
        f"{f'run {row}':18}{name:16}{requests:6}{spent:10.3f} s"
        + (f"   wanted: {wanted:g} s" if wanted else "")
        + (f"   {measured.mean_allocated:.0f} residents" if measured else ""),
        flush=True,
    )


def rows(wanted: list[str]) -> Iterator[Callable[[], None]]:
    """Yield the rows that are wanted."""
    for highest in RANGES:
        if not wanted or any(text in f"fill 1..{highest}" for text in wanted):
            yield lambda h=highest: fill(h)  # type: ignore[misc]
    for one in RUNS:
        if not wanted or any(text in f"run {one[0]} {one[1]}" for text in wanted):
            yield lambda o=one: run(*o)  # type: ignore[misc]


def main(wanted: list[str]) -> None:
    """Print the table."""
    some = list(rows(wanted))
    if not some:
        sys.exit(f"no such row: {wanted}")
    print(f"python {platform.python_version()}, {platform.machine()}, seed {SEED}")
    names = (*METHODS, *BASELINES)
    print(f"{'us a request':14}{'residents':>10}{''.join(f'{n:>14}' for n in names)}")
    for name in names:
        warm(name)
    for one in some:
        one()


if __name__ == "__main__":
    main(sys.argv[1:])
