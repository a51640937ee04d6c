"""Proofs for processor sets: branch and bound, level by level.

The levels of the cost are settled one after the other. That a level costs at least
what it does in an optimum is shown by a tree over which sets are open. Its leaves are
combinations of rows that no choice obeys: multipliers from the linear relaxation, in
which the levels above may not cost more than in the optimum. See docs/proofs.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd
from typing import NamedTuple

from ....instances import ProcSet
from ....instances.proofs.formulas import levels_of
from ....solvers.proof_log import ProofLog
from .relaxation import Logged
from .store import Store, Terms
from .tree import Tree

_MOST = 2**40
"""Sum of the costs of a level, in units, up to which 64 bits hold combinations."""


def prove(instance: ProcSet, chosen: Sequence[int] | None, log: ProofLog) -> bool:
    """Write a proof that nothing is cheaper than a choice, or that there is none.

    Returns False if the costs of a level are too large for this prover.

    Raises
    ------
    SolverError
        If there is a cheaper choice.
    OutOfRoom
        When the time or the room of the log is used up.
    """
    if chosen is None:
        log.infeasible(log.rup([], 1))
        return True
    prover = _Prover(instance, chosen, log)
    if any(sum(level.costs) >= _MOST for level in prover.levels):
        return False
    prover.prove()
    return True


class _Level(NamedTuple):
    """A level of the cost, counted in units of the greatest common divisor."""

    weight: int
    """Of one unit, in the objective."""
    costs: list[int]
    """Of every set that costs something, in units."""
    least: int
    """What an optimum costs, in units."""


class _Prover:
    """The rows that hold so far, and the levels."""

    def __init__(self, instance: ProcSet, chosen: Sequence[int], log: ProofLog) -> None:
        self._log, formula = log, log.formula
        picked = set(sorted(chosen)[: instance.request])
        self._true = {x for x, p in enumerate(instance.available, 1) if p in picked}
        self._sets = [s for s, cost in sorted(formula.objective.items()) if cost]
        self._objective = [formula.objective[s] for s in self._sets]
        column = {s: i for i, s in enumerate(self._sets)}
        lies_in: list[dict[int, int]] = [{} for _ in range(instance.n)]
        for number, row in enumerate(formula.rows[2:], 3):
            s, x = max(row.terms), -min(row.terms)  # s_i >= x_p
            if x in self._true:
                self._true.add(s)
            if s in column:
                lies_in[x - 1][column[s]] = number
        alike: dict[tuple[int, ...], list[int]] = {}
        for x, rows in enumerate(lies_in, 1):
            alike.setdefault(tuple(rows), []).append(x)
        self._classes = list(alike.values())
        at = len(self._sets)
        everyone = {at + c: 1 for c in range(len(alike))}
        self._rows = [Logged([1], everyone, instance.request)]
        for c, (own, group) in enumerate(alike.items(), at):
            for i in own:
                parts = [lies_in[x - 1][i] for x in group]
                self._rows.append(Logged(parts, {i: len(group), c: -1}, 0))
        self.levels = list(self._priced(instance))

    def _priced(self, instance: ProcSet) -> list[_Level]:
        first = instance.n + 1
        levels = []
        for level, weight in enumerate(levels_of(instance)):
            costs = [instance.sets[s - first].cost[level] for s in self._sets]
            if unit := gcd(*costs):
                costs = [c // unit for c in costs]
                pairs = zip(costs, self._sets, strict=True)
                least = sum(c for c, s in pairs if s in self._true)
                levels.append(_Level(weight * unit, costs, least))
        return levels

    def prove(self) -> None:
        """Write the whole proof."""
        log = self._log
        optimum = sum(level.weight * level.least for level in self.levels)
        rest, budget = log.solution(self._true), optimum - 1
        self._store = Store(log)
        factors = self._objective
        for number, (weight, costs, least) in enumerate(self.levels, 1):
            # The row `rest` is: factors * sets <= budget. Drop all but this level.
            parts: list[int | str] = [rest]
            for s, all_, own in zip(self._sets, factors, costs, strict=True):
                if all_ > own * weight:
                    parts += [log.word(s), all_ - own * weight, "*", "+"]
            upper, most = log.pol([*parts, weight, "d"]), budget // weight
            terms = [(-c, s) for c, s in zip(costs, self._sets, strict=True)]
            self._store.hold(upper, terms, -most)
            columns = {i: -c for i, c in enumerate(costs) if c}
            self._rows.append(Logged([upper], columns, -most))
            if most < least:
                log.optimal(self._refuted(self._rows), optimum)
                return
            if least:
                row = self._at_least(least, terms, columns, f"z{number}")
                rest = log.pol([rest, row, weight, "*", "+"])
                budget -= weight * least
                pairs = zip(factors, costs, strict=True)
                factors = [f - weight * c for f, c in pairs]
        log.optimal(rest, optimum)

    def _at_least(
        self, least: int, terms: Terms, columns: dict[int, int], name: str
    ) -> int:
        """Log that a level costs at least its optimum; return the number of the row.

        A new variable z holds where it costs less, and is refuted.
        """
        log = self._log
        costs = [(-a, s) for a, s in terms]
        if self._store.implies(costs, least):
            return log.rup(costs, least)
        z = log.variable(name)
        slack = sum(c for c, _ in costs) - least + 1
        less, degree = [*terms, (-slack, z)], 1 - least - slack
        cheap = log.red(less, degree, {z: False})
        dear = log.red([*costs, (least, z)], least, {z: True})
        self._store.hold(cheap, less, degree)
        at = len(self._sets) + len(self._classes)
        goal = Logged([cheap], {**columns, at: -slack}, degree)
        refuted = self._refuted([*self._rows, goal], z)
        row = log.pol([dear, refuted, least, "*", "+"])
        self._store.forget([cheap, dear])
        return row

    def _refuted(self, rows: list[Logged], *assumed: int) -> int:
        """Refute rows where variables hold; return the number of the clause."""
        groups = [[x] for x in self._sets] + self._classes + [[x] for x in assumed]
        tree = Tree(self._store, groups, rows, len(self._sets))
        return tree.refuted(list(assumed)).number
