"""The exact selection on networks that are no tree: tori, meshes, points and graphs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ...instances import InputError
from ...solvers import DEFAULT, Settings
from ...solvers.running import clock
from ..topologies import Space
from . import measures
from .domains import SWITCH, domains_of
from .node_classes import Alike, Flags
from .program import Chooser
from .request import Objective, Placement, Request
from .slices import place_slice, places_of
from .space_model import SpaceModel, in_groups

MOST_CLASSES = 300
"""Maximal number of classes of free nodes in a model."""
_FEW = 64
"""Classes up to which hops alone are left to the model, if twice as many are free."""


@dataclass(frozen=True, eq=False)
class SpaceChooser:
    """Chooses nodes of one space; what depends only on that is kept."""

    fabric: Space

    @cached_property
    def alike(self) -> Alike:
        """The nodes by their cables."""
        return Alike(self.fabric)

    def cost(
        self, objective: Objective, chosen: Sequence[int], free: Flags
    ) -> tuple[int, ...]:
        """Return the numbers of an objective, whatever is free."""
        return self.alike.cost(objective, chosen)

    def select(
        self, request: Request, free: Flags, settings: Settings = DEFAULT
    ) -> Placement:
        """Choose k of the free nodes; for the limits see `Chooser.select`.

        Raises
        ------
        InputError
            If the objective or the groups are not defined here, or there are too many
            different nodes for what is asked.
        """
        start = clock.now()
        if request.links is not None:
            return request.links.solve(self, request, free, start, settings)
        self._refuse(request)
        if request.slice:
            found = place_slice(self.fabric, request, free, free)
            if found.objective is not None:
                cost = self.alike.cost(request.objective, found.chosen)
                found = replace(found, objective=cost, bound=cost)
            return replace(found, seconds=clock.now() - start)
        alike = sum(bool(free[members].any()) for members in self.alike.classes)
        plain = request.objective is Objective.HOPS and request.is_plain
        if plain and (alike > _FEW or 2 * alike > int(np.count_nonzero(free))):
            return self.alike.by_method(request, free, settings)
        if alike > MOST_CLASSES:
            if request.is_plain:
                problem = f"must be hops with more than {MOST_CLASSES} different nodes"
                raise InputError(problem, "objective", request.objective.value)
            problem = f"is for at most {MOST_CLASSES} different nodes here"
            raise InputError(problem, "require or segment", alike)
        model = SpaceModel(self.alike, request, free)
        found = model.solve(settings, start)
        return replace(found, seconds=clock.now() - start)

    def _refuse(self, request: Request) -> None:
        words, objective = self.fabric.words, request.objective
        self.refuse_groups(request)
        defined = [Objective.HOPS, Objective.SPREAD]
        if self.alike.cables is not None:
            defined.insert(1, Objective.SWITCHES)
        if request.slice:
            defined = [Objective.HOPS]
        if objective not in defined:
            names = " or ".join(one.value for one in defined)
            problem = f"must be {names} on this network ({words})"
            raise InputError(problem, "objective", objective.value)

    def in_groups(self, chosen: Sequence[int], size: int) -> bool:
        """Return whether nodes split into such groups, each at one leaf switch."""
        return in_groups(self.alike, chosen, size)

    def refuse_groups(self, request: Request) -> None:
        """Raise InputError for groups that are not defined on this network."""
        words = self.fabric.words
        if request.slice:
            places_of(self.fabric, request.slice)
        if self.alike.cables is None and request.segment > 1:
            problem = f"must be 1 where there are no leaf switches ({words})"
            raise InputError(problem, "segment", request.segment)
        for name, size in request.levels.items():
            if self.alike.cables is None:
                problem = f"is for networks with switches, not for {self.fabric.kinds}"
                raise InputError(problem, "levels", name)
            if name != SWITCH:
                problem = f"no such level (there is: {SWITCH})"
                raise InputError(problem, "levels", name)
            if request.segment not in (1, size):
                raise InputError("contradicts the segment", "levels", name)


def largest_in(chooser: Chooser | SpaceChooser, free: Flags) -> dict[str, int]:
    """Return how many nodes are free in the best domain of every level."""
    if isinstance(chooser, SpaceChooser):
        found = domains_of(chooser.alike)
        return {one.level: int(one.counts(free).max()) for one in found}
    fabric = chooser.fabric
    at = np.bincount(fabric.home[free], minlength=len(fabric.parent))
    return measures.largest_jobs(fabric, fabric.below(at))
