"""The decisions of a scheduler for Batsim, in its protocol of JSON messages (to 4.x).

Batsim tells what has happened, the answer states which jobs start where. Jobs start in
the order in which they come, with EASY backfilling if wanted, on nodes that
`NodeSelector` chooses.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from ..instances import InputError
from ..instances.reading import fields
from ..simulation.stream.batsim import intervals
from ..solvers import DEFAULT, Settings
from .placement import MOST_K, NodeSelector, Objective, Request
from .topologies.fabric import MOST_NODES

Now = int | Decimal

_FOREVER = Decimal("Infinity")
_IGNORED = frozenset(
    {"REQUESTED_CALL", "RESOURCE_STATE_CHANGED", "JOB_KILLED", "ANSWER"}
)
"""Events after which the decisions are the same. Killed jobs are completed, too."""
_MOST_WAITING = 10**6
_LATEST = 10**15
"""Seconds; far beyond all simulations."""


@dataclass(frozen=True)
class _Job:
    """A job that waits, or that runs on some nodes until an estimated time."""

    name: str
    k: int
    walltime: Now
    nodes: tuple[tuple[int, int], ...] = ()
    end: Now = 0


class BatsimScheduler:
    """Answers the messages of one simulation.

    Parameters
    ----------
    selector
        Chooses nodes. Its cluster is the platform of Batsim: hosts have the names of
        nodes, or are as many, in the order of the topology.
    objective
        What is minimised; by default that of the selector.
    easy
        Whether jobs may overtake the first one if that does not delay it, by walltimes.
    settings
        Limits of one choice.
    """

    def __init__(
        self,
        selector: NodeSelector,
        *,
        objective: Objective | None = None,
        easy: bool = False,
        settings: Settings = DEFAULT,
    ) -> None:
        self._selector, self._easy, self._settings = selector, easy, settings
        self._objective = objective or selector.objective
        self._free = selector.free()
        self._down: set[tuple[int, int]] = set()
        self._number: dict[tuple[int, int], int] = {}
        self._node: dict[int, tuple[int, int]] = {}
        self._waiting: deque[_Job] = deque()
        self._running: dict[str, _Job] = {}
        self._names: set[str] = set()
        self._possible: dict[int, bool] = {}
        self._now: Now = 0
        self.started = 0
        self.over = False
        """Whether the simulation has ended."""

    def answer(self, message: Any) -> dict[str, Any]:
        """Return the answer to a message.

        Raises
        ------
        InputError
            If the message is malformed, contradicts what was before, or needs what is
            not supported: Redis, queries, hosts that are not in the topology.
        """
        body = fields.objects(message, "message")
        fields.only(body, body, ("now", "events"), "")
        now = fields.number(body["now"], "now")
        if not self._now <= now < _LATEST:
            raise InputError(f"must be from {self._now} to {_LATEST}", "now", now)
        self._now = now
        decisions: list[dict[str, Any]] = []
        for i, event in enumerate(fields.lists(body["events"], "events")):
            decisions += self._seen(fields.objects(event, f"events[{i}]"), i)
        if not self.over:
            decisions += self._starts()
        return {"now": now, "events": decisions}

    def _seen(self, event: dict[str, Any], i: int) -> Iterator[dict[str, Any]]:
        """Take note of an event; yield what is decided at once."""
        kind = fields.string(event.get("type"), f"events[{i}].type")
        at = f"events[{i}].data"
        if kind == "SIMULATION_ENDS":
            self.over = True
            return
        if not self._node and kind != "SIMULATION_BEGINS":
            raise InputError("must begin with SIMULATION_BEGINS", at, kind)
        data = fields.objects(event.get("data", {}), at)
        match kind:
            case "SIMULATION_BEGINS":
                self._begin(data, at)
            case "JOB_SUBMITTED":
                job = _read_job(data, at)
                if self._fits(job.k):
                    self._queue(job, at)
                else:
                    yield self._event("REJECT_JOB", job_id=job.name)
            case "JOB_COMPLETED":
                name = fields.string(data.get("job_id"), f"{at}.job_id")
                done = self._running.pop(name, None)
                if done is None:
                    raise InputError("is not running", f"{at}.job_id", name)
                self._set(done.nodes, free=True)
            case "NOTIFY":
                self._note_hosts(data, at)
            case _ if kind not in _IGNORED:
                raise InputError("is not supported", f"events[{i}].type", kind)

    def _begin(self, data: dict[str, Any], at: str) -> None:
        if self._node:
            raise InputError("has begun already", at)
        config = fields.objects(data.get("config") or {}, f"{at}.config")
        redis = fields.objects(config.get("redis") or {}, f"{at}.config.redis")
        if redis.get("enabled") or config.get("redis-enabled"):
            raise InputError("is not supported", f"{at}.config.redis.enabled", True)
        where = f"{at}.compute_resources"
        listed = fields.lists(data.get("compute_resources"), where)
        hosts = [fields.objects(one, f"{where}[{i}]") for i, one in enumerate(listed)]
        numbers = [
            fields.integer(one.get("id"), f"{where}[{i}].id")
            for i, one in enumerate(hosts)
        ]
        names = [one.get("name") for one in hosts]
        index = self._selector.cluster.index
        if len(set(numbers)) < len(hosts) or min(numbers, default=0) < 0:
            raise InputError("must be different numbers, not negative", f"{where}.id")
        if all(isinstance(name, str) and name in index for name in names):
            places = [index[str(name)] for name in names]
        elif len(hosts) == len(index):
            places = list(index.values())
        else:
            problem = f"must be nodes of the topology, or as many ({len(index)})"
            raise InputError(problem, where, len(hosts))
        if len(set(places)) < len(places) or not places:
            raise InputError("must be different, and at least one", where)
        self._node = dict(zip(numbers, places, strict=True))
        self._number = dict(zip(places, numbers, strict=True))
        self._down = set(index.values()) - set(places)
        self._set(self._down, free=False)

    def _queue(self, job: _Job, at: str) -> None:
        if job.name in self._names:
            raise InputError("has been submitted already", f"{at}.job_id", job.name)
        if len(self._waiting) >= _MOST_WAITING:
            raise InputError(f"more than {_MOST_WAITING} jobs wait", at)
        self._names.add(job.name)
        self._waiting.append(job)

    def _fits(self, k: int) -> bool:
        """Whether a job of k nodes would fit if no other ran and all hosts were up."""
        if k not in self._possible:
            hosts = self._selector.free(())
            for fabric, place in self._number:
                hosts[fabric][place] = True
            request = Request(k, self._objective)
            found = self._selector.select(request, hosts, self._settings)
            self._possible[k] = found.objective is not None
        return self._possible[k]

    def _note_hosts(self, data: dict[str, Any], at: str) -> None:
        """Take note of hosts that fail or come back; other notes change nothing."""
        kind = str(data.get("type", "")).lower()
        if kind not in ("event_machine_available", "event_machine_unavailable"):
            return
        up = kind == "event_machine_available"
        numbers = interval_set(data.get("resources"), f"{at}.resources")
        if strange := [number for number in numbers if number not in self._node]:
            raise InputError("no such resource", f"{at}.resources", strange[0])
        places = {self._node[number] for number in numbers}
        busy = {place for job in self._running.values() for place in job.nodes}
        self._down = self._down - places if up else self._down | places
        self._set(places - busy, free=up)

    def _set(self, places: Iterable[tuple[int, int]], *, free: bool) -> None:
        for fabric, place in places:
            if not free or (fabric, place) not in self._down:
                self._free[fabric][place] = free

    def _starts(self) -> Iterator[dict[str, Any]]:
        """Start the first jobs as long as they fit; then such as overtake them."""
        while self._waiting and (event := self._start(self._waiting[0])):
            self._waiting.popleft()
            yield event
        if not self._easy or not self._waiting:
            return
        by, spare = self._reservation(self._waiting[0].k)
        kept = [self._waiting.popleft()]
        while self._waiting:
            job = self._waiting.popleft()
            short = self._now + job.walltime <= by
            event = self._start(job) if short or job.k <= spare else None
            if event is None:
                kept.append(job)
                continue
            spare -= 0 if short else job.k
            yield event
        self._waiting.extend(kept)

    def _reservation(self, k: int) -> tuple[Now, int]:
        """Return when k nodes are free by the walltimes, and how many more are then."""
        free = self._count()
        if free >= k:  # enough, but apart from each other
            return self._now, 0
        for job in sorted(self._running.values(), key=lambda job: job.end):
            if job.end == _FOREVER:
                return self._now, 0
            free += sum(place not in self._down for place in job.nodes)
            if free >= k:
                return job.end, free - k
        return _FOREVER, 0  # not before hosts come back

    def _count(self) -> int:
        return sum(int(np.count_nonzero(one)) for one in self._free)

    def _start(self, job: _Job) -> dict[str, Any] | None:
        """Start a job if nodes are found for it."""
        if job.k > self._count():
            return None
        request = Request(job.k, self._objective)
        found = self._selector.select(request, self._free, self._settings)
        if found.objective is None:
            return None
        nodes = tuple((found.fabric, place) for place in found.chosen)
        end = self._now + job.walltime
        self._running[job.name] = _Job(job.name, job.k, job.walltime, nodes, end)
        self._set(nodes, free=False)
        self.started += 1
        alloc = intervals(self._number[node] for node in nodes)
        return self._event("EXECUTE_JOB", job_id=job.name, alloc=alloc)

    def _event(self, kind: str, **data: str) -> dict[str, Any]:
        return {"timestamp": self._now, "type": kind, "data": data}


def _read_job(data: dict[str, Any], at: str) -> _Job:
    name = fields.string(data.get("job_id"), f"{at}.job_id")
    job = fields.objects(data.get("job"), f"{at}.job")
    k = fields.integer(job.get("res"), f"{at}.job.res")
    if not 1 <= k <= MOST_K:
        raise InputError(f"must be from 1 to {MOST_K}", f"{at}.job.res", k)
    walltime = fields.number(job.get("walltime", -1), f"{at}.job.walltime")
    return _Job(name, k, _FOREVER if walltime < 0 else walltime)


def interval_set(text: Any, field: str) -> set[int]:
    """Read an interval set, such as ``1-3 5``; raises InputError if it is malformed."""
    found: set[int] = set()
    for part in fields.string(text, field).split():
        low, dash, high = part.partition("-")
        high = high if dash else low
        if not (low.isdecimal() and high.isdecimal()) or max(len(low), len(high)) > 9:
            raise InputError("must be numbers and ranges such as 1-3", field, part)
        if int(high) - int(low) >= MOST_NODES or int(low) > int(high):
            raise InputError("is no range of resources", field, part)
        found.update(range(int(low), int(high) + 1))
    return found
