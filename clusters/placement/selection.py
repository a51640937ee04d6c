"""Choosing nodes of a cluster: the best of its fabrics, exactly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from ...instances import InputError
from ...solvers import DEFAULT, Settings, Status
from ...solvers.running import clock
from ..topologies import Cluster, Fabric, Hierarchy
from .program import Chooser, Flags
from .request import OF_LINKS, LinkSearch, Objective, Placement, Request
from .space import SpaceChooser


@dataclass(frozen=True, eq=False)
class NodeSelector:
    """Chooses nodes of one cluster for one request after another."""

    cluster: Cluster
    never: Mapping[str, str] = field(default_factory=dict)
    """The nodes that are not free, whatever is stated elsewhere, and why a job may not
    use them; empty if nothing is against that."""
    links: LinkSearch | None = None
    """What requests want of links whose objective is about these."""

    @cached_property
    def choosers(self) -> tuple[Chooser | SpaceChooser, ...]:
        """What each fabric keeps between requests."""
        return tuple(
            Chooser(fabric) if isinstance(fabric, Hierarchy) else SpaceChooser(fabric)
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
            Nodes that are not, whatever ``names`` states.
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
            (self.never, False, "never"),
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
        fabrics = self.cluster.fabrics
        if request.objective in OF_LINKS and request.links is None:
            if self.links is None:
                raise InputError("needs links", "objective", request.objective.value)
            request = replace(request, links=self.links)
        for name in sorted(request.require):
            at = self.cluster.index.get(name)
            if at is None:
                raise InputError("is not in the topology", "require", name)
            if not free[at[0]][at[1]]:
                raise InputError("is required, but not free", "require", name)
        parts = {self.cluster.index[name][0] for name in request.require}
        found = [
            replace(self.choosers[i].select(request, free[i], settings), fabric=i)
            for i in range(len(free))
            if parts <= {i} and int(np.count_nonzero(free[i])) >= request.k
        ]
        if len({request.objective.parts_on(fabrics[p.fabric]) for p in found}) > 1:
            problem = "means different things on the parts of this topology"
            raise InputError(problem, "objective", request.objective.value)
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


def names_of(fabric: Fabric, placement: Placement) -> list[str]:
    """Return the names of the chosen nodes, in the order of the fabric."""
    return [fabric.nodes[i] for i in placement.chosen]
