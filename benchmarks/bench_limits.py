"""How late methods are: every method on instances that take longer than its limit.

Prints one row for each run: limit, wall-clock seconds from the call to the answer, the
seconds beyond limit + max(0.5 s, 5 %), processor seconds of the process and of its
children, peak memory, status. Each run has a process of its own, in which the kernels
are warm: the method has solved small instances of the same kind before. Reading the
file is not part of the time; checking, pricing and the tables of the network are.

Runs that are too late are made again, at most twice, and the least time counts: on a
machine that does other work as well, only the least time describes the program. There,
``--cpu`` lets all clocks and alarms of the process run on its processor seconds;
methods that wait for a process of their own (``*/highs``) cannot be measured so.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

if "--cpu" in sys.argv:  # before anything takes the clock from there
    time.perf_counter = time.process_time  # type: ignore[misc]
    signal.ITIMER_REAL = signal.ITIMER_PROF
    signal.SIGALRM = signal.SIGPROF

from closeknit.instances import InputError, Instance, Submesh
from closeknit.instances.ksubset import generators
from closeknit.instances.procset.generators import (
    random_domains,
    random_sets,
    torus_planes,
)
from closeknit.instances.submesh import Box, Resident, box_at
from closeknit.instances.sukp.generators import random_sukp
from closeknit.methods import METHODS, AnyMethod, warming
from closeknit.solvers import Settings, SolverError

HALF = Fraction(1, 2)
LIMITS = (0.5, 5.0, 60.0)
_WARMING = 5.0
_AGAIN = 2


def allowed(limit: float) -> float:
    """Return the wall-clock seconds within which an answer is in time."""
    return limit + max(0.5, limit / 20)


def _drawn(kind: str, *shape: int, k: int) -> Callable[[], Instance]:
    return lambda: generators.random_occupancy(shape, k, HALF, seed=1, kind=kind)


def _scattered(
    *shape: int, most: int, torus: bool = False, migrate: bool = True
) -> Submesh:
    """Put boxes on a grid of slots, so that a request of two slots finds no room."""
    draw = Random(1)
    slots = [range(0, side - most + 1, most) for side in shape]
    residents = []
    corners: list[tuple[int, ...]] = [()]
    for slot in slots:
        corners = [(*corner, at) for corner in corners for at in slot]
    for corner in corners:
        size = tuple(draw.randint(most // 2 + 1, most - 1) for _ in shape)
        box: Box = box_at(corner, size)
        residents.append(Resident(box))
    return Submesh(
        f"scattered-{generators.shape_text(shape)}-{most}",
        shape,
        tuple(residents),
        (2 * most,) * len(shape),
        migrate=migrate,
        torus=torus,
    )


LARGE: dict[str, dict[str, Callable[[], Instance]]] = {
    "ksubset": {
        "mesh 64x64": _drawn("mesh", 64, 64, k=256),
        "mesh 256x256": _drawn("mesh", 256, 256, k=1024),
        "mesh 4096x4096": lambda: generators.mesh(4096, 4096, k=4096),
        "mesh 20x20 k=40": _drawn("mesh", 20, 20, k=40),
        "mesh 16^3": _drawn("mesh", 16, 16, 16, k=128),
        "torus 64x64": _drawn("torus", 64, 64, k=256),
        "ring 40000": _drawn("torus", 40_000, k=4000),
        "line 1000000": _drawn("mesh", 1_000_000, k=400_000),
        "tree 16^3": _drawn("tree", 16, 16, 16, k=512),
        "tree 64^3": _drawn("tree", 64, 64, 64, k=8192),
        "points 5000": lambda: generators.uniform_points(5000, 3, k=100, seed=1),
        "full mesh 32x32": lambda: generators.mesh(32, 32, k=150),
    },
    "procset": {
        "planes 32x32x16": lambda: torus_planes(
            (32, 32, 16), 2000, free=HALF, seed=1, costs="drawn", private=3
        ),
        "domains 16384": lambda: random_domains(
            16_384, 3, 64, 3000, free=HALF, seed=1, costs="levels"
        ),
        "sets 2000": lambda: random_sets(
            2000, 300, Fraction(1, 20), 600, levels=3, seed=1
        ),
        "sets 16384": lambda: random_sets(16_384, 1000, 200, 5000, levels=2, seed=1),
    },
    "sukp": {
        "500x500": lambda: random_sukp(500, 500, Fraction(1, 10), Fraction(17, 20), 1),
        "100x100": lambda: random_sukp(100, 100, Fraction(1, 10), Fraction(3, 4), 1),
        "800x800": lambda: random_sukp(800, 800, Fraction(1, 10), Fraction(17, 20), 1),
    },
    "submesh": {
        "1024x1024": lambda: _scattered(1024, 1024, most=16),
        "1024x1024 fixed": lambda: _scattered(1024, 1024, most=16, migrate=False),
        "512x512 few": lambda: _scattered(512, 512, most=64),
        "torus 256x256": lambda: _scattered(256, 256, most=16, torus=True),
        "mesh 64^3": lambda: _scattered(64, 64, 64, most=8),
    },
}
"""Instances for each problem, made at first use."""


@cache
def large(problem: str, name: str) -> Instance:
    """Return one of `LARGE`."""
    return LARGE[problem][name]()


@dataclass(frozen=True, slots=True)
class Pair:
    """A method, and an instance that it takes."""

    problem: str
    method: str
    instance: str

    @property
    def entry(self) -> AnyMethod:
        """The method itself."""
        return METHODS[self.problem][self.method]


def pairs(
    problems: str = "", methods: str = "", instances: str = "", first: int = 0
) -> Iterator[Pair]:
    """Yield every method with all large instances that it does not refuse.

    Parameters
    ----------
    problems, methods
        Only this one.
    instances
        Only those with this in their names.
    first
        At most so many instances for each method; 0 for all.
    """
    for problem, sizes in LARGE.items():
        taken: Counter[str] = Counter()
        for name in sizes:
            if (problems or problem) != problem or instances not in f"{problem} {name}":
                continue
            for method in METHODS[problem].values():
                if (methods or method.name) != method.name:
                    continue
                if ("--cpu" in sys.argv and _apart(method.name)) or (
                    first and taken[method.name] == first
                ):
                    continue
                one = large(problem, name)
                if not method.refusal(one):
                    taken[method.name] += 1
                    yield Pair(problem, method.name, name)


def _apart(method: str) -> bool:
    """Whether a method runs a solver in a process of its own."""
    return method.endswith(("/highs", "/cbc"))


def warm(method: AnyMethod, like: Instance) -> None:
    """Compile and load what a method needs, on small instances of the same kind."""
    kind = warming.kind_of(like)
    warming.warm(method, kind)
    settings = Settings(time_limit=_WARMING)
    for one in warming.tiny_instances(kind):
        with suppress(InputError):
            method(one, settings)


def measure(pair: Pair, limit: float, seed: int = 0) -> dict[str, Any]:
    """Run a method once, in a child process; return its measurements."""
    large(pair.problem, pair.instance)  # made here, once; the child shares it
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        os.setpgid(0, 0)
        os._exit(_report(pair, limit, seed, writing))
    os.close(writing)
    with os.fdopen(reading) as stream:
        text = stream.read()
    _, status = os.waitpid(child, 0)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    if not text:
        return {"status": f"died ({status})", "wall": 0.0, "cpu": 0.0, "mib": 0}
    found: dict[str, Any] = json.loads(text)
    return found


def _report(pair: Pair, limit: float, seed: int, into: int) -> int:
    try:
        text = json.dumps(_run(pair, limit, seed))
    except BaseException as error:
        text = json.dumps(
            {"status": f"{type(error).__name__}: {error}", "wall": 0.0, "cpu": 0.0}
        )
    os.write(into, text.encode())
    return 0


def _run(pair: Pair, limit: float, seed: int) -> dict[str, Any]:
    method, instance = pair.entry, large(pair.problem, pair.instance)
    warm(method, instance)
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    cpu = _cpu()
    start = time.perf_counter()
    try:
        result = method(instance, Settings(time_limit=limit, seed=seed))
    except (SolverError, InputError) as error:
        wall = time.perf_counter() - start
        kind = "refused" if isinstance(error, InputError) else "FAILED"
        status = f"{kind}: {str(error)[:80]}"
        return {"wall": wall, "cpu": _cpu() - cpu, "status": status}
    wall = time.perf_counter() - start
    status = result.status.value
    return {
        "wall": wall,
        "cpu": _cpu() - cpu,
        "status": f"{status}, {result.limit.value}" if result.limit else status,
        "mib": _peak_mib(),
    }


def _cpu() -> float:
    used = [resource.getrusage(who) for who in (-1, 0)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _peak_mib() -> int:
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) >> 10
    return 0


def timed(pair: Pair, limit: float, again: int = _AGAIN) -> dict[str, Any]:
    """Measure; a late run is repeated, and the least time counts."""
    best = measure(pair, limit)
    for _ in range(again):
        if best["wall"] <= allowed(limit):
            break
        other = measure(pair, limit)
        best = min(best, other, key=lambda one: float(one["wall"]))
    return best


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=float, action="append", help="0.5, 5 and 60")
    parser.add_argument("--problem", default="", help="only this problem")
    parser.add_argument("--method", default="", help="only this method")
    parser.add_argument("--instance", default="", help="only those with this in them")
    parser.add_argument("--first", type=int, default=0, help="instances a method")
    parser.add_argument("--json", action="store_true", help="one object for each row")
    parser.add_argument("--late", action="store_true", help="only rows that are late")
    parser.add_argument("--cpu", action="store_true", help="count processor seconds")
    parser.add_argument("--again", type=int, default=_AGAIN)
    options = parser.parse_args()
    worst: dict[float, tuple[float, str]] = {}
    names: set[tuple[str, str]] = set()
    wanted = options.problem, options.method, options.instance, options.first
    for pair in pairs(*wanted):
        names.add((pair.problem, pair.method))
        for limit in options.limit or LIMITS:
            row = timed(pair, limit, options.again)
            excess = row["wall"] - allowed(limit)
            what = f"{pair.problem} {pair.method}, {pair.instance}"
            worst[limit] = max(worst.get(limit, (-limit, "")), (row["wall"], what))
            if options.late and excess <= 0 and "FAILED" not in row["status"]:
                continue
            if options.json:
                print(json.dumps({"run": what, "limit": limit, **row}), flush=True)
                continue
            print(
                f"{what:55} limit {limit:4g}  wall {row['wall']:7.2f}  "
                f"late {max(0.0, excess):6.2f}  cpu {row['cpu']:7.2f}  "
                f"{row.get('mib', 0):6} MiB  {row['status']}",
                flush=True,
            )
    load = os.getloadavg()[0]
    print(f"{len(names)} pairs of problem and method, load {load:.1f}", file=sys.stderr)
    for limit, (wall, what) in worst.items():
        print(f"worst at {limit:g} s: {wall:.2f} s, {what}", file=sys.stderr)


if __name__ == "__main__":
    main()
