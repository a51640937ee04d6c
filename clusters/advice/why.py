"""Why a request does not fit: the least that would have to change.

Either busy nodes become free: as few as possible, by the dynamic program of
`placement`, or whole jobs end: as few as possible, by a model for CP-SAT. Or the
request gives way: the smallest sets of constraints without which it fits are found by
trying them all, the smaller first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from ...instances import InputError
from ...solvers import DEFAULT, Limit, Settings, Status
from ...solvers.running import clock
from ..jobs.machine import tree_of
from ..placement import NodeSelector, Placement, Request, least_busy, nodes_of
from ..placement.program import Chooser, Flags, ProgramRun
from ..placement.slices import BY, place_slice, places_of
from ..placement.space import SpaceChooser
from ..topologies import Space
from ..topologies.tpu import Slice
from .free_capacity import choosers_of, in_groups
from .obstacle import Holders, JobsToEnd, Reason, is_free

if TYPE_CHECKING:
    from .grouping import Grouping


def explain(
    selector: NodeSelector,
    request: Request,
    free: Sequence[Flags],
    forbidden: Mapping[str, Sequence[Flags]],
    holders: Holders | None = None,
    settings: Settings = DEFAULT,
) -> Reason:
    """Find the least that has to change for a request to fit.

    Parameters
    ----------
    selector
        Of the cluster.
    request
        The job; its objective does not matter.
    free
        Which nodes are free, forbidden ones or not.
    forbidden
        Which nodes must not be chosen, by the constraint that states it.
    holders
        The jobs that hold a node.
    settings
        The time limit counts; what was not examined until then is left out.

    Raises
    ------
    InputError
        If a required node or a level is not known, or groups are wanted on a network
        without switches.
    """
    start = clock.now()
    asked = _Question(selector, request, free, forbidden)
    placement, fabric = asked.least_busy(settings)
    if is_free(placement) or placement.limit:
        return Reason(placement, limit=placement.limit)
    never = placement.status is Status.INFEASIBLE
    state = [np.ones_like(one) for one in free] if never else list(free)
    busy: tuple[str, ...] = ()
    jobs = None
    if not never:
        names = selector.cluster.fabrics[fabric].nodes
        busy = tuple(names[i] for i in placement.chosen if not free[fabric][i])
        if holders:
            jobs = asked.fewest_jobs(holders, settings.remaining(start))
    limit = None
    changes: list[tuple[str, ...]] = []
    for dropped in asked.subsets():
        if changes and len(dropped) > len(changes[0]):
            break
        if clock.now() - start > settings.time_limit:
            limit = Limit.TIME
            break
        if asked.without(dropped, state):
            changes.append(dropped)
    values = {}
    for [name] in (one for one in changes if len(one) == 1):
        value = asked.largest(name, state, start + settings.time_limit)
        if value is not None:
            values[name] = value
    most = asked.most(state)
    cubes = placement.objective[0] if placement.objective and asked.cubes else None
    return Reason(placement, busy, jobs, most, tuple(changes), values, limit, cubes)


class _Question:
    """One request; what it is asked of is the same throughout."""

    def __init__(
        self,
        selector: NodeSelector,
        request: Request,
        free: Sequence[Flags],
        forbidden: Mapping[str, Sequence[Flags]],
    ) -> None:
        self.selector, self.request = selector, request
        self.free, self.forbidden = free, forbidden
        self.choosers = choosers_of(selector)
        fabric, self.cubes = selector.cluster.fabrics[0], 0
        with suppress(InputError):  # of slices of whole cubes
            cube = nodes_of(fabric, Slice((), 1))
            self.cubes = request.k // cube if request.slice else 0
        for name in sorted(request.require):
            if name not in selector.cluster.index:
                raise InputError("is not in the topology", "require", name)
        for one in selector.choosers:
            if isinstance(one, SpaceChooser):
                one.refuse_groups(request)
            else:
                request.sizes(one.fabric)

    def names(self) -> list[str]:
        """Return the constraints: the number of nodes is not one."""
        request = self.request
        found = ["segment"] if request.segment > 1 else []
        found += [name for name, size in request.levels.items() if size > 1]
        found += ["require"] if request.require else []
        return found + [
            name
            for name, flags in self.forbidden.items()
            if any(one.any() for one in flags)
        ]

    def subsets(self) -> Iterator[tuple[str, ...]]:
        """Return the sets of constraints, the smaller first."""
        names = self.names()
        for count in range(1, len(names) + 1):
            yield from combinations(names, count)

    def relax(self, dropped: Iterable[str]) -> Request:
        """Return the request without some constraints."""
        request = self.request
        return replace(
            request,
            segment=1 if "segment" in dropped else request.segment,
            levels={n: s for n, s in request.levels.items() if n not in dropped},
            require=frozenset() if "require" in dropped else request.require,
        )

    def allowed_nodes(self, dropped: Iterable[str] = ()) -> list[Flags]:
        """Return which nodes may be chosen, free or not."""
        allowed = [np.ones_like(one) for one in self.free]
        for name, flags in self.forbidden.items():
            if name not in dropped:
                allowed = [a & ~b for a, b in zip(allowed, flags, strict=True)]
        return allowed

    def possible(self, request: Request, allowed: Sequence[Flags]) -> Iterator[int]:
        """Return the fabrics that may have all required nodes."""
        places = [self.selector.cluster.index[name] for name in request.require]
        for i in range(len(self.choosers)):
            if all(part == i and allowed[i][j] for part, j in places):
                yield i

    def grouping(
        self, i: int, request: Request, allowed: Sequence[Flags]
    ) -> Grouping | None:
        """Return the groups at switches of a graph; None where counting is enough."""
        from .grouping import Grouping

        chooser = self.selector.choosers[i]
        if isinstance(chooser, SpaceChooser) and request.size > 1:
            return Grouping(chooser.alike, request, allowed[i])
        return None

    def for_counting(self, i: int, request: Request) -> Request:
        """Return the request as counting has it; a network has no levels there."""
        tree = isinstance(self.selector.choosers[i], Chooser)
        return request if tree else replace(request, levels={})

    def least(
        self,
        i: int,
        request: Request,
        free: Sequence[Flags],
        allowed: Sequence[Flags],
        settings: Settings = DEFAULT,
    ) -> Placement:
        """Return the choice in a fabric with the fewest busy nodes."""
        if request.slice:
            fabric = self.selector.cluster.fabrics[i]
            return place_slice(fabric, request, free[i], allowed[i])
        if found := self.grouping(i, request, allowed):
            return found.least_busy(free[i], settings)
        request, chooser = self.for_counting(i, request), self.choosers[i]
        return least_busy(chooser, request, free[i], allowed[i], settings)

    def least_busy(self, settings: Settings) -> tuple[Placement, int]:
        """Return the choice with the fewest busy nodes, and its fabric."""
        allowed = self.allowed_nodes()
        found = [
            (self.least(i, self.request, self.free, allowed, settings), i)
            for i in self.possible(self.request, allowed)
        ]
        stopped = [one for one in found if one[0].limit]
        solved = [one for one in found if one[0].objective is not None]
        best = min(solved, key=lambda one: one[0].objective or (), default=None)
        if best and (is_free(best[0]) or not stopped):
            return replace(best[0], fabric=best[1]), best[1]
        if stopped:
            return stopped[0]
        return Placement(
            Status.INFEASIBLE, by=found[0][0].by if found else "counting"
        ), 0

    def fits(self, request: Request, state: Sequence[Flags]) -> bool:
        """Whether a request fits on some free nodes."""
        return any(
            is_free(self.least(i, request, state, state))
            for i in self.possible(request, state)
        )

    def without(self, dropped: Sequence[str], state: Sequence[Flags]) -> bool:
        """Whether it fits without some constraints."""
        usable = zip(self.allowed_nodes(dropped), state, strict=True)
        return self.fits(self.relax(dropped), [a & b for a, b in usable])

    def largest(self, name: str, state: Sequence[Flags], end: float) -> int | None:
        """Return the largest smaller size of groups that fits, None if only 1 does."""
        request = self.request
        size = request.segment if name == "segment" else request.levels.get(name, 1)
        usable = [a & b for a, b in zip(self.allowed_nodes(), state, strict=True)]
        for smaller in (d for d in range(size - 1, 1, -1) if request.k % d == 0):
            if clock.now() > end:
                return None
            if name == "segment":
                asked = replace(request, segment=smaller)
            else:
                asked = replace(request, levels={**request.levels, name: smaller})
            try:
                if self.fits(asked, usable):
                    return smaller
            except InputError:  # sizes that do not nest
                continue
        return None

    def most(self, state: Sequence[Flags]) -> int:
        """Return the largest number of nodes that fits with the constraints."""
        usable = [a & b for a, b in zip(self.allowed_nodes(), state, strict=True)]
        found = 0
        for n in range(self.cubes - 1, 0, -1):
            with suppress(InputError):  # they are no box
                if self.fits(replace(self.request, slice=Slice((), n)), usable):
                    return n
        for i in self.possible(self.request, usable) if not self.request.slice else ():
            if groups := self.grouping(i, self.request, usable):
                found = max(found, groups.most())
                continue
            request, chooser = self.for_counting(i, self.request), self.choosers[i]
            fabric, sizes = chooser.fabric, request.sizes(chooser.fabric)
            run = ProgramRun(chooser, request, usable[i])
            unit = max(sizes.values(), default=1)
            k = int(in_groups(fabric, sizes, run.room * run.size)[0]) // unit * unit
            if k > found and self.fits(replace(self.request, k=k), usable):
                found = k
        return found

    def fewest_jobs(self, holders: Holders, settings: Settings) -> JobsToEnd:
        """Return the fewest jobs whose nodes suffice, of these the smallest."""
        allowed = self.allowed_nodes()
        found = [
            self._fewest_jobs(i, holders, settings)
            for i in self.possible(self.request, allowed)
        ]
        solved = [one for one in found if one.jobs is not None]
        if not solved:
            return found[0]
        best = min(solved, key=lambda one: (len(one.jobs or ()), one.nodes))
        bound = min(one.bound for one in found if one.bound is not None)
        limit = next((one.limit for one in found if one.limit), None)
        return replace(best, bound=bound, limit=limit)

    def _fewest_jobs(self, i: int, holders: Holders, settings: Settings) -> JobsToEnd:
        allowed, free = self.allowed_nodes(), self.free[i]
        fabric = self.selector.cluster.fabrics[i]
        held = [tuple(holders.get(name, ())) for name in fabric.nodes]
        if groups := self.grouping(i, self.request, allowed):
            return groups.fewest_jobs(free, held, settings)
        request = self.for_counting(i, self.request)
        if request.slice and isinstance(fabric, Space):
            known = {j for j, jobs in enumerate(held) if jobs} | {*np.flatnonzero(free)}
            total = Counter(job for jobs in held for job in jobs)
            wanted = {self.selector.cluster.index[x][1] for x in request.require}
            sets = [
                sorted({job for j in nodes if not free[j] for job in held[j]})
                for nodes in places_of(fabric, request.slice)
                if allowed[i][nodes].all() and wanted <= {*nodes} <= known
            ]
            ways = [(len(jobs), sum(total[j] for j in jobs), jobs) for jobs in sets]
            count, lost, jobs = min(ways, default=(None, 0, None))
            return JobsToEnd(None if jobs is None else tuple(jobs), lost, count, BY)
        run = ProgramRun(self.choosers[i], request, allowed[i])
        return _fewest_on_tree(run, free, held, settings)


def _fewest_on_tree(
    run: ProgramRun, free: Flags, held: Sequence[tuple[str, ...]], settings: Settings
) -> JobsToEnd:
    """Find the fewest jobs whose nodes let a request fit; of these the smallest."""
    from ...formulations.cluster.changes.change import preempt
    from ...formulations.cluster.constraints import Require, Slices
    from ...formulations.cluster.job import GangJob, JobConstraint, Role
    from ..jobs.running import running_state

    fabric, request, roles = run.fabric, run.request, ("nodes",)
    asked: list[JobConstraint] = [
        Slices(fabric.levels[level], roles, size) for level, size in run.sizes.items()
    ]
    asked += [Require(request.require, roles)] * bool(request.require)
    state = running_state(
        tree_of(fabric),
        free & run.free,
        {x: jobs for x, jobs in zip(fabric.nodes, held, strict=True) if jobs},
        [fabric.nodes[j] for j in np.flatnonzero(run.free)],
    )
    job = GangJob((Role("nodes", request.k),), tuple(asked))
    found = preempt(job, state, settings)
    known = {stage.name: stage for stage in found.stages}
    if found.status is Status.INFEASIBLE:
        return JobsToEnd(None, by=found.by)
    jobs = known.get("jobs")
    bound, by = (jobs.bound, jobs.by) if jobs else (0, found.by)
    if found.status is Status.UNKNOWN:
        return JobsToEnd(None, bound=bound, by=by, limit=found.limit)
    nodes = known["devices"].value or 0
    return JobsToEnd(tuple(sorted(found.ends)), nodes, bound, by, limit=found.limit)
