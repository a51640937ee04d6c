"""A model of the choice of nodes on networks that are no tree, for CP-SAT.

There is one integer for each class of nodes that are alike, and the model is solved
part after part of the objective. Moving nodes from one class to another changes the
hops along a concave function, as nodes of one class are nearest to each other. So there
is a best choice in which all classes but one are taken whole or not at all, which the
model states.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ...heuristics.ksubset.mm_inc import first_solution
from ...solvers import Grade, Limit, Proof, Settings, SolverError, Status
from ...solvers.running import clock
from .node_classes import Alike, Flags
from .request import Objective, Placement, Request

if TYPE_CHECKING:
    from ortools.sat.python import cp_model


class SpaceModel:
    """One request as a model for CP-SAT."""

    def __init__(self, alike: Alike, request: Request, free: Flags) -> None:
        from ortools.sat.python import cp_model

        self.alike, self.request, self.free = alike, request, free
        self.classes: list[list[int]] = []
        """Free nodes of every class with any, required ones first."""
        self.need: list[int] = []
        names, numbers = alike.fabric.nodes, []
        for g, members in enumerate(alike.classes):
            here = [i for i in members if free[i]]
            wanted = {i for i in here if names[i] in request.require}
            if here:
                self.classes.append(sorted(here, key=lambda i: (i not in wanted, i)))
                self.need.append(len(wanted))
                numbers.append(g)
        between = alike.between
        self.apart = {
            (g, h): between(numbers[g], numbers[h])
            for g, h in combinations(range(len(numbers)), 2)
        }
        self.own = [
            between(g, g) if len(here) > 1 else 0
            for g, here in zip(numbers, self.classes, strict=True)
        ]
        k = request.k
        self.most = [min(k, len(here)) for here in self.classes]
        self.model = model = cp_model.CpModel()
        self.x = [
            model.new_int_var(low, max(low, high), "")
            for low, high in zip(self.need, self.most, strict=True)
        ]
        model.add(sum(self.x) == k)
        if request.size > 1:
            self._segments()
        elif self._concave():
            self._one_partial()

    def _concave(self) -> bool:
        """Whether nodes of one class are nearest to each other."""
        nearest = [own or 2**62 for own in self.own]
        for (g, h), d in self.apart.items():
            nearest[g], nearest[h] = min(nearest[g], d), min(nearest[h], d)
        return all(
            own in (0, near) for own, near in zip(self.own, nearest, strict=True)
        )

    def _one_partial(self) -> None:
        """All classes but one are taken whole or as little as can be."""
        whole = []
        for x, low, high, here in zip(
            self.x, self.need, self.most, self.classes, strict=True
        ):
            least, full = self.model.new_bool_var(""), self.model.new_bool_var("")
            self.model.add(x == low).only_enforce_if(least)
            self.model.add(x > low).only_enforce_if(least.negated())
            self.model.add(x == high).only_enforce_if(full)
            if len(here) > high or low == high:
                self.model.add(full == 0)
            whole += [least, full]
        self.model.add(sum(whole) >= len(self.x) - 1)

    def _segments(self) -> None:
        groups = switch_groups(
            self.model, self.alike, self.classes, self.x, self.most, self.request.size
        )
        self.model.add(self.request.size * sum(groups) == self.request.k)

    def _used_switches(self) -> cp_model.LinearExpr:
        used: dict[int, Any] = {}
        for x, most, here in zip(self.x, self.most, self.classes, strict=True):
            for v in self.alike.switches_of(here[0]):
                if v not in used:
                    used[v] = self.model.new_bool_var("")
                self.model.add(x <= most * used[v])
        return sum(used.values())

    def _diameter(self) -> cp_model.LinearExpr:
        lengths = sorted({*self.apart.values(), *self.own} - {0})
        reached = {d: self.model.new_bool_var("") for d in lengths}
        for a, b in pairwise(lengths):
            self.model.add_implication(reached[b], reached[a])
        used = [self.model.new_bool_var("") for _ in self.x]
        for g, (x, here) in enumerate(zip(self.x, used, strict=True)):
            self.model.add(x == 0).only_enforce_if(here.negated())
            if self.own[g]:
                several = self.model.new_bool_var("")
                self.model.add(x <= 1).only_enforce_if(several.negated())
                self.model.add_implication(several, reached[self.own[g]])
        apart = ((pair, d) for pair, d in self.apart.items() if d)  # not at one place
        for (g, h), d in apart:
            self.model.add_bool_or(used[g].negated(), used[h].negated(), reached[d])
        gaps = np.diff([0, *lengths]).tolist()
        return sum(gap * reached[d] for gap, d in zip(gaps, lengths, strict=True))

    def _hops(self) -> cp_model.LinearExpr:
        """Return the hops: as if all were farthest, less what nearer pairs save."""
        k = self.request.k
        far = max([0, *self.apart.values(), *self.own])
        saved: list[Any] = []
        for x, most, own in zip(self.x, self.most, self.own, strict=True):
            if most > 1 and own < far:
                steps = [self.model.new_bool_var("") for _ in range(most)]
                self.model.add(sum(steps) == x)
                for a, b in pairwise(steps):
                    self.model.add_implication(b, a)
                saved += [(far - own) * c * step for c, step in enumerate(steps)]
        for (g, h), d in self.apart.items():
            if d < far:
                a, b = self.most[g], self.most[h]
                both = self.model.new_int_var(0, a * b, "")
                self.model.add_multiplication_equality(both, [self.x[g], self.x[h]])
                self.model.add(both <= b * self.x[g])
                self.model.add(both <= a * self.x[h])
                saved.append((far - d) * both)
        return far * (k * (k - 1) // 2) - sum(saved)

    def solve(self, settings: Settings, start: float) -> Placement:
        """Minimise part after part; what is left when time is up is bounded simply."""
        from ...solvers import cpsat

        proof = Proof(Grade.SOLVER, cpsat.BY)
        counts, proved = self._first(settings), list[int]()
        for make in self._parts():
            part = make()
            if proved and self._is_spread_out():
                counts, least = self._from_hops_alone(
                    proved[0], counts, settings, start
                )
                self.model.add(part >= least)
            self.model.clear_hints()
            for x, count in zip(self.x, counts or (), strict=False):
                self.model.add_hint(x, count)
            self.model.clear_objective()
            self.model.minimize(part)
            found = cpsat.decide(self.model, self.x, settings=settings, start=start)
            if found.impossible:
                return Placement(Status.INFEASIBLE, by=str(proof))
            counts = found.values or counts
            if found.limit is not None:
                least = self._least()[len(proved)]
                bound = (*proved, max(least, found.bound or 0))
                return self._placement(counts, bound, str(proof), found.limit)
            assert found.bound is not None
            proved.append(found.bound)
            self.model.add(part == found.bound)
        if tuple(proved) == self._least():  # the own bound says the same
            proof = Proof(Grade.CONFIRMED, f"{cpsat.BY}, counting")
        return self._placement(counts, tuple(proved), str(proof))

    def _parts(self) -> tuple[Callable[[], cp_model.LinearExpr], ...]:
        return {
            Objective.SWITCHES: (self._used_switches, self._hops),
            Objective.SPREAD: (self._diameter, self._hops),
        }.get(self.request.objective, (self._hops,))

    def _is_spread_out(self) -> bool:
        """Whether hops alone are better left to the methods for k-subsets."""
        alike = any(self.own)
        spread = self.request.objective is Objective.SPREAD
        return spread and self.request.is_plain and not alike

    def _from_hops_alone(
        self,
        diameter: int,
        counts: list[int] | None,
        settings: Settings,
        start: float,
    ) -> tuple[list[int] | None, int]:
        """Return a choice with fewest hops if its diameter is least, and their bound.

        Half of the time that is left may be spent.
        """
        left = max(0.0, start + settings.time_limit - clock.now()) / 2
        settings = replace(settings, time_limit=left)
        plain = Request(self.request.k, Objective.HOPS)
        found = self.alike.by_method(plain, self.free, settings)
        cost = self.alike.cost(Objective.SPREAD, found.chosen)
        if found.chosen and cost[0] <= diameter:
            counts = self._count_by_class(found.chosen)
        return counts, (found.bound or (0,))[0]

    def _placement(
        self,
        counts: Sequence[int] | None,
        bound: tuple[int, ...],
        proof: str,
        limit: Limit | None = None,
    ) -> Placement:
        bound = (*bound, *self._least()[len(bound) :])
        if counts is None:
            return Placement(Status.UNKNOWN, 0, (), None, bound, proof, limit)
        taken = [
            i
            for here, count in zip(self.classes, counts, strict=True)
            for i in here[:count]
        ]
        chosen = tuple(sorted(taken))
        cost = self.alike.cost(self.request.objective, chosen)
        if limit is None and cost != bound:
            raise SolverError("the selection does not cost what its model says")
        status = Status.OPTIMAL if cost == bound else Status.FEASIBLE
        return Placement(status, 0, chosen, cost, bound, proof, limit)

    def _count_by_class(self, chosen: Sequence[int]) -> list[int]:
        inside = set(chosen)
        return [sum(i in inside for i in here) for here in self.classes]

    def _least(self) -> tuple[int, ...]:
        """Return what every choice costs at least, part after part."""
        k = self.request.k
        nearest = min([d for d in (*self.apart.values(), *self.own) if d], default=0)
        hops = nearest * (k * (k - 1) // 2)
        match self.request.objective:
            case Objective.SWITCHES:
                return 1, hops
            case Objective.SPREAD:
                return nearest if k > 1 else 0, hops
            case _:
                return (hops,)

    def _first(self, settings: Settings) -> list[int] | None:
        """Return the counts of a choice without proof, or None if rules bar it."""
        if self.request.size > 1 or self.request.require:
            return None
        instance, order = self.alike.instance(self.request.k, self.free)
        settings = replace(settings, time_limit=settings.time_limit / 4)
        result = first_solution(instance, settings)
        if result.chosen is None or result.limit is Limit.INTERRUPT:
            return None
        return self._count_by_class([order[i] for i in result.chosen])


def in_groups(alike: Alike, chosen: Sequence[int], size: int) -> bool:
    """Return whether nodes split into groups of this size, each at one leaf switch."""
    from ortools.sat.python import cp_model

    from ...solvers import cpsat

    inside = set(chosen)
    classes = [[i for i in members if i in inside] for members in alike.classes]
    classes = [here for here in classes if here]
    counts = [len(here) for here in classes]
    model = cp_model.CpModel()
    switch_groups(model, alike, classes, counts, counts, size)
    return not cpsat.decide(model, []).impossible


def switch_groups(
    model: cp_model.CpModel,
    alike: Alike,
    classes: Sequence[Sequence[int]],
    x: Sequence[Any],
    most: Sequence[int],
    size: int,
) -> list[Any]:
    """Say that nodes come in groups, each at one leaf switch.

    Parameters
    ----------
    model, x
        ``x`` has how many nodes of every class are chosen.
    alike, classes, most
        Nodes of every class, and how many of them can be chosen.
    size
        Nodes of a group.

    Returns
    -------
    list
        The number of groups at every leaf switch.
    """
    at: dict[int, list[Any]] = defaultdict(list)
    for count, high, here in zip(x, most, classes, strict=True):
        parts = []
        for switch in alike.switches_of(here[0]):
            part = model.new_int_var(0, high, "")
            at[switch].append(part)
            parts.append(part)
        model.add(sum(parts) == count)
    total = sum(most)
    groups = []
    for parts in at.values():
        groups.append(model.new_int_var(0, total // size, ""))
        model.add(sum(parts) == size * groups[-1])
    return groups
