"""Networks that others use in part, and rules that choose processors on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from ...heuristics.allocation.allocator import Allocation, Allocator
from ...instances import Graph, IntArray, Mesh, Topology, Torus
from ...instances.ksubset.graph_generators import dragonfly_network
from ...methods.allocators.table import allocator
from ...network.engine import Engine
from ...network.loads import LoadTable, Routes
from ...network.runs import Switching, engine_for

SIZES = (8, 16, 32)
"""Processors of jobs."""
REFILLS = 2
"""Times that the machine is filled again after half of its jobs have left."""
PACKET = 16
LOADS: Mapping[str, tuple[float, bool]] = {
    "alone": (0.75, False),
    "50 % busy": (0.5, True),
    "75 % busy": (0.75, True),
}
"""Share of the processors that others hold, at most, and whether these jobs send."""


@dataclass(frozen=True, kw_only=True)
class NetworkSystem:
    """A network and how it passes packets on.

    Parameters
    ----------
    name, about
        Short name, and what it is.
    network, routing, switching
        See `engine_for`.
    gap
        Mean cycles from one job of a stream to the next.
    most
        What contention may lose to the best of the list, in per cent; None where
        nothing was promised.
    groups
        Sizes of groups of consecutive processors, the smallest first: those of a
        switch, and larger ones; none on grids.
    tree
        Whether it is a fat-tree.
    tuned
        Whether the powers and reserves were chosen with this network among others.
    """

    name: str
    about: str
    network: Topology
    routing: str
    gap: int
    most: int | None = None
    switching: Switching = Switching.CUT_THROUGH
    groups: tuple[int, ...] = ()
    tree: bool = False
    tuned: bool = True

    @property
    def processors(self) -> int:
        """Number of processors."""
        return sum(1 for _ in self.network.locations())

    def engine(self) -> Engine:
        """Return an engine without messages."""
        worms = self.switching is Switching.WORMHOLE
        return engine_for(
            self.network,
            self.switching,
            routing="" if worms else self.routing,
            packet=PACKET,
        )


def fat_tree(leaves: int, hosts: int, spines: int) -> Graph:
    """Return a network of leaf switches with hosts, each with a cable to every spine.

    >>> fat_tree(2, 3, 4).nodes
    12
    """
    n = leaves * hosts
    down = [(host, n + host // hosts, 1) for host in range(n)]
    up = [(n + i, n + leaves + j, 1) for i in range(leaves) for j in range(spines)]
    return Graph(n + leaves + spines, (*down, *up), tuple(range(n)))


def _fat_tree(spines: int, gap: int) -> NetworkSystem:
    return NetworkSystem(
        name=f"fat-tree {16 // spines}:1",
        about=f"fat-tree of 16 leaves with 16 hosts and a cable to each of {spines} "
        "spines, ways drawn by packets",
        network=fat_tree(16, 16, spines),
        routing="drawn",
        gap=gap,
        most=6,
        groups=(16,),
        tree=True,
    )


MACHINES: Mapping[str, NetworkSystem] = {
    machine.name: machine
    for machine in (
        _fat_tree(8, 1600),
        _fat_tree(4, 1900),
        NetworkSystem(
            name="torus",
            about="16x16 torus, adaptive",
            network=Torus(16, 16),
            routing="adaptive",
            gap=2200,
            most=8,
        ),
        NetworkSystem(
            name="dragonfly",
            about="dragonfly of 9 groups of 4 routers with 4 hosts and 2 global links "
            "each, minimal routes",
            network=dragonfly_network(4, 4, 2),
            routing="minimal",
            gap=6300,
            most=12,
            groups=(4, 16),
        ),
        NetworkSystem(
            name="mesh of worms",
            about="16x16 mesh, worms of 16 flits, dimension order",
            network=Mesh(16, 16),
            routing="dimension-order",
            switching=Switching.WORMHOLE,
            gap=3100,
        ),
        NetworkSystem(
            name="torus 8x8x4",
            about="8x8x4 torus, adaptive",
            network=Torus(8, 8, 4),
            routing="adaptive",
            gap=1400,
            most=8,
            tuned=False,
        ),
    )
}


@cache
def table_of(name: str) -> LoadTable:
    """Return what pairs of processors of a machine put on its links."""
    machine = MACHINES[name]
    return LoadTable(Routes(machine.network, machine.routing))


def fewest_switches(groups: Sequence[int], free: IntArray, k: int) -> IntArray:
    """Return k free processors on few switches, or from the shortest run of numbers.

    In the smallest group that has room, of several in the one with least; elsewhere
    from groups with most free processors, and within them from smaller ones likewise.

    >>> fewest_switches((4,), np.array([0, 1, 4, 5, 6, 8, 9, 10, 11]), 3).tolist()
    [4, 5, 6]
    >>> fewest_switches((), np.array([0, 4, 5, 9]), 2).tolist()
    [4, 5]
    """
    if not groups:
        begin = int((free[k - 1 :] - free[: len(free) - k + 1]).argmin())
        return free[begin : begin + k]
    keys = [free]
    for size in groups:
        number, at, count = np.unique(
            free // size, return_inverse=True, return_counts=True
        )
        if (fits := count >= k).any():
            best = number[fits][count[fits].argmin()]
            keys += [free // size != best]
            break
        keys += [at, -count[at]]
    return free[np.lexsort(keys)[:k]]


class ByRule(Allocator):
    """Choose by a function of the free processors and of how many are asked for."""

    rule: Callable[[IntArray, int], IntArray]

    def _choose(self, k: int, shape: tuple[int, ...] | None) -> Allocation:
        return Allocation.of(self.rule(np.flatnonzero(self.idle), k))


def by_rule(machine: NetworkSystem, name: str) -> Allocator:
    """Return an allocator of few switches, or by first fit."""
    found = ByRule(machine.network)
    found.rule = partial(fewest_switches, machine.groups)
    if name == "first fit":
        found.rule = lambda free, k: free[:k]
    return found


@dataclass(frozen=True, eq=False)
class BusyMachine:
    """A machine with other jobs on it.

    Parameters
    ----------
    others
        Processors of each other job, ascending.
    free
        Processors that none of them holds, ascending.
    """

    others: tuple[IntArray, ...]
    free: IntArray


def state(machine: NetworkSystem, busy: float, seed: int) -> BusyMachine:
    """Fill a machine with jobs by `mm`, and have some leave, so that a share is held.

    Half of the jobs leave `REFILLS` times, after which it is filled again; so what is
    free lies scattered.
    """
    random = np.random.default_rng(seed)
    placing = allocator("mm", machine.network)
    running = []
    for turn in range(REFILLS + 1):
        while True:
            grant = placing.allocate(int(random.choice(SIZES)))
            if grant is None:
                break
            running.append(grant)
        random.shuffle(running)
        enough = (1 - busy) * machine.processors
        stay = len(running) // 2
        while running and (
            len(running) > stay if turn < REFILLS else placing.free < enough
        ):
            placing.release(running.pop())
    return BusyMachine(
        tuple(grant.held for grant in running), np.flatnonzero(placing.idle)
    )
