"""Enumeration of all choices of exactly r processors."""

from __future__ import annotations

from itertools import combinations
from math import comb

from ...instances import InputError, ProcSet
from ...solvers import DEFAULT, Grade, Limit, Proof, Result, Settings, answer
from ...solvers.running import clock

MOST = 2_000_000
"""Number of choices up to which the search runs."""
_PROOF = Proof(Grade.ENUMERATED, "bruteforce")
_LOOK = 1024


def bruteforce(instance: ProcSet, /, settings: Settings = DEFAULT) -> Result:
    """Enumerate all choices of exactly r processors, as more never cost less.

    Guarantee: exact.
    Time: O(C(n, r) (r + sets)); refused beyond C(n, r) = 2e6.
    Ties: the first in lexicographic order of indices.
    Source: the definition.

    Raises
    ------
    InputError
        If there are too many choices.
    """
    start = clock.now()
    n, r = instance.n, instance.request
    if (choices := comb(n, r)) > MOST:
        raise InputError(
            f"C({n}, {r}) = {choices} choices; at most {MOST} are tried", "bruteforce"
        )
    touches = [0] * len(instance.processors)
    for number, one in enumerate(instance.sets):
        for i in one.members:
            touches[i] |= 1 << number
    known: dict[int, tuple[int, ...]] = {}
    best: tuple[tuple[int, ...], tuple[int, ...]] | None = None
    limit: Limit | None = None
    try:
        for count, picked in enumerate(combinations(instance.available, r), start=1):
            touched = 0
            for i in picked:
                touched |= touches[i]
            price = known.get(touched)
            if price is None:
                known[touched] = price = _price(instance, touched)
                if best is None or price < best[0]:
                    best = price, picked
            if count % _LOOK == 0 and clock.now() - start > settings.time_limit:
                limit = Limit.TIME
                break
            if count == settings.node_limit and count < choices:
                limit = Limit.NODES
                break
    except KeyboardInterrupt:
        limit = Limit.INTERRUPT
    if limit or best is None:
        return answer(instance, best and best[1], start=start, limit=limit)
    return answer(instance, best[1], start=start, bound=best[0], proof=_PROOF)


def _price(instance: ProcSet, touched: int) -> tuple[int, ...]:
    costs = [one.cost for i, one in enumerate(instance.sets) if touched >> i & 1]
    return tuple(map(sum, zip((0,) * instance.levels, *costs, strict=True)))
