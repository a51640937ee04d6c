"""Running jobs, as reports and files of their own state them, and what they may do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...formulations.cluster.changes.change import MOST_JOBS, OngoingJob, RunningState
from ...formulations.cluster.domains import DomainTree, NodeDevices
from ...instances import InputError
from ...instances.errors import in_file
from ...instances.reading import fields
from ...instances.reading.files import read_text
from ...instances.reading.parsing import parse_json
from ...scheduler import hostlist
from ..availability import NAMELESS
from ..node_states import NodeReport
from ..placement.program import Flags
from ..topologies.fabric import Cluster, Hierarchy
from . import machine

FORMAT = "closeknit/running-jobs"
_NUMBERS = ("priority", "lost", "end")
_FLAGS = ("movable", "endable")
_MOST = 2**40


def tree_of(cluster: Cluster) -> DomainTree:
    """Return the domains of a cluster; InputError if it is not one tree."""
    fabric, *others = cluster.fabrics
    if others or not isinstance(fabric, Hierarchy):
        raise InputError("must be one tree of switches, blocks or racks", "topology")
    return machine.tree_of(fabric)


def read_running(path: str, text: str | None = None) -> list[dict[str, Any]]:
    """Read a file of running jobs; what it states of each, nodes as a list.

    ``text`` is what is in the file, if that was read.

    Raises
    ------
    InputError
        Names the file, the field and the value.
    """
    with in_file(path):
        shape = fields.file(FORMAT, {"jobs": fields.lists})
        text = read_text(path) if text is None else text
        listed = shape(parse_json(text, file=path))["jobs"]
        if len(listed) > MOST_JOBS:
            raise InputError(f"must be at most {MOST_JOBS} jobs", "jobs", len(listed))
        return [_entry(x, f"jobs[{i}]") for i, x in enumerate(listed)]


def _entry(value: Any, at: str) -> dict[str, Any]:
    entry = dict(fields.objects(value, at))
    known = ("name", "nodes", *_NUMBERS, *_FLAGS, "pattern", "share")
    fields.only(entry, known, ("name",), at)
    if "pattern" in entry:
        entry["pattern"] = fields.string(entry["pattern"], f"{at}.pattern")
    if "share" in entry:
        entry["share"] = fields.between(1, 100)(entry["share"], f"{at}.share")
    entry["name"] = fields.string(entry["name"], f"{at}.name")
    if not entry["name"]:
        raise InputError("must not be empty", f"{at}.name")
    for name in _NUMBERS:
        if name in entry:
            entry[name] = fields.between(0, _MOST - 1)(entry[name], f"{at}.{name}")
    for name in _FLAGS:
        if not isinstance(entry.get(name, True), bool):
            raise InputError("must be true or false", f"{at}.{name}", entry[name])
    if "nodes" in entry:
        text = fields.string(entry["nodes"], f"{at}.nodes")
        entry["nodes"] = hostlist.unfold(text, field=f"{at}.nodes")
    return entry


def report_of(
    stated: Sequence[Mapping[str, Any]], file: str, known: Container[str]
) -> NodeReport:
    """Return what a file of running jobs states of nodes: which jobs hold them.

    Raises InputError if one is not known.
    """
    found = NodeReport("jobs", file)
    for i, entry in enumerate(stated):
        for name in entry.get("nodes", ()):
            if name not in known:
                problem = "is not in the topology"
                raise InputError(problem, f"jobs[{i}].nodes", name, file=file)
            found.holders.setdefault(name, {})[entry["name"]] = None
    return found


def running_state(
    tree: DomainTree,
    free: Flags,
    holders: Mapping[str, Collection[str]],
    freeable: Collection[str],
    stated: Sequence[Mapping[str, Any]] = (),
    file: str = "",
    nameless: Collection[str] = (),
) -> RunningState:
    """Return the jobs of a machine on whole nodes.

    Parameters
    ----------
    tree
        The machine.
    free
        Which nodes are free.
    holders
        The jobs that hold a node. A node with several is counted as one device of each;
        these jobs may end, but not be moved.
    freeable
        The nodes that can be used once their jobs have left.
    stated
        What a file states of jobs, from `read_running`.
    file
        Its name.
    nameless
        The nodes of jobs that no report names, which neither move nor end.

    Raises
    ------
    InputError
        If the file names a job twice, one that holds nothing, or unknown nodes.
    """
    on: dict[int, dict[str, None]] = {}
    for name in nameless:
        if name in tree.number:
            on[tree.number[name]] = {NAMELESS: None}
    for name, jobs in holders.items():
        if name in tree.number:
            on[tree.number[name]] = dict.fromkeys(jobs)
    entries: dict[str, Mapping[str, Any]] = {}
    usable = {tree.number[name] for name in freeable if name in tree.number}
    for i, entry in enumerate(stated):
        at, job = f"jobs[{i}]", entry["name"]
        if job in entries:
            raise InputError("is there twice", f"{at}.name", job, file=file)
        entries[job] = entry
    held: dict[str, dict[int, int | None]] = {}
    for node, names in sorted(on.items()):
        for job in names:
            held.setdefault(job, {})[node] = 1
    for i, entry in enumerate(stated):
        if entry["name"] not in held:
            problem = "holds no node of the topology"
            raise InputError(problem, f"jobs[{i}].name", entry["name"], file=file)
    whole = np.ones(len(tree.nodes), dtype=np.int64)
    left = np.where(free, 1, -1)
    for node, names in on.items():
        whole[node] = len(names)
        left[node] = 0 if node in usable else -1
    shared = Counter(job for names in on.values() if len(names) > 1 for job in names)
    found = []
    for name, nodes in sorted(held.items()):
        alone = name not in shared
        job = OngoingJob(name, dict.fromkeys(nodes) if alone else nodes, movable=alone)
        if name == NAMELESS:
            job = replace(job, movable=False, endable=False)
        if name in entries:
            entry = entries[name]
            more = {x: entry[x] for x in (*_NUMBERS, *_FLAGS) if x in entry}
            more["movable"] = alone and more.get("movable", True)
            job = replace(job, **more)
        found.append(job)
    return RunningState(NodeDevices(tree, left, whole), tuple(found))
