"""Kernels of the branch and bound over opened sets; see ``opened_bb``.

Integers are int64. Where costs do not fit, the same file is loaded once more with
compilation switched off and arrays of Python integers: nothing here relies on a
width. Classes that can still be taken stand first in ``order``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....solvers.kernels import kernel

Ints = npt.NDArray[np.int64]

CLOSED, OPEN, UNDECIDED = 0, 1, 2
"""What has been decided about a set."""
ALIVE, DEPTH, NODES, TRAIL, FRESH, MATRICES, TABLES = range(7)
"""What ``State.tally`` counts; FRESH: the present node has not been looked at."""
SPENT, BEST = 0, 1
"""What ``State.money`` holds: cost of the open sets, cost of the best solution."""
WIDEST_MATRIX = 64
"""Rows up to which two families are settled by going through those of one."""


class Rules(NamedTuple):
    """Rules that can be switched off, to see what they buy; the answer stays."""

    shapes: bool = True
    """Search for each number of sets per family apart, cheapest first."""
    reach: bool = True
    """Bound what a set can give, counting the sets of the other families."""
    filter: bool = True
    """Close sets that cannot give enough beside the best of their family."""
    density: bool = True
    """Bound the cost by what each processor pays at least."""
    alike: bool = True
    """Open sets that may change places in one order only."""
    matrix: bool = True
    """Settle two families by going through the sets of one."""
    table: bool = True
    """Settle one family by a knapsack."""


class System(NamedTuple):
    """Classes and shared sets; lists of lists as starts and entries.

    The sets of class k are ``class_set[class_at[k]:class_at[k + 1]]``; so for the
    classes of a set. Sets are in order of family, then cost;
    those of family g start at ``family_at[g]``. ``even``: all sets of a family cost
    the same, and there are no private costs. ``bulk`` of a class is the size of all
    classes in the same shared sets, ``twin`` of a set the last one before it that may
    change places with it, or -1. ``scale`` multiplies costs before
    they are divided; ``far`` exceeds the cost of everything.
    """

    request: int
    families: int
    class_at: Ints
    class_set: Ints
    set_at: Ints
    set_class: Ints
    size: Ints
    bulk: Ints
    private: Ints
    has_private: bool
    cost: Ints
    family: Ints
    family_at: Ints
    even: bool
    twin: Ints
    scale: int
    far: int
    rules: Rules


class State(NamedTuple):
    """A search that can be left and taken up again.

    ``status`` of each set; ``order`` of the classes, and the ``place`` of each in it;
    ``tally`` and ``money``, see their indices; ``trail`` of decided sets. For each
    depth: ``frame``, the set branched on, whether its second branch has begun, trail
    and living classes before; and ``floor``, a bound. For each family: how many sets
    are ``opened``, the ``limit`` on them, ``exact``, how many are demanded at least,
    how many are ``left`` to open; ``rank``, the order in which families are gone
    through, and at its end whether one is finished before the next. Of each set:
    whether ``best``, the best solution, has it open; ``cap``, what could be taken
    from it; ``reach``, see `_reaches`. ``score`` and ``pair`` are scratch.
    """

    status: Ints
    order: Ints
    place: Ints
    tally: Ints
    money: Ints
    trail: Ints
    frame: Ints
    floor: Ints
    opened: Ints
    limit: Ints
    exact: Ints
    rank: Ints
    best: Ints
    cap: Ints
    reach: Ints
    score: Ints
    pair: Ints
    left: Ints


# --- decisions -----------------------------------------------------------------


@kernel
def _kill(system: System, state: State, j: int) -> None:
    """Take the classes of a closed set out of those that can be taken."""
    order, place, tally = state.order, state.place, state.tally
    for at in range(system.set_at[j], system.set_at[j + 1]):
        k = system.set_class[at]
        here = place[k]
        if here < tally[ALIVE]:
            last = tally[ALIVE] - 1
            other = order[last]
            order[here], order[last] = other, k
            place[other], place[k] = here, last
            tally[ALIVE] = last


@kernel
def _decide(system: System, state: State, j: int, what: int) -> None:
    state.status[j] = what
    state.trail[state.tally[TRAIL]] = j
    state.tally[TRAIL] += 1
    if what == OPEN:
        state.money[SPENT] += system.cost[j]
        state.opened[system.family[j]] += 1
    else:
        _kill(system, state, j)


@kernel
def _undo(system: System, state: State, trail: int, alive: int) -> None:
    while state.tally[TRAIL] > trail:
        state.tally[TRAIL] -= 1
        j = state.trail[state.tally[TRAIL]]
        if state.status[j] == OPEN:
            state.money[SPENT] -= system.cost[j]
            state.opened[system.family[j]] -= 1
        state.status[j] = UNDECIDED
    state.tally[ALIVE] = alive


@kernel
def reset(system: System, state: State) -> None:
    """Go back to where nothing is decided."""
    _undo(system, state, 0, len(system.size))
    state.tally[DEPTH] = 0
    state.tally[FRESH] = 1


# --- propagation ---------------------------------------------------------------


@kernel
def _capacities(system: System, state: State) -> tuple[int, int]:
    """Count what each undecided set can still give; return total and what is ready."""
    cap, status, size = state.cap, state.status, system.size
    class_at, class_set = system.class_at, system.class_set
    cap[:] = 0
    total = 0
    ready = 0
    for i in range(state.tally[ALIVE]):
        k = state.order[i]
        f = size[k]
        total += f
        waits = False
        for at in range(class_at[k], class_at[k + 1]):
            j = class_set[at]
            if status[j] == UNDECIDED:
                cap[j] += f
                waits = True
        if not waits:
            ready += f
    return total, ready


@kernel
def _allowances(system: System, state: State) -> bool:
    """Say how many more sets each family may open; False if none can be enough.

    A family may open what its shape leaves and what the money left buys of its
    cheapest sets, once every other family has opened what its shape demands.
    """
    families, cost, family = system.families, system.cost, system.family
    status, left = state.status, state.left
    room = state.money[BEST] - 1 - state.money[SPENT]
    left[:] = 0
    sets = len(cost)
    # sets are in order of cost inside every family: see `opened_bb`
    for j in range(sets):
        if status[j] == UNDECIDED:
            g = family[j]
            if left[g] < state.exact[g] - state.opened[g]:
                left[g] += 1
                room -= cost[j]
    if room < 0:
        return False
    for g in range(families):
        if left[g] < state.exact[g] - state.opened[g]:
            return False
    spare = state.score  # scratch
    spare[:families] = 0
    demanded = state.pair[0]  # scratch
    for g in range(families):
        demanded[g] = left[g]
    for j in range(sets):
        g = family[j]
        if status[j] == UNDECIDED:
            if demanded[g] > 0:
                demanded[g] -= 1
            elif spare[g] + cost[j] <= room:
                spare[g] += cost[j]
                left[g] += 1
    for g in range(families):
        left[g] = min(left[g], state.limit[g] - state.opened[g])
    return True


@kernel
def _propagate(system: System, state: State) -> int:
    """Decide what follows; return what is ready, or -1 if nothing good is left."""
    request, cost, family = system.request, system.cost, system.family
    status, cap, left, twin = state.status, state.cap, state.left, system.twin
    while True:
        total, ready = _capacities(system, state)
        if total < request or state.money[SPENT] >= state.money[BEST]:
            return -1
        if not _allowances(system, state):
            return -1
        room = state.money[BEST] - 1 - state.money[SPENT]
        changed = False
        for j in range(len(cost)):
            if status[j] == OPEN and twin[j] >= 0 and status[twin[j]] != OPEN:
                if status[twin[j]] == CLOSED or cost[j] > room:
                    return -1
                _decide(system, state, twin[j], OPEN)
                changed = True
                break
            if status[j] != UNDECIDED:
                continue
            if total - cap[j] < request:
                if cost[j] > room or left[family[j]] < 1:
                    return -1
                _decide(system, state, j, OPEN)
                changed = True
                break
            if cap[j] == 0:
                _decide(system, state, j, CLOSED)
            elif (
                cost[j] > room
                or left[family[j]] < 1
                or (twin[j] >= 0 and status[twin[j]] == CLOSED)
            ):
                _decide(system, state, j, CLOSED)
                changed = True
        if not changed:
            return int(ready)


# --- bounds --------------------------------------------------------------------


@kernel
def _sum_of_largest(values: Ints, n: int, most: int) -> int:
    """Add up the largest of the first n values; leaves them partly sorted."""
    total = 0
    if n <= most:
        for i in range(n):
            total += values[i]
        return total
    for i in range(most):
        top = i
        for m in range(i + 1, n):
            if values[m] > values[top]:
                top = m
        if values[top] <= 0:
            break
        values[i], values[top] = values[top], values[i]
        total += values[i]
    return total


@kernel
def _reaches(system: System, state: State) -> int:
    """Bound what each set can give when the others are counted; close what cannot.

    Of a set j, another family can give at most the largest of its pieces of j, as
    many as it may open. A piece holds at most one lot of classes with equal sets for
    each choice of sets from the families that remain.

    Returns -1 if too little is left, 1 if sets were closed, else 0.
    """
    request, families = system.request, system.families
    status, family, left = state.status, system.family, state.left
    class_at, class_set = system.class_at, system.class_set
    size, bulk = system.size, system.bulk
    family_at = system.family_at
    reach, pair, order = state.reach, state.pair, state.order
    sets = len(system.cost)
    pair[:] = 0
    alive = state.tally[ALIVE]
    largest = 1
    # pair[j, l]: what class sizes j and l have in common; column sets + g: members of
    # j that no set of family g holds
    free = state.score
    free[:families] = 0
    for i in range(alive):
        k = order[i]
        f = size[k]
        largest = max(largest, bulk[k])
        begin, end = class_at[k], class_at[k + 1]
        for a in range(begin, end):
            j = class_set[a]
            for b in range(begin, end):
                pair[j, class_set[b]] += f
        if end - begin < families:
            for g in range(families):
                lies = False
                for a in range(begin, end):
                    lies |= family[class_set[a]] == g
                if not lies:
                    free[g] += f
                    for a in range(begin, end):
                        pair[class_set[a], sets + g] += f
    wide = 1
    for g in range(families):
        wide = min(wide * (state.opened[g] + left[g] + (free[g] > 0)), 2**31)
    closed = 0
    scratch = state.cap
    for j in range(sets):
        if status[j] == CLOSED:
            continue
        mine = family[j]
        best = pair[j, j]
        for g in range(families):
            if g == mine:
                continue
            across = (state.opened[g] + left[g] + (free[g] > 0)) * (
                state.opened[mine] + left[mine] + (free[mine] > 0)
            )
            thick = largest * (wide // max(across, 1)) if wide < 2**31 else 2**62
            got = min(pair[j, sets + g], thick)
            n = 0
            for other in range(family_at[g], family_at[g + 1]):
                piece = min(pair[j, other], thick)
                if piece > 0:
                    if status[other] == OPEN:
                        got += piece
                    else:
                        scratch[n] = piece
                        n += 1
            got += _sum_of_largest(scratch, n, left[g])
            best = min(best, got)
        reach[j] = best
    for g in range(families):
        got = free[g]
        n = 0
        begin, end = family_at[g], family_at[g + 1]
        for j in range(begin, end):
            if status[j] == OPEN:
                got += reach[j]
            elif status[j] == UNDECIDED:
                scratch[n] = reach[j]
                n += 1
        top = _sum_of_largest(scratch, n, left[g])
        if got + top < request:
            return -1
        if left[g] < n and system.rules.filter:
            least = scratch[left[g] - 1]
            for j in range(begin, end):
                if (
                    status[j] == UNDECIDED
                    and reach[j] < least
                    and got + top - least + reach[j] < request
                ):
                    _decide(system, state, j, CLOSED)
                    closed = 1
    return closed


@kernel
def _density(system: System, state: State, reaches: bool) -> int:
    """Bound the cost by what each processor pays at least.

    Exactly the request is chosen, all that is ready and free of charge among it. The
    others that are chosen in set j number at most q_j, so each bears c_j / q_j of
    its cost, and the cheapest of them make the bound.
    """
    status, size, private = state.status, system.size, system.private
    class_at, class_set, cost = system.class_at, system.class_set, system.cost
    score, order, cap = state.score, state.order, state.cap
    scale = system.scale
    alive = state.tally[ALIVE]
    need = system.request
    cap[:] = 0
    for i in range(alive):
        k = order[i]
        waits = False
        for at in range(class_at[k], class_at[k + 1]):
            j = class_set[at]
            if status[j] == UNDECIDED:
                waits = True
                cap[j] += size[k]
        if not waits and private[k] == 0:
            need -= size[k]
    if need <= 0:
        return 0
    for j in range(len(cost)):
        if status[j] == UNDECIDED and cap[j] > 0:
            most = min(cap[j], need)
            if reaches:
                most = max(min(most, state.reach[j]), 1)
            cap[j] = scale * cost[j] // most
    n = 0
    items = np.empty(alive, np.int64)
    for i in range(alive):
        k = order[i]
        total = scale * private[k] // min(size[k], need)
        waits = private[k] > 0
        for at in range(class_at[k], class_at[k + 1]):
            j = class_set[at]
            if status[j] == UNDECIDED:
                total += cap[j]
                waits = True
        if waits:
            score[n] = total
            items[n] = k
            n += 1
    total = 0
    for at in np.argsort(score[:n]):
        f = min(size[items[at]], need)
        total += f * score[at]
        need -= f
        if need == 0:
            break
    return int(-(-total // scale))


# --- what is left decomposes: one family, or two ---------------------------------


@kernel
def _keep(state: State, cost: int) -> None:
    """Remember what is open now as the best solution."""
    state.money[BEST] = cost
    for j in range(len(state.status)):
        state.best[j] = state.status[j] == OPEN


@kernel
def _table(system: System, state: State) -> None:
    """Settle what is left when at most one family is undecided: a knapsack.

    Entry t: the least cost of t processors or more from what is ready and from the
    sets looked at so far. A set is opened or not; once open, its classes are taken
    or not, at their private costs.
    """
    request, size, private = system.request, system.size, system.private
    class_at, class_set, far = system.class_at, system.class_set, system.far
    status, order = state.status, state.order
    alive = state.tally[ALIVE]
    state.tally[TABLES] += 1
    home = np.full(alive, -1, np.int64)
    for i in range(alive):
        k = order[i]
        for at in range(class_at[k], class_at[k + 1]):
            if status[class_set[at]] == UNDECIDED:
                home[i] = class_set[at]
    by_home = np.argsort(home, kind="mergesort")
    least = np.empty(request + 1, state.money.dtype)
    inside = np.empty_like(least)
    least[:] = far
    least[0] = 0
    took = np.zeros((alive, request + 1), np.bool_)
    opens = np.zeros((alive, request + 1), np.bool_)
    begin = 0
    while begin < alive:
        j = home[by_home[begin]]
        end = begin
        price = system.cost[j] if j >= 0 else 0
        for t in range(request + 1):
            inside[t] = least[t] + price
        if system.has_private:
            while end < alive and home[by_home[end]] == j:
                k = order[by_home[end]]
                f, p = size[k], private[k]
                for t in range(request, 0, -1):
                    other = inside[max(t - f, 0)] + p
                    if other < inside[t]:
                        inside[t] = other
                        took[end, t] = True
                end += 1
        else:
            f = 0
            while end < alive and home[by_home[end]] == j:
                f += size[order[by_home[end]]]
                end += 1
            for t in range(request, 0, -1):
                other = inside[max(t - f, 0)]
                if other < inside[t]:
                    inside[t] = other
                    took[end - 1, t] = True
        for t in range(request + 1):
            if inside[t] < least[t] or j < 0:
                least[t] = inside[t]
                opens[begin, t] = True
        begin = end
    if state.money[SPENT] + least[request] >= state.money[BEST]:
        return
    _keep(state, state.money[SPENT] + least[request])
    t = request
    end = alive
    while end > 0:
        j = home[by_home[end - 1]]
        begin = end
        while begin > 0 and home[by_home[begin - 1]] == j:
            begin -= 1
        if opens[begin, t]:
            if j >= 0:
                state.best[j] = 1
            if system.has_private:
                for i in range(end - 1, begin - 1, -1):
                    if took[i, t]:
                        t = max(t - size[order[by_home[i]]], 0)
            elif took[end - 1, t]:
                for i in range(begin, end):
                    t = max(t - size[order[by_home[i]]], 0)
        end = begin


@kernel
def _fill(
    values: Ints,
    prices: Ints,
    n: int,
    need: int,
    room: int,
    equal: bool,
    scratch: Ints,
) -> int:
    """Return the least cost of values that add up to the need; room + 1 if none.

    ``values[1:n + 1]`` cost ``prices[1:n + 1]``; ``values[0]`` is free.
    """
    need -= values[0]
    if need <= 0:
        return 0
    if room <= 0:
        return room + 1
    if equal:
        most = min(room // prices[1], n) if n else 0
        left = scratch
        for k in range(n):
            left[k] = values[k + 1]
        for count in range(most):
            top = count
            for k in range(count + 1, n):
                if left[k] > left[top]:
                    top = k
            need -= left[top]
            if need <= 0:
                return int((count + 1) * prices[1])
            if need > left[top] * (most - count - 1):
                break
            left[top] = left[count]
        return room + 1
    total = 0
    for k in range(1, n + 1):
        total += values[k]
    if total < need:
        return room + 1
    least = np.empty(need + 1, prices.dtype)
    least[:] = room + 1
    least[0] = 0
    for k in range(1, n + 1):
        f, p = values[k], prices[k]
        if f == 0:
            continue
        for t in range(need, 0, -1):
            other = least[max(t - f, 0)] + p
            if other < least[t]:
                least[t] = other
    return int(least[need])


@kernel
def _keep_filled(
    state: State,
    values: Ints,
    prices: Ints,
    column: Ints,
    n: int,
    need: int,
    spend: int,
) -> None:
    """Open the columns that `_fill` found, by trying each without the others."""
    need -= values[0]
    least = np.empty((n + 1, max(need, 0) + 1), prices.dtype)
    least[0, :] = spend + 1
    least[0, 0] = 0
    for k in range(1, n + 1):
        for t in range(max(need, 0) + 1):
            other = least[k - 1, max(t - values[k], 0)] + prices[k]
            least[k, t] = min(least[k - 1, t], other)
    t = max(need, 0)
    for k in range(n, 0, -1):
        if least[k, t] < least[k - 1, t]:
            state.best[column[k]] = 1
            t = max(t - values[k], 0)


@kernel
def _before(a: Ints, b: Ints) -> bool:
    """Whether row a comes before row b: larger entries first."""
    for k in range(len(a)):
        if a[k] != b[k]:
            return bool(a[k] > b[k])
    return False


@kernel
def _matrix(system: System, state: State, rows_of: int, columns_of: int) -> None:
    """Settle what is left when two families are undecided and private costs nil.

    Entry (i, k) is what rows i and k have in common; what is open already, or in no
    set of the family, is row or column 0, which is always in. Sets of rows are gone
    through, those of columns are a knapsack for each.
    """
    request, size, cost = system.request, system.size, system.cost
    class_at, class_set, family = system.class_at, system.class_set, system.family
    status, order = state.status, state.order
    state.tally[MATRICES] += 1
    number = np.zeros(len(cost), np.int64)
    rows, columns = 0, 0
    for j in range(len(cost)):
        if status[j] == UNDECIDED:
            if family[j] == rows_of:
                rows += 1
                number[j] = rows
            elif family[j] == columns_of:
                columns += 1
                number[j] = columns
    row = np.zeros(rows + 1, np.int64)
    column = np.zeros(columns + 1, np.int64)
    fee = np.empty(rows + 1, state.money.dtype)
    price = np.empty(columns + 1, state.money.dtype)
    fee[0] = price[0] = 0
    equal = True
    for j in range(len(cost)):
        if number[j] > 0:
            if family[j] == rows_of:
                row[number[j]] = j
                fee[number[j]] = cost[j]
            else:
                column[number[j]] = j
                price[number[j]] = cost[j]
                equal &= cost[j] == price[1]
    entry = np.zeros((rows + 1, columns + 1), np.int64)
    for i in range(state.tally[ALIVE]):
        k = order[i]
        a, b = 0, 0
        for at in range(class_at[k], class_at[k + 1]):
            j = class_set[at]
            if number[j] > 0:
                if family[j] == rows_of:
                    a = number[j]
                else:
                    b = number[j]
        entry[a, b] += size[k]
    most_rows = min(rows, state.left[rows_of])
    least_rows = max(0, state.exact[rows_of] - state.opened[rows_of])
    most_columns = min(columns, state.left[columns_of])
    room = state.money[BEST] - 1 - state.money[SPENT]
    # order of the rows: largest first; weight: what a row gives at most
    weight = np.zeros(rows + 1, np.int64)
    scratch = np.empty(columns, np.int64)
    for i in range(1, rows + 1):
        for k in range(columns):
            scratch[k] = entry[i, k + 1]
        weight[i] = entry[i, 0] + _sum_of_largest(scratch, columns, most_columns)
    for i in range(2, rows + 1):
        at = i
        while at > 1 and (
            weight[at] > weight[at - 1]
            or (
                weight[at] == weight[at - 1]
                and (
                    fee[at] < fee[at - 1]
                    or (fee[at] == fee[at - 1] and _before(entry[at], entry[at - 1]))
                )
            )
        ):
            for k in range(columns + 1):
                entry[at, k], entry[at - 1, k] = entry[at - 1, k], entry[at, k]
            weight[at], weight[at - 1] = weight[at - 1], weight[at]
            fee[at], fee[at - 1] = fee[at - 1], fee[at]
            row[at], row[at - 1] = row[at - 1], row[at]
            at -= 1
    # best[i, h, k]: the h largest entries of column k in rows i and after
    best = np.zeros((rows + 2, most_rows + 1, columns + 1), np.int64)
    cheapest = np.empty(rows + 2, state.money.dtype)
    cheapest[rows + 1] = room + 1
    top = np.zeros((columns + 1, most_rows + 1), np.int64)
    for i in range(rows, 0, -1):
        cheapest[i] = min(cheapest[i + 1], fee[i])
        for k in range(columns + 1):
            x = entry[i, k]
            total = 0
            for h in range(most_rows):
                if x > top[k, h]:
                    top[k, h], x = x, top[k, h]
                total += top[k, h]
                best[i, h + 1, k] = total
    ahead = np.zeros(rows + 2, np.int64)
    for i in range(1, rows + 1):
        ahead[i + 1] = ahead[i] + weight[i]
    base = entry[0]
    for k in range(columns):
        scratch[k] = base[k + 1]
    nothing = base[0] + _sum_of_largest(scratch, columns, most_columns)
    have = np.zeros((most_rows + 1, columns + 1), np.int64)
    for k in range(columns + 1):
        have[0, k] = base[k]
    hope = np.zeros(columns + 1, np.int64)
    at_row = np.zeros(most_rows + 1, np.int64)
    first = np.zeros(most_rows + 1, np.int64)
    sum_weight = np.zeros(most_rows + 1, np.int64)
    sum_fee = np.empty(most_rows + 1, state.money.dtype)
    sum_fee[0] = 0
    sum_weight[0] = nothing
    nodes = 0
    d = 0
    at_row[0] = 0
    fresh = True
    while d >= 0:
        if fresh:
            nodes += 1
            fresh = False
            spare = room - sum_fee[d]
            if d >= least_rows:
                price_paid = _fill(
                    have[d], price, columns, request, spare, equal, scratch
                )
                if price_paid <= spare:
                    _keep(state, state.money[SPENT] + sum_fee[d] + price_paid)
                    _keep_filled(
                        state, have[d], price, column, columns, request, price_paid
                    )
                    for e in range(1, d + 1):
                        state.best[row[at_row[e]]] = 1
                    room = sum_fee[d] + price_paid - 1
                    if room < 0:
                        break
                    spare = room - sum_fee[d]
            h = most_rows - d
            start = at_row[d] + 1
            first[d] = rows + 1
            if h > 0 and start <= rows:
                more = max(1, least_rows - d)
                left_over = spare - more * cheapest[start]
                if left_over >= 0:
                    for k in range(columns + 1):
                        hope[k] = have[d, k] + best[start, h, k]
                    if _fill(
                        hope, price, columns, request, left_over, equal, scratch
                    ) <= (left_over):
                        first[d] = start
        # next child of the node at depth d
        i = first[d]
        h = most_rows - d
        found = False
        while i <= rows - max(0, least_rows - d - 1):
            if sum_weight[d] + ahead[min(i + h, rows + 1)] - ahead[i] < request:
                break
            same = (
                i > at_row[d] + 1
                and fee[i] == fee[i - 1]
                and weight[i] == weight[i - 1]
            )
            if same:
                for k in range(columns + 1):
                    if entry[i, k] != entry[i - 1, k]:
                        same = False
                        break
            if not same and sum_fee[d] + fee[i] <= room:
                found = True
                break
            i += 1
        if not found:
            d -= 1
            continue
        first[d] = i + 1
        for k in range(columns + 1):
            have[d + 1, k] = have[d, k] + entry[i, k]
        sum_fee[d + 1] = sum_fee[d] + fee[i]
        sum_weight[d + 1] = sum_weight[d] + weight[i]
        at_row[d + 1] = i
        d += 1
        fresh = True
    state.tally[NODES] += nodes


# --- the search ------------------------------------------------------------------


@kernel
def _look(system: System, state: State) -> int:
    """Look at the present node: return the set to branch on, or -1 if settled."""
    rules = system.rules
    while True:
        ready = _propagate(system, state)
        if ready < 0:
            return -1
        if ready >= system.request and not system.has_private:
            _keep(state, state.money[SPENT])
            return -1
        if not rules.reach:
            break
        closed = _reaches(system, state)
        if closed < 0:
            return -1
        if closed == 0:
            break
    floor = state.money[SPENT]
    counted = system.even and state.rank[system.families] == 1
    if rules.density and not counted:
        floor += _density(system, state, rules.reach)
        if floor >= state.money[BEST]:
            return -1
    _capacities(system, state)
    status, family, cap = state.status, system.family, state.cap
    sets = len(system.cost)
    many = state.score
    many[: system.families] = 0
    for j in range(sets):
        if status[j] == UNDECIDED and cap[j] > 0:
            many[family[j]] += 1
    undecided = 0
    a, b = -1, -1
    for at in range(system.families):
        g = state.rank[at]
        if many[g] > 0:
            undecided += 1
            if undecided == 1:
                a = g
            elif undecided == 2:
                b = g
    if undecided == 0 or (undecided == 1 and rules.table):
        _table(system, state)
        return -1
    if (
        undecided == 2
        and rules.matrix
        and not system.has_private
        and many[a] <= WIDEST_MATRIX
    ):
        _matrix(system, state, a, b)
        return -1
    depth = state.tally[DEPTH]
    state.floor[depth] = floor if depth == 0 else max(floor, state.floor[depth - 1])
    best = -1
    for j in range(sets):
        if status[j] == UNDECIDED and (
            family[j] == a or state.rank[system.families] == 0
        ):
            if best < 0:
                best = j
            elif rules.reach and state.reach[j] != state.reach[best]:
                if state.reach[j] > state.reach[best]:
                    best = j
            elif cap[j] > cap[best]:
                best = j
    return best


@kernel
def floor(state: State) -> int:
    """Bound all that is left of the search: the least of its open nodes."""
    if state.tally[FRESH] and state.tally[DEPTH] == 0:
        return 0
    least = state.money[BEST]
    for depth in range(state.tally[DEPTH]):
        if depth == state.tally[DEPTH] - 1 or state.frame[depth, 1] == 0:
            least = min(least, state.floor[depth])
    return int(least)


@kernel
def search(system: System, state: State, budget: int) -> bool:
    """Look at some more nodes; return whether all have been looked at."""
    tally, frame = state.tally, state.frame
    until = tally[NODES] + budget
    while tally[NODES] < until:
        if tally[FRESH]:
            tally[NODES] += 1
            j = _look(system, state)
            if j < 0:
                tally[FRESH] = 0
                continue
            frame[tally[DEPTH], 0] = j
            frame[tally[DEPTH], 1] = 0
            frame[tally[DEPTH], 2] = tally[TRAIL]
            frame[tally[DEPTH], 3] = tally[ALIVE]
            tally[DEPTH] += 1
            _decide(system, state, j, OPEN)
            continue
        if tally[DEPTH] == 0:
            return True
        top = tally[DEPTH] - 1
        _undo(system, state, frame[top, 2], frame[top, 3])
        if frame[top, 1] == 1:
            tally[DEPTH] = top
            continue
        frame[top, 1] = 1
        _decide(system, state, frame[top, 0], CLOSED)
        tally[FRESH] = 1
    return False


# --- a first solution --------------------------------------------------------------


@kernel
def grow(system: System, price: Ints, first: int, fade: float, out: Ints) -> bool:
    """Open sets one by one, those that bring most classes nearer, from one class on.

    A class that waits for m more sets counts fade^m of its size. At the end sets
    are closed again where enough is left without. Returns whether enough was found.
    """
    size, class_at, class_set = system.size, system.class_at, system.class_set
    out[:] = 0
    for at in range(class_at[first], class_at[first + 1]):
        out[class_set[at]] = 1
    sets = len(out)
    gain = np.zeros(sets)
    while True:
        gain[:] = 0
        ready = 0
        for k in range(len(size)):
            waits = 0
            for at in range(class_at[k], class_at[k + 1]):
                waits += 1 - out[class_set[at]]
            if waits == 0:
                ready += size[k]
                continue
            worth = size[k] * fade**waits
            for at in range(class_at[k], class_at[k + 1]):
                if not out[class_set[at]]:
                    gain[class_set[at]] += worth
        if ready >= system.request:
            break
        best = -1
        for j in range(sets):
            if gain[j] > 0 and (
                best < 0 or gain[j] * price[best] > gain[best] * price[j]
            ):
                best = j
        if best < 0:
            return False
        out[best] = 1
    waiting = np.zeros(len(size), np.int64)
    for k in range(len(size)):
        for at in range(class_at[k], class_at[k + 1]):
            waiting[k] += 1 - out[class_set[at]]
    for j in range(sets - 1, -1, -1):
        if out[j] == 0:
            continue
        lost = 0
        for at in range(system.set_at[j], system.set_at[j + 1]):
            k = system.set_class[at]
            if waiting[k] == 0:
                lost += size[k]
        if ready - lost >= system.request:
            ready -= lost
            out[j] = 0
            for at in range(system.set_at[j], system.set_at[j + 1]):
                waiting[system.set_class[at]] += 1
    return True
