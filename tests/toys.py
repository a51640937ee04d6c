"""Methods for tests: exact, poor, slow, lying, dying; and rows made by hand."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from tempfile import NamedTemporaryFile
from time import sleep
from typing import Any

import numpy as np

import closeknit.methods
from closeknit.ending import Ending
from closeknit.heuristics.allocation.allocator import Allocation, Allocator
from closeknit.instances import Instance, KSubset, Mesh, cost, mesh, sha256
from closeknit.reports.campaigns.rows import Row, row_of
from closeknit.solvers import (
    DEFAULT,
    Grade,
    Proof,
    Result,
    Settings,
    SolverError,
    answer,
)
from closeknit.solvers.running import clock
from closeknit.solvers.running.method import AnyMethod, Method

HELD = "CLOSEKNIT_TESTS_HELD"
"""A folder: `slow` waits as long as a file there has its instance's name."""


def cheapest(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    start = clock.now()
    best = min(
        combinations(range(instance.n), instance.k),
        key=lambda chosen: cost(instance, chosen),
    )
    bound = cost(instance, best)
    proof = Proof(Grade.ENUMERATED, "toy")
    return answer(instance, best, start=start, bound=bound, proof=proof)


def quick(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    proof = Proof(Grade.CHECKED, "toy: no cost is negative")
    return answer(instance, range(instance.k), start=clock.now(), bound=0, proof=proof)


def first(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    return answer(instance, range(instance.k), start=clock.now())


def last(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    chosen = range(instance.n - instance.k, instance.n)
    return answer(instance, chosen, start=clock.now())


def slow(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    sleep(0.3)
    while HELD in os.environ and Path(os.environ[HELD], instance.name).exists():
        sleep(0.02)
    return first(instance, settings)


def pausing(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    sleep(0.05)
    return first(instance, settings)


def filing(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Leave a file where temporary files go, as a killed solver does."""
    with NamedTemporaryFile(prefix="closeknit-", delete=False):
        return pausing(instance, settings)


def dearest(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    chosen = max(
        combinations(range(instance.n), instance.k),
        key=lambda chosen: cost(instance, chosen),
    )
    return answer(instance, chosen, start=clock.now())


def liar(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    chosen = dearest(instance).chosen
    assert chosen is not None
    bound, proof = cost(instance, chosen), Proof(Grade.SOLVER, "liar")
    return answer(instance, chosen, start=clock.now(), bound=bound, proof=proof)


def killed(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    if instance.name != "warm-up":
        os.kill(os.getpid(), signal.SIGKILL)
    return first(instance, settings)


def fatal(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Take the process above along: the worker of a cluster; note that in a file."""
    if instance.name != "warm-up":
        with Path(instance.source).open("a") as note:
            note.write(f"{instance.name}\n")
        os.kill(os.getppid(), signal.SIGKILL)
        sleep(600)
    return first(instance, settings)


def greedy(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    if instance.name != "warm-up":
        taken = bytearray(600 << 20)
        sleep(600)
        del taken
    return first(instance, settings)


def broken(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    raise SolverError("the solver\nbroke")


def one(instance: KSubset) -> Fraction:
    return Fraction(1)


def large_k(instance: KSubset) -> str | None:
    return "takes k up to 3 only" if instance.k > 3 else None


TOYS: Mapping[str, AnyMethod] = {
    method.name: method
    for method in (
        Method("first", first),
        Method("last", last),
        Method("slow", slow),
        Method("shy", first, refuses=large_k),
        Method("auto", cheapest, exact=True),
    )
}
"""What the command sees in place of the real methods."""

SABOTEURS: Mapping[str, AnyMethod] = {
    method.name: method
    for method in (
        Method("pausing", pausing),
        Method("filing", filing),
        Method("dearest", dearest, guarantee=one),
        Method("killed", killed),
        Method("broken", broken),
        Method("greedy", greedy),
        Method("fatal", fatal),
        Method("liar", liar, exact=True),
        Method("quick", quick, exact=True),
    )
}


def small(name: str, k: int = 3, *, busy: int = 0) -> KSubset:
    """A 3 by 4 mesh; the given number of processors from the end are busy."""
    full = mesh(3, 4, k=k)
    return KSubset(name, full.topology, full.free[: 12 - busy], k)


def line(name: str, *xs: int, k: int) -> KSubset:
    """Free processors on a line."""
    return KSubset(name, Mesh((max(xs) + 1,)), tuple((x,) for x in xs), k)


def made(instance: Instance, method: str, **changes: Any) -> Row:
    """A row made by hand."""
    plain = row_of(instance, method, DEFAULT, "by hand", "failed")
    given: dict[str, Any] = {
        "status": "feasible",
        "error": "",
        "seconds": 0.5,
        "version": "0.1.0",
        "python": "3.11.7",
        "machine": "Linux x86_64, a processor, 2 CPUs",
        "finished": "2026-11-21T05:15:49+00:00",
    }
    row = replace(plain, **given | changes)
    assert row.sha256 == sha256(instance)
    return row


def optimal(instance: KSubset, method: str, value: Any, **changes: Any) -> Row:
    """A row of a method that proved its cost."""
    proof = Proof(Grade.ENUMERATED, "toy")
    given = {"cost": value, "bound": value, "status": "optimal", "proof": proof}
    return made(instance, method, **given | changes)


def dies(note: Path, deaths: int, number: int) -> int:
    """Be killed from outside so often; return how often it was called."""
    with note.open("a") as file:
        file.write("died\n")
    if note.read_text().count("\n") <= deaths:
        os.kill(os.getpid(), number)
        sleep(600)
    return note.read_text().count("\n")


def main() -> None:
    """Run the command line with toys in place of the methods."""
    from closeknit.cli import main as run

    closeknit.methods.METHODS = {"ksubset": TOYS}
    run(sys.argv[1:], ending=Ending())


class Pages(Allocator):
    """Gives pairs of processors, whole: holds more than is asked for."""

    def _choose(self, k: int, shape: tuple[int, ...] | None) -> Allocation | None:
        pages = np.flatnonzero(self.idle[::2])[: -(-k // 2)]
        if 2 * len(pages) < k:
            return None
        held = np.sort(np.concatenate([2 * pages, 2 * pages + 1]))
        return Allocation(held[:k], held)
