"""Kernels of reaching; see ``reaching``.

Unions of processor sets are unions of classes. Row j of the tables has the best
union of j available processors, as bits over classes, with its price.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...solvers.running.kernels import kernel
from .layout import Layout

Ints = npt.NDArray[np.int64]
Bits = npt.NDArray[np.uint64]
Flags = npt.NDArray[np.bool_]

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
    """Toss a coin: the top bit of a linear congruential generator.

    Without signs: machine code takes for granted that signed integers do not overflow.
    """
    word = np.uint64(state[COIN]) * np.uint64(6364136223846793005)
    word += np.uint64(1442695040888963407)
    state[COIN] = np.int64(word)
    return bool(word >> np.uint64(63))


@kernel
def _compare(a: Ints, b: Ints) -> int:
    for w in range(len(a)):
        if a[w] != b[w]:
            return 1 if a[w] > b[w] else -1
    return 0


@kernel
def _better(
    bits: Bits,
    price: Ints,
    held: bool,
    new: Bits,
    worth: Ints,
    nothing: bool,
    state: Ints,
) -> bool:
    """Whether a union takes the place of the one that its row holds, if any.

    With ``nothing`` an empty row holds a union of price 0 that ties as any other does.
    """
    if not held:
        return bool(not nothing or np.any(worth) or _heads(state))
    order = _compare(worth, price)
    if order == 0:
        return bool(not np.all(bits == new) and _heads(state))
    return bool(order > 0)


@kernel
def reach(
    layout: Layout,
    count: Ints,
    full: Ints,
    weight: Ints,
    covers: bool,
    bits: Bits,
    price: Ints,
    held: Flags,
    begin: int,
    state: Ints,
    budget: int,
) -> int:
    """Fill rows from those before; return the row to go on with.

    The tables are (rows, bit words), (rows, words) and (rows,); rows are numbered by
    size, 0 to |Pa| - r.

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
    new = np.empty(bits.shape[1], dtype=np.uint64)
    worth = np.empty(deep, dtype=np.int64)
    state[WORK] = 0
    row = begin
    while row < rows - 1 and state[WORK] < budget:
        if row >= 0 and not held[row]:
            row += 1
            continue
        inside[:] = 0
        left[:] = weight
        if row >= 0:
            for c in range(len(count)):
                if bits[row, c >> 6] >> np.uint64(c & 63) & np.uint64(1):
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
                new[:] = bits[row]
                worth[:] = price[row]
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
            if _better(
                bits[size], price[size], held[size], new, worth, not covers, state
            ):
                bits[size] = new
                price[size] = worth
                held[size] = True
            for m in range(set_first[k], set_first[k + 1]):
                c = set_class[m]
                bit = np.uint64(1) << np.uint64(c & 63)
                if count[c] > 0 and (row < 0 or not bits[row, c >> 6] & bit):
                    for i in range(class_first[c], class_first[c + 1]):
                        inside[class_set[i]] -= 1
        state[WORK] += sets
        row += 1
        if row == 0:
            row = 1
    return row
