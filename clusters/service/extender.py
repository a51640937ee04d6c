"""A scheduler extender of Kubernetes: the nodes of a group of pods, one to a pod.

kube-scheduler asks for one pod after another. The first one of a group gets the nodes
of all chosen; the others get those of them that are still candidates. Pods say what
they need in annotations: ``closeknit/nodes``, and ``closeknit/group``, ``objective``,
``segment``, ``levels`` if need be. Field names are those of the package extender/v1 of
kube-scheduler.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any

import numpy as np

from ...instances import InputError
from ...instances.reading import fields
from ..placement.program import Flags
from ..topologies import Hierarchy
from .service import Service

PREFIX = "closeknit/"
_GROUPS = ("batch.kubernetes.io/job-name", "jobset.sigs.k8s.io/jobset-name")
"""Labels that name a group, if no annotation does."""
_MOST_SCORE = 10
_MOST_PLANS = 4096
_MOST_NAME, _MOST_SHOWN = 253, 63
"""Characters of names in Kubernetes, and of one that is stated about every node."""
_KEPT = 300.0
"""Seconds for which nodes of a group are kept after its last request."""


@dataclass
class _Plan:
    """The nodes of a group."""

    request: dict[str, Any]
    nodes: frozenset[str]
    used: float


class Extender:
    """Answers ``filter`` and ``prioritize``; for one thread.

    Parameters
    ----------
    service
        Chooses; nodes that its state states are busy are not taken.
    clock
        Returns a monotonic time in seconds.
    """

    def __init__(
        self, service: Service, clock: Callable[[], float] = monotonic
    ) -> None:
        self._service, self._clock = service, clock
        self._plans: OrderedDict[tuple[str, str], _Plan] = OrderedDict()

    def filter(self, body: dict[str, Any], free: Sequence[Flags]) -> dict[str, Any]:
        """Return an ExtenderFilterResult for ExtenderArgs.

        Raises InputError if the body is malformed; what is wrong with annotations is
        an ``Error`` in the result, which becomes an event of the pod.
        """
        pod, names, items = _arguments(body)
        why, failed, kept = "", dict[str, str](), names
        try:
            if (request := _request(pod)) is not None:
                nodes = self._nodes(pod, request, names, free)
                k, group = request["k"], _group(pod)[1][:_MOST_SHOWN]
                text = f"not among the {k} nodes chosen for {group}"
                if not nodes:
                    text = f"no choice of {k} nodes is possible for {group}"
                kept = [name for name in names if name in nodes]
                failed = {name: text for name in names if name not in nodes}
        except InputError as error:
            why, kept = str(error.of_json()), []
        inside, listed = set(kept), None
        if items is not None:
            left = [one for one in items if _name(one) in inside]
            listed = body["Nodes"] | {"items": left}
        return {
            "Nodes": listed,
            "NodeNames": kept if items is None else None,
            "FailedNodes": failed,
            "FailedAndUnresolvableNodes": {},
            "Error": why,
        }

    def prioritize(
        self, body: dict[str, Any], free: Sequence[Flags]
    ) -> list[dict[str, Any]]:
        """Return a HostPriorityList: 10 for chosen nodes, less for those farther off.

        Raises InputError if the body or an annotation is malformed.
        """
        pod, names, _ = _arguments(body)
        request = _request(pod)
        nodes = frozenset[str]()
        if request is not None:
            nodes = self._nodes(pod, request, names, free)
        near = self._near(nodes)
        return [{"Host": name, "Score": near(name)} for name in names]

    def _nodes(
        self,
        pod: dict[str, Any],
        request: dict[str, Any],
        names: list[str],
        free: Sequence[Flags],
    ) -> frozenset[str]:
        """Return the nodes of a pod's group, chosen now if need be; none if none fit.

        Nodes are chosen again when none of those before is a candidate.
        """
        key, now = _group(pod), self._clock()
        while self._plans and next(iter(self._plans.values())).used < now - _KEPT:
            self._plans.popitem(last=False)
        plan = self._plans.pop(key, None)
        if plan is None or plan.request != request or not plan.nodes & set(names):
            chosen = self._chosen(request, names, free)
            plan = _Plan(request, chosen, now) if chosen else None
        if plan is None:
            return frozenset()
        plan.used = now
        self._plans[key] = plan
        if len(self._plans) > _MOST_PLANS:
            self._plans.popitem(last=False)
        return plan.nodes

    def _chosen(
        self, request: dict[str, Any], names: list[str], free: Sequence[Flags]
    ) -> frozenset[str]:
        """Choose among the candidates, if possible none that another group has got."""
        selector = self._service.selector
        known = {name for name in names if name in selector.cluster.index}
        taken = {name for plan in self._plans.values() for name in plan.nodes} & known
        for without in (taken, ()) if taken else ((),):
            fits = zip(selector.free(known, without=without), free, strict=True)
            answer = self._service.select(request, [a & b for a, b in fits])
            if "chosen" in answer:
                return frozenset(answer["chosen"])
        return frozenset()

    def _near(self, nodes: frozenset[str]) -> Callable[[str], int]:
        """Return a function that scores nodes by the level they share with chosen ones.

        Nodes of a network that is no tree score 0 unless they are chosen.
        """
        index = self._service.selector.cluster.index
        fabrics = self._service.selector.cluster.fabrics
        if not nodes:
            return lambda name: 0
        at = index[next(iter(nodes))][0]
        fabric = fabrics[at]
        chosen = np.array([index[name][1] for name in nodes])
        below = (
            fabric.below(fabric.count(chosen))
            if isinstance(fabric, Hierarchy)
            else np.zeros(0)
        )

        def score(name: str) -> int:
            if name in nodes:
                return _MOST_SCORE
            place = index.get(name)
            if place is None or place[0] != at or not isinstance(fabric, Hierarchy):
                return 0
            v = int(fabric.home[place[1]])
            while not below[v]:
                v = int(fabric.parent[v])
            apart, height = int(fabric.level[v]), len(fabric.levels)
            return (_MOST_SCORE - 1) * (height - 1 - apart) // height

        return score


def _arguments(
    body: dict[str, Any],
) -> tuple[dict[str, Any], list[str], list[Any] | None]:
    """Return the pod, the names of the candidates, and their objects if given."""
    fields.only(body, ("Pod", "Nodes", "NodeNames"), ("Pod",), "")
    pod = fields.objects(body["Pod"], "Pod")
    if body.get("NodeNames") is not None:
        return pod, list(fields.strings(body["NodeNames"], "NodeNames")), None
    listed = fields.objects(body.get("Nodes"), "Nodes")
    items = fields.lists(listed.get("items"), "Nodes.items")
    names = [
        _name(fields.objects(one, f"Nodes.items[{i}]")) for i, one in enumerate(items)
    ]
    return pod, names, items


def _metadata(pod: dict[str, Any], key: str) -> dict[str, Any]:
    metadata = fields.objects(pod.get("metadata") or {}, "Pod.metadata")
    return fields.objects(metadata.get(key) or {}, f"Pod.metadata.{key}")


def _name(item: dict[str, Any]) -> str:
    metadata = fields.objects(item.get("metadata"), "metadata")
    return fields.string(metadata.get("name"), "metadata.name")


def _group(pod: dict[str, Any]) -> tuple[str, str]:
    """Return the namespace of a pod, and the name of its group or its own."""
    metadata = fields.objects(pod.get("metadata") or {}, "Pod.metadata")
    labels, given = _metadata(pod, "labels"), _metadata(pod, "annotations")
    found = [given.get(f"{PREFIX}group"), *map(labels.get, _GROUPS)]
    name = next((one for one in found if one), metadata.get("name", ""))
    space = fields.string(metadata.get("namespace", ""), "Pod.metadata.namespace")
    name = fields.string(name, "group")
    for one, key in ((space, "Pod.metadata.namespace"), (name, "group")):
        if len(one) > _MOST_NAME:
            problem = f"has more than {_MOST_NAME} characters"
            raise InputError(problem, key, one[:_MOST_SHOWN])
    return space, name


def _request(pod: dict[str, Any]) -> dict[str, Any] | None:
    """Return the request in a pod's annotations; None if it has none."""
    given = {
        key.removeprefix(PREFIX): fields.string(value, key)
        for key, value in _metadata(pod, "annotations").items()
        if key.startswith(PREFIX)
    }
    given.pop("group", None)
    if not given:
        return None
    fields.only(given, ("nodes", "objective", "segment", "levels"), ("nodes",), "")
    request: dict[str, Any] = {"k": _whole(given["nodes"], "nodes")}
    if "objective" in given:
        request["objective"] = given["objective"]
    if "segment" in given:
        request["segment"] = _whole(given["segment"], "segment")
    if "levels" in given:
        parts = [part.partition("=") for part in given["levels"].split(",")]
        request["levels"] = {
            name.strip(): _whole(size, "levels") for name, _, size in parts
        }
    return request


def _whole(text: str, field: str) -> int:
    if not text.strip().isdecimal() or len(text) > 7:
        raise InputError("must be a whole number", f"{PREFIX}{field}", text)
    return int(text)
