"""Record a branch and bound over cut counts as a certificate that can be checked.

The search runs again, with the optimum known from the start, and notes every
conclusion with its reason in the format of ``instances.ksubset.certificate``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ....instances import IntArray, KSubset
from ....instances.ksubset.certificate import Checker, State
from ....solvers import Limit, clock
from . import kernels, kernels_bounds, kernels_counts, kernels_exchange, layout
from .box import CutBox

Status = npt.NDArray[np.int8]
_MOST_NODES = 200_000
"""Number of nodes beyond which a proof is not recorded."""


def record(instance: KSubset, objective: int, deadline: float) -> list[Any] | Limit:
    """Prove that nothing costs less than ``objective``; return the nodes in preorder.

    The limit instead, if one is reached before they are complete: ``deadline`` is a
    value of ``clock.now()``. An objective above the optimum has no proof.
    """
    recorder = _Recorder(instance, objective)
    nodes: list[Any] = []
    while recorder.waiting:
        if clock.now() >= deadline:
            return Limit.TIME
        if len(nodes) >= _MOST_NODES:
            return Limit.NODES
        nodes.append(recorder.prove_node(*recorder.waiting.pop()))
    return nodes


class _Recorder:
    """Records the proof node by node."""

    def __init__(self, instance: KSubset, objective: int) -> None:
        box = CutBox.of(instance, 0)
        self.problem = box.problem
        self.scratch = layout.room_for(box.problem)
        self.checker = Checker(instance, objective)
        self.threshold = (objective - 1) * box.problem.denominator + 1
        stack = box.stack
        root = stack.status[0].copy(), stack.low[0].copy(), stack.high[0].copy()
        self.waiting: list[tuple[Status, IntArray, IntArray]] = [root]

    def prove_node(self, status: Status, low: IntArray, high: IntArray) -> Any:
        """Return the steps and the end of a node; queue its children."""
        problem, scratch = self.problem, self.scratch
        steps: list[Any] = []
        narrowed = 0
        while True:
            if not kernels_bounds.close(problem, status, low, high, scratch):
                return [steps, ["counts"]]
            constant = kernels_bounds.weigh(problem, low, high, scratch)
            bound, last, beyond = kernels_bounds.bound_by_secants(
                problem, status, constant, scratch
            )
            if bound >= self.threshold:
                return [steps, ["bound", int(bound), low.tolist(), high.tolist()]]
            before = status.copy()
            if kernels_bounds.decide_by_cost(
                status, bound, last, beyond, self.threshold, scratch
            ):
                steps.append(["cost", *_decided(before, status)])
                continue
            if narrowed < kernels.MOST_NARROWED:
                narrowed += 1
                intervals = low.copy(), high.copy()
                cut = kernels_counts.narrow_by_cost(
                    problem, status, low, high, int(self.threshold - bound), scratch
                )
                if cut < 0:
                    state = State(status.astype(np.int64), *intervals)
                    return [steps, ["narrow", self._without_count(state)]]
                if cut:
                    changed = (low != intervals[0]) | (high != intervals[1])
                    left = np.stack([np.arange(len(low)), low, high], axis=1)
                    steps.append(["narrow", left[changed].tolist()])
                    continue
            narrowed = 0
            found = self._exchange(status, low, high)
            if found is None:
                break
            kind, step = found
            if kind == "end":
                return [steps, step]
            steps.append(step)
        h, split = kernels_bounds.widest_error(problem, low, high, scratch)
        if h < 0:
            raise ValueError("The objective is not optimal.")
        upper = status.copy(), low.copy(), high
        lower = status, low, high.copy()
        upper[1][h] = split + 1
        lower[2][h] = split
        self.waiting += [upper, lower]
        return [steps, ["split", int(h), int(split)]]

    def _without_count(self, state: State) -> int:
        """Find a cut that has no count left."""
        left = self.checker.affordable(state, range(len(state.low)))
        return next(h for h, counts in enumerate(left) if not counts.any())

    def _exchange(
        self, status: Status, low: IntArray, high: IntArray
    ) -> tuple[str, Any] | None:
        """Apply the exchange rules; return a step, an end, or None."""
        problem, scratch = self.problem, self.scratch
        before = status.copy()
        decided = kernels_exchange.take_twins_in_order(problem, status)
        if decided < 0:
            return "end", ["twins", self._twin_conflict(before)]
        if decided:
            return "step", ["twins", *_decided(before, status)]
        if problem.exchange == layout.NO_EXCHANGE:
            return None
        kernels_exchange.bound_gains(problem, low, high, scratch)
        if problem.exchange == layout.BY_SWEEPS:
            decided = kernels_exchange.exchange_by_sweeps(problem, status, scratch)
        else:
            decided = kernels_exchange.exchange_pairwise(problem, status, scratch)
        state = State(before.astype(np.int64), low, high)
        if decided:
            pairs = self._witnesses(state, status)
            if decided < 0:  # points decided before the contradiction form a step
                status[:] = state.status
                if not pairs:
                    return "end", self._conflict(state)
            return "step", ["exchange", pairs]
        if len(status) > problem.most_companions:
            return None
        decided = kernels_exchange.count_companions(problem, status, scratch)
        if decided < 0:
            free = np.flatnonzero(before == layout.UNDECIDED)
            torn = np.logical_and(*self.checker.crowded(state, free.tolist()))
            return "end", ["companions", int(free[torn.argmax()])]
        if decided:
            return "step", ["companions", *_decided(before, status)]
        return None

    def _witnesses(self, state: State, status: Status) -> list[list[int]]:
        """Find for each point decided by exchange a decided point that implies it.

        Advances ``state`` to ``status``.
        """
        pairs: list[list[int]] = []
        todo = np.flatnonzero(state.status != status)
        while len(todo):
            chosen = np.flatnonzero(state.status == layout.CHOSEN)
            rejected = np.flatnonzero(state.status == layout.REJECTED)
            left = []
            for p in map(int, todo):
                if status[p] == layout.CHOSEN:
                    needs = self.checker.needs(state, chosen, np.array([p]))[:, 0]
                    pair = [int(chosen[needs.argmax()]), p] if needs.any() else None
                else:
                    needs = self.checker.needs(state, np.array([p]), rejected)[0]
                    pair = [p, int(rejected[needs.argmax()])] if needs.any() else None
                if pair is None:
                    left.append(p)
                    continue
                pairs.append(pair)
                state.status[p] = status[p]
            if len(left) == len(todo):
                break  # the rest was decided after the contradiction
            todo = np.array(left, dtype=np.int64)
        return pairs

    def _conflict(self, state: State) -> list[Any]:
        """Find a chosen point that requires a rejected one."""
        rejected = np.flatnonzero(state.status == layout.REJECTED)
        chosen = np.flatnonzero(state.status == layout.CHOSEN)
        needs = self.checker.needs(state, chosen, rejected)
        if needs.any():
            p, q = np.unravel_index(needs.argmax(), needs.shape)
            return ["exchange", int(chosen[p]), int(rejected[q])]
        raise AssertionError("the search reported a conflict that does not exist")

    def _twin_conflict(self, status: Status) -> int:
        """Find a chosen point with an earlier twin that is rejected."""
        twin = self.problem.twin
        return next(
            int(p)
            for p in np.flatnonzero(status == layout.CHOSEN)
            if (status[:p][twin[:p] == twin[p]] == layout.REJECTED).any()
        )


def _decided(before: Status, after: Status) -> tuple[list[int], list[int]]:
    changed = before != after
    chosen = np.flatnonzero(changed & (after == layout.CHOSEN))
    rejected = np.flatnonzero(changed & (after == layout.REJECTED))
    return chosen.tolist(), rejected.tolist()
