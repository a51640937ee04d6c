"""Kernels of the bitmap; see ``bitmap``.

A row is a line of 64-bit words, a bit for each processor, 1 if it is free. On a torus
every row is written twice, one after the other, so that boxes need not wrap.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...instances import IntArray as Ints
from ...solvers.running.kernels import kernel

Words = npt.NDArray[np.uint64]

ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
ZERO = np.uint64(0)
ONE = np.uint64(1)
WIDE = np.uint64(64)


@kernel
def _write(row: Words, low: int, high: int, free: bool) -> None:
    """Write the bits from low to high."""
    for w in range(low >> 6, (high >> 6) + 1):
        mask = ALL
        if w == low >> 6:
            mask &= ALL << np.uint64(low & 63)
        if w == high >> 6:
            mask &= ALL >> np.uint64(63 - (high & 63))
        if free:
            row[w] |= mask
        else:
            row[w] &= ~mask


@kernel
def mark(bits: Words, shape: Ints, box: Ints, torus: bool, free: bool) -> int:
    """Write the bits of a box; returns the number of words written."""
    mx, my, mz = shape[0], shape[1], shape[2]
    low, high = box[0], box[3]
    for z in range(box[2], box[5] + 1):
        for y in range(box[1], box[4] + 1):
            row = bits[z % mz, y % my]
            if not torus:
                _write(row, low, high, free)
            elif high < mx:
                _write(row, low, high, free)
                _write(row, low + mx, high + mx, free)
            else:
                _write(row, 0, high - mx, free)
                _write(row, low, high, free)
                _write(row, low + mx, 2 * mx - 1, free)
    words: int = (high >> 6) - (low >> 6) + 1
    words *= (box[4] - box[1] + 1) * (box[5] - box[2] + 1)
    return words


@kernel
def _shrink(row: Words, x: int) -> bool:
    """Leave the bits at which x free ones begin; returns whether there is any.

    With bits at which n free ones begin, an and with the row n places (or fewer)
    further on has those of up to 2n: as often as 2 goes into x.
    """
    count = len(row)
    have = 1
    alive = False
    for w in range(count):
        alive |= row[w] != ZERO
    while alive and have < x:
        by = min(have, x - have)
        words, rest = by >> 6, np.uint64(by & 63)
        alive = False
        for w in range(count):
            near = row[w + words] if w + words < count else ZERO
            if rest != ZERO:
                near >>= rest
                if w + words + 1 < count:
                    near |= row[w + words + 1] << (WIDE - rest)
            row[w] &= near
            alive |= row[w] != ZERO
        have += by
    return alive


@kernel
def _first(row: Words) -> int:
    """Return the lowest bit of a row that has one."""
    w = 0
    while row[w] == ZERO:
        w += 1
    low, bit = row[w], 0
    while low & ONE == ZERO:
        low >>= ONE
        bit += 1
    return 64 * w + bit


@kernel
def _search_layer(
    bits: Words, my: int, x: int, y: int, wrap: bool, after: Words, upto: Words
) -> tuple[int, int, int]:
    """Find y rows that have x free processors in common; see `search`.

    Blocks of y rows: a window is the end of one block, whose ands are made from its
    last row back, and the beginning of the next, whose ands grow as it goes on. A
    window with no bit that the one before had not is as hopeless as that was.
    """
    words = bits.shape[1]
    upto[2] = ZERO
    windows = my if wrap else my - y + 1
    steps = 0
    for j in range(windows):
        if j % y == 0:
            after[(y - 1) % y] = bits[(j + y - 1) % my]
            for r in range(y - 2, -1, -1):
                for w in range(words):
                    after[r, w] = after[r + 1, w] & bits[(j + r) % my, w]
            steps += y * words
            for w in range(words):
                upto[0, w] = after[0, w]
        else:
            r = j % y
            last = (j + y - 1) % my
            for w in range(words):
                if r == 1:
                    upto[1, w] = bits[last, w]
                else:
                    upto[1, w] &= bits[last, w]
                upto[0, w] = after[r, w] & upto[1, w]
            steps += words
        fresh = ZERO
        for w in range(words):
            fresh |= upto[0, w] & ~upto[2, w]
            upto[2, w] = upto[0, w]
        if fresh != ZERO and _shrink(upto[0], x):
            return _first(upto[0]), j, steps
    return -1, -1, steps


@kernel
def search(
    bits: Words, shape: Ints, size: Ints, torus: bool, after: Words, upto: Words
) -> tuple[int, int, int, int]:
    """Find the first free box: by layers, then rows, then columns.

    ``bits`` go by layer, row and word; ``after`` has room for as many rows as the mesh
    has, and ``upto`` for three. Returns its lowest corner, -1 if there is none, and the
    words read.
    """
    my, mz = shape[1], shape[2]
    x, y, z = size[0], size[1], size[2]
    if mz == 1:
        i, j, steps = _search_layer(bits[0], my, x, y, torus, after, upto)
        return i, j, 0, steps
    steps = 0
    layer = np.empty_like(bits[0])
    for k in range(mz if torus else mz - z + 1):
        layer[:] = bits[k]
        for more in range(1, z):
            layer &= bits[(k + more) % mz]
        steps += z * layer.size
        i, j, seen = _search_layer(layer, my, x, y, torus, after, upto)
        steps += seen
        if i >= 0:
            return i, j, k, steps
    return -1, -1, -1, steps
