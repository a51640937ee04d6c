"""Write and check proofs by learning, and decide states that are left open.

    python benchmarks/bench_packing_proofs.py [--undecided N] [--limit S]

Prints, in seconds of processor time, how long the bundled states take to solve, to
prove and to check, the same for the packings of Clautiaux et al. in ../shared that do
not fit, and what the beam search packs, in S seconds each, of N states evenly chosen
among those with 21 to 30 residents that the counted cascade of `reproduce
morgenstern-undecided` leaves open without its beam search.
"""

from __future__ import annotations

import argparse
import io
import os
import time
from collections.abc import Callable
from pathlib import Path

from packings import read_packings

from closeknit.exact.submesh.beam.search import pack_by_beam
from closeknit.exact.submesh.feasibility import Feasibility
from closeknit.exact.submesh.migrate import migrate
from closeknit.exact.submesh.proving import prove_by_learning
from closeknit.instances import Submesh
from closeknit.instances.library import suite
from closeknit.instances.submesh.packed import volume
from closeknit.instances.submesh.packing import Packing
from closeknit.papers.morgenstern1994.decisions import simulate
from closeknit.proofs.checking import Formula, check_proof, formula_of
from closeknit.proofs.checking.formulas import place_boxes
from closeknit.proofs.writing.learning import Learner
from closeknit.proofs.writing.proof_log import OutOfRoom, ProofLog
from closeknit.proofs.writing.propagation_kernels import FastPropagator
from closeknit.simulation.submesh.budget import Budget
from closeknit.simulation.submesh.stream import Uniform, queue
from closeknit.solvers import DEFAULT, Settings

SHARED = os.environ.get("CLOSEKNIT_DATA", Path(__file__).parents[2] / "shared")
CLAUTIAUX = Path(SHARED) / "data" / "packing" / "CJCM.jsonl"
SHAPE = (256, 256)
QUEUES = ((102, 150), (90, 150))
"""Longest side and number of requests: those in which states stay open."""


def timed(formula: Formula, write: Callable[[ProofLog], object], limit: float) -> str:
    """Write and check a proof; return seconds, steps and size."""
    text = io.StringIO()
    start = time.process_time()
    try:
        write(ProofLog(formula, text, deadline=time.perf_counter() + limit))
    except OutOfRoom as ended:
        return f"stopped by {ended.limit.value}"
    wrote = time.process_time() - start
    lines = text.getvalue().splitlines(keepends=True)
    start = time.process_time()
    check_proof(formula, lines, None, FastPropagator)
    checked = time.process_time() - start
    steps = sum(line.startswith(("rup", "pol")) for line in lines)
    size = len(text.getvalue()) / 1000
    return f"{wrote:.2f} | {checked:.2f} | {steps} | {size:.0f}"


def bundled_states(limit: float) -> None:
    print("| state | search | write | check | steps | kB |")
    for _ in range(2):  # the first time kernels are loaded
        rows = []
        for one in suite("bundled-submesh"):
            assert isinstance(one, Submesh)
            start = time.process_time()
            chosen = migrate(one).chosen
            searched = time.process_time() - start

            def write(
                log: ProofLog, one: Submesh = one, chosen: object = chosen
            ) -> object:
                return prove_by_learning(one, chosen, log)  # type: ignore[arg-type]

            rows.append((one, searched, timed(formula_of(one), write, limit)))
    for one, searched, rest in rows:
        print(f"| `{one.name}` | {searched:.2f} | {rest} |")


def prove_infeasible(log: ProofLog) -> bool:
    """Prove that the formula of a log has no solution; return False if it has one."""
    learner = Learner(len(log.formula.names), log.formula.rows)
    refuted = learner.refute(log.check_time)
    if refuted:
        log.infeasible(learner.write(log))
    return refuted


def packings_that_do_not_fit(limit: float) -> None:
    print("\n| packing | boxes | write | check | steps | kB |")
    for one in read_packings(CLAUTIAUX):
        if "N" in one.name or "X15" in one.name:
            place_boxes(one, formula := Formula())
            rest = timed(formula, prove_infeasible, limit)
            print(f"| {one.name} | {len(one.items)} | {rest} |", flush=True)


def open_states() -> list[Packing]:
    """Return what stays open in `reproduce morgenstern-undecided` without beams."""
    found = []
    budget = Budget(beams=())

    def decide(packing: Packing, settings: Settings = DEFAULT) -> Feasibility:
        verdict = budget(packing, settings)
        if verdict.fits is None and 21 <= len(packing.items) - 1 <= 30:
            found.append(packing)
        return verdict

    for longest, count in QUEUES:
        requests = queue(SHAPE, count, Uniform(1, longest), seed=0)
        simulate(requests, SHAPE, decide)  # type: ignore[arg-type]
    return found


def spent(limit: float) -> Callable[[], bool]:
    """Return whether so many seconds of processor time have passed since."""
    start = time.process_time()
    return lambda: time.process_time() - start > limit


def undecided(count: int, limit: float) -> None:
    states = open_states()
    step = max(1, len(states) // count)
    print(f"\n{len(states)} states are open; every {step}th:")
    for one in states[::step][:count]:
        free = 1 - volume(one) / (SHAPE[0] * SHAPE[1])
        start = time.process_time()
        boxes = pack_by_beam(one, stop=spent(limit))
        beam = time.process_time() - start
        said = "yes" if boxes else "open"
        print(
            f"{len(one.items):3} boxes, {free:.2%} free, {beam:.1f} s: {said}",
            flush=True,
        )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--undecided", type=int, default=12)
    options.add_argument("--limit", type=float, default=10.0)
    given = options.parse_args()
    bundled_states(given.limit)
    packings_that_do_not_fit(given.limit)
    if given.undecided:
        undecided(given.undecided, given.limit)


if __name__ == "__main__":
    main()
