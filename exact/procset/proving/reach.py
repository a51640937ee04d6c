"""Logged rows on what a few sets can hold, under a limit on each family.

A new variable stands for such a limit: it holds where at most m sets of a family are
open. All rows here hold where these variables do. A sum of terms a_k s_k over sets of
which at most m are open is at most t m plus what the a_k exceed t by in all, where t is
the m-th largest. A row "at most c of n processors" is lifted, by dividing, to "at most
c times s", where s has to be open for any of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .families import Families, Ints, Shape
from .relaxation import Logged
from .store import LoggedRows, Members


class OpenSetCount(NamedTuple):
    """A variable that holds where at most ``most`` sets are open, and its rows."""

    variable: int
    sets: list[int]
    most: int
    few: int
    """Number of the row that limits them where it holds."""
    many: int
    """Number of the row that demands more where it does not."""

    @property
    def slack(self) -> int:
        """How much the first row is relaxed where the variable does not hold."""
        return len(self.sets) - self.most

    @property
    def rows(self) -> list[Logged]:
        """Both rows, over columns."""
        few = {s: -1 for s in self.sets} | {self.variable: -self.slack}
        many = {s: 1 for s in self.sets} | {self.variable: self.most + 1}
        return [
            Logged(self.few, few, -len(self.sets)),
            Logged(self.many, many, self.most + 1),
        ]


class _Held(NamedTuple):
    """A logged row: of some processors at most ``most`` are chosen, or times a set.

    The row is relaxed by ``relaxed`` where a variable does not hold.
    """

    number: int
    most: int
    relaxed: dict[int, int]


class Reach:
    """Writes rows on what sets can hold.

    ``groups`` are those of ``families``.
    """

    def __init__(
        self,
        store: LoggedRows,
        families: Families,
        groups: Sequence[Sequence[int]],
        members: Members,
        counts: dict[tuple[int, ...], OpenSetCount],
    ) -> None:
        self._store, self.families, self._groups = store, families, groups
        self._members, self._counts = members, counts
        self._held: dict[tuple[object, ...], _Held] = {}

    def count(self, family: int, most: int) -> OpenSetCount | None:
        """Return the variable of a limit; None where more sets are open in any case."""
        sets = self.families.sets[family]
        if (key := (most, *sets)) not in self._counts:
            store, log = self._store, self._store.log
            if store.implies([(1, s) for s in sets], most + 1):
                return None
            q = log.variable(f"q{len(log.names)}")
            made = OpenSetCount(q, sets, most, 0, 0)
            pairs = [
                ([(a, x) for x, a in row.terms.items()], row.degree)
                for row in made.rows
            ]
            numbers = [
                log.red(terms, degree, {q: bool(value)})
                for value, (terms, degree) in enumerate(pairs)
            ]
            for number, (terms, degree) in zip(numbers, pairs, strict=True):
                store.hold(number, terms, degree)
            self._counts[key] = OpenSetCount(q, sets, most, *numbers)
        return self._counts[key]

    def line(self, a: int, j: int, b: int, shape: Shape) -> list[Logged]:
        """Return rows on set j of a family by its pieces in another; the whole first.

        For the limits of the shape there have to be variables, see `count`.
        """
        home, sets = self.families.home, self.families.sets
        inside = np.flatnonzero(home[a] == j)
        thirds = self.families.pieces(a, b, shape)[1][j]
        pieces, where, found = [], [], []
        outside = inside[home[b, inside] < 0]
        for g in np.unique(home[b, np.setdiff1d(inside, outside)]).tolist():
            groups = inside[home[b, inside] == g]
            pieces.append(self._piece(groups, b, g, int(thirds[g]), shape))
            where.append(sets[b][g])
            if thirds[g] >= 0:
                found.append(_row(pieces[-1], where[-1], groups))
        size, free = len(self._processors(inside)), len(self._processors(outside))
        whole = self._sum(inside, sets[a][j])
        bound = self._limit_parts(pieces, where, b, shape, size, free)
        held = self._lift(whole, bound, size)
        return [_row(held, sets[a][j], inside), *found]

    def _piece(self, groups: Ints, b: int, g: int, third: int, shape: Shape) -> _Held:
        """Return a row on a piece times the set in which it lies."""
        key = (*groups.tolist(), b, g, third, shape[third])
        if key not in self._held:
            size = len(self._processors(groups))
            whole = self._sum(groups, self.families.sets[b][g])
            held = _Held(whole, size, {})
            if third >= 0:
                home = self.families.home[third]
                where, parts = [], []
                for k in np.unique(home[groups]).tolist():
                    part = groups[home[groups] == k]
                    where.append(self.families.sets[third][k])
                    count = len(self._processors(part))
                    parts.append(_Held(self._sum(part, where[-1]), count, {}))
                held = self._limit_parts(parts, where, third, shape, size)
                held = self._lift(whole, held, size)
            self._held[key] = held
        return self._held[key]

    def _sum(self, groups: Ints, s: int) -> int:
        """Return the sum of the rows that the processors of groups need a set."""
        return self._members.total(self._processors(groups), s)

    def _processors(self, groups: Ints) -> list[int]:
        return [x for g in groups.tolist() for x in self._groups[g]]

    def _limit_parts(
        self,
        parts: Sequence[_Held],
        sets: Sequence[int],
        family: int,
        shape: Shape,
        size: int,
        free: int = 0,
    ) -> _Held:
        """Add up rows on parts, each times its set, where few sets are open.

        ``free`` of all ``size`` processors are in no part.
        """
        log, most = self._store.log, shape[family]
        caps = dict(zip(sets, (part.most for part in parts), strict=True))
        ordered = sorted(caps.values(), reverse=True)
        few = most < len(ordered)
        level = ordered[max(most - 1, 0)] if few else 0
        total = free + level * most + sum(max(cap - level, 0) for cap in ordered)
        if total >= size:
            return _Held(0, size, {})
        relaxed: dict[int, int] = {}
        for part in parts:
            for q, slack in part.relaxed.items():
                relaxed[q] = relaxed.get(q, 0) + slack
        rows: list[tuple[int, int | str]] = [(1, part.number) for part in parts]
        if level:
            count = self._counts[most, *self.families.sets[family]]
            rows.append((level, count.few))
            slack = relaxed.get(count.variable, 0) + level * count.slack
            relaxed[count.variable] = slack
        for s in self.families.sets[family]:
            over = caps.get(s, 0) - level
            if over:
                rows.append((abs(over), log.word(-s if over > 0 else s)))
        number = log.combine(rows, "s")
        degree = size - total
        return _Held(number, total, {q: min(e, degree) for q, e in relaxed.items()})

    def _lift(self, whole: int, bound: _Held, size: int) -> _Held:
        """Lift a row on a sum to that sum times a set."""
        most = bound.most
        if most >= size:
            return _Held(whole, size, {})
        if not most:
            return bound
        parts: list[int | str] = [whole]
        factor, relaxed = size, dict.fromkeys(bound.relaxed, 0)
        while factor > most:
            parts += [most, "*", bound.number, "+", most + 1, "d"]
            factor = -(-most * factor // (most + 1))
            relaxed = {
                q: -(-(most * relaxed[q] + slack) // (most + 1))
                for q, slack in bound.relaxed.items()
            }
        return _Held(self._store.log.pol(parts), most, relaxed)


def _row(held: _Held, s: int, groups: Ints) -> Logged:
    terms = {-1 - g: -1 for g in groups.tolist()} | {s: held.most}
    terms |= {q: -slack for q, slack in held.relaxed.items()}
    return Logged(held.number, terms, -sum(held.relaxed.values()))
