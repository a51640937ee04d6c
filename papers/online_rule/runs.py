"""All strategies place the same stream: which take part, and the cost of each job."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ...heuristics.allocation.allocator import Allocator
from ...heuristics.allocation.thrifty import Thrifty
from ...instances import IntArray, Mesh, arrays
from ...methods.allocators.of_method import MethodAsAllocator
from ...simulation.stream.simulator import Start, simulate
from ..bender2008_table1.parts import (
    NOT_ASKED,
    OPTIMAL,
    Found,
    Part,
    placing_by,
    taking_part,
)
from ..bender2008_table1.streams import PACKED, ArrivalPattern, stream
from ..catalogue import RunOptions
from ..parts import run_all

RULE = "thrifty"
RIVALS = (
    *("hilbert/best-fit", "snake/best-fit", "row/best-fit"),
    *("mc", "mc1x1", "mc1x1-all", "mm", "mm-all", "mm-inc", "mm-inc-all"),
    *("mbs", "paging", OPTIMAL),
)
"""Strategies of the papers, and the optimum of every single step."""
REGARDS = tuple(Fraction(n, 100) for n in (0, 10, 20, 30, 50, 100))
"""Weights of the rule that are tried; the first half of a stream selects one."""
LOADS = (None, Fraction(9, 10))
"""The stream's own load, and two that its times are scaled to."""
NODES = 50_000
"""Limit of the search for an optimum."""
_TRIED = f"{RULE}, regard "


def lineup(shape: tuple[int, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the strategies that take a mesh, and why others do not."""
    return taking_part(RIVALS, shape)


def states(
    options: RunOptions, shape: tuple[int, ...]
) -> tuple[list[str], list[ArrivalPattern]]:
    """Describe the stream, and return its arrival patterns."""
    about: list[str] = []
    ways: dict[tuple[int, ...], ArrivalPattern] = {}
    for load in LOADS if options.load is None else (options.load,):
        jobs = stream(
            options.trace, shape, seed=options.seed, first=options.first, load=load
        )
        about = list(jobs.about)
        for state in jobs.states:
            name = state.name
            if name != PACKED:
                name = "as it comes" if load is None else f"load {float(load):g}"
            times = tuple(job.submit for job in state.jobs)
            ways.setdefault(
                times, ArrivalPattern(name=name, about=state.about, jobs=state.jobs)
            )
    return about, sorted(ways.values(), key=lambda state: state.name == PACKED)


def part(
    state: ArrivalPattern, shape: tuple[int, ...], seed: int, situation: str | Fraction
) -> Part:
    """Describe what is run: a strategy by name, or the rule with another weight."""
    tried = isinstance(situation, Fraction)
    return Part(
        shape=shape,
        jobs=state.jobs,
        situation=f"{_TRIED}{situation}" if tried else str(situation),
        nodes=NODES,
        seed=seed,
    )


def run(one: Part) -> Found:
    """Place the stream.

    Where the optimum decides, what it proves is noted at the jobs of more than one
    processor; where another does, nothing is.
    """
    placing = _placing(one)
    sites = np.array(placing.places, dtype=np.int64)
    hops = arrays.distances(placing.topology, sites[:, None], sites[None])
    rows: list[tuple[int, int, int, int]] = []
    bound = np.full(len(one.jobs), NOT_ASKED, dtype=np.int64)
    for event in simulate(one.jobs, placing):
        if not isinstance(event, Start):
            continue
        used = event.grant.used
        price = int(hops[np.ix_(used, used)].sum()) // 2
        if (
            isinstance(placing, MethodAsAllocator)
            and one.situation == OPTIMAL
            and len(used) > 1
        ):
            assert placing.last is not None
            assert isinstance(placing.last.bound, int)
            bound[len(rows)] = placing.last.bound
        rows.append((event.time, len(used), int(event.idle.sum()), price))
    start, k, free, own = np.array(rows, dtype=np.int64).T.copy()
    none = np.empty((len(rows), 0), dtype=np.int64)
    return Found(start=start, k=k, free=free, own=own, costs=none, bound=bound)


def _placing(one: Part) -> Allocator:
    topology = Mesh(one.shape)
    if one.situation.startswith(_TRIED):
        regard = Fraction(one.situation.removeprefix(_TRIED))
        return Thrifty(topology, regard=regard)
    return placing_by(one.situation, topology, seed=one.seed, nodes=one.nodes)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Race:
    """One arrival pattern of the stream, with the results of all strategies."""

    state: ArrivalPattern
    costs: dict[str, IntArray]  # pair sums in the order of the stream, by strategy
    tried: dict[Fraction, IntArray]  # the same for the rule with other weights
    proved: int  # decisions of the optimum for more than one processor that are proved
    looked: int  # all of these decisions

    @property
    def half(self) -> int:
        """Index of the first job that is compared."""
        return len(self.state.jobs) // 2

    def judged(self, name: str) -> IntArray:
        """Pair sums at the second half of the jobs."""
        return self.costs[name][self.half :]

    @property
    def weight(self) -> Fraction:
        """The weight of the rule that is best on the first half."""
        return min(REGARDS, key=lambda one: int(self.tried[one][: self.half].sum()))

    @property
    def tuned(self) -> IntArray:
        """Pair sums at the second half of the jobs, with the weight of the first."""
        return self.tried[self.weight][self.half :]

    @property
    def rivals(self) -> list[str]:
        """All strategies but the rule, the best over the second half first."""
        names = [name for name in self.costs if name != RULE]
        return sorted(names, key=lambda name: int(self.judged(name).sum()))

    @property
    def best(self) -> str:
        """The best of the papers' strategies over the second half."""
        return next(name for name in self.rivals if name != OPTIMAL)


def races(
    ways: Sequence[ArrivalPattern],
    rivals: Sequence[str],
    shape: tuple[int, ...],
    options: RunOptions,
) -> Iterator[Race]:
    """Run all strategies on every arrival pattern of the stream."""
    everybody: list[str | Fraction] = [RULE, *rivals, *REGARDS]
    parts = {
        (state.name, who): part(state, shape, options.seed, who)
        for state in ways
        for who in everybody
    }
    found = run_all(parts, run, Found, options)
    for state in ways:
        own = {who: found[state.name, who].own for who in everybody}
        proved = looked = 0
        if OPTIMAL in rivals:
            optimum = found[state.name, OPTIMAL]
            looked = int((optimum.bound != NOT_ASKED).sum())
            proved = int((optimum.bound == optimum.own).sum())
        yield Race(
            state=state,
            costs={who: own[who] for who in (RULE, *rivals)},
            tried={who: own[who] for who in REGARDS},
            proved=proved,
            looked=looked,
        )
