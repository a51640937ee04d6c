"""Time wormhole networks, on one core, in CPU time.

Run ``python benchmarks/bench_network.py [TEXT]...``; only rows whose name contains a
TEXT are measured.

- ``8x8 L=16`` and the like: uniform traffic of packets of L flits on a mesh, by rigid
  worms: cycles per second; nanoseconds per event, of which a packet over D links has
  2 (D + 2); and cycles per thousand steps of the yardstick, which depends less on how
  busy the machine is. Beside them the cycles per second of a prototype in numba, in the
  same conditions, on another day.

The yardstick walks through a random cycle of 2^12 rows of 64 bytes, changes each, and
goes where it points: each step waits for the one before. It is measured before and
after every run. The best of five.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable
from dataclasses import dataclass
from time import process_time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np  # noqa: E402

from closeknit.instances import IntArray, Mesh  # noqa: E402
from closeknit.network.messages import Messages  # noqa: E402
from closeknit.network.open_loop import uniform  # noqa: E402
from closeknit.network.worm.engine import RigidWorms  # noqa: E402
from closeknit.solvers.running.kernels import kernel  # noqa: E402

ROUNDS = 5
STEPS = 1_000_000
ROWS, COLUMNS = 2**12, 8
SEED = 1


@dataclass(frozen=True)
class Setting:
    """A square mesh, packets per processor and cycle, and a prototype's speed."""

    side: int
    flits: int
    rate: float
    cycles: int
    prototype: float

    @property
    def name(self) -> str:
        """Name of the row."""
        return f"{self.side}x{self.side} L={self.flits} at {self.rate:g}"

    def traffic(self) -> Messages:
        """Draw the messages."""
        load = self.rate * self.flits
        n = self.side**2
        return uniform(n, load, self.flits, self.cycles, seed=SEED, own=False)


SETTINGS = (
    Setting(8, 16, 0.00125, 2_000_000, 29e6),
    Setting(8, 1, 0.02, 300_000, 2.3e6),
    Setting(32, 16, 0.00125, 50_000, 0.76e6),
    Setting(32, 1, 0.02, 6_000, 59e3),
)


@kernel
def step_on(rows: IntArray, steps: int) -> int:
    """Go from row to row, and change each."""
    at = 0
    for _ in range(steps):
        rows[at, 1] += at
        rows[at, 2] ^= rows[at, 1]
        at = rows[at, 0]
    return int(at)


def yardstick() -> float:
    """Return nanoseconds per step."""
    order = np.random.default_rng(SEED).permutation(ROWS)
    rows = np.zeros((ROWS, COLUMNS), np.int64)
    rows[order, 0] = np.roll(order, -1)
    step_on(rows, 1)
    return 1e9 * seconds(lambda: step_on(rows, STEPS)) / STEPS


def seconds(work: Callable[[], object]) -> float:
    """Return the CPU seconds of a call."""
    start = process_time()
    work()
    return process_time() - start


def measured(setting: Setting) -> str:
    """Return a row of the table."""
    traffic = setting.traffic()
    x, y = (np.divmod(node, setting.side) for node in (traffic.source, traffic.target))
    hops = sum(int(np.abs(a - b).sum()) for a, b in zip(x, y, strict=True))
    events = 2 * (hops + 2 * len(traffic))
    best, steps, end = float("inf"), 0.0, 0
    for _ in range(ROUNDS):
        before = yardstick()
        engine = RigidWorms(Mesh(setting.side, setting.side))
        engine.add(traffic)
        spent = seconds(engine.finish)
        end = engine.time
        if spent < best:
            best, steps = spent, (before + yardstick()) / 2
    speed = end / best
    return (
        f"{setting.name:34}  {speed:12,.0f}  {1e9 * best / events:8.1f}  "
        f"{1e-6 * speed * steps:11.3f}  {setting.prototype:12,.0f}  "
        f"{speed / setting.prototype:5.2f}"
    )


def main() -> None:
    """Print the table."""
    wanted = sys.argv[1:]
    names = [setting.name for setting in SETTINGS]
    if unknown := [text for text in wanted if not any(text in name for name in names)]:
        sys.exit(f"no such row: {unknown}")
    print(f"{platform.machine()}, Python {platform.python_version()}, one core")
    print(f"yardstick: {yardstick():.2f} ns a step")
    print(
        f"{'':34}  {'cycles/s':>12}  {'ns/event':>8}  {'cycles/1000':>11}  "
        f"{'prototype':>12}  ratio"
    )
    first = RigidWorms(Mesh(2))  # compiles
    first.add(uniform(2, 1.0, 1, 1, seed=0, own=False))
    first.finish()
    for setting in SETTINGS:
        if not wanted or any(text in setting.name for text in wanted):
            print(measured(setting), flush=True)


if __name__ == "__main__":
    main()
