"""What follows for the counts and points of a node of a branch-and-bound proof.

Part of the checker of certificates: see `certificate` for the rules. Counts inside of
cuts are differences of prefix sums, since every cut is a run of positions on an axis.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .instance import KSubset

UNDECIDED, CHOSEN, REJECTED = 0, 1, 2
_ROOM = 2**22
"""Points times cuts beyond which fewer cuts are looked at together."""
Ints = npt.NDArray[np.int64]


@dataclass
class State:
    """The status of every point, and the interval of every count, at a node."""

    status: Ints
    low: Ints
    high: Ints

    def copy(self) -> State:
        """Return a copy for a child."""
        return State(self.status.copy(), self.low.copy(), self.high.copy())


class Counts:
    """Derives from the state of a node, for one instance and objective.

    The objective is the claimed lower bound, in hops.
    """

    def __init__(self, instance: KSubset, objective: int) -> None:
        cuts = self.cuts = instance.cuts
        self.k = instance.k
        self.weight = cuts.weights
        self.threshold = (objective - 1) * cuts.denominator + 1
        twin = np.unique(instance.points, axis=0, return_inverse=True)[1]
        self.twin = twin.reshape(-1)
        # Positions of all axes are numbered through: those inside of cut h are
        # start[h], ..., stop[h] - 1, and a point has one place on every axis.
        lengths = cuts.position.max(axis=0, initial=0) + 1
        offset = np.cumsum(lengths) - lengths
        self.place = cuts.position + offset
        self.start = offset[cuts.axis] + cuts.start
        self.stop = offset[cuts.axis] + cuts.stop
        self.positions, self.all = int(lengths.sum()), int(lengths[0])
        pairs = np.array(list(links(cuts.axis, cuts.parent)), dtype=np.int64)
        self.links = g, h = pairs.reshape(-1, 2).T
        first = np.maximum(self.start[g], self.start[h])  # of those inside of both
        last = np.maximum(first, np.minimum(self.stop[g], self.stop[h]))
        self.runs = np.stack([np.append(self.start, first), np.append(self.stop, last)])
        self.nested = (self.start[h] <= self.start[g]) & (self.stop[g] <= self.stop[h])

    @property
    def sides(self) -> Ints:
        """Whether a point lies inside a cut, 0 or 1, shape (m, n)."""
        return self.cuts.sides.astype(np.int64)

    def root(self) -> State:
        """Return the state of the root, at which all points are undecided."""
        n, m = len(self.place), len(self.weight)
        return State(
            np.zeros(n, dtype=np.int64),
            np.zeros(m, dtype=np.int64),
            np.full(m, self.k, dtype=np.int64),
        )

    def close(self, state: State) -> bool:
        """Propagate counts to a fixpoint; return False on a contradiction."""
        m, (g, h) = len(self.weight), self.links
        while True:
            below = self._below(state.status)
            chosen, possible = below[:, self.all]
            if chosen > self.k or possible < self.k:
                return False
            inside = below[:, self.runs[1]] - below[:, self.runs[0]]
            (must, may), both = inside[:, :m], inside[:, m:]  # both cuts of a link
            low = np.maximum(state.low, must)
            state.low = np.maximum(low, self.k - (possible - may))
            high = np.minimum(state.high, may)
            state.high = np.minimum(high, self.k - (chosen - must))
            lost, gained = inside[:, g] - both, inside[:, h] - both
            if (state.low > state.high).any() or not self._link(state, lost, gained):
                return False
            full, empty = self._runs(state, inside[:, :m], gained)
            free = state.status == UNDECIDED
            if (free & full & empty).any():
                return False
            if not (free & (full | empty)).any():
                return True
            state.status[free & full] = CHOSEN
            state.status[free & empty] = REJECTED

    def _below(self, status: Ints) -> Ints:
        """Count the chosen, and those not rejected, below every position, or any."""
        at = (self.place + self.positions * status[:, None]).ravel()
        free, chosen, _ = np.bincount(at, minlength=3 * self.positions).reshape(3, -1)
        below = np.zeros((2, self.positions + 1), dtype=np.int64)
        np.cumsum([chosen, chosen + free], axis=1, out=below[:, 1:])
        return below

    def _link(self, state: State, lost: Ints, gained: Ints) -> bool:
        """Propagate bounds between neighbouring counts to a fixpoint.

        ``gained`` are the least and the largest numbers in h and not in g, ``lost``
        those in g and not in h, for every link (g, h).
        """
        g, h = self.links
        least, most = gained[0] - lost[1], gained[1] - lost[0]  # of c_h - c_g
        while True:
            low, high = state.low.copy(), state.high.copy()
            np.maximum.at(low, h, state.low[g] + least)
            np.minimum.at(high, h, state.high[g] + most)
            np.maximum.at(low, g, state.low[h] - most)
            np.minimum.at(high, g, state.high[h] - least)
            if (low > high).any():
                return False
            if (low == state.low).all() and (high == state.high).all():
                return True
            state.low, state.high = low, high

    def _runs(
        self, state: State, within: Ints, gained: Ints
    ) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Mark the points of sides, and rings between sides, that are full or empty.

        ``within`` are the least and the largest numbers inside of each cut.
        """
        g, h = (end[self.nested] for end in self.links)
        must, may = np.concatenate([within, gained[:, self.nested]], axis=1)
        least = np.concatenate([state.low, state.low[h] - state.high[g]])
        most = np.concatenate([state.high, state.high[h] - state.low[g]])
        full, empty = ((least == may) & (may > must)), ((most == must) & (may > must))
        return self._covered(full, g, h), self._covered(empty, g, h)

    def _covered(
        self, which: npt.NDArray[np.bool_], g: Ints, h: Ints
    ) -> npt.NDArray[np.bool_]:
        """Mark the points in some of the sides, and of the rings in h and not in g."""
        if not which.any():
            return np.zeros(len(self.place), dtype=np.bool_)
        side, ring = which[: len(self.weight)], which[len(self.weight) :]
        change = np.zeros(self.positions + 1, dtype=np.int64)
        outer = np.append(np.flatnonzero(side), h[ring])
        for sign, cuts in ((1, outer), (-1, g[ring])):
            np.add.at(change, self.start[cuts], sign)
            np.add.at(change, self.stop[cuts], -sign)
        covered: npt.NDArray[np.bool_] = (np.cumsum(change) > 0)[self.place].any(axis=1)
        return covered

    def bound(self, state: State) -> tuple[int, Ints, npt.NDArray[np.bool_]]:
        """Return the secant bound, the points' weights, and the points it counts."""
        slope = self.weight * (self.k - state.low - state.high)
        along = np.zeros(self.positions + 1, dtype=np.int64)
        np.add.at(along, self.start, slope)
        np.subtract.at(along, self.stop, slope)
        weights = np.cumsum(along)[self.place].sum(axis=1)
        constant = int((self.weight * state.low * state.high).sum())
        taken = state.status == CHOSEN
        missing = self.k - int(taken.sum())
        free = np.flatnonzero(state.status == UNDECIDED)
        lightest = free[np.argsort(weights[free], kind="stable")[:missing]]
        taken[lightest] = True
        return constant + int(weights[taken].sum()), weights, taken

    def affordable(self, state: State, cuts: Ints) -> npt.NDArray[np.bool_]:
        """Which counts from 0 to k of some cuts leave the bound too low.

        With c inside of a cut, the bound counts the lightest points, c of them inside
        and k - c outside, and (c - l) (u - c) more for the cut itself. Counts out of
        the interval do not; shape (cuts, k + 1).
        """
        if len(cuts) > 1 and len(cuts) * len(state.status) > _ROOM:
            halves = np.array_split(cuts, 2)
            return np.concatenate([self.affordable(state, half) for half in halves])
        bound, weights, taken = self.bound(state)
        free = np.flatnonzero(state.status == UNDECIDED)
        bound -= int(weights[free[taken[free]]].sum())
        free = free[np.argsort(weights[free])]
        low, high = state.low[cuts][:, None], state.high[cuts][:, None]
        count = np.arange(self.k + 1)
        error = self.weight[cuts][:, None] * (count - low) * (high - count)
        possible = (low <= count) & (count <= high)
        below = self._below(state.status)[0]
        there = (below[self.stop[cuts]] - below[self.start[cuts]])[:, None]
        at = self.place[free].T[self.cuts.axis[cuts]]
        inside = (self.start[cuts, None] <= at) & (at < self.stop[cuts, None])
        for side, more in (
            (inside, count - there),
            (~inside, self.k - count - (int(below[self.all]) - there)),
        ):
            row, column = np.nonzero(side)
            rank = np.cumsum(side, axis=1)  # total[h, i]: the i lightest on a side
            total = np.zeros((len(cuts), len(free) + 1), dtype=np.int64)
            sums = np.cumsum(np.where(side, weights[free], 0), axis=1)
            total[row, rank[row, column]] = sums[row, column]
            possible &= (more >= 0) & (more <= side.sum(axis=1)[:, None])
            some = np.minimum(np.maximum(more, 0), len(free))
            error += np.take_along_axis(total, some, axis=1)
        found: npt.NDArray[np.bool_] = possible & (bound + error < self.threshold)
        return found

    def needs(self, state: State, p: Ints, q: Ints) -> npt.NDArray[np.bool_]:
        """Whether no optimal set contains p without q, for all pairs: shape (p, q).

        D(q) - D(p) - d(p, q) is a sum over the cuts with exactly one of them inside,
        bounded by the intervals of the counts.
        """
        leave = self.weight * (2 * state.high - self.k - 1)  # p inside, q outside
        enter = self.weight * (self.k - 2 * state.low - 1)  # q inside, p outside
        inside = self.place[p][:, self.cuts.axis]
        inside = (self.start <= inside) & (inside < self.stop)
        gain = np.where(inside, -leave, enter)  # of q inside, over q outside
        along = np.zeros((self.positions + 1, len(p)), dtype=np.int64)
        np.add.at(along, self.start, gain.T)
        np.subtract.at(along, self.stop, gain.T)
        gains = np.cumsum(along, axis=0)
        total = np.where(inside, leave, 0).sum(axis=1)[:, None]
        for axis in range(self.place.shape[1]):
            total = total + gains[self.place[q, axis]].T
        needs: npt.NDArray[np.bool_] = total < 0
        return needs

    def needs_too_many(self, state: State, p: Ints) -> npt.NDArray[np.bool_]:
        """Whether each point needs more others than remain to be chosen."""
        free = np.flatnonzero(state.status == UNDECIDED)
        needed = self.counted(state, p, free)[0]
        chosen = int((state.status == CHOSEN).sum())
        return chosen + needed + 1 > self.k

    def needed_by_too_many(self, state: State, p: Ints) -> npt.NDArray[np.bool_]:
        """Whether more others need each point than can be rejected."""
        free = np.flatnonzero(state.status == UNDECIDED)
        needing = self.counted(state, free, p)[1]
        possible = int((state.status != REJECTED).sum())
        return possible - needing - 1 < self.k

    def counted(self, state: State, p: Ints, q: Ints) -> tuple[Ints, Ints]:
        """How many of q each of p needs, and how many of p need each of q."""
        needs = self.needs(state, p, q)
        return needs.sum(axis=1), needs.sum(axis=0)


def links(axis: Ints, parent: Ints) -> Iterator[tuple[int, int]]:
    """Yield pairs (g, h) of cuts, nested or adjacent, whose counts bound each other."""
    nested = {int(axis[h]) for h, up in enumerate(parent) if up >= 0}
    yield from ((h, int(up)) for h, up in enumerate(parent) if up >= 0)
    for a in np.unique(axis):
        row = [int(h) for h in np.flatnonzero(axis == a)]
        if int(a) not in nested and len(row) > 1:
            yield from zip(row, [*row[1:], row[0]], strict=True)
