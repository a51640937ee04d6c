"""The flat arrays of the branch and bound for the set-union knapsack."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....instances import IntArray, Sukp
from ....solvers.running.kernels import kernel

Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
Indices = npt.NDArray[np.uint32]
"""Numba checks no such index for being negative: a fifth less time. A difference of
two is unsigned, and its quotient with a signed integer a float: convert it first."""
Bytes = npt.NDArray[np.int8]
Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]

OPEN, IN, OUT = 0, 1, 2
"""An element is undecided, excluded (in R), kept (out of R). Likewise an item: R hits
it, or does not; item j has number elements + j."""
MULTIPLIER_BITS = 16
"""Fractional bits of the multiplier."""
MOST_MULTIPLIED = 2**60
"""Multiplier times all weight stays below this."""
DECIDED, LOST, COST, NEED = range(4)
"""Entries of `Node.tally`: decisions, items lost, cost, weight still needed by R."""
_BITS = 40
"""Scaled profits, and scaled weights, sum to less than 2^40."""


class FlatInstance(NamedTuple):
    """One instance, elements in order of decreasing weight, as flat arrays."""

    profit: Ints  # of the items
    share: Ints  # the same in the units of shares: times 2^shift, rounded down
    shift: int  # may be negative, for large profits
    weight: Ints  # of the elements, decreasing
    mass: Ints  # the same in the units of the multiplier: over 2^drop, rounded up
    drop: int
    item: Indices  # item j has the elements member[item[j] : item[j + 1]]
    member: Indices
    element: Indices  # element e is in the items among[element[e] : element[e + 1]]
    among: Indices
    bits: Words  # the items of each element, 64 a word
    need: int  # what R must weigh at least
    highest: int  # the multiplier, at most


class Nodes(NamedTuple):
    """Open nodes on their way into or out of the kernel, a row each."""

    state: Bytes  # of the elements, then of the items
    least: Ints  # bound on the cost


class Node(NamedTuple):
    """The node at hand, and what to undo in order to leave it."""

    state: Bytes  # of the elements, then of the items on which it was branched
    alive: Bools  # of the items
    living: Indices  # number of living items with the element
    worth: Ints  # their profit
    trail: Indices  # decided elements and items, in order
    dead: Indices  # lost items, in order
    pending: Indices  # elements and items to be decided next
    verdict: Bytes  # what they become
    tally: Ints  # see `DECIDED` and the like


class Workspace(NamedTuple):
    """Working memory for the bound and for the choice of a branch."""

    heavy: Ints  # mass of each element, 0 if it is not open
    opened: Indices  # the open elements; what follows is in this order
    heft: Ints  # mass
    level: Ints  # load by mass, in the units of the multiplier
    key: Ints  # load less the mass's part of the multiplier
    rise: Floats  # of the bound, with the element in R
    fall: Floats  # of the bound, with the element out of R
    order: Indices  # places of living items in a list, in the order of pouring
    first: Bools  # whether an item comes first there
    mass: Ints  # of an item's open elements


class Lists(NamedTuple):
    """Living items with their open elements (edges) and shares, a list for each level.

    That of level d has the places first[d] : first[d + 1], and the item in place i has
    the edges begin[i] : begin[i + 1].
    """

    first: Indices
    owner: Indices  # item in a place
    begin: Indices
    at: Indices  # element of an edge
    part: Ints  # its share of the item's profit
    load: Ints  # of an element, at a level: the sum of its shares


class Path(NamedTuple):
    """The path to the current node, level by level.

    The last level has no branch yet.
    """

    branch: Indices
    second: Bools  # whether its second half has been entered
    mark: Ints  # decisions before the branch
    mark_lost: Ints
    least: Ints


@kernel
def node_of(problem: FlatInstance, start: Nodes) -> tuple[Node, int]:
    """Return the root with the decisions of a node pending, and their number.

    An open element without weight is kept: it is of no use in R.
    """
    n, m = len(problem.profit), len(problem.weight)
    node = Node(
        state=np.zeros(m + n, dtype=np.int8),
        alive=np.ones(n, dtype=np.bool_),
        living=np.zeros(m, dtype=np.uint32),
        worth=np.zeros(m, dtype=np.int64),
        trail=np.empty(m + n, dtype=np.uint32),
        dead=np.empty(n, dtype=np.uint32),
        pending=np.empty(2 * m + n + 2, dtype=np.uint32),
        verdict=np.empty(2 * m + n + 2, dtype=np.int8),
        tally=np.zeros(4, dtype=np.int64),
    )
    node.tally[NEED] = problem.need
    for j in range(n):
        for t in range(problem.item[j], problem.item[j + 1]):
            node.worth[problem.member[t]] += problem.profit[j]
            node.living[problem.member[t]] += 1
    waiting = 0
    for e in range(m + n):
        if start.state[0, e] != OPEN:
            node.pending[waiting] = e
            node.verdict[waiting] = start.state[0, e]
            waiting += 1
        elif e < m and problem.weight[e] == 0:
            node.pending[waiting] = e
            node.verdict[waiting] = OUT
            waiting += 1
    return node, waiting


@kernel
def room_for(problem: FlatInstance) -> Workspace:
    """Allocate working memory for the bound."""
    n, m = len(problem.profit), len(problem.weight)
    return Workspace(
        heavy=np.empty(m, dtype=np.int64),
        opened=np.empty(m, dtype=np.uint32),
        heft=np.empty(m, dtype=np.int64),
        level=np.empty(m, dtype=np.int64),
        key=np.empty(m, dtype=np.int64),
        rise=np.empty(m, dtype=np.float64),
        fall=np.empty(m, dtype=np.float64),
        order=np.empty(n + 1, dtype=np.uint32),
        first=np.empty(n, dtype=np.bool_),
        mass=np.empty(n, dtype=np.int64),
    )


@kernel
def lists_for(problem: FlatInstance, levels: int) -> Lists:
    """Return lists for levels 0 to ``levels`` - 1.

    That of level 0 has all items and elements, and nothing is shared out.
    """
    n, m, edges = len(problem.profit), len(problem.weight), len(problem.member)
    lists = Lists(
        first=np.zeros(levels + 1, dtype=np.uint32),
        owner=np.empty(levels * n, dtype=np.uint32),
        begin=np.empty(levels * n + 1, dtype=np.uint32),
        at=np.empty(levels * edges + 1, dtype=np.uint32),
        part=np.empty(levels * edges + 1, dtype=np.int64),
        load=np.empty((levels, m), dtype=np.int64),
    )
    lists.first[1] = n
    lists.begin[: n + 1] = problem.item
    for j in range(n):
        lists.owner[j] = j
    lists.at[:edges] = problem.member
    lists.part[:edges] = 0
    lists.load[0] = 0
    return lists


def to_arrays(instance: Sukp) -> tuple[FlatInstance, IntArray]:
    """Convert an instance to the arrays of the kernels.

    Profits are scaled up so that shares of them can be integers, or rounded down if too
    large; weights that are too large are rounded up. Rounding only lowers the lower
    bound. Returns also the index in the instance of each element of the arrays.
    """
    weights = np.array(instance.weights, dtype=np.int64)
    index = np.argsort(-weights, kind="stable")
    place = np.empty_like(index)
    place[index] = np.arange(len(index))
    items = [sorted(int(place[e]) for e in elements) for elements in instance.items]
    among: list[list[int]] = [[] for _ in weights]
    for j, elements in enumerate(items):
        for e in elements:
            among[e].append(j)
    bits = np.zeros((len(weights), (instance.n + 63) // 64), dtype=np.uint64)
    for e, where in enumerate(among):
        for j in where:
            bits[e, j >> 6] |= np.uint64(1 << (j & 63))
    profit = np.array(instance.profits, dtype=np.int64)
    shift = _BITS - sum(instance.profits).bit_length()
    total = sum(instance.weights)
    # rounding up adds at most 1 per element
    drop = max(0, total.bit_length() - (_BITS - 1))
    weight = weights[index]
    mass = -((-weight) >> drop)
    problem = FlatInstance(
        profit=profit,
        share=profit << shift if shift >= 0 else profit >> -shift,
        shift=shift,
        weight=weight,
        mass=mass,
        drop=drop,
        item=_starts(items),
        member=_flat(items),
        element=_starts(among),
        among=_flat(among),
        bits=bits,
        need=total - instance.capacity,
        highest=MOST_MULTIPLIED // max(1, int(mass.sum())),
    )
    return problem, index


def blank(problem: FlatInstance, rows: int) -> Nodes:
    """Return an array of nodes with this capacity."""
    decided = len(problem.weight) + len(problem.profit)
    return Nodes(
        state=np.zeros((rows, decided), dtype=np.int8),
        least=np.zeros(rows, dtype=np.int64),
    )


def _starts(rows: list[list[int]]) -> Indices:
    return np.cumsum([0, *map(len, rows)], dtype=np.uint32)


def _flat(rows: list[list[int]]) -> Indices:
    return np.array([x for row in rows for x in row], dtype=np.uint32)
