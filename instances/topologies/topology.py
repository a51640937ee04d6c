"""What a network is: locations and distances, and what else methods may ask for.

The distances of grids, points and trees, and of some graphs, are weighted sums of cuts
(see ``cuts``), so models, bounds and searches need no code per network. Whatever else
they need is a capability, asked for by its name here and never by the class.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, combinations
from operator import add, itemgetter
from typing import TYPE_CHECKING, Any

from ...loading import PACKAGE, find
from ..errors import InputError
from ..extended import Extended
from ..reading.fields import integers, lists, rows
from .cuts import Cuts, axis_cuts

if TYPE_CHECKING:
    from .graph import Graph
    from .grid import Grid
    from .tree import Tree

Site = tuple[int, ...]
"""Position of a processor: coordinates, or for trees and graphs the node number."""

LARGEST_PAIRWISE = 8
"""Largest k for which the cost is summed pair by pair instead of axis by axis."""


class Node(int):
    """A number that names a node of a tree or graph, and is no index of a processor."""

    __slots__ = ()


class Topology(Extended):
    """A network of processors.

    A new one gives `kind`, `dimension`, `locations` and `distance`; what else it can do
    it states by the attributes below, and methods that need more refuse it.
    """

    __slots__ = ()

    @property
    def kind(self) -> str:
        """What files and tables call it."""
        raise NotImplementedError

    @property
    def dimension(self) -> int:
        """Number of coordinates of a site."""
        raise NotImplementedError

    scale = 1
    """Distances are in units of 1/scale; 1 unless decimals were read."""

    def locations(self) -> Iterator[Site]:
        """All locations of processors, in lexicographic order, with repeats."""
        raise NotImplementedError

    def in_given_order(self) -> Iterator[Site]:
        """All locations in the order in which users gave them."""
        return self.locations()

    def distance(self, p: Site, q: Site) -> int:
        """Hops between two sites, from the definition."""
        raise NotImplementedError

    def distances_from(self, p: Site, sites: Sequence[Site]) -> list[int]:
        """Hops from one site to several.

        Parameters
        ----------
        p
            A site.
        sites
            Others, in any order; the site itself may be one of them.

        Returns
        -------
        list of int
            The distance to each of them, by `distance`.
        """
        return [self.distance(p, q) for q in sites]

    def pair_sum(self, sites: Sequence[Site]) -> int:
        """Sum of the distances of all unordered pairs, from the definition."""
        return sum(self.distance(p, q) for p, q in combinations(sites, 2))

    def spread(self, sites: Sequence[Site]) -> int:
        """Return an upper bound on the distances of sites."""
        pairs = combinations(sites, 2)
        return max((self.distance(p, q) for p, q in pairs), default=0)

    # capabilities

    @property
    def has_cuts(self) -> bool:
        """Whether the distances are sums of cuts that are known."""
        return False

    def cuts(self, sites: Sequence[Site]) -> Cuts:
        """Return the cuts that separate the sites."""
        raise InputError(NO_CUTS, "topology", self.kind)

    @property
    def ring_lengths(self) -> tuple[int, ...] | None:
        """Where distances are L1: the length of the ring on each axis, 0 for a line."""
        return None

    @property
    def is_flat(self) -> bool:
        """Whether distances are L1, and no axis is a ring."""
        return self.ring_lengths is not None and not any(self.ring_lengths)

    @property
    def grid(self) -> Grid | None:
        """The grid, if there is a processor at every cell of a box."""
        return None

    @property
    def is_mesh(self) -> bool:
        """Whether it is a grid, and no axis is a ring."""
        return self.grid is not None and self.is_flat

    @property
    def is_plane(self) -> bool:
        """Whether it is a mesh of two axes."""
        return self.is_mesh and self.dimension == 2

    @property
    def tree(self) -> Tree | None:
        """The tree of which the processors are nodes, if it was given as one."""
        return None

    @property
    def graph(self) -> Graph | None:
        """The graph of which the processors are nodes, if links were given."""
        return None

    @property
    def table(self) -> tuple[tuple[int, ...], ...] | None:
        """All distances by the numbers of the nodes, if they were given so."""
        return None

    @property
    def prices(self) -> tuple[Topology, tuple[int, ...]] | None:
        """A network and the price of each number of its hops, if distances are that."""
        return None

    together = 0
    """The distance of two processors at one place."""

    repeats = False
    """Whether several processors may have the same site."""

    is_metric = True
    """Whether it is known that no distance is longer than the way over a third site."""

    # descriptions

    @property
    def size(self) -> tuple[int, ...]:
        """The sides of a grid, or the number of points or of nodes."""
        return (self.processors_in_all,)

    @property
    def processors_in_all(self) -> int:
        """Number of processors, free or busy."""
        return sum(1 for _ in self.locations())

    on_nodes = False
    """Whether sites are numbers of nodes."""

    names: tuple[str, ...] = ()
    """Names of the nodes in files, if they have any."""

    def document(self) -> dict[str, Any]:
        """Return the object ``topology`` of a file, without names of nodes."""
        raise InputError("cannot be written to a file", "topology.kind", self.kind)

    def identity(self) -> dict[str, Any]:
        """Return what equal networks have in common, for digests."""
        return self.document()

    def listed(self, sites: Sequence[Site]) -> list[Any]:
        """Return sites as in files: coordinates in its units, or numbers of nodes."""
        return [list(site) for site in sites]

    def parse_sites(self, value: Any, field: str) -> list[Site]:
        """Return the sites that a file lists."""
        return list(rows(lists(value, field), field))

    def refuse_strangers(self, sites: Sequence[Site], field: str) -> None:
        """Raise InputError for a site that does not exist, or not that often."""
        there = Counter(self.locations())
        for site, times in Counter(sites).items():
            if times > there[site]:
                problem = "listed too often" if site in there else "no such processor"
                raise InputError(problem, f"{field}[{sites.index(site)}]", list(site))


Parser = Callable[[dict[str, Any]], Topology]
PARSERS: dict[str, Parser] = {}
"""What reads the object ``topology`` of a file, by its ``kind``."""
BY_SIDES: dict[str, Callable[[Sequence[int]], Topology]] = {}
"""What builds a network from its sides alone, by the kind that options name."""


def reads(*kinds: str) -> Callable[[Parser], Parser]:
    """Register a function in `PARSERS` for some kinds."""

    def enter(parse: Parser) -> Parser:
        PARSERS.update(dict.fromkeys(kinds, parse))
        return parse

    return enter


NO_CUTS = "needs distances that are sums of cuts, as on trees and partial cubes"
"""Why a method that needs cuts does not accept a network."""


def as_topology(network: Any) -> Topology:
    """Return a network of ours as it is, and any other as a `Metric`.

    What a class of users claims beyond distances is not relied on, also where it is
    derived from `Topology`.
    """
    package = type(network).__module__.partition(".")[0]
    if isinstance(network, Topology) and package == PACKAGE:
        return network
    found: Topology = find("instances.support.own_network").Metric(network)
    return found


class OnNodes(Topology):
    """A network whose processors are numbered nodes."""

    __slots__ = ()
    dimension = 1
    on_nodes = True
    nodes: int
    processors: tuple[int, ...]

    def locations(self) -> Iterator[Site]:
        """List the processors, in order of their node numbers."""
        return ((v,) for v in self.processors)

    @property
    def size(self) -> tuple[int, ...]:
        """The number of nodes."""
        return (self.nodes,)

    @property
    def processors_in_all(self) -> int:
        """Number of processors, free or busy."""
        return len(self.processors)

    def listed(self, sites: Sequence[Site]) -> list[Any]:
        """Return the numbers of nodes."""
        return [v for (v,) in sites]

    def parse_sites(self, value: Any, field: str) -> list[Site]:
        """Return the nodes that a file lists."""
        return [(v,) for v in integers(lists(value, field), field)]


def checked_processors(processors: Sequence[int], nodes: int) -> tuple[int, ...]:
    """Return the processors, sorted; refuse unknown and repeated nodes."""
    where = "topology.processors"
    if not processors:
        raise InputError("needs at least one node", where)
    seen: set[int] = set()
    for i, v in enumerate(processors):
        if not 0 <= v < nodes:
            raise InputError("no such node", f"{where}[{i}]", v)
        if v in seen:
            raise InputError("listed twice", f"{where}[{i}]", v)
        seen.add(v)
    return tuple(sorted(seen))


class AlongAxes(Topology):
    """L1 distances, counted along axes that are lines or rings, in units of 1/scale."""

    __slots__ = ()
    has_cuts = True

    @property
    def ring_lengths(self) -> tuple[int, ...]:
        """The length of the ring on each axis, 0 for a line."""
        raise NotImplementedError

    def distance(self, p: Site, q: Site) -> int:
        """Sum over the axes of the differences, on rings of the shorter way round."""
        total = 0
        for a, b, ring in zip(p, q, self.ring_lengths, strict=True):
            step = a - b if a > b else b - a
            total += ring - step if 2 * step > ring > 0 else step
        return total

    def distances_from(self, p: Site, sites: Sequence[Site]) -> list[int]:
        """Hops from one site to several, axis by axis."""
        total = [0] * len(sites)
        for axis, (a, ring) in enumerate(zip(p, self.ring_lengths, strict=True)):
            steps = [abs(a - q[axis]) for q in sites]
            if ring:
                steps = [min(step, ring - step) for step in steps]
            total = list(map(add, total, steps))
        return total

    def pair_sum(self, sites: Sequence[Site]) -> int:
        """Sum the distances of all pairs, axis by axis beyond a few sites."""
        if len(sites) <= LARGEST_PAIRWISE:
            return super().pair_sum(sites)
        total = 0
        for ring, values in zip(
            self.ring_lengths, zip(*sites, strict=True), strict=True
        ):
            if ring:
                total += _sum_round(values, ring)
            else:
                last = len(values) - 1
                total += sum((2 * r - last) * x for r, x in enumerate(sorted(values)))
        return total

    def spread(self, sites: Sequence[Site]) -> int:
        """Half the circumference of the bounding box; of a ring half of it."""
        total = 0
        for axis, ring in enumerate(self.ring_lengths):
            if ring:
                total += ring // 2
            else:
                along = itemgetter(axis)
                total += max(map(along, sites)) - min(map(along, sites))
        return total

    def cuts(self, sites: Sequence[Site]) -> Cuts:
        """Return a cut per gap between occupied coordinates, half rings on rings."""
        return axis_cuts(sites, self.ring_lengths)


def _sum_round(values: Sequence[int], side: int) -> int:
    """Sum the distances of all pairs on a ring, each along the shorter arc."""
    x = sorted(values)
    before = [0, *accumulate(x)]
    total = far = 0
    for i, b in enumerate(x):
        while 2 * (b - x[far]) > side:
            far += 1
        total += (i - far) * b - (before[i] - before[far])
        total += far * (side - b) + before[far]
    return total
