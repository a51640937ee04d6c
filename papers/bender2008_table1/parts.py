"""One situation algorithm on one stream, with all decision algorithms."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import compress
from math import inf

import numpy as np

from ...heuristics.allocation.allocator import Allocation, Allocator
from ...instances import Grid, InputError, IntArray, KSubset, Mesh, cost
from ...methods import KSUBSET
from ...methods.allocators.of_method import MethodAsAllocator
from ...methods.allocators.table import STRATEGIES, allocator
from ...simulation.stream.jobs import StreamJob
from ...simulation.stream.simulator import Event, Start, simulate
from ...solvers import Settings
from .. import parts

OPTIMAL = "optimal"
"""The decision, or situation, that costs least, as far as it is proved."""
NOT_ASKED, REFUSED = -1, -2
"""Marks in place of a cost."""
_EXACT = "auto"


@dataclass(frozen=True, kw_only=True)
class Part(parts.Part):
    """What is run: a stream of jobs, and the algorithm of the situation.

    The decisions ``always`` are asked at every job, those ``sometimes`` at every
    ``every``-th one, counted from the first.
    """

    jobs: tuple[StreamJob, ...]
    situation: str
    always: tuple[str, ...] = ()
    sometimes: tuple[str, ...] = ()
    every: int = 1

    @property
    def decisions(self) -> tuple[str, ...]:
        """All decision algorithms: the columns of the outcome."""
        return self.always + self.sometimes

    @property
    def about(self) -> str:
        """Its name, for progress and error messages."""
        return f"situation {self.situation}"

    def fits(self, found: Found) -> bool:
        """Whether an outcome has the form of this part's outcomes."""
        return found.costs.shape == (len(self.jobs), len(self.decisions))


@dataclass(frozen=True, slots=True, kw_only=True)
class Found(parts.Arrays):
    """The outcome of a part; one row per job in the order of starts."""

    start: IntArray  # in seconds
    k: IntArray  # processors requested
    free: IntArray  # processors that were idle
    own: IntArray  # pair sum of what the situation algorithm gave
    costs: IntArray  # pair sums of the decisions, `NOT_ASKED`, or `REFUSED`
    bound: IntArray  # proved lower bound on the least pair sum, or `NOT_ASKED`


def run(part: Part) -> Found:
    """Run a part; an error if the situation algorithm cannot serve a job."""
    topology = Mesh(part.shape)
    placing = placing_by(part.situation, topology, seed=part.seed, nodes=part.nodes)
    asked = _Asked(part, topology)
    rows: list[tuple[int, int, int, int]] = []
    costs = np.full((len(part.jobs), len(part.decisions)), NOT_ASKED, dtype=np.int64)
    bound = np.full(len(part.jobs), NOT_ASKED, dtype=np.int64)
    for event in simulate(part.jobs, placing):
        if isinstance(event, Start):
            number = len(rows)
            met = MetInstance(topology, placing, event, number)
            own = met.price(event.grant.used)
            rows.append((event.time, met.k, len(met.numbers), own))
            costs[number], bound[number] = asked.about(met, own)
        asked.see(event)
    start, k, free, owns = np.array(rows, dtype=np.int64).T.copy()
    return Found(start=start, k=k, free=free, own=owns, costs=costs, bound=bound)


class MetInstance:
    """The state that a job meets: idle processors, and the number it requests."""

    def __init__(
        self, topology: Grid, placing: Allocator, start: Start, number: int
    ) -> None:
        self.number = number
        self.k = start.job.processors
        self.shape = start.job.shape
        self.numbers = np.flatnonzero(start.idle)
        self.key = np.packbits(start.idle).tobytes(), self.k
        free = tuple(compress(placing.places, start.idle))
        self.instance = KSubset("job", topology, free, self.k)

    def price(self, used: IntArray) -> int:
        """Sum the distances of all pairs, from the definition."""
        chosen = np.searchsorted(self.numbers, used)
        return cost(self.instance, chosen.tolist())


class _Asked:
    """The decision algorithms, each with the current occupancy."""

    def __init__(self, part: Part, topology: Grid) -> None:
        self.part = part
        self.mirrors = {
            name: allocator(name, topology, seed=part.seed)
            for name in part.decisions
            if name in STRATEGIES and name != part.situation
        }
        self.exact = Settings(time_limit=inf, node_limit=part.nodes)
        self.known: dict[tuple[bytes, int], dict[str, tuple[int, int]]] = {}

    def see(self, event: Event) -> None:
        """Record processors that were allocated or released."""
        held = event.grant.held
        for mirror in self.mirrors.values():
            if isinstance(event, Start):
                mirror.hold(held.tolist())
            else:
                mirror.release(Allocation(held, held))

    def about(self, met: MetInstance, own: int) -> tuple[list[int], int]:
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

    def _strategy(self, name: str, met: MetInstance) -> int:
        grant = self.mirrors[name].find(met.k, met.shape)
        return REFUSED if grant is None else met.price(grant.used)

    def _method(self, name: str, met: MetInstance) -> tuple[int, int]:
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


def placing_by(name: str, topology: Grid, *, seed: int, nodes: int) -> Allocator:
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
        method = KSUBSET[_EXACT if name == OPTIMAL else name]
        reasons[name] = method.refusal(whole) or ""
    return reasons


def taking_part(
    names: Collection[str], shape: tuple[int, ...], needed: Collection[str] = ()
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the strategies that take a mesh, and why the others do not.

    An error if one that is needed does not.
    """
    reasons = usable(names, shape)
    for name in needed:
        if reasons[name]:
            raise InputError(
                f"{name} {reasons[name]}", "shape", "x".join(map(str, shape))
            )
    able = tuple(name for name in names if not reasons[name])
    return able, tuple(f"{name}: {why}" for name, why in reasons.items() if why)
