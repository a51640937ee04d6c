"""Proofs of k-subsets: what share is checked, bytes, seconds to write and to check.

    python benchmarks/bench_ksubset_proofs.py [NAME...] [--limit SECONDS] [--each]

NAMEs are suites, or studies; bundled-ksubset, worst-cases and graphs if left out. Each
instance is solved by ``auto``; then the certificate of cuts-bb is written and checked,
or a pseudo-Boolean proof where distances are no sums of cuts. CPU seconds of one core
after a warm-up, totals of a suite; ``before`` counts what is checked without. The last
columns: how many times as long as solving an instance, median and worst.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time
from typing import NamedTuple

from closeknit import KSUBSET, KSubset, Settings
from closeknit.exact.ksubset.cuts_bb.record import record
from closeknit.exact.ksubset.distances_bb.proof import prove
from closeknit.instances import arrays
from closeknit.instances.ksubset.certificate_file import check_certificate
from closeknit.instances.library import SUITES
from closeknit.methods.warming import kind_of, warm
from closeknit.proofs.checking import Proved
from closeknit.proofs.writing.certificate_kernels import FastChecker
from closeknit.proofs.writing.proof_files import write_certificate
from closeknit.proofs.writing.proof_log import ProofLog, keep_proof
from closeknit.reports.campaigns.study.file import read_study
from closeknit.solvers import Grade, Limit, Result, Status
from closeknit.solvers.running import clock


class Run(NamedTuple):
    """What one instance came to."""

    before: bool
    after: bool
    size: int
    solving: float
    writing: float
    checking: float


def run(instance: KSubset, path: Path, seconds: float) -> Run:
    """Solve an instance, and prove what was found."""
    start = process_time()
    result: Result = KSUBSET["auto"](instance, Settings(time_limit=seconds))
    solving = process_time() - start
    before = result.proof is not None and result.proof.grade is Grade.CHECKED
    failed = Run(before, False, 0, solving, 0.0, 0.0)
    if result.status is not Status.OPTIMAL:
        return failed._replace(before=False)
    assert isinstance(result.objective, int)
    chosen, start = result.chosen, process_time()
    if arrays.has_cuts(instance):
        nodes = record(instance, result.objective, clock.now() + seconds)
        if isinstance(nodes, Limit):
            return failed
        write_certificate(instance, result.objective, nodes, path)
        written = process_time()
        check_certificate(instance, path, by=FastChecker)
    else:
        written = start

        def write(log: ProofLog) -> None:
            nonlocal written
            prove(instance, chosen, log)
            written = process_time()

        found = keep_proof(instance, path, write, seconds=seconds)
        if not isinstance(found, Proved):
            return failed
    end = process_time()
    return Run(
        before, True, path.stat().st_size, solving, written - start, end - written
    )


def _times_as_long(jobs: list[KSubset], runs: list[Run], part: str) -> str:
    """Return the median and the worst ratio to solving, and where it is worst."""
    ratios = [
        (getattr(each, part) / each.solving, job.name)
        for job, each in zip(jobs, runs, strict=True)
        if each.after
    ]
    worst, name = max(ratios)
    return f"{median(ratio for ratio, _ in ratios):.1f}, {worst:.1f} ({name})"


def main() -> None:
    """Print a row for each suite."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--limit", type=float, default=60.0, metavar="SECONDS")
    parser.add_argument("--each", action="store_true", help="print every instance")
    args = parser.parse_args()
    head = "instances", "before", "checked", "bytes", "solved", "written", "checked in"
    head += "writing / solving", "checking / solving"
    print("| suite | " + " | ".join(head) + " |")
    print("|---|" + "---:|" * len(head))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "proof.xz"
        for name in args.names or ("bundled-ksubset", "worst-cases", "graphs"):
            found = SUITES[name]() if name in SUITES else read_study(name).instances
            jobs = [job for job in found if isinstance(job, KSubset)]
            for job in {kind_of(job): job for job in reversed(jobs)}.values():
                warm(KSUBSET["auto"], kind_of(job))
                run(job, path, args.limit)
            runs = []
            for job in jobs:
                runs.append(run(job, path, args.limit))
                if args.each:
                    print(job.name, *runs[-1], flush=True)
            sizes = sum(each.size for each in runs)
            times = zip(*(each[3:] for each in runs), strict=True)
            cells = [
                len(runs),
                sum(each.before for each in runs),
                sum(each.after for each in runs),
                sizes,
                *(f"{sum(each):.2f}" for each in times),
                *(_times_as_long(jobs, runs, part) for part in ("writing", "checking")),
            ]
            print(f"| {name} | " + " | ".join(map(str, cells)) + " |", flush=True)


if __name__ == "__main__":
    main()
