"""Kernels of the branch and bound over excluded elements; see ``search``.

A node excludes some elements (IN the set R that leaves), keeps some (OUT of it),
and has the others open. Items are *alive* until an element of theirs is excluded,
or until it is certain that one will be.
"""

from __future__ import annotations

import numpy as np

from ....solvers.kernels import kernel
from .kernels_bound import EXCEEDED, bound_by_shares
from .kernels_rules import CLOSED, REACHED, numbers_left, propagate, undo
from .layout import (
    COST,
    DECIDED,
    IN,
    LOST,
    MULTIPLIER,
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

_MORE_STEPS = 2
"""Steps of the ascent, at least, after something has been decided."""


@kernel
def hand_out(
    node: Node, path: Path, depth: int, waiting: int, least: int, out: Nodes
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
        out.state[count, path.branch[d]] = OUT
        out.least[count] = path.least[d]
        out.multiplier[count] = path.multiplier[d]
        out.shares[count] = out.shares[d]
        count += 1
    out.state[count] = node.state
    for i in range(waiting):
        out.state[count, node.pending[i]] = node.verdict[i]
    out.least[count] = least
    out.multiplier[count] = node.tally[MULTIPLIER]
    out.shares[count] = node.shares
    return count + 1


@kernel
def examine(
    problem: Problem,
    node: Node,
    room: Room,
    waiting: int,
    best: int,
    left: int,
    least: int,
    fewest_all: int,
    most_all: int,
) -> tuple[int, int]:
    """Apply all rules to a node; return its bound and the first of `propagate`."""
    while True:
        opens, size = propagate(problem, node, room, waiting, best)
        if opens <= 0:
            return least, opens
        need = node.tally[NEED]
        fewest, most = numbers_left(problem.weight, room.opened, opens, need)
        fewest, most = max(fewest, fewest_all - size), min(most, most_all - size)
        if fewest > most:
            return least, CLOSED
        bound, waiting, left = bound_by_shares(
            problem, node, room, opens, fewest, most, best, left
        )
        least = max(least, bound)
        if waiting == EXCEEDED:
            return least, CLOSED
        if waiting == 0:
            return least, opens
        left = max(left, _MORE_STEPS)


@kernel
def best_branch(problem: Problem, node: Node, room: Room, opens: int) -> int:
    """Return the open element to branch on: of most profit, by a power of weight."""
    opened, worth, rank = room.opened, node.worth, problem.rank
    top, top_rank = -1, -1.0
    for i in range(opens):
        e = opened[i]
        this = worth[e] * rank[e]
        if this > top_rank:
            top, top_rank = e, this
    return top


@kernel
def search(
    problem: Problem,
    start: Nodes,
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
    start
        The node, a single row.
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
    deepest = len(out.state) - 2
    node, waiting = node_of(problem, start)
    room = room_for(problem)
    path = Path(
        branch=np.empty(deepest + 2, dtype=np.uint32),
        second=np.zeros(deepest + 2, dtype=np.bool_),
        mark=np.zeros(deepest + 2, dtype=np.int64),
        mark_lost=np.zeros(deepest + 2, dtype=np.int64),
        least=np.zeros(deepest + 2, dtype=np.int64),
        multiplier=np.zeros(deepest + 2, dtype=np.int64),
    )
    tally = node.tally
    least = start.least[0]
    depth = nodes = 0
    while True:
        if nodes >= budget or depth >= deepest:
            return best, nodes, hand_out(node, path, depth, waiting, least, out)
        nodes += 1
        left = first_steps if nodes == 1 else steps
        least, opens = examine(
            problem, node, room, waiting, best, left, least, fewest_all, most_all
        )
        if opens == REACHED:
            best = tally[COST]
            for e in range(len(node.state)):
                picked[e] = 1 if node.state[e] == IN else 0
        if opens > 0:
            path.branch[depth] = best_branch(problem, node, room, opens)
            path.second[depth] = False
            path.least[depth] = least
            path.multiplier[depth] = tally[MULTIPLIER]
            out.shares[depth] = node.shares
            verdict = IN
        else:  # back to the last level whose second half is due
            undo(problem, node, path.mark[depth], path.mark_lost[depth])
            while depth > 0 and path.second[depth - 1]:
                depth -= 1
                undo(problem, node, path.mark[depth], path.mark_lost[depth])
            if depth == 0:
                return best, nodes, 0
            depth -= 1
            path.second[depth] = True
            node.shares[:] = out.shares[depth]
            tally[MULTIPLIER] = path.multiplier[depth]
            least = path.least[depth]
            verdict = OUT
        node.pending[0] = path.branch[depth]
        node.verdict[0] = verdict
        waiting = 1
        depth += 1
        path.mark[depth] = tally[DECIDED]
        path.mark_lost[depth] = tally[LOST]
