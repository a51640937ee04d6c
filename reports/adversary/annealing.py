"""Simulated annealing over sets of free processors, with restarts and proofs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import exp
from random import Random
from typing import NoReturn

import numpy as np

from ...formulations.ksubset.bounds.towns import town_bound_value
from ...instances import IntArray, KSubset, Site, arrays
from ...proofs.writing.learning import luby
from .hunt import AdversarySearch, BadInstance, SearchSpace, Sites, Watch
from .kernels import NONE, least

SHORTEST = 10_000
"""Changes proposed in the shortest run; the others are 2, 4, 8, … times as long."""
HOT, COLD = 0.012, 0.001
"""Approximate factor by which the ratio may fall in a step: first and last."""

Mirror = Mapping[Site, Site]
"""A symmetry of the grid that is its own inverse."""
Report = Callable[[BadInstance], None]
"""Called with every instance worse than all before."""


@dataclass(frozen=True, slots=True)
class _State:
    """A set of free processors with the cost of the method there."""

    cost: int
    optimum: KnownOptimum

    @property
    def ratio(self) -> float:
        return self.cost / self.optimum.cost

    def worse_than(self, other: _State) -> bool:
        """Whether the ratio is larger, exactly."""
        return self.cost * other.optimum.cost > other.cost * self.optimum.cost

    def found(self, watch: Watch, how: str) -> BadInstance:
        """Describe the instance."""
        return watch.found(self.optimum.sites, self.cost, self.optimum.cost, how)


def anneal(
    hunt: AdversarySearch, starts: Sequence[Sites] = (), report: Report | None = None
) -> BadInstance | None:
    """Look for an instance on which the method does badly.

    A run begins with one of ``starts``; later with processors drawn anywhere, two
    clusters, or two clusters and decoys as in Theorem 1, every fourth with the worst
    instance so far. Two in four keep to a symmetry of the grid, as very bad instances
    often do. A run lasts 10000 changes times the next number of 1, 1, 2, 1, 1, 2, 4, …
    (Luby et al. 1993). A change that divides the ratio by less than exp(T x) is
    accepted, x drawn from the exponential distribution; T falls from 0.012 to 0.001
    during the run. Thus the method has to be run first, and only then whether any set
    of k costs so little that the change is accepted is decided.

    Parameters
    ----------
    hunt
        What to search, and for how long.
    starts
        Sets of free processors to begin with, before any are drawn.
    report
        Told of every improvement.

    Returns
    -------
    Found or None
        The worst instance; None if none with a positive optimum was met.
    """
    random = Random(f"closeknit worst {hunt.settings.seed}")
    optimum = Optimum(hunt.ground)
    watch = Watch(hunt)
    best: _State | None = None
    how = ""
    runs = _runs(hunt.ground, starts, random)
    sites, kind, length, mirror = next(runs)
    while True:
        state = _try_sites(watch, optimum, sites)
        for i in range(length):
            if state is not None and (best is None or state.worse_than(best)):
                best = state
                how = f"annealing {kind}, seed {hunt.settings.seed}, "
                how += f"evaluation {watch.evaluations}"
                if report is not None:
                    report(best.found(watch, how))
            if watch.over:
                return None if best is None else best.found(watch, how)
            if state is None:
                break
            before = state.optimum
            changed = move(hunt.ground, before.sites, random, mirror)
            if changed is not None:
                heat = HOT * (COLD / HOT) ** (i / length)
                lowest = state.ratio * exp(-heat * random.expovariate(1.0))
                state = _try_sites(watch, optimum, changed, lowest, before) or state
        sites, kind, length, mirror = runs.send(best)


def _try_sites(
    watch: Watch,
    optimum: Optimum,
    sites: Sites,
    lowest: float = 1.0,
    before: KnownOptimum | None = None,
) -> _State | None:
    """Run the method on some sites; return the state if its ratio is not below."""
    instance = watch.hunt.ground.instance(sites)
    cost = watch.pay(instance)
    if cost is None:
        return None
    limit = int(cost / max(lowest, 1.0)) + 1  # the optimum must be below
    known = optimum.below(instance, limit, before)
    return _State(cost, known) if known is not None and known.cost else None


_Run = tuple[Sites, str, int, Mirror | None]
"""Start of a run, the name of that start, its length, and its symmetry."""


def _runs(
    ground: SearchSpace, starts: Sequence[Sites], random: Random
) -> Generator[_Run, _State | None, NoReturn]:
    """Yield one run after the other; accept the worst instance so far."""
    worst: _State | None = None
    for sites in starts:
        worst = yield sites, "from a given instance", SHORTEST, None
    number = 0
    while True:
        number += 1
        length = SHORTEST * luby(number)
        sites, kind = ground.anywhere(random), "from a random set"
        if number % 4 == 0 and worst is not None:
            sites, kind = worst.optimum.sites, "from the worst so far"
        elif (kinds := random.randrange(3)) == 0:
            sites, kind = ground.clusters(random), "from two clusters"
        elif kinds == 1 and ground.holds(decoys := ground.decoys(random)):
            sites, kind = decoys, "from clusters and decoys"
        mirror: Mirror | None = None
        if number % 4 in (2, 3) and ground.mirrors:
            mirror = random.choice(ground.mirrors)
            both = mirror_sites(sites, mirror)
            if ground.holds(both):
                sites, kind = both, f"{kind}, kept symmetric"
            else:
                mirror = None
        worst = yield sites, kind, length, mirror


# Optima

NODES = 200_000
"""Partial choices visited for one instance before the search stops."""


@dataclass(frozen=True, slots=True)
class KnownOptimum:
    """An optimum that is proved, and a choice that attains it."""

    sites: Sites
    cost: int
    chosen: frozenset[Site]


@dataclass
class Optimum:
    """Proves optima, or that there is none below a limit.

    An instance that differs from one known by few processors inherits what it can: an
    optimum none of whose processors went is still to be had, and then only sets with
    a new processor can be cheaper; without new ones nothing can be.
    """

    ground: SearchSpace
    nodes: int = NODES
    _inner: IntArray = field(init=False)

    def __post_init__(self) -> None:
        k = self.ground.k
        self._inner = np.zeros(k + 1, dtype=np.int64)
        topology = self.ground.topology
        if topology.is_mesh and not self.ground.points:
            for r in range(2, k + 1):
                bound = town_bound_value(r, topology.dimension)
                self._inner[r] = bound or r * (r - 1) // 2

    def below(
        self, instance: KSubset, limit: int, known: KnownOptimum | None = None
    ) -> KnownOptimum | None:
        """Return the optimum if it is below a limit; None if not, or not proved.

        ``known`` is the optimum of a neighbour.
        """
        sites, k = instance.free, instance.k
        floor, must = int(self._inner[k]), NONE
        kept: KnownOptimum | None = None
        if known is not None and not self.ground.points:
            new = set(sites) - set(known.sites)
            if known.chosen <= set(sites):  # still to be had
                if known.cost < limit:
                    kept = replace(known, sites=sites)
                if not new:
                    return kept
                if len(new) == 1:
                    must = sites.index(new.pop())
            elif not new:
                floor = max(floor, known.cost)
        picked = np.empty(k, dtype=np.int64)
        start = kept.cost if kept is not None else limit
        hops = arrays.hops(instance)
        cost, _, proved = least(
            hops, k, start, floor, must, self._inner, self.nodes, picked
        )
        if not proved:
            return None
        if cost >= start:
            return kept
        return KnownOptimum(sites, int(cost), frozenset(sites[i] for i in picked))


# Changes


def move(
    ground: SearchSpace, sites: Sites, random: Random, mirror: Mirror | None = None
) -> Sites | None:
    """Change a set of sites, with the image of the change if there is a mirror.

    So the sites remain their own mirror image. None where the change cannot be made.
    """
    changed = _move(ground, sites, random)
    if changed is None or mirror is None:
        return changed
    before, after = Counter(sites), Counter(changed)
    gone, new = before - after, after - before
    for one in (gone, new):
        for site, times in list(one.items()):
            one[mirror[site]] = max(one[mirror[site]], times)
    found = tuple(sorted(((before - gone) + new).elements()))
    return found if found != sites and ground.holds(found) else None


def _move(ground: SearchSpace, sites: Sites, random: Random) -> Sites | None:
    """Change one processor, or shift all on one side of a line by a step.

    Of ten changes four move a processor by a step or a few along an axis, two to
    anywhere, two shift all beyond a coordinate, one adds and one drops a processor.
    """
    kind = random.randrange(10)
    changed = list(sites)
    i = random.randrange(len(changed))
    if kind == 0:
        changed.append(random.choice(ground.places))
    elif kind == 1:
        del changed[i]
    elif kind <= 3 or not ground.shape:
        changed[i] = random.choice(ground.places)
    elif kind <= 7:
        to = _step(ground, changed[i], random)
        if to is None:
            return None
        changed[i] = to
    else:
        axis = random.randrange(len(ground.shape))
        line, step = changed[i][axis], random.choice((-1, 1))
        for j, site in enumerate(changed):
            if (site[axis] - line) * step >= 0:
                to = _along(ground, site, axis, step)
                if to is None:
                    return None
                changed[j] = to
    found = tuple(sorted(changed))
    return found if found != sites and ground.holds(found) else None


def mirror_sites(sites: Sites, mirror: Mirror) -> Sites:
    """Add to every site its image, where it is not there."""
    there = Counter(sites)
    images = Counter(mirror[site] for site in sites)
    return tuple(sorted((there | images).elements()))


def _step(ground: SearchSpace, site: Site, random: Random) -> Site | None:
    axis = random.randrange(len(ground.shape))
    step = random.choice((-1, 1))
    while random.random() < 0.3:
        step *= 2
    return _along(ground, site, axis, step)


def _along(ground: SearchSpace, site: Site, axis: int, step: int) -> Site | None:
    """Go some steps along an axis; None where that leads out of the grid."""
    side = ground.shape[axis]
    x = site[axis] + step
    rings = ground.topology.ring_lengths
    if rings and rings[axis]:
        x %= side
    if not 0 <= x < side:
        return None
    return (*site[:axis], x, *site[axis + 1 :])
