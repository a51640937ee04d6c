"""The flat arrays of the branch and bound for the set-union knapsack."""

from __future__ import annotations

import numpy as np

from ....instances import IntArray, Sukp
from .layout import MOST_MULTIPLIED, MULTIPLIER_BITS, OUT, Nodes, Problem

_BITS = 40
"""Scaled profits, and scaled weights, sum to less than 2^40."""
_EXPONENT = 0.3
"""Exponent of the weight in the branching order; 0 takes a third more time."""


def packed(instance: Sukp) -> tuple[Problem, IntArray]:
    """Convert an instance to the arrays of the kernels.

    Profits are scaled up so that shares of them can be integers, or rounded down if too
    large; weights that are too large are rounded up. Rounding only lowers the lower
    bound.

    Returns
    -------
    Problem, array
        The arrays, and the index in the instance of each of their elements.
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
    problem = Problem(
        profit=profit,
        share=profit << shift if shift >= 0 else profit >> -shift,
        shift=shift,
        weight=weight,
        mass=-((-weight) >> drop),
        drop=drop,
        item=_starts(items),
        member=_flat(items),
        element=_starts(among),
        among=_flat(among),
        bits=bits,
        need=total - instance.capacity,
        rank=weight.astype(np.float64) ** _EXPONENT,
    )
    return problem, index


def blank(problem: Problem, rows: int) -> Nodes:
    """Return an array of nodes with this capacity."""
    return Nodes(
        state=np.zeros((rows, len(problem.weight)), dtype=np.int8),
        least=np.zeros(rows, dtype=np.int64),
        multiplier=np.zeros(rows, dtype=np.int64),
        shares=np.zeros((rows, len(problem.member)), dtype=np.int64),
    )


def root(problem: Problem) -> Nodes:
    """Return the root: weightless elements kept, nothing else decided.

    Profits are shared out by weight and the multiplier is the mean: if every element
    received the same per weight, this alone would prove the fraction need / weight of
    the total profit.
    """
    nodes = blank(problem, 1)
    nodes.state[0, problem.weight == 0] = OUT
    masses = [int(mass) for mass in problem.mass]
    for j, share in enumerate(problem.share):
        of = slice(int(problem.item[j]), int(problem.item[j + 1]))
        parts = [masses[e] for e in problem.member[of]]
        heft = max(1, sum(parts))
        nodes.shares[0, of] = [int(share) * part // heft for part in parts]
    mass = max(1, sum(masses))
    fair = (int(problem.share.sum()) << MULTIPLIER_BITS) // mass
    nodes.multiplier[0] = min(fair, MOST_MULTIPLIED // mass)
    return nodes


def _starts(rows: list[list[int]]) -> IntArray:
    return np.cumsum([0, *map(len, rows)], dtype=np.int64)


def _flat(rows: list[list[int]]) -> IntArray:
    return np.array([x for row in rows for x in row], dtype=np.int64)
