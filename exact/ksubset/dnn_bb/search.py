"""Branch and bound on a doubly nonnegative relaxation, for any table of distances.

- A node has chosen processors and others left of which r more must be taken; its bound
  is that of `relaxation`, started from the multipliers of its parent.
- Processors are left out where the bound of taking them reaches the best cost: with
  N = M - t, t below the least eigenvalue, and e_i the unit vector, x'Nx is at least
  1 / (N^-1)_ii for any x with x_i = 1.
- Branching: on the processor whose diagonal of X is nearest to a half.
- The node of least bound comes next; where few choices are left, all are priced.
- First solutions: exchanges from mm's choice, and from the diagonal of X, disturbed.

Derived for this project; docs/science/any-network.md has relaxation and proofs.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from itertools import combinations
from math import comb, inf
from typing import Any

import numpy as np
import numpy.typing as npt

from ....formulations.ksubset.bounds.bounds import best_bound
from ....heuristics.ksubset.mm_inc import Descent
from ....instances import IntArray, KSubset, arrays
from ....solvers import DEFAULT, Grade, Limit, Proof, Result, Settings
from ....solvers.blas import blas_threads
from ....solvers.running import clock
from ..search import KSubsetSearch, search_alone
from .relaxation import LOOK, Ascent, Dual, dual_matrix, integral, start
from .symmetries import Symmetries

PROOF = Proof(Grade.ENUMERATED, "dnn-bb")
MOST_FREE = 2000
"""Number of free processors up to which the search runs."""
LARGEST = 2**40
"""Costs up to which floating point bounds are exact enough."""
MOST_LISTED = 2000
"""Choices of a node up to which all are priced."""
_LOOKS = 60
_AT_ROOT = 12
"""Most looks at a bound before its node is branched, and the least at the root's."""
_PACE = 4e-10
"""Seconds of a step, over n³, before one was measured."""
_SHIFTS = (0.02, 0.05, 0.1, 0.2, 0.4)
"""Parts of a gap by which an eigenvalue is lowered, to leave processors out."""
_STARTS = 12
"""Disturbed first solutions from the root's relaxation."""
_KEPT = 2**28
"""Numbers that the starts of waiting nodes hold; beyond, nodes start from zero."""


def refusal(instance: KSubset) -> str | None:
    """Return why the search does not support an instance; None if it does."""
    if instance.n > MOST_FREE:
        return f"{instance.n} free processors; at most {MOST_FREE} are searched"
    spread = instance.topology.spread(instance.free)
    if spread * instance.k**2 >= LARGEST:
        return f"costs up to {spread * instance.k**2} are too large for floating point"
    return None


def dnn_bb(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Prove an optimum by branch and bound on a doubly nonnegative relaxation.

    Guarantee: exact.
    Time: exponential at worst; O(n³) for a step of a bound, 50 to 250 steps for the
        first. Space O(n²) for a node that waits.
    Source: derived for closeknit, see docs/science/any-network.md; the relaxation is
        known from densest subgraphs.
    """
    with blas_threads(settings.threads):
        return search_alone(DnnSearch, PROOF, instance, settings, best_bound)


class Node:
    """A part of the choices: what is chosen, what is left, and how it ends."""

    __slots__ = ("bound", "chosen", "dual", "left", "steps")

    def __init__(
        self, chosen: tuple[int, ...], left: IntArray, bound: float, dual: Dual | None
    ) -> None:
        self.chosen, self.left, self.bound, self.dual = chosen, left, bound, dual
        self.steps: list[Any] = []
        """What a recorder keeps: steps, then two nodes if it was branched."""


class DnnSearch(KSubsetSearch):
    """A search that can be stopped and resumed; see `refusal` for what it solves."""

    listed = MOST_LISTED

    def __init__(
        self, instance: KSubset, chosen: tuple[int, ...], bound: int = 0
    ) -> None:
        super().__init__(instance, chosen, bound)
        self.hops = arrays.hops(instance).copy()
        self.k = instance.k
        must = instance.required_indices
        left = np.delete(np.arange(instance.n), must)
        self._symmetries = Symmetries(self.hops)
        self.root = Node(must, left, 0.0, None)
        self._waiting: list[tuple[float, int, Node]] = [(0.0, 0, self.root)]
        self._count = self._held = 0
        self._node: Node | None = None
        self._ascent: Ascent | None = None
        self._until, self._late, self._pace = inf, False, _PACE

    def run(self, deadline: float, node_limit: int | None = None) -> Limit | None:
        """Continue the search; it ends before a decomposition that takes too long."""
        self._until, self._late = deadline, False
        limit = super().run(deadline, node_limit)
        return Limit.TIME if self._late else limit

    def _unfinished(self) -> bool:
        return not self._late and super()._unfinished()

    def _advance(self, ascent: Ascent) -> float | None:
        """Return a better bound; None if there is no time for one."""
        work, steps = len(ascent.costs) ** 3, 0
        while steps < LOOK and clock.now() + work * self._pace < self._until:
            began = clock.now()
            ascent.step()
            self._pace = (clock.now() - began) / work
            steps += 1
        self._late = steps < LOOK
        return ascent.look() if steps else None

    def _least_open(self) -> int:
        least = self._waiting[0][0] if self._waiting else inf
        if self._node is not None:
            least = min(least, self._node.bound)
        return self.best if least == inf else integral(least)

    def _step(self, budget: int) -> None:
        """Take a node, or look again at the bound of one, so many times."""
        for _ in range(budget):
            if self._ascent is not None:
                self._look()
            elif self._waiting:
                self._take()
            if not self._unfinished():
                return

    def _take(self) -> None:
        """Take the node of least bound; settle it if it is small."""
        _, _, node = heappop(self._waiting)
        if node.dual is not None:
            self._held -= len(node.left) ** 2
        self._node = node
        self.nodes += 1
        self._prepare(node, node.dual)

    def _prepare(self, node: Node, dual: Dual | None) -> None:
        """Start the bound of a node, or settle the node."""
        r = self.k - len(node.chosen)
        if integral(node.bound) >= self.best and self._may_end(node, dual):
            self._end(node)
        elif comb(len(node.left), r) <= self.listed:
            self._list(node, r)
        else:
            costs, twins = self._costs(node), self._symmetries.twins[node.left]
            self._ascent = Ascent(costs, r, dual or start(costs, r), twins)

    def _may_end(self, node: Node, dual: Dual | None) -> bool:
        """Whether what is known closes a node; recorders want to see for themselves."""
        return True

    def _costs(self, node: Node) -> npt.NDArray[np.float64]:
        costs = self.hops[np.ix_(node.left, node.left)] / 2
        costs[np.diag_indices_from(costs)] = self.own(node)
        return costs

    def own(self, node: Node) -> IntArray:
        """Return what each of a node's processors costs with those chosen."""
        own: IntArray = self.hops[node.left][:, list(node.chosen)].sum(axis=1)
        return own

    def price(self, node: Node) -> int:
        """Return what the chosen of a node cost among themselves."""
        at = list(node.chosen)
        return int(self.hops[np.ix_(at, at)].sum()) // 2

    def _list(self, node: Node, r: int) -> None:
        """Price all choices of a small node."""
        n = len(node.left)
        every = np.array([*combinations(range(n), r)], np.int64).reshape(comb(n, r), r)
        costs = self.own(node)[every].sum(axis=1)
        near = self.hops[np.ix_(node.left, node.left)]
        for i, j in combinations(range(r), 2):
            costs += near[every[:, i], every[:, j]]
        if len(every):
            least = int(costs.argmin())
            picked = [*node.chosen, *node.left[every[least]].tolist()]
            self.offer(picked, self.price(node) + int(costs[least]))
        self._note(node, [["list"]])
        self._end(node)

    def _note(self, node: Node, lines: list[Any], below: Sequence[Node] = ()) -> None:
        """Let recorders keep what was concluded, and the nodes below."""

    def _end(self, node: Node) -> None:
        self._node = self._ascent = None
        node.dual = None

    def _look(self) -> None:
        """Improve the bound of the node; close, reduce or branch it."""
        node, ascent = self._node, self._ascent
        assert node is not None
        assert ascent is not None
        price = self.price(node)
        before = len(ascent.history)
        raised = self._advance(ascent)
        if raised is None:
            return
        bound = price + raised
        node.bound = max(node.bound, bound)
        if integral(bound) >= self.best and self._accepts(node, ascent.best):
            self._end(node)
            return
        if self._late:
            return
        if (node is self.root and before % 5 == 4) or before == 2:
            self._round(node, ascent)
        goal = self.best - 1 - price
        least = _AT_ROOT if node is self.root else 0
        if before + 1 < least:
            return
        if before + 1 < _LOOKS and not ascent.in_vain(goal):
            return
        kept = self._keep(node, ascent)
        if len(kept) < len(node.left):
            dual = ascent.best.among(kept)
            node.left = node.left[kept]
            shrunk = len(kept) < 0.8 * len(ascent.costs)
            self._ascent = None
            r = self.k - len(node.chosen)
            if len(node.left) < r or comb(len(node.left), r) <= self.listed:
                self._list(node, r)
                return
            if shrunk:
                self._prepare(node, dual)
                return
            self._branch(node, dual)
        else:
            self._branch(node, ascent.best)

    def _accepts(self, node: Node, dual: Dual) -> bool:
        """Whether a node may be closed by these multipliers."""
        return True

    def _round(self, node: Node, ascent: Ascent) -> None:
        """Offer solutions near the diagonal of X."""
        weight = ascent.best.x.diagonal()
        r = self.k - len(node.chosen)
        random = np.random.default_rng(self.nodes)
        for turn in range(_STARTS if node is self.root else 1):
            noise = random.normal(0, 0.15, len(weight)) if turn else 0.0
            places = np.argsort(-(weight + noise), kind="stable")[:r]
            self._exchange([*node.chosen, *node.left[places].tolist()])

    def _exchange(self, chosen: list[int]) -> None:
        """Offer the local optimum of best exchanges from a solution."""
        descent = Descent(self.instance, chosen)
        descent.run()
        picked = np.flatnonzero(descent.picked)
        self.offer(picked, int(self.hops[np.ix_(picked, picked)].sum()) // 2)

    def _keep(self, node: Node, ascent: Ascent) -> IntArray:
        """Return the places of processors that better choices may take."""
        gap = self.best - 1 - self.price(node)
        dual, r = ascent.best, ascent.r
        values, vectors = np.linalg.eigh(dual_matrix(ascent.costs, r, dual))
        squares = vectors**2
        spare = max(gap - r * values[0], 1e-6 * max(1.0, abs(gap)))
        most, shift = np.zeros(len(values), dtype=bool), 0.0
        for share in _SHIFTS:
            t = values[0] - share * spare / r
            inverse = squares @ (1 / (values - t))
            out = r * t + 1 / inverse > gap + 1e-6 * max(1.0, abs(gap)) + 1e-9
            if out.sum() > most.sum():
                most, shift = out, t
        if most.any():
            most = self._leave_out(node, dual, shift, most)
        return np.flatnonzero(~most)

    def _leave_out(
        self,
        node: Node,
        dual: Dual,
        shift: float,
        out: npt.NDArray[np.bool_],
    ) -> npt.NDArray[np.bool_]:
        """Return which of these are left out; recorders note why."""
        return out

    def _branch(self, node: Node, dual: Dual) -> None:
        """Queue the node that takes a processor, and that which takes none alike."""
        even = np.abs(dual.x.diagonal() - 0.5)
        at = int(even.argmin())
        i = int(node.left[at])
        alike = self._symmetries.alike(i, np.array(node.chosen, dtype=int), node.left)
        out = np.isin(node.left, [i, *alike])
        kept = np.delete(np.arange(len(node.left)), at)
        both = [Node((*node.chosen, i), node.left[kept], node.bound, dual.among(kept))]
        kept = np.flatnonzero(~out)
        both.append(Node(node.chosen, node.left[kept], node.bound, dual.among(kept)))
        line = ["orbit", i, *alike.values()] if alike else ["branch", i]
        self._note(node, [line], both)
        for one in both:
            self._count += 1
            if self._held + len(one.left) ** 2 > _KEPT:
                one.dual = None
            else:
                self._held += len(one.left) ** 2
            heappush(self._waiting, (one.bound, self._count, one))
        self._end(node)
