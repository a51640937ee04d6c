"""The strongest exact route at hand for the set-union knapsack."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

from ...instances import Sukp
from ...solvers import DEFAULT, Result, Settings, answer
from .bruteforce import MOST_ITEMS, bruteforce

Route = Callable[[Sukp, Settings], Result | None]
"""A way to an answer; None where it does not suit the instance."""


def auto(instance: Sukp, /, settings: Settings = DEFAULT) -> Result:
    """Prove an optimum by the first route that suits the instance.

    Guarantee: exact where one of the exact routes suits.
    Time: that of the route.
    Source: derived for closeknit.
    """
    for route in ROUTES:
        result = route(instance, settings)
        if result is not None:
            return result
    raise AssertionError("the last route suits everything")


def _enumerate(instance: Sukp, settings: Settings) -> Result | None:
    if instance.n > MOST_ITEMS:
        return None
    return bruteforce(instance, settings)


def _by_profit(instance: Sukp, settings: Settings) -> Result:
    """Take items of most profit first, as long as they fit."""
    start = perf_counter()
    room = instance.capacity
    union: set[int] = set()
    chosen = []
    for i in sorted(range(instance.n), key=lambda i: (-instance.profits[i], i)):
        new = set(instance.items[i]) - union
        needs = sum(instance.weights[e] for e in new)
        if needs <= room:
            room -= needs
            union |= new
            chosen.append(i)
    return answer(instance, chosen, start=start)


ROUTES: tuple[Route, ...] = (_enumerate, _by_profit)
"""In the order in which they are tried; the last one suits everything."""
