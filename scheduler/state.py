"""Which nodes are free: hostlists, or what Slurm and Kubernetes report as JSON.

Reports are recognised by their content: ``sinfo --json``, ``scontrol show nodes
--json``, ``squeue --json``, ``kubectl get pods -o json`` and ``kubectl get nodes -o
json``. A report says of some nodes that they are free and of others that they are busy,
and of jobs and pods which nodes they hold. So do lines of JSON such as ``{"id": "17",
"nodes": "n[1-4]"}``, one for each job.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ..instances import InputError, fields
from ..instances.parsing import parse_json
from . import hostlist
from .long_reports import refuse_failed, text_or_report
from .topologies.fabric import MOST_BYTES
from .topologies.forest import first_repeated

RUNNING = {
    "RUNNING",
    "COMPLETING",
    "CONFIGURING",
    "SUSPENDED",
    "STAGE_OUT",
    "SIGNALING",
}
"""States of jobs that hold nodes."""
_HOLD_NOTHING = {
    "PENDING",
    "COMPLETED",
    "CANCELLED",
    "FAILED",
    "TIMEOUT",
    "NODE_FAIL",
    "PREEMPTED",
    "BOOT_FAIL",
    "DEADLINE",
    "OUT_OF_MEMORY",
    "REVOKED",
}
"""States of jobs that hold no nodes, unless one of `RUNNING` is there too."""
_HARMLESS = {"IDLE", "CLOUD", "DYNAMIC_NORM", "DYNAMIC_FUTURE", "POWERED_DOWN"}
"""States and flags of a node that may be given to a job."""
_OVER = {"Succeeded", "Failed"}
_MOST_NAMES = 2**22
"""Maximal number of times that nodes are named by the jobs of a report."""
_NEVER_LEAVE = {"DaemonSet", "Node"}
"""Owners of pods that run on every node, whatever else does."""


@dataclass
class Report:
    """What is said of nodes; names in the order in which they come."""

    free: dict[str, None] = field(default_factory=dict)
    busy: dict[str, None] = field(default_factory=dict)
    source: str = ""
    """The report, empty for a hostlist."""
    holders: dict[str, dict[str, None]] = field(default_factory=dict)
    """The jobs or pods that hold a node, where the report says so."""
    _names: int = 0

    def hold(self, job: str, nodes: str, at: str) -> None:
        """Add the nodes of a job, a hostlist."""
        listed = hostlist.unfold(nodes, field=at, most=_MOST_NAMES - self._names)
        self._names += len(listed)
        for name in listed:
            self.add(name, False)
            self.holders.setdefault(name, {})[job] = None

    def add(self, name: str, free: bool) -> None:
        """Add a node; one that is busy anywhere is busy."""
        if free and name not in self.busy:
            self.free[name] = None
        elif not free:
            self.free.pop(name, None)
            self.busy[name] = None


def read_state(text: str, option: str) -> Report:
    """Read an option that says which nodes are free, or busy.

    Parameters
    ----------
    text
        A hostlist; ``@`` and the name of a file with one, where ``#`` begins a comment,
        or with a report; or ``-`` for standard input. ``[]`` is an empty hostlist.
    option
        Its name, for messages. A hostlist is that of free nodes unless this says
        ``--busy``.

    Raises
    ------
    InputError
        If a file cannot be read or is empty, a name is listed twice, or a report is of
        no known kind or says that it failed.
    """
    if text != "-" and not text.startswith("@"):
        return _hostlist(text, option)
    file = text if text == "-" else text[1:]
    if not file:
        raise InputError("'@' names no file", option)
    content = text_or_report(file, most=MOST_BYTES)
    try:
        if isinstance(content, str) and not content.strip():
            what = option.removeprefix("--")
            problem = f"is empty and does not say which nodes are {what}; [] says none"
            raise InputError(problem)
        if isinstance(content, dict):
            return _report(content)
        if content.lstrip().startswith("{"):
            return parse_report(content)
        return _hostlist(re.sub(r"#[^\r\n]*", "", content), option)
    except InputError as error:
        raise error.of_file("standard input" if file == "-" else file) from None


def _hostlist(text: str, option: str) -> Report:
    found = dict.fromkeys(distinct(text, option))
    return Report(busy=found) if option == "--busy" else Report(free=found)


def distinct(text: str, field: str, most: int = hostlist.MOST) -> list[str]:
    """Return the names in a hostlist, which may be empty; none may come twice."""
    if text.strip(", \t\r\n") in ("", "[]"):
        return []
    names = hostlist.unfold(text, field=field, most=most)
    if len(set(names)) < len(names):
        raise InputError("is listed twice", field, first_repeated(names))
    return names


def parse_report(text: str) -> Report:
    """Read a report; raises InputError if it is malformed or of no known kind."""
    if _is_lines(text):
        report = Report(source="jobs")
        _read_lines(report, text)
        return report
    return _report(fields.objects(parse_json(text), "document"))


def _report(document: dict[str, Any]) -> Report:
    refuse_failed(document)
    report = Report()
    if "sinfo" in document:
        report.source = "sinfo"
        for name, states in _sinfo(document):
            report.add(name, states <= _HARMLESS)
    elif "nodes" in document:
        report.source = "scontrol"
        for name, states in _nodes(document):
            report.add(name, states <= _HARMLESS)
    elif "jobs" in document:
        report.source = "squeue"
        for job, nodes, at in _jobs(document):
            report.hold(job, nodes, at)
    elif "items" in document:
        report.source = "kubectl"
        for name, free, pod in _items(document):
            report.add(name, free)
            if pod:
                report.holders.setdefault(name, {})[pod] = None
    else:
        problem = "is no report of sinfo, scontrol, squeue or kubectl"
        raise InputError(problem, "document")
    return report


def _sinfo(document: dict[str, Any]) -> Iterator[tuple[str, set[str]]]:
    for i, entry in enumerate(_objects(document["sinfo"], "sinfo")):
        at = f"sinfo[{i}]"
        states = _states(fields.objects(entry.get("node"), f"{at}.node"), f"{at}.node")
        nodes = fields.objects(entry.get("nodes"), f"{at}.nodes")
        for name in fields.strings(nodes.get("nodes"), f"{at}.nodes.nodes"):
            yield from ((one, states) for one in hostlist.unfold(name, field=at))


def _nodes(document: dict[str, Any]) -> Iterator[tuple[str, set[str]]]:
    for i, entry in enumerate(_objects(document["nodes"], "nodes")):
        at = f"nodes[{i}]"
        yield _name(entry.get("name"), f"{at}.name"), _states(entry, at)


def _states(entry: dict[str, Any], at: str) -> set[str]:
    """Return states and flags; older versions give one state as text, and flags."""
    found: set[str] = set()
    for key in ("state", "state_flags"):
        value = entry.get(key, []) if key == "state_flags" else _given(entry, key, at)
        listed = [value] if isinstance(value, str) else value
        for word in fields.strings(listed, f"{at}.{key}"):
            found.update(word.upper().split("+"))
    if not found:
        raise InputError("is empty", f"{at}.state")
    return found


def _is_lines(text: str) -> bool:
    """Whether the first line is a job by itself."""
    try:
        first = parse_json(text.lstrip().partition("\n")[0])
    except InputError:
        return False
    return isinstance(first, dict) and "id" in first


def _read_lines(report: Report, text: str) -> None:
    seen: set[str] = set()
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        at = f"line {number}"
        try:
            entry = fields.objects(parse_json(line), "job")
            fields.only(entry, ("id", "nodes"), ("id", "nodes"), "")
            job = str(entry["id"]) if isinstance(entry["id"], int) else entry["id"]
            job = _name(job, "id")
            listed = entry["nodes"]
            if not isinstance(listed, str):
                listed = ",".join(fields.strings(listed, "nodes"))
            report.hold(job, listed, "nodes")
        except InputError as error:
            field = f"{at}: {error.field}" if error.field else at
            raise InputError(error.problem, field, error.value) from None
        if job in seen:
            raise InputError("is listed twice", f"{at}: id", job)
        seen.add(job)


def _jobs(document: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Return the jobs that hold nodes: job, hostlist, place in the report."""
    for i, entry in enumerate(_objects(document["jobs"], "jobs")):
        at = f"jobs[{i}]"
        state = _given(entry, "job_state", at)
        listed = [state] if isinstance(state, str) else state
        states = set(fields.strings(listed, f"{at}.job_state"))
        nodes = fields.string(entry.get("nodes", ""), f"{at}.nodes")
        if nodes and (states & RUNNING or not states & _HOLD_NOTHING):
            number = (
                fields.integer(entry["job_id"], f"{at}.job_id")
                if ("job_id" in entry)
                else at
            )
            yield str(number), nodes, f"{at}.nodes"


def _items(document: dict[str, Any]) -> Iterator[tuple[str, bool, str]]:
    for i, entry in enumerate(_objects(document["items"], "items")):
        at, kind = f"items[{i}]", entry.get("kind")
        spec = fields.objects(entry.get("spec") or {}, f"{at}.spec")
        status = fields.objects(entry.get("status") or {}, f"{at}.status")
        metadata = fields.objects(entry.get("metadata") or {}, f"{at}.metadata")
        if kind == "Pod":
            owners = metadata.get("ownerReferences") or []
            kinds = {o.get("kind") for o in _objects(owners, f"{at}.ownerReferences")}
            idle = bool(kinds & _NEVER_LEAVE) or status.get("phase") in _OVER
            if spec.get("nodeName") and not idle:
                place = _name(spec["nodeName"], f"{at}.spec.nodeName")
                names = (metadata.get("namespace"), metadata.get("name") or at)
                yield place, False, "/".join(str(one) for one in names if one)
        elif kind == "Node":
            name = _name(metadata.get("name"), f"{at}.metadata.name")
            conditions = _objects(status.get("conditions") or [], f"{at}.conditions")
            ready = any(
                c.get("type") == "Ready" and c.get("status") == "True"
                for c in conditions
            )
            yield name, ready and not spec.get("unschedulable"), ""


def _objects(value: Any, at: str) -> list[dict[str, Any]]:
    listed = fields.lists(value, at)
    return [fields.objects(entry, f"{at}[{i}]") for i, entry in enumerate(listed)]


def _given(entry: dict[str, Any], key: str, at: str) -> Any:
    """Return a field that must be there."""
    if key not in entry:
        raise InputError("is missing", f"{at}.{key}")
    return entry[key]


def _name(value: Any, at: str) -> str:
    name = fields.string(value, at)
    if not name:
        raise InputError("must not be empty", at)
    return name
