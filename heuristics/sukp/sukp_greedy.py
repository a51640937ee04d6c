"""A greedy first choice of items for the set-union knapsack problem."""

from __future__ import annotations

from fractions import Fraction

from ...instances import Sukp
from ...instances.sukp.instance import weight


def greedy(instance: Sukp) -> tuple[int, ...]:
    """Take those required, then by most profit per weight added, while any item fits.

    Time: O(items² · elements of an item). Ties: the lowest index.

    >>> greedy(Sukp("two", (5, 4), (3, 3, 3), ((0, 1), (1, 2)), 6))
    (0,)
    """
    chosen = list(instance.required)
    room = instance.capacity - weight(instance, chosen)
    union = {e for i in chosen for e in instance.items[i]}
    left = [i for i in range(instance.n) if i not in set(chosen)]
    while left:
        best: tuple[bool, Fraction, int] | None = None
        top, added = -1, 0
        for i in left:
            more = sum(instance.weights[e] for e in instance.items[i] if e not in union)
            if more > room:
                continue
            profit = instance.profits[i]
            worth = (more == 0, Fraction(profit, max(more, 1)), -i)
            if best is None or worth > best:
                best, top, added = worth, i, more
        if best is None:
            break
        chosen.append(top)
        left.remove(top)
        union.update(instance.items[top])
        room -= added
    return tuple(sorted(chosen))
