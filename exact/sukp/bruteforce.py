"""Enumeration of all sets of items that fit."""

from __future__ import annotations

from ...instances import InputError, Sukp
from ...solvers import DEFAULT, Grade, Limit, Proof, Result, Settings, answer
from ...solvers.running import clock

MOST_ITEMS = 22
"""Number of items up to which the search runs."""
_PROOF = Proof(Grade.ENUMERATED, "bruteforce")
_LOOK = 1024


def bruteforce(instance: Sukp, /, settings: Settings = DEFAULT) -> Result:
    """Enumerate all sets of items that fit.

    Guarantee: exact.
    Time: O(2^items elements); refused beyond 22 items.
    Ties: the first found, items being taken before they are left out.
    Source: the definition.

    Raises
    ------
    InputError
        If there are too many items.
    """
    start = clock.now()
    if instance.n > MOST_ITEMS:
        raise InputError(
            f"{instance.n} items; at most {MOST_ITEMS} are tried", "bruteforce"
        )
    weigh = [0] * instance.n
    for i, elements in enumerate(instance.items):
        for e in elements:
            weigh[i] |= 1 << e
    best = -1
    best_items: tuple[int, ...] = ()
    # position, union of elements, its weight, profit, items
    stack: list[tuple[int, int, int, int, tuple[int, ...]]] = [(0, 0, 0, 0, ())]
    limit: Limit | None = None
    nodes = 0
    try:
        while stack:
            nodes += 1
            if nodes % _LOOK == 0 and clock.now() - start > settings.time_limit:
                limit = Limit.TIME
                break
            if settings.node_limit is not None and nodes > settings.node_limit:
                limit = Limit.NODES
                break
            i, union, weight, profit, items = stack.pop()
            if i == instance.n:
                if profit > best:
                    best, best_items = profit, items
                continue
            stack.append((i + 1, union, weight, profit, items))
            new = weigh[i] & ~union
            heavier = weight + sum(
                w for e, w in enumerate(instance.weights) if new >> e & 1
            )
            if heavier <= instance.capacity:
                richer = profit + instance.profits[i]
                stack.append((i + 1, union | new, heavier, richer, (*items, i)))
    except KeyboardInterrupt:
        limit = Limit.INTERRUPT
    if limit:
        return answer(instance, best_items, start=start, limit=limit)
    bound = sum(instance.profits) - best
    return answer(instance, best_items, start=start, bound=bound, proof=_PROOF)
