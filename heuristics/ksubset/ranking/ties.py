"""The Manhattan median when ties are broken for the best or for the worst.

The algorithm does not specify which processors of a boundary shell complete a
candidate, and its ratio depends on that choice. All choices of each shell are
enumerated; processors at the same site are interchangeable.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....instances import InputError, IntArray, KSubset, arrays
from ....solvers import Limit, Result, Settings, Ties, answer
from ....solvers.running import clock
from ....solvers.running.kernels import kernel
from ..centres import Centres
from ..stars import star_sums
from .distances import distances

MOST = 200_000
"""Largest number of ways to break the ties of one centre that are enumerated."""


@dataclass(frozen=True)
class Shell:
    """A ball of k free processors: those inside, and those tied at its radius.

    Of the processors at every one of ``sites``, ``missing`` complete the ball.
    """

    inside: IntArray
    sites: tuple[IntArray, ...]
    missing: int

    @property
    def ways(self) -> int:
        """Number of ways to break the ties, coinciding processors being equal."""
        ways = [1] + [0] * self.missing
        for site in self.sites:
            running = np.cumsum(np.array([0, *ways], dtype=object))
            most = len(site)
            ways = [
                int(running[t + 1] - running[max(0, t - most)])
                for t in range(self.missing + 1)
            ]
        return ways[self.missing]


def shell(instance: KSubset, centre: IntArray) -> Shell:
    """Find the smallest ball round a centre that holds k free processors."""
    away = distances(instance, centre)
    radius = np.partition(away, instance.k - 1)[instance.k - 1]
    inside, rim = np.flatnonzero(away < radius), np.flatnonzero(away == radius)
    _, place = np.unique(arrays.points(instance)[rim], axis=0, return_inverse=True)
    if instance.topology.together:  # no two are interchangeable
        place = np.arange(len(rim))
    sites = tuple(rim[place == site] for site in range(place.max() + 1))
    return Shell(inside, sites, instance.k - len(inside))


def cheapest_under(instance: KSubset, centres: Centres, settings: Settings) -> Result:
    """Return the cheapest candidate when ties of all centres are broken by one rule.

    With ``Ties.BEST`` a candidate is the cheapest that its centre can yield, with
    ``Ties.WORST`` the most expensive; the answer is the cheapest candidate of all
    centres, as in any other tie order.

    Raises
    ------
    InputError
        If a centre has more than `MOST` ways to break its ties; this is checked
        before anything is enumerated.
    """
    start = clock.now()
    deadline = start + settings.time_limit
    shells: list[Shell] = []
    limit: Limit | None = None
    for part in centres.parts():
        if shells and clock.now() > deadline:
            limit = Limit.TIME
            break
        for centre in part:
            found = shell(instance, centre)
            if (ways := found.ways) > MOST:
                raise InputError(
                    f"{ways} ways to break the ties at centre "
                    f"{list(map(int, centre))}; at most {MOST} are tried",
                    "ties",
                    settings.ties.value,
                )
            shells.append(found)
    sign = 1 if settings.ties is Ties.BEST else -1
    best: tuple[int, IntArray] | None = None
    try:
        for found in shells:
            if best is not None and clock.now() > deadline:
                limit = Limit.TIME
                break
            total, chosen = _broken(instance, found, sign)
            if best is None or total < best[0]:
                best = total, chosen
    except KeyboardInterrupt:
        if best is None:
            raise
        limit = Limit.INTERRUPT
    assert best is not None
    return answer(instance, best[1], start=start, limit=limit)


def _broken(instance: KSubset, found: Shell, sign: int) -> tuple[int, IntArray]:
    """Break the ties of one shell; return the pair sum and the processors."""
    first = np.array([site[0] for site in found.sites])
    points = arrays.points(instance)[first]
    stars = star_sums(instance, found.inside)
    taken = np.zeros(len(first), dtype=np.int64)
    added = extreme(
        found.missing,
        np.array([len(site) for site in found.sites]),
        stars[first],
        arrays.distances(instance.topology, points[:, None], points[None]),
        sign,
        taken,
    )
    chosen = [found.inside]
    chosen += [s[:count] for s, count in zip(found.sites, taken, strict=True)]
    total = int(stars[found.inside].sum()) // 2 + int(added)
    return total, np.concatenate(chosen)


@kernel
def extreme(
    missing: int,
    capacity: IntArray,
    star: IntArray,
    hops: IntArray,
    sign: int,
    taken: IntArray,
) -> int:
    """Find the cheapest (sign 1) or costliest (sign -1) way to fill up a candidate.

    Takes so many as are ``missing``, of sites that have ``capacity`` processors each,
    at distances ``star`` to all inside the shell and ``hops`` to each other. Writes how
    many to take at each site into ``taken``: the first answer in order of descending
    counts. Returns what they add to the pair sum.
    """
    m = len(capacity)
    behind = np.zeros(m + 1, dtype=np.int64)  # capacity from a site on
    for i in range(m - 1, -1, -1):
        behind[i] = behind[i + 1] + capacity[i]
    count = np.zeros(m, dtype=np.int64)
    left = np.zeros(m + 1, dtype=np.int64)  # still missing before site i
    total = np.zeros(m + 1, dtype=np.int64)  # cost of the sites before i
    price = np.zeros(m, dtype=np.int64)  # of one processor at site i
    left[0] = missing
    best = 0
    found = False
    i = 0
    count[0] = -1  # not entered yet
    while i >= 0:
        if count[i] < 0:
            count[i] = min(capacity[i], left[i])
            price[i] = star[i]
            for j in range(i):
                price[i] += count[j] * hops[j, i]
        else:
            count[i] -= 1
        if count[i] < 0 or left[i] - count[i] > behind[i + 1]:
            i -= 1  # none lower will do either
            continue
        left[i + 1] = left[i] - count[i]
        total[i + 1] = total[i] + count[i] * price[i]
        if i + 1 < m and left[i + 1] > 0:
            i += 1
            count[i] = -1
            continue
        if not found or sign * total[i + 1] < sign * best:
            found = True
            best = total[i + 1]
            taken[:] = 0
            taken[: i + 1] = count[: i + 1]
    return best
