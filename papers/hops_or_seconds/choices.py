"""The fixed list of choices that one job is tried with, and what sets cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import inf

import numpy as np
import numpy.typing as npt

from ...instances import IntArray, arrays
from ...methods import KSUBSET
from ...methods.allocators.of_method import MethodAsAllocator
from ...network.contention.allocator import ports
from ...network.contention.annealing import Annealing
from ...solvers import Settings, Status
from .machines import BusyMachine, NetworkSystem, fewest_switches, table_of
from .workloads import PATTERNS, phits

Floats = npt.NDArray[np.float64]
Uses = Mapping[str, Floats]
"""For each word of `Search.known`, the ports of each link that others use."""


@dataclass(frozen=True)
class Search:
    """What a choice by exchanges minimises.

    Parameters
    ----------
    known
        What is known of the others: ``nothing``, ``all``, ``half`` of these jobs, or
        the ``counters`` of links over the cycles before the job comes.
    power, reserve
        Of contention; power 0 for the busiest link that the job uses.
    own
        Whether the job's pattern is known, and not taken for all-to-all.
    """

    known: str
    power: int = 0
    reserve: int = 0
    own: bool = True


PAIR_SUM, FEW, NEAR = "pair sum", "few switches", "near"
BEST, STREAM = "contention p=4", "contention p=2, reserve"
GREEDY = "links"
SEARCHES: Mapping[str, Search] = {
    "links, all-to-all alone": Search("nothing", own=False),
    "links, own pattern alone": Search("nothing"),
    GREEDY: Search("all"),
    BEST: Search("all", 4),
    "contention p=2": Search("all", 2),
    STREAM: Search("all", 2, 1),
    "contention p=8": Search("all", 8),
    f"{BEST}, half known": Search("half", 4),
    f"{BEST}, port counters": Search("counters", 4),
}
RANDOM = tuple(f"random {i}" for i in range(1, 4))
CHOICES = (PAIR_SUM, FEW, *SEARCHES, *RANDOM, NEAR)
"""The fixed list."""
OBJECTIVES = (PAIR_SUM, *list(SEARCHES)[:6])
"""What is set against time, as known before the job runs."""
_NODES = 200_000
"""Limit of the search for the least pair sum."""


def choose(
    machine: NetworkSystem,
    there: BusyMachine,
    known: Uses,
    k: int,
    seed: int,
) -> tuple[dict[str, list[IntArray]], bool]:
    """Choose k free processors by every choice of the list, for every pattern.

    Returns
    -------
    tuple
        For each choice of the list the processors, ascending, for each of `PATTERNS`;
        and whether the least pair sum is proved.
    """
    random = np.random.default_rng((seed, 1))
    free, network = there.free, machine.network
    exact = MethodAsAllocator(
        network, KSUBSET["auto"], settings=Settings(time_limit=inf, node_limit=_NODES)
    )
    exact.hold(np.concatenate(there.others).tolist())
    grant = exact.find(k)
    assert grant is not None
    assert exact.last is not None
    sites = np.array(list(network.locations()), np.int64)
    far = arrays.distances(network, sites[free], sites[int(random.choice(free))])
    near = free[np.argsort(far, kind="stable")[: 3 * k // 2]]
    plain = {PAIR_SUM: grant.used, FEW: fewest_switches(machine.groups, free, k)}
    plain |= {name: random.choice(free, k, replace=False) for name in RANDOM}
    plain[NEAR] = random.choice(near, k, replace=False)
    table = table_of(machine.name)
    annealing = Annealing(table, [1.0] * len(table.routes.links))
    chosen = {name: [np.sort(one)] * len(PATTERNS) for name, one in plain.items()}
    for name, search in SEARCHES.items():
        found: list[IntArray] = []
        for pattern in PATTERNS:
            if found and not search.own:
                found.append(found[0])
                continue
            alike = pattern == "all-to-all" or not search.own
            found.append(
                annealing.choose(
                    [plain[PAIR_SUM], plain[RANDOM[0]]],
                    free,
                    background=known[search.known],
                    power=search.power,
                    reserve=search.reserve,
                    traffic=None if alike else phits(pattern, k),
                    seed=seed,
                )
            )
        chosen[name] = found
    return chosen, exact.last.status is Status.OPTIMAL


def costs(
    machine: NetworkSystem, known: Uses, used: IntArray, pattern: str
) -> Iterator[float]:
    """Return the values of `OBJECTIVES` for a set of processors, ascending."""
    sites = np.array(list(machine.network.locations()), np.int64)[used]
    hops = arrays.distances(machine.network, sites[:, None], sites[None])
    yield float(hops.sum() // 2)
    for name in OBJECTIVES[1:]:
        search = SEARCHES[name]
        units = phits(pattern, len(used)) if search.own else None
        own = ports(table_of(machine.name), used, units)
        before = known[search.known] + search.reserve
        if search.power:
            added = (before + own) ** search.power - before**search.power
            yield float(added.sum())
        else:
            yield float((before + own).max(where=own > 0, initial=0))
