"""Refuting rows shape by shape: how many sets of each family are open.

Where few sets of a family can be open, so few processors fit into the sets of others
that most shapes need no tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from .families import Budgets, Shape
from .reach import Reach
from .relaxation import Logged
from .store import Clause, LoggedRows
from .tree import RefutationTree

_FAMILIES = range(2, 5)
_GROUPS = 100
"""Groups below which a tree is quicker unless all shapes are small."""
_MOST = 500
"""Number of shapes up to which they are gone through."""


class Shapes:
    """Goes through the shapes that can be paid.

    ``rows`` are all rows of the relaxation, the first of which asks for ``request``
    processors; ``costs`` are those that limit costs, in the order of ``budgets``.
    """

    def __init__(
        self,
        store: LoggedRows,
        sets: Sequence[int],
        groups: Sequence[Sequence[int]],
        rows: Sequence[Logged],
        costs: Sequence[Logged],
        budgets: Budgets,
        reach: Reach,
    ) -> None:
        self._store, self._sets, self._groups = store, sets, groups
        self._rows, self._costs, self._budgets = rows, costs, budgets
        self._reach, self._families = reach, reach.families
        self._request = rows[0].degree

    def worthwhile(self) -> bool:
        """Whether families hold all sets, and few shapes hold enough processors."""
        families = self._families.sets
        if len(families) not in _FAMILIES or sum(map(len, families)) < len(self._sets):
            return False
        # Those of the most boxes come first: one that is not small is found early.
        shapes = sorted(self._budgets.shapes(_MOST), key=prod, reverse=True)
        small = map(self._small, shapes)
        if len(self._groups) < _GROUPS:
            return bool(shapes) and all(small)
        return bool(shapes) and 2 * sum(small) >= len(shapes)

    def refute(self, decided: list[int], shape: Shape = ()) -> Clause:
        """Log a clause that refutes literals which state the first limits.

        They state that each of the first families opens exactly as many sets as the
        shape has.
        """
        at, sizes = len(shape), self._budgets.sizes
        if at == len(sizes):
            return self._box(decided, shape)
        if at == len(sizes) - 1:
            return self._from(decided, shape, self._budgets.last(shape))
        full = sizes[at + 1 :]
        number = 0
        while number < sizes[at] and self._small((*shape, number + 1, *full)):
            number += 1
        return self._from(decided, shape, number)

    def _small(self, shape: Shape) -> bool:
        return self._families.narrowest(shape)[1] < self._request

    def _from(self, decided: list[int], shape: Shape, number: int) -> Clause:
        """Refute literals, the next family opening so many sets or more.

        At most this number are refuted first; it opens that many in any case, unless
        those are too few for the request, or all that can be paid.
        """
        if self._store.refutes(decided):
            return self._store.learn(decided)
        at, sizes = len(shape), self._budgets.sizes
        rest = (0,) * (len(sizes) - at - 1)
        if self._budgets.exceeded_row((*shape, number, *rest)) is not None:
            return self._dear(decided, (*shape, number, *rest))
        if number >= sizes[at]:
            return self.refute(decided, (*shape, number))
        count = self._reach.count(at, number)
        if count is None:
            return self._from(decided, shape, number + 1)
        q = count.variable
        here, full = (*shape, number), sizes[at + 1 :]
        if self._small((*here, *full)):
            few = self._box([*decided, q], (*here, *full))
        else:
            few = self.refute([*decided, q], here)
        if -q not in few.literals:
            return few
        many = self._from([*decided, -q], shape, number + 1)
        return self._store.resolve(-q, few, many)

    def _dear(self, decided: list[int], shape: Shape) -> Clause:
        """Refute literals that state that at least so many sets are open."""
        row = self._budgets.exceeded_row(shape)
        assert row is not None
        rows, multipliers = [self._rows[0]], [0]
        for family, number in enumerate(shape):
            if number and (count := self._reach.count(family, number - 1)):
                rows.append(count.rows[1])
                multipliers.append(self._budgets.price(row, family, number))
        return RefutationTree(
            self._store, self._sets, self._groups, [*rows, self._costs[row]]
        ).refuted_by(decided, [*multipliers, 1])

    def _box(self, decided: list[int], shape: Shape) -> Clause:
        """Refute literals that state that no more sets are open."""
        families = self._families
        family, most = families.narrowest(shape)
        counts = [
            count
            for f, number in enumerate(shape)
            if number < self._budgets.sizes[f]
            and (count := self._reach.count(f, number))
        ]
        if most < self._request:
            lines = [rows[0] for rows in self._lines(family, shape)]
            own = [count for count in counts if count.sets == families.sets[family]]
            reach = np.sort(families.reaches(family, shape)[0])[::-1]
            level = int(reach[max(shape[family] - 1, 0)])
            rows = [self._rows[0], *lines, *(count.rows[0] for count in own)]
            multipliers = [1] * (1 + len(lines)) + [level] * len(own)
            tree = RefutationTree(
                self._store, self._sets, self._groups, [*rows, self._costs[-1]]
            )
            return tree.refuted_by(decided, [*multipliers, 0])
        lines = [
            row
            for f in range(len(shape))
            for rows in self._lines(f, shape)
            for row in rows
        ]
        limits = [row for count in counts for row in count.rows]
        rows = [*self._rows[:-1], *lines, *limits, self._rows[-1]]
        return RefutationTree(self._store, self._sets, self._groups, rows).refute(
            decided
        )

    def _lines(self, family: int, shape: Shape) -> list[list[Logged]]:
        by = self._families.reaches(family, shape)[1].tolist()
        return [self._reach.line(family, j, b, shape) for j, b in enumerate(by)]
