"""Kernels of the local search over opened sets; see ``local_search``.

A selection takes classes as a whole, so that it may hold more than the request; what
matters is which sets it touches. ``hits`` counts the taken classes of every set.
Greedy choices compare costs as floats; whether a selection is better is decided by
its cost in words.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...solvers.running.kernels import kernel
from .layout import Layout

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


class Ground(NamedTuple):
    """What does not change during a search."""

    layout: Layout
    free: Ints  # (classes,) available processors of each
    value: Floats  # (sets,) cost of each, nearly
    shared: Ints  # sets with two available classes or more, in the order of pairs
    moves: Ints  # sets with any, in the order of moves
    request: int
    pairs: bool  # whether pairs of sets are closed


AT, SINCE, TRIED, WORK = 0, 1, 2, 3
"""In the state of a descent: the next move, moves since the last improvement, moves
tried in all, and work of this call."""


@kernel
def _toggle(layout: Layout, taken: Flags, hits: Ints, c: int) -> None:
    """Take a class, or give it back."""
    taken[c] = not taken[c]
    step = 1 if taken[c] else -1
    for i in range(layout.class_first[c], layout.class_first[c + 1]):
        hits[layout.class_set[i]] += step


@kernel
def price_of(layout: Layout, hits: Ints, price: Ints) -> None:
    """Add up what a selection costs, in words."""
    price[:] = 0
    for k in range(len(hits)):
        if hits[k] > 0:
            for w in range(len(price)):
                price[w] += layout.price[k, w]


@kernel
def _less(a: Ints, b: Ints) -> bool:
    for w in range(len(a)):
        if a[w] != b[w]:
            return bool(a[w] < b[w])
    return False


@kernel
def _bundle(
    ground: Ground,
    taken: Flags,
    hits: Ints,
    banned: Flags,
    k: int,
    need: int,
    seen: Ints,
    stamp: int,
    out: Ints,
) -> tuple[int, int, float]:
    """Fill up to the need from one set, classes that add least for their size first.

    Returns how many classes are needed, their processors, and what they add.
    """
    layout, free, value = ground.layout, ground.free, ground.value
    first, stop = layout.set_first[k], layout.set_first[k + 1]
    keys = np.empty(stop - first, dtype=np.float64)
    found = 0
    for i in range(first, stop):
        c = layout.set_class[i]
        if free[c] == 0 or taken[c] or banned[c]:
            continue
        adds = 0.0
        for m in range(layout.class_first[c], layout.class_first[c + 1]):
            s = layout.class_set[m]
            if hits[s] == 0:
                adds += value[s]
        key = adds / min(free[c], need)
        at = found
        while at > 0 and keys[at - 1] > key:
            keys[at] = keys[at - 1]
            out[at] = out[at - 1]
            at -= 1
        keys[at] = key
        out[at] = c
        found += 1
    got = 0
    total = 0.0
    for i in range(found):
        if got >= need:
            return i, got, total
        c = out[i]
        got += free[c]
        for m in range(layout.class_first[c], layout.class_first[c + 1]):
            s = layout.class_set[m]
            if hits[s] == 0 and seen[s] != stamp:
                seen[s] = stamp
                total += value[s]
    return found, got, total


@kernel
def _refill(
    ground: Ground, taken: Flags, hits: Ints, banned: Flags, need: int, state: Ints
) -> int:
    """Take what is cheapest a processor, set by set; return what is still needed."""
    layout, free = ground.layout, ground.free
    out = np.empty(len(free), dtype=np.int64)
    seen = np.zeros(len(hits), dtype=np.int64)
    stamp = 0
    while need > 0:
        best, best_got, best_each = -1, 0, np.inf
        for k in ground.moves:
            stamp += 1
            used, got, adds = _bundle(
                ground, taken, hits, banned, k, need, seen, stamp, out
            )
            state[WORK] += 8 + layout.set_first[k + 1] - layout.set_first[k]
            if used == 0:
                continue
            got = min(got, need)
            each = adds / got
            if each < best_each or (each == best_each and got > best_got):
                best, best_got, best_each = k, got, each
        if best < 0:
            break
        stamp += 1
        used, got, adds = _bundle(
            ground, taken, hits, banned, best, need, seen, stamp, out
        )
        for i in range(used):
            _toggle(layout, taken, hits, out[i])
        need -= got
    return need


@kernel
def _peel(ground: Ground, taken: Flags, hits: Ints, excess: int, state: Ints) -> None:
    """Give back what is not needed, set by set, while that saves anything."""
    layout, free, value = ground.layout, ground.free, ground.value
    while excess > 0:
        best, best_weight, best_saves = -1, 0, 0.0
        for k in ground.moves:
            if hits[k] == 0:
                continue
            state[WORK] += 8
            weight = 0
            for i in range(layout.set_first[k], layout.set_first[k + 1]):
                c = layout.set_class[i]
                if taken[c]:
                    weight += free[c]
            if weight > excess:
                continue
            saves = 0.0
            for step in (-1, 1):
                for i in range(layout.set_first[k], layout.set_first[k + 1]):
                    c = layout.set_class[i]
                    if not taken[c]:
                        continue
                    for m in range(layout.class_first[c], layout.class_first[c + 1]):
                        s = layout.class_set[m]
                        hits[s] += step
                        if step < 0 and hits[s] == 0:
                            saves += value[s]
                    state[WORK] += 8
            if saves > best_saves or (saves == best_saves and weight < best_weight):
                best, best_weight, best_saves = k, weight, saves
        if best < 0:
            return
        for i in range(layout.set_first[best], layout.set_first[best + 1]):
            c = layout.set_class[i]
            if taken[c]:
                _toggle(layout, taken, hits, c)
        excess -= best_weight


@kernel
def _close(ground: Ground, taken: Flags, hits: Ints, banned: Flags, k: int) -> int:
    """Close a set: give back its classes and ban them; return their processors."""
    layout = ground.layout
    freed = 0
    for i in range(layout.set_first[k], layout.set_first[k + 1]):
        c = layout.set_class[i]
        banned[c] = True
        if taken[c]:
            freed += ground.free[c]
            _toggle(layout, taken, hits, c)
    return freed


@kernel
def _total(ground: Ground, taken: Flags) -> int:
    total = 0
    for c in range(len(taken)):
        if taken[c]:
            total += ground.free[c]
    return total


@kernel
def _open(ground: Ground, taken: Flags, hits: Ints, k: int) -> None:
    """Take every available class of a set."""
    layout = ground.layout
    for i in range(layout.set_first[k], layout.set_first[k + 1]):
        c = layout.set_class[i]
        if ground.free[c] > 0 and not taken[c]:
            _toggle(layout, taken, hits, c)


@kernel
def close_some(
    ground: Ground, taken: Flags, hits: Ints, closed: Ints, state: Ints
) -> bool:
    """Close these sets, refill and peel; say whether there was enough left."""
    banned = np.zeros(len(taken), dtype=np.bool_)
    for k in closed:
        _close(ground, taken, hits, banned, k)
    total = _total(ground, taken)
    if _refill(ground, taken, hits, banned, ground.request - total, state) > 0:
        return False
    _peel(ground, taken, hits, _total(ground, taken) - ground.request, state)
    return True


@kernel
def descend(
    ground: Ground,
    taken: Flags,
    hits: Ints,
    price: Ints,
    state: Ints,
    most: int,
    budget: int,
) -> bool:
    """Make the first move that improves, again and again; see ``local_search``.

    The selection (``taken``, ``hits`` and ``price``) is always the best of this
    descent. Comes back after ``most`` moves tried in all (-1 for any number; see `AT`),
    and after so much work. Returns whether no move improves.
    """
    moves, shared = ground.moves, ground.shared
    pairs = len(shared) * len(shared) if ground.pairs else 0
    every = 2 * len(moves) + pairs
    trial = np.empty_like(taken)
    touched = np.empty_like(hits)
    cost = np.empty_like(price)
    one = np.empty(1, dtype=np.int64)
    two = np.empty(2, dtype=np.int64)
    state[WORK] = 0
    while state[SINCE] < every:
        if state[WORK] >= budget or state[TRIED] == most:
            return False
        at = state[AT]
        state[AT] = (at + 1) % every
        state[SINCE] += 1
        state[WORK] += 1
        valid = False
        if at < len(moves):
            one[0] = moves[at]
            if hits[one[0]] == 0:
                continue
            trial[:], touched[:] = taken, hits
            valid = close_some(ground, trial, touched, one, state)
        elif at < 2 * len(moves):
            trial[:], touched[:] = taken, hits
            _open(ground, trial, touched, moves[at - len(moves)])
            excess = _total(ground, trial) - ground.request
            _peel(ground, trial, touched, excess, state)
            valid = True
        else:
            i, j = divmod(at - 2 * len(moves), len(shared))
            two[0], two[1] = shared[i], shared[j]
            if i >= j or hits[two[0]] == 0 or hits[two[1]] == 0:
                continue
            trial[:], touched[:] = taken, hits
            valid = close_some(ground, trial, touched, two, state)
        state[TRIED] += 1
        if valid:
            price_of(ground.layout, touched, cost)
            if _less(cost, price):
                taken[:] = trial
                hits[:] = touched
                price[:] = cost
                state[SINCE] = 0
    return True
