"""Record a branch and bound over cut counts as a certificate that can be checked.

The search runs again, with the optimum known from the start, and notes every
conclusion with its reason in the format of ``instances.ksubset.certificate``.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ....instances import IntArray, KSubset, cost
from ....proofs.writing.certificate_kernels import FastChecker
from ....solvers import Limit, SolverError
from ....solvers.running import clock
from . import kernels_bounds, kernels_exchange, kernels_record, layout
from .box import ALL_RULES, CutBox, SearchRules

Status = npt.NDArray[np.int8]
_RULES = {
    kernels_record.COST: "cost",
    kernels_record.TWINS: "twins",
    kernels_record.COMPANIONS: "companions",
}
_ENDS = {
    kernels_record.NARROWED: "narrow",
    kernels_record.TWINS_END: "twins",
    kernels_record.COMPANIONS_END: "companions",
}
_MOST_NODES = 200_000
"""Number of nodes beyond which a proof is not recorded."""


def record(
    instance: KSubset, objective: int, deadline: float, rules: SearchRules = ALL_RULES
) -> list[Any] | Limit:
    """Prove that nothing costs less than ``objective``; return the nodes in preorder.

    The limit instead, if one is reached before they are complete: ``deadline`` is a
    value of ``clock.now()``.

    Raises
    ------
    SolverError
        If there is a cheaper choice; states its cost.
    """
    recorder = _Recorder(instance, objective, rules)
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

    def __init__(self, instance: KSubset, objective: int, rules: SearchRules) -> None:
        box = CutBox.of(instance, 0, rules)
        self.problem = box.problem
        self.scratch = layout.room_for(box.problem)
        self.instance, self.objective = instance, objective
        n, m = box.problem.position.shape[0], len(box.problem.weight)
        self.log = np.empty(6 + 4 * (n + 3 * m), dtype=np.int64)
        self.threshold = (objective - 1) * box.problem.denominator + 1
        stack = box.stack
        root = stack.status[0].copy(), stack.low[0].copy(), stack.high[0].copy()
        self.waiting: list[tuple[Status, IntArray, IntArray]] = [root]

    @cached_property
    def checker(self) -> FastChecker:
        """States which points need each other."""
        return FastChecker(self.instance, self.objective)

    def prove_node(self, status: Status, low: IntArray, high: IntArray) -> Any:
        """Return the steps and the end of a node; queue its children."""
        steps: list[Any] = []
        while True:
            end, x, y, used = kernels_record.settle_noting(
                *(self.problem, status, low, high, self.threshold),
                *(self.scratch, self.log),
            )
            steps += _steps(self.log[:used].tolist())
            if end == kernels_record.EXCHANGE:
                found = self._exchange(status, low, high)
                if found is None:
                    x, y = kernels_bounds.widest_error(
                        self.problem, low, high, self.scratch
                    )
                    break
                kind, step = found
                if kind == "end":
                    return [steps, step]
                steps.append(step)
            elif end == kernels_record.BOUND:
                return [steps, ["bound", x, low.tolist(), high.tolist()]]
            elif end in _ENDS:
                return [steps, [_ENDS[end], x]]
            elif end == kernels_record.COUNTS:
                return [steps, ["counts"]]
            elif end == kernels_record.SPLIT:
                break
        if x < 0:  # the bound is what the points that it takes cost
            chosen = tuple(np.flatnonzero(self.scratch.picked).tolist())
            raise SolverError(f"a choice costs {cost(self.instance, chosen)}")
        upper = status.copy(), low.copy(), high
        lower = status, low, high.copy()
        upper[1][x] = y + 1
        lower[2][x] = y
        self.waiting += [upper, lower]
        return [steps, ["split", x, y]]

    def _exchange(
        self, status: Status, low: IntArray, high: IntArray
    ) -> tuple[str, Any] | None:
        """Exchange with decided points, of which there are many; a step, or an end."""
        problem, scratch = self.problem, self.scratch
        before = status.copy()
        kernels_exchange.bound_gains(problem, low, high, scratch)
        if problem.exchange == layout.BY_SWEEPS:
            decided = kernels_exchange.exchange_by_sweeps(problem, status, scratch)
        else:
            decided = kernels_exchange.exchange_pairwise(problem, status, scratch)
        if not decided:
            return None
        pairs = self._witnesses(before, status, low, high)
        if decided < 0:  # points decided before the contradiction form a step
            status[:] = before
            if not pairs:
                return "end", self._conflict(status, low, high)
        return "step", ["exchange", pairs]

    def _witnesses(
        self, known: Status, status: Status, low: IntArray, high: IntArray
    ) -> list[list[int]]:
        """Find for each point decided by exchange a decided point that implies it.

        Advances what is ``known`` to ``status``.
        """
        needed = partial(self.checker.table_of_needs, low, high)
        pairs: list[list[int]] = []
        todo = np.flatnonzero(known != status)
        while len(todo):
            chosen = np.flatnonzero(known == layout.CHOSEN)
            rejected = np.flatnonzero(known == layout.REJECTED)
            left = []
            for p in map(int, todo):
                if status[p] == layout.CHOSEN:
                    needs = needed(chosen, np.array([p]))[:, 0]
                    pair = [int(chosen[needs.argmax()]), p] if needs.any() else None
                else:
                    needs = needed(np.array([p]), rejected)[0]
                    pair = [p, int(rejected[needs.argmax()])] if needs.any() else None
                if pair is None:
                    left.append(p)
                    continue
                pairs.append(pair)
                known[p] = status[p]
            if len(left) == len(todo):
                break  # the rest was decided after the contradiction
            todo = np.array(left, dtype=np.int64)
        return pairs

    def _conflict(self, status: Status, low: IntArray, high: IntArray) -> list[Any]:
        """Find a chosen point that requires a rejected one."""
        rejected = np.flatnonzero(status == layout.REJECTED)
        chosen = np.flatnonzero(status == layout.CHOSEN)
        needs = self.checker.table_of_needs(low, high, chosen, rejected)
        if needs.any():
            p, q = np.unravel_index(needs.argmax(), needs.shape)
            return ["exchange", int(chosen[p]), int(rejected[q])]
        raise AssertionError("the search reported a conflict that does not exist")


def _steps(log: list[int]) -> Iterator[list[Any]]:
    """Yield the steps of a log, see ``kernels_record``."""
    at = 0
    while at < len(log):
        rule, one, two = log[at : at + 3]
        at += 3
        middle = at + (3 * one if rule == kernels_record.NARROW else one)
        if rule == kernels_record.NARROW:
            yield ["narrow", [log[i : i + 3] for i in range(at, middle, 3)]]
        else:
            yield [_RULES[rule], log[at:middle], log[middle : middle + two]]
        at = middle + two
