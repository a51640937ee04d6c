"""The improved PTAS in space: one small integer program per triple of cut vectors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from itertools import product
from math import inf

import numpy as np

from ....instances import IntArray, KSubset, arrays
from ....solvers import Grade
from ....solvers.running import clock
from ....solvers.running.tolerances import rounded_up
from ..strips import slopes
from .axis import Axis


class Space:
    """Triples of cut vectors of three axes, solved one by one; see ``ptas.Plane``.

    Here ``flows`` is the number of programs solved; ``deadline`` is the value of
    ``clock.now()`` at which solving one stops.
    """

    grade = Grade.SOLVER
    by = "strips, HiGHS"

    def __init__(self, instance: KSubset, sizes: Sequence[int], known: int) -> None:
        self.sizes = np.array(sizes, dtype=np.int64)
        self.slope = np.array(slopes(sizes), dtype=np.int64)
        self.axes = [
            Axis.of(a, self.sizes, self.slope) for a in arrays.points(instance).T
        ]
        self.places = np.column_stack([axis.place for axis in self.axes])
        self.best = known + 1
        self.floor = known + 1
        self.chosen: IntArray | None = None
        self.flows = 0
        self.deadline = inf
        self._ahead: list[tuple[int, tuple[int, ...]]] = []
        self._seen: set[tuple[int, ...]] = set()
        if all(len(axis.bounds) for axis in self.axes):
            self._push((0, 0, 0))

    @property
    def unfinished(self) -> bool:
        """Whether triples are left that may cost less."""
        return bool(self._ahead) and self._ahead[0][0] < self.best

    @property
    def bound(self) -> int:
        """The least cost proved for any choice of k."""
        rest = [self.floor]
        if self.unfinished:
            rest.append(self._ahead[0][0])
        return min(rest)

    def step(self, flows: int) -> None:
        """Solve at most the given number of integer programs."""
        for _ in range(flows):
            if not self.unfinished:
                return
            _, triple = heappop(self._ahead)
            self._solve(triple)
            for axis in range(3):
                further = (*triple[:axis], triple[axis] + 1, *triple[axis + 1 :])
                if further[axis] < len(self.axes[axis].bounds):
                    self._push(further)

    def _push(self, triple: tuple[int, ...]) -> None:
        if triple in self._seen:
            return
        self._seen.add(triple)
        pairs = zip(self.axes, triple, strict=True)
        heappush(self._ahead, (sum(int(axis.bounds[at]) for axis, at in pairs), triple))

    def _solve(self, triple: tuple[int, ...]) -> None:
        """Choose processors of least cost for given cuts."""
        from scipy.optimize import Bounds, LinearConstraint, milp  # takes 0.2 s
        from scipy.sparse import csr_array

        self.flows += 1
        member, strips = self._variables(triple)
        m, n = len(self.sizes), len(self.places)
        cost = np.zeros(len(member))
        rows, columns = [], []
        for axis in range(3):
            value = self.axes[axis].value[self.places[member, axis]]
            cost += self.slope[strips[:, axis]] * value
            rows.append(axis * m + strips[:, axis])
            columns.append(np.arange(len(member)))
        rows.append(3 * m + member)
        columns.append(np.arange(len(member)))
        matrix = csr_array(
            (
                np.ones(4 * len(member)),
                (np.concatenate(rows), np.concatenate(columns)),
            ),
            shape=(3 * m + n, len(member)),
        )
        fixed = np.tile(self.sizes, 3).astype(float)
        low = np.concatenate([fixed, np.zeros(n)])
        high = np.concatenate([fixed, np.ones(n)])
        left = max(0.01, self.deadline - clock.now())
        run = milp(
            cost,
            constraints=LinearConstraint(matrix, low, high),
            integrality=np.ones(len(member), dtype=np.int64),
            bounds=Bounds(0, 1),
            options={"time_limit": left},
        )
        if run.status == 2:  # infeasible: these cuts cannot be met
            return
        # costs between strips are never negative; the bound may be missing
        self.floor = min(self.floor, rounded_up(run.mip_dual_bound) or 0)
        if run.x is None:
            return
        chosen = member[run.x > 0.5]
        paid = round(float(cost[run.x > 0.5].sum()))
        if paid < self.best:
            self.best, self.chosen = paid, np.sort(chosen)

    def _variables(self, triple: tuple[int, ...]) -> tuple[IntArray, IntArray]:
        """List processors with the strips they may belong to: several at a cut."""
        shares = []
        for axis, at in zip(self.axes, triple, strict=True):
            cut = [0, *axis.cuts[at].tolist(), len(axis.value) - 1]
            shares.append(
                [
                    [i for i in range(len(self.sizes)) if cut[i] <= v <= cut[i + 1]]
                    for v in range(len(axis.value))
                ]
            )
        member, strips = [], []
        for number, place in enumerate(self.places.tolist()):
            for combination in _combinations(shares, place):
                member.append(number)
                strips.append(combination)
        return np.array(member, dtype=np.int64), np.array(strips, dtype=np.int64)


def _combinations(
    shares: Sequence[Sequence[Sequence[int]]], place: Sequence[int]
) -> Iterator[tuple[int, ...]]:
    return product(*(share[v] for share, v in zip(shares, place, strict=True)))
