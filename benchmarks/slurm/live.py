"""One stream of jobs through a real Slurm: alone, with closeknit, and with faults.

    python benchmarks/slurm/live.py --jobs 2000

Each run starts a Slurm of 1000 emulated nodes in a scratch folder, submits the stream,
waits for its end, and reads from slurmctld's log what was decided on which state. Exit
status 1 if a job is lost or misplaced.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bed import Bed
from faults import Faults
from record import Grade, Grader, Job, read_log

from closeknit.clusters.placement import NodeSelector
from closeknit.clusters.topologies import read_cluster
from closeknit.scheduler.hostlist import unfold

RUNS = ("plain", "closeknit", "faults")
_LARGEST = 64


@dataclass(frozen=True)
class Submission:
    """A job of the stream: when, how many nodes, how many seconds."""

    at: float
    k: int
    seconds: int


def stream(
    jobs: int, rate: float, load: float, nodes: int, seed: int
) -> list[Submission]:
    """Draw jobs: sizes from 1 to 64, small ones more often; times for a load."""
    drawn = random.Random(seed)
    sizes = [int(2 ** drawn.uniform(0, 6.02)) for _ in range(jobs)]
    mean = load * nodes / (rate * statistics.mean(sizes))
    at, found = 0.0, []
    for k in sizes:
        at += drawn.expovariate(rate)
        seconds = max(1, round(drawn.uniform(0.3, 1.7) * mean))
        found.append(Submission(at, min(k, _LARGEST), seconds))
    return found


def submitted(bed: Bed, jobs: Sequence[Submission]) -> dict[int, Submission]:
    """Submit the jobs at their times; return them by the number that Slurm gave."""
    found: dict[int, Submission] = {}
    begin = time.monotonic()
    for job in jobs:
        time.sleep(max(job.at - (time.monotonic() - begin), 0))
        said = bed.run(
            *("sbatch", "--parsable", f"-N{job.k}", "-t10", "-o/dev/null"),
            *("-D/", f"--wrap=sleep {job.seconds}"),
        )
        found[int(said)] = job
    return found


def wait_for_all(bed: Bed, seconds: float) -> None:
    """Wait until no job waits or runs."""
    end = time.monotonic() + seconds
    while bed.run("squeue", "-h", "-o", "%i").strip():
        if time.monotonic() > end:
            raise TimeoutError("jobs are left: " + bed.run("squeue"))
        time.sleep(1)


def prefer(process: subprocess.Popen[bytes]) -> None:
    """Let a process of its own session go before what others compute here."""
    with contextlib.suppress(OSError):
        Path(f"/proc/{process.pid}/autogroup").write_text("-15")


@contextlib.contextmanager
def helped(bed: Bed, moments: list[float], seed: int) -> Iterator[Faults]:
    """Run the service and its follower, and disturb them at some moments."""
    command = [sys.executable, "-m", "closeknit"]
    address = f"unix:{bed.service}"
    errors = (bed.folder / "helpers.txt").open("ab")

    def begin(*words: str) -> subprocess.Popen[bytes]:
        started = subprocess.Popen(
            [*command, *words],
            env=bed.environment,
            stdin=subprocess.DEVNULL,
            stdout=errors,
            stderr=errors,
            start_new_session=True,
        )
        prefer(started)
        return started

    def service() -> subprocess.Popen[bytes]:
        topology = str(bed.folder / "topology.conf")
        return begin("serve", "--topology", topology, "--socket", str(bed.service))

    with errors:
        follower = begin("slurm", "follow", "--service", address, "--every=0.2")
        try:
            path, names = bed.service, bed.names()
            faults = Faults(service, path, follower, names, moments, seed)
            for _ in range(300):
                if bed.service.exists():
                    break
                time.sleep(0.2)
            time.sleep(2)
            with faults:
                yield faults
        finally:
            follower.terminate()
            follower.wait()


def one_run(kind: str, args: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Do one run; return its figures."""
    bed = Bed(folder, leaves=args.leaves, plugin=kind in ("closeknit", "faults"))
    jobs = stream(args.jobs, args.rate, args.load, bed.count, args.seed)
    moments: list[float] = []
    if kind == "faults":
        drawn = random.Random(args.seed + 1)
        moments = [drawn.uniform(0, jobs[-1].at) for _ in range(args.faults)]
    with bed:
        for process in bed.processes[:2]:  # munged, slurmctld
            prefer(process)
        context = helped(bed, moments, args.seed) if kind != "plain" else None
        with context or contextlib.nullcontext() as faults:
            given = submitted(bed, jobs)
            wait_for_all(bed, 600)
            disturbed = dict(faults.done) if faults is not None else {}
            rubbish = faults.answered if faults is not None else 0
        marked = bed.run("squeue", "-h", "-t", "all", "-o", "%i|%9k").splitlines()
        records = (folder / "jobcomp.txt").read_text().splitlines()
        with (folder / "slurmctld.log").open(errors="replace") as log:
            seen = read_log(log, bed.names())
    cluster = read_cluster(folder / "topology.conf")
    found = {
        "run": kind,
        "nodes": bed.count,
        "jobs": len(given),
        "machine_load": round(os.getloadavg()[2], 1),
        "faults": disturbed,
        "rubbish_answers": rubbish,
        **checked(given, seen, records),
        **figures(
            given,
            seen,
            Grader(NodeSelector(cluster)),
            {int(line.split("|")[0]) for line in marked if line.endswith("|closeknit")},
        ),
    }
    return {key: value for key, value in found.items() if value not in ({}, None)}


def checked(
    given: dict[int, Submission], seen: dict[int, Job], records: Sequence[str]
) -> dict[str, Any]:
    """Compare what was submitted with the log and the records of ended jobs."""
    ended = {}
    for line in records:
        words = dict(word.partition("=")[::2] for word in line.split())
        ended[int(words["JobId"])] = words
    lost, misplaced = [], []
    for number, job in given.items():
        record, told = ended.get(number), seen.get(number)
        if record is None or told is None or record["JobState"] != "COMPLETED":
            lost.append(number)
        elif int(record["NodeCnt"]) != job.k or len(told.nodes) != job.k or told.faults:
            misplaced.append(number)
    return {"lost": lost, "misplaced": misplaced}


def figures(
    given: dict[int, Submission],
    seen: dict[int, Job],
    grader: Grader,
    marked: set[int],
) -> dict[str, Any]:
    """Grade every decision on the state at that moment; those marked were ours."""
    grades, ours, then = [], [], []
    for number in given:
        job = seen[number]
        if job.begun is None or len(job.nodes) < 2:
            continue
        grade = grader.grade(job.nodes, job.free)
        grades.append(grade)
        if number in marked:
            ours.append(grade)
        if job.pinned and job.free_then.issuperset(chosen := unfold(job.pinned)):
            then.append(grader.grade(chosen, job.free_then))
    busy = sum(bool(seen[n].pinned) for n in given) - len(then)
    waits = [seen[n].begun - seen[n].submitted for n in given if seen[n].begun]
    asked = sorted(seen[n].plugin_ms for n in given if seen[n].plugin_ms is not None)
    usec = sorted(seen[n].usec for n in given)
    ratios = [grade.hops / grade.least_hops for grade in grades]
    ends = [seen[n].ended for n in given if seen[n].ended]
    return {
        "decisions": len(grades),
        "pinned": len(ours),
        "hops": sum(grade.hops for grade in grades),
        "switches": sum(grade.switches for grade in grades),
        "hops_ratio_mean": round(statistics.mean(ratios), 4),
        "hops_ratio_worst": round(max(ratios), 3),
        "hops_optimal_percent": _percent(g.hops == g.least_hops for g in grades),
        "more_switches_percent": _percent(
            g.switches > g.least_switches for g in grades
        ),
        "optimal_percent": _percent(_is_best(g) for g in grades),
        "pinned_optimal_percent": _percent(map(_is_best, ours)),
        "chosen": len(then),
        "chosen_optimal_then_percent": _percent(map(_is_best, then)),
        "chosen_busy_then": busy,
        "wait_mean_s": round(statistics.mean(waits), 2),
        "wait_p99_s": _quantile(waits, 0.99),
        "makespan_s": round(max(ends) - min(seen[n].submitted for n in given), 1),
        "plugin_asked": len(asked),
        "plugin_ms_p50": _quantile(asked, 0.5),
        "plugin_ms_p99": _quantile(asked, 0.99),
        "plugin_ms_max": asked[-1] if asked else None,
        "submission_ms_p50": _quantile(usec, 0.5, 1000),
        "submission_ms_p99": _quantile(usec, 0.99, 1000),
    }


def _is_best(grade: Grade) -> bool:
    return (grade.switches, grade.hops) == (grade.least_switches, grade.hops_then)


def _percent(values: Any) -> float | None:
    listed = list(values)
    return round(100 * sum(listed) / len(listed), 1) if listed else None


def _quantile(values: Sequence[float], q: float, unit: float = 1) -> float | None:
    if not values:
        return None
    return round(sorted(values)[int(q * (len(values) - 1))] / unit, 3)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=2000)
    parser.add_argument("--rate", type=float, default=5.0, help="jobs a second")
    parser.add_argument("--load", type=float, default=0.7, help="of the nodes")
    parser.add_argument("--leaves", type=int, default=50, help="switches of 20 nodes")
    parser.add_argument("--faults", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", default=",".join(RUNS[:3]), help=", ".join(RUNS))
    parser.add_argument("--out", type=Path, help="folder for logs and figures")
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if os.geteuid() != 0:
        sys.exit("live.py: slurmd needs root")
    if wrong := set(args.runs.split(",")) - set(RUNS):
        sys.exit(f"live.py: no such run: {', '.join(sorted(wrong))}")
    with contextlib.ExitStack() as stack:
        out = args.out or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        found = []
        for kind in args.runs.split(","):
            found.append(one_run(kind, args, out.resolve() / kind))
            print(json.dumps(found[-1], indent=1), flush=True)
            (out / "figures.json").write_text(json.dumps(found, indent=1) + "\n")
    return int(any(run["lost"] or run["misplaced"] for run in found))


if __name__ == "__main__":
    sys.exit(main())
