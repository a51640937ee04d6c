"""Reports of nodes, jobs and pods, and hostlists, as files and options give them.

Reports are recognised by their content: ``sinfo --json``, ``scontrol show nodes
--json``, ``squeue --json``, and lists of Kubernetes as kubectl prints them or the API
returns them. Some say of nodes in what state they are, the others which nodes jobs or
pods hold. So do lines of JSON such as ``{"id": "17", "nodes": "n[1-4]"}``, one for each
job. What follows from several reports states `availability`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ..instances import InputError
from ..instances.errors import in_file
from ..instances.reading import fields
from ..instances.reading.parsing import parse_json, refuse_text_before_json
from ..scheduler import hostlist
from .kinds import (
    bound_of_pod,
    devices_of_pod,
    kind_in_kubernetes,
    kind_in_slurm,
    used_in_slurm,
)
from .long_reports import MOST_BYTES, kubernetes_objects, refuse_failed, text_or_report
from .node_states import (
    NodeReport,
    heartbeats,
    objects,
    state_of_kubernetes,
    state_of_slurm,
)

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
_AFTERWARDS = {"STAGE_OUT", "SIGNALING"}
"""Of `RUNNING` those in which a job that has ended may have given its nodes back."""
_NOWHERE = ("", "None", "None assigned", "(null)", "N/A")
"""What reports call the nodes of a job that has none."""
_OVER = {"Succeeded", "Failed"}
_TERMINATING = "Terminating"
ENDING = frozenset({"COMPLETING", _TERMINATING})
"""States of jobs and pods whose nodes are coming free."""
_MOST_NUMBER = 2**53
_BINDING = {"required_nodes": "--nodelist", "excluded_nodes": "--exclude"}
"""Fields of jobs of Slurm that say on which nodes it may be, and the options."""
_NEVER_LEAVE = {"DaemonSet", "Node"}
"""Owners of pods that run on every node, whatever else does."""


def read_option(
    texts: Sequence[str], option: str
) -> tuple[list[str] | None, list[NodeReport]]:
    """Read what an option states each time that it is given: hostlists, or reports.

    Parameters
    ----------
    texts
        Hostlists; ``@`` and the name of a file with one, where ``#`` begins a comment,
        or with a report; or ``-`` for standard input. ``[]`` is an empty hostlist.
    option
        Its name, for messages.

    Returns
    -------
    tuple
        The names in the hostlists, None if there was no hostlist; and the reports.

    Raises
    ------
    InputError
        If a file cannot be read or is empty, a name is twice in one list, or a report
        is of no known kind or states that it failed.
    """
    names: dict[str, None] | None = None
    reports = []
    for text in texts:
        found: NodeReport | list[str]
        if text == "-" or text.startswith("@"):
            found = _file(text if text == "-" else text[1:], option)
        else:
            found = distinct(text, option)
        if isinstance(found, NodeReport):
            reports.append(found)
        else:
            names = (names or {}) | dict.fromkeys(found)
    return None if names is None else list(names), reports


def read_report(file: str) -> NodeReport:
    """Read a report from a file, ``-`` for standard input; InputError if it is none."""
    found = _file(file, "--state")
    assert isinstance(found, NodeReport)
    return found


def _name_of(file: str) -> str:
    return "standard input" if file == "-" else file


def _file(file: str, option: str) -> NodeReport | list[str]:
    if not file:
        raise InputError("'@' names no file", option)
    content = text_or_report(file, most=MOST_BYTES)
    with in_file(_name_of(file)):
        bare = re.sub(r"#[^\r\n]*", "", content) if isinstance(content, str) else "{}"
        if not bare.strip():
            what = option.removeprefix("--")
            says = f" and does not say which nodes are {what}; [] says none"
            raise InputError("is empty" + says * (option != "--state"))
        if isinstance(content, dict):
            found = report_of(content)
        elif content.lstrip().startswith("{"):
            found = parse_report(content)
        else:
            refuse_text_before_json(content)
            if re.match(r'\s*\[\s*[{"]', content):
                raise InputError("is a list as JSON, not the object that a report is")
            if option == "--state":
                raise InputError(
                    "is no report as JSON (hostlists are given with --free or --busy)"
                )
            return distinct(bare, option)
    found.file = _name_of(file)
    return found


def distinct(text: str, field: str, most: int = hostlist.MOST) -> list[str]:
    """Return the names in a hostlist, which may be empty; none may come twice."""
    if text.strip(", \t\r\n") in ("", "[]"):
        return []
    names = hostlist.unfold(text, field=field, most=most)
    if len(set(names)) < len(names):
        raise InputError("is listed twice", field, hostlist.first_repeated(names))
    return names


def parse_report(text: str) -> NodeReport:
    """Read a report; raises InputError if it is malformed or of no known kind."""
    if _is_lines(text):
        return _lines(text)
    return report_of(fields.objects(parse_json(text), "document"))


def report_of(document: dict[str, Any]) -> NodeReport:
    """Read a report that is parsed already; InputError as in `parse_report`."""
    refuse_failed(document)
    lists = [key for key in ("sinfo", "nodes", "jobs", "items") if key in document]
    if len(lists) > 1:
        problem = f"has {' and '.join(lists)}: give each as a report of its own"
        raise InputError(problem, "document")
    if lists == ["sinfo"]:
        report = _sinfo(document)
    elif lists == ["nodes"]:
        report = _scontrol(document)
    elif lists == ["jobs"]:
        report = _squeue(document)
    elif lists or document.get("kind") in ("Node", "Pod"):
        report = _kubectl(document)
    else:
        problem = "is no report of sinfo, scontrol, squeue or kubectl"
        raise InputError(problem, "document")
    if not report.names and not report.nobody:
        idle = "; leave it out if nothing runs"
        problem = "names no node" + idle * (lists == ["jobs"])
        raise InputError(problem, f"report of {report.source}")
    report.seen(number_of(document.get("last_update"), "last_update") or None)
    return report


def number_of(value: Any, at: str) -> int | None:
    """Return a number of Slurm, by its version an object; None if it is not set."""
    if isinstance(value, dict):
        if value.get("infinite") or not value.get("set", True):
            return None
        value = value.get("number")
    if value is None:
        return None
    number = fields.integer(value, at)
    if not 0 <= number < _MOST_NUMBER:
        raise InputError("must be at least 0 and below 2^53", at, number)
    return number


def _sinfo(document: dict[str, Any]) -> NodeReport:
    report = NodeReport("sinfo")
    for i, entry in enumerate(objects(document["sinfo"], "sinfo")):
        at = f"sinfo[{i}]"
        node = fields.objects(entry.get("node"), f"{at}.node")
        state = state_of_slurm(_words(node, f"{at}.node"), _reservation(entry, at))
        kind = kind_in_slurm(entry, at, free=not state.problem)
        nodes = fields.objects(entry.get("nodes"), f"{at}.nodes")
        used = used_in_slurm(entry, at)
        for listed in fields.strings(nodes.get("nodes"), f"{at}.nodes.nodes"):
            for name in report.unfold(listed, at):
                report.add(name, state, kind, used)
    return report


def _scontrol(document: dict[str, Any]) -> NodeReport:
    report = NodeReport("scontrol")
    for i, entry in enumerate(objects(document["nodes"], "nodes")):
        at = f"nodes[{i}]"
        name = _name(entry.get("name"), f"{at}.name")
        report.names += 1
        state = state_of_slurm(_words(entry, at), _reservation(entry, at))
        kind = kind_in_slurm(entry, at, free=not state.problem)
        report.add(name, state, kind, used_in_slurm(entry, at))
    return report


def _reservation(entry: dict[str, Any], at: str) -> str:
    return fields.string(entry.get("reservation") or "", f"{at}.reservation")


def _words(entry: dict[str, Any], at: str) -> frozenset[str]:
    """Return states and flags; older versions give one state as text, and flags."""
    found: set[str] = set()
    for key in ("state", "state_flags"):
        value = entry.get(key, []) if key == "state_flags" else _given(entry, key, at)
        listed = [value] if isinstance(value, str) else value
        for word in fields.strings(listed, f"{at}.{key}"):
            found.update(word.upper().split("+"))
    if not found:
        raise InputError("is empty", f"{at}.state")
    return frozenset(found)


def _is_lines(text: str) -> bool:
    """Whether the first line is a job by itself."""
    try:
        first = parse_json(text.lstrip().partition("\n")[0])
    except InputError:
        return False
    return isinstance(first, dict) and "id" in first


def _lines(text: str) -> NodeReport:
    report = NodeReport("jobs")
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
    return report


def _squeue(document: dict[str, Any]) -> NodeReport:
    report = NodeReport("squeue")
    report.nobody = bool(document["jobs"] or document.get("meta"))
    for i, entry in enumerate(objects(document["jobs"], "jobs")):
        at = f"jobs[{i}]"
        state = _given(entry, "job_state", at)
        listed = [state] if isinstance(state, str) else state
        words = fields.strings(listed, f"{at}.job_state")
        states = {part for word in words for part in word.upper().split("+")}
        over = bool(states & _HOLD_NOTHING)
        if over and not states & RUNNING:
            continue
        nodes = nodes_of_job(entry, at)
        if nodes:
            number = number_of(entry.get("job_id"), f"{at}.job_id")
            job = at if number is None else str(number)
            report.hold(job, nodes, f"{at}.nodes")
            if states != {"RUNNING"}:
                ends = states & ENDING
                report.states[job] = "+".join(sorted(ends or states)) or "no state"
            for key, option in _BINDING.items():
                if job not in report.states and entry.get(key):
                    report.states[job] = f"bound by {option}"
        elif not over or states & (RUNNING - _AFTERWARDS):
            shown = "+".join(words) or "in no state that is known"
            raise InputError("names no node, but the job runs", f"{at}.nodes", shown)
    return report


def nodes_of_job(entry: Mapping[str, Any], at: str) -> str:
    """Return the nodes of a job, wherever its version of Slurm lists them."""
    at = f"{at}." if at else ""
    nodes = fields.string(entry.get("nodes") or "", f"{at}nodes").strip()
    if nodes not in _NOWHERE:
        return nodes
    where = f"{at}job_resources"
    given = fields.objects(entry.get("job_resources") or {}, where).get("nodes")
    if isinstance(given, dict):  # 23.11 and later
        given = given.get("list")
    nodes = fields.string(given or "", f"{where}.nodes").strip()
    return "" if nodes in _NOWHERE else nodes


def _kubectl(document: dict[str, Any]) -> NodeReport:
    report = NodeReport("kubectl", nobody=document.get("kind") == "PodList")
    fields.lists(document.get("items", []), "items")
    for i, entry in enumerate(objects(kubernetes_objects(document), "items")):
        at = f"items[{i}]"
        metadata = fields.objects(entry.get("metadata") or {}, f"{at}.metadata")
        kind = _name(_given(entry, "kind", at), f"{at}.kind")
        if kind == "Pod":
            report.nobody = True
            _add_pod(report, entry, metadata, at)
        elif kind == "Node":
            name = _name(metadata.get("name"), f"{at}.metadata.name")
            report.names += 1
            state = state_of_kubernetes(entry, at)
            report.add(name, state, kind_in_kubernetes(entry, at))
            for moment in heartbeats(entry, at):
                report.seen(moment)
    return report


def _add_pod(
    report: NodeReport, entry: dict[str, Any], metadata: dict[str, Any], at: str
) -> None:
    spec = fields.objects(entry.get("spec") or {}, f"{at}.spec")
    status = fields.objects(entry.get("status") or {}, f"{at}.status")
    phase = fields.string(status.get("phase") or "", f"{at}.status.phase")
    if not spec.get("nodeName"):
        if phase != "Pending" and phase not in _OVER:
            problem = "names no node, but the pod runs"
            raise InputError(problem, f"{at}.spec.nodeName", phase)
        return
    node = _name(spec["nodeName"], f"{at}.spec.nodeName")
    report.names += 1
    names = (metadata.get("namespace"), metadata.get("name") or at)
    pod = "/".join(str(one) for one in names if one)
    owners = objects(metadata.get("ownerReferences") or [], f"{at}.ownerReferences")
    stays = {str(owner.get("kind")) for owner in owners} <= _NEVER_LEAVE
    if phase in _OVER:
        return
    if owners and stays:
        report.devices.setdefault(node, {})[pod] = devices_of_pod(entry, at)
        return
    report.holders.setdefault(node, {})[pod] = None
    report.used.setdefault(node, {})[pod] = devices_of_pod(entry, at)
    if metadata.get("deletionTimestamp"):
        report.states[pod] = _TERMINATING
    elif phase != "Running":
        report.states[pod] = phase or "no phase"
    elif bound := bound_of_pod(spec, metadata, at):
        report.states[pod] = f"bound by {bound}"


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
