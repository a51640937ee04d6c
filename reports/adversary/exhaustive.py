"""Every set of free processors of a tiny network: what is found there is proved."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import numpy.typing as npt

from ...instances import InputError, Site
from ...solvers import Ties
from .exhaustive_kernels import least_of_all
from .found import Found, Hunt, Watch

MOST_PLACES = 22
"""Processors up to which all sets of them are enumerated; 2^22 optima are 16 MB."""
UNASKED = 16
"""Largest number of sets that are enumerated without an option."""


def exhaust(hunt: Hunt) -> Found | None:
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
            f"is for networks of up to {MOST_PLACES} processors", field="--exhaustive"
        )
    watch = Watch(hunt)
    optima = _optima(hunt)
    symmetric = hunt.settings.ties is not Ties.LEX
    maps = _maps(hunt) if symmetric else []
    worst: tuple[int, int, tuple[int, ...]] | None = None
    complete = True
    for free in _subsets(len(places), ground.k, ground.most):
        if any(tuple(sorted(turned[i] for i in free)) < free for turned in maps):
            continue
        if watch.over:
            complete = False
            break
        watch.evaluations += 1
        optimum = int(optima[sum(1 << i for i in free)])
        cost = hunt.pay(ground.instance(tuple(places[i] for i in free)))
        if cost is None or not optimum:
            continue
        if worst is None or cost * worst[1] > worst[0] * optimum:
            worst = cost, optimum, free
    if worst is None:
        return None
    cost, optimum, free = worst
    name = hunt.method.name
    sets = f"sets of {ground.k + 1} to {ground.most} of {len(places)} processors"
    if complete:
        images = ", up to symmetry" if symmetric else ""
        how = f"exhaustive: all {watch.evaluations} {sets}{images}; none is worse"
    else:
        how = f"the first {watch.evaluations} {sets}"
    return Found(
        instance=ground.instance(
            tuple(places[i] for i in free),
            f"worst-{name.replace('/', '-')}-{ground.label}-k{ground.k}",
            f"bad for {name}: {how}",
        ),
        cost=cost,
        optimum=optimum,
        evaluations=watch.evaluations,
        seconds=watch.seconds,
        how=how,
        proved=complete,
    )


def _subsets(places: int, k: int, most: int) -> Iterator[tuple[int, ...]]:
    for n in range(k + 1, most + 1):
        yield from combinations(range(places), n)


def _maps(hunt: Hunt) -> list[list[int]]:
    number: dict[Site, int] = {p: i for i, p in enumerate(hunt.ground.places)}
    return [
        [number[turned[p]] for p in hunt.ground.places]
        for turned in hunt.ground.symmetries()
    ]


def _optima(hunt: Hunt) -> npt.NDArray[np.int32]:
    """Return the least cost of k processors by the set of free ones, as bits."""
    sites = np.array(hunt.ground.places, dtype=np.int64)
    hops = hunt.ground.topology.distances(sites[:, None], sites[None])
    optima: npt.NDArray[np.int32] = least_of_all(hops, hunt.ground.k)
    return optima
