"""Workloads of Kueue with the topology domains that they were assigned.

Both forms of an assignment are read: ``domains`` with values and a count each
(v1beta1), and ``slices`` with values by level (v1beta2). A pod counts as a node, unless
the lowest level is the host name: then a node with several pods counts once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from ...instances import InputError
from ...instances.reading import fields
from ..topologies.fabric import MOST_NODES
from ..topologies.kubernetes import short
from ..topologies.label_families import HOSTNAME
from .decisions import Wish
from .records import NodeGroup, Record


def looks_like_kueue(entry: Mapping[str, Any]) -> bool:
    """Whether an object is a workload of Kueue."""
    return entry.get("kind") == "Workload"


def kueue_record(entry: Mapping[str, Any], where: str) -> Record | None:
    """Read a workload; None if it is not admitted to domains of a topology."""
    metadata = fields.objects(entry.get("metadata"), "metadata")
    status = fields.objects(entry.get("status") or {}, "status")
    admission = fields.objects(status.get("admission") or {}, "status.admission")
    listed = admission.get("podSetAssignments") or []
    at = "status.admission.podSetAssignments"
    assigned = [
        (i, one)
        for i, value in enumerate(fields.lists(listed, at))
        if (one := fields.objects(value, f"{at}[{i}]")).get("topologyAssignment")
    ]
    if not assigned:
        return None
    job = "/".join(
        fields.string(metadata[key], f"metadata.{key}")
        for key in ("namespace", "name")
        if key in metadata
    )
    wishes = dict(_requests(entry))
    parts = []
    for i, one in assigned:
        name = fields.string(one.get("name", "main"), f"{at}[{i}].name")
        shown = f"{job}/{name}" if len(listed) > 1 else job
        parts.append(
            _part(
                shown,
                fields.objects(one["topologyAssignment"], f"{at}[{i}]"),
                wishes.get(name, {}),
                f"{at}[{i}].topologyAssignment",
            )
        )
    times = dict(_times(status))
    start = times.get("Admitted", times.get("QuotaReserved"))
    if start is None:
        raise InputError("has no Admitted or QuotaReserved", "status.conditions")
    created = metadata.get("creationTimestamp")
    submit = start if created is None else _time(created, "metadata.creationTimestamp")
    return Record(where, tuple(parts), min(submit, start), start, times.get("Finished"))


def _times(status: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    at = "status.conditions"
    for i, value in enumerate(fields.lists(status.get("conditions") or [], at)):
        one = fields.objects(value, f"{at}[{i}]")
        if one.get("status") == "True":
            kind = fields.string(one.get("type"), f"{at}[{i}].type")
            where = f"{at}[{i}].lastTransitionTime"
            yield kind, _time(one.get("lastTransitionTime"), where)


def _time(value: Any, field: str) -> int:
    text = fields.string(value, field)
    try:
        return int(datetime.fromisoformat(text).timestamp())
    except (ValueError, OverflowError):
        raise InputError("must be a time of ISO 8601", field, text) from None


def _requests(entry: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    spec = fields.objects(entry.get("spec") or {}, "spec")
    for i, value in enumerate(fields.lists(spec.get("podSets") or [], "spec.podSets")):
        at = f"spec.podSets[{i}]"
        one = fields.objects(value, at)
        name = fields.string(one.get("name", "main"), f"{at}.name")
        asked = fields.objects(
            one.get("topologyRequest") or {}, f"{at}.topologyRequest"
        )
        yield name, asked


def _part(name: str, assignment: Any, asked: Mapping[str, Any], at: str) -> NodeGroup:
    levels = fields.strings(assignment.get("levels"), f"{at}.levels")
    if not levels:
        raise InputError("is empty", f"{at}.levels")
    pods: Counter[tuple[str, ...]] = Counter()
    total = 0
    for values, count in _domains(assignment, len(levels), at):
        pods[values] += count
        total += count
        if total > MOST_NODES:
            raise InputError(f"has more than {MOST_NODES} pods", at)
    if not total:
        raise InputError("has no pods", at)
    if levels[-1] != HOSTNAME:
        wish = Wish(total, levels=_groups(asked, total, 1))
        domains = tuple(("/".join(values), count) for values, count in pods.items())
        return NodeGroup(name, wish, domains=domains)
    shares = set(pods.values())
    share = shares.pop() if len(shares) == 1 else 0
    slices = asked.get("podSetSliceSize") or 1
    uneven = slices != 1 and (not share or slices % share != 0)
    groups = _groups(asked, len(pods), share or 1)
    hosts = ",".join(values[-1] for values in pods)
    return NodeGroup(name, Wish(len(pods), levels=groups), hosts, uneven=uneven)


def _groups(asked: Mapping[str, Any], k: int, share: int) -> dict[str, int]:
    """Return the sizes of groups by level; ``share`` pods are on each node."""
    found = {}
    if level := asked.get("podSetSliceRequiredTopology"):
        size = fields.integer(asked.get("podSetSliceSize"), "podSetSliceSize")
        found[level] = size // share
    if level := asked.get("required"):
        found[level] = k
    return {
        short(fields.string(level, "topologyRequest")): max(size, 1)
        for level, size in found.items()
        if level != HOSTNAME
    }


def _domains(
    assignment: Mapping[str, Any], levels: int, at: str
) -> Iterator[tuple[tuple[str, ...], int]]:
    for i, value in enumerate(
        fields.lists(assignment.get("domains") or [], f"{at}.domains")
    ):
        one = fields.objects(value, f"{at}.domains[{i}]")
        values = fields.strings(one.get("values"), f"{at}.domains[{i}].values")
        if len(values) != levels:
            raise InputError(f"must have {levels} values", f"{at}.domains[{i}].values")
        yield values, _count(one.get("count"), f"{at}.domains[{i}].count")
    for i, value in enumerate(
        fields.lists(assignment.get("slices") or [], f"{at}.slices")
    ):
        here = f"{at}.slices[{i}]"
        one = fields.objects(value, here)
        n = _count(one.get("domainCount"), f"{here}.domainCount")
        listed = fields.lists(one.get("valuesPerLevel"), f"{here}.valuesPerLevel")
        if len(listed) != levels:
            raise InputError(f"must have {levels} values", f"{here}.valuesPerLevel")
        columns = [
            _column(value, n, f"{here}.valuesPerLevel[{j}]")
            for j, value in enumerate(listed)
        ]
        yield from zip(
            zip(*columns, strict=True), _pod_counts(one, n, here), strict=True
        )


def _column(value: Any, n: int, at: str) -> Sequence[str]:
    """Return the values of one level: one for all domains, or a list."""
    one = fields.objects(value, at)
    alone = one.get("universal", one.get("universalValue"))
    if alone is not None:
        return [fields.string(alone, at)] * n
    one = fields.objects(one.get("individual", one), at)
    before, after = (
        fields.string(one.get(key) or "", f"{at}.{key}") for key in ("prefix", "suffix")
    )
    roots = fields.strings(one.get("roots"), f"{at}.roots")
    if len(roots) != n:
        raise InputError(f"must have {n} values", f"{at}.roots")
    return [f"{before}{root}{after}" for root in roots]


def _pod_counts(one: Mapping[str, Any], n: int, at: str) -> Sequence[int]:
    listed = one.get("podCounts")
    alone = one.get("universalPodCount")
    if isinstance(listed, dict):
        alone, listed = listed.get("universal"), listed.get("individual")
    if alone is not None:
        return [_count(alone, f"{at}.podCounts")] * n
    counts = [
        _count(c, f"{at}.podCounts") for c in fields.lists(listed, f"{at}.podCounts")
    ]
    if len(counts) != n:
        raise InputError(f"must have {n} values", f"{at}.podCounts")
    return counts


def _count(value: Any, field: str) -> int:
    number = fields.integer(value, field)
    if not 1 <= number <= MOST_NODES:
        raise InputError(f"must be from 1 to {MOST_NODES}", field, number)
    return number
