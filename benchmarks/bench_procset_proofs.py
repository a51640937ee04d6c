"""Proofs of processor sets: which are checked, bytes, seconds to write and check.

    python benchmarks/bench_procset_proofs.py [TEXT...] [--limit SECONDS] [--each RUNS]

Only rows whose name contains a TEXT are measured. Each instance is solved by the search
named in its row; then its proof is written, packing included, and checked. CPU seconds
of one core after a warm-up, the median of each row and the largest proof. With --each,
every instance has a row of its own, the median of so many runs.
"""

from __future__ import annotations

import argparse
import lzma
import os
import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time
from typing import NamedTuple

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[variable] = "1"

from closeknit.exact.procset.proving.levels import prove  # noqa: E402
from closeknit.instances import ProcSet  # noqa: E402
from closeknit.instances.library import SUITES  # noqa: E402
from closeknit.instances.procset.generators import (  # noqa: E402
    drakenberg_system,
    random_domains,
    random_sets,
    system,
    torus_planes,
)
from closeknit.methods import PROCSET  # noqa: E402
from closeknit.proofs.checking import Proved, formula_of  # noqa: E402
from closeknit.proofs.writing.proof_log import (  # noqa: E402
    OutOfRoom,
    ProofLog,
    check_own_proof,
    packing,
)
from closeknit.solvers import Settings, Status  # noqa: E402
from closeknit.solvers.running import clock  # noqa: E402

HALF = Fraction(1, 2)


class Run(NamedTuple):
    """What one instance came to."""

    size: int
    solving: float
    writing: float
    checking: float


def bundled() -> list[ProcSet]:
    """Return the bundled instances."""
    return [one for one in SUITES["bundled"]() if isinstance(one, ProcSet)]


def drawn(granularity: str, partly: Fraction, odd: bool = False) -> list[ProcSet]:
    """Draw requests to the machine of 256 nodes.

    They are for whole nodes unless some are partly busy, or ``odd``.
    """
    pick, found = random.Random(1), []
    for seed in range(20):
        free = pick.randint(1, 256)
        each = 8 if granularity == "core" else 1
        request = each * pick.randint(1, free)
        if odd:
            request -= pick.randint(1, 7)
        if partly:
            request = pick.randint(1, free * each // 2)
        found.append(
            drakenberg_system(
                request,
                granularity=granularity,
                free=free,
                partly=partly,
                seed=seed,
            )
        )
    return found


def large(costs: str) -> list[ProcSet]:
    """Draw a request for 512 of 16 384 nodes, some thousands free."""
    made, pick = system("node", costs, racks=655, centre=9), random.Random(1)
    free = pick.sample(range(16384), pick.randint(2000, 16384))
    return [made.ask(512, free)]


def seeds(make: Callable[..., ProcSet]) -> list[ProcSet]:
    """Make an instance for each of three seeds."""
    return [make(seed=seed) for seed in range(3)]


def planes(side: int, request: int, free: Fraction, **how: object) -> list[ProcSet]:
    """Make planes of a torus."""
    return seeds(partial(torus_planes, (side,) * 3, request, free=free, **how))


ROWS: dict[str, tuple[str, Callable[[], list[ProcSet]]]] = {
    "bundled": ("auto", bundled),
    "256 nodes, whole": ("auto", lambda: drawn("node", Fraction(0))),
    "2048 cores, whole nodes": ("auto", lambda: drawn("core", Fraction(0))),
    "2048 cores, partly busy": ("auto", lambda: drawn("core", Fraction(3, 10))),
    "2048 cores, parts of nodes": (
        "auto",
        lambda: drawn("core", Fraction(0), odd=True),
    ),
    "512 of 16384 nodes, uniform": ("auto", lambda: large("uniform")),
    "512 of 16384 nodes, realistic": ("auto", lambda: large("realistic")),
    "planes 10^3, r = 32, full": (
        "set-opening-bb",
        lambda: planes(10, 32, Fraction(1)),
    ),
    "planes 10^3, r = 32, half free": ("set-opening-bb", lambda: planes(10, 32, HALF)),
    "planes 12^3, r = 32, full": (
        "set-opening-bb",
        lambda: planes(12, 32, Fraction(1)),
    ),
    "planes 12^3, r = 32, half free": ("set-opening-bb", lambda: planes(12, 32, HALF)),
    "planes 12^3, r = 32, drawn costs": (
        "set-opening-bb",
        lambda: planes(12, 32, HALF, costs="drawn"),
    ),
    "planes 12^3, r = 32, levels": (
        "set-opening-bb",
        lambda: planes(12, 32, HALF, costs="levels"),
    ),
    "planes 6^3, r = 32, private": (
        "set-opening-bb",
        lambda: planes(6, 32, HALF, private=9),
    ),
    "256 in domains of 32, r = 32": (
        "set-opening-bb",
        lambda: seeds(partial(random_domains, 256, 3, 32, 32)),
    ),
    "256 in 25 random sets, r = 32": (
        "set-opening-bb",
        lambda: seeds(partial(random_sets, 256, 25, Fraction(1, 10), 32)),
    ),
}


def run(instance: ProcSet, method: str, path: Path, seconds: float) -> Run | None:
    """Solve an instance, and prove what was found; None if a limit was reached."""
    start = process_time()
    result = PROCSET[method](instance, Settings(time_limit=seconds))
    solved = process_time()
    if result.status is not Status.OPTIMAL:
        return None
    formula, deadline = formula_of(instance), clock.now() + seconds
    how = packing(formula)
    try:
        with lzma.open(path, "wt", encoding="ascii", filters=how) as stream:
            log = ProofLog(formula, stream, deadline=deadline)
            prove(instance, result.chosen, log)
    except OutOfRoom:
        return None
    written = process_time()
    if not isinstance(check_own_proof(instance, path, 10 * seconds), Proved):
        return None
    end = process_time()
    return Run(path.stat().st_size, solved - start, written - solved, end - written)


def cells(runs: Sequence[Run | None]) -> list[str]:
    """Return how many are proved, the largest proof, and the median seconds."""
    done = [one for one in runs if one]
    found = [f"{len(done)} of {len(runs)}"]
    if done:
        found.append(f"{max(one.size for one in done)}")
        times = [median(each) for each in zip(*(one[1:] for one in done), strict=True)]
        solving, *others = times
        found += [f"{each:.3g}" for each in times]
        found += [f"{each / solving:.1f}" for each in others]
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("texts", nargs="*", metavar="TEXT")
    parser.add_argument("--limit", type=float, default=60.0, metavar="SECONDS")
    parser.add_argument("--each", type=int, default=0, metavar="RUNS")
    args = parser.parse_args()
    print(
        "| | method | checked | bytes | solved in | written in | checked in "
        "| writing / solving | checking / solving |"
    )
    print("|---|---|" + "---:|" * 7)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "proof.xz"
        for one in bundled():
            for method in ("frontier-dp", "set-opening-bb"):
                run(one, method, path, args.limit)
        for name, (method, make) in ROWS.items():
            if args.texts and not any(text in name for text in args.texts):
                continue
            instances = make()
            groups = [(name, instances)]
            if args.each:
                groups = [(one.name, [one] * args.each) for one in instances]
            for label, several in groups:
                runs = [run(one, method, path, args.limit) for one in several]
                row = " | ".join([label, method, *cells(runs)])
                print(f"| {row} |", flush=True)


if __name__ == "__main__":
    main()
