"""Orders of classes in which few shared sets are in progress at once.

A set is in progress from its first class to its last. The number in progress after
a class is the width there; the dynamic program has up to 2^width states.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from types import MappingProxyType

Incidence = Sequence[Sequence[int]]
"""For each class, the sets that contain it."""


def widths(incidence: Incidence) -> list[int]:
    """Count the sets in progress after each class, in the order given.

    >>> widths([(0, 1), (0,), (1, 2), (2,)])
    [2, 1, 1, 0]
    """
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    for k, sets in enumerate(incidence):
        for s in sets:
            first.setdefault(s, k)
            last[s] = k
    change = [0] * (len(incidence) + 1)
    for s, k in first.items():
        change[k] += 1
        change[last[s]] -= 1
    return list(accumulate(change[:-1]))


def predicted_work(incidence: Incidence) -> int:
    """Sum 2^width over all classes: an upper bound on the table entries.

    >>> predicted_work([(0, 1), (0,), (1, 2), (2,)])
    9
    """
    return sum(1 << width for width in widths(incidence))


def given(incidence: Incidence) -> list[int]:
    """Keep the order of first members."""
    return list(range(len(incidence)))


def greedy(incidence: Incidence) -> list[int]:
    """Finish open sets first: next a class of the open set with fewest classes left.

    Among these, the class that opens fewest further sets; ties go to the first.
    Running time: O(total size of all sets x classes of a set) at worst.
    """
    members = _members(incidence)
    left = {s: len(classes) for s, classes in members.items()}
    done = [False] * len(incidence)
    now_open: set[int] = set()
    order: list[int] = []
    fresh = 0
    while len(order) < len(incidence):
        if now_open:
            s = min(now_open, key=lambda one: (left[one], one))
            k = min(
                (k for k in members[s] if not done[k]),
                key=lambda k: (sum(x not in now_open for x in incidence[k]), k),
            )
        else:
            while done[fresh]:
                fresh += 1
            k = fresh
        order.append(k)
        done[k] = True
        for s in incidence[k]:
            left[s] -= 1
            if left[s]:
                now_open.add(s)
            else:
                now_open.discard(s)
    return order


ORDERS: Mapping[str, Callable[[Incidence], list[int]]] = MappingProxyType(
    {"given": given, "greedy": greedy}
)
"""Orders of classes."""


def choose_order(incidence: Incidence, order: str = "auto") -> tuple[str, list[int]]:
    """Return the order of least predicted work, or the requested one, and its name.

    Ties go to the first.
    """
    names = ORDERS if order == "auto" else (order,)
    found = {name: ORDERS[name](incidence) for name in names}
    best = min(found, key=lambda x: predicted_work([incidence[k] for k in found[x]]))
    return best, found[best]


def _members(incidence: Incidence) -> dict[int, list[int]]:
    members: dict[int, list[int]] = {}
    for k, sets in enumerate(incidence):
        for s in sets:
            members.setdefault(s, []).append(k)
    return members
