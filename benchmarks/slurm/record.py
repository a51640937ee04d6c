"""What Slurm did, from the log of slurmctld: every decision, with what was free then.

slurmctld writes a line under its locks whenever a job begins or ends, and (at debug2)
whenever a node has answered that it is done with a job, so that the order of the lines
is that of the events; the records of jobs have whole seconds only.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from closeknit.clusters.placement import NodeSelector, Objective, Request, measures
from closeknit.clusters.topologies import Hierarchy
from closeknit.scheduler.hostlist import unfold

_LINE = re.compile(
    r"^\[(?P<when>[\dT:.-]+)\] (?:debug\d?: +)?(?:"
    r"lua: closeknit: (?P<k>\d+) nodes (?:left to Slurm \((?P<why>.*)\) after|"
    r"(?P<hosts>\S+) in) (?P<took>[\d.]+) ms|"
    r"_slurm_rpc_submit_batch_job: JobId=(?P<submitted>\d+) InitPrio=\d+ "
    r"usec=(?P<usec>\d+)|"
    r"sched: Allocate JobId=(?P<begun>\d+) NodeList=(?P<at>\S+)|"
    r"sched/backfill: _start_job: Started JobId=(?P<filled>\d+) in \S+ on (?P<on>\S+)|"
    r"_job_complete: JobId=(?P<done>\d+) done|"
    r"node_did_resp (?P<answered>\S+)|"
    r"(?P<requeued>.*[Rr]equeu.*))"
)


@dataclass
class Job:
    """One job as the log tells of it; times are seconds of its clock."""

    submitted: float
    usec: int = 0
    """What slurmctld took for the submission."""
    plugin_ms: float | None = None
    """What the plugin took, if it asked the service."""
    pinned: str = ""
    """The nodes that the plugin set."""
    why: str = ""
    """Why it set none."""
    begun: float | None = None
    ended: float | None = None
    nodes: list[str] = field(default_factory=list)
    free: frozenset[str] = frozenset()
    """The nodes that were free when Slurm decided."""
    free_then: frozenset[str] = frozenset()
    """Those that were free, and promised to no other job, when the plugin chose."""
    faults: list[str] = field(default_factory=list)
    """Nodes twice in use, or unknown."""


def read_log(lines: Iterable[str], names: Iterable[str]) -> dict[int, Job]:
    """Return the jobs of a log by number; ``names`` are the nodes of the cluster."""
    known = frozenset(names)
    jobs: dict[int, Job] = {}
    holder: dict[str, int] = {}
    leaving: set[str] = set()
    promised: dict[str, int] = {}
    asked: re.Match[str] | None = None
    for line in lines:
        found = _LINE.match(line)
        if found is None:
            continue
        when = datetime.fromisoformat(found["when"]).timestamp()
        if found["k"]:
            asked = found
        elif found["submitted"]:
            # Written without the locks: the job may have begun already.
            number = int(found["submitted"])
            job = jobs.setdefault(number, Job(submitted=when))
            job.usec = int(found["usec"])
            if asked is not None:
                job.plugin_ms = float(asked["took"])
                job.pinned, job.why = asked["hosts"] or "", asked["why"] or ""
                asked = None
            if job.pinned and job.begun is None:
                job.free_then = known.difference(holder, leaving, promised)
                promised.update(dict.fromkeys(unfold(job.pinned), number))
        elif number := found["begun"] or found["filled"]:
            job = jobs.setdefault(int(number), Job(submitted=when))
            job.nodes = unfold(found["at"] or found["on"])
            job.begun = when
            leaving.difference_update(job.nodes)  # slurmctld knows them to be free
            for name in job.nodes:
                if name in holder or name not in known:
                    job.faults.append(f"{name} is held by {holder.get(name)}")
            for name in unfold(job.pinned) if job.pinned else ():
                if promised.get(name) == int(number):
                    del promised[name]
            job.free = known.difference(holder, leaving)
            holder.update(dict.fromkeys(job.nodes, int(number)))
        elif found["done"]:
            number = int(found["done"])
            job = jobs.setdefault(number, Job(submitted=when))
            job.ended = when
            for name in job.nodes:
                if holder.get(name) == number:
                    del holder[name]
                    leaving.add(name)
        elif found["answered"]:
            leaving.discard(found["answered"])
        elif found["requeued"]:
            for number in re.findall(r"JobId=(\d+)", found["requeued"]):
                job = jobs.setdefault(int(number), Job(submitted=when))
                job.faults.append("was put back into the queue")
    return jobs


@dataclass(frozen=True)
class Grade:
    """A decision beside the optimum for the nodes that were free."""

    k: int
    switches: int
    hops: int
    least_switches: int
    hops_then: int
    """The least hops among choices with the least switches."""
    least_hops: int


class Grader:
    """Prices decisions on one cluster, which is a tree."""

    def __init__(self, selector: NodeSelector) -> None:
        self._selector = selector
        (fabric,) = selector.cluster.fabrics
        assert isinstance(fabric, Hierarchy)
        self._fabric = fabric

    def grade(self, nodes: Sequence[str], among: Collection[str]) -> Grade:
        """Return what a choice costs, and what was possible among free nodes."""
        k, fabric = len(nodes), self._fabric
        free = self._selector.free(among)
        index = self._selector.cluster.index
        chosen = [index[name][1] for name in nodes]
        counts = fabric.below(fabric.count(free[0].nonzero()[0]))
        switches, hops = measures.cost(fabric, Objective.SWITCHES, chosen, counts)
        best = self._selector.select(Request(k, Objective.SWITCHES), free).objective
        (least,) = self._selector.select(
            Request(k, Objective.HOPS), free
        ).objective or (0,)
        assert best is not None
        return Grade(k, switches, hops, best[0], best[1], least)
