"""Nodes of a network that is no tree, by what cables they have.

Nodes with the same cables are alike: exchanging them changes nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
import numpy.typing as npt

from ...instances import KSubset, Points
from ...methods.by_name import method_named
from ...solvers import Settings
from ..topologies import Space
from .request import Objective, Placement, Request

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Alike:
    """The classes of nodes of one space, and what choices of them cost."""

    fabric: Space

    @cached_property
    def cables(self) -> list[tuple[tuple[int, int], ...]] | None:
        """The switches next to every node, with lengths; None if some are no switch."""
        graph = self.fabric.topology.graph
        if graph is None:
            return None
        near: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for a, b, length in graph.edges:
            near[a].append((b, length))
            near[b].append((a, length))
        hosts = {site[0] for site in self.fabric.sites}
        found = [tuple(sorted(near[site[0]])) for site in self.fabric.sites]
        if any(v in hosts for cables in found for v, _ in cables):
            return None
        return found

    @cached_property
    def classes(self) -> list[list[int]]:
        """The nodes that have the same cables; elsewhere each for itself."""
        if self.cables is None:
            return [[i] for i in range(len(self.fabric.nodes))]
        found: dict[tuple[tuple[int, int], ...], list[int]] = {}
        for i, cables in enumerate(self.cables):
            found.setdefault(cables, []).append(i)
        return list(found.values())

    def switches_of(self, node: int) -> list[int]:
        """Return the leaf switches that a node has cables to."""
        assert self.cables is not None
        return [v for v, _ in self.cables[node]]

    def switches(self, chosen: Sequence[int]) -> int:
        """Return how many leaf switches some nodes have cables to."""
        return len({v for i in chosen for v in self.switches_of(i)})

    def cost(self, objective: Objective, chosen: Sequence[int]) -> tuple[int, ...]:
        """Return the numbers of an objective, from distances and cables."""
        if objective is Objective.HOPS and self.fabric.topology.grid:
            sites = [self.fabric.sites[i] for i in chosen]
            return (self.fabric.topology.pair_sum(sites),)
        of_class = np.zeros(len(self.fabric.nodes), dtype=np.int64)
        for g, members in enumerate(self.classes):
            of_class[members] = g
        counts = np.bincount(of_class[list(chosen)], minlength=len(self.classes))
        used = np.flatnonzero(counts).tolist()
        pairs = {(g, h): self.between(g, h) for g, h in combinations(used, 2)}
        hops = sum(int(counts[g] * counts[h]) * d for (g, h), d in pairs.items())
        own = {g: self.between(g, g) for g in used if counts[g] > 1}
        hops += sum(int(counts[g] * (counts[g] - 1)) // 2 * d for g, d in own.items())
        match objective:
            case Objective.SWITCHES:
                return self.switches(chosen), hops
            case Objective.SPREAD:
                return max([0, *pairs.values(), *own.values()]), hops
            case _:
                return (hops,)

    def between(self, g: int, h: int) -> int:
        """Return the hops between two nodes of these classes."""
        a = self.classes[g][0]
        b = self.classes[h][1] if g == h else self.classes[h][0]
        return self.fabric.distance(a, b)

    def instance(self, k: int, free: Flags) -> tuple[KSubset, list[int]]:
        """Return the k-subset problem of the free nodes, and these in its order."""
        fabric = self.fabric
        order = np.flatnonzero(free).tolist()
        order.sort(key=lambda i: (fabric.sites[i], i))
        sites = tuple(fabric.sites[i] for i in order)
        topology = fabric.topology
        if topology.repeats:
            topology = Points(sites)
        return KSubset("request", topology, sites, k), order

    def by_method(self, request: Request, free: Flags, settings: Settings) -> Placement:
        """Choose k nodes for hops alone by the strongest exact method for k-subsets."""
        instance, order = self.instance(request.k, free)
        result = method_named("auto", "ksubset")(instance, settings)
        objective, bound = result.objective, result.bound
        return Placement(
            result.status,
            0,
            tuple(sorted(order[i] for i in result.chosen or ())),
            (objective,) if isinstance(objective, int) else None,
            (bound,) if isinstance(bound, int) else None,
            str(result.proof) if result.proof else "",
            result.limit,
            result.seconds,
        )
