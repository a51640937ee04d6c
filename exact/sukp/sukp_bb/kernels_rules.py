"""Kernels that draw conclusions at a node of the branch and bound; see ``search``."""

from __future__ import annotations

import numpy as np

from ....solvers.running.kernels import kernel, uncounted
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
    Node,
    Workspace,
)

CLOSED = -1
"""Nothing below the node is of the form looked for and cheaper."""
REACHED = 0
"""R weighs enough."""
_FEW = 3
"""Living items of a kept element up to which closure is looked for."""


@uncounted
@kernel
def lose(problem: FlatInstance, node: Node, j: int) -> None:
    """Mark a living item as lost."""
    item, member, worth, tally = problem.item, problem.member, node.worth, node.tally
    profit, living = problem.profit[j], node.living
    node.alive[j] = False
    node.dead[tally[LOST]] = j
    tally[LOST] += 1
    tally[COST] += profit
    for u in range(item[j], item[j + 1]):
        worth[member[u]] -= profit
        living[member[u]] -= 1


@uncounted
@kernel
def decide(problem: FlatInstance, node: Node, waiting: int) -> bool:
    """Carry out the pending decisions; return whether they agree with earlier ones."""
    element, among, alive, tally = (
        problem.element,
        problem.among,
        node.alive,
        node.tally,
    )
    state, pending, verdict = node.state, node.pending, node.verdict
    m = len(problem.weight)
    agree = True
    while waiting > 0:
        waiting -= 1
        e = np.int64(pending[waiting])
        if state[e] != OPEN:
            agree &= state[e] == verdict[waiting]
            continue
        if e >= m and verdict[waiting] == OUT:  # an item: so are all its elements
            agree &= alive[e - m]
            for t in range(problem.item[e - m], problem.item[e - m + 1]):
                pending[waiting] = problem.member[t]
                verdict[waiting] = OUT
                waiting += 1
            continue
        state[e] = verdict[waiting]
        node.trail[tally[DECIDED]] = e
        tally[DECIDED] += 1
        if e >= m:
            if alive[e - m]:
                lose(problem, node, e - m)
        elif state[e] == IN:
            tally[NEED] -= problem.weight[e]
            for t in range(element[e], element[e + 1]):
                if alive[among[t]]:
                    lose(problem, node, among[t])
    return agree


@uncounted
@kernel
def undo(problem: FlatInstance, node: Node, decided: int, lost: int) -> None:
    """Take back decisions and losses down to these numbers of them."""
    profit, item, member = problem.profit, problem.item, problem.member
    state, worth, tally, living = node.state, node.worth, node.tally, node.living
    for i in range(decided, tally[DECIDED]):
        e = node.trail[i]
        if e < len(problem.weight) and state[e] == IN:
            tally[NEED] += problem.weight[e]
        state[e] = OPEN
    for i in range(lost, tally[LOST]):
        j = node.dead[i]
        node.alive[j] = True
        tally[COST] -= profit[j]
        for u in range(item[j], item[j + 1]):
            worth[member[u]] += profit[j]
            living[member[u]] += 1
    tally[DECIDED], tally[LOST] = decided, lost


@uncounted
@kernel
def list_open(
    problem: FlatInstance, state: Bytes, room: Workspace
) -> tuple[int, int, int]:
    """List the open elements; return their number, their weight, and R's lightest."""
    weight, mass, opened, heavy = (
        problem.weight,
        problem.mass,
        room.opened,
        room.heavy,
    )
    opens = heft = 0
    lightest = -1  # of R: the last, as weights decrease
    for e in range(len(weight)):
        free = state[e] == OPEN
        opened[opens] = e
        opens += 1 if free else 0
        heft += weight[e] if free else 0
        heavy[e] = mass[e] if free else 0
        lightest = e if state[e] == IN else lightest
    return opens, heft, lightest


@uncounted
@kernel
def keep_by_closure(
    problem: FlatInstance, node: Node, opened: Indices, opens: int, lightest: int
) -> int:
    """Keep elements whose exclusion would leave a kept one without items.

    R is the heaviest-first part of a closed set: a kept element must not come for
    nothing with a lighter one of R. Only kept elements with few living items are looked
    at: others are hardly ever covered. Returns the number of elements found, noted as
    pending; `CLOSED` if R is not of this form.
    """
    state, alive, element, among = (
        node.state,
        node.alive,
        problem.element,
        problem.among,
    )
    bits, item, member = problem.bits, problem.item, problem.member
    waiting, m = 0, len(problem.weight)
    for f in range(m):
        if state[f] != OUT or node.living[f] > _FEW:
            continue
        if node.living[f] == 0:
            if f < lightest:
                return CLOSED
            for i in range(opens):
                if opened[i] > f:
                    node.pending[waiting] = opened[i]
                    node.verdict[waiting] = OUT
                    waiting += 1
        else:
            t = np.int64(element[f])
            while not alive[among[t]]:
                t += 1
            first = among[t]
            for u in range(item[first], item[first + 1]):
                e = member[u]
                if state[e] != OPEN or (e < f and f > lightest):
                    continue
                inside = True
                for v in range(t + 1, element[f + 1]):
                    j = among[v]
                    bit = bits[e, j >> 6] >> np.uint64(j & 63) & np.uint64(1)
                    if alive[j] and bit == 0:
                        inside = False
                        break
                if inside:
                    node.pending[waiting] = e
                    node.verdict[waiting] = OUT
                    waiting += 1
        if waiting > m:
            break
    return waiting


@uncounted
@kernel
def propagate(
    problem: FlatInstance, node: Node, room: Workspace, waiting: int, best: int
) -> tuple[int, int]:
    """Carry out pending decisions and what follows from them by weight and closure.

    Returns the number of open elements, which are listed, or `REACHED` or `CLOSED`; and
    the weight that they have beyond what R needs.
    """
    weight, opened, tally = problem.weight, room.opened, node.tally
    while True:
        if not decide(problem, node, waiting) or tally[COST] >= best:
            return CLOSED, 0
        if tally[NEED] <= 0:
            return REACHED, 0
        opens, heft, lightest = list_open(problem, node.state, room)
        free = heft - tally[NEED]
        if free < 0:
            return CLOSED, 0
        waiting = 0
        while waiting < opens and weight[opened[waiting]] > free:  # R needs these
            node.pending[waiting] = opened[waiting]
            node.verdict[waiting] = IN
            waiting += 1
        if waiting > 0:
            continue
        waiting = keep_by_closure(problem, node, opened, opens, lightest)
        if waiting == CLOSED:
            return CLOSED, 0
        if waiting == 0:
            return opens, free
