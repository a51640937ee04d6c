"""Networks that others use in part, and sets of processors for one more job."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf

import numpy as np

from ...heuristics.allocation.allocator import Allocator
from ...instances import IntArray, Mesh, Topology, Torus, arrays
from ...instances.ksubset.graph_generators import dragonfly_network
from ...methods import KSUBSET
from ...methods.allocators.of_method import MethodAsAllocator
from ...methods.allocators.table import allocator
from ...network.engine import Network
from ...network.kary_tree import KaryTree
from ...network.processor_numbers import processors_of
from ...network.runs import Switching
from ...solvers import Settings, Status

OPTIMAL = "optimal"
"""Least pair sum, by exact search."""
SIZES = (8, 16, 32)
"""Processors of jobs, of which one is judged and the others hold the machine."""
NODES = 200_000
"""Limit of the search for an optimum."""
RANDOM, NEAR = 6, 4
"""Sets that are drawn: of all free processors, and of those near to one."""
REFILLS = 2
"""Times that the machine is filled again after half of its jobs have left."""
_ROUTERS, _HOSTS, _GLOBAL = 6, 3, 3


@dataclass(frozen=True, kw_only=True)
class NetworkSystem:
    """A network, how it passes packets on, and who chooses processors on it.

    Parameters
    ----------
    name, about
        Short name, and what it is.
    network
        The network.
    switching, packet
        See `engine_for`.
    fixed
        Whether all packets between two processors take the same way.
    heuristics
        Methods next to the optimum.
    groups
        Sizes of groups of consecutive processors, the smallest first: those of a
        switch, and larger ones; none on grids.
    """

    name: str
    about: str
    network: Network
    switching: Switching
    heuristics: tuple[str, ...]
    fixed: bool = False
    packet: int = 16
    groups: tuple[int, ...] = ()

    @property
    def processors(self) -> int:
        """Number of processors."""
        return sum(1 for _ in self.network.locations())

    @property
    def topology(self) -> Topology:
        """The network as methods see it that choose processors."""
        return processors_of(self.network)


def _on_grids() -> tuple[str, ...]:
    return (
        *("mm", "mm-inc", "mc1x1", "hilbert/best-fit", "row/first-fit"),
        *("quadrant", "thrifty"),
    )


MACHINES: Mapping[str, NetworkSystem] = {
    machine.name: machine
    for machine in (
        NetworkSystem(
            name="mesh",
            about="16x16 mesh, wormhole switching, dimension order",
            network=Mesh(16, 16),
            switching=Switching.WORMHOLE,
            fixed=True,
            heuristics=_on_grids(),
        ),
        NetworkSystem(
            name="mesh-packets",
            about="16x16 mesh, virtual cut-through, adaptive",
            network=Mesh(16, 16),
            switching=Switching.CUT_THROUGH,
            heuristics=_on_grids(),
        ),
        NetworkSystem(
            name="torus",
            about="16x16 torus, virtual cut-through, adaptive",
            network=Torus(16, 16),
            switching=Switching.CUT_THROUGH,
            heuristics=_on_grids(),
        ),
        NetworkSystem(
            name="fat-tree",
            about="4-ary 4-tree of 256 processors, virtual cut-through, adaptive",
            network=KaryTree(4, 4),
            switching=Switching.CUT_THROUGH,
            heuristics=("mm", "mm-inc", "consecutive", "shuffle"),
            groups=(4, 16, 64, 256),
        ),
        NetworkSystem(
            name="dragonfly",
            about=f"dragonfly of 19 groups of {_ROUTERS} routers with {_HOSTS} hosts "
            f"and {_GLOBAL} global links each, virtual cut-through, minimal routes",
            network=dragonfly_network(_ROUTERS, _HOSTS, _GLOBAL),
            switching=Switching.CUT_THROUGH,
            fixed=True,
            heuristics=("mm", "mm-inc", "row-major"),
            groups=(_HOSTS, _ROUTERS * _HOSTS),
        ),
    )
}


@dataclass(frozen=True, kw_only=True)
class Load:
    """How full a machine is when the job comes, and whether the others send.

    Parameters
    ----------
    name
        Name in tables.
    busy
        Share of the processors that others hold, at most.
    traffic
        Whether these jobs run the same workload, again and again.
    """

    name: str
    busy: float
    traffic: bool

    def sizes(self, machine: NetworkSystem) -> tuple[int, ...]:
        """Return the sizes of jobs that leave something to choose from."""
        free = (1 - self.busy) * machine.processors
        return tuple(k for k in SIZES if 1.5 * k <= free)


LOADS: Mapping[str, Load] = {
    load.name: load
    for load in (
        Load(name="alone", busy=0.75, traffic=False),
        Load(name="50 % busy", busy=0.5, traffic=True),
        Load(name="75 % busy", busy=0.75, traffic=True),
        Load(name="90 % busy", busy=0.9, traffic=True),
    )
}
"""Alone: the others hold three quarters of the processors, but send nothing."""


@dataclass(frozen=True, eq=False)
class BusyMachine:
    """A machine with other jobs on it.

    Parameters
    ----------
    others
        Processors of each other job, ascending.
    free
        Processors that are idle, ascending.
    """

    others: tuple[IntArray, ...]
    free: IntArray


def state(machine: NetworkSystem, busy: float, seed: int) -> BusyMachine:
    """Fill a machine with jobs and let some leave, so that what is free has holes.

    Jobs of 8, 16 and 32 processors, drawn alike, are placed by `mm` until one does not
    fit; half of them, drawn, leave; this is repeated. At last jobs leave until others
    hold no more than the share asked for.
    """
    random = np.random.default_rng(seed)
    placing = allocator("mm", machine.topology)
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


@dataclass(frozen=True, eq=False)
class Choices:
    """Sets of free processors, each once, and who chose which.

    Parameters
    ----------
    names
        Methods and draws.
    which
        Index of the set of each name.
    sets
        Processors of each set, ascending.
    proven
        Whether the optimum is proved.
    """

    names: tuple[str, ...]
    which: IntArray
    sets: tuple[IntArray, ...]
    proven: bool


def names(machine: NetworkSystem) -> tuple[str, ...]:
    """Return the methods of a machine, then the draws."""
    return (
        *(OPTIMAL, *machine.heuristics),
        *(f"near {i}" for i in range(NEAR)),
        *(f"random {i}" for i in range(RANDOM)),
    )


def choices(machine: NetworkSystem, there: BusyMachine, k: int, seed: int) -> Choices:
    """Choose k free processors by every method, and draw some.

    A set near to one is drawn among the 1.5 k free processors nearest to one that is
    drawn. Only sets are compared: whatever order a method lists them in, tasks are
    placed by the numbers of the processors.
    """
    random = np.random.default_rng((seed, 1))
    held = np.concatenate(there.others)
    chosen: dict[str, IntArray] = {}
    proven = False
    for name in (OPTIMAL, *machine.heuristics):
        chooser = _chooser(machine, name)
        chooser.hold(held.tolist())
        grant = chooser.find(k)
        assert grant is not None
        chosen[name] = grant.used
        if isinstance(chooser, MethodAsAllocator) and name == OPTIMAL:
            assert chooser.last is not None
            proven = chooser.last.status is Status.OPTIMAL
    sites = np.array(list(machine.topology.locations()), np.int64)
    for i in range(NEAR):
        centre = int(random.choice(there.free))
        far = arrays.distances(machine.topology, sites[there.free], sites[centre])
        near = there.free[np.argsort(far, kind="stable")[: 3 * k // 2]]
        chosen[f"near {i}"] = random.choice(near, k, replace=False)
    for i in range(RANDOM):
        chosen[f"random {i}"] = random.choice(there.free, k, replace=False)
    sets: dict[bytes, IntArray] = {}
    which = []
    for used in chosen.values():
        one = np.sort(used).astype(np.int64)
        sets.setdefault(one.tobytes(), one)
        which.append(list(sets).index(one.tobytes()))
    return Choices(
        tuple(chosen), np.array(which, np.int64), tuple(sets.values()), proven
    )


def _chooser(machine: NetworkSystem, name: str) -> Allocator:
    if name != OPTIMAL:
        return allocator(name, machine.topology)
    limits = Settings(time_limit=inf, node_limit=NODES)
    return MethodAsAllocator(machine.topology, KSUBSET["auto"], settings=limits)
