"""Models of the k-subset problem for CP-SAT.

Frontiers are the largest instances proved in 60 s on one thread, on half-full square
meshes; see docs/science/models.md, which also has the encodings that were tried and
dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from typing import Any

from ...instances import KSubset, arrays
from ...solvers.formulation import CpFormulation
from ...solvers.later import cp_model
from .counts import ModelCounts
from .strengthening import Strengthening, chosen_of, symmetry_of

ALL = Strengthening()


class _Build:
    """The part that all models share: one boolean per processor, k of them true."""

    def __init__(
        self, name: str, instance: KSubset, strengthening: Strengthening
    ) -> None:
        self.name, self.instance, self.strengthening = name, instance, strengthening
        self.model = cp_model.CpModel()
        self.model.name = name
        self.x = [self.model.new_bool_var(f"x{i}") for i in range(instance.n)]
        self.model.add(sum(self.x) == instance.k)
        found, self.hint = symmetry_of(instance, strengthening)
        for i in found.fixed:
            self.model.add(self.x[i] == 1)
        for row in found.rows:
            self.model.add(cp_model.LinearExpr.weighted_sum(self.x, row) <= 0)
        if self.hint is not None:
            chosen = set(self.hint)
            for i, x in enumerate(self.x):
                self.model.add_hint(x, int(i in chosen))

    def finish(
        self, costs: Sequence[Any], weights: Sequence[int], constant: int, unit: int
    ) -> CpFormulation:
        total = cp_model.LinearExpr.weighted_sum(costs, weights) + constant
        if self.strengthening.bound is not None:
            self.model.add(total >= self.strengthening.bound * unit)
        self.model.minimize(total)
        return CpFormulation(
            name=self.name,
            instance=self.instance,
            model=self.model,
            variables=self.x,
            decode=chosen_of,
            unit=unit,
            hint=self.hint,
            bound=self.strengthening.bound,
            proof=self.strengthening.proof,
        )


def pairs(instance: KSubset, strengthening: Strengthening = ALL) -> CpFormulation:
    r"""One boolean per processor and one per pair: the standard linearization.

    .. math::

        \min \sum_{i<j} d_{ij} y_{ij}, \quad \sum_i x_i = k, \quad
        y_{ij} \ge x_i + x_j - 1

    Size: n + n(n-1)/2 booleans, n(n-1)/2 clauses and a row. Its relaxation is 0 up to
    k = n/2. Frontier: k = 4 on 16x16, k = 8 on 8x8, k = 16 on 6x6.
    """
    build = _Build("pairs", instance, strengthening)
    x, model = build.x, build.model
    hops = arrays.hops(instance)
    chosen = set(build.hint or ())
    costs, weights = [], []
    for i, j in combinations(range(instance.n), 2):
        if not hops[i, j]:
            continue
        y = model.new_bool_var(f"y{i}_{j}")
        model.add_bool_or(x[i].negated(), x[j].negated(), y)
        costs.append(y)
        weights.append(int(hops[i, j]))
        if build.hint is not None:
            model.add_hint(y, int(i in chosen and j in chosen))
    return build.finish(costs, weights, 0, 1)


class _Cuts(_Build):
    """Adds one integer per cut: the number of chosen processors inside."""

    def __init__(
        self, name: str, instance: KSubset, strengthening: Strengthening
    ) -> None:
        super().__init__(name, instance, strengthening)
        self.counts = ModelCounts(instance, strengthening.nesting)
        model = self.model
        self.c = [
            model.new_int_var(low, high, f"c{h}")
            for h, (low, high) in enumerate(self.counts.ranges)
        ]
        for h, c in enumerate(self.c):
            parts = [self.c[i] for i in self.counts.inside[h]]
            model.add(c == sum(parts) + sum(self.x[i] for i in self.counts.own[h]))
        self.known: list[int] | None = None
        if self.hint is not None:
            self.known = self.counts.of(self.hint)
            for c, value in zip(self.c, self.known, strict=True):
                model.add_hint(c, value)

    def finish(
        self, costs: Sequence[Any], weights: Sequence[int], constant: int, unit: int
    ) -> CpFormulation:
        bare = super().finish(costs, weights, constant, unit)
        # The linear relaxation is nearly always 0 and takes most of the time.
        return replace(bare, parameters="linearization_level: 0")


def cuts_unary(instance: KSubset, strengthening: Strengthening = ALL) -> CpFormulation:
    """Count inside cuts by ordered booleans [c ≥ t]; the rest is linear.

    Size, with m cuts: n + Σ_h r_h booleans, r_h ≤ k the range of count h, m
    integers, 2m rows and about 2 Σ_h r_h implications.
    Frontier: k = 16 on 16x16 in 36 s; fastest CP-SAT model from k = 16 on.
    """
    build = _Cuts("cuts-unary", instance, strengthening)
    model, counts = build.model, build.counts
    steps: list[Any] = []
    rises: list[int] = []
    constant = 0
    at_least: list[dict[int, Any]] = []
    for h, (low, high) in enumerate(counts.ranges):
        constant += counts.weights[h] * counts.cost(low)
        literals = {}
        for t in range(low + 1, high + 1):
            b = literals[t] = model.new_bool_var(f"b{h}_{t}")
            steps.append(b)
            rises.append(counts.weights[h] * (counts.cost(t) - counts.cost(t - 1)))
            if build.known is not None:
                model.add_hint(b, int(build.known[h] >= t))
        for lower, upper in pairwise(literals.values()):
            model.add_implication(upper, lower)
        model.add(build.c[h] == low + sum(literals.values()))
        at_least.append(literals)
    if build.strengthening.nesting:
        for h, up in enumerate(arrays.cuts(build.instance).parent):
            if up < 0:
                continue
            for t, b in at_least[h].items():
                if t in at_least[up]:
                    model.add_implication(b, at_least[up][t])
    return build.finish(steps, rises, constant, counts.unit)


BUILDERS = {"pairs": pairs, "cuts-unary": cuts_unary}
