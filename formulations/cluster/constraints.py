"""What a job of parts may ask for: each kind of constraint is a class of its own.

A constraint with a level wants its pods in domains of that level: a node that is in
none of them is of no use to it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from ...instances import InputError, IntArray
from .domains import NODE, NOWHERE, DomainTree, NodeDevices
from .job import ABSENT, Axis, GangJob, JobConstraint, JobPlacement, domain_of

if TYPE_CHECKING:
    from .model import JobModel

MOST_SIZE = 2**31


@dataclass(frozen=True)
class AtLevel(JobConstraint):
    """A constraint about the domains of a level."""

    level: str
    roles: tuple[str, ...]

    def refuse(self, job: GangJob, tree: DomainTree, at: str) -> None:
        """Raise InputError for unknown levels and roles."""
        tree.level_number(self.level, f"{at}.level")
        job.refuse_roles(self.roles, f"{at}.roles")

    def inside(
        self, job: GangJob, where: JobPlacement, devices: NodeDevices
    ) -> dict[str, Counter[int | None]]:
        """Return by role how many of its pods are in each domain of the level."""
        tree = devices.tree
        level = tree.level_number(self.level)
        return {
            name: Counter(
                domain_of(tree, level, node) for node in where[name] if node != ABSENT
            )
            for name in self.roles
        }

    def together(
        self, job: GangJob, where: JobPlacement, devices: NodeDevices
    ) -> Counter[int | None]:
        """Return how many pods of all its roles are in each domain of the level."""
        return sum(self.inside(job, where, devices).values(), Counter[int | None]())

    @property
    def of(self) -> str:
        """The roles, in words."""
        return f" ({', '.join(self.roles)})"

    def higher(self, job: GangJob, tree: DomainTree) -> Axis:
        """Return the way in which the level is one farther up."""
        above = [*tree.above(tree.level_number(self.level))]
        return self._other_level(job, [tree.level_name(x) for x in above])

    def lower(self, job: GangJob, tree: DomainTree) -> Axis:
        """Return the way in which the level is one farther down."""
        below = range(tree.level_number(self.level) - 1, NODE - 1, -1)
        return self._other_level(job, [tree.level_name(x) for x in below])

    def _other_level(self, job: GangJob, names: list[str]) -> Axis:
        return Axis(
            "level", names, lambda name: job.exchange(self, replace(self, level=name))
        )


class InPieces(AtLevel):
    """Pieces of a job, each of which is within one domain."""

    @abstractmethod
    def labels(self, job: GangJob) -> IntArray:
        """Return the number of the piece of every pod, in the order of the roles."""

    def holds(self, job: GangJob, where: JobPlacement, devices: NodeDevices) -> bool:
        """Whether each piece is within one domain."""
        tree = devices.tree
        level = tree.level_number(self.level)
        for piece in self.pieces(job):
            nodes = {where[name][i] for name, i in piece} - {ABSENT}
            domains = {domain_of(tree, level, node) for node in nodes}
            if len(domains) > 1 or None in domains:
                return False
        return True


@dataclass(frozen=True)
class Slices(InPieces):
    """The pods of roles, cut into slices of a size; each is within one domain.

    The roles come one after the other, their pods by rank. The last slice is smaller
    where the size does not divide the number of pods. A size of at least that number
    is one slice: all pods within one domain.
    """

    size: int

    @property
    def text(self) -> str:
        """What it asks for, in words."""
        if self.size >= MOST_SIZE:
            return f"all within one {self.level}{self.of}"
        return f"slices of {self.size} within one {self.level}{self.of}"

    def refuse(self, job: GangJob, tree: DomainTree, at: str) -> None:
        """Raise InputError, also for sizes that do not nest."""
        super().refuse(job, tree, at)
        if not 1 <= self.size <= MOST_SIZE:
            problem = f"must be from 1 to {MOST_SIZE}"
            raise InputError(problem, f"{at}.size", self.size)
        pods = len(job.ranks(self.roles))
        level = tree.level_number(self.level)
        for other in job.constraints:
            if isinstance(other, Slices) and other.roles == self.roles:
                below = tree.level_number(other.level)
                if other is not self and below == level:
                    raise InputError("has slices already", f"{at}.level", self.level)
                if below < level and self.size < pods and self.size % other.size:
                    problem = f"must be a multiple of that of {other.level}"
                    raise InputError(f"{problem}, {other.size}", at, self.size)

    def pieces(self, job: GangJob) -> Iterator[list[tuple[str, int]]]:
        """Yield the slices."""
        ranks = job.ranks(self.roles)
        for begin in range(0, len(ranks), self.size):
            yield ranks[begin : begin + self.size]

    def labels(self, job: GangJob) -> IntArray:
        """Return the number of the slice of every pod, in the order of the roles."""
        return np.arange(sum(job.role(x).count for x in self.roles)) // self.size

    def axes(self, job: GangJob, tree: DomainTree) -> Iterator[Axis]:
        """Yield smaller slices, and domains of higher levels."""
        pods = len(job.ranks(self.roles))
        yield Axis(
            "size",
            range(min(self.size, pods) - 1, 1, -1),
            lambda size: job.exchange(self, replace(self, size=size)),
            steady=False,
        )
        yield self.higher(job, tree)


def within(level: str, roles: tuple[str, ...]) -> Slices:
    """Return the constraint that all pods of roles are within one domain."""
    return Slices(level, roles, MOST_SIZE)


@dataclass(frozen=True)
class Groups(InPieces):
    """Group g has the g-th few pods of each role, and is within one domain.

    So are leaders with those whom they lead. Of every role there are as many groups;
    the last may be smaller.
    """

    sizes: tuple[int, ...]
    """Pods of each role in a group, in the order of the roles."""

    @property
    def text(self) -> str:
        """What it asks for, in words."""
        pairs = zip(self.sizes, self.roles, strict=True)
        group = " and ".join(f"{n} of {name}" for n, name in pairs)
        return f"groups of {group} within one {self.level}"

    def refuse(self, job: GangJob, tree: DomainTree, at: str) -> None:
        """Raise InputError, also if roles have different numbers of groups."""
        super().refuse(job, tree, at)
        for name, size in zip(self.roles, self.sizes, strict=True):
            if not 1 <= size <= MOST_SIZE:
                problem = f"must be from 1 to {MOST_SIZE}"
                raise InputError(problem, f"{at}.groups.{name}", size)
            groups = -(-job.role(name).count // size)
            if groups != self.count(job):
                problem = f"makes {groups} groups, but {self.roles[0]} has"
                at_role = f"{at}.groups.{name}"
                raise InputError(f"{problem} {self.count(job)}", at_role, size)

    def count(self, job: GangJob) -> int:
        """Return the number of groups."""
        return -(-job.role(self.roles[0]).count // self.sizes[0])

    def pieces(self, job: GangJob) -> Iterator[list[tuple[str, int]]]:
        """Yield the groups."""
        for g in range(self.count(job)):
            yield [
                (name, i)
                for name, size in zip(self.roles, self.sizes, strict=True)
                for i in range(g * size, min((g + 1) * size, job.role(name).count))
            ]

    def labels(self, job: GangJob) -> IntArray:
        """Return the number of the group of every pod, in the order of the roles."""
        pairs = zip(self.sizes, self.roles, strict=True)
        return np.concatenate([np.arange(job.role(x).count) // n for n, x in pairs])

    def fewer(self, job: GangJob, role: str) -> Axis | None:
        """Return the way in which there are fewer groups."""
        if role not in self.roles:
            return None
        sizes = dict(zip(self.roles, self.sizes, strict=True))
        return Axis(
            "groups",
            range(self.count(job) - 1, 0, -1),
            lambda g: job.resize({name: g * size for name, size in sizes.items()}),
            job.is_steady,
        )

    def axes(self, job: GangJob, tree: DomainTree) -> Iterator[Axis]:
        """Yield domains of higher levels."""
        yield self.higher(job, tree)


@dataclass(frozen=True)
class MostPods(AtLevel):
    """At most so many pods in one domain."""

    most: int

    @property
    def text(self) -> str:
        """What it asks for, in words."""
        return f"at most {self.most} in one {self.level}{self.of}"

    def refuse(self, job: GangJob, tree: DomainTree, at: str) -> None:
        """Raise InputError."""
        super().refuse(job, tree, at)
        _refuse_outside(self.most, f"{at}.most_pods", MOST_SIZE)

    def holds(self, job: GangJob, where: JobPlacement, devices: NodeDevices) -> bool:
        """Whether no domain has more."""
        inside = self.together(job, where, devices)
        return None not in inside and max(inside.values(), default=0) <= self.most

    def add(self, model: JobModel) -> None:
        """Add a row for every domain."""
        for v in model.domains(self.level, self.roles):
            model.at_most(model.pods(self.roles, self.level, v), self.most)

    def axes(self, job: GangJob, tree: DomainTree) -> Iterator[Axis]:
        """Yield more pods in one domain."""
        yield Axis(
            "most_pods",
            range(self.most + 1, len(job.ranks(self.roles)) + 1),
            lambda most: job.exchange(self, replace(self, most=most)),
        )


@dataclass(frozen=True)
class LeastDomains(AtLevel):
    """Pods in at least so many domains."""

    least: int

    @property
    def is_steady(self) -> bool:
        """No: fewer pods may be in too few domains."""
        return False

    @property
    def text(self) -> str:
        """What it asks for, in words."""
        return f"in at least {self.least} domains of level {self.level}{self.of}"

    def refuse(self, job: GangJob, tree: DomainTree, at: str) -> None:
        """Raise InputError, also if there are fewer pods."""
        super().refuse(job, tree, at)
        pods = len(job.ranks(self.roles))
        if not 1 <= self.least <= pods:
            problem = f"must be from 1 to the number of pods, {pods}"
            raise InputError(problem, f"{at}.least_domains", self.least)

    def holds(self, job: GangJob, where: JobPlacement, devices: NodeDevices) -> bool:
        """Whether there are pods in so many."""
        inside = self.together(job, where, devices)
        return None not in inside and len(inside) >= self.least

    def add(self, model: JobModel) -> None:
        """Add that so many domains are used, each by a pod."""
        used = [
            model.used(self.roles, self.level, v, by_a_pod=True)
            for v in model.domains(self.level, self.roles)
        ]
        model.at_least(sum(used), self.least)

    def axes(self, job: GangJob, tree: DomainTree) -> Iterator[Axis]:
        """Yield fewer domains."""
        yield Axis(
            "least_domains",
            range(self.least - 1, 0, -1),
            lambda least: job.exchange(self, replace(self, least=least)),
        )


@dataclass(frozen=True)
class MostDomains(AtLevel):
    """Pods in at most so many domains."""

    most: int

    @property
    def text(self) -> str:
        """What it asks for, in words."""
        return f"in at most {self.most} domains of level {self.level}{self.of}"

    def refuse(self, job: GangJob, tree: DomainTree, at: str) -> None:
        """Raise InputError."""
        super().refuse(job, tree, at)
        _refuse_outside(self.most, f"{at}.most_domains", MOST_SIZE)

    def holds(self, job: GangJob, where: JobPlacement, devices: NodeDevices) -> bool:
        """Whether there are pods in no more."""
        inside = self.together(job, where, devices)
        return None not in inside and len(inside) <= self.most

    def add(self, model: JobModel) -> None:
        """Add that no more domains are used."""
        used = [
            model.used(self.roles, self.level, v)
            for v in model.domains(self.level, self.roles)
        ]
        model.at_most(sum(used), self.most)

    def axes(self, job: GangJob, tree: DomainTree) -> Iterator[Axis]:
        """Yield more domains."""
        domains = len(tree.of_level(tree.level_number(self.level)))
        yield Axis(
            "most_domains",
            range(self.most + 1, domains + 1),
            lambda most: job.exchange(self, replace(self, most=most)),
        )


@dataclass(frozen=True)
class Apart(AtLevel):
    """No domain has pods of two of the roles."""

    @property
    def text(self) -> str:
        """What it asks for, in words."""
        return f"{' and '.join(self.roles)} not in the same {self.level}"

    def refuse(self, job: GangJob, tree: DomainTree, at: str) -> None:
        """Raise InputError, also for a single role."""
        super().refuse(job, tree, at)
        if len(self.roles) < 2:
            raise InputError("must name two roles at least", f"{at}.roles")

    def holds(self, job: GangJob, where: JobPlacement, devices: NodeDevices) -> bool:
        """Whether the domains of the roles differ."""
        domains = [set(one) for one in self.inside(job, where, devices).values()]
        listed = [*chain(*domains)]
        return None not in listed and len(listed) == len(set(listed))

    def add(self, model: JobModel) -> None:
        """Add that at most one of the roles uses a domain."""
        for v in model.domains(self.level, self.roles):
            users = [model.used((name,), self.level, v) for name in self.roles]
            model.at_most(sum(users), 1)

    def axes(self, job: GangJob, tree: DomainTree) -> Iterator[Axis]:
        """Yield domains of lower levels."""
        yield self.lower(job, tree)


@dataclass(frozen=True)
class ApartFrom(AtLevel):
    """No pod is in a domain with a node of some running jobs."""

    jobs: Mapping[str, frozenset[str]] = field(hash=False)
    """The nodes of each."""

    @property
    def text(self) -> str:
        """What it asks for, in words."""
        return f"not in one {self.level} with {', '.join(self.jobs)}{self.of}"

    def closed(self, tree: DomainTree) -> set[int]:
        """Return the domains in which these jobs have nodes."""
        level = tree.level_number(self.level)
        of = tree.at(level)
        names = frozenset().union(*self.jobs.values())
        nodes = [i for i, name in enumerate(tree.nodes) if name in names]
        return {v for v in of[nodes].tolist() if v != NOWHERE}

    def holds(self, job: GangJob, where: JobPlacement, devices: NodeDevices) -> bool:
        """Whether no pod is in one of these domains."""
        inside = self.together(job, where, devices)
        return None not in inside and not inside.keys() & self.closed(devices.tree)

    def add(self, model: JobModel) -> None:
        """Add that these domains are not used."""
        closed = self.closed(model.devices.tree)
        for v in model.domains(self.level, self.roles):
            if v in closed:
                model.at_most(model.pods(self.roles, self.level, v), 0)

    def axes(self, job: GangJob, tree: DomainTree) -> Iterator[Axis]:
        """Yield domains of lower levels."""
        yield self.lower(job, tree)


@dataclass(frozen=True)
class OnNodes(JobConstraint):
    """A constraint about nodes by their names."""

    nodes: frozenset[str]
    roles: tuple[str, ...]

    def refuse(self, job: GangJob, tree: DomainTree, at: str) -> None:
        """Raise InputError for unknown nodes and roles."""
        job.refuse_roles(self.roles, f"{at}.roles")
        if strange := self.nodes - frozenset(tree.nodes):
            raise InputError("is not in the topology", at, min(strange))

    def numbers(self, tree: DomainTree) -> list[int]:
        """Return the numbers of the nodes."""
        return [i for i, name in enumerate(tree.nodes) if name in self.nodes]

    def axes(self, job: GangJob, tree: DomainTree) -> Iterator[Axis]:
        """Yield nothing: it is left out, or not."""
        yield from ()


@dataclass(frozen=True)
class Require(OnNodes):
    """Each of some nodes has a pod."""

    @property
    def is_steady(self) -> bool:
        """No: fewer pods may be too few for the nodes."""
        return False

    @property
    def text(self) -> str:
        """What it asks for, in words."""
        return f"a pod on each of {len(self.nodes)} required nodes"

    def refuse(self, job: GangJob, tree: DomainTree, at: str) -> None:
        """Raise InputError, also if there are fewer pods."""
        super().refuse(job, tree, at)
        if len(self.nodes) > (pods := len(job.ranks(self.roles))):
            problem = f"names more nodes than there are pods, {pods}"
            raise InputError(problem, f"{at}.require", len(self.nodes))

    def holds(self, job: GangJob, where: JobPlacement, devices: NodeDevices) -> bool:
        """Whether each has one."""
        used = {node for name in self.roles for node in where[name]}
        return used.issuperset(self.numbers(devices.tree))

    def add(self, model: JobModel) -> None:
        """Add a row for every node."""
        for i in self.numbers(model.devices.tree):
            model.at_least(model.pods_on(self.roles, i), 1)


@dataclass(frozen=True)
class Avoid(OnNodes):
    """None of some nodes has a pod; ``why`` is what they are called."""

    why: str = "excluded nodes"

    @property
    def text(self) -> str:
        """What it asks for, in words."""
        return f"{self.why} not used"

    def holds(self, job: GangJob, where: JobPlacement, devices: NodeDevices) -> bool:
        """Whether none has one."""
        used = {node for name in self.roles for node in where[name]}
        return used.isdisjoint(self.numbers(devices.tree))

    def add(self, model: JobModel) -> None:
        """Add nothing: the model has no pods there; see `forbidden`."""


def _refuse_outside(value: int, at: str, most: int) -> None:
    if not 1 <= value <= most:
        raise InputError(f"must be from 1 to {most}", at, value)
