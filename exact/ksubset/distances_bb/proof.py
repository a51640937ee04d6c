"""A pseudo-Boolean proof that no choice is cheaper, from distances alone.

A tree as that of ``distances_bb``, with a bound that is a sum of rows of the formula:
y_ij of a pair is at least x_i + x_j - 1. For a processor u and a length λ

    Σ_x min(d(u, x), λ) y_ux ≥ λ (k - 1) - Σ_x max(0, λ - d(u, x)) x_x  if u is chosen;

with λ the largest of the distances from u to its r - 1 nearest candidates, this is
what they and the chosen ones cost, each up to λ. Summed over all candidates u, and
together with what the pairs still have to give, it prices every candidate; the r
cheapest bound the node. docs/science/graphs.md has the details.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from ....instances import IntArray, KSubset, arrays
from ....instances.ksubset.instance import cost
from ....proofs.writing.proof_log import ProofLog
from ....solvers import SolverError
from .search import refusal

_AT_LEAST_K = 1
"""Number of the row of the formula that requires k processors."""
_LESS = 3
"""Pairs are forgotten when so many times fewer processors are left."""


def prove(instance: KSubset, chosen: Sequence[int] | None, log: ProofLog) -> bool:
    """Write a proof that a choice is optimal, where distances are no sums of cuts."""
    if chosen is None or refusal(instance) or arrays.has_cuts(instance):
        return False  # with cuts, the formula counts what lies inside of them
    tree = _Tree(instance, chosen, log)
    if instance.k > 1:
        tree.close([], np.arange(instance.n), tree.whole)
    log.optimal(log.clause([]), tree.best)
    return True


@dataclass
class _Scope:
    """Rows in which only the pairs of some processors occur."""

    members: IntArray
    cheaper: int
    """The row that requires a cheaper choice."""
    stars: dict[tuple[int, int], int] = field(default_factory=dict)
    """Rows by processor and length, see above."""


class _Tree:
    """Proves for sets of chosen processors that not all of them are in a better one."""

    def __init__(self, instance: KSubset, chosen: Sequence[int], log: ProofLog) -> None:
        self.instance, self.log = instance, log
        self.n, self.k = instance.n, instance.k
        self.hops = arrays.hops(instance)
        self.best = cost(instance, tuple(chosen))
        pairs = [self._pair(i, j) for i in chosen for j in chosen if i < j]
        true = [*(i + 1 for i in chosen), *map(self._of_pair, pairs)]
        self.whole = _Scope(np.arange(self.n), log.solution(true))

    def _pair(self, i: int, j: int) -> int:
        """Return the number of the row y_ij + ~x_i + ~x_j >= 1."""
        i, j = min(i, j), max(i, j)
        return 3 + i * self.n - i * (i + 1) // 2 + j - i - 1

    def _of_pair(self, row: int) -> int:
        """Return the variable y_ij of such a row; two other rows come first."""
        return row - 2 + self.n

    def close(self, chosen: list[int], some: IntArray, scope: _Scope) -> int:
        """Derive that not all of ``chosen`` are in a cheaper choice.

        Propagation excludes everything but ``chosen`` and ``some`` already. Returns
        the number of the clause.
        """
        missing = self.k - len(chosen)
        rows: list[int] = []
        scopes = [scope]
        while len(some) >= missing:
            if _LESS * (len(chosen) + len(some)) < len(scopes[-1].members):
                scopes.append(self._narrow(scopes[-1], np.append(chosen, some)))
            left, promising = self._filter(chosen, some, scopes[-1], rows)
            if len(left) < len(some):
                some = left
                continue
            taken = [*chosen, int(some[promising])]
            some = np.delete(some, promising)
            rows.append(self.close(taken, some, scopes[-1]))
        clause = self.log.clause([-p - 1 for p in chosen])
        for each in scopes[1:]:
            rows += [each.cheaper, *each.stars.values()]
        self.log.delete(rows)
        return clause

    def _narrow(self, scope: _Scope, members: IntArray) -> _Scope:
        """Forget the pairs of all but some processors."""
        members = np.sort(members).astype(np.int64)
        kept = set(members.tolist())
        parts: list[int | str] = [scope.cheaper]
        for i, j in combinations(scope.members.tolist(), 2):
            if i not in kept or j not in kept:
                parts += [self.log.word(self._of_pair(self._pair(i, j))), "w"]
        return _Scope(members, self.log.pol(parts))

    def _filter(
        self, chosen: list[int], some: IntArray, scope: _Scope, rows: list[int]
    ) -> tuple[IntArray, int]:
        """Derive rows that exclude candidates; return those left, and the best place.

        No candidate is left where the rows exclude that all of ``chosen`` are taken.
        """
        hops, missing = self.hops, self.k - len(chosen)
        if missing < 2:  # one more is cheaper
            found = [sorted([*chosen, p]) for p in some.tolist()]
            least = min(cost(self.instance, tuple(each)) for each in found)
            raise SolverError(f"a choice costs {least}")
        taken = np.array(chosen, dtype=np.int64)
        apart = hops[np.ix_(some, some)]
        others = apart + np.diag(np.full(len(some), hops.max() + 1))
        others.partition(missing - 2, axis=1)
        near = others[:, : missing - 1]
        far = near[:, -1]
        price = 2 * hops[np.ix_(taken, some)].sum(axis=0) + near.sum(axis=1)
        paid = int(hops[np.ix_(taken, taken)].sum())
        order = np.sort(price)
        least, last = paid + int(order[:missing].sum()), int(order[missing - 1])
        wanted = 2 * self.best - 1
        # what pairs have left to give, once the stars of both have taken their part
        spare = 2 * apart - np.minimum(apart, far) - np.minimum(apart, far[:, None])
        beside = price[:, None] + spare
        np.fill_diagonal(beside, np.iinfo(np.int64).max)
        beside.partition(missing - 2, axis=0)
        cheapest = beside[: missing - 1]
        bounds = paid + price + cheapest.sum(axis=0)
        unlikely = (least >= wanted) | (least + price - last >= wanted)
        kept = ~unlikely & (bounds < wanted)
        if kept.all():
            return some, int(bounds.argmin())
        base = self._derive_prices(chosen, some, far, scope)
        rows.append(self.log.combine([(1, base), (last, _AT_LEAST_K)]))
        for v in np.flatnonzero(~unlikely & ~kept).tolist():
            limit = int(cheapest[-1, v])
            extra = np.minimum(spare[:, v], limit - price).clip(0)
            extra[v] = 0
            pairs = [
                (int(extra[i]), self._pair(int(some[i]), int(some[v])))
                for i in np.flatnonzero(extra).tolist()
            ]
            terms = [(1, base), *pairs, (limit, _AT_LEAST_K)]
            rows.append(self.log.combine(terms))
        self.log.delete([base])
        return some[kept], 0

    def _derive_prices(
        self, chosen: list[int], some: IntArray, far: IntArray, scope: _Scope
    ) -> int:
        """Derive a row with the prices of all candidates, as they are in `_filter`."""
        hops, log = self.hops, self.log
        stars = [
            self._star(u, length, scope)
            for u, length in zip(some.tolist(), far.tolist(), strict=True)
        ]
        parts: list[int | str] = [scope.cheaper, 2, "*"]
        for i, p in enumerate(chosen):
            for q in chosen[:i]:
                parts += [self._pair(p, q), 2 * int(hops[p, q]), "*", "+"]
        for u, length, star in zip(some.tolist(), far.tolist(), stars, strict=True):
            parts.append(star)
            for x in (*chosen, *some.tolist()):
                if x != u and hops[u, x] < length:
                    parts += [log.word(x + 1), "w"]
            parts += ["s", "+"]
            for p in chosen:
                left = 2 * int(hops[u, p]) - min(int(hops[u, p]), length)
                parts += [self._pair(u, p), left, "*", "+"]
        return log.pol(parts)

    def _star(self, u: int, far: int, scope: _Scope) -> int:
        """Return the row of a processor and a length, derived at its first use."""
        if (u, far) not in scope.stars:
            members = [x for x in scope.members.tolist() if x != u]
            near = np.minimum(self.hops[u], far).tolist()
            pairs = [(near[x], self._pair(u, x)) for x in members]
            scope.stars[u, far] = self.log.combine([*pairs, (far, _AT_LEAST_K)])
        return scope.stars[u, far]
