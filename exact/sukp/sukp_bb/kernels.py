"""Kernels of the branch and bound over excluded elements; see ``search``.

A node excludes some elements (IN the set R that leaves), keeps some (OUT of it),
and has the others open. Items are *alive* until an element of theirs is excluded,
or until it is certain, or assumed, that one will be.
"""

from __future__ import annotations

import numpy as np

from ....solvers.running.kernels import kernel, uncounted, unlocked
from .kernels_bound import EXCEEDED, bound_by_shares, pour
from .kernels_rules import CLOSED, REACHED, propagate, undo
from .layout import (
    COST,
    DECIDED,
    IN,
    LOST,
    NEED,
    OPEN,
    OUT,
    Bytes,
    FlatInstance,
    Indices,
    Ints,
    Lists,
    Node,
    Nodes,
    Path,
    Workspace,
    lists_for,
    node_of,
    room_for,
)

_BEYOND = 1.3
"""What a branch is thought to add to the bound counts up to so many times the gap."""
_STEPS = 4
"""Steps of Newton's method for the growth of a tree."""


@uncounted
@kernel
def half(problem: FlatInstance, branch: int, second: bool) -> int:
    """Return the first or second state of a branch: IN first for elements, else OUT."""
    return IN if (branch < len(problem.weight)) != second else OUT


@kernel
def hand_out(
    problem: FlatInstance,
    node: Node,
    path: Path,
    depth: int,
    waiting: int,
    least: int,
    out: Nodes,
) -> int:
    """Hand out the second halves that are due and the node at hand; return how many."""
    count = 0
    for d in range(depth):
        if path.second[d]:
            continue
        out.state[count] = OPEN
        for i in range(path.mark[d + 1]):
            e = node.trail[i]
            out.state[count, e] = node.state[e]
        branch = path.branch[d]
        out.state[count, branch] = half(problem, branch, True)
        out.least[count] = path.least[d]
        count += 1
    out.state[count] = node.state
    for i in range(waiting):
        out.state[count, node.pending[i]] = node.verdict[i]
    out.least[count] = least
    return count + 1


@uncounted
@kernel
def examine(
    problem: FlatInstance,
    node: Node,
    room: Workspace,
    lists: Lists,
    level: int,
    waiting: int,
    best: int,
    sweeps: int,
    least: int,
) -> tuple[int, int]:
    """Apply all rules to a node; return its bound, and the first of `propagate`."""
    source, decided = level - 1, node.tally[DECIDED]
    while True:
        opens, free = propagate(problem, node, room, waiting, best)
        if opens <= 0:
            return least, opens
        for _ in range(sweeps):
            pour(problem, node, room, lists, source, level, free, decided)
            source = level
        bound, waiting = bound_by_shares(
            problem, node, room, lists.load[level], opens, best
        )
        least = max(least, bound)
        if waiting == EXCEEDED:
            return least, CLOSED
        if waiting == 0:
            return least, opens


@uncounted
@kernel
def grows_less(one: float, other: float, a: float, b: float) -> bool:
    """Return whether a tree of the first two grows less than one of the last two.

    Where every branch adds a or b to the bound, a tree that is to add g has about
    e^(u g) leaves, with e^(-u a) + e^(-u b) = 1. All four are above 0.
    """
    less = min(a, b)
    ratio = max(a, b) / less
    x = 0.5 ** (1 / ratio)  # e^(-u less), to be lowered until x + x^ratio = 1
    for _ in range(_STEPS):
        power = x**ratio
        x -= (x + power - 1) / (1 + ratio * power / x)
    u = np.log(x) / less
    return bool(np.exp(u * one) + np.exp(u * other) < 1)


@uncounted
@kernel
def within(value: float, most: float) -> float:
    """Return the nearest value from 0 to ``most``.

    The functions that numba has for this heed NaN, and take longer.
    """
    value = value if value > 0 else 0.0
    return value if value < most else most


@uncounted
@kernel
def best_branch(
    problem: FlatInstance,
    room: Workspace,
    opened: Indices,
    items: Indices,
    worth: Ints,
    wanted: int,
    gap: int,
) -> int:
    """Return the open element or living item with which the tree grows least.

    Takes the open elements, the living items (``room.mass`` is what their open elements
    weigh), the profit of each element's living items, and what R still needs.

    What both halves add to the bound is what they would if all elements had the same
    profit by weight: P need / W, of profit P and weight W.
    """
    weight, rise, fall = problem.weight, room.rise, room.fall
    opens, need, total, profit = len(opened), float(wanted), 0.0, 0.0
    for e in opened:
        total += weight[e]
    for j in items:
        profit += problem.profit[j]
    bound, cap = profit * need / total, _BEYOND * gap
    for i in range(opens):
        w, p = float(weight[opened[i]]), float(worth[opened[i]])
        level = (profit - p) / (total - w)
        rise[i] = within(p + level * (need - w) - bound, cap)
        fall[i] = within(profit * need / (total - w) - bound, cap)
    element, most = 0, 0.0
    for i in range(opens):
        square = rise[i] * rise[i]
        score = square * square * rise[i] * fall[i] * fall[i]
        if score > most:
            element, most = i, score
    taken, left, none = rise[element], fall[element], most == 0
    item, most = np.int64(-1), 0.0
    kept = hit = 1.0
    for j in items:
        p = float(problem.profit[j])
        rest = total - float(room.mass[j] << problem.drop)
        up = within((profit - p) * need / (rest if rest > need else need) - bound, cap)
        down = within(p * (1 - need / total), cap)
        if up * up * down > most:
            item, most = np.int64(j), up * up * down
            kept, hit = up, down
    if item < 0 or not (none or grows_less(kept, hit, taken, left)):
        return int(opened[element])
    return int(len(weight) + item)


@unlocked
@kernel
def search(
    problem: FlatInstance,
    start: Nodes,
    best: int,
    picked: Bytes,
    budget: int,
    first_sweeps: int,
    out: Nodes,
) -> tuple[int, int, int]:
    """Search below a node, depth first.

    Parameters
    ----------
    start
        The node, a single row.
    best
        Cost of the best solution known; only cheaper ones are looked for.
    picked
        Receives the R of a cheaper one, 1 for each element of it.
    budget
        Nodes after which to stop.
    first_sweeps
        Sweeps over the shares at the first node; at others there is one.
    out
        Receives the nodes still open; its length limits the depth.

    Returns
    -------
    tuple of int
        Best cost, nodes searched, nodes still open.
    """
    deepest = len(out.state) - 2
    node, waiting = node_of(problem, start)
    room, lists = room_for(problem), lists_for(problem, deepest + 2)
    path = Path(
        branch=np.empty(deepest + 2, dtype=np.uint32),
        second=np.zeros(deepest + 2, dtype=np.bool_),
        mark=np.zeros(deepest + 2, dtype=np.int64),
        mark_lost=np.zeros(deepest + 2, dtype=np.int64),
        least=np.zeros(deepest + 2, dtype=np.int64),
    )
    tally = node.tally
    least = start.least[0]
    depth = nodes = 0
    while True:
        if nodes >= budget or depth >= deepest:
            count = hand_out(problem, node, path, depth, waiting, least, out)
            return best, nodes, count
        nodes += 1
        sweeps = first_sweeps if nodes == 1 else 1
        level = depth + 1
        least, opens = examine(
            problem, node, room, lists, level, waiting, best, sweeps, least
        )
        if opens == REACHED:
            best = tally[COST]
            for e in range(len(picked)):
                picked[e] = 1 if node.state[e] == IN else 0
        if opens > 0:
            items = lists.owner[lists.first[level] : lists.first[level + 1]]
            opened, wanted, gap = room.opened[:opens], tally[NEED], best - least
            branch = best_branch(problem, room, opened, items, node.worth, wanted, gap)
            path.branch[depth] = branch
            path.second[depth] = False
            path.least[depth] = least
            verdict = half(problem, branch, False)
        else:  # back to the last level whose second half is due
            undo(problem, node, path.mark[depth], path.mark_lost[depth])
            while depth > 0 and path.second[depth - 1]:
                depth -= 1
                undo(problem, node, path.mark[depth], path.mark_lost[depth])
            if depth == 0:
                return best, nodes, 0
            depth -= 1
            branch = np.int64(path.branch[depth])
            path.second[depth] = True
            least = path.least[depth]
            verdict = half(problem, branch, True)
        node.pending[0] = branch
        node.verdict[0] = verdict
        waiting = 1
        depth += 1
        path.mark[depth] = tally[DECIDED]
        path.mark_lost[depth] = tally[LOST]
