"""Where a job of several parts is placed on a cluster, or why it does not fit."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from ...formulations.cluster.answer import GangAnswer, decide
from ...formulations.cluster.conflict import Clash, find_clash
from ...formulations.cluster.constraints import Avoid, NamedNodes, Require
from ...formulations.cluster.domains import DomainTree, NodeDevices
from ...formulations.cluster.job import GangJob, JobConstraint, RoleCount
from ...instances import InputError
from ...scheduler.hostlist import fold
from ...solvers import DEFAULT, Limit, Settings, Status
from ...solvers.running import clock
from .program import minimise
from .request import JobRequest, priced_levels


@dataclass(frozen=True)
class JobOutcome:
    """What is known of a job on a cluster."""

    request: JobRequest
    job: GangJob
    """With its objective."""
    answer: GangAnswer
    devices: NodeDevices
    """The part of the cluster that the answer is about."""
    clash: Clash | None = None
    """Why it does not fit."""

    @property
    def limit(self) -> Limit | None:
        """What ended the search for a place, or for why there is none."""
        return self.answer.limit or (self.clash.limit if self.clash else None)

    @property
    def nodes(self) -> dict[str, list[str]]:
        """The names of the nodes of each role, by rank; empty if there is no place."""
        names = self.devices.tree.nodes
        placed = self.answer.placement or {}
        return {role: [names[i] for i in where] for role, where in placed.items()}


def place(
    request: JobRequest,
    machine: Sequence[NodeDevices],
    settings: Settings = DEFAULT,
    *,
    avoid: Sequence[Avoid] = (),
) -> JobOutcome:
    """Place a job on one of the parts of a cluster, the best, or say why it cannot be.

    Parameters
    ----------
    request, machine
        The job, and the parts of the cluster, which nothing connects.
    settings
        The time limit counts; what is left of it is for the explanation.
    avoid
        Nodes that its pods must not use, as constraints of the job.

    Raises
    ------
    InputError
        For what is unknown in the job, or contradicts itself.
    """
    start = clock.now()
    job = replace(request.job, constraints=(*request.job.constraints, *avoid))
    places = (*request.places, *["exclude"] * len(avoid))
    known = frozenset().union(*(devices.tree.number for devices in machine))
    for one, at in zip(job.constraints, places, strict=True):
        if isinstance(one, NamedNodes) and (strange := one.nodes - known):
            raise InputError("is not in the topology", at, min(strange))
    asked = replace(request, job=job, places=places)
    levels = priced_levels([devices.tree for devices in machine])
    found, refused = [], None
    for devices in machine:
        here = _within(job, devices.tree)
        full = replace(asked, job=here or job.without(*_on_nodes(job)))
        try:
            priced = full.on(devices.tree, levels)
        except InputError as error:
            refused = refused or error
            continue
        answer = GangAnswer(Status.INFEASIBLE, by="counting")
        if here is not None:
            answer = _decide(priced, devices, settings, start)
        found.append((answer, priced, devices))
    if refused is not None and not found:
        raise refused
    fitting = [one for one in found if one[0].fits]
    if not fitting:
        late = next((one for one in found if one[0].fits is None), None)
        answer, priced, devices = late or found[0]
        answer = replace(answer, seconds=clock.now() - start)
        clash = None
        if late is None:
            clash = _explain(replace(job, objective=()), machine, settings, start)
        return JobOutcome(request, priced, answer, devices, clash)

    def values(job: GangJob, numbers: Sequence[int] | None) -> tuple[int, ...]:
        """Return numbers of all levels; where there are no domains, one."""
        if request.priced:
            return tuple(numbers or ())
        parts = zip(job.objective, numbers or (), strict=False)
        of = {part.level: n for part, n in parts}
        return tuple(of.get(name, 1 if numbers else 0) for name in levels)

    answer, job, devices = min(fitting, key=lambda x: values(x[1], x[0].objective))
    least = min(
        values(one[1], one[0].bound) for one in found if one[0].fits is not False
    )
    limit = next((one[0].limit for one in found if one[0].limit), None)
    best = least == values(job, answer.objective)
    bound = least
    if not request.priced:
        of = dict(zip(levels, least, strict=True))
        bound = tuple(of[part.level] for part in job.objective)
    answer = replace(
        answer,
        bound=bound,
        status=Status.OPTIMAL if best else Status.FEASIBLE,
        limit=limit,
        seconds=clock.now() - start,
    )
    return JobOutcome(request, job, answer, devices)


def _decide(
    job: GangJob, devices: NodeDevices, settings: Settings, start: float
) -> GangAnswer:
    return decide(job, devices, settings.remaining(start), minimise)


def _on_nodes(job: GangJob) -> list[NamedNodes]:
    return [one for one in job.constraints if isinstance(one, NamedNodes)]


def _within(job: GangJob, tree: DomainTree) -> GangJob | None:
    """Return the job as a part of the cluster has it; None if it cannot be there."""
    here: list[JobConstraint] = []
    for one in job.constraints:
        if isinstance(one, Require) and one.nodes.difference(tree.number):
            return None
        if isinstance(one, Avoid):
            one = replace(one, nodes=one.nodes.intersection(tree.number))
        here.append(one)
    return replace(job, constraints=tuple(here))


def _explain(
    job: GangJob, machine: Sequence[NodeDevices], settings: Settings, start: float
) -> Clash:
    def fits(asked: GangJob) -> bool | None:
        outcomes: list[bool | None] = [False]
        for devices in machine:
            if (here := _within(asked, devices.tree)) is not None:
                with suppress(InputError):  # a level that this part does not have
                    here.refuse(devices.tree)
                    outcomes.append(_decide(here, devices, settings, start).fits)
        return True if True in outcomes else None if None in outcomes else False

    trees = [devices.tree for devices in machine]
    return find_clash(job, trees, fits, start + settings.time_limit)


def describe(placed: JobOutcome) -> dict[str, Any]:
    """Return the answer as a JSON object; what is not known is left out."""
    answer, job, nodes = placed.answer, placed.job, placed.nodes
    parts = [part.name for part in job.objective]
    document: dict[str, Any] = {
        "job": placed.request.name,
        "pods": job.pods,
        "roles": {role.name: role.count for role in job.roles},
        "fits": answer.fits,
        "status": answer.status.value,
        "ignored": list(placed.request.ignored) or None,
        "placement": nodes or None,
        "hostlist": fold(dict.fromkeys(chain(*nodes.values()))) if nodes else None,
        "cost": _parts(parts, answer.objective),
        "bound": _parts(parts, answer.bound),
        "proof": answer.by or None,
        "limit": answer.limit and answer.limit.value,
        "clash": placed.clash and describe_clash(placed.clash, placed.request),
        "seconds": round(answer.seconds, 6),
    }
    return {key: value for key, value in document.items() if value is not None}


def describe_clash(
    clash: Clash, request: JobRequest, counts: str = "roles[{}].count"
) -> dict[str, Any]:
    """Return why a job does not fit as a JSON object; ``counts``: where they stand."""
    places: dict[JobConstraint, str] = {
        RoleCount(name): counts.format(i) for i, name in enumerate(request.job.names)
    }
    places |= zip(request.job.constraints, request.places, strict=True)
    members = []
    for one in clash.members:
        helps = dict(clash.helps.get(one, {}))
        entry = {
            "text": one.text,
            "place": places.get(one),
            "without": bool(helps.pop("without", False)),
            "instead": helps or None,
        }
        members.append({key: x for key, x in entry.items() if x is not None})
    return {
        "members": members,
        "irreducible": clash.irreducible,
        "smallest": clash.smallest,
        **({"limit": clash.limit.value} if clash.limit else {}),
    }


def _parts(names: list[str], values: tuple[int, ...] | None) -> dict[str, int] | None:
    return dict(zip(names, values, strict=True)) if values else None
