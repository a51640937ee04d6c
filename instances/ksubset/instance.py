"""The k-subset problem: choose k free processors with the least sum of distances."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from operator import eq, itemgetter

from ...loading import find
from ..errors import InputError
from ..extended import Extended
from ..reading.fields import refuse_others
from ..reading.numbers import at_least, at_most
from ..topologies import Mesh, Site, Topology, as_topology
from ..value import LARGEST
from ..words import with_noun


@dataclass(frozen=True, repr=False)
class KSubset(Extended):
    """Free processors of a network and how many of them to choose.

    Parameters
    ----------
    name
        Unique among the instances of a report.
    topology
        The network.
    free
        Sites of the free processors; sorted on construction, so that indices have the
        order of coordinates, which breaks ties. On a ``Points`` topology a site may
        occur as often as there.
    k
        Number of processors to choose, 1 ≤ k ≤ n.
    source
        Description of its origin.
    seed
        Seed of its generator; None if it was not generated.
    required
        Sites of free processors that every choice must contain, at most k; sorted on
        construction.

    Raises
    ------
    InputError
        If a site is not in the topology or is listed too often, k is out of range, a
        required site is not free, or a sum of distances could reach 2^62.
    """

    name: str
    topology: Topology
    free: tuple[Site, ...]
    k: int
    source: str = ""
    seed: int | None = None
    required: tuple[Site, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "topology", as_topology(self.topology))
        object.__setattr__(self, "free", tuple(sorted(self.free)))
        if not _clearly_valid(self.topology, self.free):
            self.topology.refuse_strangers(self.free, "free")
        at_least(self.k, 1, "k")
        at_most(self.k, self.n, "k", "the number of free processors")
        refuse_others(
            *(self.required, self.free, "required"),
            unless="not a free processor",
            show=lambda site: self.topology.listed([site])[0],
        )
        at_least(self.k, len(self.required), "k", "the number of those required")
        object.__setattr__(self, "required", tuple(sorted(self.required)))
        spread = self.topology.spread(self.free)
        if 2 * spread * max(self.k, 2) ** 2 >= LARGEST:
            problem = (
                f"sums of distances need more than 62 bits (k = {self.k}, "
                f"largest distance up to {spread})"
            )
            if self.topology.scale > 1:
                problem += ": fewer digits, as in ck.Points(array, digits=3)"
            raise InputError(problem, "topology")

    @property
    def n(self) -> int:
        """Number of free processors."""
        return len(self.free)

    @cached_property
    def required_indices(self) -> tuple[int, ...]:
        """Indices of the required processors."""
        return indices_of(self, self.required)

    @cached_property
    def names(self) -> tuple[Hashable, ...]:
        """What users call the free processors, in the order of their indices.

        On a graph of networkx its nodes, on another graph with names these, on a tree
        the numbers of the nodes, elsewhere the coordinates.
        """
        found: tuple[Hashable, ...]
        networks = find("instances.support.networks")
        found = networks.names_of(self.topology, self.free)
        return found


def indices_of(instance: KSubset, sites: Collection[Site]) -> tuple[int, ...]:
    """Return the indices of free processors: the first ones of a site that repeats.

    They are in order, whatever that of the sites.
    """
    left = Counter(sites)
    found = []
    for i, site in enumerate(instance.free if sites else ()):
        if left[site]:
            left[site] -= 1
            found.append(i)
    return tuple(found)


def mesh(*shape: int, k: int) -> KSubset:
    """Return an empty mesh, all of whose processors are free.

    Parameters
    ----------
    *shape
        Sides of the mesh.
    k
        Processors to choose.

    Examples
    --------
    >>> mesh(4, 3, k=5).n
    12
    """
    network = Mesh(shape)
    places, sides = tuple(network.locations()), "x".join(map(str, shape))
    return KSubset(f"{sides}-full-k{k}", network, places, k, source="full mesh")


def _clearly_valid(topology: Topology, sites: Sequence[Site]) -> bool:
    """Whether these sorted sites are distinct and on the grid; fast for millions."""
    grid = topology.grid
    if not grid or not sites:
        return False
    if set(map(len, sites)) != {topology.dimension}:
        return False
    for axis, side in enumerate(grid.shape):
        along = set(map(itemgetter(axis), sites))
        if set(map(type, along)) != {int} or min(along) < 0 or max(along) >= side:
            return False
    return not any(map(eq, sites, islice(sites, 1, None)))


def check(instance: KSubset, chosen: Collection[int]) -> list[str]:
    """List the errors of a choice of free processors, by index.

    >>> from closeknit.instances import mesh
    >>> check(mesh(2, 2, k=2), [0, 4])
    ['no free processor 4']
    """
    wrong = [f"no free processor {i}" for i in chosen if not 0 <= i < instance.n]
    if len(set(chosen)) < len(chosen):
        wrong.append("a processor is chosen twice")
    if len(chosen) != instance.k:
        wrong.append(f"{with_noun(len(chosen), 'processor')} chosen, not {instance.k}")
    sites = Counter(instance.free[i] for i in chosen if 0 <= i < instance.n)
    lacking = sorted((Counter(instance.required) - sites).elements())
    for site in instance.topology.listed(lacking):
        wrong.append(f"required processor {site} is not chosen")
    return wrong


def cost(instance: KSubset, chosen: Collection[int]) -> int:
    """Sum of the distances of all unordered pairs, in hops (times the scale).

    Follows the definition, without arrays; shares no code with the models and
    heuristics that it checks. O(k²) distances up to k = 8; beyond, the same sum axis by
    axis, O(k log k). On a tree pair by pair up to k = 256 and as many nodes; beyond,
    edge by edge. On a graph pair by pair, from shortest paths; beyond k = 8, from all
    processors at once where all links have one length and the paths few.

    >>> from closeknit.instances import mesh
    >>> cost(mesh(2, 2, k=4), [0, 1, 2, 3])  # four sides of 1, two diagonals of 2
    8
    """
    return instance.topology.pair_sum([instance.free[i] for i in chosen])
