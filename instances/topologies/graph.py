"""Arbitrary connected networks: nodes, weighted edges, and processors at nodes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass, field, fields
from decimal import Decimal
from functools import cached_property
from typing import Any

from ...loading import find
from ..errors import InputError
from ..escape_hidden import escape_hidden
from ..reading.decimals import length_of, refuse_scale, scaled_lengths, unscale
from ..reading.fields import integer
from ..reading.numbers import at_most, between
from ..words import with_noun
from .cuts import Cuts
from .metric_cuts import Embedding, embedding_of
from .shortest_paths import (
    LONGEST,
    Edge,
    Neighbours,
    checked_edges,
    lengths_from,
    pair_sum_by_levels,
    pair_sum_by_walks,
)
from .topology import LARGEST_PAIRWISE, OnNodes, Site, checked_processors

MOST_NODES, MOST_EDGES = 2**16, 2**19
MOST_DISTANCES = 2**25
"""Maximal size of the table of distances: processors times nodes."""
_KEPT = 1024
"""Maximal number of rows that `Graph.walked` caches."""


@dataclass(frozen=True, repr=False)
class Graph(OnNodes):
    """Connected undirected graph; distances are lengths of shortest paths.

    Parameters
    ----------
    nodes
        Number of nodes, which are numbered from 0; or alone, a networkx graph, which
        `from_networkx` converts.
    edges
        Triples of two nodes and a positive length, each pair at most once; sorted on
        construction.
    processors
        Distinct nodes that are processors; sorted on construction.
    scale
        True lengths are these divided by ``scale``, the least power of ten that makes
        all of them integers.
    names
        Names of the nodes, empty or one per node; ignored in comparisons.
    notes
        What a reader dropped or rounded; ignored in comparisons.
    originals
        The nodes as networkx has them; empty if the graph does not come from there.

    Raises
    ------
    InputError
        If an edge is invalid, or the graph is not connected or too large.

    Examples
    --------
    >>> ring = Graph(5, tuple((v, (v + 1) % 5, 1) for v in range(5)), (0, 1, 2, 3, 4))
    >>> ring.distance((0,), (3,))
    2
    >>> import networkx
    >>> Graph(networkx.cycle_graph(5)) == ring
    True
    """

    nodes: int
    edges: tuple[Edge, ...] = ()
    processors: tuple[int, ...] = ()
    scale: int = 1
    names: tuple[str, ...] = field(default=(), compare=False)
    notes: tuple[str, ...] = field(default=(), compare=False)
    originals: tuple[Hashable, ...] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        if hasattr(self.nodes, "is_directed"):
            converted = Graph.from_networkx(self.nodes)
            for each in fields(Graph):
                object.__setattr__(self, each.name, getattr(converted, each.name))
            return
        between(integer(self.nodes, "topology.nodes"), 1, MOST_NODES, "topology.nodes")
        at_most(len(self.edges), MOST_EDGES, "topology.edges")
        edges = checked_edges(self.edges, self.nodes)
        object.__setattr__(self, "edges", edges)
        self._check_processors()
        if self.names and len(self.names) != self.nodes:
            raise InputError(
                f"must have {self.nodes} entries, one per node",
                "topology.names",
                len(self.names),
            )
        refuse_scale(self.scale, (weight for _, _, weight in self.edges))
        hops = lengths_from(0, self.neighbours)
        if lost := [v for v, length in enumerate(hops) if length < 0]:
            raise InputError(
                f"not connected: no path from node 0 to {with_noun(len(lost), 'node')}",
                "topology.edges",
                lost[0],
            )

    def _check_processors(self) -> None:
        """Refuse invalid processors; sort the processors."""
        where = "topology.processors"
        found = checked_processors(self.processors, self.nodes)
        if len(found) * self.nodes > MOST_DISTANCES:
            raise InputError(
                f"times {self.nodes} nodes must be at most {MOST_DISTANCES} distances",
                where,
                len(found),
            )
        object.__setattr__(self, "processors", found)

    kind = "graph"

    @property
    def graph(self) -> Graph:
        """The graph itself."""
        return self

    @property
    def has_cuts(self) -> bool:
        """Whether it was found to be a tree or a partial cube."""
        return self.embedding is not None

    def document(self) -> dict[str, Any]:
        """Return the object ``topology`` of a file, without names."""
        unit = Decimal(1) / self.scale
        return {
            "kind": self.kind,
            "nodes": self.nodes,
            "edges": [[u, v, unscale(w, unit)] for u, v, w in self.edges],
            "processors": list(self.processors),
        }

    def pair_sum(self, sites: Sequence[Site]) -> int:
        """Sum the shortest paths of all pairs; beyond a few, from all nodes at once."""
        nodes, found = [v for (v,) in sites], None
        if len(nodes) > LARGEST_PAIRWISE:
            found = pair_sum_by_levels(nodes, self.edges, self.neighbours)
        return pair_sum_by_walks(nodes, self.walked) if found is None else found

    @classmethod
    def from_networkx(
        cls,
        graph: Any,
        *,
        processors: Collection[Hashable] | None = None,
        weight: str = "weight",
    ) -> Graph:
        """Convert an undirected networkx graph.

        Of parallel edges the shortest is kept; loops are dropped; long lengths are
        rounded, see `scaled_lengths`.

        Parameters
        ----------
        graph
            A ``networkx.Graph`` or ``MultiGraph``.
        processors
            Nodes that are processors. By default those whose attribute ``processor``
            is true; all nodes where none has that attribute.
        weight
            Edge attribute with the length, by default 1.

        Returns
        -------
        Graph
            Nodes numbered in the order of ``graph``.

        Raises
        ------
        InputError
            If the graph is directed or not a valid `Graph`.

        Examples
        --------
        >>> import networkx
        >>> Graph.from_networkx(networkx.hypercube_graph(3)).nodes
        8
        """
        found: Graph = find("instances.support.networkx_graphs").convert(
            graph, processors, weight
        )
        return found

    @cached_property
    def neighbours(self) -> Neighbours:
        """Neighbours of every node, ascending, with the lengths of the links."""
        found: list[list[tuple[int, int]]] = [[] for _ in range(self.nodes)]
        for u, v, weight in self.edges:
            found[u].append((v, weight))
            found[v].append((u, weight))
        return tuple(map(tuple, map(sorted, found)))

    @cached_property
    def _walks(self) -> dict[int, list[int]]:
        return {}

    def walked(self, node: int) -> tuple[list[int], int]:
        """Return a row and an offset; their sums are the distances from a node.

        Every path from a node with one link passes its neighbour, so processors at one
        switch share a row. The entry of the node itself is not meaningful.
        """
        extra = 0
        if len(self.neighbours[node]) == 1:
            [(node, extra)] = self.neighbours[node]
        row = self._walks.get(node)
        if row is None:
            if len(self._walks) >= _KEPT:
                self._walks.clear()
            row = self._walks[node] = lengths_from(node, self.neighbours)
        return row, extra

    def distance(self, p: Site, q: Site) -> int:
        """Length of a shortest path between two nodes, in units of 1/scale."""
        (u,), (v,) = p, q
        if u == v:
            return 0
        row, extra = self.walked(u)
        return row[v] + extra

    def spread(self, sites: Sequence[Site]) -> int:
        """Twice the distance of the first site from the node farthest from it."""
        row, extra = self.walked(sites[0][0])
        return 2 * (max(row) + extra)

    @cached_property
    def embedding(self) -> Embedding | None:
        """Cuts whose sums are the distances of the processors; None if not found."""
        return embedding_of(self.neighbours, self.edges, self.processors, self.walked)

    def cuts(self, sites: Sequence[Site]) -> Cuts:
        """Return the cuts of a tree or a partial cube.

        Raises
        ------
        InputError
            If no cuts with these distances were found, see `embedding`.
        """
        if self.embedding is None:
            return super().cuts(sites)
        return self.embedding.cuts([self.number[v] for (v,) in sites])

    @cached_property
    def number(self) -> dict[int, int]:
        """The index of every processor, by its node."""
        return {v: i for i, v in enumerate(self.processors)}


def graph_of(
    lengths: list[tuple[int, int, Any]],
    processors: Collection[int],
    names: Collection[str] = (),
    *,
    nodes: int | None = None,
    place: Callable[[int], str] = "topology.edges[{}]".format,
) -> Graph:
    """Build a graph from edges with decimal lengths, possibly parallel.

    Of parallel edges the shortest is kept, loops are dropped, long lengths are rounded,
    see `scaled_lengths`; `Graph.notes` states it.

    Parameters
    ----------
    lengths
        Two nodes and a length for each edge.
    processors
        Nodes that are processors.
    names
        Names of the nodes.
    nodes
        By default the number of names.
    place
        What to call an edge in messages.

    Raises
    ------
    InputError
        If a length is invalid, or the edges are not those of a valid `Graph`.
    """
    shortest: dict[tuple[int, int], Decimal] = {}
    loops = 0
    for i, (u, v, length) in enumerate(lengths):
        number = length_of(length, LONGEST, place(i))
        key = min(u, v), max(u, v)
        loops += u == v
        if u != v:
            shortest[key] = min(number, shortest.get(key, number))
    notes = []
    if parallel := len(lengths) - loops - len(shortest):
        edges = with_noun(parallel, "parallel edge")
        notes.append(f"{edges}: of each pair the shortest counts")
    if loops:
        notes.append(f"{with_noun(loops, 'edge')} from a node to itself left out")
    scaled, scale, rounded = scaled_lengths(shortest, LONGEST)
    return Graph(
        len(names) if nodes is None else nodes,
        tuple((u, v, length) for (u, v), length in scaled.items()),
        tuple(processors),
        scale,
        tuple(map(escape_hidden, names)),
        (*notes, *filter(None, [rounded])),
    )
