"""Kernels of reaching; see ``reaching``.

Unions of processor sets are unions of classes. Row j of the tables has the best
unions of j available processors, as bits over classes, with their prices.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...solvers.running.kernels import kernel
from .layout import Layout

Ints = npt.NDArray[np.int64]
Bits = npt.NDArray[np.uint64]

COIN = 0
"""Where the state of the random coin lies in ``state``."""
WORK = 1
"""Where the work of a run is counted in ``state``."""


@kernel
def present_of(layout: Layout, count: Ints, full: Ints, weight: Ints) -> None:
    """Count the available classes and processors of every set."""
    for k in range(len(full)):
        full[k] = 0
        weight[k] = 0
        for i in range(layout.set_first[k], layout.set_first[k + 1]):
            amount = count[layout.set_class[i]]
            weight[k] += amount
            full[k] += amount > 0


@kernel
def _heads(state: Ints) -> bool:
    """Toss a coin: the top bit of a linear congruential generator."""
    state[COIN] = state[COIN] * 6364136223846793005 + 1442695040888963407
    return bool(state[COIN] < 0)


@kernel
def _compare(a: Ints, b: Ints) -> int:
    for w in range(len(a)):
        if a[w] != b[w]:
            return 1 if a[w] > b[w] else -1
    return 0


@kernel
def _offer(
    bits: Bits,
    price: Ints,
    held: Ints,
    new: Bits,
    worth: Ints,
    nothing: bool,
    state: Ints,
) -> None:
    """Enter a union into its row, if it is dear enough; the row is sorted.

    The row has unions (beam, bit words), prices (beam, words), and how many it holds
    (1,). With ``nothing`` an empty place is a union of price 0 that ties as any other
    does.
    """
    beam = len(bits)
    for b in range(held[0]):
        if _compare(price[b], worth) == 0 and np.all(bits[b] == new):
            return
    if held[0] == beam:
        order = _compare(worth, price[beam - 1])
        if order < 0 or (order == 0 and not _heads(state)):
            return
    else:
        if nothing and not np.any(worth) and not _heads(state):
            return
        held[0] += 1
    at = held[0] - 1
    while at > 0 and _compare(worth, price[at - 1]) > 0:
        bits[at] = bits[at - 1]
        price[at] = price[at - 1]
        at -= 1
    bits[at] = new
    price[at] = worth


@kernel
def reach(
    layout: Layout,
    count: Ints,
    full: Ints,
    weight: Ints,
    covers: bool,
    bits: Bits,
    price: Ints,
    held: Ints,
    begin: int,
    state: Ints,
    budget: int,
) -> int:
    """Fill rows from those before; return the row to go on with.

    The tables are (rows, beam, bit words), (rows, beam, words) and (rows,); rows are
    numbered by size, 0 to |Pa| - r.

    Parameters
    ----------
    count
        Available processors of each class, shape (classes,).
    full, weight
        Available classes and processors of each set: see `present_of`.
    covers
        Whether a union is priced by the sets that it covers, or by those it touches.
    begin
        The row to go on with; -1 to start with the sets themselves.
    state, budget
        See `COIN` and `WORK`; the work after which to come back.
    """
    set_first, set_class = layout.set_first, layout.set_class
    class_first, class_set = layout.class_first, layout.class_set
    cost = layout.price
    rows, sets, deep = len(held), len(full), cost.shape[1]
    inside = np.zeros(sets, dtype=np.int64)  # classes of each set in the union
    left = np.empty(sets, dtype=np.int64)  # available processors of each set, outside
    new = np.empty(bits.shape[2], dtype=np.uint64)
    worth = np.empty(deep, dtype=np.int64)
    state[WORK] = 0
    row = begin
    while row < rows - 1 and state[WORK] < budget:
        for b in range(1 if row < 0 else held[row]):
            inside[:] = 0
            left[:] = weight
            if row >= 0:
                for c in range(len(count)):
                    if bits[row, b, c >> 6] >> np.uint64(c & 63) & np.uint64(1):
                        for i in range(class_first[c], class_first[c + 1]):
                            inside[class_set[i]] += 1
                            left[class_set[i]] -= count[c]
            for k in range(sets):
                size = max(row, 0) + left[k]
                if left[k] == 0 or size >= rows:
                    continue
                if row < 0:
                    new[:] = 0
                    worth[:] = 0
                else:
                    new[:] = bits[row, b]
                    worth[:] = price[row, b]
                state[WORK] += len(new)
                for m in range(set_first[k], set_first[k + 1]):
                    c = set_class[m]
                    bit = np.uint64(1) << np.uint64(c & 63)
                    if count[c] == 0 or new[c >> 6] & bit:
                        continue
                    new[c >> 6] |= bit
                    for i in range(class_first[c], class_first[c + 1]):
                        s = class_set[i]
                        inside[s] += 1
                        if inside[s] == (full[s] if covers else 1):
                            for w in range(deep):
                                worth[w] += cost[s, w]
                    state[WORK] += class_first[c + 1] - class_first[c]
                _offer(
                    bits[size],
                    price[size],
                    held[size : size + 1],
                    new,
                    worth,
                    not covers,
                    state,
                )
                for m in range(set_first[k], set_first[k + 1]):
                    c = set_class[m]
                    bit = np.uint64(1) << np.uint64(c & 63)
                    if count[c] > 0 and (row < 0 or not bits[row, b, c >> 6] & bit):
                        for i in range(class_first[c], class_first[c + 1]):
                            inside[class_set[i]] -= 1
            state[WORK] += sets
        row += 1
        if row == 0:
            row = 1
    return row
