"""Mixed-integer models of the k-subset problem, in PuLP.

Frontiers are the largest instances proved in 60 s on one thread by the named solver, on
half-full square meshes; see docs/science/models.md.
"""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import Any

from ...instances import KSubset, arrays
from ...solvers.formulation import MipFormulation
from ...solvers.modelling import load_pulp
from .counts import ModelCounts
from .strengthening import Strengthening, chosen_of, symmetry_of

ALL = Strengthening()


class _Build:
    """The part that all models share: one binary per processor, k of them 1."""

    def __init__(
        self, name: str, instance: KSubset, strengthening: Strengthening
    ) -> None:
        self.pulp = load_pulp()
        self.name, self.instance, self.strengthening = name, instance, strengthening
        self.model = self.pulp.LpProblem(name.replace("-", "_"), 1)
        self.terms: list[tuple[Any, int]] = []
        found, self.hint = symmetry_of(instance, strengthening)
        chosen = set(self.hint or ())
        self.x = [self.binary(f"x{i}", i in chosen) for i in range(instance.n)]
        self.row([(x, 1) for x in self.x], "==", instance.k)
        for i in found.fixed:
            self.row([(self.x[i], 1)], "==", 1)
        for signs in found.rows:
            self.row(zip(self.x, signs.tolist(), strict=True), "<=", 0)

    def binary(self, name: str, start: bool) -> Any:
        return self._variable(name, 0, 1, "Integer", start)

    def real(self, name: str, high: int, start: int) -> Any:
        return self._variable(name, 0, high, "Continuous", start)

    def row(self, terms: Any, sense: str, right: int) -> None:
        constants = self.pulp.constants
        senses = {"<=": constants.LpConstraintLE, "==": constants.LpConstraintEQ}
        senses[">="] = constants.LpConstraintGE
        left = self.pulp.LpAffineExpression([(v, c) for v, c in terms if c])
        self.model += self.pulp.LpConstraint(left, senses[sense], None, right)

    def finish(self, constant: int, unit: int) -> MipFormulation:
        if constant:  # solvers drop constants, a variable that is 1 stays
            one = self._variable("one", 1, 1, "Continuous", 1)
            self.terms.append((one, constant))
        if self.strengthening.bound is not None and self.terms:
            self.row(self.terms, ">=", self.strengthening.bound * unit)
        self.model.setObjective(self.pulp.LpAffineExpression(self.terms))
        return MipFormulation(
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

    def _variable(self, name: str, low: int, high: int, kind: str, start: int) -> Any:
        variable = self.model.add_variable(name, low, high, kind)
        if self.hint is not None:
            variable.setInitialValue(int(start))
        return variable


def pairs(instance: KSubset, strengthening: Strengthening = ALL) -> MipFormulation:
    r"""One binary per processor and one variable per pair: the standard linearization.

    .. math::

        \min \sum_{i<j} d_{ij} y_{ij}, \quad \sum_i x_i = k, \quad
        y_{ij} \ge x_i + x_j - 1

    Size: n binaries, n(n-1)/2 reals, as many rows and one. Its relaxation is 0 up to
    k = n/2. Frontier: HiGHS k = 4 on 16x16, k = 8 on 12x12, k = 16 on 8x8.
    """
    build = _Build("pairs", instance, strengthening)
    for i, j, y in _products(build):
        build.row([(build.x[i], 1), (build.x[j], 1), (y, -1)], "<=", 1)
    return build.finish(0, 1)


def rlt(instance: KSubset, strengthening: Strengthening = ALL) -> MipFormulation:
    r"""Pairs tied to their processors: Σ_j y_ij = (k - 1) x_i.

    That is Σ_j x_j = k multiplied by x_i: the first level of the
    reformulation-linearization technique. Size: n binaries, n(n-1)/2 reals, n rows of
    n terms, and n(n-1) rows y_ij ≤ x_i. Its relaxation is nearly tight and slow.
    Frontier: HiGHS k = 16 on 16x16 in 40 s; fastest of all on 10x10 with k = 16.
    """
    build = _Build("rlt", instance, strengthening)
    with_i: list[list[tuple[Any, int]]] = [[] for _ in range(instance.n)]
    for i, j, y in _products(build, every=True):
        for one in (i, j):
            with_i[one].append((y, 1))
            build.row([(y, 1), (build.x[one], -1)], "<=", 0)
    for x, terms in zip(build.x, with_i, strict=True):
        build.row([*terms, (x, 1 - instance.k)], "==", 0)
    return build.finish(0, 1)


def _products(build: _Build, *, every: bool = False) -> list[tuple[int, int, Any]]:
    """Add a variable per pair, with the pair's distance as its cost."""
    hops = arrays.hops(build.instance)
    chosen = set(build.hint or ())
    found = []
    for i, j in combinations(range(build.instance.n), 2):
        if every or hops[i, j]:
            y = build.real(f"y{i}_{j}", 1, i in chosen and j in chosen)
            found.append((i, j, y))
            if hops[i, j]:
                build.terms.append((y, int(hops[i, j])))
    return found


class _Cuts(_Build):
    """Adds one integer per cut: the number of chosen processors inside."""

    def __init__(
        self, name: str, instance: KSubset, strengthening: Strengthening
    ) -> None:
        super().__init__(name, instance, strengthening)
        self.counts = ModelCounts(instance, strengthening.nesting)
        self.known = self.counts.of(self.hint or ())
        self.c = [
            self._variable(f"c{h}", low, high, "Continuous", self.known[h])
            for h, (low, high) in enumerate(self.counts.ranges)
        ]
        for h, c in enumerate(self.c):
            parts = [(self.c[i], 1) for i in self.counts.inside[h]]
            own = [(self.x[i], 1) for i in self.counts.own[h]]
            self.row([*parts, *own, (c, -1)], "==", 0)


def cuts_unary(instance: KSubset, strengthening: Strengthening = ALL) -> MipFormulation:
    """Count inside cuts by ordered binaries [c ≥ t] (incremental).

    Size, with m cuts: n + Σ_h r_h binaries, r_h ≤ k the range of count h, m reals,
    2m + 1 rows and about 2 Σ_h r_h of two terms. Frontier: CBC k = 16 on 16x16 in
    14 s; HiGHS k = 16 on 12x12.
    """
    build = _Cuts("cuts-unary", instance, strengthening)
    counts, constant = build.counts, 0
    at_least: list[dict[int, Any]] = []
    for h, (low, high) in enumerate(counts.ranges):
        weight = counts.weights[h]
        constant += weight * counts.cost(low)
        steps = {}
        for t in range(low + 1, high + 1):
            b = steps[t] = build.binary(f"b{h}_{t}", build.known[h] >= t)
            rise = counts.cost(t) - counts.cost(t - 1)
            if rise:
                build.terms.append((b, weight * rise))
        for lower, upper in pairwise(steps.values()):
            build.row([(upper, 1), (lower, -1)], "<=", 0)
        build.row([(build.c[h], 1), *((b, -1) for b in steps.values())], "==", low)
        at_least.append(steps)
    if build.strengthening.nesting:
        for h, up in enumerate(arrays.cuts(build.instance).parent):
            for t, b in at_least[h].items():
                if up >= 0 and t in at_least[up]:
                    build.row([(b, 1), (at_least[up][t], -1)], "<=", 0)
    return build.finish(constant, counts.unit)


BUILDERS = {"pairs": pairs, "rlt": rlt, "cuts-unary": cuts_unary}
