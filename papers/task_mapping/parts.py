"""One program's traffic on one allocation: every mapping, its cost and its time."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import ClassVar

import numpy as np

from ...instances import IntArray
from ...network.cut_through.engine import PACKET
from ...network.mapping.instance import RankMapping
from ...network.mapping.table import MAPPERS
from ...network.processor_numbers import hops_between, network_named
from ...network.runs import engine_for, run_on
from ...network.workloads.format import PHIT_BYTES
from ...network.workloads.measured import Traffic, read_traffic
from ...solvers import Settings
from .. import parts

LEAST_BYTES = 1000
"""Pairs with fewer are set-up and bookkeeping."""
DRAWN = 5
"""Random orders of every program and allocation."""
MOST_EXACT = 16
"""Ranks up to which the optimum is searched."""
MOST_NODES = 10**7
"""Of the exact search."""
_PACKET_BYTES = PACKET * PHIT_BYTES


def methods_of(ranks: int) -> tuple[str, ...]:
    """Return the methods in the order of the arrays of `Found`."""
    exact = ("exact",) if ranks <= MOST_EXACT else ()
    return ("identity", *["random"] * DRAWN, "greedy", "annealing", *exact)


@dataclass(frozen=True, kw_only=True)
class Part(parts.Part):
    """What is run: the traffic of the first ranks of a file on given processors.

    ``nodes`` limits the exact search, ``shape`` is not used.
    """

    VERSION: ClassVar[int] = 1

    machine: str  # as `network_named` reads it
    places: tuple[int, ...]
    packets: int  # sent by all together, about
    digest: str  # of the file
    file: str = field(compare=False, repr=False)

    @property
    def about(self) -> str:
        """Its name, for progress and error messages."""
        return f"{self.file}, {len(self.places)} ranks on {self.machine}"

    def traffic(self) -> Traffic:
        """Read the traffic of its ranks."""
        whole = read_traffic(self.file).at_least(LEAST_BYTES)
        return whole.first(len(self.places))

    def fits(self, found: Found) -> bool:
        """Whether an outcome has every method."""
        count = len(methods_of(len(self.places)))
        return len(found.cost) == len(found.time) == len(found.busiest) == count


@dataclass(frozen=True, slots=True, kw_only=True)
class Found(parts.Arrays):
    """The outcome of a part: of every method, and of all."""

    cost: IntArray  # byte hops
    time: IntArray  # cycles until the last message has arrived
    busiest: IntArray  # phits on the busiest link
    bound: IntArray  # on the cost of every order; 1 if it is the optimum; bytes per one


def run(part: Part) -> Found:
    """Order the ranks by every method, and let them send."""
    network = network_named(part.machine)
    places = np.array(part.places, np.int64)
    traffic = part.traffic()
    mapping = RankMapping(traffic.matrix(), hops_between(network, places))
    per = max(1, int(traffic.size.sum()) // (part.packets * _PACKET_BYTES))
    workload = traffic.workload(per=per)
    rows, bounds, proven = [], [], False
    for i, name in enumerate(methods_of(len(places))):
        settings = Settings(time_limit=inf, node_limit=None, seed=part.seed + i)
        if name == "exact":
            settings = Settings(time_limit=inf, node_limit=part.nodes, seed=part.seed)
        result = MAPPERS[name](mapping, settings)
        assert isinstance(result.bound, int)
        assert isinstance(result.objective, int)
        bounds.append(result.bound)
        engine = engine_for(network, seed=part.seed)
        on = places[list(result.chosen or ())]
        summary = run_on(engine, network, workload, [on]).summary
        rows.append((result.objective, summary.time_cycles, summary.busiest_link_flits))
    cost, time, busiest = np.array(rows, np.int64).T
    proven = max(bounds) == cost.min()
    return Found(
        cost=cost,
        time=time,
        busiest=busiest,
        bound=np.array([max(bounds), proven, per], np.int64),
    )
