"""The grade of a decision: what it costs, over the least that any choice costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf

import numpy as np

from ...instances import InputError
from ...instances.words import with_noun
from ...solvers import DEFAULT, Settings, Status
from ..placement import NodeSelector, Objective, Request, measures, names_of
from ..placement.domains import SWITCH
from ..placement.program import Chooser
from ..placement.request import OF_LINKS, LinkSearch
from ..placement.slices import place_slice
from ..placement.space import SpaceChooser
from .decisions import PastDecision, UngradableError, Ungraded, Why

Ratio = Fraction | float
"""An exact fraction, or infinity: a positive cost where the optimum is 0."""
_MOST_SHOWN = 8
"""Numbers of nodes of domains that are listed."""


@dataclass(frozen=True, slots=True)
class DecisionGrade:
    """What a decision costs, and what was possible."""

    where: str
    job: str
    k: int
    objective: Objective
    cost: tuple[int, ...]
    best: tuple[int, ...] | None
    """The cost of the best choice that was found; None if there is none."""
    bound: tuple[int, ...] | None
    """Proved: no choice costs less. None if groups make every choice impossible."""
    parts: tuple[str, str]
    """Nodes of the decision and of the best choice by leaf domain: ``17+17+2``."""
    broken: tuple[str, ...] = ()
    """The levels at which groups are not whole."""
    instead: tuple[str, ...] = ()
    """The nodes of the best choice, if it is better."""
    links: LinkSearch | None = None
    """What is known of links, where they are graded."""

    @property
    def low(self) -> Ratio | None:
        """The ratio to the best choice, at most the exact one; None: undefined.

        It is the ratio of the first part of the objective that differs, and undefined
        where groups are not whole: such a choice answers another request.
        """
        if self.broken:
            return None
        best = self.cost if self.best is None else min(self.best, self.cost)
        return ratio(self.objective, self.cost, best)

    @property
    def high(self) -> Ratio | None:
        """The ratio to the bound, at least the exact one."""
        if self.broken or self.bound is None:
            return None
        return ratio(self.objective, self.cost, self.bound)

    @property
    def exact(self) -> bool:
        """Whether both ratios are the same."""
        return self.low == self.high


def ratio(objective: Objective, cost: Sequence[int], least: Sequence[int]) -> Ratio:
    """Return the ratio of the first part that differs; levels count from 1.

    >>> ratio(Objective.SWITCHES, (2, 90), (2, 80)), ratio(Objective.HOPS, (5,), (5,))
    (Fraction(9, 8), Fraction(1, 1))
    """
    names = objective.parts_of(len(cost))
    for name, mine, theirs in zip(names, cost, least, strict=True):
        if mine != theirs:
            more = int(name == "level")
            return Fraction(mine + more, theirs + more) if theirs + more else inf
    return Fraction(1)


def grade_decision(
    selector: NodeSelector, decision: PastDecision, settings: Settings = DEFAULT
) -> DecisionGrade | Ungraded:
    """Compare a decision with the optimum for the same job and the same free nodes.

    Parameters
    ----------
    selector
        Of the cluster.
    decision
        The job, the free nodes, the chosen nodes.
    settings
        The time limit holds for the search of the optimum.

    Returns
    -------
    Grade or Ungraded
        The latter if a node is not in the topology, was not free, or is listed twice,
        there are more or fewer nodes than the job asks for, they are in several parts
        of the cluster, or objective or levels are not defined on this network.
    """
    try:
        return _compare_with_optimum(selector, decision, settings)
    except UngradableError as error:
        wished = decision.request.objective
        return Ungraded(decision.where, decision.job, error.why, str(error), wished)


def _compare_with_optimum(
    selector: NodeSelector, decision: PastDecision, settings: Settings
) -> DecisionGrade:
    request = decision.request
    part, chosen = _check_placement(selector, decision)
    try:
        found = selector.select(request, decision.free, settings)
        broken = _broken(selector.choosers[part], request, chosen)
        chooser, free = selector.choosers[part], decision.free[part]
        links = selector.links if request.objective in OF_LINKS else None
        if links is not None:
            cost = links.cost(chooser.fabric, chosen)
        else:
            cost = chooser.cost(request.objective, chosen, free)
    except InputError as error:
        raise UngradableError(Why.REQUEST, str(error)) from None
    if found.status is not Status.INFEASIBLE and found.bound is None:
        raise UngradableError(Why.LIMIT, "no bound was found within the time limit")
    names: list[str] = []
    best = ""
    if found.objective is not None:
        best = _split(selector.choosers[found.fabric], found.chosen)
        if broken or found.objective < cost:
            names = names_of(selector.cluster.fabrics[found.fabric], found)
    return DecisionGrade(
        decision.where,
        decision.job,
        request.k,
        request.objective,
        cost,
        found.objective,
        found.bound,
        (_split(selector.choosers[part], chosen), best),
        broken,
        tuple(names),
        links,
    )


def _check_placement(
    selector: NodeSelector, decision: PastDecision
) -> tuple[int, tuple[int, ...]]:
    """Return the fabric and the nodes of a decision, which must be free."""
    index, request = selector.cluster.index, decision.request
    places = []
    for name in decision.chosen:
        place = index.get(name)
        if place is None:
            raise UngradableError(Why.UNKNOWN, f"{name} is not in the topology")
        if reason := selector.never.get(name):
            raise UngradableError(Why.OTHER, f"{name}: {reason}")
        if not decision.free[place[0]][place[1]]:
            raise UngradableError(Why.BUSY, f"{name} was not free")
        places.append(place)
    if len(set(places)) < len(places):
        twice = next(name for name, n in Counter(decision.chosen).items() if n > 1)
        raise UngradableError(Why.TWICE, f"chosen: {twice} is listed twice")
    if len(places) != request.k:
        detail = f"{with_noun(len(places), 'node')} for a job of {request.k}"
        raise UngradableError(Why.COUNT, detail)
    if missing := sorted(request.require.difference(decision.chosen)):
        raise UngradableError(Why.REQUEST, f"{missing[0]} was required, but not chosen")
    fabrics = {i for i, _ in places}
    if len(fabrics) > 1:
        detail = f"{decision.chosen[0]} and others are not connected"
        raise UngradableError(Why.PARTS, detail)
    return fabrics.pop(), tuple(sorted(j for _, j in places))


def _broken(
    chooser: Chooser | SpaceChooser, request: Request, chosen: Sequence[int]
) -> tuple[str, ...]:
    """Return the levels at which groups are not whole, or that it is no such slice."""
    if request.slice:
        of_them = np.isin(np.arange(len(chooser.fabric.nodes)), chosen)
        found = place_slice(chooser.fabric, request, of_them, of_them)
        return () if found.objective else ("slice",)
    if isinstance(chooser, SpaceChooser):
        if request.size == 1 or chooser.in_groups(chosen, request.size):
            return ()
        return (SWITCH,)
    fabric = chooser.fabric
    sizes = request.sizes(fabric)
    if not sizes:
        return ()
    below = measures.counts_below(fabric, chosen)
    broken = []
    for level, size in sizes.items():
        counts = [c for v, c in below.items() if int(fabric.level[v]) == level]
        if sum(counts) < request.k or any(c % size for c in counts):
            broken.append(fabric.levels[level])
    return tuple(broken)


def _split(chooser: Chooser | SpaceChooser, chosen: Sequence[int]) -> str:
    """Return how many nodes are at each leaf domain: ``17+17+2``.

    Of graphs with the same leaf switches; of other networks that is not known.
    """
    if isinstance(chooser, Chooser):
        at = np.asarray(chosen, dtype=np.int64)
        homes = Counter(chooser.fabric.home[at].tolist())
    elif chooser.alike.cables is not None:
        homes = Counter(tuple(chooser.alike.switches_of(i)) for i in chosen)
    else:
        return ""
    counts = sorted(homes.values(), reverse=True)
    shown = "+".join(map(str, counts[:_MOST_SHOWN]))
    more = len(counts) - _MOST_SHOWN
    return f"{shown}+… ({more} more)" if more > 0 else shown
