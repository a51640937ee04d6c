"""Choosing nodes of a cluster: the best of its fabrics, exactly."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ...instances import InputError, KSubset, Points
from ...methods.by_name import method_named
from ...solvers import DEFAULT, Settings, Status, clock
from ..topologies import Cluster, Fabric, Hierarchy, Space
from .program import Chooser, Flags
from .request import Objective, Placement, Request


@dataclass(frozen=True, eq=False)
class NodeSelector:
    """Chooses nodes of one cluster for one request after another."""

    cluster: Cluster

    @cached_property
    def choosers(self) -> tuple[Chooser | None, ...]:
        """What each hierarchy keeps between requests."""
        return tuple(
            Chooser(fabric) if isinstance(fabric, Hierarchy) else None
            for fabric in self.cluster.fabrics
        )

    @property
    def objective(self) -> Objective:
        """What is minimised unless a request says otherwise."""
        trees = any(isinstance(f, Hierarchy) for f in self.cluster.fabrics)
        return Objective.SWITCHES if trees else Objective.HOPS

    def free(
        self,
        names: Iterable[str] | None = None,
        *,
        without: Iterable[str] = (),
        fields: tuple[str, str] = ("free", "exclude"),
    ) -> list[Flags]:
        """Return which nodes of every fabric are free.

        Parameters
        ----------
        names
            The free nodes; by default all.
        without
            Nodes that are not, whatever ``names`` says.
        fields
            What the two are called in messages.

        Raises
        ------
        InputError
            If a name is not in the cluster.
        """
        fabrics = self.cluster.fabrics
        flags = [np.full(len(f.nodes), names is None, dtype=np.bool_) for f in fabrics]
        for listed, value, what in (
            (names or (), True, fields[0]),
            (without, False, fields[1]),
        ):
            for name in listed:
                place = self.cluster.index.get(name)
                if place is None:
                    raise InputError("is not in the topology", what, name)
                flags[place[0]][place[1]] = value
        return flags

    def select(
        self, request: Request, free: Sequence[Flags], settings: Settings = DEFAULT
    ) -> Placement:
        """Choose k free nodes of one fabric; of several choices the best.

        Returns
        -------
        Placement
            Its bound holds for all fabrics.

        Raises
        ------
        InputError
            If a required node is not free, a level is not known, or the objective or
            the groups are not defined for a fabric that could hold the job.
        """
        start = clock.now()
        for name in sorted(request.require):
            at = self.cluster.index.get(name)
            if at is None:
                raise InputError("is not in the topology", "require", name)
            if not free[at[0]][at[1]]:
                raise InputError("is required, but not free", "require", name)
        parts = {self.cluster.index[name][0] for name in request.require}
        found = [
            replace(self._of_fabric(i, request, free[i], settings), fabric=i)
            for i in range(len(free))
            if parts <= {i} and int(np.count_nonzero(free[i])) >= request.k
        ]
        seconds = clock.now() - start
        if not found:
            return Placement(Status.INFEASIBLE, by="counting", seconds=seconds)
        possible = [one for one in found if one.status is not Status.INFEASIBLE]
        if not possible:
            return replace(found[0], seconds=seconds)
        chosen = [one for one in possible if one.objective is not None]
        if not chosen:
            return replace(possible[0], seconds=seconds)
        best = min(chosen, key=lambda one: one.objective or ())
        bounds = [one.bound for one in possible]
        bound = None if None in bounds else min(b for b in bounds if b is not None)
        status = Status.OPTIMAL if bound == best.objective else Status.FEASIBLE
        limit = next((one.limit for one in possible if one.limit), None)
        return replace(best, bound=bound, status=status, limit=limit, seconds=seconds)

    def _of_fabric(
        self, i: int, request: Request, free: Flags, settings: Settings
    ) -> Placement:
        chooser = self.choosers[i]
        if chooser is not None:
            return chooser.select(request, free, settings)
        fabric = self.cluster.fabrics[i]
        assert isinstance(fabric, Space)
        return _in_space(fabric, request, free, settings)


def names_of(fabric: Fabric, placement: Placement) -> list[str]:
    """Return the names of the chosen nodes, in the order of the fabric."""
    return [fabric.nodes[i] for i in placement.chosen]


def _in_space(
    fabric: Space, request: Request, free: Flags, settings: Settings
) -> Placement:
    """Choose by the strongest exact method for k-subsets."""
    if request.objective is not Objective.HOPS or not request.is_plain:
        what = request.objective.value
        if request.objective is Objective.HOPS:
            what = "groups and required nodes"
        problem = f"is for trees and blocks; {fabric.words}: only hops"
        raise InputError(problem, "objective", what)
    order = sorted(np.flatnonzero(free).tolist(), key=lambda i: (fabric.sites[i], i))
    sites = tuple(fabric.sites[i] for i in order)
    topology = fabric.topology
    if isinstance(topology, Points):
        topology = Points(sites)
    instance = KSubset("request", topology, sites, request.k)
    method = method_named("auto", "ksubset")
    result = method(instance, settings)
    objective, bound = result.objective, result.bound
    return Placement(
        result.status,
        0,
        tuple(sorted(order[i] for i in result.chosen or ())),
        (objective,) if isinstance(objective, int) else None,
        (bound,) if isinstance(bound, int) else None,
        str(result.proof) if result.proof else "",
        result.limit,
        result.seconds,
    )
