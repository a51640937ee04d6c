"""The arrays on which the kernels of the branch and bound for the knapsack work."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....solvers.kernels import kernel

Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
Bytes = npt.NDArray[np.int8]
Bools = npt.NDArray[np.bool_]

OPEN, IN, OUT = 0, 1, 2
"""An element is undecided, excluded (in R), kept (out of R)."""
MULTIPLIER_BITS = 16
"""Fractional bits of the multiplier."""
MOST_MULTIPLIED = 2**60
"""Multiplier times all weight stays below this."""
FAR = 2**62
DECIDED, LOST, COST, NEED, MULTIPLIER = range(5)
"""Entries of `Node.tally`."""


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


class Node(NamedTuple):
    """The node at hand, and what to undo in order to leave it."""

    state: Bytes
    """Of the elements."""
    alive: Bools
    """Of the items."""
    living: Words
    """The same, 64 a word."""
    worth: Ints
    """Profit of the living items with the element."""
    shares: Ints
    trail: Ints
    """Decided elements, in order."""
    dead: Ints
    """Lost items, in order."""
    pending: Ints
    """Elements to be decided next."""
    verdict: Bytes
    """What they become."""
    tally: Ints
    """Numbers of decided elements and lost items, cost, weight that R still needs,
    multiplier."""


class Room(NamedTuple):
    """Room for the bound: open elements, living items, and pairs of the two (edges)."""

    opened: Ints
    """The open elements; what follows is by their numbers in this list."""
    place: Ints
    """Number in that list, by element."""
    order: Ints
    load: Ints
    """Sum of the shares that an element got."""
    key: Ints
    """Load less the weight's part of the multiplier."""
    heavy: Ints
    chosen: Bools
    grant: Ints
    """What an element gets back when another one loses its items; all zero between."""
    begin: Ints
    """Item i, in order of living ones, has the edges begin[i] : begin[i + 1]."""
    local: Ints
    """Number of a living item in that order."""
    rest: Ints
    """What is not shared out of an item."""
    at: Ints
    """Element of an edge, by its number."""
    edge: Ints
    """Place in ``member``."""
    part: Ints
    """Share."""


class Path(NamedTuple):
    """What leads to the node at hand, level by level; shares are in the rows of `out`.

    The last level has no branch yet.
    """

    branch: Ints
    second: Bools
    """Whether the half in which the element is kept has been entered."""
    mark: Ints
    """Decided elements before the branch."""
    mark_lost: Ints
    least: Ints
    multiplier: Ints


@kernel
def node_of(problem: Problem, start: Nodes, row: int) -> tuple[Node, int]:
    """Return the root with the decisions of a node pending, and their number."""
    n, m = len(problem.profit), len(problem.weight)
    node = Node(
        state=np.zeros(m, dtype=np.int8),
        alive=np.ones(n, dtype=np.bool_),
        living=np.zeros(problem.bits.shape[1], dtype=np.uint64),
        worth=np.zeros(m, dtype=np.int64),
        shares=start.shares[row].copy(),
        trail=np.empty(m, dtype=np.int64),
        dead=np.empty(n, dtype=np.int64),
        pending=np.empty(2 * m + 2, dtype=np.int64),
        verdict=np.empty(2 * m + 2, dtype=np.int8),
        tally=np.zeros(5, dtype=np.int64),
    )
    node.tally[NEED] = problem.need
    node.tally[MULTIPLIER] = start.multiplier[row]
    for j in range(n):
        node.living[j >> 6] |= np.uint64(1) << np.uint64(j & 63)
        for t in range(problem.item[j], problem.item[j + 1]):
            node.worth[problem.member[t]] += problem.profit[j]
    waiting = 0
    for e in range(m):
        if start.state[row, e] != OPEN:
            node.pending[waiting] = e
            node.verdict[waiting] = start.state[row, e]
            waiting += 1
    return node, waiting


@kernel
def room_for(problem: Problem) -> Room:
    """Return room for the bound."""
    n, m, edges = len(problem.profit), len(problem.weight), len(problem.member)
    return Room(
        opened=np.empty(m, dtype=np.int64),
        place=np.empty(m, dtype=np.int64),
        order=np.empty(m, dtype=np.int64),
        load=np.empty(m, dtype=np.int64),
        key=np.empty(m, dtype=np.int64),
        heavy=np.empty(m, dtype=np.int64),
        chosen=np.empty(m, dtype=np.bool_),
        grant=np.zeros(m, dtype=np.int64),
        begin=np.empty(n + 1, dtype=np.int64),
        local=np.empty(n, dtype=np.int64),
        rest=np.empty(n, dtype=np.int64),
        at=np.empty(edges, dtype=np.int64),
        edge=np.empty(edges, dtype=np.int64),
        part=np.empty(edges, dtype=np.int64),
    )


@kernel
def path_of(levels: int) -> Path:
    """Return room for a path of so many levels."""
    return Path(
        branch=np.empty(levels, dtype=np.int64),
        second=np.zeros(levels, dtype=np.bool_),
        mark=np.zeros(levels, dtype=np.int64),
        mark_lost=np.zeros(levels, dtype=np.int64),
        least=np.zeros(levels, dtype=np.int64),
        multiplier=np.zeros(levels, dtype=np.int64),
    )
