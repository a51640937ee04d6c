"""A search for bad instances: where it looks, for how long, and what it found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from heapq import nsmallest
from itertools import permutations, product
from math import inf
from random import Random
from threading import Event

import numpy as np

from ...instances import InputError, KSubset, Points, Site, Topology
from ...instances.ksubset.generators import shape_text
from ...solvers import Settings
from ...solvers.running import clock
from ...solvers.running.method import Method

Sites = tuple[Site, ...]
"""Free processors, sorted."""

MOST_PLACES = 2**16


def topology_label(topology: Topology) -> str:
    """Name a network in a word, as the frontier does.

    >>> from closeknit.instances import Mesh
    >>> topology_label(Mesh((4, 3)))
    '4x3-mesh'
    """
    if topology.grid:
        return f"{shape_text(topology.size)}-{topology.kind}"
    if topology.ring_lengths is not None:
        return f"{topology.kind}-d{topology.dimension}"
    return f"{topology.kind}-{sum(1 for _ in topology.locations())}"


@dataclass(frozen=True, kw_only=True)
class SearchSpace:
    """Instances among which a bad one is looked for.

    Parameters
    ----------
    topology
        A mesh, torus or tree whose processors are free or busy; a mesh also lends
        its grid to points.
    k
        Processors to choose.
    most
        Free processors at most; they are at least k + 1.
    points
        Whether these are points in space, without a network, which may coincide.

    Raises
    ------
    InputError
        When there is no room for them.
    """

    topology: Topology
    k: int
    most: int
    points: bool = False

    def __post_init__(self) -> None:
        if self.k < 2:
            raise InputError("must be at least 2", "k", self.k)
        if self.k >= self.most:
            raise InputError(
                f"must be above k = {self.k}, or there is no choice", "n", self.most
            )
        if len(self.places) > MOST_PLACES:
            raise InputError(
                f"{len(self.places)} processors; at most {MOST_PLACES} are searched"
            )
        if not self.points and self.most > len(self.places):
            raise InputError(
                f"must be at most the number of processors ({len(self.places)})",
                "n",
                self.most,
            )

    @cached_property
    def places(self) -> Sites:
        """All places for a processor."""
        return tuple(self.topology.locations())

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Sides of the grid; none on a tree."""
        return self.topology.grid.shape if self.topology.grid else ()

    @property
    def label(self) -> str:
        """The kind of these instances, in a word.

        >>> from closeknit.instances import Mesh
        >>> SearchSpace(topology=Mesh((8, 4)), k=2, most=5).label
        '8x4-mesh'
        """
        points = f"points-d{len(self.shape)}"
        return points if self.points else topology_label(self.topology)

    def instance(self, sites: Sites, name: str = "worst", source: str = "") -> KSubset:
        """Return an instance with these free processors."""
        topology = Points(sites) if self.points else self.topology
        return KSubset(name, topology, sites, self.k, source=source)

    def holds(self, sites: Sites) -> bool:
        """Whether these sites can be free together."""
        if not self.k < len(sites) <= self.most:
            return False
        return self.points or len(set(sites)) == len(sites)

    def anywhere(self, random: Random) -> Sites:
        """Draw free processors, each set equally likely once their number is drawn."""
        n = random.randint(min(self.k + 2, self.most), self.most)
        drawn = random.choices if self.points else random.sample
        return tuple(sorted(drawn(self.places, k=n)))

    def clusters(self, random: Random) -> Sites:
        """Draw two clusters that hold k together, and the rest anywhere."""
        if not self.shape:
            return self.anywhere(random)
        first, second = random.choice(self.places), random.choice(self.places)
        sites: list[Site] = []
        for centre, size in ((first, self.k - self.k // 2), (second, self.k // 2)):
            sites += self._nearest(centre, size, sites)
        n = random.randint(min(self.k + 2, self.most), self.most)
        left = [p for p in self.places if self.points or p not in set(sites)]
        sites += random.sample(left, min(len(left), n - self.k))
        return tuple(sorted(sites))

    def decoys(self, random: Random) -> Sites:
        """Lay out Theorem 1's construction, as far as the grid has room for it.

        Two clusters of k/2 lie L apart along an axis, and k/(4d) decoys, or one, in
        every direction but towards the other cluster: up to 3 nearer than L, or at the
        margin.
        """
        if not self.shape:
            return self.anywhere(random)
        d = len(self.shape)
        axis = random.randrange(d)
        apart = random.randint(self.shape[axis] // 3, self.shape[axis] - 1)
        first = list(random.choice(self.places))
        first[axis] = random.randint(0, self.shape[axis] - 1 - apart)
        second = [x + apart * (a == axis) for a, x in enumerate(first)]
        sites = self._nearest(first, self.k - self.k // 2, [])
        sites += self._nearest(second, self.k // 2, sites)
        far = apart - random.randint(0, 3)
        for centre, inwards in ((first, 1), (second, -1)):
            for a, step in product(range(d), (-1, 1)):
                if (a, step) != (axis, inwards):
                    decoy = centre[:]
                    decoy[a] = min(max(0, decoy[a] + step * far), self.shape[a] - 1)
                    sites += self._nearest(decoy, max(1, self.k // (4 * d)), sites)
        return tuple(sorted(sites[: self.most]))

    def _nearest(
        self, centre: Sequence[int], number: int, but: Sequence[Site]
    ) -> list[Site]:
        """Return the places nearest to a centre; points may be where others are."""
        taken = set() if self.points else set(but)
        left = (place for place in self.places if place not in taken)
        away, here = self.topology.distance, tuple(centre)
        return nsmallest(number, left, key=lambda site: (away(site, here), site))

    @cached_property
    def mirrors(self) -> list[dict[Site, Site]]:
        """Symmetries, but for the identity, that are their own inverse."""
        return [
            turned
            for turned in self.symmetries()
            if any(q != p for p, q in turned.items())
            and all(turned[q] == p for p, q in turned.items())
        ]

    def symmetries(self) -> list[dict[Site, Site]]:
        """Return the maps of a grid onto itself: reflections and exchanges of axes."""
        if not self.shape:
            return [{p: p for p in self.places}]
        cells = np.arange(len(self.places)).reshape(self.shape)
        maps = []
        for axes in permutations(range(cells.ndim)):
            turned = cells.transpose(axes)
            if turned.shape == cells.shape:
                for ways in product((1, -1), repeat=cells.ndim):
                    image = turned[tuple(slice(None, None, way) for way in ways)]
                    places = zip(self.places, image.flat, strict=True)
                    maps.append({p: self.places[i] for p, i in places})
        return maps


@dataclass(frozen=True, kw_only=True)
class AdversarySearch:
    """Which method is tested, on which instances, and for how long.

    Parameters
    ----------
    method
        A heuristic.
    ground
        The instances.
    settings
        With which the method is run, but for the seed: that is of the search. Methods
        that draw are run with seed 0, so that what they pay can be looked up again.
    seconds, evaluations
        When to stop: wall-clock time, and instances on which the method is run.
    stop
        Set from outside to end the search.

    Raises
    ------
    InputError
        For an exact method, or one that does not take these instances.
    """

    method: Method[KSubset]
    ground: SearchSpace
    settings: Settings
    seconds: float = inf
    evaluations: float = inf
    stop: Event = field(default_factory=Event)

    def __post_init__(self) -> None:
        name = self.method.name
        if self.method.exact:
            raise InputError(
                f"{name} is exact: its ratio is 1 on every instance", "METHOD"
            )
        if why := self.method.refusal(self.sample()):
            raise InputError(why, name)

    def sample(self) -> KSubset:
        """Return one of the instances."""
        most = min(self.ground.most, len(self.ground.places))
        sites = self.ground.places[:most]
        return self.ground.instance(sites + sites[-1:] * (self.ground.most - most))

    def pay(self, instance: KSubset, seconds: float = inf) -> int | None:
        """Run the method; None when it finds nothing, or does not end in time."""
        limit = min(self.settings.time_limit, max(0.01, seconds))
        settings = replace(self.settings, seed=0, time_limit=limit)
        result = self.method.function(instance, settings)
        if result.limit is None and isinstance(result.objective, int):
            return result.objective
        return None


@dataclass(frozen=True, kw_only=True)
class BadInstance:
    """A bad instance.

    Parameters
    ----------
    instance
        The worst met.
    cost, optimum
        What the method pays, and the least cost, which is proved.
    evaluations
        On how many instances the method was run.
    seconds
        Wall-clock time.
    how
        How it was found, for people.
    proved
        Whether all instances were looked at, so that none is worse.
    """

    instance: KSubset
    cost: int
    optimum: int
    evaluations: int
    seconds: float
    how: str
    proved: bool = False

    @property
    def ratio(self) -> Fraction:
        """Cost over optimum, exact."""
        return Fraction(self.cost, self.optimum)


@dataclass
class Watch:
    """A running search: runs the method, counts the runs, and checks the time limit."""

    hunt: AdversarySearch
    begun: float = field(default_factory=clock.now)
    evaluations: int = 0

    def pay(self, instance: KSubset) -> int | None:
        """Run the method; None when it finds nothing in the time that is left."""
        self.evaluations += 1
        return self.hunt.pay(instance, self.hunt.seconds - self._seconds)

    @property
    def over(self) -> bool:
        """Whether it is time to stop."""
        hunt = self.hunt
        return (
            hunt.stop.is_set()
            or self.evaluations >= hunt.evaluations
            or self._seconds > hunt.seconds
        )

    @property
    def _seconds(self) -> float:
        return clock.now() - self.begun

    def found(
        self, sites: Sites, cost: int, optimum: int, how: str, proved: bool = False
    ) -> BadInstance:
        """Describe the worst instance found until now."""
        name, ground = self.hunt.method.name, self.hunt.ground
        label = f"worst-{name.replace('/', '-')}-{ground.label}-k{ground.k}"
        return BadInstance(
            instance=ground.instance(sites, label, f"bad for {name}: {how}"),
            cost=cost,
            optimum=optimum,
            evaluations=self.evaluations,
            seconds=self._seconds,
            how=how,
            proved=proved,
        )
