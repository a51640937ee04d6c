"""A job of several parts: what it asks for, and what a placement of it is.

A placement lists the node of every pod of each role, in the order of their ranks;
`ABSENT` stands for a pod that is not placed, which only a job may have whose count was
left out (`GangJob.without`). What the constraints mean is in `constraints`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from ...instances import InputError
from ...instances.words import with_noun
from .domains import DomainTree, NodeDevices

if TYPE_CHECKING:
    from .model import JobModel

MOST_PODS = 10**6
"""Of all roles of a job."""
MOST_ROLES = 64
MOST_DEVICES = 2**31
ABSENT = -1
JobPlacement = Mapping[str, Sequence[int]]
"""The nodes of the pods of each role."""


@dataclass(frozen=True)
class Role:
    """Pods that are alike.

    Parameters
    ----------
    name
        Of the role.
    count
        Number of pods.
    devices
        How many devices of its node a pod takes; None: the whole node, on which then
        nothing else is, and all of whose devices must be free.
    """

    name: str
    count: int
    devices: int | None = None


@dataclass(frozen=True)
class GiveWay:
    """One way in which a constraint can give way."""

    what: str
    values: Sequence[Any]
    """Those to try, the one that gives way least first."""
    with_value: Callable[[Any], GangJob]
    steady: bool = True
    """Whether all values behind one that fits do so, too."""


class JobConstraint(ABC):
    """What a placement has to keep; each kind is a class of its own."""

    roles: tuple[str, ...]
    """The roles it is about, in the order in which it takes their pods."""
    is_steady: ClassVar[bool] = True
    """Whether fewer pods keep it where more did."""

    words: ClassVar[str] = ""

    @property
    def text(self) -> str:
        """What it asks for, in words."""
        return self.words.format(self)

    @abstractmethod
    def refuse(self, job: GangJob, tree: DomainTree, at: str) -> None:
        """Raise InputError for what is unknown or contradictory; ``at``: its place."""

    @abstractmethod
    def holds(self, job: GangJob, where: JobPlacement, devices: NodeDevices) -> bool:
        """Whether a placement keeps it, from the definition."""

    def add(self, model: JobModel) -> None:
        """Add it to a model that has pieces, and no pods on nodes of no use."""
        return

    def shifts(self, job: GangJob) -> bool:
        """Whether with fewer pods of a role others belong together."""
        return False

    def fewer(self, job: GangJob, role: str) -> GiveWay | None:
        """Return how a role gets fewer pods if others do, too; None: by itself."""
        return None

    def axes(self, job: GangJob, tree: DomainTree) -> Iterator[GiveWay]:
        """Yield the ways in which it can give way, beyond being left out."""
        yield from ()


@dataclass(frozen=True)
class RoleCount(JobConstraint):
    """All pods of a role are placed."""

    role: str
    words = "the number of pods of {0.role}"

    @property
    def roles(self) -> tuple[str, ...]:  # type: ignore[override]
        """The one."""
        return (self.role,)

    def refuse(self, job: GangJob, tree: DomainTree, at: str) -> None:
        """Raise nothing: roles are refused by `GangJob.refuse`."""

    def holds(self, job: GangJob, where: JobPlacement, devices: NodeDevices) -> bool:
        """Whether no pod is absent."""
        return ABSENT not in where[self.role]

    def axes(self, job: GangJob, tree: DomainTree) -> Iterator[GiveWay]:
        """Yield fewer pods; of roles that come in groups fewer groups."""
        for one in job.constraints:
            if fewer := one.fewer(job, self.role):
                yield fewer
                return
        count = job.role(self.role).count
        yield GiveWay(
            "count",
            range(count - 1, 0, -1),
            lambda value: job.resize({self.role: value}),
            job.is_steady,
        )


@dataclass(frozen=True)
class ObjectivePart:
    """A number to minimise: each is a sum over domains.

    Parameters
    ----------
    kind
        ``domains``: those of a level with a pod. ``fragmentation``: by how much the sum
        of the squares of free devices drops, over all domains but the root, and over
        nodes. ``hops``: between all pairs of pods. ``balance``: the sum of the squares
        of the numbers of pods in the domains of a level.
    level
        Of domains and balance.
    roles
        Those whose pods count for domains and balance; empty for all.
    """

    kind: str
    level: str = ""
    roles: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What it is called in answers."""
        of = f"({', '.join(self.roles)})" if self.roles else ""
        return " ".join(filter(None, (self.kind, self.level, of)))

    def refuse(self, job: GangJob, tree: DomainTree, at: str) -> None:
        """Raise InputError for what is unknown or contradictory."""
        if self.kind not in KINDS:
            problem = f"must be one of {', '.join(KINDS)}"
            raise InputError(problem, at, self.kind)
        if self.kind in _OF_LEVELS:
            tree.level_number(self.level, f"{at}.level")
        elif self.level or self.roles:
            raise InputError("is for domains and balance", f"{at}.level or roles")
        job.refuse_roles(self.roles, f"{at}.roles", empty=True)

    def value(self, job: GangJob, where: JobPlacement, devices: NodeDevices) -> int:
        """Return the number for a placement, from the definition."""
        tree = devices.tree
        pods: Counter[int] = Counter()
        used: Counter[int] = Counter()
        for role in job.roles:
            if not self.roles or role.name in self.roles:
                for node in where[role.name]:
                    if node != ABSENT:
                        pods[node] += 1
                        whole = int(devices.whole[node])
                        used[node] += whole if role.devices is None else role.devices
        if self.kind in _OF_LEVELS:
            level = tree.level_number(self.level)
            inside: Counter[int | None] = Counter()
            for node, n in pods.items():
                inside[tree.climb(level, node)] += n
            inside.pop(None, None)
            if self.kind == "domains":
                return len(inside)
            return sum(n * n for n in inside.values())
        if self.kind == "hops":
            total, found = sum(pods.values()), 0
            for n in pods.values():
                found += 2 * n * (total - n)
            for v, n in _below(tree, pods).items():
                found += int(tree.weight[v]) * n * (total - n) if v else 0
            return found // 2
        free = Counter({i: max(0, int(n)) for i, n in enumerate(devices.free)})
        pairs = [(used[i], free[i]) for i in used]
        below = _below(tree, free)
        pairs += [(n, below[v]) for v, n in _below(tree, used).items() if v]
        return sum(n * (2 * f - n) for n, f in pairs)


KINDS = ("domains", "fragmentation", "hops", "balance")
_OF_LEVELS = ("domains", "balance")


@dataclass(frozen=True)
class GangJob:
    """A job of several parts.

    Parameters
    ----------
    roles
        Its parts.
    constraints
        What a placement has to keep, beyond the devices of nodes.
    objective
        What is minimised, part after part.
    open_counts
        Roles whose pods need not all be placed: those whose counts were left out.
    """

    roles: tuple[Role, ...]
    constraints: tuple[JobConstraint, ...] = ()
    objective: tuple[ObjectivePart, ...] = ()
    open_counts: frozenset[str] = frozenset()

    def role(self, name: str) -> Role:
        """Return the role of a name."""
        return self._by_name[name]

    @cached_property
    def _by_name(self) -> dict[str, Role]:
        return {role.name: role for role in self.roles}

    @property
    def pods(self) -> int:
        """Number of pods of all roles."""
        return sum(role.count for role in self.roles)

    def count(self, roles: Sequence[str]) -> int:
        """Return the number of pods of some roles."""
        return sum(self.role(name).count for name in roles)

    def ranks(self, roles: Sequence[str]) -> list[tuple[str, int]]:
        """Return the pods of roles, one role after the other: role and rank."""
        return [(name, i) for name in roles for i in range(self.role(name).count)]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the roles."""
        return tuple(role.name for role in self.roles)

    @property
    def members(self) -> tuple[JobConstraint, ...]:
        """All that can clash: the counts of roles, and the constraints."""
        counts = (RoleCount(x) for x in self.names if x not in self.open_counts)
        return (*counts, *self.constraints)

    @property
    def is_steady(self) -> bool:
        """Whether a job with fewer pods fits where this one does."""
        steady = (x.is_steady and not x.shifts(self) for x in self.constraints)
        return all(steady)

    def without(self, *members: JobConstraint) -> GangJob:
        """Return the job without constraints or counts; objectives are left out, too.

        Pods of a role whose count is left out keep their ranks, but need not be placed,
        so that whatever fitted before does so still.
        """
        gone = {one.role for one in members if isinstance(one, RoleCount)}
        left = tuple(one for one in self.constraints if one not in members)
        return replace(
            self, constraints=left, objective=(), open_counts=self.open_counts | gone
        )

    def exchange(self, old: JobConstraint, new: JobConstraint) -> GangJob:
        """Return the job with another constraint in the place of one."""
        found = tuple(new if one == old else one for one in self.constraints)
        return replace(self, constraints=found)

    def resize(self, counts: Mapping[str, int]) -> GangJob:
        """Return the job with other numbers of pods."""
        return replace(
            self,
            roles=tuple(
                replace(role, count=counts.get(role.name, role.count))
                for role in self.roles
            ),
        )

    def refuse_roles(self, roles: Sequence[str], at: str, empty: bool = False) -> None:
        """Raise InputError for roles that are unknown or named twice."""
        if not roles and not empty:
            raise InputError("must not be empty", at)
        for name, n in Counter(roles).items():
            if name not in self.names:
                known = ", ".join(self.names)
                raise InputError(f"no such role (there are: {known})", at, name)
            if n > 1:
                raise InputError("is named twice", at, name)

    def refuse(self, tree: DomainTree, places: Sequence[str] = ()) -> None:
        """Raise InputError for what is unknown, contradictory or absurd.

        ``places`` are those of the constraints, in messages.
        """
        if not 1 <= len(self.roles) <= MOST_ROLES:
            problem = f"must be from 1 to {MOST_ROLES} roles"
            raise InputError(problem, "roles", len(self.roles))
        names: set[str] = set()
        for i, role in enumerate(self.roles):
            at = f"roles[{i}]"
            if role.name in names:
                raise InputError("is there twice", f"{at}.name", role.name)
            names.add(role.name)
            if not 1 <= role.count <= MOST_PODS:
                problem = f"must be from 1 to {MOST_PODS}"
                raise InputError(problem, f"{at}.count", role.count)
            if role.devices is not None and not 0 <= role.devices < MOST_DEVICES:
                problem = f"must be from 0 to {MOST_DEVICES - 1}"
                raise InputError(problem, f"{at}.devices", role.devices)
        if self.pods > MOST_PODS:
            problem = f"must have at most {MOST_PODS} pods in all"
            raise InputError(problem, "roles", self.pods)
        for i, one in enumerate(self.constraints):
            at = places[i] if places else f"constraints[{i}]"
            one.refuse(self, tree, at)
            if one in self.constraints[:i]:
                raise InputError("is there twice", at)
        for i, part in enumerate(self.objective):
            part.refuse(self, tree, f"objective[{i}]")

    def violations(self, where: JobPlacement, devices: NodeDevices) -> list[str]:
        """Return what a placement does not keep, from the definitions; empty if all."""
        found = [
            one.text for one in self.members if not one.holds(self, where, devices)
        ]
        if not self._fits_devices(where, devices):
            found.insert(0, "the devices of nodes")
        return found

    def _fits_devices(self, where: JobPlacement, devices: NodeDevices) -> bool:
        on: dict[int, list[int | None]] = {}
        for role in self.roles:
            if len(where[role.name]) != role.count:
                return False
            for node in where[role.name]:
                if node != ABSENT:
                    on.setdefault(node, []).append(role.devices)
        for node, pods in on.items():
            free, whole = int(devices.free[node]), int(devices.whole[node])
            if None in pods:
                if len(pods) > 1 or free != whole:
                    return False
            elif free < 0 or sum(n or 0 for n in pods) > free:
                return False
        return True

    def value(self, where: JobPlacement, devices: NodeDevices) -> tuple[int, ...]:
        """Return the numbers of the objective for a placement."""
        return tuple(part.value(self, where, devices) for part in self.objective)

    @property
    def text(self) -> str:
        """What is asked for, in words."""
        pods = [f"{with_noun(x.count, 'pod')} of {x.name}" for x in self.roles]
        return "; ".join([", ".join(pods), *(one.text for one in self.constraints)])


def _below(tree: DomainTree, at_nodes: Counter[int]) -> Counter[int]:
    """Return sums over the nodes below each domain, where there are any."""
    found: Counter[int] = Counter()
    for node, n in at_nodes.items():
        v = int(tree.home[node])
        while v >= 0:
            found[v] += n
            v = int(tree.parent[v])
    return found
