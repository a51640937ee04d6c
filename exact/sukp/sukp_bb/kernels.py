"""Kernels of the branch and bound over excluded elements; see ``sukp_bb``.

A node excludes some elements (IN the set R that leaves), keeps some (OUT of it),
and has the others open. Items are *alive* until an element of theirs is excluded,
or until it is certain that one will be.

The bound shares every living item's profit out among its open elements. With b_e
what element e got, excluding R costs at least the sum of b_e over R, whatever the
shares; a multiplier prices the weight R must have. All numbers are int64: shares
are scaled profits that never sum to more than the profit, the multiplier is any
integer, so every bound holds exactly, however the ascent comes by it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....solvers.kernels import kernel

Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
Bytes = npt.NDArray[np.int8]

OPEN, IN, OUT = 0, 1, 2
"""An element is undecided, excluded (in R), kept (out of R)."""
MULTIPLIER_BITS = 16
"""Fractional bits of the multiplier."""
MOST_MULTIPLIED = 2**60
"""Multiplier times all weight stays below this."""
FAR = 2**62
_PATIENCE = 6
"""Steps without success after which the ascent halves its steps."""
_MOST_DAMPED = 12
_MORE_STEPS = 2
"""Steps of the ascent, at least, after something has been decided."""


class Problem(NamedTuple):
    """One instance, elements in order of decreasing weight, as flat arrays."""

    profit: Ints
    """Of the items."""
    share: Ints
    """The same in the units of shares: times 2^shift, rounded down."""
    shift: int
    """May be negative, for large profits."""
    weight: Ints
    """Of the elements, decreasing."""
    mass: Ints
    """The same in the units of the multiplier: over 2^drop, rounded up."""
    drop: int
    item: Ints
    """Item j has the elements member[item[j] : item[j + 1]]."""
    member: Ints
    element: Ints
    """Element e is in the items among[element[e] : element[e + 1]]."""
    among: Ints
    bits: Words
    """The items of each element, 64 a word."""
    need: int
    """What R must weigh at least."""
    rank: npt.NDArray[np.float64]
    """Exponent part of the order of branching: a small power of weight."""


class Nodes(NamedTuple):
    """Open nodes on their way into or out of the kernel, a row each."""

    state: Bytes
    least: Ints
    """Bound on the cost."""
    multiplier: Ints
    shares: Ints
    """Of each item's profit, parallel to ``member``."""


@kernel
def scaled(cost: int, shift: int) -> int:
    """Return a cost in units of shares, rounded up."""
    if shift >= 0:
        return cost << shift
    return -((-cost) >> -shift)


@kernel
def unscaled(value: int, shift: int) -> int:
    """Return the least whole cost that a bound in finest units proves."""
    if shift >= 0:
        return -((-value) >> (shift + MULTIPLIER_BITS))
    return (value >> MULTIPLIER_BITS) << -shift


@kernel
def sort_by(order: Ints, count: int, key: Ints) -> None:
    """Sort by insertion: the order hardly changes from one step to the next."""
    for i in range(1, count):
        e = order[i]
        value = key[e]
        j = i
        while j > 0 and key[order[j - 1]] > value:
            order[j] = order[j - 1]
            j -= 1
        order[j] = e


@kernel
def select(order: Ints, key: Ints, fewest: int, most: int) -> tuple[int, int]:
    """Return the least sum of fewest to most of the sorted keys, and how many."""
    total = 0
    for i in range(fewest):
        total += key[order[i]]
    count = fewest
    while count < most and key[order[count]] < 0:
        total += key[order[count]]
        count += 1
    return total, count


@kernel
def edge_of(
    order: Ints, key: Ints, opens: int, took: int, fewest: int, most: int
) -> int:
    """Return what is to be taken off the sorted keys so that the signs select."""
    if took == fewest and key[order[took - 1]] > 0:
        return int(key[order[took - 1]])
    if took == most and took < opens and key[order[took]] < 0:
        return int(key[order[took]])
    return 0


@kernel
def probe(
    problem: Problem,
    multiplier: int,
    gap: int,
    opens: int,
    opened: Ints,
    key: Ints,
    heavy: Ints,
    edge: int,
    local: Ints,
    alive: npt.NDArray[np.bool_],
    begin: Ints,
    at: Ints,
    part: Ints,
    grant: Ints,
    pending: Ints,
    verdict: Bytes,
) -> int:
    """Keep every open element whose exclusion would pass the limit at once.

    With e in R its items are lost whole, and what they gave to the other elements
    is taken back: a bound below the node with e, without any ascent.

    Returns
    -------
    int
        Number of elements found, noted as pending.
    """
    share, element, among = problem.share, problem.element, problem.among
    waiting = 0
    for i in range(opens):
        e = opened[i]
        whole = 0
        for t in range(element[e], element[e + 1]):
            if alive[among[t]]:
                whole += share[among[t]]
        rise = (whole << MULTIPLIER_BITS) - multiplier * heavy[i] - edge
        rise -= min(0, key[i] - edge)
        if rise <= gap:
            continue
        for t in range(element[e], element[e + 1]):
            j = among[t]
            if alive[j]:
                for u in range(begin[local[j]], begin[local[j] + 1]):
                    grant[at[u]] += part[u]
        grant[i] = 0
        for a in range(opens):
            if grant[a] > 0:
                over = key[a] - edge
                rise -= min(0, over) - min(0, over - (grant[a] << MULTIPLIER_BITS))
                grant[a] = 0
        if rise > gap:
            pending[waiting] = e
            verdict[waiting] = OUT
            waiting += 1
    return waiting


@kernel
def search(
    problem: Problem,
    start: Nodes,
    row: int,
    best: int,
    picked: Bytes,
    budget: int,
    steps: int,
    first_steps: int,
    out: Nodes,
    fewest_all: int,
    most_all: int,
) -> tuple[int, int, int]:
    """Search below a node, depth first.

    Parameters
    ----------
    problem
        What to solve.
    start, row
        The node.
    best
        Cost of the best solution known; only cheaper ones are looked for.
    picked
        Receives the R of a cheaper one, 1 for each element of it.
    budget
        Nodes after which to stop.
    steps, first_steps
        Of the ascent at a node, and at the first.
    out
        Receives the nodes still open; its length limits the depth.
    fewest_all, most_all
        Numbers of elements of R that are looked for.

    Returns
    -------
    tuple of int
        Best cost, nodes searched, nodes still open.
    """
    profit, share, weight, mass = (
        problem.profit,
        problem.share,
        problem.weight,
        problem.mass,
    )
    item, member, element, among = (
        problem.item,
        problem.member,
        problem.element,
        problem.among,
    )
    bits, rank, shift, drop = problem.bits, problem.rank, problem.shift, problem.drop
    n, m = len(profit), len(weight)
    words = bits.shape[1]
    deepest = len(out.state) - 2

    state = np.zeros(m, dtype=np.int8)
    alive = np.ones(n, dtype=np.bool_)
    living = np.zeros(words, dtype=np.uint64)
    for j in range(n):
        living[j >> 6] |= np.uint64(1) << np.uint64(j & 63)
    worth = np.zeros(m, dtype=np.int64)  # profit of living items with the element
    for j in range(n):
        for t in range(item[j], item[j + 1]):
            worth[member[t]] += profit[j]
    shares = start.shares[row].copy()
    multiplier = start.multiplier[row]
    need, cost, lightest = problem.need, 0, -1

    trail = np.empty(m, dtype=np.int64)
    dead = np.empty(n, dtype=np.int64)
    decided = lost = 0
    pending = np.empty(2 * m + 2, dtype=np.int64)
    verdict = np.empty(2 * m + 2, dtype=np.int8)
    waiting = 0
    for e in range(m):
        if start.state[row, e] != OPEN:
            pending[waiting] = e
            verdict[waiting] = start.state[row, e]
            waiting += 1
    # of each level: what is branched on, whether its second half is due, marks
    branch = np.empty(deepest + 2, dtype=np.int64)
    second = np.zeros(deepest + 2, dtype=np.bool_)
    mark = np.zeros(deepest + 2, dtype=np.int64)
    mark_lost = np.zeros(deepest + 2, dtype=np.int64)
    least = np.zeros(deepest + 2, dtype=np.int64)
    kept_multiplier = np.zeros(deepest + 2, dtype=np.int64)
    kept_shares = out.shares
    least_here = start.least[row]

    opened = np.empty(m, dtype=np.int64)
    place = np.empty(m, dtype=np.int64)
    order = np.empty(m, dtype=np.int64)
    load = np.empty(m, dtype=np.int64)
    key = np.empty(m, dtype=np.int64)
    heavy = np.empty(m, dtype=np.int64)
    chosen = np.empty(m, dtype=np.bool_)
    begin = np.empty(n + 1, dtype=np.int64)
    local = np.empty(n, dtype=np.int64)
    grant = np.zeros(m, dtype=np.int64)
    at = np.empty(len(member), dtype=np.int64)
    edge = np.empty(len(member), dtype=np.int64)
    part = np.empty(len(member), dtype=np.int64)
    rest = np.empty(n, dtype=np.int64)

    total_mass = mass.sum()
    highest = MOST_MULTIPLIED // max(total_mass, 1)
    depth = nodes = 0
    while True:
        if nodes >= budget or depth >= deepest:
            # hand out what is open: the second halves, and the node at hand
            count = 0
            for d in range(depth):
                if second[d]:
                    continue
                for e in range(m):
                    out.state[count, e] = OPEN
                for i in range(mark[d + 1]):
                    out.state[count, trail[i]] = state[trail[i]]
                out.state[count, branch[d]] = OUT
                out.least[count] = least[d]
                out.multiplier[count] = kept_multiplier[d]
                # the rows move up in place: count never passes d
                out.shares[count] = kept_shares[d]
                count += 1
            for e in range(m):
                out.state[count, e] = state[e]
            for i in range(waiting):
                out.state[count, pending[i]] = verdict[i]
            out.least[count] = least_here
            out.multiplier[count] = multiplier
            out.shares[count] = shares
            return best, nodes, count + 1
        nodes += 1
        pruned = False
        left = first_steps if nodes == 1 else steps
        opens = 0
        while True:
            # -- carry out what has been decided
            while waiting > 0:
                waiting -= 1
                e = pending[waiting]
                if state[e] != OPEN:
                    if state[e] != verdict[waiting]:
                        pruned = True
                    continue
                state[e] = verdict[waiting]
                trail[decided] = e
                decided += 1
                if state[e] == IN:
                    need -= weight[e]
                    for t in range(element[e], element[e + 1]):
                        j = among[t]
                        if alive[j]:
                            alive[j] = False
                            living[j >> 6] &= ~(np.uint64(1) << np.uint64(j & 63))
                            dead[lost] = j
                            lost += 1
                            cost += profit[j]
                            for u in range(item[j], item[j + 1]):
                                worth[member[u]] -= profit[j]
            if pruned or cost >= best:
                pruned = True
                break
            if need <= 0:
                best = cost
                for e in range(m):
                    picked[e] = 1 if state[e] == IN else 0
                pruned = True
                break
            size = 0
            lightest = -1  # of R: the last, as weights decrease
            opens = 0
            for e in range(m):
                if state[e] == OPEN:
                    opened[opens] = e
                    place[e] = opens
                    opens += 1
                elif state[e] == IN:
                    lightest = e
                    size += 1
            free = -need
            for i in range(opens):
                free += weight[opened[i]]
            if free < 0:
                pruned = True
                break
            # -- heavier than what the rest can spare: into R; items likewise
            for i in range(opens):
                if weight[opened[i]] > free:
                    pending[waiting] = opened[i]
                    verdict[waiting] = IN
                    waiting += 1
            if waiting > 0:
                continue
            for j in range(n):
                if not alive[j]:
                    continue
                heft = 0
                for t in range(item[j], item[j + 1]):
                    if state[member[t]] == OPEN:
                        heft += weight[member[t]]
                if heft > free:
                    alive[j] = False
                    living[j >> 6] &= ~(np.uint64(1) << np.uint64(j & 63))
                    dead[lost] = j
                    lost += 1
                    cost += profit[j]
                    for u in range(item[j], item[j + 1]):
                        worth[member[u]] -= profit[j]
            if cost >= best:
                pruned = True
                break
            # -- R is the shortest heaviest-first part of a closed set: a kept
            # element must not come for nothing with a lighter one of R
            for f in range(m):
                if state[f] != OUT:
                    continue
                if f < lightest and worth[f] == 0:
                    # of no worth may still have living items of profit 0
                    empty = True
                    for word in range(words):
                        if bits[f, word] & living[word]:
                            empty = False
                            break
                    if empty:
                        pruned = True
                        break
                for i in range(opens):
                    e = opened[i]
                    if (e > f or f < lightest) and worth[e] >= worth[f]:
                        inside = True
                        for word in range(words):
                            if bits[f, word] & living[word] & ~bits[e, word]:
                                inside = False
                                break
                        if inside and state[e] == OPEN:
                            pending[waiting] = e
                            verdict[waiting] = OUT
                            waiting += 1
                if waiting > m:
                    break
            if pruned:
                waiting = 0
                break
            if waiting > 0:
                continue
            # -- how many more: by the heaviest, and by the lightest
            fewest = 0
            heft = 0
            while heft < need:
                heft += weight[opened[fewest]]
                fewest += 1
            most = 1
            heft = weight[opened[opens - 1]]
            while most < opens and heft < need:
                most += 1
                heft += weight[opened[opens - most]]
            fewest = max(fewest, fewest_all - size)
            most = min(most, most_all - size)
            if fewest > most:
                pruned = True
                break
            # -- the bound
            limit = scaled(best - cost - 1, shift) << MULTIPLIER_BITS
            wanted = -((-need) >> drop)
            edges = items = 0
            for j in range(n):
                if not alive[j]:
                    continue
                first = edges
                spare = share[j]
                for t in range(item[j], item[j + 1]):
                    e = member[t]
                    if state[e] == OPEN:
                        at[edges] = place[e]
                        edge[edges] = t
                        part[edges] = shares[t]
                        spare -= shares[t]
                        edges += 1
                if edges > first:
                    begin[items] = first
                    local[j] = items
                    rest[items] = spare
                    items += 1
            begin[items] = edges
            for i in range(opens):
                order[i] = i
                heavy[i] = mass[opened[i]]
                load[i] = 0
            for i in range(items):  # what kept elements had goes to all evenly
                size = begin[i + 1] - begin[i]
                gift = rest[i] // size
                rest[i] -= gift * size
                for t in range(begin[i], begin[i + 1]):
                    part[t] += gift
                    load[at[t]] += part[t]
            multiplier = min(max(multiplier, 0), highest)
            value_best = -FAR
            damping = stalled = 0
            while left > 0:
                left -= 1
                value_before = value_best
                value = 0
                took = fewest
                for trial in range(3):
                    for i in range(opens):
                        key[i] = (load[i] << MULTIPLIER_BITS) - multiplier * heavy[i]
                    sort_by(order, opens, key)
                    total, took = select(order, key, fewest, most)
                    value = multiplier * wanted + total
                    value_best = max(value_best, value)
                    if value > limit:
                        pruned = True
                        break
                    # fix: e into R, e out of R
                    edge_in = key[order[took - 1]]
                    swap_in = took == most or edge_in >= 0
                    follow = FAR
                    if took < opens:
                        follow = key[order[took]]
                    if took > fewest:
                        follow = min(follow, 0)
                    for i in range(took):
                        e = order[i]
                        if follow == FAR or value - key[e] + follow > limit:
                            pending[waiting] = opened[e]
                            verdict[waiting] = IN
                            waiting += 1
                    leave = edge_in if swap_in else 0
                    for i in range(took, opens):
                        e = order[i]
                        if value - leave + key[e] > limit:
                            pending[waiting] = opened[e]
                            verdict[waiting] = OUT
                            waiting += 1
                    if waiting > 0:
                        break
                    slope = wanted
                    for i in range(took):
                        slope -= heavy[order[i]]
                    if slope == 0 or trial == 2:
                        break
                    widest = max(multiplier >> (3 + damping), 1)
                    change = ((limit - value) >> 2) // abs(slope)
                    change = min(max(change, 1), widest)
                    if slope < 0:
                        change = -change
                    multiplier = min(max(multiplier + change, 0), highest)
                if pruned or waiting > 0:
                    break
                if left == 0:
                    waiting = probe(
                        problem,
                        multiplier,
                        limit - value,
                        opens,
                        opened,
                        key,
                        heavy,
                        edge_of(order, key, opens, took, fewest, most),
                        local,
                        alive,
                        begin,
                        at,
                        part,
                        grant,
                        pending,
                        verdict,
                    )
                    if waiting > 0:
                        break
                # the limit may be far above what can be reached: go less far
                stalled = 0 if value_best > value_before else stalled + 1
                if stalled == _PATIENCE:
                    stalled = 0
                    damping = min(damping + 1, _MOST_DAMPED)
                # shift shares from elements left to elements taken
                for i in range(opens):
                    chosen[order[i]] = i < took
                norm = 0
                for i in range(items):
                    taken = others = 0
                    for t in range(begin[i], begin[i + 1]):
                        if chosen[at[t]]:
                            taken += 1
                        elif part[t] > 0:
                            others += 1
                    if taken > 0:
                        norm += others
                if norm == 0:
                    break
                step = max((limit - value) >> (MULTIPLIER_BITS + damping), 1)
                step = max(step // norm, 1)
                for i in range(items):
                    first, last = begin[i], begin[i + 1]
                    taken = 0
                    for t in range(first, last):
                        taken += chosen[at[t]]
                    if taken == 0 or taken == last - first:
                        continue
                    pot = rest[i]
                    for t in range(first, last):
                        a = at[t]
                        if not chosen[a]:
                            gift = min(part[t], step)
                            part[t] -= gift
                            load[a] -= gift
                            pot += gift
                    gift = pot // taken
                    rest[i] = pot - gift * taken
                    for t in range(first, last):
                        a = at[t]
                        if chosen[a]:
                            part[t] += gift
                            load[a] += gift
            for t in range(edges):
                shares[edge[t]] = part[t]
            least_here = max(least_here, cost + unscaled(value_best, shift))
            if pruned:
                waiting = 0
                break
            if waiting > 0:
                left = max(left, _MORE_STEPS)
                continue
            break
        if not pruned:
            top, top_rank = -1, -1.0
            for i in range(opens):
                e = opened[i]
                this = worth[e] * rank[e]
                if this > top_rank:
                    top, top_rank = e, this
            branch[depth] = top
            second[depth] = False
            least[depth] = least_here
            kept_shares[depth] = shares
            kept_multiplier[depth] = multiplier
            depth += 1
            mark[depth] = decided
            mark_lost[depth] = lost
            pending[0] = top
            verdict[0] = IN
            waiting = 1
            continue
        # -- back to the last level whose second half is due
        while True:
            while decided > mark[depth]:
                decided -= 1
                e = trail[decided]
                if state[e] == IN:
                    need += weight[e]
                state[e] = OPEN
            while lost > mark_lost[depth]:
                lost -= 1
                j = dead[lost]
                alive[j] = True
                living[j >> 6] |= np.uint64(1) << np.uint64(j & 63)
                cost -= profit[j]
                for u in range(item[j], item[j + 1]):
                    worth[member[u]] += profit[j]
            if depth == 0:
                return best, nodes, 0
            depth -= 1
            if not second[depth]:
                break
        second[depth] = True
        shares[:] = kept_shares[depth]
        multiplier = kept_multiplier[depth]
        least_here = least[depth]
        pending[0] = branch[depth]
        verdict[0] = OUT
        waiting = 1
        depth += 1
        mark[depth] = decided
        mark_lost[depth] = lost
