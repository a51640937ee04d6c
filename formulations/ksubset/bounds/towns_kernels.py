"""The searches for optimal towns, in machine code; see ``towns`` and the like."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ....solvers.running.kernels import kernel

Ints = npt.NDArray[np.int64]


@kernel
def _pos(i: int) -> int:
    return (i + 1) // 2 if i % 2 else -(i // 2)


@kernel
def _insert(ascending: Ints, length: int, value: int) -> None:
    at = length
    while at and ascending[at - 1] > value:
        ascending[at] = ascending[at - 1]
        at -= 1
    ascending[at] = value


@kernel
def cheapest_sums(x: Ints, columns: int, field: Ints, rows: int, r: int) -> int:
    """Sum the r least of x[i] + field[j]; both ascending, and there are r of them.

    The r-th least is found by bisection; a threshold is counted in one walk along the
    staircase. O((columns + rows) log(greatest sum)).
    """
    low, high = x[0] + field[0], x[columns - 1] + field[rows - 1]
    while low < high:
        middle = (low + high) // 2
        count, j = 0, rows
        for i in range(columns):
            while j and x[i] + field[j - 1] > middle:
                j -= 1
            if not j:
                break
            count += j
        if count >= r:
            high = middle
        else:
            low = middle + 1
    behind = np.int64(0)
    for j in range(rows):
        behind += field[j]
    count, total, j = 0, np.int64(0), rows
    for i in range(columns):
        while j and x[i] + field[j - 1] >= low:
            j -= 1
            behind -= field[j]
        if not j:
            break
        count += j
        total += behind + j * x[i]
    least: int = total + (r - count) * low
    return least


@kernel
def search_plane(
    k: int, known: Ints, best: int, shape: Ints, firsts: Ints
) -> tuple[int, int]:
    """Find the least pair sum of k points, below ``best`` if there is one.

    Parameters
    ----------
    known
        The same of fewer points, by their number.
    best, shape
        Pair sum of a town and its columns, then 0; a better one is written there.
    firsts
        Lengths of the longest column, in the order in which they are tried.

    Returns
    -------
    tuple of int
        The least pair sum, and the number of nodes searched.
    """
    own = np.zeros((k + 1, k + 1), dtype=np.int64)
    inner = np.zeros(k + 1, dtype=np.int64)
    for a in range(1, k + 1):
        for i in range(a):
            for j in range(a):
                own[a, i] += abs(_pos(i) - _pos(j))
            inner[a] += own[a, i]
        inner[a] //= 2
    column = np.zeros(k + 2, dtype=np.int64)
    paid = np.zeros(k + 2, dtype=np.int64)
    laid = np.zeros(k + 2, dtype=np.int64)
    near = np.zeros(k + 2, dtype=np.int64)
    least = np.zeros(k + 2, dtype=np.int64)
    field = np.zeros((k + 2, k + 1), dtype=np.int64)
    total = np.zeros((k + 2, k + 2), dtype=np.int64)
    ordered = np.zeros(k + 1, dtype=np.int64)
    x = np.zeros(k + 1, dtype=np.int64)
    nodes = 0
    for first in firsts:
        column[0] = first
        paid[1] = inner[first]
        laid[1] = first
        field[1, :first] = own[first, :first]
        depth = 1
        entered = True
        while depth:
            if entered:
                nodes += 1
                left = k - laid[depth]
                open_ = False
                if left == 0:
                    if paid[depth] < best:
                        best = paid[depth]
                        shape[:] = 0
                        shape[:depth] = column[:depth]
                else:
                    last = column[depth - 1]
                    further = column[0] - depth
                    if left <= further * last:
                        here, beyond = np.int64(0), np.int64(0)
                        for i in range(depth):
                            here += column[i] * abs(_pos(depth) - _pos(i))
                            beyond += column[i] * abs(_pos(depth + 1) - _pos(i))
                        near[depth] = here
                        # the fields' rows and the columns' ways, ascending
                        for j in range(last):
                            _insert(ordered, j, field[depth, j])
                        one, other = here, beyond
                        for i in range(further):
                            _insert(x, i, one)
                            one, other = other, one + laid[depth]
                        uneven = min(last, left)
                        uneven -= (left - uneven) % 2
                        across = (left + uneven) // 2 * ((left - uneven) // 2)
                        bound = paid[depth] + known[left] + depth * across
                        if bound + left * (x[0] + ordered[0]) < best:
                            bound += cheapest_sums(x, further, ordered, last, left)
                            open_ = bound < best
                        if open_:
                            least[depth] = -(-left // further)
                            for j in range(last):
                                total[depth, j + 1] = total[depth, j] + field[depth, j]
                            column[depth] = min(last, left) + 1
                if not open_:
                    depth -= 1
                entered = False
                continue
            # the next shorter column at this depth, if there is one
            column[depth] -= 1
            a = column[depth]
            if a < least[depth]:
                depth -= 1
                continue
            paid[depth + 1] = paid[depth] + a * near[depth] + total[depth, a] + inner[a]
            laid[depth + 1] = laid[depth] + a
            for j in range(a):
                field[depth + 1, j] = field[depth, j] + own[a, j]
            depth += 1
            entered = True
    return best, nodes


@kernel
def _ways(counts: Ints, length: int, ways: Ints, upto: int) -> None:
    """Write the distance sums from pos(0), pos(1), … to points counted at them."""
    for i in range(upto):
        ways[i] = 0
        for c in range(length):
            ways[i] += counts[c] * abs(_pos(i) - _pos(c))


@kernel
def search_space(k: int, known: Ints, best: int, shape: Ints) -> tuple[int, int]:
    """Find the least pair sum of k points in space, below ``best`` if there is one.

    As `search_plane`; the shape has the heights of the columns by layer and place.
    Layers are placed from the middle outwards. By symmetry there are at most as many as
    the first has rows or columns.
    """
    column = np.zeros((k + 2, k + 2), dtype=np.int64)
    width = np.zeros(k + 2, dtype=np.int64)
    size = np.zeros(k + 2, dtype=np.int64)
    paid = np.zeros(k + 2, dtype=np.int64)
    laid = np.zeros(k + 2, dtype=np.int64)
    near = np.zeros(k + 2, dtype=np.int64)
    field = np.zeros((k + 2, k + 1, k + 1), dtype=np.int64)
    rows = np.zeros(k + 2, dtype=np.int64)
    xs = np.zeros(k + 2, dtype=np.int64)
    ys = np.zeros(k + 2, dtype=np.int64)
    ordered = np.zeros(k + 2, dtype=np.int64)
    x = np.zeros(k + 2, dtype=np.int64)
    nodes = 0
    h = 0  # the layer that is being changed; those before it are laid
    while True:
        # the next diagram inside the layer before: grow, or else shrink
        w = width[h]
        left = k - laid[h]
        room = left - size[h]
        tallest = min(room, column[h, w - 1]) if w else room
        if h:
            tallest = min(tallest, column[h - 1, w] if w < width[h - 1] else 0)
        elif w and w >= column[0, 0]:  # no more columns than the first is long
            tallest = 0
        if tallest > 0:
            column[h, w] = tallest
            width[h] += 1
            size[h] += tallest
        else:
            while width[h]:
                w = width[h] - 1
                column[h, w] -= 1
                size[h] -= 1
                if column[h, w]:
                    break
                width[h] -= 1
            if not width[h]:
                if not h:
                    return best, nodes
                h -= 1
                continue
        further = min(width[0], column[0, 0]) - h
        if left > further * size[h]:
            continue
        nodes += 1
        # what this layer costs
        wide, high = width[h], column[h, 0]
        for j in range(high):
            rows[j] = 0
        for i in range(wide):
            for j in range(column[h, i]):
                rows[j] += 1
        far = width[0] if h else wide
        tall = column[0, 0] if h else high
        _ways(column[h], wide, xs, far)
        _ways(rows, high, ys, tall)
        inside, touched = np.int64(0), np.int64(0)
        for i in range(wide):
            inside += column[h, i] * xs[i]
            for j in range(column[h, i]):
                touched += field[h, i, j]
        for j in range(high):
            inside += rows[j] * ys[j]
        cost = paid[h] + size[h] * near[h] + touched + inside // 2
        now = laid[h] + size[h]
        rest = k - now
        if rest == 0:
            if cost < best:
                best = cost
                shape[:, :] = 0
                for layer in range(h + 1):
                    for i in range(width[layer]):
                        shape[layer, i] = column[layer, i]
            continue
        height = h + 1
        more = further - 1
        if cost + known[rest] >= best or rest > more * size[h]:
            continue
        here, beyond = np.int64(0), np.int64(0)
        for layer in range(height):
            here += size[layer] * abs(_pos(height) - _pos(layer))
            beyond += size[layer] * abs(_pos(height + 1) - _pos(layer))
        cells = 0
        for i in range(wide):
            for j in range(column[h, i]):
                value = field[h, i, j] + xs[i] + ys[j]
                field[height, i, j] = value
                _insert(ordered, cells, value)
                cells += 1
        one, other = here, beyond
        for i in range(more):
            _insert(x, i, one)
            one, other = other, one + now
        uneven = min(size[h], rest)
        uneven -= (rest - uneven) % 2
        across = (rest + uneven) // 2 * ((rest - uneven) // 2)
        bound = cost + known[rest] + height * across
        if bound + rest * (x[0] + ordered[0]) >= best:
            continue
        if bound + cheapest_sums(x, more, ordered, cells, rest) >= best:
            continue
        paid[height] = cost
        laid[height] = now
        near[height] = here
        h = height
        width[h] = 0
        size[h] = 0
