"""Networks next to figures of other simulators, and below their cuts.

- BookSim 2 (Jiang et al. 2013): rigid worms on a mesh saturate where its routers of one
  virtual channel do.
- Karol, Hluchyj and Morgan 1987: switches of many inputs with one queue each let pass
  2 - √2 packets per output and cycle if the heads of the queues want random outputs.
  Packets of permutations meet so on their way down a k-ary n-tree.
- Bisection: uniform traffic cannot load the links between two halves by more than one
  flit per cycle and direction.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from math import prod

import numpy as np

from ..instances import Mesh
from ..network.cut_through.engine import CutThrough
from ..network.kary_tree import KaryTree
from ..network.messages import messages
from ..network.open_loop import Phases, measure, saturation
from ..network.worm.engine import RigidWorms
from ..reports.pages.document import Document, ErrorText, Section, Table
from .catalogue import RunOptions

TOLERANCE = 0.15
"""Relative difference up to which two simulators agree."""
PACKET = 5
"""Flits of a packet in the runs of BookSim 2."""
PERMUTATIONS, PHITS = 10, 4096
"""Permutations of a k-ary tree, and the length of their messages."""
ROWS = 4
"""Rows of the table."""
_LEAD = (
    "Rigid worms are to saturate within 15 % of where BookSim 2 does. Packets of "
    "permutations on a tree are to pass as quickly as theory says of switches with one "
    "queue per input. No network accepts more than its "
    "bisection lets pass."
)


class RowDemand(Enum):
    """What is asked of a row."""

    CLOSE = "within 15 %"
    AT_MOST = "at most"


@dataclass(frozen=True)
class ValidationRow:
    """A figure of others next to ours.

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
    demand: RowDemand

    @property
    def holds(self) -> bool:
        """Whether the demand is met."""
        if self.demand is RowDemand.CLOSE:
            return abs(self.ours - self.theirs) <= TOLERANCE * self.theirs
        return self.ours <= self.theirs


def permutation_row(seed: int) -> ValidationRow:
    """Return what a 4-ary 3-tree lets pass of permutations."""
    tree = KaryTree(4, 3)
    draw = np.random.default_rng(seed)
    cycles = 0
    for _ in range(PERMUTATIONS):
        target = draw.permutation(tree.processors).tolist()
        engine = CutThrough(tree)
        engine.add(messages((p, q, PHITS) for p, q in enumerate(target) if p != q))
        cycles += engine.finish()
    return ValidationRow(
        "4-ary 3-tree, permutations: phits per processor and cycle",
        "Karol et al. 1987",
        2 - 2**0.5,
        PERMUTATIONS * PHITS / cycles,
        RowDemand.CLOSE,
    )


def bisection_rows(phases: Phases, seed: int) -> Iterator[ValidationRow]:
    """Yield what meshes accept when every processor offers a flit per cycle."""
    for mesh in (Mesh(8, 8), Mesh(4, 4, 4)):
        engine = RigidWorms(mesh)
        accepted = measure(engine, 1.0, 1, phases, seed=seed).accepted
        n, side = prod(mesh.shape), max(mesh.shape)
        limit = 4 * (n - 1) / (n * side)  # n / side links, n² / 4 of n (n - 1) pairs
        sides = "x".join(map(str, mesh.shape))
        name = f"mesh {sides}, rigid worms: accepted of 1 flit per processor and cycle"
        yield ValidationRow(name, "bisection", limit, accepted, RowDemand.AT_MOST)


def rows(phases: Phases | None = None, *, seed: int = 1) -> Iterator[ValidationRow]:
    """Yield all rows of the validation.

    Parameters
    ----------
    phases
        Cycles of each measurement; None for 2000 to warm up, 8000 and 4000 to drain.
    seed
        Of the traffic.
    """
    phases = phases or Phases(2000, 8000, 4000)
    yield permutation_row(seed)
    yield ValidationRow(
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
        RowDemand.CLOSE,
    )
    yield from bisection_rows(phases, seed)


def study(options: RunOptions) -> Document:
    """Measure every row with the cycles that `rows` takes by default."""
    return measure_rows(options, None)


def measure_rows(options: RunOptions, phases: Phases | None) -> Document:
    """Measure every row.

    Parameters
    ----------
    options
        Their seed is that of the traffic, counted from 1.
    phases
        Cycles of each measurement; None for the default.
    """
    found: list[ValidationRow] = []
    for row in rows(phases, seed=1 + options.seed):
        found.append(row)
        options.progress(len(found), ROWS, row.name)
    fails = sum(not row.holds for row in found)
    table = Table(
        name="rows",
        caption="Cycles, or flits per processor and cycle",
        columns=("*network", "*source", "theirs", "ours", "off %", "*demand", "*met"),
        rows=tuple(
            (
                row.name,
                row.source,
                row.theirs,
                row.ours,
                100 * (row.ours / row.theirs - 1),
                row.demand.value,
                "yes" if row.holds else ErrorText("no"),
            )
            for row in found
        ),
    )
    return Document(
        name="network-validation",
        title="Networks beside other simulators",
        source=("BookSim 2 (Jiang et al. 2013); Karol, Hluchyj and Morgan 1987"),
        verdict=f"{len(found) - fails} of {len(found)} rows are as demanded.",
        lead=(_LEAD,),
        sections=(Section(title="Rows", tables=(table,)),),
        notes=(f"Seed of the traffic: {1 + options.seed}.",),
    )
