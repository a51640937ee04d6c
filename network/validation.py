"""Engines held against figures of other simulators, against theory and cuts.

- BookSim 2 (Jiang et al. 2013): 8-ary 2-D mesh and torus, dimension order, uniform
  traffic with own targets, 5-flit packets, 8-flit buffers, iSLIP, credit delay 1,
  routing delay 0, allocation delays 1. There a header spends a cycle each on the
  virtual channel, the switch, the crossbar and the wire: ``stages=3, bubble=1``; wires
  of the torus are one cycle longer (``wire=1``); a packet takes a cycle more into the
  network (``entry=2``); credits travel a cycle and are delayed one
  (``credit_delay=2``).
- CAMINOS (Camarero et al. 2022): a message of 16 phits takes 16 + 2 cycles within a
  router and 16 + 3 across a link.
- Karol, Hluchyj and Morgan 1987: switches of many inputs with one queue each let pass
  2 - √2 packets per output and cycle if the heads of the queues want random outputs.
  Packets of permutations meet so on their way down a k-ary n-tree.
- Bisection: uniform traffic cannot load the links between two halves by more than one
  flit per cycle and direction.

Latencies up to 90 % of saturation are to agree within 15 %; those closer to it are
shown, but depend on details of the allocators.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from ..instances import Grid, Mesh, Torus
from .cut_through.engine import CutThrough
from .engine import Engine
from .flits.engine import Arbitration, Flits, Router
from .flow_level.engine import FlowLevel
from .kary_tree import KaryTree
from .limits import cut_limit
from .messages import messages
from .open_loop.engine import Phases, Point, measure, saturation
from .worm.engine import RigidWorms

TOLERANCE = 0.15
"""Relative difference up to which two simulators agree."""


class Demand(Enum):
    """What is asked of a row."""

    CLOSE = "within 15 %"
    EXACT = "equal"
    AT_MOST = "at most"
    SHOWN = "shown only"


@dataclass(frozen=True)
class Row:
    """A figure of others beside ours.

    Parameters
    ----------
    name
        Network, traffic and what was measured.
    source
        Whose figure it is.
    theirs, ours
        Cycles, or flits per processor and cycle.
    demand
        How they are to compare.
    """

    name: str
    source: str
    theirs: float
    ours: float
    demand: Demand

    @property
    def holds(self) -> bool:
        """Whether the demand is met."""
        if self.demand is Demand.CLOSE:
            return abs(self.ours - self.theirs) <= TOLERANCE * self.theirs
        if self.demand is Demand.EXACT:
            return self.ours == self.theirs
        return self.demand is Demand.SHOWN or self.ours <= self.theirs


@dataclass(frozen=True)
class Curve:
    """Latencies that BookSim 2 gives at accepted loads, the last beyond 90 %."""

    name: str
    topology: Grid
    router: Router
    points: tuple[tuple[float, float], ...]
    unstable: float | None = None
    """A load at which it does not settle."""


def _booksim(virtual: int, wire: int) -> Router:
    return Router(
        buffer=8,
        stages=3,
        wire=wire,
        bubble=1,
        virtual=virtual,
        credit_delay=2,
        entry=2,
        arbitration=Arbitration.ROUND_ROBIN,
    )


BOOKSIM = (
    Curve(
        "mesh 8x8, 1 virtual channel",
        Mesh(8, 8),
        _booksim(1, 0),
        ((0.005, 31.4), (0.20, 42.3), (0.226, 50.1), (0.248, 304.0)),
        unstable=0.275,
    ),
    Curve(
        "mesh 8x8, 4 virtual channels",
        Mesh(8, 8),
        _booksim(4, 0),
        ((0.005, 31.4), (0.30, 44.3), (0.375, 65.9), (0.398, 200.0)),
    ),
    Curve(
        "torus 8x8, 4 virtual channels",
        Torus(8, 8),
        _booksim(4, 1),
        ((0.005, 30.3), (0.40, 40.6), (0.50, 51.0), (0.539, 259.0)),
    ),
)
"""The first load of each stands for one near zero."""

PACKET = 5
"""Flits of a packet in the runs of BookSim 2."""
CAMINOS = Router(buffer=16, entry=2)
PERMUTATIONS, PHITS = 10, 4096
"""Permutations of a k-ary tree, and the length of their messages."""


def booksim_rows(curve: Curve, phases: Phases, seed: int) -> Iterator[Row]:
    """Yield latency at each load of a curve.

    Parameters
    ----------
    curve
        One of `BOOKSIM`.
    phases
        Cycles of each measurement.
    seed
        Of the traffic.
    """
    loads = [load for load, _ in curve.points]
    for load, theirs in curve.points:
        point = _point(
            Flits(curve.topology, curve.router, local=True), load, phases, seed
        )
        yield Row(
            f"{curve.name}: latency at {load:g}",
            "BookSim 2",
            theirs,
            point.latency,
            Demand.SHOWN if load == loads[-1] else Demand.CLOSE,
        )
    if curve.unstable is not None:
        engine = Flits(curve.topology, curve.router, local=True)
        point = _point(engine, curve.unstable, phases, seed)
        yield Row(
            f"{curve.name}: accepted at {curve.unstable:g}, unstable there",
            "BookSim 2",
            0.95 * curve.unstable,
            point.accepted,
            Demand.AT_MOST,
        )


def caminos_rows() -> Iterator[Row]:
    """Yield the latency of 16 phits within a router and across a link."""
    for hops, theirs in ((0, 16 + 2), (1, 16 + 3)):
        engine = Flits(Mesh(2), CAMINOS, local=True)
        engine.add(messages([(0, hops, 16)]))
        name = "within a router" if hops == 0 else "across one link"
        yield Row(f"16 phits {name}", "CAMINOS", theirs, engine.finish(), Demand.EXACT)


def bisection_rows(phases: Phases, seed: int) -> Iterator[Row]:
    """Yield what networks accept when every processor offers a flit per cycle."""
    for name, engine, topology in (
        ("mesh 8x8, rigid worms", RigidWorms(Mesh(8, 8)), Mesh(8, 8)),
        ("mesh 4x4x4, rigid worms", RigidWorms(Mesh(4, 4, 4)), Mesh(4, 4, 4)),
        (
            "mesh 8x8, 4 virtual channels",
            Flits(Mesh(8, 8), _booksim(4, 0)),
            Mesh(8, 8),
        ),
        (
            "torus 8x8, 4 virtual channels",
            Flits(Torus(8, 8), _booksim(4, 1)),
            Torus(8, 8),
        ),
    ):
        accepted = measure(engine, 1.0, 1, phases, seed=seed).accepted
        limit = cut_limit(topology, engine.channels()[0][1])
        text = f"{name}: accepted of 1 flit per processor and cycle"
        yield Row(text, "bisection", limit, accepted, Demand.AT_MOST)


def permutation_rows(seed: int) -> Iterator[Row]:
    """Yield what a 4-ary 3-tree lets pass of permutations, as packets and as flows."""
    tree = KaryTree(4, 3)
    draw = np.random.default_rng(seed)
    targets = [draw.permutation(tree.processors) for _ in range(PERMUTATIONS)]
    found = []
    for kind in (CutThrough, FlowLevel):
        cycles = 0
        for target in targets:
            engine = kind(tree)
            far = [(p, q, PHITS) for p, q in enumerate(target.tolist()) if p != q]
            engine.add(messages(far))
            cycles += engine.finish()
        found.append(PERMUTATIONS * PHITS / cycles)
    packets, flows = found
    text = "4-ary 3-tree, {} of permutations: phits per processor and cycle"
    theirs = "Karol et al. 1987"
    yield Row(text.format("packets"), theirs, 2 - 2**0.5, packets, Demand.CLOSE)
    yield Row(text.format("flows"), "packets", packets, flows, Demand.CLOSE)


def rows(phases: Phases | None = None, *, seed: int = 1) -> Iterator[Row]:
    """Yield all rows of the validation, those that are quick first.

    Parameters
    ----------
    phases
        Cycles of each measurement; None for 2000 to warm up, 8000 and 4000 to drain,
        which takes about 15 s on one core.
    seed
        Of the traffic.
    """
    phases = phases or Phases(2000, 8000, 4000)
    yield from caminos_rows()
    yield from permutation_rows(seed)
    yield Row(
        "mesh 8x8, rigid worms: saturation, 5-flit packets",
        "BookSim 2, 1 virtual channel",
        0.25,
        saturation(
            lambda: RigidWorms(Mesh(8, 8), local=True),
            PACKET,
            phases,
            seed=seed,
            own=True,
        ),
        Demand.CLOSE,
    )
    for curve in BOOKSIM:
        yield from booksim_rows(curve, phases, seed)
    yield from bisection_rows(phases, seed)


def table(found: Sequence[Row]) -> list[str]:
    """Return the lines of a table of rows.

    Parameters
    ----------
    found
        Rows to show.
    """
    width = max((len(row.name) for row in found), default=0)
    lines = [f"{'':{width}}  {'others':>8}  {'ours':>8}  difference"]
    for row in found:
        difference = 100 * (row.ours / row.theirs - 1)
        verdict = row.demand.value if row.holds else f"FAILS: {row.demand.value}"
        lines.append(
            f"{row.name:{width}}  {row.theirs:8.3f}  {row.ours:8.3f}  "
            f"{difference:+8.1f} %  {verdict} ({row.source})"
        )
    return lines


def _point(engine: Engine, load: float, phases: Phases, seed: int) -> Point:
    return measure(engine, load, PACKET, phases, seed=seed, own=True)
