"""The claim that streams are simulated as their policies are defined."""

from __future__ import annotations

from random import Random

from ...instances import Mesh
from ...methods.allocators import allocator
from ...simulation.stream import Policy, Start, simulate
from ...simulation.stream_jobs import StreamJob
from .claim import Claim, Outcome, Trial, held, refuted

STREAMS, QUICK_STREAMS = 1500, 120
_MOST = 6
"""Processors of the machine."""
_Running = list[tuple[int, int, int]]
"""End, expected end, processors."""


def _stream(random: Random) -> list[StreamJob]:
    now, jobs = 0, []
    for number in range(random.randint(3, 14)):
        now += random.randint(0, 3)
        seconds = random.randint(1, 9)
        estimate = seconds + random.choice((0, 0, random.randint(0, 6)))
        jobs.append(StreamJob(number, now, random.randint(1, _MOST), seconds, estimate))
    return jobs


def _idle(running: _Running, then: int) -> int:
    """Count the processors expected to be idle at a moment."""
    return _MOST - sum(k for _, due, k in running if due > then)


def by_definition(jobs: list[StreamJob], policy: Policy) -> dict[int, int]:
    """Go second by second: whoever delays the first of the queue by no means, starts.

    Estimates are not below the times, so that nothing outlives its own.
    """
    starts: dict[int, int] = {}
    running: _Running = []
    now = 0
    while len(starts) < len(jobs):
        running = [one for one in running if one[0] > now]
        first, moment = 0, now
        for job in jobs:
            if job.submit > now or job.number in starts:
                continue
            there = [*running, (now + job.seconds, now + job.estimate, job.processors)]
            delays = first and _idle(there, moment) < first
            if _idle(there, now) >= 0 and not delays:
                starts[job.number] = now
                running = there
            elif policy is Policy.FCFS:
                break
            elif not first:
                first = job.processors
                while _idle(running, moment) < first:
                    moment += 1
        now += 1
    return starts


def policies(trial: Trial) -> Outcome:
    """Compare the starts of random streams under both policies."""
    random = Random(f"closeknit streams {trial.seed}")
    count = QUICK_STREAMS if trial.quick else STREAMS
    for seen in range(1, count + 1):
        jobs = _stream(random)
        for policy in Policy:
            machine = allocator("row-major", Mesh((_MOST,)))
            found = {
                event.job.number: event.time
                for event in simulate(jobs, machine, policy)
                if isinstance(event, Start)
            }
            wanted = by_definition(jobs, policy)
            if found != wanted or machine.free != _MOST:
                late = min(
                    (n for n in wanted if found.get(n) != wanted[n]), default=None
                )
                stream = [(j.submit, j.processors, j.seconds, j.estimate) for j in jobs]
                return refuted(
                    f"{policy.value} starts job {late} at {found.get(late or 0)}"
                    f", by definition at {wanted.get(late or 0)}; submit, processors, "
                    f"seconds, estimate: {stream}",
                    seen,
                )
    return held(
        f"starts as by definition under {' and '.join(p.value for p in Policy)}"
        f", seed {trial.seed}",
        count,
    )


STREAM_CLAIMS = (
    Claim(
        name="policies-are-as-defined",
        statement="First come first served, and EASY backfilling by which no job "
        "delays the first of the queue, start every job when they should.",
        source="by definition, simulation.stream; Mu'alem and Feitelson 2001",
        tested=f"{STREAMS} random streams ({QUICK_STREAMS} if quick) of up to 14 jobs "
        f"on {_MOST} processors, against a simulation second by second",
        test=policies,
    ),
)
