"""A first choice: repeatedly open the class that adds least to the cost."""

from __future__ import annotations

from ...formulations.procset.set_classes import SetClasses, radix_of


def cheapest_first(grouped: SetClasses) -> tuple[int, ...]:
    """Return exactly ``request`` processors, class by class, first those required.

    Each further step opens the class that adds least to the cost; among equal ones the
    largest, then the first. Sets that are open cost nothing for the classes that share
    them, so that these tend to follow.

    Running time: O(opened classes x classes + classes x sets of each).
    """
    prices = (*grouped.private, *grouped.shared)
    radix = radix_of(prices, grouped.levels)
    shared = [radix.fold(price) for price in grouped.shared]
    adds = [radix.fold(price) for price in grouped.private]
    inside: list[list[int]] = [[] for _ in shared]
    for k, opens in enumerate(grouped.opens):
        for s in opens:
            inside[s].append(k)
            adds[k] += shared[s]
    sizes = grouped.sizes
    left = set(range(len(sizes)))
    opened: list[int] = []
    paid = [False] * len(shared)
    missing = grouped.request
    must = [*grouped.must_open]
    while must or (missing > 0 and left):
        best = must.pop() if must else min(left, key=lambda k: (adds[k], -sizes[k], k))
        left.remove(best)
        opened.append(best)
        missing -= sizes[best]
        for s in grouped.opens[best]:
            if not paid[s]:
                paid[s] = True
                for k in inside[s]:
                    adds[k] -= shared[s]
    return grouped.pick(opened)
