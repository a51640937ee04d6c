"""Kernels that settle one family, or two, at once; see ``set_opening_bb``."""

from __future__ import annotations

import numpy as np

from ....solvers.running.kernels import kernel
from .kernels_bounds import sum_of_largest
from .layout import (
    ALIVE,
    BEST,
    MATRICES,
    NODES,
    OPEN,
    SPENT,
    TABLES,
    UNDECIDED,
    Ints,
    SearchState,
    System,
)


@kernel
def keep_best(state: SearchState, cost: int) -> None:
    """Store the sets open now as the best solution."""
    state.money[BEST] = cost
    for j in range(len(state.status)):
        state.best[j] = state.status[j] == OPEN


@kernel
def solve_last_one(system: System, state: SearchState) -> None:
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
    key = np.empty(alive, np.int64)  # in which no two are equal
    for i in range(alive):
        k = order[i]
        for at in range(class_at[k], class_at[k + 1]):
            if status[class_set[at]] == UNDECIDED:
                home[i] = class_set[at]
        key[i] = home[i] * alive + i
    by_home = np.argsort(key)
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
    keep_best(state, state.money[SPENT] + least[request])
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
    state: SearchState,
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


# Over 120 lines: its parts share most local variables, which a split would pass on.
@kernel
def solve_last_two(
    system: System, state: SearchState, rows_of: int, columns_of: int
) -> None:
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
        scratch[:] = entry[i, 1:]
        weight[i] = entry[i, 0] + sum_of_largest(scratch, columns, most_columns)
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
    scratch[:] = base[1:]
    nothing = base[0] + sum_of_largest(scratch, columns, most_columns)
    have = np.zeros((most_rows + 1, columns + 1), np.int64)
    have[0] = base
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
                    keep_best(state, state.money[SPENT] + sum_fee[d] + price_paid)
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
