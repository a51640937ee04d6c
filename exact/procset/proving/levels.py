"""Proofs for processor sets: branch and bound, level by level.

The levels of the cost are settled one after the other. That a level costs at least
what it does in an optimum is shown by a tree over which sets are open. Its leaves are
combinations of rows that no choice obeys: multipliers from the linear relaxation, in
which the levels above may not cost more than in the optimum. See
docs/science/proofs.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from math import gcd
from typing import NamedTuple

from ....instances import ProcSet
from ....proofs.checking.formulas import levels_of
from ....proofs.writing.proof_log import ProofLog
from .families import Budgets, Families
from .reach import OpenSetCount, Reach
from .relaxation import Logged
from .shapes import Shapes
from .store import Clause, LoggedRows, Members
from .tree import RefutationTree

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


class _Upper(NamedTuple):
    """A logged row on the sets: the sum of ``row`` is at least ``degree``."""

    number: int
    row: dict[int, int]
    degree: int
    most: int
    """What the sets may cost where a variable assumed holds."""

    @property
    def budget(self) -> tuple[dict[int, int], int]:
        """Return the costs of the sets, and what they may add up to."""
        return {s: -c for s, c in self.row.items()}, self.most


class _Prover:
    """The rows that hold so far, and the levels."""

    def __init__(self, instance: ProcSet, chosen: Sequence[int], log: ProofLog) -> None:
        self._log, formula = log, log.formula
        picked = set(sorted(chosen)[: instance.request])
        self._true = {x for x, p in enumerate(instance.available, 1) if p in picked}
        self._sets = [s for s, cost in sorted(formula.objective.items()) if cost]
        self._lies_in: list[dict[int, int]] = [{} for _ in range(instance.n)]
        for number, row in enumerate(formula.rows[2:], 3):
            s, x = max(row.terms), -min(row.terms)  # s_i >= x_p
            if x in self._true:
                self._true.add(s)
            self._lies_in[x - 1][s] = number
        self._request = instance.request
        self._members = Members(log, self._lies_in)
        self._counts: dict[tuple[int, ...], OpenSetCount] = {}
        self._upper: list[_Upper] = []
        self._lower: list[Logged] = []
        self.levels = list(self._each_level(instance))

    def _each_level(self, instance: ProcSet) -> Iterator[_Level]:
        first = instance.n + 1
        for level, weight in enumerate(levels_of(instance)):
            costs = [instance.sets[s - first].cost[level] for s in self._sets]
            if unit := gcd(*costs):
                costs = [c // unit for c in costs]
                pairs = zip(costs, self._sets, strict=True)
                least = sum(c for c, s in pairs if s in self._true)
                yield _Level(weight * unit, costs, least)

    def prove(self) -> None:
        """Write the whole proof."""
        log = self._log
        optimum = sum(level.weight * level.least for level in self.levels)
        rest, budget = log.solution(self._true), optimum - 1
        self._store = LoggedRows(log)
        factors = [log.formula.objective[s] for s in self._sets]
        for number, (weight, costs, least) in enumerate(self.levels, 1):
            # The row `rest` is: factors * sets <= budget. Drop all but this level.
            pairs = zip(factors, self._sets, strict=True)
            self._store.hold(rest, [(-f, s) for f, s in pairs], -budget)
            triples = zip(factors, costs, self._sets, strict=True)
            others = [(f - weight * c, log.word(s)) for f, c, s in triples]
            terms: list[tuple[int, int | str]] = [(1, rest)]
            terms += [(f, word) for f, word in others if f]
            upper, most = log.combine(terms, weight, "d"), budget // weight
            row = {s: -c for c, s in zip(costs, self._sets, strict=True) if c}
            self._store.hold(upper, [(c, s) for s, c in row.items()], -most)
            self._upper.append(_Upper(upper, row, -most, most))
            if most < least:
                log.optimal(self._refute_level(), optimum)
                return
            if least:
                lower = self._at_least(least, row, f"z{number}")
                self._store.hold(lower, [(-c, s) for s, c in row.items()], least)
                dear = {s: -c for s, c in row.items()}
                self._lower.append(Logged(lower, dear, least))
                rest = log.combine([(1, rest), (weight, lower)])
                budget -= weight * least
                pairs = zip(factors, costs, strict=True)
                factors = [f - weight * c for f, c in pairs]
        log.optimal(rest, optimum)

    def _at_least(self, least: int, row: dict[int, int], name: str) -> int:
        """Log that a level costs at least its optimum; return the number of the row.

        A new variable z holds where it costs less, and is refuted.
        """
        log = self._log
        costs = [(-c, s) for s, c in row.items()]
        if self._store.implies(costs, least):
            return log.rup(costs, least)
        z = log.variable(name)
        slack = sum(c for c, _ in costs) - least + 1
        goal, degree = {**row, z: -slack}, 1 - least - slack
        less = [(c, x) for x, c in goal.items()]
        cheap = log.red(less, degree, {z: False})
        dear = log.red([*costs, (least, z)], least, {z: True})
        self._store.hold(cheap, less, degree)
        self._store.hold(dear, [*costs, (least, z)], least)
        self._upper.append(_Upper(cheap, goal, degree, least - 1))
        refuted = self._refute_level(z)
        lower = log.combine([(1, dear), (least, refuted)])
        del self._upper[-1]
        self._store.forget([cheap, dear])
        return lower

    def _refute_level(self, *assumed: int) -> int:
        """Refute that the level costs less; return the number of the clause.

        Sets that cost nothing at this level and those above are left out. Processors in
        the same others form a group.
        """
        if self._store.refutes(assumed):
            return self._store.learn(assumed).number
        known = {s for upper in self._upper for s in upper.row}
        sets = [s for s in self._sets if s in known]
        alike: dict[tuple[int, ...], list[int]] = {}
        for x, members in enumerate(self._lies_in, 1):
            alike.setdefault(tuple(filter(known.__contains__, members)), []).append(x)
        groups = list(alike.values())
        everyone = {-1 - g: 1 for g in range(len(groups))}
        rows = [Logged(1, everyone, self._request)]
        for g, (own, group) in enumerate(alike.items()):
            for s in own:
                needed = partial(self._members.total, group, s)
                rows.append(Logged(needed, {s: len(group), -1 - g: -1}, 0))
        costs = [Logged(upper.number, upper.row, upper.degree) for upper in self._upper]
        rows += [*self._lower, *costs]

        def by_shapes(decided: list[int]) -> Clause | None:
            families = Families(list(alike), [len(group) for group in groups])
            budgets = Budgets(families, [one.budget for one in self._upper])
            reach = Reach(self._store, families, groups, self._members, self._counts)
            shapes = Shapes(self._store, sets, groups, rows, costs, budgets, reach)
            return shapes.refute(decided) if shapes.worthwhile() else None

        tree = RefutationTree(self._store, sets, groups, rows, by_shapes)
        return tree.refute([*assumed]).number
