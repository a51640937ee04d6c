"""What nodes are: which a job may use, and which can stand for each other.

Partitions, features, generic resources or devices, architecture and taints are read
from reports of nodes: ``sinfo --json``, ``scontrol show nodes --json`` and ``kubectl
get nodes -o json``. Labels of Kubernetes that name a machine count as features. Memory
is not compared: machines that are alike report it with small differences.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ..instances import InputError, fields
from ..instances.suggestions import entry_named
from .node_states import objects, taints_of

if TYPE_CHECKING:
    from .node_states import Report

_PLAIN = ("cpu", "memory", "pods", "ephemeral-storage")
"""What every node of Kubernetes has; the rest of what is allocatable are devices."""
_MACHINE_LABELS = ("node.kubernetes.io/instance-type", "nvidia.com/gpu.product")
"""Labels of Kubernetes that say what a machine is."""
_OF_STATE = "node.kubernetes.io/"
"""Begins the taints that Kubernetes sets by conditions: states, which come and go."""
_NOTHING = ("", "N/A", "(null)")
_TOKEN = re.compile(r"\s*([&,|()]|[^\s&,|()]+)")
_OF_KIND = (
    *("partitions", "partition", "features", "active_features", "gres", "gres_used"),
    *("architecture", "cpus"),
)
"""Fields of Slurm's nodes that are read here."""
_MOST_READ = 4096
_MOST_CONSTRAINT = 4096
_MOST_DEPTH = 32


@dataclass(frozen=True)
class Kind:
    """What a report says that a node is; equal kinds can stand for each other."""

    partitions: frozenset[str] = frozenset()
    features: frozenset[str] = frozenset()
    devices: tuple[tuple[str, int], ...] = ()
    """How many of each a job can have there."""
    architecture: str = ""
    cores: int = 0
    taints: frozenset[str] = frozenset()

    @property
    def says_anything(self) -> bool:
        """Whether anything is known."""
        return self != Kind()

    def joined(self, other: Kind) -> Kind:
        """Return what two entries say of one node together.

        ``sinfo`` lists a node once for each of its partitions; of two reports one may
        say what the other leaves out.
        """
        return Kind(
            self.partitions | other.partitions,
            self.features | other.features,
            self.devices or other.devices,
            self.architecture or other.architecture,
            self.cores or other.cores,
            self.taints | other.taints,
        )

    def less(self, used: Mapping[str, int]) -> Kind:
        """Return the kind without devices that are used."""
        left = ((name, n - used.get(name, 0)) for name, n in self.devices)
        return replace(self, devices=tuple((name, n) for name, n in left if n > 0))


_READ: dict[str, Kind] = {}
"""What was read lately, by its text."""


def kinds_of(reports: Iterable[Report]) -> dict[str, Kind]:
    """Return what reports say together that nodes are.

    Devices that pods of DaemonSets and of the node itself ask for are not left.
    """
    kinds: dict[str, Kind] = {}
    used: dict[str, dict[str, int]] = {}
    for report in reports:
        for name, kind in report.kinds.items():
            kinds[name] = kinds[name].joined(kind) if name in kinds else kind
        used.update(report.devices)
    return {name: kind.less(used.get(name, {})) for name, kind in kinds.items()}


def kind_in_slurm(entry: Mapping[str, Any], at: str, *, free: bool) -> Kind:
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


def _read_kind(entry: Mapping[str, Any], at: str, *, free: bool) -> Kind:
    features = entry.get("active_features", entry.get("features"))
    gres, used = entry.get("gres", ""), entry.get("gres_used", "")
    cores = entry.get("cpus", 0)
    if isinstance(features, dict):
        features = features.get("active", features.get("total", ""))
    if isinstance(gres, dict):
        gres, used = gres.get("total", ""), gres.get("used", "")
    if isinstance(cores, dict):
        cores = cores.get("maximum", cores.get("number", 0))
    partitions = entry.get("partitions", entry.get("partition"))
    if isinstance(partitions, dict):
        partitions = partitions.get("name")
    found = Kind(
        frozenset(_words(partitions, f"{at}.partitions")),
        frozenset(_words(features, f"{at}.features")),
        tuple(sorted(_gres(gres, f"{at}.gres").items())),
        fields.string(entry.get("architecture") or "", f"{at}.architecture"),
        fields.integer(cores, f"{at}.cpus"),
    )
    return found.less(_gres(used, f"{at}.gres_used")) if free else found


def kind_in_kubernetes(item: Mapping[str, Any], at: str) -> Kind:
    """Read what a node is from an item of ``kubectl get nodes``."""
    metadata = fields.objects(item.get("metadata") or {}, f"{at}.metadata")
    labels = fields.objects(metadata.get("labels") or {}, f"{at}.labels")
    spec = fields.objects(item.get("spec") or {}, f"{at}.spec")
    status = fields.objects(item.get("status") or {}, f"{at}.status")
    info = fields.objects(status.get("nodeInfo") or {}, f"{at}.status.nodeInfo")
    offered = fields.objects(status.get("allocatable") or {}, f"{at}.allocatable")
    whole = fields.objects(status.get("capacity") or {}, f"{at}.capacity")
    cores = str(whole.get("cpu", offered.get("cpu", "0")))
    return Kind(
        features=frozenset(f"{x}={labels[x]}" for x in _MACHINE_LABELS if x in labels),
        devices=tuple(sorted(_devices(offered, f"{at}.allocatable").items())),
        architecture=fields.string(info.get("architecture") or "", f"{at}.nodeInfo"),
        cores=int(cores) if cores.isdecimal() and len(cores) < 10 else 0,
        taints=frozenset(
            f"{key}={one.get('value', '')}:{one.get('effect', '')}"
            for key, one in taints_of(spec, at)
            if not key.startswith(_OF_STATE)
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


def _devices(listed: Mapping[str, Any], at: str) -> dict[str, int]:
    found = {}
    for name, value in listed.items():
        if name in _PLAIN or name.startswith("hugepages-"):
            continue
        text = str(value)
        counts = text.isdecimal() and len(text) < 10  # others, such as 10G, do not
        if counts and (n := int(text)):
            found[fields.string(name, at)] = n
    return found


def _words(value: Any, at: str) -> list[str]:
    """Return a list of words; older versions of Slurm give them in one text."""
    if isinstance(value, str):
        return [x for x in re.split(r"[,\s]+", value) if x not in _NOTHING]
    return [word for word in fields.strings(value or [], at) if word]


def _gres(text: Any, at: str) -> dict[str, int]:
    """Return generic resources, such as ``gpu:a100:4(S:0-1),shard:8``, by name."""
    found: dict[str, int] = {}
    bare = re.sub(r"\([^()]*\)", "", fields.string(text or "", at))
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


@dataclass(frozen=True)
class Demand:
    """Which nodes a job asks for.

    Parameters
    ----------
    partition
        Of these partitions, separated by commas; empty for any.
    constraint
        Features, as ``sbatch --constraint`` has them: ``a&b``, ``a|b``, ``(a|b)&c``.

    Raises
    ------
    InputError
        If the constraint cannot be read, or asks for counts.
    """

    partition: str = ""
    constraint: str = ""
    partitions: tuple[str, ...] = field(init=False, repr=False)
    features: tuple[str, ...] = field(init=False, repr=False)
    """All that the constraint names."""
    _allows: Callable[[frozenset[str]], bool] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        listed = tuple(filter(None, map(str.strip, self.partition.split(","))))
        if self.partition and not listed:
            raise InputError("names no partition", "--partition", self.partition)
        named, allows = _read_constraint(self.constraint)
        object.__setattr__(self, "partitions", listed)
        object.__setattr__(self, "features", named)
        object.__setattr__(self, "_allows", allows)

    def allows(self, kind: Kind) -> bool:
        """Whether the job may use a node of this kind."""
        if self.partitions and not kind.partitions.intersection(self.partitions):
            return False
        return self._allows(kind.features)


def usable_nodes(kinds: Mapping[str, Kind], demand: Demand) -> set[str]:
    """Return the nodes that a job may use, whether they are free or not.

    Raises
    ------
    InputError
        If no report says what nodes are, though something is asked for; or none
        names such a partition or feature.
    """
    listed = set(kinds.values())
    for what, option, asked, known in (
        ("partition", "--partition", demand.partitions, [x.partitions for x in listed]),
        ("feature", "--constraint", demand.features, [x.features for x in listed]),
    ):
        names = dict.fromkeys(sorted(frozenset().union(*known)))
        if asked and not names:
            problem = f"needs a report of nodes with {what}s, such as sinfo --json"
            raise InputError(problem, option, ",".join(asked))
        for name in asked:
            entry_named(name, names, option, what)
    return {name for name, kind in kinds.items() if demand.allows(kind)}


def interchangeable(
    kinds: Mapping[str, Kind], names: Collection[str]
) -> dict[str, int]:
    """Return a number for each node; nodes with the same one can stand for each other.

    Nodes of which nothing is said are taken as alike.
    """
    number: dict[Kind | None, int] = {}
    return {name: number.setdefault(kinds.get(name), len(number)) for name in names}


def note_of(kinds: Mapping[str, Kind], names: Collection[str]) -> str:
    """Return what has to be said of how these nodes are compared; "" if they are.

    >>> note_of({}, ["n1", "n2"])
    'no report says what the nodes are: all are taken as alike'
    >>> note_of({"n1": Kind(cores=64)}, ["n1", "n2"])
    'no report says what 1 of the nodes are: these are taken as alike'
    """
    unknown = sum(name not in kinds for name in names)
    if not unknown:
        return ""
    if unknown == len(names):
        return "no report says what the nodes are: all are taken as alike"
    return f"no report says what {unknown} of the nodes are: these are taken as alike"


def _read_constraint(
    text: str,
) -> tuple[tuple[str, ...], Callable[[frozenset[str]], bool]]:
    """Return the features that a constraint names, and what it means.

    ``|`` binds less than ``&``, which a comma is, too.
    """
    if not text:
        return (), lambda _: True
    if len(text) > _MOST_CONSTRAINT:
        problem = f"has more than {_MOST_CONSTRAINT} characters"
        raise InputError(problem, "--constraint", text[:20])
    if bad := re.search(r"[\[\]*]", text):
        problem = f"counts of nodes and brackets ({bad[0]!r}) are not supported"
        raise InputError(problem, "--constraint", text)
    tokens = _TOKEN.findall(text.strip())
    position = 0

    def fail() -> InputError:
        seen = tokens[position] if position < len(tokens) else "the end"
        return InputError(f"cannot be read at {seen!r}", "--constraint", text)

    def operand(depth: int) -> Callable[[frozenset[str]], bool]:
        nonlocal position
        if position == len(tokens) or depth > _MOST_DEPTH:
            raise fail()
        token = tokens[position]
        if token == "(":
            position += 1
            found = alternatives(depth + 1)
            if position == len(tokens) or tokens[position] != ")":
                raise fail()
        elif token in "&,|)":
            raise fail()
        else:

            def found(features: frozenset[str]) -> bool:
                return token in features

        position += 1
        return found

    def all_of(depth: int) -> Callable[[frozenset[str]], bool]:
        nonlocal position
        parts = [operand(depth)]
        while position < len(tokens) and tokens[position] in "&,":
            position += 1
            parts.append(operand(depth))
        return lambda features: all(part(features) for part in parts)

    def alternatives(depth: int) -> Callable[[frozenset[str]], bool]:
        nonlocal position
        parts = [all_of(depth)]
        while position < len(tokens) and tokens[position] == "|":
            position += 1
            parts.append(all_of(depth))
        return lambda features: any(part(features) for part in parts)

    found = alternatives(0)
    if position < len(tokens):
        raise fail()
    return tuple(x for x in dict.fromkeys(tokens) if x not in "&,|()"), found
