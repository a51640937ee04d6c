"""What nodes are: which a job may use, and which can stand for each other.

Partitions, features, generic resources or devices, architecture and taints are read
from reports of nodes: ``sinfo --json``, ``scontrol show nodes --json`` and ``kubectl
get nodes -o json``. Memory is not compared: machines that are alike report it with
small differences.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..instances import InputError, fields
from ..instances.suggestions import entry_named
from .node_states import objects, taints_of

_PLAIN = ("cpu", "memory", "pods", "ephemeral-storage")
"""What every node of Kubernetes has; the rest of what is allocatable are devices."""
_TOKEN = re.compile(r"\s*([&,|()]|[^\s&,|()]+)")
_MOST_CONSTRAINT = 4096
_MOST_DEPTH = 32


@dataclass(frozen=True)
class Kind:
    """What a report says that a node is; equal kinds can stand for each other."""

    partitions: frozenset[str] = frozenset()
    features: frozenset[str] = frozenset()
    devices: tuple[tuple[str, int], ...] = ()
    """How many of each; of a free node those that nothing uses."""
    architecture: str = ""
    cores: int = 0
    taints: frozenset[str] = frozenset()

    def joined(self, other: Kind) -> Kind:
        """Return what two entries of a report say of one node together.

        ``sinfo`` lists a node once for each of its partitions.
        """
        return replace(
            self,
            partitions=self.partitions | other.partitions,
            features=self.features | other.features,
        )


def kind_in_slurm(entry: Mapping[str, Any], at: str, *, free: bool) -> Kind:
    """Read what a node is from an entry of ``scontrol show nodes`` or ``sinfo``.

    Of a free node only the devices count that no job uses.
    """
    features = entry.get("active_features", entry.get("features", ()))
    gres, used = entry.get("gres", ""), entry.get("gres_used", "")
    cores = entry.get("cpus", 0)
    if isinstance(features, dict):
        features = features.get("active", features.get("total", ""))
    if isinstance(gres, dict):
        gres, used = gres.get("total", ""), gres.get("used", "")
    if isinstance(cores, dict):
        cores = cores.get("maximum", 0)
    partitions = entry.get("partitions", entry.get("partition", ()))
    if isinstance(partitions, dict):
        partitions = [partitions.get("name", "")]
    return Kind(
        frozenset(_words(partitions, f"{at}.partitions")),
        frozenset(_words(features, f"{at}.features")),
        _left(_gres(gres, f"{at}.gres"), _gres(used, f"{at}.gres_used"), free=free),
        fields.string(entry.get("architecture") or "", f"{at}.architecture"),
        fields.integer(cores, f"{at}.cpus"),
    )


def kind_in_kubernetes(
    item: Mapping[str, Any], at: str, used: Mapping[str, int], *, free: bool
) -> Kind:
    """Read what a node is from an item of ``kubectl get nodes``.

    ``used`` are the devices that pods on it ask for (see `devices_of_pod`).
    """
    spec = fields.objects(item.get("spec") or {}, f"{at}.spec")
    status = fields.objects(item.get("status") or {}, f"{at}.status")
    info = fields.objects(status.get("nodeInfo") or {}, f"{at}.status.nodeInfo")
    offered = fields.objects(status.get("allocatable") or {}, f"{at}.allocatable")
    cores = str(offered.get("cpu", "0"))
    return Kind(
        devices=_left(_devices(offered, f"{at}.allocatable"), used, free=free),
        architecture=fields.string(info.get("architecture") or "", f"{at}.nodeInfo"),
        cores=int(cores) if cores.isdecimal() and len(cores) < 10 else 0,
        taints=frozenset(
            f"{key}={one.get('value', '')}:{one.get('effect', '')}"
            for key, one in taints_of(spec, at)
        ),
    )


def devices_of_pod(item: Mapping[str, Any], at: str) -> dict[str, int]:
    """Return the devices that the containers of a pod ask for."""
    spec = fields.objects(item.get("spec") or {}, f"{at}.spec")
    found: dict[str, int] = {}
    for one in objects(spec.get("containers") or [], f"{at}.spec.containers"):
        asks = fields.objects(one.get("resources") or {}, f"{at}.resources")
        wants = asks.get("requests") or asks.get("limits") or {}
        for name, n in _devices(fields.objects(wants, f"{at}.requests"), at).items():
            found[name] = found.get(name, 0) + n
    return found


def _devices(listed: Mapping[str, Any], at: str) -> dict[str, int]:
    found = {}
    for name, value in listed.items():
        if name in _PLAIN or name.startswith("hugepages-"):
            continue
        text = str(value)
        if text.isdecimal() and len(text) < 10:  # others, such as 10G, are no devices
            found[fields.string(name, at)] = int(text)
    return found


def _left(
    total: Mapping[str, int], used: Mapping[str, int], *, free: bool
) -> tuple[tuple[str, int], ...]:
    left = {
        name: max(0, n - used.get(name, 0)) if free else n for name, n in total.items()
    }
    return tuple(sorted((name, n) for name, n in left.items() if n))


def _words(value: Any, at: str) -> list[str]:
    """Return a list of words; older versions of Slurm give them in one text."""
    if isinstance(value, str):
        return [word for word in re.split(r"[,\s]+", value) if word]
    return [word for word in fields.strings(list(value or ()), at) if word]


def _gres(text: Any, at: str) -> dict[str, int]:
    """Return generic resources, such as ``gpu:a100:4(S:0-1),shard:8``, by name."""
    found: dict[str, int] = {}
    bare = re.sub(r"\([^()]*\)", "", fields.string(text or "", at))
    for one in bare.split(","):
        name, _, count = one.strip().rpartition(":")
        if not name:
            name, count = one.strip(), "1"
        if name in ("", "N/A"):
            continue
        size = re.fullmatch(r"(\d{1,12})([KMGT]?)", count)
        if size is None:  # a type without a number is one
            name, n = one.strip(), 1
        else:
            n = int(size[1]) * 1024 ** " KMGT".index(size[2] or " ")
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
    _features: Callable[[frozenset[str]], bool] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        allows = _read_constraint(self.constraint) if self.constraint else _anything
        object.__setattr__(self, "_features", allows)

    def __bool__(self) -> bool:
        return bool(self.partition or self.constraint)

    def allows(self, kind: Kind) -> bool:
        """Whether the job may use a node of this kind."""
        wanted = set(self.partition.split(",")) if self.partition else None
        if wanted is not None and not wanted & kind.partitions:
            return False
        return self._features(kind.features)


def usable_nodes(kinds: Mapping[str, Kind], demand: Demand) -> set[str]:
    """Return the nodes that a job may use, whether they are free or not.

    Raises
    ------
    InputError
        If no report says what nodes are, though something is asked for; or no node
        is in the partition, or has a feature.
    """
    if demand and not any(kind.partitions or kind.features for kind in kinds.values()):
        option = "--partition" if demand.partition else "--constraint"
        problem = "needs a report of nodes that says it, such as sinfo --json"
        raise InputError(problem, option, demand.partition or demand.constraint)
    for name in filter(None, demand.partition.split(",")):
        known = {one for kind in kinds.values() for one in kind.partitions}
        entry_named(name, dict.fromkeys(sorted(known)), "--partition", "partition")
    return {name for name, kind in kinds.items() if demand.allows(kind)}


def interchangeable(
    kinds: Mapping[str, Kind], names: Collection[str]
) -> dict[str, int]:
    """Return a number for each node; nodes with the same one can stand for each other.

    Nodes of which nothing is said are taken as alike.
    """
    number: dict[Kind | None, int] = {}
    return {name: number.setdefault(kinds.get(name), len(number)) for name in names}


def note_of(kinds: Iterable[Kind]) -> str:
    """Return what has to be said of how nodes are compared; "" if they are.

    >>> note_of([])
    'no report says what the nodes are: all are taken as alike'
    """
    if any(kind != Kind() for kind in kinds):
        return ""
    return "no report says what the nodes are: all are taken as alike"


def _anything(features: frozenset[str]) -> bool:
    return True


def _read_constraint(text: str) -> Callable[[frozenset[str]], bool]:
    """Read a constraint: ``|`` binds less than ``&``, which a comma is, too."""
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
    return found
