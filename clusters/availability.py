"""Which nodes a job may have, by all that reports and hostlists say together.

A node is free if something that speaks of nodes names it as free, and nothing calls it
busy or unusable. Only where nothing at all is stated about the state of nodes, all of
them are taken as free, and the answer states it.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from types import MappingProxyType
from typing import Any

from ..instances import InputError
from ..instances.words import with_noun
from .kinds import NodeKind, kinds_of, note_of
from .node_states import OF_STATE, NodeReport, NodeRules, NodeState, count_reasons
from .state import ENDING
from .topologies.fabric import Cluster

_NONE: Mapping[str, str] = MappingProxyType({})
AT_WORK = frozenset({"ALLOCATED", "MIXED"})
"""Of the states of nodes those that say that a job is there."""
_WITH_JOBS = AT_WORK | {"", "COMPLETING"}
"""Those that are gone with the jobs."""
NOT_GIVEN = "not given"
NAMELESS = "jobs that no report names"
"""Stands for them where jobs are named."""
IN_NO_REPORT = "in no report"
"""The reason for nodes of which nothing is stated where others are spoken of."""
_LONGEST_REASON = 80
OLD = 300
"""Seconds after which the age of a report is worth a note."""
_ADD = {"kubectl": "kubectl get nodes -o json"}
"""The report of nodes next to a report of jobs or pods, unless it is one of Slurm."""


@dataclass(frozen=True, kw_only=True)
class Known:
    """What is known of the nodes of a cluster, from whatever source."""

    reports: Sequence[NodeReport] = ()
    free: Iterable[str] | None = None
    """The nodes that the user calls free, which alone may be; None: not stated."""
    busy: Iterable[str] = ()
    """The nodes that the user calls busy."""
    rules: NodeRules = field(default_factory=NodeRules)
    assume_up: bool = False
    """Whether nodes of which nothing is stated are up."""
    of_kinds: bool = True
    """Whether a node is not free for taints that say what it is."""
    of_topology: bool = True
    """Whether what the file of the topology states of its nodes counts, too."""


@dataclass(frozen=True)
class Availability:
    """The free nodes of a cluster, and why the others are not."""

    source: str
    """Where the state of nodes is from, in words; `NOT_GIVEN` if from nowhere."""
    reasons: dict[str, str]
    """Why nodes are not free, all others are."""
    boots: frozenset[str]
    """The free nodes that must boot first."""
    planned: frozenset[str]
    """The free nodes that Slurm plans to give to another job."""
    notes: tuple[str, ...]
    holders: dict[str, dict[str, None]]
    """The jobs that hold a node, where a report states it."""
    ignored: int
    """Nodes of reports that are not in the topology."""
    kinds: dict[str, NodeKind]
    """What nodes are, where a report states it."""
    states: dict[str, str]
    """The states of jobs that hold nodes and do more than run, or less."""
    freeable: frozenset[str]
    """The nodes that jobs hold, and that nothing else makes unusable."""
    nameless: frozenset[str]
    """The nodes that are busy, but no report states with which job."""
    only_work: frozenset[str]
    """Those of them that nothing but jobs makes unusable."""
    used: dict[str, dict[str, int]] = field(default_factory=dict)
    """The devices that jobs and pods use of a node, where a report states it."""

    def document(
        self, forbidden: Mapping[str, str] = _NONE, chosen: Iterable[str] = ()
    ) -> dict[str, Any]:
        """Return what an answer states of the state of nodes, as a JSON object.

        ``forbidden`` are nodes that the job may not have, and why.
        """
        reasons = {**self.reasons, **forbidden}
        counts = {
            "must_boot": len(self.boots - reasons.keys()),
            "chosen_must_boot": len(self.boots & set(chosen)),
            "planned": len(self.planned - reasons.keys()),
        }
        return {
            "source": self.source,
            "not_free": count_reasons(reasons.values()),
            **{key: count for key, count in counts.items() if count},
            **({"notes": list(self.notes)} if self.notes else {}),
        }


def availability(
    cluster: Cluster, known: Known, *, now: float | None = None
) -> Availability:
    """Say which nodes of a cluster are free.

    Parameters
    ----------
    cluster
        Its file may be a report of its nodes itself.
    known
        Reports, and what the user states.
    now
        The time by which reports are old, in seconds since the epoch.

    Raises
    ------
    InputError
        If there are reports of jobs alone, a report names nodes of another machine
        only, a hostlist names a node that is not in the topology or is both free and
        busy, or no report knows the reservation.
    """
    rules = known.rules
    given = list(known.reports)
    own = cluster.report if known.of_topology else None
    if own is not None and (own.nodes or own.holders):
        given.insert(0, own)
    speaking = [report for report in given if report.nodes]
    free = None if known.free is None else dict.fromkeys(known.free)
    busy = dict.fromkeys(known.busy)
    _refuse_strange(cluster, known.reports, free or {}, busy)
    nothing = not given and free is None
    if not nothing and not speaking and free is None and not known.assume_up:
        add = _ADD.get(given[0].source, "sinfo --json")
        problem = f"says nothing of the state of nodes: add {add}, or --assume-up"
        raise InputError(problem, file=given[0].file)
    if rules.reservation and not any(
        rules.reservation in state.reservations
        for report in speaking
        for state in report.nodes.values()
    ):
        problem = "no report of nodes names it"
        raise InputError(problem, "--reservation", rules.reservation)
    holders: dict[str, dict[str, None]] = {}
    used: dict[str, dict[str, dict[str, int]]] = {}
    states_of_jobs: dict[str, str] = {}
    for report in given:
        for name, jobs in report.holders.items():
            holders[name] = holders.get(name, {}) | jobs
        for name, by_job in report.used.items():
            used[name] = used.get(name, {}) | by_job
        for job, does in report.states.items():
            if states_of_jobs.get(job) in (None, *ENDING):
                states_of_jobs[job] = does
    kinds = kinds_of([*known.reports, *([own] if own is not None else ())])
    note = note_of(kinds, cluster.index) if given else ""
    silent = "" if nothing or known.assume_up else IN_NO_REPORT
    reasons: dict[str, str] = {}
    boots, planned, nameless = set(), set(), set()
    freeable: set[str] = set()
    only_work: set[str] = set()
    for name in cluster.index:
        states = [report.nodes[name] for report in speaking if name in report.nodes]
        state = _together(states)
        if state.taints and not known.of_kinds:
            there = tuple(key for key in state.taints if key.startswith(OF_STATE))
            state = replace(state, taints=there)
        problems = state.problem.split("+")
        shut = _shut(kinds.get(name), rules)
        at_work = not AT_WORK.isdisjoint(problems)
        if (name in holders or at_work) and name not in busy:
            gone = _WITH_JOBS.issuperset(problems)
            after = replace(state, problem="") if gone else state
            named = bool(states) or not silent if free is None else name in free
            if named and not shut and not rules.reason(after):
                (freeable if name in holders else only_work).add(name)
        if name not in holders and (name in busy or at_work):
            nameless.add(name)
        reason = rules.reason(state) if states or not silent else ""
        reason = reason or shut
        if not reason and (name in holders or name in busy):
            reason = "busy"
        if not reason and free is not None and name not in free:
            reason = "not in --free"
        if not reason and not states and free is None:
            reason = silent
        if reason:
            reasons[name] = reason
            continue
        if state.boots:
            boots.add(name)
        if state.planned:
            planned.add(name)
    foreign = {
        name
        for report in known.reports
        for name in (*report.nodes, *report.holders)
        if name not in cluster.index
    }
    return Availability(
        NOT_GIVEN if nothing else _source(given, known),
        reasons,
        frozenset(boots),
        frozenset(planned),
        (*_notes(given, len(planned), now), *filter(None, [note])),
        holders,
        len(foreign),
        kinds,
        states_of_jobs,
        frozenset(freeable),
        frozenset(nameless),
        frozenset(only_work),
        {
            name: dict(sum(map(Counter, by_job.values()), Counter[str]()))
            for name, by_job in used.items()
        },
    )


def _together(states: Sequence[NodeState]) -> NodeState:
    """Return what reports say together of a node.

    It is in a reservation that all of them name which name some.
    """
    if len(states) < 2:
        return states[0] if states else NodeState()
    named = [frozenset(one.reservations) for one in states if one.reservations]
    common = frozenset.intersection(*named) if named else frozenset()
    merged = reduce(NodeState.merge, states)
    return replace(merged, reservations=tuple(sorted(common)))


def _shut(kind: NodeKind | None, rules: NodeRules) -> str:
    """Say that a job cannot start in any of the partitions of a node; "" if it can."""
    if kind is None or not kind.closed:
        return ""
    there = kind.partitions & rules.partitions or kind.partitions
    if not kind.closed.issuperset(there):
        return ""
    return f"partition {'+'.join(sorted(there))} not UP"[:_LONGEST_REASON]


def _refuse_strange(
    cluster: Cluster,
    reports: Sequence[NodeReport],
    free: dict[str, None],
    busy: dict[str, None],
) -> None:
    """Refuse names that are not in the topology, and hostlists that contradict."""
    for option, names in (("--free", free), ("--busy", busy)):
        for name in names:
            if name not in cluster.index:
                raise InputError("is not in the topology", option, name)
    for name in free:
        if name in busy:
            raise InputError("is in --busy too", "--free", name)
    for report in reports:
        named = [*report.nodes, *report.holders]
        if named and not any(name in cluster.index for name in named):
            problem = f"none of its {len(named)} nodes is in the topology"
            raise InputError(problem, "", named[0], file=report.file)


def _source(given: list[NodeReport], known: Known) -> str:
    sources = [report.file or report.source for report in given]
    if known.free is not None:
        sources.append("--free")
    if known.assume_up:
        sources.append("other nodes assumed up")
    return ", ".join(dict.fromkeys(sources))


def _notes(reports: list[NodeReport], planned: int, now: float | None) -> list[str]:
    """Return what should be known of the reports next to the counts."""
    moment = time.time() if now is None else now
    notes: dict[str, None] = {}
    for report in reports:
        age = 0 if report.time is None else moment - report.time
        if abs(age) > OLD:
            how = "old" if age > 0 else "ahead of the clock here"
            notes[f"{report.file or report.source} is {_age(abs(age))} {how}"] = None
    if planned:
        of_them = "is" if planned == 1 else "are"
        notes[
            f"{with_noun(planned, 'free node')} {of_them} planned for a job that waits"
        ] = None
    return list(notes)


def _age(seconds: float) -> str:
    """Return a time span in words.

    >>> _age(301), _age(7200), _age(200_000)
    ('5 minutes', '2 hours', '2 days')
    """
    for size, unit in ((86_400, "day"), (3600, "hour")):
        if seconds >= 2 * size:
            return with_noun(int(seconds // size), unit)
    return with_noun(int(seconds // 60), "minute")
