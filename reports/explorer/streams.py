"""A stream of jobs on a board, to be played on the page."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from decimal import Decimal
from time import monotonic
from typing import Any

from ...instances import InputError, Topology
from ...instances.reading import fields
from ...instances.reading.suggestions import entry_named
from ...methods.allocators.table import allocator
from ...simulation.stream.jobs import Skipped, StreamJob, generated, jobs_of_trace
from ...simulation.stream.measures import Meter
from ...simulation.stream.simulator import Policy, Start, simulate
from ..streams.film import Film
from .board import busy_of, topology_of
from .choices import methods
from .loading import trace_file

MOST_JOBS = 2000
MOST_SECONDS = 10.0
_DRAWN = ("requests", "sizes", "interarrival", "service", "seed")
_TRACE = ("name", "text", "first", "divide")
_MEASURES = {
    "jobs": "jobs started",
    "mean_average_distance_hops": "mean distance of a job's processors, hops",
    "mean_pair_sum": "mean pair sum of a job",
    "contiguous_pct": "jobs in one piece, %",
    "mean_pieces": "pieces of a job, mean",
    "utilization_pct": "processors in use, %",
    "mean_wait_s": "mean wait, s",
}


def played(body: dict[str, Any]) -> dict[str, Any]:
    """Run a stream under an allocator.

    Parameters
    ----------
    body
        ``topology``, ``busy`` (held all the time), ``method``, ``policy`` (fcfs or
        easy), and ``drawn`` (requests, sizes, interarrival, service, seed) or ``trace``
        (name, text, first, divide).

    Returns
    -------
    dict
        ``film`` as of `Film.data`; ``measures``, pairs of words and numbers; ``notes``.

    Raises
    ------
    InputError
        If a field is malformed, or a job is larger than what is not busy.
    """
    known = ("topology", "busy", "method", "policy", "drawn", "trace")
    fields.only(body, known, known[:3], "")
    topology = topology_of(body["topology"])
    busy = busy_of(body["busy"], topology, "busy")
    name = fields.string(body["method"], "method")
    offered = dict.fromkeys(one["name"] for one in methods())
    entry_named(name, offered, "method", "allocator")
    policy = fields.string(body.get("policy", "fcfs"), "policy")
    if policy not in ("fcfs", "easy"):
        raise InputError("must be fcfs or easy", "policy", policy)
    machine = allocator(name, topology)
    if busy:
        machine.hold(sorted(busy))
    jobs, notes = _jobs(body, topology, machine.free)
    film, meter = Film(topology, name), Meter(machine)
    begin, starts = monotonic(), 0
    for event in simulate(jobs, machine, Policy(policy)):
        meter.see(event)
        film.see(event)
        starts += isinstance(event, Start)
        if monotonic() - begin > MOST_SECONDS and isinstance(event, Start):
            notes.append(f"ended after {starts} starts: {MOST_SECONDS:g} s are over")
            break
    summary = asdict(meter.summary(partial=starts < len(jobs)))
    measures = [
        [words, round(summary[name], 3)]
        for name, words in _MEASURES.items()
        if summary.get(name) is not None
    ]
    return {"film": json.loads(film.data()), "measures": measures, "notes": notes}


def _jobs(
    body: dict[str, Any], topology: Topology, most: int
) -> tuple[Sequence[StreamJob], list[str]]:
    """Draw the jobs, or read those of a trace; return what was left out, too."""
    if "trace" in body and "drawn" in body:
        raise InputError("cannot be given with drawn", "trace")
    if "trace" in body:
        return _of_trace(fields.objects(body["trace"], "trace"), most)
    drawn = fields.objects(body.get("drawn", {}), "drawn")
    fields.only(drawn, _DRAWN, (), "drawn")
    sides = topology.grid.shape if topology.grid else None
    gap = fields.number(drawn.get("interarrival", 60), "interarrival")
    jobs = generated(
        _between(drawn.get("requests", 200), "requests", 1, MOST_JOBS),
        seed=_between(drawn.get("seed", 0), "seed", 0, 2**31 - 1),
        most=most,
        sides=sides,
        sizes=fields.string(
            drawn.get("sizes", f"exponential:{min(16, most)}"), "sizes"
        ),
        interarrival=float(gap) if isinstance(gap, Decimal) else gap,
        service=fields.string(drawn.get("service", "exponential:600"), "service"),
    )
    return jobs, []


def _of_trace(trace: dict[str, Any], most: int) -> tuple[list[StreamJob], list[str]]:
    fields.only(trace, _TRACE, _TRACE[:2], "trace")
    text = trace["text"]
    if not isinstance(text, str):
        raise InputError("must be a string", "trace.text", text)
    first = _between(trace.get("first", 500), "first", 1, MOST_JOBS)
    divide = _between(trace.get("divide", 1), "divide", 1, 2**20)
    with trace_file(fields.string(trace["name"], "trace.name"), text) as path:
        jobs, skipped = jobs_of_trace(path, most=most, divide=divide, window=(0, first))
    if not jobs:
        raise InputError("no job of these fits the machine", "trace")
    return jobs, _skipped(skipped)


def _skipped(skipped: Counter[Skipped]) -> list[str]:
    return [f"{count} skipped: {why.value}" for why, count in skipped.items()]


def _between(value: Any, field: str, least: int, most: int) -> int:
    number = fields.integer(value, field)
    if not least <= number <= most:
        raise InputError(f"must be from {least} to {most}", field, number)
    return number
