"""Compile the kernels of networks before they are needed, by tiny runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

from ...instances import Mesh, Torus
from ...instances.ksubset.graph_generators import dragonfly_network
from ...methods.allocators import allocator
from ..stream_jobs import StreamJob
from ..stream_measures import measure
from .cut_through import CutThrough
from .engine import Engine
from .flits import Flits, Router
from .flow_level import FlowLevel
from .jobs import Deliveries
from .kary_tree import KaryTree
from .messages import messages
from .worm import RigidWorms


def _send(*makers: Callable[[], Engine]) -> None:
    """Let a few messages pass, one of which waits for another, in two steps."""
    for make in makers:
        engine = make()
        engine.add(messages([(0, 1, 20), (1, 0, 2), (2, 2, 1)], [(0, 1)], [0, 0, 3]))
        engine.run(3)
        engine.finish()
        engine.forget()


def _stream() -> None:
    """Run jobs on a mesh, and measure where they lie."""
    jobs = [StreamJob(i, i, 2, 1, 1) for i in range(3)]
    grid = Mesh(2, 3)
    ends = Deliveries(
        RigidWorms(grid), lambda job, at, draw: messages([(int(at[0]), int(at[1]), 3)])
    )
    measure(jobs, allocator("row", grid), ends=ends)


_GRAPH = dragonfly_network(2, 1, 1)
NETWORK_KERNELS: Mapping[str, Callable[[], None]] = MappingProxyType(
    {
        "cut-through": partial(
            _send,
            lambda: CutThrough(Torus(2, 3)),
            lambda: CutThrough(KaryTree(2, 2)),
            *(
                partial(CutThrough, _GRAPH, routing=way)
                for way in ("minimal", "drawn", "valiant")
            ),
        ),
        "flits": partial(
            _send,
            lambda: Flits(Torus(2, 3), Router(buffer=2, virtual=2, credit_delay=1)),
        ),
        "flow": partial(
            _send,
            lambda: FlowLevel(Torus(2, 3)),
            lambda: FlowLevel(KaryTree(2, 2)),
            lambda: FlowLevel(_GRAPH, routing="drawn"),
        ),
        "worms": partial(_send, lambda: RigidWorms(Torus(2, 3))),
        "streams": _stream,
    }
)
"""Functions that compile all kernels of an engine, those that take longest first."""
