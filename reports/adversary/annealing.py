"""Simulated annealing over sets of free processors, with restarts."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from math import exp
from random import Random
from typing import NoReturn

from .found import Found, Hunt, Watch
from .ground import Sites
from .moves import Mirror, mirrored, moved, moved_with_image
from .optimum import Known, Optimum

SHORTEST = 10_000
"""Changes proposed in the shortest run; the others are 2, 4, 8, … times as long."""
HOT, COLD = 0.012, 0.001
"""Approximate factor by which the ratio may fall in a step: first and last."""

Report = Callable[[Found], None]
"""Called with every instance worse than all before."""


@dataclass(frozen=True, slots=True)
class _State:
    """A set of free processors with the cost of the method there."""

    cost: int
    optimum: Known

    @property
    def ratio(self) -> float:
        return self.cost / self.optimum.cost

    def worse_than(self, other: _State) -> bool:
        """Whether the ratio is larger, exactly."""
        return self.cost * other.optimum.cost > other.cost * self.optimum.cost


def anneal(
    hunt: Hunt, starts: Sequence[Sites] = (), report: Report | None = None
) -> Found | None:
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
    hunt.pay(sample := hunt.sample())  # what is compiled at first use costs no budget
    optimum.below(sample, 0)
    watch = Watch(hunt)
    best: _State | None = None
    found: Found | None = None
    runs = _runs(hunt, starts, random)
    sites, kind, length, mirror = next(runs)
    while True:
        state = _first(hunt, optimum, watch, sites)
        for i in range(length):
            if state is not None and (best is None or state.worse_than(best)):
                best = state
                found = _found(hunt, watch, state, kind)
                if report is not None:
                    report(found)
            if watch.over:
                return found and replace(
                    found, evaluations=watch.evaluations, seconds=watch.seconds
                )
            if state is None:
                break
            heat = HOT * (COLD / HOT) ** (i / length)
            state = _next(hunt, optimum, watch, state, heat, mirror, random)
        sites, kind, length, mirror = runs.send(best)


_Run = tuple[Sites, str, int, Mirror | None]
"""Start of a run, the name of that start, its length, and its symmetry."""


def _runs(
    hunt: Hunt, starts: Sequence[Sites], random: Random
) -> Generator[_Run, _State | None, NoReturn]:
    """Yield one run after the other; accept the worst instance so far."""
    ground = hunt.ground
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
            both = mirrored(sites, mirror)
            if ground.holds(both):
                sites, kind = both, f"{kind}, kept symmetric"
            else:
                mirror = None
        worst = yield sites, kind, length, mirror


def luby(i: int) -> int:
    """Return the i-th number of 1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8, and so on.

    >>> [luby(i) for i in range(1, 16)]
    [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]
    """
    while (i + 1) & i:
        i -= (1 << (i.bit_length() - 1)) - 1
    return (i + 1) // 2


def _first(hunt: Hunt, optimum: Optimum, watch: Watch, sites: Sites) -> _State | None:
    instance = hunt.ground.instance(sites)
    watch.evaluations += 1
    cost = hunt.pay(instance)
    if cost is None:
        return None
    known = optimum.below(instance, cost + 1)
    return _State(cost, known) if known is not None and known.cost else None


def _next(
    hunt: Hunt,
    optimum: Optimum,
    watch: Watch,
    state: _State,
    heat: float,
    mirror: Mirror | None,
    random: Random,
) -> _State:
    """Propose a change; return the state after it, or the same."""
    before = state.optimum
    if mirror is None:
        sites = moved(hunt.ground, before.sites, random)
    else:
        sites = moved_with_image(hunt.ground, before.sites, mirror, random)
    if sites is None:
        return state
    least = state.ratio * exp(-heat * random.expovariate(1.0))
    instance = hunt.ground.instance(sites)
    watch.evaluations += 1
    cost = hunt.pay(instance)
    if cost is None:
        return state
    limit = int(cost / max(least, 1.0)) + 1  # the optimum must be below
    known = optimum.below(instance, limit, before)
    return _State(cost, known) if known is not None and known.cost else state


def _found(hunt: Hunt, watch: Watch, state: _State, kind: str) -> Found:
    """Describe what was found."""
    ground, name, seed = hunt.ground, hunt.method.name, hunt.settings.seed
    how = f"annealing {kind}, seed {seed}, evaluation {watch.evaluations}"
    return Found(
        instance=ground.instance(
            state.optimum.sites,
            f"worst-{name.replace('/', '-')}-{ground.label}-k{ground.k}",
            f"bad for {name}: {how}",
        ),
        cost=state.cost,
        optimum=state.optimum.cost,
        evaluations=watch.evaluations,
        seconds=watch.seconds,
        how=how,
    )
