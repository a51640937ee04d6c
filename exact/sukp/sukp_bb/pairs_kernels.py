"""Kernel of the bound by pairs; see ``sukp_root``."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ....solvers.running.kernels import kernel

Ints = npt.NDArray[np.int64]

BITS = 16
"""Fractional bits of the multiplier, and of what is returned."""
_MOST_MULTIPLIED = 2**60
_MOST_SHIFTED = 2**42
"""What all pairs together may be shifted by: keeps sums far from 2^63."""
_TRIALS = 24
"""Multipliers tried for the first bound; later they change by little."""


@kernel
def others(matrix: Ints, e: int, row: Ints) -> None:
    """Write the entries of a row off the diagonal, in ascending order."""
    row[:e] = matrix[e, :e]
    row[e:] = matrix[e, e + 1 :]
    row.sort()


@kernel
def least_of(
    k: int, cost: Ints, mass: Ints, multiplier: int, wanted: int, key: Ints
) -> tuple[int, int, Ints]:
    """Return the bound with a multiplier, its slope, and the elements in order."""
    for e in range(len(cost)):
        key[e] = (cost[e] << BITS) - multiplier * mass[e]
    order = np.argsort(key, kind="mergesort")
    value = multiplier * wanted
    slope = wanted
    for i in range(k):
        value += key[order[i]]
        slope -= mass[order[i]]
    return value, slope, order


@kernel
def plain(
    own: Ints, pair: Ints, mass: Ints, wanted: int, fewest: int, most: int
) -> Ints:
    """Bound the loss for each number of elements at once, nothing moved.

    As ``by_pairs`` for every k from ``fewest`` to ``most``.
    """
    m = len(own)
    largest = np.zeros((m, m), dtype=np.int64)  # e, i: of its i largest, their sum
    row = np.empty(m - 1, dtype=np.int64)
    for e in range(m):
        others(pair, e, row)
        for i in range(1, m):
            largest[e, i] = largest[e, i - 1] + row[m - 1 - i]
    cost = np.empty(m, dtype=np.int64)
    key = np.empty(m, dtype=np.int64)
    bounds = np.empty(most - fewest + 1, dtype=np.int64)
    for k in range(fewest, most + 1):
        for e in range(m):
            often = largest[e, k - 1]
            c = 1 + (often // own[e] if own[e] > 0 else 0)
            cost[e] = 2 * own[e] // (c + 1) + (-often) // (c * (c + 1))
        low, high = 0, _MOST_MULTIPLIED // max(1, mass.sum())
        value_best = -(2**62)
        while low <= high:
            middle = low + (high - low) // 2
            value, slope, _ = least_of(k, cost, mass, middle, wanted, key)
            value_best = max(value_best, value)
            if slope > 0:
                low = middle + 1
            elif slope < 0:
                high = middle - 1
            else:
                break
        bounds[k - fewest] = value_best
    return bounds


# Over 120 lines: its parts share most local variables, which a split would pass on.
@kernel
def by_pairs(
    own: Ints,
    pair: Ints,
    mass: Ints,
    wanted: int,
    k: int,
    steps: int,
    target: int,
) -> int:
    """Bound the loss of all R of k elements whose mass is at least as wanted.

    An item hit h times counts 1 >= h (2 / (c + 1)) - h (h - 1) / (c (c + 1)),
    whatever c >= 1; with one c for each element and item, and c the same for all
    items of an element e, the loss of R is at least

        sum over e in R of (2 own_e / (c_e + 1) - sum over f in R of V_ef),
        V_ef = pair_ef / (c_e (c_e + 1)),

    and stays so when something is moved from V_ef to V_fe. Of each row the k - 1
    largest are taken.

    Parameters
    ----------
    own, pair
        Profit of the items with an element; with both elements, symmetric.
    mass, wanted
        Of the elements, and of R at least.
    steps
        Of the ascent that moves things between V_ef and V_fe; 0 for none.
    target
        The ascent ends when the bound, returned in units of 2^-16, passes this.
    """
    m = len(own)
    base = np.empty(m, dtype=np.int64)
    shared = np.zeros((m, m), dtype=np.int64)
    row = np.empty(m - 1, dtype=np.int64)
    for e in range(m):
        others(pair, e, row)
        most = 0
        for i in range(m - k, m - 1):
            most += row[i]
        c = 1 + (most // own[e] if own[e] > 0 else 0)
        base[e] = 2 * own[e] // (c + 1)
        for f in range(m):
            if f != e:  # rounded up
                shared[e, f] = -((-pair[e, f]) // (c * (c + 1)))
    cap = max(1, _MOST_SHIFTED // (m * m))
    highest = _MOST_MULTIPLIED // max(1, mass.sum())
    multiplier = 0
    cost = np.empty(m, dtype=np.int64)
    key = np.empty(m, dtype=np.int64)
    cut = np.zeros(m, dtype=np.int64)
    inside = np.zeros((m, m), dtype=np.bool_)
    taken = np.zeros(m, dtype=np.bool_)
    best = -(2**62)
    goal = target << BITS
    damping = 1
    stalled = 0
    for step in range(steps + 1):
        for e in range(m):
            cost[e] = base[e]
            if k > 1:
                others(shared, e, row)
                for i in range(m - k, m - 1):
                    cost[e] -= row[i]
                cut[e] = row[m - k]
        low, high = 0, highest  # the best multiplier is between
        trials = _TRIALS + 40 if step == 0 else _TRIALS
        if step > 0:
            low, high = multiplier - (multiplier >> 3), multiplier + (multiplier >> 3)
            high = min(high + 1, highest)
        value_here = -(2**62)
        for _ in range(trials):
            if low > high:
                break
            middle = low + (high - low) // 2
            value, slope, order = least_of(k, cost, mass, middle, wanted, key)
            if value > value_here:
                value_here = value
                multiplier = middle
                taken[:] = False
                taken[order[:k]] = True
            if slope > 0:
                low = middle + 1
            elif slope < 0:
                high = middle - 1
            else:
                break
        if value_here > best:
            best = value_here
            stalled = 0
        else:
            stalled += 1
            if stalled == 4:
                damping *= 2
                stalled = 0
        if best > goal or k == 1 or step == steps:
            break
        norm = 0
        for e in range(m):
            room = k - 1
            for f in range(m):
                inside[e, f] = f != e and shared[e, f] > cut[e]
                room -= inside[e, f]
            for f in range(m):
                if room > 0 and f != e and shared[e, f] == cut[e]:
                    inside[e, f] = True
                    room -= 1
        for e in range(m):
            for f in range(e):
                norm += (taken[e] and inside[e, f]) != (taken[f] and inside[f, e])
        if norm == 0:
            break
        move = max(((goal - value_here) >> BITS) // (norm * damping), 1)
        for e in range(m):
            for f in range(e):
                here = taken[e] and inside[e, f]
                if here == (taken[f] and inside[f, e]):
                    continue
                less, more = (e, f) if here else (f, e)
                by = min(move, shared[less, more] + cap, cap - shared[more, less])
                if by > 0:
                    shared[less, more] -= by
                    shared[more, less] += by
    return best
