"""Measurements of a stream: for every job, and for the machine over time."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from io import StringIO
from math import comb, fsum

import numpy as np

from ...heuristics.allocation.allocator import Allocator, Flags
from ...instances import Grid, IntArray, Topology, arrays
from .jobs import StreamJob
from .simulator import Ends, Event, JobEnd, Start, StartPolicy, simulate


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRow:
    """Measurements of one job when it starts.

    Its location is measured by the processors that it uses, without others that it
    holds. None: not defined for this network or this job.
    """

    number: int
    submit_s: int
    start_s: int
    end_s: int  # by the run time; once the job has ended, when that was
    processors: int
    held: int  # more than requested where whole pages are allocated
    pair_sum: int  # distances of all pairs, in hops or the network's unit of length
    average_distance_hops: float | None  # over all pairs; None for one processor
    nodes_affected: int | None  # smallest box around it, which on a torus may wrap
    balance_factor: int | None  # difference of its processors above and below
    pieces: int | None  # connected components
    idle: int  # idle processors just before
    largest_idle_piece: int | None  # their largest connected component

    @property
    def wait_s(self) -> int:
        """Time from its submission to its start."""
        return self.start_s - self.submit_s

    @property
    def flow_time_s(self) -> int:
        """Time from its submission to its end."""
        return self.end_s - self.submit_s


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Means over the jobs of a stream, and over time.

    Time runs from the first submission to the last event. A mean over no values is
    None; so is a value that is not defined for the network.

    Parameters
    ----------
    jobs
        Number of jobs started.
    makespan_s
        Time from the first submission to the last event.
    mean_pair_sum
        Sum of the pairwise distances of a job, averaged over jobs.
    mean_average_distance_hops
        Average pairwise distance of a job, averaged over those of several
        processors.
    mean_nodes_affected
        Processors of the smallest box around a job, averaged over jobs.
    mean_balance_factor
        Absolute difference of a job's processors above and below the middle row link,
        averaged over jobs.
    system_balance_factor
        The same for all processors held, averaged over time.
    contiguous_pct
        Jobs in one connected component.
    mean_pieces
        Connected components of a job, averaged over jobs.
    utilization_pct
        Processor-seconds in use, relative to those of the machine.
    offered_load_pct
        Processor-seconds requested by all jobs, relative to those of the machine from
        the first submission to the last; None if that time is 0.
    mean_wait_s
        Time from submission to start, averaged over jobs.
    mean_flow_time_s
        Time from submission to end, averaged over the jobs that have ended.
    internal_fragmentation_pct
        Processor-seconds held but not requested, relative to those held.
    mean_idle_fragmentation_pct
        Idle processors outside their largest connected component, relative to all idle
        ones, just before a start, averaged over starts.
    partial
        Whether the run ended before the stream.
    """

    jobs: int
    makespan_s: int
    mean_pair_sum: float | None
    mean_average_distance_hops: float | None
    mean_nodes_affected: float | None
    mean_balance_factor: float | None
    system_balance_factor: float | None
    contiguous_pct: float | None
    mean_pieces: float | None
    utilization_pct: float | None
    offered_load_pct: float | None
    mean_wait_s: float | None
    mean_flow_time_s: float | None
    internal_fragmentation_pct: float | None
    mean_idle_fragmentation_pct: float | None
    partial: bool = False


_Placed = tuple[int, int | None, int | None, int | None]
"""Pair sum, nodes affected, processors above less those below the middle, pieces."""


class _OnGrid:
    """Measures sets of processors of a mesh or torus, by kernels."""

    def __init__(self, topology: Grid) -> None:
        from .kernels import above_below, components, measure_job

        self._kernels = measure_job, above_below, components
        self._shape = np.array(topology.shape, dtype=np.int64)
        self._rings = np.array(topology.ring_lengths, dtype=np.int64)

    def job(self, used: IntArray) -> _Placed:
        pairs, box, lean, pieces = self._kernels[0](used, self._shape, self._rings)
        return pairs, box, lean, pieces

    def lean(self, held: IntArray) -> int:
        """Return the processors above the middle less those below."""
        return int(self._kernels[1](held, self._shape))

    def largest_piece(self, idle: Flags) -> int | None:
        """Return the size of the largest connected component."""
        return int(self._kernels[2](idle, self._shape, self._rings)[1])


class _DistancesOnly:
    """The same on points and trees, where only distances are defined."""

    def __init__(self, allocator: Allocator) -> None:
        self._topology: Topology = allocator.topology
        self._sites = np.array(allocator.places, dtype=np.int64)

    def job(self, used: IntArray) -> _Placed:
        sites = self._sites[used]
        hops = arrays.distances(self._topology, sites[:, None], sites[None])
        return int(hops.sum()) // 2, None, None, None

    def lean(self, held: IntArray) -> int:
        return 0

    def largest_piece(self, idle: Flags) -> int | None:
        return None


class Meter:
    """Accumulates measurements over the events of a stream.

    Notes
    -----
    Time: O(processors) per start on a mesh or torus, O(k²) on other networks.
    """

    def __init__(self, allocator: Allocator) -> None:
        self.processors = allocator.free
        self.rows: list[JobRow] = []
        network = allocator.topology
        self._scale = network.scale
        self._ruler: _OnGrid | _DistancesOnly = (
            _OnGrid(network.grid) if network.grid else _DistancesOnly(allocator)
        )
        self._begin: int | None = None
        self._clock = 0
        self._used = self._held = self._lean = 0
        self._used_time = self._held_time = self._lean_time = 0
        self._ended = self._flow = 0
        self._running: dict[int, int] = {}  # row of each running job, by its grant

    def see(self, event: Event) -> None:
        """Record a start or an end."""
        self._advance(event)
        sign = 1 if isinstance(event, Start) else -1
        self._used += sign * len(event.grant.used)
        self._held += sign * len(event.grant.held)
        self._lean += sign * self._ruler.lean(event.grant.held)
        if isinstance(event, JobEnd):
            self._ended += 1
            self._flow += event.time - event.job.submit
            at = self._running.pop(id(event.grant))
            if self.rows[at].end_s != event.time:
                self.rows[at] = replace(self.rows[at], end_s=event.time)
            return
        self._running[id(event.grant)] = len(self.rows)
        self.rows.append(self._row(event))

    def _advance(self, event: Event) -> None:
        """Advance the time to an event."""
        if self._begin is None:
            self._begin = self._clock = event.job.submit
        passed = event.time - self._clock
        self._clock = event.time
        self._used_time += passed * self._used
        self._held_time += passed * self._held
        self._lean_time += passed * abs(self._lean)

    def _row(self, start: Start) -> JobRow:
        job = start.job
        k = len(start.grant.used)
        pairs, box, above, pieces = self._ruler.job(start.grant.used)
        return JobRow(
            number=job.number,
            submit_s=job.submit,
            start_s=start.time,
            end_s=start.time + job.seconds,
            processors=job.processors,
            held=len(start.grant.held),
            pair_sum=pairs,
            average_distance_hops=pairs / (comb(k, 2) * self._scale) if k > 1 else None,
            nodes_affected=box,
            balance_factor=None if above is None else abs(above),
            pieces=pieces,
            idle=int(np.count_nonzero(start.idle)),
            largest_idle_piece=self._ruler.largest_piece(start.idle),
        )

    def summary(self, *, partial: bool = False) -> Summary:
        """Return the measurements so far."""
        rows = self.rows
        begin = self._begin or 0
        span = self._clock - begin
        here = span * self.processors
        grid = isinstance(self._ruler, _OnGrid)
        arrivals = max((row.submit_s for row in rows), default=0) - begin
        offered = sum(row.processors * (row.end_s - row.start_s) for row in rows)
        return Summary(
            jobs=len(rows),
            makespan_s=span,
            mean_pair_sum=_mean(row.pair_sum for row in rows),
            mean_average_distance_hops=_mean(row.average_distance_hops for row in rows),
            mean_nodes_affected=_mean(row.nodes_affected for row in rows),
            mean_balance_factor=_mean(row.balance_factor for row in rows),
            system_balance_factor=_ratio(self._lean_time, span) if grid else None,
            contiguous_pct=_mean(
                None if row.pieces is None else 100 * (row.pieces == 1) for row in rows
            ),
            mean_pieces=_mean(row.pieces for row in rows),
            utilization_pct=_ratio(100 * self._used_time, here),
            offered_load_pct=_ratio(100 * offered, arrivals * self.processors),
            mean_wait_s=_mean(row.wait_s for row in rows),
            mean_flow_time_s=_ratio(self._flow, self._ended),
            internal_fragmentation_pct=_ratio(
                100 * (self._held_time - self._used_time), self._held_time
            ),
            mean_idle_fragmentation_pct=_mean(
                None
                if row.largest_idle_piece is None
                else 100 * (row.idle - row.largest_idle_piece) / row.idle
                for row in rows
            ),
            partial=partial,
        )


def measure(
    jobs: Iterable[StreamJob],
    allocator: Allocator,
    policy: StartPolicy = StartPolicy.FCFS,
    ends: Ends | None = None,
) -> tuple[Summary, list[JobRow]]:
    """Run a stream to its end, and measure it; parameters as those of `simulate`."""
    meter = Meter(allocator)
    for event in simulate(jobs, allocator, policy, ends):
        meter.see(event)
    return meter.summary(), meter.rows


def in_unit(name: str, unit: str) -> str:
    """Return the name of a measure whose times are not in seconds.

    Examples
    --------
    >>> in_unit("mean_wait_s", "cycles"), in_unit("mean_pieces", "cycles")
    ('mean_wait_cycles', 'mean_pieces')
    """
    return f"{name.removesuffix('_s')}_{unit}" if name.endswith("_s") else name


def csv_of_jobs(rows: Iterable[JobRow], unit: str = "s") -> str:
    """Return one CSV line per job, in the order of their starts."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = [field.name for field in fields(JobRow)] + ["wait_s", "flow_time_s"]
    writer.writerow([in_unit(name, unit) for name in names])
    for row in rows:
        writer.writerow([getattr(row, name) for name in names])
    return text.getvalue()


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fsum(known) / len(known) if known else None


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None
