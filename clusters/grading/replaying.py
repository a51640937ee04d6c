"""The free nodes at the start of every job of a report, from all jobs that overlap."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...instances import IntArray
from ...instances.errors import in_file
from ...instances.words import with_noun
from ...scheduler.hostlist import unfold
from ..placement import NodeSelector, Objective
from ..placement.program import Flags
from ..topologies import Hierarchy
from ..topologies.fabric import MOST_NODES
from .decisions import PastDecision, UngradableError, Ungraded, Why, once
from .records import NodeGroup, Record


def decisions_of(
    records: Iterable[Record],
    selector: NodeSelector,
    usable: Sequence[Flags],
    objective: Objective,
    since: int | None = None,
) -> Iterator[PastDecision | Ungraded]:
    """Yield the decision at the start of every job, in the order of starts.

    A node is free at a start if no other job runs on it; at equal times jobs end before
    others start. Nodes that a job shares with others were not free for it.

    Parameters
    ----------
    records
        All jobs that ran in the time of interest.
    selector
        Of the cluster.
    usable
        Nodes that may be chosen at all.
    objective
        By which decisions are graded.
    since
        Decisions before this time (seconds since the epoch) are not yielded.
    """
    run = _Run(selector, usable)
    for record in sorted(records, key=lambda one: one.start):
        run.until(record.start)
        free = run.free()
        found: list[PastDecision | Ungraded] = []
        held: list[tuple[int, int]] = []
        for part in record.parts:
            try:
                names = run.chosen(part, free, held)
                held += [run.index[name] for name in names if name in run.index]
                found.append(_decision(record, part, names, free, objective))
            except UngradableError as error:
                found.append(
                    Ungraded(record.where, part.name, error.why, str(error), objective)
                )
        run.hold(held, record.end)
        if since is None or record.start >= since:
            yield from found


def _decision(
    record: Record,
    part: NodeGroup,
    names: Sequence[str],
    free: Sequence[Flags],
    objective: Objective,
) -> PastDecision:
    if part.uneven:
        raise UngradableError(Why.SHARED, "groups of pods are no groups of nodes")
    once(names, "nodes")
    k = part.wish.k or len(names)
    if k != len(names):
        detail = f"{with_noun(len(names), 'node')} for a job of {k}"
        raise UngradableError(Why.COUNT, detail)
    request = replace(part.wish, k=k).request(objective)
    return PastDecision(record.where, part.name, request, free, tuple(names))


class _Run:
    """How many jobs run on every node."""

    def __init__(self, selector: NodeSelector, usable: Sequence[Flags]) -> None:
        self.fabrics = selector.cluster.fabrics
        self.index = selector.cluster.index
        self.never = selector.never
        self.usable = usable
        self.jobs = [np.zeros(len(f.nodes), dtype=np.int64) for f in self.fabrics]
        self.ends: list[tuple[int, int, list[tuple[int, int]]]] = []
        self.domains = _domains(self.fabrics)
        self.started = 0

    def until(self, time: int) -> None:
        """Let jobs end."""
        while self.ends and self.ends[0][0] <= time:
            for i, j in heapq.heappop(self.ends)[2]:
                self.jobs[i][j] -= 1

    def free(self) -> list[Flags]:
        """Return which nodes no job runs on."""
        return [
            (jobs == 0) & usable
            for jobs, usable in zip(self.jobs, self.usable, strict=True)
        ]

    def hold(self, held: list[tuple[int, int]], end: int | None) -> None:
        """Let a job start."""
        for i, j in held:
            self.jobs[i][j] += 1
        self.started += 1
        if end is not None:
            heapq.heappush(self.ends, (end, self.started, held))

    def chosen(
        self, part: NodeGroup, free: Sequence[Flags], held: Sequence[tuple[int, int]]
    ) -> list[str]:
        """Return the nodes of a part; of domains, the first that are free."""
        if not part.domains:
            with in_file(part.name):
                return unfold(part.nodes, field="nodes", most=MOST_NODES)
        names = []
        for domain, count in part.domains:
            if domain not in self.domains:
                detail = f"there is no domain {domain}"
                raise UngradableError(Why.UNKNOWN, detail)
            place = self.domains[domain]
            nodes = place.nodes[free[place.fabric][place.nodes]].tolist()
            left = [j for j in nodes if (place.fabric, j) not in held]
            if len(left) < count:
                which = " that the job may use" * bool(self.never)
                detail = f"{domain} has {len(left)} free nodes{which}, not {count}"
                raise UngradableError(Why.BUSY, detail)
            names += [self.fabrics[place.fabric].nodes[j] for j in left[:count]]
        return names


@dataclass(frozen=True, slots=True)
class _Domain:
    fabric: int
    nodes: IntArray


def _domains(fabrics: Sequence[object]) -> dict[str, _Domain]:
    """Return the nodes directly at every domain that has some."""
    found = {}
    for i, fabric in enumerate(fabrics):
        if isinstance(fabric, Hierarchy):
            order = np.argsort(fabric.home, kind="stable")
            ends = np.cumsum(fabric.has_nodes)
            for name, nodes in zip(
                fabric.domains, np.split(order, ends[:-1]), strict=True
            ):
                if len(nodes):
                    found[name] = _Domain(i, nodes)
    return found
