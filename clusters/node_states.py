"""What a scheduler states of a node, and whether a job may have it.

The states that leave a node free are listed here; any other word, known or not, makes
it not free. The page docs/clusters/states.md has the lists with their sources.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ..instances import InputError
from ..instances.reading import fields
from ..scheduler import hostlist

if TYPE_CHECKING:
    from .kinds import NodeKind

BOOTS = frozenset({"POWERED_DOWN", "POWERING_UP"})
"""Flags of Slurm's nodes that are free, but have to boot first."""
FREE = BOOTS | {"IDLE", "CLOUD", "DYNAMIC_NORM", "DYNAMIC_FUTURE", "PLANNED"}
"""The state and the flags with which a node of Slurm is free."""
OF_STATE = "node.kubernetes.io/"
"""Begins the taints that Kubernetes sets by conditions: states, which come and go."""
_RESERVED = "RESERVED"
_HARMLESS_EFFECT = "PreferNoSchedule"
_MOST_NAMES = 2**22
"""Maximal number of times that a report names nodes."""
_LONGEST_REASON = 80


@dataclass(frozen=True, slots=True)
class NodeState:
    """What a report states of one node."""

    problem: str = ""
    """Why no job may have it, whatever is asked for; empty if nothing is against it."""
    taints: tuple[str, ...] = ()
    """Keys of taints that keep pods away."""
    reserved: bool = False
    reservations: tuple[str, ...] = ()
    boots: bool = False
    """Whether it has to boot before a job can run on it."""
    planned: bool = False
    """Whether Slurm plans to give it to a job that waits."""

    def merge(self, other: NodeState) -> NodeState:
        """Return what two entries, or reports, say together: the worse of the two."""
        problems = [x for one in (self, other) for x in one.problem.split("+") if x]
        return NodeState(
            "+".join(sorted(set(problems))),
            tuple(dict.fromkeys(self.taints + other.taints)),
            self.reserved or other.reserved,
            tuple(dict.fromkeys(self.reservations + other.reservations)),
            self.boots or other.boots,
            self.planned or other.planned,
        )


@dataclass(frozen=True)
class NodeRules:
    """What a job may have beyond the nodes that are free to every job."""

    reservation: str = ""
    """The reservation that it runs in, on whose nodes alone it may run."""
    boot: bool = True
    """Whether it may have nodes that must boot first."""
    tolerate: frozenset[str] = frozenset()
    """Keys of taints that it tolerates."""
    partitions: frozenset[str] = frozenset()
    """The partitions that it may run in; empty for all."""

    def reason(self, state: NodeState) -> str:
        """Return why it may not have a node, or an empty text if it may."""
        if state.problem:
            return state.problem
        if self.reservation and self.reservation not in state.reservations:
            return "outside the reservation"
        if state.reserved and not self.reservation:
            return _RESERVED
        if state.boots and not self.boot:
            return "must boot"
        for key in state.taints:
            if key not in self.tolerate:
                return f"taint {_legible(key)}"
        return ""


@dataclass
class NodeReport:
    """What one report states; names in the order in which they come."""

    source: str
    """The command, or ``jobs`` for lines of jobs."""
    file: str = ""
    nodes: dict[str, NodeState] = field(default_factory=dict)
    """The nodes of which it states a state."""
    holders: dict[str, dict[str, None]] = field(default_factory=dict)
    """The jobs or pods that hold a node."""
    states: dict[str, str] = field(default_factory=dict)
    """The states of the jobs and pods that hold nodes and do more than run, or less."""
    kinds: dict[str, NodeKind] = field(default_factory=dict)
    """What nodes are, where it states it."""
    devices: dict[str, dict[str, dict[str, int]]] = field(default_factory=dict)
    """The devices of a node that pods use which stay there, by pod."""
    used: dict[str, dict[str, dict[str, int]]] = field(default_factory=dict)
    """The devices of a node that other pods use, or jobs, under one name."""
    time: float | None = None
    """When it was made, in seconds since the epoch, where it states it."""
    names: int = 0
    """How often it names a node at all."""
    nobody: bool = False
    """Whether it states of jobs or pods, if it names no node, that none holds one."""

    def add(
        self,
        name: str,
        state: NodeState,
        kind: NodeKind | None = None,
        used: dict[str, dict[str, int]] | None = None,
    ) -> None:
        """Add what is stated about a node; of two entries the worse counts."""
        if state.problem and used:
            self.used[name] = used
        if kind is not None and (kind.says_anything or kind.taints or state.reserved):
            if state.reserved:
                named = frozenset(state.reservations) or {_RESERVED}
                kind = replace(kind, reservations=frozenset(named))
            other = self.kinds.get(name, kind)
            self.kinds[name] = kind if other == kind else other.join(kind)
        known = self.nodes.get(name)
        if known is None or known == state:
            self.nodes[name] = state
        else:
            self.nodes[name] = known.merge(state)

    def hold(self, job: str, nodes: str, at: str) -> None:
        """Add the nodes of a job, a hostlist."""
        for name in self.unfold(nodes, at):
            self.holders.setdefault(name, {})[job] = None

    def unfold(self, nodes: str, at: str) -> list[str]:
        """Return the names of a hostlist; all lists of a report have a limit."""
        found = hostlist.unfold(nodes, field=at, most=_MOST_NAMES - self.names)
        self.names += len(found)
        return found

    def seen(self, moment: float | None) -> None:
        """Take note of a time that is named; the newest is that of the report."""
        if moment is not None and (self.time is None or moment > self.time):
            self.time = moment


@lru_cache(maxsize=4096)
def state_of_slurm(words: frozenset[str], reservation: str = "") -> NodeState:
    """Return what the state and the flags of a node of Slurm mean.

    >>> state_of_slurm(frozenset({"IDLE", "DRAIN"})).problem
    'DRAIN'
    >>> state_of_slurm(frozenset({"IDLE", "POWERED_DOWN"})).boots
    True
    """
    others = sorted(words - FREE - {_RESERVED})
    problem = "+".join(map(_legible, others))[:_LONGEST_REASON]
    named = tuple(filter(None, reservation.split(",")))
    if not others and "IDLE" not in words:
        problem = "not IDLE"
    return NodeState(
        problem,
        reserved=bool(named) or _RESERVED in words,
        reservations=named,
        boots=bool(words & BOOTS),
        planned="PLANNED" in words,
    )


def state_of_kubernetes(entry: Mapping[str, Any], at: str) -> NodeState:
    """Return what the conditions and taints of a node of Kubernetes mean."""
    spec, conditions = _parts(entry, at)
    ready = [c.get("status") for c in conditions if c.get("type") == "Ready"]
    problem = ""
    if ready != ["True"]:
        problem = "not Ready"
    elif spec.get("unschedulable") not in (None, False):
        problem = "unschedulable"
    return _kubernetes(problem, tuple(key for key, _ in taints_of(spec, at)))


def taints_of(spec: Mapping[str, Any], at: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the taints that keep pods off a node of Kubernetes, after their keys."""
    taints = objects(spec.get("taints") or [], f"{at}.spec.taints")
    for i, taint in enumerate(taints):
        if taint.get("effect") != _HARMLESS_EFFECT:
            yield fields.string(taint.get("key"), f"{at}.spec.taints[{i}].key"), taint


@lru_cache(maxsize=4096)
def _kubernetes(problem: str, keys: tuple[str, ...]) -> NodeState:
    return NodeState(problem, keys)


def says_a_state(entry: Mapping[str, Any], at: str) -> bool:
    """Whether a node of Kubernetes carries its state, and not its labels only."""
    spec, conditions = _parts(entry, at)
    return bool(conditions or spec.get("unschedulable") or spec.get("taints"))


def heartbeats(entry: Mapping[str, Any], at: str) -> Iterator[float]:
    """Yield when the conditions of a node of Kubernetes were reported."""
    for condition in _parts(entry, at)[1]:
        moment = condition.get("lastHeartbeatTime")
        if isinstance(moment, str):
            try:
                read = datetime.fromisoformat(moment)
                zone = read.tzinfo or UTC
                yield read.replace(tzinfo=zone).timestamp()
            except (ValueError, OverflowError):
                where = f"{at}.status.conditions.lastHeartbeatTime"
                raise InputError("must be a time", where, moment) from None


def _parts(
    entry: Mapping[str, Any], at: str
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    spec = fields.objects(entry.get("spec") or {}, f"{at}.spec")
    status = fields.objects(entry.get("status") or {}, f"{at}.status")
    where = f"{at}.status.conditions"
    return spec, objects(status.get("conditions") or [], where)


def objects(value: Any, at: str) -> list[dict[str, Any]]:
    """Return a list of objects; InputError names the element that is none."""
    listed = fields.lists(value, at)
    return [fields.objects(entry, f"{at}[{i}]") for i, entry in enumerate(listed)]


def _legible(word: str) -> str:
    """Return a word of a report as it may be printed, never an empty text."""
    plain = word.isprintable() and word == word.strip() != ""
    return (word if plain else repr(word))[:_LONGEST_REASON]


def count_reasons(reasons: Iterable[str]) -> dict[str, int]:
    """Count nodes by reason, the most frequent first."""
    counts: dict[str, int] = {}
    for reason in reasons:
        counts[reason] = counts.get(reason, 0) + 1
    return dict(sorted(counts.items(), key=lambda one: (-one[1], one[0])))
