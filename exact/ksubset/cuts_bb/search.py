"""Branch and bound over cut counts: exact on every topology of cuts.

w(S) = Σ_h w_h c_h (k - c_h) is concave in the counts c_h. A node of the search
keeps an interval for every count and a decision (chosen, rejected, undecided)
for every point.

- Bound: on [l, u], c (k - c) ≥ (k - l - u) c + l u. Summed, this is a constant
  plus a weight for every point: take the chosen ones and the lightest others.
- Counts: intervals shrink with the decisions, along chains of nested cuts, and
  decide points in turn.
- Reduced costs: a point whose exchange at the margin lifts the bound to the
  incumbent is decided. Likewise the counts at both ends of an interval are cut off
  if the lightest points with such a count lift it there.
- Exchange: for p in an optimal S and a free q outside, D(q) - D(p) ≥ d(p, q),
  where D(x) = Σ_{s in S} d(x, s), since exchanging them changes w by
  D(q) - d(p, q) - D(p). With D's slopes bounded by the intervals, pairs that
  cannot satisfy this bind p to q. Of coinciding points the first are taken.
- Branching splits the count whose secant is furthest below the true cost.

Derived for this project; docs/science/exact.md has the short proofs.
"""

from __future__ import annotations

from heapq import heappop, heappush

from ....instances import KSubset
from ....solvers import DEFAULT, Grade, Proof, Result, Settings
from ..search import KSubsetSearch, search_alone
from . import kernels, layout
from .box import ALL_RULES, CutBox, Node, SearchRules

PROOF = Proof(Grade.ENUMERATED, "cuts-bb")
_PLUNGE = 500
"""Nodes searched depth first before the open node of least bound is taken."""
_MOST_WAITING = 10_000
"""Waiting nodes beyond which the search stays depth first, to save memory."""


def cuts_bb(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Prove an optimum by branch and bound over the counts of the cuts.

    Guarantee: exact.
    Time: exponential at worst; O(m + n d) for a node's bound, O(n²) with exchanges.
    Source: derived for closeknit, see docs/science/exact.md.
    """
    return search_alone(CutsSearch, PROOF, instance, settings)


class CutsSearch(KSubsetSearch):
    """A search that can be stopped and resumed.

    It alternates depth-first search with the open node of least bound, which raises
    the overall bound: as a subproblem of the points that are left to it.

    Parameters
    ----------
    instance, chosen, bound
        See `KSubsetSearch`.
    rules
        Rules that the search uses.
    """

    def __init__(
        self,
        instance: KSubset,
        chosen: tuple[int, ...],
        bound: int = 0,
        rules: SearchRules = ALL_RULES,
    ) -> None:
        super().__init__(instance, chosen, bound)
        self._box = CutBox.of(instance, bound, rules)
        if rules.plunges:
            self.longest_step = _PLUNGE
        self._waiting: list[tuple[int, int, Node]] = []
        self._exported = 0
        self._plunged = 0

    def _least_open(self) -> int:
        least = self._box.bound
        return min(least, self._waiting[0][0]) if self._waiting else least

    def _step(self, budget: int) -> None:
        """Search the current box, or open the one of least bound."""
        box = self._box
        if not box.open:
            self._box = heappop(self._waiting)[2].cut_box()
            self._plunged = 0
            return
        state, box.open, best, nodes = kernels.search(
            box.problem,
            box.stack,
            layout.room_for(box.problem),
            box.open,
            self.best,
            box.picked,
            budget,
        )
        self.nodes += nodes
        self.offer(box.index[box.picked], int(best))
        self._plunged += nodes
        if state == layout.FULL:
            box.grow()
        elif self._plunged >= self.longest_step and len(self._waiting) < _MOST_WAITING:
            while box.open:
                self._export(box)

    def _export(self, box: CutBox) -> None:
        node = box.export()
        self._exported += 1  # ties on the bound: first in, first out
        heappush(self._waiting, (node.bound, self._exported, node))
