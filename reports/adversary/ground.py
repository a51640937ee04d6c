"""Possible sites of free processors: a network, or a cube of points."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations, product
from random import Random

from ...instances import InputError, KSubset, Mesh, Points, Site, Topology, Torus
from ...instances.ksubset.generators import shape_text

Sites = tuple[Site, ...]
"""Free processors, sorted."""

MOST_PLACES = 2**16


@dataclass(frozen=True, kw_only=True)
class Ground:
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
            raise InputError("must be at least 2", field="--k", value=self.k)
        if self.k >= self.most:
            raise InputError(
                f"must be above k = {self.k}, or there is no choice",
                field="--n",
                value=self.most,
            )
        if len(self.places) > MOST_PLACES:
            raise InputError(
                f"{len(self.places)} processors; at most {MOST_PLACES} are searched"
            )
        if not self.points and self.most > len(self.places):
            raise InputError(
                f"must be at most the number of processors ({len(self.places)})",
                field="--n",
                value=self.most,
            )

    @cached_property
    def places(self) -> Sites:
        """All places for a processor."""
        return tuple(self.topology.locations())

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Sides of the grid; none on a tree."""
        topology = self.topology
        return topology.shape if isinstance(topology, Mesh | Torus) else ()

    @property
    def label(self) -> str:
        """The kind of these instances, in a word.

        >>> Ground(topology=Mesh((8, 4)), k=2, most=5).label
        '8x4-mesh'
        """
        if self.points:
            return f"points-d{len(self.shape)}"
        if self.shape:
            return f"{shape_text(self.shape)}-{self.topology.kind}"
        return f"{self.topology.kind}-{len(self.places)}"

    def instance(self, sites: Sites, name: str = "worst", source: str = "") -> KSubset:
        """Return the instance with these free processors."""
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
        near = _nearness(self.topology, tuple(centre))
        return sorted((p for p in self.places if p not in taken), key=near)[:number]

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
        d, shape = len(self.shape), self.shape
        maps = []
        for axes in permutations(range(d)):
            if tuple(shape[a] for a in axes) != shape:
                continue
            for turned in product((False, True), repeat=d):
                maps.append(
                    {
                        p: tuple(
                            shape[i] - 1 - p[a] if turned[i] else p[a]
                            for i, a in enumerate(axes)
                        )
                        for p in self.places
                    }
                )
        return maps


def _nearness(topology: Topology, centre: Site) -> Callable[[Site], tuple[int, Site]]:
    """Return the sort key of places by distance, the nearest first."""
    return lambda site: (topology.distance(site, centre), site)
