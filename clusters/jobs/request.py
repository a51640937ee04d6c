"""Reading a job of several parts: ``closeknit/job``, or what other schedulers have.

docs/schema/job.schema.json describes the format. Batch scripts of Slurm and objects of
Kueue are known by how they begin.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...formulations.cluster.constraints import (
    Apart,
    ApartFrom,
    Avoid,
    Groups,
    LeastDomains,
    MostDomains,
    MostPods,
    Require,
    Slices,
    within,
)
from ...formulations.cluster.domains import DomainTree
from ...formulations.cluster.job import (
    KINDS,
    MOST_ROLES,
    GangJob,
    JobConstraint,
    ObjectivePart,
    Role,
)
from ...instances import InputError
from ...instances.reading import fields
from ...scheduler.hostlist import unfold

FORMAT = "closeknit/job"
_MOST_ENTRIES = 256
_TOP = ("name", "device", "roles", "constraints", "objective")


@dataclass(frozen=True)
class JobRequest:
    """A job as it was read."""

    name: str
    job: GangJob
    device: str = ""
    """What is counted as devices; "" for the only ones that nodes have."""
    places: tuple[str, ...] = ()
    """Where each constraint stands."""
    priced: bool = True
    """Whether an objective is given; else there is a usual one."""
    ignored: tuple[str, ...] = ()
    """What was read, but has no influence here."""

    @property
    def counts_devices(self) -> bool:
        """Whether some pod takes less than a whole node."""
        return any(role.devices is not None for role in self.job.roles)

    def on(self, tree: DomainTree, priced: Sequence[str] | None = None) -> GangJob:
        """Return the job on a machine: with an objective, and nothing unknown.

        ``priced`` are the levels of the usual objective, by default those with more
        than one domain.

        Raises
        ------
        InputError
            For what is unknown or contradictory, with its place.
        """
        job = self.job
        if not self.priced:
            if priced is None:
                priced = priced_levels([tree])
            some = (name for name in priced if name in tree.levels)
            parts = tuple(ObjectivePart("domains", name) for name in some)
            job = replace(job, objective=parts)
        job.refuse(tree, self.places)
        return job


def priced_levels(trees: Sequence[DomainTree]) -> list[str]:
    """Return the levels of which there are several domains, the highest first."""
    count: Counter[str] = Counter()
    for tree in sorted(trees, key=lambda one: -len(one.levels)):
        for x in range(len(tree.levels) - 1, -1, -1):
            count[tree.level_name(x)] += len(tree.of_level(x))
    return [name for name, n in count.items() if n > 1]


def job_of(
    value: Any, running: Mapping[str, frozenset[str]], known: Mapping[str, Any]
) -> JobRequest:
    """Read a job from parsed JSON.

    Parameters
    ----------
    value
        The document.
    running
        The nodes of the jobs that run, by their names.
    known
        The names of all nodes.

    Raises
    ------
    InputError
        Names the field and the value.
    """
    entry = fields.check_header(value, FORMAT)
    fields.only(entry, ("format", "version", *_TOP), ("roles",), "")
    listed = _some(entry["roles"], "roles", MOST_ROLES)
    roles = tuple(_role(x, f"roles[{i}]") for i, x in enumerate(listed))
    names = tuple(role.name for role in roles)
    constraints, places = [], []
    listed = _some(entry.get("constraints", []), "constraints", _MOST_ENTRIES)
    for i, one in enumerate(listed):
        at = f"constraints[{i}]"
        for place, found in _constraints(one, at, names, running, known):
            constraints.append(found)
            places.append(f"{at}.{place}")
    priced = "objective" in entry
    listed = _some(entry.get("objective", []), "objective", _MOST_ENTRIES)
    objective = tuple(_part(x, f"objective[{i}]") for i, x in enumerate(listed))
    name = fields.string(entry.get("name", "job"), "name")
    device = fields.string(entry.get("device", ""), "device")
    job = GangJob(roles, tuple(constraints), objective)
    return JobRequest(name, job, device, tuple(places), priced)


def _some(value: Any, at: str, most: int) -> list[Any]:
    listed = fields.lists(value, at)
    if len(listed) > most:
        raise InputError(f"must have at most {most} entries", at, len(listed))
    return listed


def _role(value: Any, at: str) -> Role:
    entry = fields.objects(value, at)
    fields.only(entry, ("name", "count", "devices"), ("name", "count"), at)
    devices = entry.get("devices")
    if devices is not None:
        devices = fields.integer(devices, f"{at}.devices")
    name = fields.string(entry["name"], f"{at}.name")
    if not name:
        raise InputError("must not be empty", f"{at}.name")
    return Role(name, fields.integer(entry["count"], f"{at}.count"), devices)


Found = Iterator[tuple[str, JobConstraint]]


def _constraints(
    value: Any,
    at: str,
    names: tuple[str, ...],
    running: Mapping[str, frozenset[str]],
    known: Mapping[str, Any],
) -> Found:
    """Yield the constraints of an entry, each with its place in that."""
    entry = fields.objects(value, at)
    kinds = [key for key in _KINDS if key in entry]
    if len(kinds) != 1:
        raise InputError(f"must have one of {', '.join(_KINDS)}", at, [*entry])
    [kind] = kinds
    more = _KINDS[kind]
    needed = (kind, "level") if "level" in more else (kind,)
    whose = () if kind == "groups" else ("roles",)
    fields.only(entry, (kind, *whose, *more), needed, at)
    roles = names
    if "roles" in entry:
        roles = fields.strings(entry["roles"], f"{at}.roles")
    for key in entry.keys() & {"level", *_LEVELS}:
        fields.string(entry[key], f"{at}.{key}")
    match kind:
        case "slices":
            sizes = fields.objects(entry[kind], f"{at}.{kind}")
            for level, size in sizes.items():
                number = fields.integer(size, f"{at}.{kind}.{level}")
                yield f"{kind}.{level}", Slices(level, roles, number)
        case "within":
            yield kind, within(entry[kind], roles)
        case "groups":
            listed = fields.objects(entry[kind], f"{at}.{kind}")
            numbers = [fields.integer(n, f"{at}.{kind}.{x}") for x, n in listed.items()]
            yield kind, Groups(entry["level"], tuple(listed), tuple(numbers))
        case "spread":
            if len(entry) == 1 + ("roles" in entry):
                raise InputError(f"must have one of {', '.join(more)}", at)
            for key, limit in _LIMITS.items():
                if key in entry:
                    number = fields.integer(entry[key], f"{at}.{key}")
                    yield kind, limit(entry[kind], roles, number)
        case "apart":
            yield kind, Apart(entry[kind], roles)
        case "apart_from":
            jobs = fields.strings(entry[kind], f"{at}.{kind}")
            for i, job in enumerate(jobs):
                if job not in running:
                    problem = "no report names such a job"
                    raise InputError(problem, f"{at}.{kind}[{i}]", job)
            found = {job: running[job] for job in jobs}
            yield kind, ApartFrom(entry["level"], roles, found)
        case _:
            nodes = unfold(fields.string(entry[kind], f"{at}.{kind}"), field=at)
            for name in nodes:
                if name not in known:
                    raise InputError("is not in the topology", f"{at}.{kind}", name)
            yield kind, _ON_NODES[kind](frozenset(nodes), roles)


_LEVELS = ("within", "spread", "apart")
_LIMITS: Mapping[str, Callable[[str, tuple[str, ...], int], JobConstraint]] = {
    "most_pods": MostPods,
    "least_domains": LeastDomains,
    "most_domains": MostDomains,
}
_ON_NODES: Mapping[str, Callable[[frozenset[str], tuple[str, ...]], JobConstraint]] = {
    "require": Require,
    "exclude": Avoid,
}
_KINDS: Mapping[str, Sequence[str]] = {
    "slices": (),
    "within": (),
    "groups": ("level",),
    "spread": tuple(_LIMITS),
    "apart": (),
    "apart_from": ("level",),
    "require": (),
    "exclude": (),
}
"""What an entry of constraints may be, and the fields that belong to it."""


def _part(value: Any, at: str) -> ObjectivePart:
    if isinstance(value, str):
        return ObjectivePart(fields.one_of("fragmentation", "hops")(value, at))
    entry = fields.objects(value, at)
    kinds = [kind for kind in KINDS if kind in entry]
    if len(kinds) != 1 or kinds[0] in ("fragmentation", "hops"):
        raise InputError("must have one of domains, balance", at, [*entry])
    [kind] = kinds
    fields.only(entry, (kind, "roles"), (kind,), at)
    roles = fields.strings(entry.get("roles", []), f"{at}.roles")
    return ObjectivePart(kind, fields.string(entry[kind], f"{at}.{kind}"), roles)
