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
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ...instances import InputError, IntArray
from .domains import NODE, NODE_NAME, NOWHERE, DomainTree, NodeDevices
from .job import ABSENT, GangJob, GiveWay, JobConstraint, JobPlacement

if TYPE_CHECKING:
    from .model import JobModel

MOST_SIZE = 2**31
Inside = Mapping[str, Counter[int | None]]
"""By role: how many pods are in each domain of a level."""


@dataclass(frozen=True)
class AtLevel(JobConstraint):
    """A constraint about the domains of a level."""

    level: str
    roles: tuple[str, ...]
    step: ClassVar[int] = 0
    """Which levels are easier to keep: 1, those above, or -1, those below."""

    def axes(self, job: GangJob, tree: DomainTree) -> Iterator[GiveWay]:
        """Yield domains of other levels."""
        if self.step:
            yield self._other_levels(job, tree, self.step)

    def refuse(self, job: GangJob, tree: DomainTree, at: str) -> None:
        """Raise InputError for unknown levels and roles, and what contradicts them."""
        level = tree.level_number(self.level, f"{at}.level")
        job.refuse_roles(self.roles, f"{at}.roles")
        self._refuse(job, tree, at, level)

    def _refuse(self, job: GangJob, tree: DomainTree, at: str, level: int) -> None:
        return

    def holds(self, job: GangJob, where: JobPlacement, devices: NodeDevices) -> bool:
        """Whether a placement keeps it, from the definition."""
        tree = devices.tree
        level = tree.level_number(self.level)
        inside = {
            name: Counter(
                tree.climb(level, node) for node in where[name] if node != ABSENT
            )
            for name in self.roles
        }
        outside = any(None in one for one in inside.values())
        return not outside and self._holds(inside, devices)

    def _holds(self, inside: Inside, devices: NodeDevices) -> bool:
        raise NotImplementedError

    @property
    def of(self) -> str:
        """The level and the roles, in words."""
        return f"one {self.level} ({', '.join(self.roles)})"

    def _axis(
        self, job: GangJob, what: str, values: Any, steady: bool = True
    ) -> GiveWay:
        """Return the way in which another value takes the place of a field."""

        def exchange(value: Any) -> GangJob:
            return job.exchange(self, replace(self, **{what: value}))

        return GiveWay(what, values, exchange, steady)

    def _other_levels(self, job: GangJob, tree: DomainTree, step: int) -> GiveWay:
        level = tree.level_number(self.level)
        end = len(tree.levels) if step > 0 else NODE - 1
        names = [tree.level_name(x) for x in range(level + step, end, step)]
        return self._axis(job, "level", names, steady=False)


class InPieces(AtLevel):
    """Pieces of a job, each of which is within one domain."""

    @abstractmethod
    def labels(self, job: GangJob) -> IntArray:
        """Return the number of the piece of every pod, in the order of the roles."""

    def holds(self, job: GangJob, where: JobPlacement, devices: NodeDevices) -> bool:
        """Whether each piece is within one domain."""
        tree = devices.tree
        level = tree.level_number(self.level)
        pods = [node for name in self.roles for node in where[name]]
        domains: dict[int, set[int | None]] = {}
        for piece, node in zip(self.labels(job).tolist(), pods, strict=True):
            if node != ABSENT:
                domains.setdefault(piece, set()).add(tree.climb(level, node))
        return all(len(one) == 1 and None not in one for one in domains.values())


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
        slices = f"slices of {self.size}" if self.size < MOST_SIZE else "all"
        return f"{slices} within {self.of}"

    def _refuse(self, job: GangJob, tree: DomainTree, at: str, level: int) -> None:
        _refuse_outside(self.size, f"{at}.size")
        for other in job.constraints:
            if isinstance(other, Slices) and other.roles == self.roles:
                below = tree.level_number(other.level)
                if other is not self and below == level:
                    raise InputError("has slices already", f"{at}.level", self.level)
                nests = self.size >= job.count(self.roles) or not self.size % other.size
                if below < level and not nests:
                    problem = f"must be a multiple of that of {other.level}"
                    raise InputError(
                        f"{problem}, {other.size}", f"{at}.size", self.size
                    )

    def shifts(self, job: GangJob) -> bool:
        """Whether slices have pods of several roles."""
        return len(self.roles) > 1 and self.size < job.count(self.roles)

    def labels(self, job: GangJob) -> IntArray:
        """Return the number of the slice of every pod, in the order of the roles."""
        return np.arange(job.count(self.roles)) // self.size

    def axes(self, job: GangJob, tree: DomainTree) -> Iterator[GiveWay]:
        """Yield smaller slices, and domains of higher levels."""
        smaller = range(min(self.size, job.count(self.roles)) - 1, 1, -1)
        yield self._axis(job, "size", smaller, steady=False)
        yield self._other_levels(job, tree, 1)


def within(level: str, roles: tuple[str, ...]) -> Slices:
    """Return the constraint that all pods of roles are within one domain."""
    return Slices(level, roles, MOST_SIZE)


@dataclass(frozen=True)
class Groups(InPieces):
    """Group g has the g-th few pods of each role, and is within one domain.

    So are leaders with those whom they lead. Of every role there are as many groups;
    the last may be smaller. ``sizes`` are the pods of each role in a group.
    """

    sizes: tuple[int, ...]
    step = 1

    @property
    def text(self) -> str:
        """What it asks for, in words."""
        pairs = zip(self.sizes, self.roles, strict=True)
        group = " and ".join(f"{n} of {name}" for n, name in pairs)
        return f"groups of {group} within one {self.level}"

    def _refuse(self, job: GangJob, tree: DomainTree, at: str, level: int) -> None:
        for name, size in zip(self.roles, self.sizes, strict=True):
            _refuse_outside(size, f"{at}.groups.{name}")
            groups = -(-job.role(name).count // size)
            if groups != self.number(job):
                problem = f"makes {groups} groups, but {self.roles[0]} has"
                problem = f"{problem} {self.number(job)}"
                raise InputError(problem, f"{at}.groups.{name}", size)

    def number(self, job: GangJob) -> int:
        """Return the number of groups."""
        return -(-job.role(self.roles[0]).count // self.sizes[0])

    def labels(self, job: GangJob) -> IntArray:
        """Return the number of the group of every pod, in the order of the roles."""
        pairs = zip(self.sizes, self.roles, strict=True)
        return np.concatenate([np.arange(job.role(x).count) // n for n, x in pairs])

    def fewer(self, job: GangJob, role: str) -> GiveWay | None:
        """Return the way in which there are fewer groups."""
        if role not in self.roles:
            return None
        pairs = [*zip(self.roles, self.sizes, strict=True)]

        def resize(groups: int) -> GangJob:
            return job.resize({name: groups * size for name, size in pairs})

        return GiveWay(
            "groups", range(self.number(job) - 1, 0, -1), resize, job.is_steady
        )


@dataclass(frozen=True)
class MostPods(AtLevel):
    """At most so many pods in one domain."""

    most: int
    words = "at most {0.most} in {0.of}"

    def _refuse(self, job: GangJob, tree: DomainTree, at: str, level: int) -> None:
        _refuse_outside(self.most, f"{at}.most_pods")

    def _holds(self, inside: Inside, devices: NodeDevices) -> bool:
        return max(_together(inside).values(), default=0) <= self.most

    def add(self, model: JobModel) -> None:
        """Add a row for every domain."""
        for v in model.domains(self.level, self.roles):
            model.at_most(model.pods(self.roles, self.level, v), self.most)

    def axes(self, job: GangJob, tree: DomainTree) -> Iterator[GiveWay]:
        """Yield more pods in one domain."""
        more = range(self.most + 1, job.count(self.roles) + 1)
        yield self._axis(job, "most", more)


@dataclass(frozen=True)
class LeastDomains(AtLevel):
    """Pods in at least so many domains."""

    least: int
    is_steady = False
    words = "in {0.least} domains or more, each {0.of}"

    def _refuse(self, job: GangJob, tree: DomainTree, at: str, level: int) -> None:
        pods = job.count(self.roles)
        if not 1 <= self.least <= pods:
            problem = f"must be from 1 to the number of pods, {pods}"
            raise InputError(problem, f"{at}.least_domains", self.least)

    def _holds(self, inside: Inside, devices: NodeDevices) -> bool:
        return len(_together(inside)) >= self.least

    def add(self, model: JobModel) -> None:
        """Add that so many domains are used, each by a pod."""
        some = model.domains(self.level, self.roles)
        used = [model.usage(self.roles, self.level, v, by_a_pod=True) for v in some]
        model.at_least(sum(used), self.least)

    def axes(self, job: GangJob, tree: DomainTree) -> Iterator[GiveWay]:
        """Yield fewer domains."""
        yield self._axis(job, "least", range(self.least - 1, 0, -1))


@dataclass(frozen=True)
class MostDomains(AtLevel):
    """Pods in at most so many domains."""

    most: int
    words = "in {0.most} domains or fewer, each {0.of}"

    def _refuse(self, job: GangJob, tree: DomainTree, at: str, level: int) -> None:
        _refuse_outside(self.most, f"{at}.most_domains")

    def _holds(self, inside: Inside, devices: NodeDevices) -> bool:
        return len(_together(inside)) <= self.most

    def add(self, model: JobModel) -> None:
        """Add that no more domains are used."""
        some = model.domains(self.level, self.roles)
        used = [model.usage(self.roles, self.level, v) for v in some]
        model.at_most(sum(used), self.most)

    def axes(self, job: GangJob, tree: DomainTree) -> Iterator[GiveWay]:
        """Yield more domains."""
        domains = len(tree.of_level(tree.level_number(self.level)))
        yield self._axis(job, "most", range(self.most + 1, domains + 1))


@dataclass(frozen=True)
class Apart(AtLevel):
    """No domain has pods of two of the roles."""

    step = -1

    @property
    def text(self) -> str:
        """What it asks for, in words."""
        return f"{' and '.join(self.roles)} not in the same {self.level}"

    def _refuse(self, job: GangJob, tree: DomainTree, at: str, level: int) -> None:
        if len(self.roles) < 2:
            raise InputError("must name two roles at least", f"{at}.roles")

    def _holds(self, inside: Inside, devices: NodeDevices) -> bool:
        domains = [*chain(*inside.values())]
        return len(domains) == len(set(domains))

    def add(self, model: JobModel) -> None:
        """Add that at most one of the roles uses a domain."""
        for v in model.domains(self.level, self.roles):
            users = [model.usage((name,), self.level, v) for name in self.roles]
            model.at_most(sum(users), 1)


@dataclass(frozen=True)
class ApartFrom(AtLevel):
    """No pod is in a domain with a node of some running jobs, by their names."""

    jobs: Mapping[str, frozenset[str]] = field(hash=False)

    step = -1
    words = "not with {0.others} in {0.of}"

    @property
    def others(self) -> str:
        """The running jobs, in words."""
        return ", ".join(self.jobs)

    def closed_domains(self, tree: DomainTree) -> set[int]:
        """Return the domains in which these jobs have nodes."""
        nodes = tree.numbers(chain(*self.jobs.values()))
        at = tree.at(tree.level_number(self.level))
        return {*at[nodes].tolist()} - {NOWHERE}

    def _holds(self, inside: Inside, devices: NodeDevices) -> bool:
        return not _together(inside).keys() & self.closed_domains(devices.tree)


@dataclass(frozen=True)
class NamedNodes(JobConstraint):
    """A constraint about nodes by their names: it is left out, or not."""

    nodes: frozenset[str]
    roles: tuple[str, ...]

    def refuse(self, job: GangJob, tree: DomainTree, at: str) -> None:
        """Raise InputError for unknown nodes and roles."""
        job.refuse_roles(self.roles, f"{at}.roles")
        if strange := self.nodes.difference(tree.number):
            raise InputError("is not in the topology", f"{at}.nodes", min(strange))

    def holds(self, job: GangJob, where: JobPlacement, devices: NodeDevices) -> bool:
        """Whether a placement keeps it, from the definition."""
        used = {devices.tree.nodes[i] for x in self.roles for i in where[x] if i >= 0}
        return self._holds(used)

    def _holds(self, used: set[str]) -> bool:
        raise NotImplementedError


@dataclass(frozen=True)
class Require(NamedNodes):
    """Each of some nodes has a pod."""

    is_steady = False
    words = "a pod on each of the required nodes"

    def refuse(self, job: GangJob, tree: DomainTree, at: str) -> None:
        """Raise InputError, also if there are fewer pods."""
        super().refuse(job, tree, at)
        if len(self.nodes) > (pods := job.count(self.roles)):
            problem = f"must not name more nodes than there are pods, {pods}"
            raise InputError(problem, f"{at}.nodes", len(self.nodes))

    def _holds(self, used: set[str]) -> bool:
        return used >= self.nodes

    def add(self, model: JobModel) -> None:
        """Add a row for every node."""
        for i in model.tree.numbers(self.nodes):
            model.at_least(model.pods(self.roles, NODE_NAME, i), 1)


@dataclass(frozen=True)
class Avoid(NamedNodes):
    """None of some nodes has a pod; ``why`` is what they are called."""

    why: str = "excluded nodes"
    words = "no pod on {0.why}"

    def _holds(self, used: set[str]) -> bool:
        return used.isdisjoint(self.nodes)


def _together(inside: Inside) -> Counter[int | None]:
    return sum(inside.values(), Counter[int | None]())


def _refuse_outside(value: int, at: str) -> None:
    if not 1 <= value <= MOST_SIZE:
        raise InputError(f"must be from 1 to {MOST_SIZE}", at, value)
