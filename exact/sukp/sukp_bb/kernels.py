"""Kernels of the branch and bound over excluded elements; see ``search``.

A node excludes some elements (IN the set R that leaves), keeps some (OUT of it),
and has the others open. Items are *alive* until an element of theirs is excluded,
or until it is certain, or assumed, that one will be.
"""

from __future__ import annotations

import numpy as np

from ....solvers.kernels import kernel, unlocked
from .kernels_bound import EXCEEDED, bound_by_shares
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
    Node,
    Nodes,
    Path,
    Problem,
    Room,
    node_of,
    room_for,
)

_BEYOND = 1.3
"""What a branch is thought to add to the bound counts up to so many times the gap."""
_HALVINGS = 14
"""Steps of the bisection for the growth of a tree."""


@kernel
def half(problem: Problem, branch: int, second: bool) -> int:
    """Return what it becomes: an element is in R first, an item first not hit by it."""
    return IN if (branch < len(problem.weight)) != second else OUT


@kernel
def hand_out(
    problem: Problem,
    node: Node,
    path: Path,
    depth: int,
    waiting: int,
    least: int,
    out: Nodes,
) -> int:
    """Hand out what is open: the second halves, and the node at hand; return how many.

    Rows of shares move up in place: those of level d are in row d at first.
    """
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
        out.shares[count] = out.shares[d]
        count += 1
    out.state[count] = node.state
    for i in range(waiting):
        out.state[count, node.pending[i]] = node.verdict[i]
    out.least[count] = least
    out.shares[count] = node.shares
    return count + 1


@kernel
def examine(
    problem: Problem,
    node: Node,
    room: Room,
    waiting: int,
    best: int,
    sweeps: int,
    least: int,
) -> tuple[int, int, int]:
    """Apply all rules to a node.

    Returns its bound, the first of `propagate`, and the number of items listed.
    """
    while True:
        opens, free = propagate(problem, node, room, waiting, best)
        if opens <= 0:
            return least, opens, 0
        bound, waiting, items = bound_by_shares(
            problem, node, room, opens, free, best, sweeps
        )
        least = max(least, bound)
        if waiting == EXCEEDED:
            return least, CLOSED, 0
        if waiting == 0:
            return least, opens, items


@kernel
def growth(one: float, other: float) -> float:
    """Return u with e^(-u one) + e^(-u other) = 1; both are above 0.

    Where every branch adds these two to the bound, a tree that is to add g has about
    e^(u g) leaves.
    """
    less = min(one, other)
    ratio = max(one, other) / less
    low, high = 0.0, 1.0  # x = e^(-u less): x + x^ratio = 1
    for _ in range(_HALVINGS):
        x = (low + high) / 2
        if x + x**ratio > 1:
            high = x
        else:
            low = x
    return float(-np.log(high) / less)


@kernel
def best_branch(
    problem: Problem, node: Node, room: Room, opens: int, items: int, gap: int
) -> int:
    """Return the open element or living item with which the tree grows least.

    What both halves add to the bound is what they would if all elements had the same
    profit by weight: P need / W, of profit P and weight W.
    """
    opened, worth, weight = room.opened, node.worth, problem.weight
    need, total, profit = float(node.tally[NEED]), 0.0, 0.0
    for i in range(opens):
        total += weight[opened[i]]
    for i in range(items):
        profit += problem.profit[room.owner[i]]
    bound, cap = profit * need / total, _BEYOND * gap
    element, best_element = np.int64(opened[0]), 0.0
    taken = left = 1.0
    for i in range(opens):
        w, p = float(weight[opened[i]]), float(worth[opened[i]])
        rest = 1 / (total - w)
        rise = min(p + (profit - p) * (need - w) * rest - bound, cap)
        fall = min(profit * need * rest - bound, cap)
        score = rise * rise * np.sqrt(max(rise, 0.0)) * fall
        if score > best_element:
            element, best_element = np.int64(opened[i]), score
            taken, left = rise, fall
    item, best_item = np.int64(-1), 0.0
    kept = hit = 1.0
    for i in range(items):
        p = float(problem.profit[room.owner[i]])
        rise = min((profit - p) * need / (total - room.heft[i]) - bound, cap)
        fall = min(p * (1 - need / total), cap)
        score = max(rise, 0.0) ** 2 * fall
        if score > best_item:
            item, best_item = np.int64(room.owner[i]), score
            kept, hit = rise, fall
    if item >= 0 and (best_element == 0 or growth(kept, hit) < growth(taken, left)):
        return int(len(weight) + item)
    return int(element)


@unlocked
@kernel
def search(
    problem: Problem,
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
    room = room_for(problem)
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
        least, opens, items = examine(problem, node, room, waiting, best, sweeps, least)
        if opens == REACHED:
            best = tally[COST]
            for e in range(len(picked)):
                picked[e] = 1 if node.state[e] == IN else 0
        if opens > 0:
            branch = best_branch(problem, node, room, opens, items, best - least)
            path.branch[depth] = branch
            path.second[depth] = False
            path.least[depth] = least
            out.shares[depth] = node.shares
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
            node.shares[:] = out.shares[depth]
            least = path.least[depth]
            verdict = half(problem, branch, True)
        node.pending[0] = branch
        node.verdict[0] = verdict
        waiting = 1
        depth += 1
        path.mark[depth] = tally[DECIDED]
        path.mark_lost[depth] = tally[LOST]
