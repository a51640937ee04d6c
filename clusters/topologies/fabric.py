"""The machine that every reader of topologies makes: fabrics with named nodes.

A `Hierarchy` is a tree of domains (switches, blocks, racks, zones) with nodes at them,
a `Space` is any other network: a torus, points, a graph. A cluster whose parts are not
connected has one fabric for each part; a job runs in one of them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum
from functools import cached_property

import numpy as np

from ...formulations.cluster.domains import sum_below
from ...instances import InputError, IntArray, Site
from ...instances.topologies import Topology
from ...instances.words import with_noun
from ..node_states import NodeReport
from .tpu import Shape, shape_of

MOST_NODES = 2**20
MOST_DOMAINS = 2**18
MOST_DEPTH = 64
"""Maximal numbers of nodes and domains, and maximal depth of a tree of domains."""


class FabricKind(Enum):
    """What a fabric is."""

    TREE = "tree"
    BLOCKS = "blocks"
    PRODUCT = "product"
    GRAPH = "graph"


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """A tree of domains with nodes at them; parents come before their children.

    Two nodes are one hop each from their domains; domains are as many hops apart as the
    weights of the path between them say.
    """

    kind: FabricKind
    nodes: tuple[str, ...]
    home: IntArray
    """The domain of every node."""
    domains: tuple[str, ...]
    parent: IntArray
    """Of every domain; -1 at the first one, the root."""
    weight: IntArray
    """Of the edge from a domain to its parent, in half hops."""
    levels: tuple[str, ...] = ()
    """Names of the levels from the lowest up; missing ones are made up."""
    block_sizes: tuple[int, ...] = ()
    """Slurm's BlockSizes: planned nodes of a block, and of groups of blocks."""
    block_places: tuple[int, ...] = ()
    """Of the blocks with nodes among all of a file, in whose order they aggregate."""
    chips: int = 0
    """Of a node, if it is of TPUs."""
    slices: tuple[Collection[Shape], ...] = ()
    """Of every node the slices in which it can be; empty: in all."""
    others: frozenset[str] = frozenset()
    """Switches that are no domain: spines, and those without nodes."""

    def __post_init__(self) -> None:
        for array in (self.home, self.parent, self.weight):
            array.setflags(write=False)
        height = int(self.level.max()) + 1
        names = [*self.levels[:height]]
        names += [f"level{i + 1}" for i in range(len(names), height)]
        object.__setattr__(self, "levels", tuple(names))

    @cached_property
    def level(self) -> IntArray:
        """Height of every domain: 0 where there is none below it."""
        level = np.zeros(len(self.parent), dtype=np.int64)
        for v in range(len(level) - 1, 0, -1):
            up = self.parent[v]
            level[up] = max(level[up], level[v] + 1)
        return level

    def above(self, level: int) -> IntArray:
        """Return the domain of a level that every domain lies in, or -1."""
        inside = [v if at == level else -1 for v, at in enumerate(self.level.tolist())]
        for v, up in enumerate(self.parent.tolist()):
            if v and inside[v] < 0:
                inside[v] = inside[up]
        return np.array(inside, dtype=np.int64)

    @cached_property
    def has_nodes(self) -> IntArray:
        """Number of nodes at every domain itself."""
        return np.bincount(self.home, minlength=len(self.parent))

    def below(self, counts: IntArray) -> IntArray:
        """Return the sums over subtrees of numbers at the domains themselves."""
        return sum_below(self.parent.tolist(), counts)

    def count(self, chosen: Sequence[int] | IntArray) -> IntArray:
        """Return how many of some nodes are at every domain itself."""
        homes = self.home[np.asarray(chosen, dtype=np.int64)]
        return np.bincount(homes, minlength=len(self.parent))

    def distance(self, a: int, b: int) -> int:
        """Return the hops between two nodes, from the path between them."""
        if a == b:
            return 0
        climbed: dict[int, int] = {}
        way, v = 0, int(self.home[a])
        while v >= 0:
            climbed[v] = way
            way += int(self.weight[v])
            v = int(self.parent[v])
        way, v = 0, int(self.home[b])
        while v not in climbed:
            way += int(self.weight[v])
            v = int(self.parent[v])
        return 2 + (way + climbed[v]) // 2

    def leaves(self) -> int:
        """Return how many domains have nodes of their own."""
        return int(np.count_nonzero(self.has_nodes))

    def summary(self) -> str:
        """Describe it in a few words."""
        if self.kind is FabricKind.BLOCKS:
            shown = f"{with_noun(self.leaves(), 'block')}"
        else:
            name = self.levels[0]
            leaf = "leaf switch" if name == "switch" else name
            leaf += " part" if shape_of(name) else ""
            height = len(self.levels)
            shown = f"{height}-level tree, {with_noun(self.leaves(), leaf)}"
        return f"{shown}, {with_noun(len(self.nodes), 'node')}"


@dataclass(frozen=True, eq=False)
class Space:
    """A network that is no tree: a torus, points in space, or a graph."""

    kind: FabricKind
    nodes: tuple[str, ...]
    topology: Topology
    sites: tuple[Site, ...]
    """The site of every node in the topology."""
    words: str
    """What it is, such as ``4x4x2 torus``."""
    cube: Shape = ()
    """The chips of a cube, if they are of TPUs."""
    host: Shape = ()
    """The chips of a node, whose site is the first of them."""

    @property
    def kinds(self) -> str:
        """The words with an article, such as ``a 4x4x2 torus``."""
        if self.words.startswith("points"):
            return self.words
        vowel = re.match(r"8|1[18]x", self.words) is not None
        return f"a{'n' * vowel} {self.words}"

    def distance(self, a: int, b: int) -> int:
        """Return the hops between two nodes."""
        return self.topology.distance(self.sites[a], self.sites[b])

    def summary(self) -> str:
        """Describe it in a few words."""
        return f"{self.words}, {with_noun(len(self.nodes), 'node')}"


Fabric = Hierarchy | Space


@dataclass(frozen=True, eq=False)
class Cluster:
    """The machine in a file: its fabrics, the format, and what was left out."""

    source: str
    fabrics: tuple[Fabric, ...]
    notes: tuple[str, ...] = field(default=())
    report: NodeReport | None = None
    """What the file states of its nodes, next to their places."""
    partial: tuple[str, ...] = ()
    """The levels that are used, if the file seems to have more: what is proved holds
    on these."""
    placeholders: tuple[str, ...] = ()
    """Nodes in the file that do not exist, and are no nodes of any fabric."""
    cables: tuple[tuple[int, str, str, Decimal], ...] = ()
    """The line, two names (the second "" for what is above) and Gbit/s each way of
    cables, where the file states widths and speeds of all."""

    def __post_init__(self) -> None:
        if not self.fabrics:
            raise InputError("has no nodes", "topology")

    @cached_property
    def index(self) -> dict[str, tuple[int, int]]:
        """The fabric of every node, and its number there."""
        return {
            name: (i, j)
            for i, fabric in enumerate(self.fabrics)
            for j, name in enumerate(fabric.nodes)
        }

    def summary(self) -> str:
        """Say in one line what was recognised."""
        parts = [fabric.summary() for fabric in self.fabrics]
        shown = parts[0]
        if len(parts) > 1:
            total = sum(len(fabric.nodes) for fabric in self.fabrics)
            words = f"{with_noun(len(parts), 'part')} without a connection, "
            words += with_noun(total, "node")
            shown = f"{words}; the first: {shown}"
        return "; ".join([f"{self.source}: {shown}", *self.notes])
