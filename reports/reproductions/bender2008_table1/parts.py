"""One situation algorithm on one stream, with all decision algorithms."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from importlib.metadata import version
from itertools import compress
from math import inf

import numpy as np

from ....heuristics.allocation.allocator import Allocation, Allocator
from ....instances import InputError, IntArray, KSubset, Mesh, cost
from ....methods import KSUBSET
from ....methods.allocators import STRATEGIES, allocator
from ....methods.method_as_allocator import MethodAsAllocator
from ....simulation.stream import Event, Start, simulate
from ....simulation.stream_jobs import StreamJob
from ....solvers import Settings
from ..parts import Arrays

VERSION = 1
"""Version of the outcome; raised when the same part would give another one."""
OPTIMAL = "optimal"
"""The decision, or situation, that costs least, as far as it is proved."""
NOT_ASKED, REFUSED = -1, -2
"""Marks in place of a cost."""
_EXACT = "auto"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What is run.

    Parameters
    ----------
    shape
        Sides of the mesh.
    jobs
        The stream.
    situation
        Who places it.
    always
        Decisions that are asked at every job.
    sometimes
        Decisions that are asked at every so many-th one, counted from the first.
    every
        How many that is.
    nodes
        Of the search for an optimal decision, at most.
    seed
        Of those that draw.
    """

    shape: tuple[int, ...]
    jobs: tuple[StreamJob, ...]
    situation: str
    always: tuple[str, ...]
    sometimes: tuple[str, ...]
    every: int
    nodes: int
    seed: int

    @property
    def decisions(self) -> tuple[str, ...]:
        """All decision algorithms: the columns of the outcome."""
        return self.always + self.sometimes

    @property
    def key(self) -> str:
        """SHA-256 of everything that the outcome depends on."""
        jobs = np.array(
            [(job.submit, job.processors, job.seconds) for job in self.jobs],
            dtype=np.int64,
        )
        identity = {
            "version": [version("closeknit"), VERSION],
            "shape": self.shape,
            "jobs": sha256(jobs.tobytes()).hexdigest(),
            "situation": self.situation,
            "always": self.always,
            "sometimes": self.sometimes,
            "every": self.every,
            "nodes": self.nodes,
            "seed": self.seed,
        }
        return sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()

    @property
    def about(self) -> str:
        """Its name, for progress and error messages."""
        return f"situation {self.situation}"

    def fits(self, found: Found) -> bool:
        """Whether an outcome has the form of this part's outcomes."""
        return found.costs.shape == (len(self.jobs), len(self.decisions))


@dataclass(frozen=True, slots=True, kw_only=True)
class Found(Arrays):
    """The outcome of a part; one row per job in the order of starts.

    Parameters
    ----------
    start
        When, in seconds.
    k, free
        How many processors a job asked for, and how many were idle.
    own
        Pair sum of what the situation algorithm gave it.
    costs
        Shape (jobs, decisions): pair sums, or `NOT_ASKED`, or `REFUSED`.
    bound
        Proved lower bound on the least pair sum, or `NOT_ASKED`.
    """

    start: IntArray
    k: IntArray
    free: IntArray
    own: IntArray
    costs: IntArray
    bound: IntArray


def run(part: Part) -> Found:
    """Run a part.

    Raises
    ------
    InputError
        When the situation algorithm cannot serve a job.
    """
    topology = Mesh(part.shape)
    placing = placing_by(part.situation, topology, seed=part.seed, nodes=part.nodes)
    asked = _Asked(part, topology)
    rows: dict[str, list[int]] = {name: [] for name in ("start", "k", "free", "own")}
    costs = np.full((len(part.jobs), len(part.decisions)), NOT_ASKED, dtype=np.int64)
    bound = np.full(len(part.jobs), NOT_ASKED, dtype=np.int64)
    for number, event in enumerate_starts(simulate(part.jobs, placing)):
        if isinstance(event, Start):
            met = Met(topology, placing.places, event, number)
            rows["start"].append(event.time)
            rows["k"].append(met.k)
            rows["free"].append(len(met.numbers))
            rows["own"].append(met.price(event.grant.used))
            costs[number], bound[number] = asked.about(met, rows["own"][-1])
        asked.see(event)
    return Found(
        **{name: np.array(row, dtype=np.int64) for name, row in rows.items()},
        costs=costs,
        bound=bound,
    )


def enumerate_starts(events: Iterator[Event]) -> Iterator[tuple[int, Event]]:
    """Yield each event with the number of starts before it."""
    number = 0
    for event in events:
        yield number, event
        number += isinstance(event, Start)


class Met:
    """The state that a job meets: idle processors, and the number it requests.

    Parameters
    ----------
    topology, places
        The network, and its processors by number.
    start
        The job's start.
    number
        Jobs that started before.
    """

    def __init__(
        self,
        topology: Mesh,
        places: Sequence[tuple[int, ...]],
        start: Start,
        number: int,
    ) -> None:
        self.topology = topology
        self.places = places
        self.idle = start.idle
        self.number = number
        self.k = start.job.processors
        self.shape = start.job.shape
        self.numbers = np.flatnonzero(start.idle)

    @property
    def key(self) -> bytes:
        """Key that equal problems share."""
        return np.packbits(self.idle).tobytes() + self.k.to_bytes(4, "little")

    @cached_property
    def instance(self) -> KSubset:
        """The state as a k-subset instance."""
        free = tuple(compress(self.places, self.idle))
        return KSubset("job", self.topology, free, self.k)

    def price(self, used: IntArray) -> int:
        """Sum the distances of all pairs, from the definition."""
        chosen = np.searchsorted(self.numbers, used)
        return cost(self.instance, chosen.tolist())


class _Asked:
    """The decision algorithms, each with the current occupancy."""

    def __init__(self, part: Part, topology: Mesh) -> None:
        self.part = part
        self.mirrors = {
            name: allocator(name, topology, seed=part.seed)
            for name in part.decisions
            if name in STRATEGIES and name != part.situation
        }
        self.exact = Settings(time_limit=inf, node_limit=part.nodes)
        self.known: dict[bytes, dict[str, tuple[int, int]]] = {}

    def see(self, event: Event) -> None:
        """Record processors that were allocated or released."""
        held = event.grant.held
        for mirror in self.mirrors.values():
            if isinstance(event, Start):
                mirror.hold(held.tolist())
            else:
                mirror.release(Allocation(held, held))

    def about(self, met: Met, own: int) -> tuple[list[int], int]:
        """Return the cost of each decision, and a lower bound on all.

        Who has placed the stream need not be asked again: it gave ``own``.
        """
        often = met.number % self.part.every == 0
        names = self.part.decisions if often else self.part.always
        known = self.known.setdefault(met.key, {})
        row = [NOT_ASKED] * len(self.part.decisions)
        bound = NOT_ASKED
        for column, name in enumerate(names):
            if name == self.part.situation != OPTIMAL:
                row[column] = own
                continue
            if name in self.mirrors:
                row[column] = self._strategy(name, met)
                continue
            if name not in known:
                known[name] = self._method(name, met)
            row[column] = known[name][0]
            if name == OPTIMAL:
                bound = known[name][1]
        return row, bound

    def _strategy(self, name: str, met: Met) -> int:
        grant = self.mirrors[name].find(met.k, met.shape)
        return REFUSED if grant is None else met.price(grant.used)

    def _method(self, name: str, met: Met) -> tuple[int, int]:
        if met.k == 1:
            return 0, 0
        if name == OPTIMAL:
            result = KSUBSET[_EXACT](met.instance, self.exact)
        else:
            seed = self.part.seed + met.number
            result = KSUBSET[name](met.instance, Settings(seed=seed))
        assert isinstance(result.objective, int)
        bound = result.bound if isinstance(result.bound, int) else 0
        return result.objective, bound


def placing_by(name: str, topology: Mesh, *, seed: int, nodes: int) -> Allocator:
    """Return a strategy by name; the optimal one searches so many nodes at most."""
    if name in (OPTIMAL, _EXACT):
        limits = Settings(time_limit=inf, node_limit=nodes)
        return MethodAsAllocator(topology, KSUBSET[_EXACT], seed=seed, settings=limits)
    return allocator(name, topology, seed=seed)


def usable(names: Collection[str], shape: tuple[int, ...]) -> Mapping[str, str]:
    """Return for each method why it does not take this mesh; "" if it does."""
    topology = Mesh(shape)
    whole = KSubset("whole", topology, tuple(topology.locations()), 1)
    reasons = {}
    for name in names:
        refuses = KSUBSET[_EXACT if name == OPTIMAL else name].refuses
        reasons[name] = (refuses(whole) if refuses else None) or ""
    return reasons


def taking_part(
    names: Collection[str], shape: tuple[int, ...], needed: Collection[str] = ()
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the strategies that take a mesh, and why the others do not.

    Raises
    ------
    InputError
        When one that is needed does not.
    """
    reasons = usable(names, shape)
    for name in needed:
        if reasons[name]:
            raise InputError(
                f"{name} {reasons[name]}",
                field="--shape",
                value="x".join(map(str, shape)),
            )
    able = tuple(name for name in names if not reasons[name])
    return able, tuple(f"{name}: {why}" for name, why in reasons.items() if why)
