"""The model of task mapping for CP-SAT."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from ortools.sat.python import cp_model

from ..instance import RankMapping

MOST_LITERALS = 2**25
"""Most literals of clauses; CP-SAT takes some 40 bytes for each."""


def literals(mapping: RankMapping) -> int:
    """Return how many literals the clauses of the model have at most."""
    n = mapping.ranks
    pairs = int(np.count_nonzero(np.triu(mapping.flow, 1)))
    distances = len(np.unique(mapping.hops[np.triu_indices(n, 1)]))
    return pairs * max(0, distances - 1) * 2 * n * n


def distance_levels(
    mapping: RankMapping, hint: Sequence[int]
) -> tuple[cp_model.CpModel, list[Any]]:
    r"""One boolean per rank and processor; per pair of ranks one for each distance.

    .. math::

        \min \sum_{i<k} f_{ik} (d_0 + \sum_t (d_t - d_{t-1}) b_{ikt}), \quad
        x_{ij} \land \lnot b_{ikt} \Rightarrow \bigvee_{l: d_{jl} < d_t} x_{kl}

    where :math:`d_0 < d_1 < \dots` are the distances of processors and
    :math:`b_{ikt}` is whether ranks i and k are at least d_t apart. The objective is in
    units of `RankMapping.unit`.

    Size: n^2 booleans, and for every pair with traffic one boolean and 2n clauses of at
    most n literals per distance beyond the least.

    Returns the model, and the booleans of rank 0, of rank 1, and so on.
    """
    n, hops = mapping.ranks, mapping.hops
    model = cp_model.CpModel()
    model.name = "distance-levels"
    x = [[model.new_bool_var(f"x{i}_{j}") for j in range(n)] for i in range(n)]
    for i in range(n):
        model.add_exactly_one(x[i])
        model.add_exactly_one(row[i] for row in x)
        for j in range(n):
            model.add_hint(x[i][j], int(hint[i] == j))
    levels = sorted({int(hops[j, m]) for j, m in combinations(range(n), 2)})
    costs, weights, constant = [], [], 0
    for i, k in combinations(range(n), 2):
        flow = int(mapping.flow[i, k])
        if not flow:
            continue
        constant += flow * levels[0]
        apart: list[Any] = []
        for low, high in pairwise(levels):
            apart.append(model.new_bool_var(f"b{i}_{k}_{high}"))
            costs.append(apart[-1])
            weights.append(flow * (high - low) // mapping.unit)
            model.add_hint(apart[-1], int(hops[hint[i], hint[k]] >= high))
            for a, b in ((i, k), (k, i)):
                for j in range(n):
                    near = [x[b][m] for m in range(n) if m != j and hops[j, m] < high]
                    model.add_bool_or([x[a][j].negated(), apart[-1], *near])
        for one, next_ in pairwise(apart):
            model.add_implication(next_, one)
    total = cp_model.LinearExpr.weighted_sum(costs, weights)
    model.minimize(total + constant // mapping.unit)
    return model, [one for row in x for one in row]
