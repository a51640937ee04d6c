"""One search for a bad instance: exhaustive or not; what it finds is proved again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, combinations

import numpy as np

from ...instances import InputError, Topology, arrays
from ...methods import KSUBSET
from ...solvers import Settings, SolverError, Ties
from ...solvers.running.interrupt import deferred
from .annealing import Report, anneal
from .hunt import AdversarySearch, BadInstance, SearchSpace, Sites, Watch
from .kernels import least_of_all, prices, sizes

MOST_PLACES = 22
"""Processors up to which all sets of them are enumerated; tables of 2^22 are 64 MB."""
UNASKED = 16
"""Largest number of sets that are enumerated without an option."""


def exhaust(hunt: AdversarySearch) -> BadInstance | None:
    """Run the method on every instance, and compare with the optimum of each.

    The optima of all sets come from one sweep: the least cost in a set is that of
    the set itself, if it has k processors, or the least in the sets of one fewer. The
    instances go by the number of free processors, then in lexicographic order; of
    equally bad ones the first counts.

    A method that prefers coordinates in a tie may do worse on an instance than on its
    mirror image, so all sets are looked at. Where ties are broken whichever way is
    best or worst the mirror images are left out.

    Returns
    -------
    Found or None
        The worst instance; None if no optimum is positive. It is ``proved`` unless
        the search was stopped.

    Raises
    ------
    InputError
        For points, or too many processors.
    """
    ground = hunt.ground
    places = ground.places
    if ground.points or len(places) > MOST_PLACES:
        raise InputError(
            f"is for networks of up to {MOST_PLACES} processors", "exhaustive"
        )
    watch = Watch(hunt)
    sites = np.array(places, dtype=np.int64)
    hops = arrays.distances(ground.topology, sites[:, None], sites[None])
    optima = least_of_all(prices(hops), sizes(len(places)), ground.k)
    symmetric = hunt.settings.ties is not Ties.LEX
    maps = _maps(ground) if symmetric else []
    worst: tuple[int, int, Sites] | None = None
    complete = True
    numbers = range(ground.k + 1, ground.most + 1)
    every = (combinations(range(len(places)), n) for n in numbers)
    for free in chain.from_iterable(every):
        if any(tuple(sorted(turned[i] for i in free)) < free for turned in maps):
            continue
        if watch.over:
            complete = False
            break
        optimum = int(optima[sum(1 << i for i in free)])
        open_sites = tuple(places[i] for i in free)
        cost = watch.pay(ground.instance(open_sites))
        if cost is None or not optimum:
            continue
        if worst is None or cost * worst[1] > worst[0] * optimum:
            worst = cost, optimum, open_sites
    if worst is None:
        return None
    cost, optimum, open_sites = worst
    how = f"the first {watch.evaluations} "
    if complete:
        how = f"exhaustive: all {watch.evaluations} "
    how += f"sets of {ground.k + 1} to {ground.most} of {len(places)} processors"
    if complete:
        how += ", up to symmetry" * symmetric + "; none is worse"
    return watch.found(open_sites, cost, optimum, how, proved=complete)


def _maps(ground: SearchSpace) -> list[list[int]]:
    """Return the symmetries of the network, by the numbers of its processors."""
    number = {p: i for i, p in enumerate(ground.places)}
    return [
        [number[turned[p]] for p in ground.places] for turned in ground.symmetries()
    ]


def most_free(topology: Topology, k: int, *, exhaustive: bool = False) -> int:
    """Return the default for how many processors of a network are free at most.

    All of a small network, or of one that is searched exhaustively; else 2k + 4.
    """
    places = sum(1 for _ in topology.locations())
    every = exhaustive or places <= UNASKED
    return places if every else min(2 * k + 4, places)


def run_search(
    hunt: AdversarySearch,
    starts: Sequence[Sites] = (),
    *,
    exhaustive: bool = False,
    report: Report | None = None,
) -> BadInstance | None:
    """Search until the budget ends, or Ctrl-C: exhaustively where that is quick.

    ``starts`` are sets of free processors to begin with; ``exhaustive`` searches all
    sets also of a network that is not small; ``report`` is called with improvements.
    """
    with deferred() as pressed:
        hunt = replace(hunt, stop=pressed)
        ground = hunt.ground
        tiny = not (ground.points or starts) and len(ground.places) <= UNASKED
        every = exhaustive or tiny
        return exhaust(hunt) if every else anneal(hunt, starts, report)


def prove_found(hunt: AdversarySearch, found: BadInstance) -> BadInstance:
    """Prove the cost and the optimum of an answer again by the registered methods.

    Raises
    ------
    SolverError
        When they contradict the search.
    """
    exact = KSUBSET["auto"](found.instance, Settings())
    paid = hunt.pay(found.instance)
    if exact.bound != found.optimum or paid != found.cost:
        raise SolverError(
            f"{found.instance.name}: the search gives {found.cost} against "
            f"{found.optimum}, the methods {paid} against {exact.objective}."
        )
    return found
