"""What nodes are, and which can stand for each other.

Partitions, features, generic resources or devices, architecture and taints are read
from reports of nodes: ``sinfo --json``, ``scontrol show nodes --json`` and ``kubectl
get nodes -o json``. Labels of Kubernetes that name a machine count as features. Memory
is not compared: machines that are alike report it with small differences.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..instances.reading import fields
from .node_states import OF_STATE, objects, taints_of

if TYPE_CHECKING:
    from .node_states import NodeReport

_PLAIN = ("cpu", "memory", "pods", "ephemeral-storage")
"""What every node of Kubernetes has; the rest of what is allocatable are devices."""
_MACHINE_LABELS = ("node.kubernetes.io/instance-type", "nvidia.com/gpu.product")
"""Labels of Kubernetes that say what a machine is."""
_NONE: frozenset[str] = frozenset()
_NOTHING = ("", "N/A", "(null)")
_COMPARED_LABELS = {*_MACHINE_LABELS, "kubernetes.io/arch", "kubernetes.io/os"}
"""Labels that all nodes of a kind have with the same values."""
_KUEUE = "kueue.x-k8s.io/"
"""Begins the labels of pods that Kueue has placed on their hosts."""
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_SAME_ARCHITECTURE = {"amd64": "x86_64", "arm64": "aarch64"}
"""Names of Kubernetes, and those of Slurm."""
_OF_KIND = (
    *("partitions", "partition", "features", "active_features", "gres", "gres_used"),
    *("architecture", "cpus"),
)
"""Fields of Slurm's nodes that are read here."""
_MOST_READ = 4096


@dataclass(frozen=True)
class NodeKind:
    """What a report states that a node is; equal kinds can stand for each other."""

    partitions: frozenset[str] = frozenset()
    features: frozenset[str] | None = None
    """The active ones; None: not stated."""
    devices: tuple[tuple[str, int], ...] | None = None
    """How many of each a job can have there; None: not stated."""
    architecture: str = ""
    cores: int = 0
    taints: frozenset[str] = frozenset()
    """Of Kubernetes, as ``KEY=VALUE:EFFECT``."""
    reservations: frozenset[str] = frozenset()
    """Of Slurm; `RESERVED` where the report does not name it."""
    closed: frozenset[str] = frozenset()
    """Those of the partitions that are not UP."""
    unclear: bool = False
    """Whether reports contradict each other, or one speaks of unlike nodes at once."""

    @property
    def taint_keys(self) -> frozenset[str]:
        """The keys of its taints."""
        return frozenset(taint.partition("=")[0] for taint in self.taints)

    @property
    def says_anything(self) -> bool:
        """Whether it is known what the machine is."""
        known = self.partitions, self.features, self.devices, self.architecture
        return any(known) or self.cores > 0

    def join(self, other: NodeKind) -> NodeKind:
        """Return what two entries say of one node together.

        ``sinfo`` lists a node once for each of its partitions; of two reports one may
        say what the other leaves out. A feature counts that none of them denies.
        """
        if self == other:
            return self
        both = [
            (one, two)
            for one, two in (
                (self.features, other.features),
                (self.devices, other.devices),
                (self.architecture or None, other.architecture or None),
                (self.cores or None, other.cores or None),
            )
            if one is not None and two is not None
        ]
        mine, theirs = self.features, other.features
        if mine is not None and theirs is not None:
            mine = mine & theirs
        return NodeKind(
            self.partitions | other.partitions,
            theirs if mine is None else mine,
            other.devices if self.devices is None else self.devices,
            self.architecture or other.architecture,
            self.cores or other.cores,
            self.taints | other.taints,
            self.reservations | other.reservations,
            self.closed | other.closed,
            self.unclear or other.unclear or any(one != two for one, two in both),
        )

    def less(self, used: Mapping[str, int]) -> NodeKind:
        """Return the kind without devices that are used.

        Slurm may count them with a type and use them without, or the other way round.
        Where it is open which are used, the node has less than none of that name: it
        is like no node of which nothing is used.
        """
        left = dict(self.devices or ())
        for name, n in used.items():
            like = [x for x in left if x == name] or [
                x
                for x in left
                if f"{x}:".startswith(f"{name}:") or f"{name}:".startswith(f"{x}:")
            ]
            key = like[0] if len(like) == 1 else name
            left[key] = left.get(key, 0) - n
        if not left:
            return self
        rest = ((name, n) for name, n in sorted(left.items()) if n)
        return replace(self, devices=tuple(rest))


_READ: dict[str, NodeKind] = {}
"""What was read lately, by its text."""


def kinds_of(reports: Iterable[NodeReport]) -> dict[str, NodeKind]:
    """Return what reports say together that nodes are.

    Devices that pods of DaemonSets and of the node itself ask for are not left.
    """
    kinds: dict[str, NodeKind] = {}
    asked: dict[str, dict[str, dict[str, int]]] = {}
    for report in reports:
        for name, kind in report.kinds.items():
            kinds[name] = kinds[name].join(kind) if name in kinds else kind
        for name, pods in report.devices.items():
            asked[name] = asked.get(name, {}) | pods
    for name, pods in asked.items():
        if name in kinds:
            used = sum(map(Counter, pods.values()), Counter[str]())
            kinds[name] = kinds[name].less(used)
    return kinds


def kind_in_slurm(entry: Mapping[str, Any], at: str, *, free: bool) -> NodeKind:
    """Read what a node is from an entry of ``scontrol show nodes`` or ``sinfo``.

    Of a free node only the devices count that no job uses. What many nodes have in
    common is read once.
    """
    told = {x: entry[x] for x in _OF_KIND if entry.get(x) is not None}
    key = f"{free} {told}"
    known = _READ.get(key)
    if known is None:
        if len(_READ) >= _MOST_READ:
            _READ.clear()
        known = _READ[key] = _read_kind(told, at, free=free)
    return known


def _read_kind(entry: Mapping[str, Any], at: str, *, free: bool) -> NodeKind:
    features = entry.get("active_features", entry.get("features"))
    gres, used = entry.get("gres", ""), entry.get("gres_used", "")
    cores, least = entry.get("cpus", 0), None
    if isinstance(features, dict):
        features = features.get("active", features.get("total", ""))
    if isinstance(gres, dict):
        gres, used = gres.get("total", ""), gres.get("used", "")
    if isinstance(cores, dict):
        least = cores.get("minimum")
        cores = cores.get("maximum", cores.get("number", 0))
    partitions = entry.get("partitions", entry.get("partition"))
    state = None
    if isinstance(partitions, dict):
        where = f"{at}.partition.partition"
        state = fields.objects(partitions.get("partition") or {}, where).get("state")
        partitions = partitions.get("name")
    names = frozenset(_words(partitions, f"{at}.partitions"))
    found = NodeKind(
        names,
        None if features is None else frozenset(_words(features, f"{at}.features")),
        tuple(sorted(_gres(gres, f"{at}.gres").items())) if "gres" in entry else None,
        fields.string(entry.get("architecture") or "", f"{at}.architecture"),
        fields.integer(cores, f"{at}.cpus"),
        closed=names if _words(state, f"{at}.partition") not in ([], ["UP"]) else _NONE,
        unclear=least not in (None, cores),
    )
    return found.less(_gres(used, f"{at}.gres_used")) if free else found


def used_in_slurm(entry: Mapping[str, Any], at: str) -> dict[str, dict[str, int]]:
    """Return the devices that jobs use of a node, as `NodeReport.used` has them."""
    used, gres = entry.get("gres_used"), entry.get("gres")
    if isinstance(gres, dict):
        used = gres.get("used")
    return {} if used is None else {"jobs": _gres(used, f"{at}.gres_used")}


def kind_in_kubernetes(item: Mapping[str, Any], at: str) -> NodeKind:
    """Read what a node is from an item of ``kubectl get nodes``."""
    metadata = fields.objects(item.get("metadata") or {}, f"{at}.metadata")
    labels = fields.objects(metadata.get("labels") or {}, f"{at}.labels")
    spec = fields.objects(item.get("spec") or {}, f"{at}.spec")
    status = fields.objects(item.get("status") or {}, f"{at}.status")
    info = fields.objects(status.get("nodeInfo") or {}, f"{at}.status.nodeInfo")
    offered = fields.objects(status.get("allocatable") or {}, f"{at}.allocatable")
    whole = fields.objects(status.get("capacity") or {}, f"{at}.capacity")
    cores = _quantity(whole.get("cpu", offered.get("cpu", "0")))
    machine = frozenset(f"{x}={labels[x]}" for x in _MACHINE_LABELS if x in labels)
    devices = tuple(sorted(_devices(offered, f"{at}.allocatable").items()))
    architecture = fields.string(info.get("architecture") or "", f"{at}.nodeInfo")
    architecture = _SAME_ARCHITECTURE.get(architecture, architecture)
    system = fields.string(info.get("operatingSystem") or "linux", f"{at}.nodeInfo")
    if system != "linux":
        architecture = f"{system} {architecture}"
    return NodeKind(
        features=machine or None,
        devices=devices if offered else None,
        architecture=architecture,
        cores=0 if cores is None else cores,
        taints=frozenset(
            f"{key}={one.get('value', '')}:{one.get('effect', '')}"
            for key, one in taints_of(spec, at)
            if not key.startswith(OF_STATE)
        ),
    )


def devices_of_pod(item: Mapping[str, Any], at: str) -> dict[str, int]:
    """Return the devices that the containers of a pod ask for together.

    Those that only prepare it have ended before the others begin.
    """
    spec = fields.objects(item.get("spec") or {}, f"{at}.spec")
    before, found = dict[str, int](), dict[str, int]()
    for key in ("initContainers", "containers"):
        for one in objects(spec.get(key) or [], f"{at}.spec.{key}"):
            asks = fields.objects(one.get("resources") or {}, f"{at}.resources")
            wants = dict[str, int]()
            for words in ("limits", "requests"):
                listed = fields.objects(asks.get(words) or {}, f"{at}.{words}")
                wants |= _devices(listed, at)
            stays = key == "containers" or one.get("restartPolicy") == "Always"
            for name, n in wants.items():
                alone = found.get(name, 0) + n
                if stays:
                    found[name] = alone
                before[name] = max(before.get(name, 0), alone)
    return before


def bound_of_pod(spec: dict[str, Any], metadata: dict[str, Any], at: str) -> str:
    """Return what ties a pod to some nodes of its kind; "" if nothing does."""
    selector = fields.objects(spec.get("nodeSelector") or {}, f"{at}.nodeSelector")
    labels = fields.objects(metadata.get("labels") or {}, f"{at}.labels")
    others = selector.keys() - _COMPARED_LABELS
    if any(label.startswith(_KUEUE) for label in labels):
        others -= {"kubernetes.io/hostname"}  # it will choose other hosts
    if others:
        return f"nodeSelector {fields.string(min(others), f'{at}.nodeSelector')}"
    affinity = fields.objects(spec.get("affinity") or {}, f"{at}.affinity")
    for key, terms in affinity.items():
        if fields.objects(terms or {}, f"{at}.affinity.{key}").get(_REQUIRED):
            return fields.string(key, f"{at}.affinity")
    return ""


def _devices(listed: Mapping[str, Any], at: str) -> dict[str, int]:
    found = {}
    for name, value in listed.items():
        if name in _PLAIN or name.startswith("hugepages-"):
            continue
        n = _quantity(value)
        key = fields.string(name, at)
        if n is None:  # what is not understood is at least compared
            key, n = f"{key}={fields.string(str(value), at)}", 1
        if n:
            found[key] = n
    return found


def _quantity(value: Any) -> int | None:
    """Return a quantity of Kubernetes, rounded up; None if it is none.

    >>> _quantity("63770m"), _quantity("1k"), _quantity(4), _quantity("many")
    (64, 1000, 4, None)
    """
    match = re.fullmatch(r"(\d{1,12})(m|k|[MGT]|[KMGT]i)?", str(value), re.ASCII)
    if match is None:
        return None
    n, unit = int(match[1]), match[2] or ""
    if unit == "m":
        return -(-n // 1000)
    base = 1024 if unit.endswith("i") else 1000
    return n * int(base ** " KMGT".index(unit[:1].upper() or " "))


def _words(value: Any, at: str) -> list[str]:
    """Return a list of words; older versions of Slurm give them in one text."""
    if isinstance(value, str):
        parts = re.split(r"[,\s]+", fields.string(value, at))
        return [x for x in parts if x not in _NOTHING]
    return [word for word in fields.strings(value or [], at) if word]


def _gres(text: Any, at: str) -> dict[str, int]:
    """Return generic resources, such as ``gpu:a100:4(S:0-1),shard:8``, by name."""
    found: dict[str, int] = {}
    named = fields.string(text or "", at).replace(":(null)", "")  # has no type
    bare = re.sub(r"\([^()]*\)", "", named)
    for one in bare.split(","):
        name, _, count = one.strip().rpartition(":")
        if not name:
            name, count = one.strip(), "1"
        if name in _NOTHING:
            continue
        size = re.fullmatch(r"(\d{1,12})([KMGT]?)", count)
        if size is None:  # a type without a number is one
            name, n = one.strip(), 1
        else:
            n = int(size[1]) * 1024 ** " KMGT".index(size[2] or " ")
        if n:
            found[name] = found.get(name, 0) + n
    return found


def interchangeable(
    kinds: Mapping[str, NodeKind], names: Collection[str]
) -> dict[str, int]:
    """Return a number for each node; nodes with the same one can stand for each other.

    Nodes of which nothing is stated are taken as alike; one of which it is unclear what
    it is, is like no other.
    """
    number: dict[NodeKind | str | None, int] = {}
    found = {}
    for name in names:
        kind = kinds.get(name)
        key = name if kind is not None and kind.unclear else kind
        found[name] = number.setdefault(key, len(number))
    return found


def note_of(kinds: Mapping[str, NodeKind], names: Collection[str]) -> str:
    """Return what has to be stated about how these nodes are compared; "" if they are.

    >>> note_of({}, ["n1", "n2"])
    'no report says what the nodes are: all are taken as alike'
    >>> note_of({"n1": NodeKind(cores=64)}, ["n1", "n2"])
    'no report says what 1 of the nodes are: these are taken as alike'
    """
    listed = [kinds.get(name) or NodeKind() for name in names]
    unknown = sum(not kind.says_anything for kind in listed)
    unclear = sum(kind.unclear for kind in listed)
    notes = []
    if unknown == len(names):
        notes.append("no report says what the nodes are: all are taken as alike")
    elif unknown:
        which = f"what {unknown} of the nodes are: these are taken as alike"
        notes.append(f"no report says {which}")
    if unclear:
        which = f"what {unclear} of the nodes are: each is like no other"
        notes.append(f"reports contradict each other on {which}")
    return "; ".join(notes)
