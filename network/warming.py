"""Compile the kernels of networks before they are needed, by tiny runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from ..instances import Graph, IntArray, Mesh, Torus, Tree
from ..instances.ksubset.graph_generators import dragonfly_network
from ..methods.allocators.table import allocator
from ..simulation.stream.jobs import StreamJob
from ..simulation.stream.measures import measure
from ..solvers import Settings
from .contention.constructor import contention
from .contention.table import TABLE
from .cut_through.engine import CutThrough
from .engine import Engine
from .jobs import Deliveries
from .kary_tree import KaryTree
from .mapping.instance import RankMapping
from .mapping.table import MAPPERS
from .messages import messages
from .worm.engine import RigidWorms

_BRIEFLY = Settings(node_limit=1)


def _send(*engines: Engine) -> None:
    """Let a few messages pass, one of which waits for another, in two steps."""
    for engine in engines:
        engine.add(messages([(0, 1, 20), (1, 0, 2), (2, 2, 1)], [(0, 1)], [0, 0, 3]))
        engine.run(3)
        engine.finish()
        engine.forget()


def _cut_through() -> None:
    ways = ("minimal", "drawn", "valiant")
    on_a_graph = [CutThrough(_graph(), routing=way) for way in ways]
    _send(CutThrough(Torus(2, 3)), CutThrough(KaryTree(2, 2)), *on_a_graph)


def _worms() -> None:
    _send(RigidWorms(Torus(2, 3)))


def _streams() -> None:
    """Run jobs on a mesh, and measure where they lie."""
    jobs = [StreamJob(i, i, 2, 1, 1) for i in range(3)]
    grid = Mesh(2, 3)
    ends = Deliveries(
        RigidWorms(grid), lambda job, at, draw: messages([(int(at[0]), int(at[1]), 3)])
    )
    measure(jobs, allocator("row", grid), ends=ends)


def _exchanges() -> None:
    allocator("contention", Mesh(2, 2)).find(2)


def _contention() -> None:
    """Solve a tree and a mesh by every method that takes them, for each objective."""
    tree = Tree((-1, 0, 0, 1, 1, 2, 2), (0, *[1] * 6), (3, 4, 5, 6))
    for job in (
        contention(tree, 3),
        contention(tree, 3, objective="links"),
        contention(Mesh(2, 3), 3),
        contention(Mesh(2, 3), 3, traffic="ring"),
    ):
        for method in TABLE.values():
            if not method.refusal(job):
                method(job, _BRIEFLY)


def _mappings() -> None:
    """Order the ranks of a ring on a line, where something is left to search."""
    line: IntArray = abs(np.subtract.outer(np.arange(6), np.arange(6)))
    ring = (line % 4 == 1).astype(np.int64)
    for name in ("annealing", "exact"):
        MAPPERS[name](RankMapping(ring, line), _BRIEFLY)


def _graph() -> Graph:
    return dragonfly_network(2, 1, 1)


NETWORK_KERNELS: Mapping[str, Callable[[], None]] = MappingProxyType(
    {
        "cut-through": _cut_through,
        "mappings": _mappings,
        "contention": _contention,
        "worms": _worms,
        "streams": _streams,
        "exchanges": _exchanges,
    }
)
"""Functions that compile all kernels of an engine, those that take longest first."""
