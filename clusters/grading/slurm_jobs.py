"""Jobs as ``sacct --json`` and ``squeue --json`` list them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ...instances import InputError
from ...instances.reading import fields
from ..state import RUNNING, nodes_of_job, number_of
from .decisions import Wish
from .records import NodeGroup, Record

_ON_NODES = {"RUNNING", "SUSPENDED", "COMPLETING", "CONFIGURING"}
_SEGMENT = re.compile(r"\s--segment[= ](\d{1,7})\b", re.ASCII)


class NoStartError(Exception):
    """A job that holds nodes, of which no one states since when."""


def looks_like_slurm(entry: Mapping[str, Any]) -> bool:
    """Whether an object is a job of a report of Slurm."""
    return "job_id" in entry and ("nodes" in entry or "job_resources" in entry)


def slurm_record(entry: Mapping[str, Any], where: str) -> Record | None:
    """Read a job; None if it never started, or has no nodes.

    Raises InputError for a job that runs and has none, and `NoStartError` for one that
    runs, but has no time of start.

    Times and numbers are numbers, or objects with ``set``, ``infinite`` and ``number``
    (by the version of Slurm's data parser). Groups are those that ``--segment`` of the
    submission asked for, where the report has that line.
    """
    nodes = nodes_of_job(entry, "")
    accounted = "time" in entry
    state = entry.get("state", {}) if accounted else entry.get("job_state")
    if accounted:
        state = fields.objects(state, "state").get("current")
    states = {state} if isinstance(state, str) else {*fields.strings(state, "state")}
    if not nodes:
        if states & _ON_NODES:
            shown = "+".join(sorted(states))
            raise InputError("names no node, but the job runs", "nodes", shown)
        return None
    times = fields.objects(entry["time"], "time") if accounted else entry
    names = (
        ("submission", "start", "end", "limit")
        if accounted
        else ("submit_time", "start_time", "end_time", "time_limit")
    )
    submit, start, end, limit = (
        number_of(times.get(name), f"time.{name}" if accounted else name)
        for name in names
    )
    if not start and states & RUNNING:
        raise NoStartError
    if not start:
        return None
    count = entry.get("allocation_nodes" if accounted else "node_count")
    line = fields.string(entry.get("submit_line") or "", "submit_line")
    found = _SEGMENT.search(line)
    number = fields.integer(number_of(entry["job_id"], "job_id"), "job_id")
    wish = Wish(number_of(count, "node count") or 0, int(found[1]) if found else 1)
    return Record(
        where,
        (NodeGroup(str(number), wish, nodes),),
        min(submit or start, start),
        start,
        None if not end or states & RUNNING else end,
        None if limit is None else 60 * limit,
    )
