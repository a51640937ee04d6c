"""Domains of networks that are no tree: leaf switches of graphs, planes of grids.

A node of a graph may have cables to several leaf switches, and is then in as many
domains; the planes of one axis share no node.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...instances import InputError, IntArray
from ...instances.topologies.graph_json import names_of
from ..topologies import FabricKind, Hierarchy, Space
from .node_classes import Alike, Flags

AXES = "xyzw"
SWITCH = "switch"
WHOLE = "network"
"""The name of the level that is all of a network."""


@dataclass(frozen=True, eq=False)
class Domains:
    """The domains of one level."""

    level: str
    names: tuple[str, ...]
    groups: tuple[tuple[int, ...], ...]
    """Nodes that are in the same domains."""
    within: tuple[tuple[int, ...], ...]
    """The domains of every group."""

    @property
    def apart(self) -> bool:
        """Whether no node is in two of them."""
        return all(len(inside) == 1 for inside in self.within)

    def counts(self, of_nodes: Flags) -> IntArray:
        """Return how many of some nodes are in every domain."""
        found = np.zeros(len(self.names), dtype=np.int64)
        for members, inside in zip(self.groups, self.within, strict=True):
            found[list(inside)] += int(np.count_nonzero(of_nodes[list(members)]))
        return found


def domains_of(alike: Alike) -> list[Domains]:
    """Return the levels of domains of a network, the first one the usual.

    Of a graph these are the leaf switches, where all cables of hosts go to switches; of
    a mesh or torus the planes across every axis; of other networks there are none.
    """
    fabric, topology = alike.fabric, alike.fabric.topology
    if topology.graph and alike.cables is not None:
        near = [tuple(v for v, _ in alike.cables[m[0]]) for m in alike.classes]
        leaves = sorted({v for some in near for v in some})
        place = {v: i for i, v in enumerate(leaves)}
        names = tuple(names_of(topology.graph, leaves))
        within = tuple(tuple(place[v] for v in some) for some in near)
        return [Domains(SWITCH, names, tuple(map(tuple, alike.classes)), within)]
    if topology.grid is None:
        return []
    sites = np.array(fabric.sites, dtype=np.int64)
    found = []
    for axis in range(topology.dimension):
        name = AXES[axis] if topology.dimension <= len(AXES) else str(axis + 1)
        at = sorted(set(sites[:, axis].tolist()))
        groups = tuple(tuple(np.flatnonzero(sites[:, axis] == c).tolist()) for c in at)
        names = tuple(f"{name}={c}" for c in at)
        inside = tuple((i,) for i in range(len(at)))
        found.append(Domains(f"plane-{name}", names, groups, inside))
    return found


def level_of(fabric: Space, known: Sequence[Domains], level: str | None) -> Domains:
    """Return the domains of a level; by default the usual one.

    Raises InputError if there is none of this name.
    """
    if not known:
        problem = f"has no switches or planes ({fabric.words})"
        raise InputError(problem, "topology")
    for one in known:
        if level in (None, one.level):
            return one
    names = ", ".join(one.level for one in known)
    raise InputError(f"no such level (there are: {names})", "level", level)


def as_written_down(alike: Alike) -> Hierarchy:
    """Return a network as Slurm's topology.conf can have it: a tree of two levels.

    Nodes in the same leaf switches are a switch of their own below one top switch;
    without leaf switches all nodes are one.
    """
    fabric, known = alike.fabric, domains_of(alike)
    flat = not known or known[0].level != SWITCH
    groups = [range(len(fabric.nodes))] if flat else alike.classes
    home = np.zeros(len(fabric.nodes), dtype=np.int64)
    for i, members in enumerate(groups, 1):
        home[list(members)] = i
    names = (WHOLE, *(f"group{i}" for i in range(len(groups))))
    parent = np.array([-1] + [0] * len(groups))
    weight = np.array([0] + [2] * len(groups))
    return Hierarchy(
        FabricKind.TREE, fabric.nodes, home, names, parent, weight, (SWITCH,)
    )
