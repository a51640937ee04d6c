"""Jobs as other schedulers have them: objects for Kueue, batch scripts of Slurm.

Of Kueue a Workload is read, with the ``topologyRequest`` of its pod sets, and a Job or
JobSet, with the annotations of their pods. What has no influence here is named.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...formulations.cluster.constraints import (
    Avoid,
    MostDomains,
    Require,
    Slices,
    within,
)
from ...formulations.cluster.domains import NODE_NAME
from ...formulations.cluster.job import GangJob, JobConstraint, ObjectivePart, Role
from ...instances import InputError
from ...instances.reading import fields
from ...instances.reading.parsing import parse_json
from ...scheduler.hostlist import unfold
from ..kinds import devices_of_pod
from ..topologies.kubernetes import short
from ..topologies.label_families import HOSTNAME
from ..topologies.lined_yaml import Lined, parse_lined
from ..topologies.switch_trees import SourceFile
from .request import JobRequest

_KUEUE = "kueue.x-k8s.io/podset-"
_FIELDS = {
    "required": "required-topology",
    "preferred": "preferred-topology",
    "unconstrained": "unconstrained-topology",
    "podSetGroupName": "group-name",
    "podSetSliceRequiredTopology": "slice-required-topology",
    "podSetSliceSize": "slice-size",
    "podsetSliceRequiredTopologyConstraints": "slice-required-topology-constraints",
}
"""Fields of a topology request, and how the annotations of them end."""
_STEERING = (
    *("nodeSelector", "affinity", "tolerations", "topologySpreadConstraints"),
    *("nodeName", "schedulerName", "resourceClaims"),
)
"""Fields of pods that say where they may run."""
_SLURM = {
    "nodes": "N",
    "segment": "",
    "switches": "",
    "gpus-per-node": "",
    "exclude": "x",
    "nodelist": "w",
    "job-name": "J",
}
"""Options of sbatch that are read, with their letters."""


def parse(text: str, levels: Sequence[str], file: str = "") -> JobRequest | Any:
    """Parse a job of another scheduler, or JSON that is none; levels from below."""
    if text.startswith("#!"):
        return _of_slurm(text, levels)
    if text.lstrip().startswith("{"):
        value = parse_json(text)
    else:
        value = _plain(parse_lined(text, SourceFile(file)))
    if isinstance(value, dict) and "format" not in value and "kind" in value:
        return _of_kueue(value, levels)
    return value


def _plain(value: Lined) -> Any:
    if isinstance(value.value, dict):
        return {key: _plain(one) for key, one in value.value.items()}
    if isinstance(value.value, list):
        return [_plain(one) for one in value.value]
    return value.value


# Kueue


def _of_kueue(value: dict[str, Any], levels: Sequence[str]) -> JobRequest:
    ignored: dict[str, None] = {}
    counts: dict[str, dict[str, int]] = {}
    roles: list[tuple[str, int]] = []
    asked: dict[str, dict[str, Any]] = {}
    for name, count, pod, request in _pod_sets(value, ignored):
        if name in asked:
            raise InputError("is there twice", "name of pods", name)
        roles.append((name, count))
        counts[name] = devices_of_pod(pod, name)
        spec = fields.objects(pod.get("spec") or {}, f"{name}.spec")
        ignored |= dict.fromkeys(key for key in _STEERING if spec.get(key))
        asked[name] = request
    devices = sorted({key for one in counts.values() for key in one})
    if len(devices) > 1:
        problem = "pods must have one kind of devices"
        raise InputError(problem, "resources", ", ".join(devices))
    if not devices:
        ignored["resources of pods (each has a node)"] = None
    job = GangJob(
        tuple(
            Role(name, count, counts[name].get(devices[0], 0) if devices else None)
            for name, count in roles
        )
    )
    found = dict(_of_requests(job, asked, levels, ignored))
    parts = tuple(x for x in found.values() if isinstance(x, ObjectivePart))
    kept = {at: x for at, x in found.items() if isinstance(x, JobConstraint)}
    metadata = fields.objects(value.get("metadata") or {}, "metadata")
    return JobRequest(
        fields.string(metadata.get("name", "job"), "metadata.name"),
        GangJob(job.roles, tuple(kept.values()), parts),
        devices[0] if devices else "",
        tuple(kept),
        bool(parts),
        tuple(ignored),
    )


PodSet = tuple[str, int, dict[str, Any], dict[str, Any]]
"""The name and the number of pods, a pod, and the topology request."""


def _pod_sets(value: dict[str, Any], ignored: dict[str, None]) -> Iterator[PodSet]:
    kind, spec = value["kind"], fields.objects(value.get("spec") or {}, "spec")
    where = {"Workload": "podSets", "JobSet": "replicatedJobs", "Job": "template"}
    if not isinstance(kind, str) or kind not in where:
        raise InputError(f"must be one of {', '.join(where)}", "kind", kind)
    ignored |= dict.fromkeys(
        f"spec.{key}" for key in spec if key not in (where[kind], "parallelism")
    )
    if kind == "Job":
        ignored.pop("spec.completions", None)
        count = _pods_at_once(spec, "spec")
        pod = fields.objects(spec.get("template"), "spec.template")
        yield "main", count, pod, _annotations(pod, "spec.template")
        return
    listed = fields.lists(spec.get(where[kind]), f"spec.{where[kind]}")
    for i, one in enumerate(listed):
        at = f"spec.{where[kind]}[{i}]"
        entry = fields.objects(one, at)
        name = fields.string(entry.get("name", "main"), f"{at}.name")
        if kind == "Workload":
            count = _number(entry.get("count", 1), f"{at}.count")
            ignored |= {"minCount": None} if "minCount" in entry else {}
            pod = fields.objects(entry.get("template"), f"{at}.template")
            asks = entry.get("topologyRequest")
            if asks is None:
                yield name, count, pod, _annotations(pod, f"{at}.template")
                continue
            asks = fields.objects(asks, f"{at}.topologyRequest")
            others = (key for key in asks if key not in _FIELDS)
            ignored |= dict.fromkeys(f"topologyRequest.{key}" for key in others)
            yield name, count, pod, {x: y for x, y in asks.items() if x in _FIELDS}
        else:
            replicas = _number(entry.get("replicas", 1), f"{at}.replicas")
            template = fields.objects(entry.get("template"), f"{at}.template")
            inner = fields.objects(template.get("spec"), f"{at}.template.spec")
            each = _pods_at_once(inner, at)
            pod = fields.objects(inner.get("template"), f"{at}.template.spec.template")
            yield name, replicas * each, pod, _annotations(pod, at)


def _pods_at_once(spec: Mapping[str, Any], at: str) -> int:
    """Return how many pods of a Job run at once: no more than have to complete."""
    count = _number(spec.get("parallelism", 1), f"{at}.parallelism")
    return min(count, _number(spec.get("completions", count), f"{at}.completions"))


def _annotations(pod: Mapping[str, Any], at: str) -> dict[str, Any]:
    metadata = fields.objects(pod.get("metadata") or {}, f"{at}.metadata")
    notes = fields.objects(metadata.get("annotations") or {}, f"{at}.annotations")
    return {x: notes[_KUEUE + y] for x, y in _FIELDS.items() if _KUEUE + y in notes}


def _number(value: Any, at: str) -> int:
    """Read a number; YAML and annotations have it as text."""
    if isinstance(value, str) and re.fullmatch(r"\d{1,9}", value, re.ASCII):
        return int(value)
    return fields.integer(value, at)


def _of_requests(
    job: GangJob,
    asked: Mapping[str, dict[str, Any]],
    levels: Sequence[str],
    ignored: dict[str, None],
) -> Iterator[tuple[str, JobConstraint | ObjectivePart]]:
    """Yield what the topology requests of pods ask for, with its place.

    Pod sets of one group are placed as one, the smaller sets first: what leads a group
    comes before what follows. Slices go through all of them where their size divides
    the number of pods, else through the larger set alone.
    """
    groups: dict[str, list[str]] = {}
    for name, request in asked.items():
        group = request.get("podSetGroupName")
        key = f"{name} alone" if group is None else fields.string(group, "group name")
        groups.setdefault(key, []).append(name)
    for names in groups.values():
        names.sort(key=lambda name: (job.role(name).count, name))
        roles, last = tuple(names), names[-1]
        for key in ("required", "preferred"):
            wanted = {
                _level(asked[name][key], levels, f"{name}.{key}"): f"{name}.{key}"
                for name in names
                if key in asked[name]
            }
            for level, at in wanted.items():
                part = ObjectivePart("domains", level, roles)
                yield at, within(level, roles) if key == "required" else part
        slices: dict[str, Slices] = {}
        for name in names:
            for at, level, size in _slices(asked[name], name, levels):
                whole = job.count(roles) % size == 0
                slices[level] = Slices(level, roles if whole else (name,), size)
                ignored |= {} if whole or name == last else {at: None}
        yield from ((f"slices of {one.level}", one) for one in slices.values())


def _slices(
    request: Mapping[str, Any], name: str, levels: Sequence[str]
) -> Iterator[tuple[str, str, int]]:
    """Yield place, level and size of the slices of a topology request."""
    key = "podSetSliceRequiredTopology"
    if key in request:
        at = f"{name}.podSetSliceSize"
        if "podSetSliceSize" not in request:
            raise InputError("is missing", at)
        level = _level(request[key], levels, f"{name}.{key}")
        yield at, level, _size(request["podSetSliceSize"], at)
    listed = request.get("podsetSliceRequiredTopologyConstraints", [])
    if isinstance(listed, str):
        listed = parse_json(listed)
    at = f"{name}.podsetSliceRequiredTopologyConstraints"
    for i, one in enumerate(fields.lists(listed, at)):
        entry = fields.objects(one, f"{at}[{i}]")
        fields.only(entry, ("topology", "size"), ("topology", "size"), f"{at}[{i}]")
        level = _level(entry["topology"], levels, f"{at}[{i}].topology")
        yield f"{at}[{i}]", level, _size(entry["size"], f"{at}[{i}].size")


def _size(value: Any, at: str) -> int:
    size = _number(value, at)
    if size < 1:
        raise InputError("must be at least 1", at, size)
    return size


def _level(value: Any, levels: Sequence[str], at: str) -> str:
    label = fields.string(value, at)
    if label == HOSTNAME:
        return NODE_NAME
    return label if label in levels else short(label)


# Slurm


def _of_slurm(text: str, levels: Sequence[str]) -> JobRequest:
    given: dict[str, str] = {}
    ignored: dict[str, None] = {}
    for name, value in _options(text):
        long = next((x for x, y in _SLURM.items() if name in (x, y)), None)
        if long is None:
            ignored[f"--{name}" if len(name) > 1 else f"-{name}"] = None
        else:
            given[long] = value
    if "nodes" not in given:
        raise InputError("is missing", "#SBATCH --nodes")
    roles = ("nodes",)
    devices = None
    device = "gpu"
    if "gpus-per-node" in given:
        model, _, gpus = given["gpus-per-node"].rpartition(":")
        devices = _number(gpus, "#SBATCH --gpus-per-node")
        device = f"gpu:{model}" if model else device
    role = Role("nodes", _number(given["nodes"], "#SBATCH --nodes"), devices)
    found: dict[str, JobConstraint] = {}
    if "segment" in given:
        at = "#SBATCH --segment"
        found[at] = Slices(levels[0], roles, _size(given["segment"], at))
    if "switches" in given:
        at = "#SBATCH --switches"
        most, _, wait = given["switches"].partition("@")
        ignored |= {"the time of --switches": None} if wait else {}
        found[at] = MostDomains(levels[0], roles, _size(most, at))
    for name, kind in (("nodelist", Require), ("exclude", Avoid)):
        if name in given:
            at = f"#SBATCH --{name}"
            found[at] = kind(frozenset(unfold(given[name], field=at)), roles)
    name = given.get("job-name", "job")
    job = GangJob((role,), tuple(found.values()))
    return JobRequest(name, job, device, tuple(found), False, tuple(ignored))


def _options(text: str) -> Iterator[tuple[str, str]]:
    """Yield the options of a batch script, without dashes, and their values."""
    for line in text.splitlines():
        if line.startswith("#SBATCH"):
            try:
                words = shlex.split(line[7:], comments=True)
            except ValueError:
                raise InputError("cannot be read", "#SBATCH", line[7:]) from None
            while words:
                word = words.pop(0)
                name, _, value = word.lstrip("-").partition("=")
                if word.startswith("--") or len(name) == 1:
                    if not value and words and not words[0].startswith("-"):
                        value = words.pop(0)
                    yield name, value
                else:
                    yield name[0], name[1:]
        elif line.strip() and not line.startswith("#"):
            return  # sbatch reads no further
