"""Set-union knapsacks proven by sukp-bb, compared with a general solver.

    python benchmarks/bench_sukp.py [--time-limit S] [--baseline M] [--only TEXT]
        [--sizes N ...] [--seeds N ...] [--threads N] [--all] [--proofs]

The six smallest instances of the benchmark of He et al. (where ../shared, or the folder
CLOSEKNIT_DATA, has data/sukp), and seeded random ones of the same kind, of 110 and 120
items and elements, or of other ``--sizes`` and ``--seeds``.
CPU seconds of sukp-bb are of all its ``--threads``, after one run to compile; *s* is by
the clock, as are the time limit and the baseline's time, whose solver runs in a process
of its own. What was not proved shows as bound..cost. ``--all`` adds the other 24
instances: bounds only. ``--proofs`` writes and checks the proof of each optimum instead
of a baseline.
"""

from __future__ import annotations

import argparse
import lzma
import os
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

from closeknit.exact.sukp.sukp_bb.record import write_proof
from closeknit.exact.sukp.sukp_bb.search import (
    MOVES,
    ExclusionSearch,
    first_choice,
    pursue,
)
from closeknit.instances import Sukp, read_instance
from closeknit.instances.sukp.generators import random_sukp
from closeknit.methods import SUKP
from closeknit.proofs.checking import CheckLimits, check_proof_file, formula_of
from closeknit.proofs.writing.proof_log import ProofLog, packing
from closeknit.proofs.writing.twins import FAST
from closeknit.solvers import Settings, SolverError, Status

SHARED = os.environ.get("CLOSEKNIT_DATA") or Path(__file__).parents[2] / "shared"
DATA = Path(SHARED) / "data" / "sukp" / "setI"
KINDS = ((Fraction(1, 10), Fraction(3, 4)), (Fraction(3, 20), Fraction(17, 20)))
SMALL, RANDOM = 100, (110, 120)


def instances(
    sizes: Sequence[int], seeds: Sequence[int], everything: bool
) -> Iterator[Sukp]:
    """Yield the instances of the table, smaller ones first."""
    read = [read_instance(path) for path in DATA.glob("*.txt.xz")]
    known = [one for one in read if isinstance(one, Sukp)]
    known.sort(key=lambda one: (one.n + len(one.weights), one.name))
    yield from (one for one in known if one.n <= SMALL)
    for size in sizes:
        for density, ratio in KINDS:
            for seed in seeds:
                yield random_sukp(size, size, density, ratio, seed)
    if everything:
        yield from (one for one in known if one.n > SMALL)


def ours(instance: Sukp, limit: float, threads: int) -> str:
    """Run the search as sukp-bb does; return cells: outcome, CPU seconds, s, nodes."""
    began, start = process_time(), perf_counter()
    settings = Settings(time_limit=limit, threads=threads)
    first, ended = first_choice(instance, settings, MOVES)
    search = ExclusionSearch(instance, first, threads=threads)
    pursue(search, ended, settings=settings, start=start)
    outcome = _outcome(search.bound, search.best)
    seconds = f"{process_time() - began:.1f} | {perf_counter() - start:.1f}"
    return f"{outcome} | {seconds} | {search.nodes}"


def solver(instance: Sukp, method: str, limit: float) -> str:
    """Run the baseline; return cells: outcome, seconds by the clock."""
    try:
        result = SUKP[method](instance, Settings(time_limit=limit))
    except SolverError as error:
        return f"error: {error} | "
    assert result.status in (Status.OPTIMAL, Status.FEASIBLE, Status.UNKNOWN)
    return f"{_outcome(result.bound, result.objective)} | {result.seconds:.1f}"


def proof(instance: Sukp, limit: float) -> str:
    """Prove, write the proof, check it; return cells with CPU seconds and megabytes.

    Packing is part of writing, as where a user asks for it.
    """
    began = process_time()
    result = SUKP["sukp-bb"](instance, Settings(time_limit=limit))
    searched = process_time()
    if result.chosen is None or result.status is not Status.OPTIMAL:
        return f"{_outcome(result.bound, result.objective)} | | | | | | "
    with TemporaryDirectory() as folder:
        path = Path(folder) / "proof.xz"
        formula = formula_of(instance)
        how = packing(formula)
        with lzma.open(path, "wt", encoding="ascii", filters=how) as stream:
            write_proof(instance, result.chosen, ProofLog(formula, stream))
        wrote = process_time()
        most = CheckLimits(seconds=100 * limit)
        proved = check_proof_file(instance, path, most, FAST)
        checked = process_time()
        with lzma.open(path) as packed:
            text = sum(map(len, packed)) / 1e6
    assert proved.bound == result.objective
    return (
        f"{proved.bound} | {searched - began:.1f} | {wrote - searched:.1f} | "
        f"{proved.steps} | {text:.1f} | {proved.size / 1e6:.1f} | {checked - wrote:.1f}"
    )


def _outcome(bound: object, cost: object) -> str:
    return f"{cost}" if bound == cost else f"{bound}..{cost}"


def main() -> None:
    """Print the table as Markdown: one row per instance, as soon as it is done."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--time-limit", type=float, default=120.0)
    parser.add_argument("--baseline", default="union/highs", help="a method, or none")
    parser.add_argument("--only", default="", help="instances whose name has this")
    parser.add_argument(
        "--sizes", type=int, nargs="+", default=RANDOM, help="of the random ones"
    )
    parser.add_argument("--seeds", type=int, nargs="+", default=(1,), help="of them")
    parser.add_argument("--threads", type=int, default=1, help="of sukp-bb")
    parser.add_argument("--all", action="store_true", help="the large ones too")
    parser.add_argument("--proofs", action="store_true", help="write and check proofs")
    args = parser.parse_args()
    if args.baseline not in (*SUKP, "none"):
        parser.error(f"no such method: {args.baseline} (known: {', '.join(SUKP)})")
    warm = random_sukp(40, 40, *KINDS[0], seed=1)
    columns = ["instance", "sukp-bb", "CPU s", "s", "nodes"]
    if args.proofs:
        proof(warm, 10.0)
        columns[2:] = ["search s", "write s", "steps", "MB", "packed", "check s"]
    elif args.baseline != "none":
        columns += [args.baseline, "s"]
    ours(warm, 2.0, 1)
    print("|", " | ".join(columns), "|")
    print("|" + "---|" * len(columns))
    for instance in instances(args.sizes, args.seeds, args.all):
        if args.only not in instance.name:
            continue
        if args.proofs:
            print(
                f"| {instance.name} | {proof(instance, args.time_limit)} |", flush=True
            )
            continue
        row = f"| {instance.name} | {ours(instance, args.time_limit, args.threads)} |"
        if args.baseline != "none":
            row += f" {solver(instance, args.baseline, args.time_limit)} |"
        print(row, flush=True)


if __name__ == "__main__":
    main()
