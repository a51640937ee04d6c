"""What follows at a node of a branch-and-bound proof, compiled.

The fast twin of `Counts`, from which the checker of certificates derives all steps:
tests hold it to the plain one. It shares no code with the searches.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...instances import KSubset
from ...instances.ksubset.certificate import CertificateChecker
from ...instances.ksubset.counts import CountState
from ...instances.value import LARGEST
from ...solvers.running.kernels import kernel

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
_UNDECIDED, _CHOSEN, _REJECTED = 0, 1, 2
_ROOM = 2**22
"""Points times cuts beyond which fewer of them are looked at together."""


class Runs(NamedTuple):
    """The cuts of an instance, as runs of positions; positions are numbered through."""

    k: int
    all: int
    """Positions of the first axis."""
    weight: Ints
    start: Ints
    stop: Ints
    axis: Ints
    place: Ints
    """Position of every point on every axis."""
    g: Ints
    h: Ints
    """Pairs of cuts whose counts bound each other."""
    first: Ints
    last: Ints
    """Where the positions inside of both begin, and end."""
    nested: Flags
    """Whether all positions inside of g are inside of h."""


@kernel
def _count(place: Ints, status: Ints, below: Ints) -> None:
    """Count the chosen, and those not rejected, below every position."""
    below[:] = 0
    n, axes = place.shape
    for p in range(n):
        for a in range(axes):
            at = place[p, a] + 1
            below[0, at] += status[p] == _CHOSEN
            below[1, at] += status[p] != _REJECTED
    for at in range(1, below.shape[1]):
        below[0, at] += below[0, at - 1]
        below[1, at] += below[1, at - 1]


@kernel
def _narrow(runs: Runs, low: Ints, high: Ints, below: Ints) -> bool:
    """Bound every count by the points inside; False on a contradiction."""
    chosen, possible = below[0, runs.all], below[1, runs.all]
    for i in range(len(low)):
        must = below[0, runs.stop[i]] - below[0, runs.start[i]]
        may = below[1, runs.stop[i]] - below[1, runs.start[i]]
        low[i] = max(low[i], must, runs.k - (possible - may))
        high[i] = min(high[i], may, runs.k - (chosen - must))
        if low[i] > high[i]:
            return False
    return True


@kernel
def _within(runs: Runs, below: Ints, h: int, link: int) -> tuple[int, int]:
    """Count what is chosen, and may be, in cut h alone of the two cuts of a link."""
    first, last = runs.first[link], runs.last[link]
    start, stop = runs.start[h], runs.stop[h]
    must = below[0, stop] - below[0, start] - below[0, last] + below[0, first]
    may = below[1, stop] - below[1, start] - below[1, last] + below[1, first]
    return must, may


@kernel
def _link(runs: Runs, low: Ints, high: Ints, below: Ints) -> bool:
    """Bound counts by each other to a fixpoint; False on a contradiction."""
    moved = True
    while moved:
        moved = False
        for step in range(2 * len(runs.g)):
            i = min(step, 2 * len(runs.g) - 1 - step)  # forwards, then backwards
            g, h = runs.g[i], runs.h[i]
            must_g, may_g = _within(runs, below, g, i)
            must_h, may_h = _within(runs, below, h, i)
            least, most = must_h - may_g, may_h - must_g
            lows = max(low[h], low[g] + least), max(low[g], low[h] - most)
            highs = min(high[h], high[g] + most), min(high[g], high[h] - least)
            if (lows[0], lows[1], highs[0], highs[1]) != (
                *(low[h], low[g]),
                *(high[h], high[g]),
            ):
                moved = True
                low[h], low[g] = lows
                high[h], high[g] = highs
                if low[h] > high[h] or low[g] > high[g]:
                    return False
    return True


@kernel
def _mark(runs: Runs, low: Ints, high: Ints, below: Ints, marks: Ints) -> bool:
    """Mark the positions of full sides, and of empty ones, as differences."""
    marks[:] = 0
    found = False
    for h in range(len(low)):
        must = below[0, runs.stop[h]] - below[0, runs.start[h]]
        may = below[1, runs.stop[h]] - below[1, runs.start[h]]
        for way, holds in ((0, low[h] == may), (1, high[h] == must)):
            if holds and may > must:
                marks[way, runs.start[h]] += 1
                marks[way, runs.stop[h]] -= 1
                found = True
    for i in range(len(runs.g)):
        g, h = runs.g[i], runs.h[i]
        must, may = _within(runs, below, h, i)
        if not runs.nested[i]:
            continue
        least, most = low[h] - high[g], high[h] - low[g]
        for way, holds in ((0, least == may), (1, most == must)):
            if holds and may > must:
                marks[way, runs.start[h]] += 1
                marks[way, runs.stop[h]] -= 1
                marks[way, runs.start[g]] -= 1
                marks[way, runs.stop[g]] += 1
                found = True
    return found


@kernel
def close(
    runs: Runs, status: Ints, low: Ints, high: Ints, below: Ints, marks: Ints
) -> bool:
    """Propagate counts to a fixpoint; return False on a contradiction."""
    n, axes = runs.place.shape
    while True:
        _count(runs.place, status, below)
        if below[0, runs.all] > runs.k or below[1, runs.all] < runs.k:
            return False
        if not _narrow(runs, low, high, below) or not _link(runs, low, high, below):
            return False
        if not _mark(runs, low, high, below, marks):
            return True
        for at in range(1, marks.shape[1]):
            marks[0, at] += marks[0, at - 1]
            marks[1, at] += marks[1, at - 1]
        decided = False
        for p in range(n):
            if status[p] != _UNDECIDED:
                continue
            full = empty = False
            for a in range(axes):
                full |= marks[0, runs.place[p, a]] > 0
                empty |= marks[1, runs.place[p, a]] > 0
            if full and empty:
                return False
            if full or empty:
                status[p] = _CHOSEN if full else _REJECTED
                decided = True
        if not decided:
            return True


@kernel
def weigh(
    runs: Runs, status: Ints, low: Ints, high: Ints, along: Ints
) -> tuple[int, Ints, Flags]:
    """Return the secant bound, the weights of points, and the points it counts."""
    along[:] = 0
    total = 0
    for h in range(len(low)):
        slope = runs.weight[h] * (runs.k - low[h] - high[h])
        along[runs.start[h]] += slope
        along[runs.stop[h]] -= slope
        total += runs.weight[h] * low[h] * high[h]
    for at in range(1, len(along)):
        along[at] += along[at - 1]
    n, axes = runs.place.shape
    weights = np.zeros(n, dtype=np.int64)
    taken = np.zeros(n, dtype=np.bool_)
    free = np.empty(n, dtype=np.int64)
    size, missing = 0, runs.k
    for p in range(n):
        for a in range(axes):
            weights[p] += along[runs.place[p, a]]
        if status[p] == _CHOSEN:
            taken[p] = True
            total += weights[p]
            missing -= 1
        elif status[p] == _UNDECIDED:
            free[size] = weights[p]
            size += 1
    if missing <= 0 or not size:
        return total, weights, taken
    missing = min(missing, size)
    last = np.partition(free[:size], missing - 1)[missing - 1]
    for i in range(size):
        missing -= free[i] < last
    for p in range(n):  # of equal ones the first
        if status[p] == _UNDECIDED and weights[p] <= last:
            if weights[p] == last:
                if missing == 0:
                    continue
                missing -= 1
            taken[p] = True
            total += weights[p]
    return total, weights, taken


@kernel
def leave_low(
    runs: Runs, status: Ints, low: Ints, high: Ints, cuts: Ints, gap: int, weights: Ints
) -> Flags:
    """Mark counts of some cuts that cost less than ``gap`` more than what is chosen."""
    n, k = len(status), runs.k
    free = np.flatnonzero(status == _UNDECIDED)
    free = free[np.argsort(weights[free])]
    found = np.zeros((len(cuts), k + 1), dtype=np.bool_)
    lightest = np.zeros((2, k + 1), dtype=np.int64)  # outside, and inside
    for i in range(len(cuts)):
        h = cuts[i]
        start, stop, axis = runs.start[h], runs.stop[h], runs.axis[h]
        inside = outside = 0
        for p in range(n):
            if status[p] == _CHOSEN:
                within = start <= runs.place[p, axis] < stop
                inside += within
                outside += not within
        # from how many of the undecided on there are no more
        end = np.zeros(2, dtype=np.int64)
        for q in free:
            side = 1 if start <= runs.place[q, axis] < stop else 0
            if end[side] < k:
                end[side] += 1
                lightest[side, end[side]] = lightest[side, end[side] - 1] + weights[q]
            elif end[1 - side] == k:
                break
        for count in range(low[h], high[h] + 1):
            more, others = count - inside, k - count - outside
            if 0 <= more <= end[1] and 0 <= others <= end[0]:
                error = runs.weight[h] * (count - low[h]) * (high[h] - count)
                error += lightest[1, more] + lightest[0, others]
                found[i, count] = error < gap
    return found


@kernel
def count_needs(
    runs: Runs, low: Ints, high: Ints, p: Ints, q: Ints, along: Ints
) -> tuple[Ints, Ints]:
    """Count how many of q each of p needs, and how many of p need each of q."""
    axes = runs.place.shape[1]
    needed = np.zeros(len(p), dtype=np.int64)
    needing = np.zeros(len(q), dtype=np.int64)
    for i in range(len(p)):
        along[:] = 0
        outside = 0  # of q outside of all cuts
        for h in range(len(low)):
            gain = runs.weight[h] * (runs.k - 2 * low[h] - 1)
            if runs.start[h] <= runs.place[p[i], runs.axis[h]] < runs.stop[h]:
                gain = -runs.weight[h] * (2 * high[h] - runs.k - 1)
                outside -= gain
            along[runs.start[h]] += gain
            along[runs.stop[h]] -= gain
        for at in range(1, len(along)):
            along[at] += along[at - 1]
        for j in range(len(q)):
            total = outside
            for a in range(axes):
                total += along[runs.place[q[j], a]]
            needed[i] += total < 0
            needing[j] += total < 0
    return needed, needing


class FastChecker(CertificateChecker):
    """Derives like `CertificateChecker`, in compiled code."""

    def __init__(self, instance: KSubset, objective: int) -> None:
        super().__init__(instance, objective)
        links = np.array(self.links, dtype=np.int64).reshape(-1, 5).T.copy()
        cuts = (self.weight, self.start, self.stop, self.axis, self.place)
        arrays = (*(np.array(each, dtype=np.int64) for each in cuts), *links[:4])
        self._compiled = Runs._make((self.k, self.all, *arrays, links[4] > 0))
        self._room = np.empty((4, self.positions + 1), dtype=np.int64)

    def close(self, state: CountState) -> bool:
        """Propagate counts to a fixpoint; return False on a contradiction."""
        found = _arrays(state)
        closed: bool = close(self._compiled, *found, self._room[:2], self._room[2:])
        state.status, state.low, state.high = (each.tolist() for each in found)
        return closed

    def bound(self, state: CountState) -> tuple[int, list[int], list[bool]]:
        """Return the secant bound, the points' weights, and the points it counts."""
        total, weights, taken = weigh(self._compiled, *_arrays(state), self._room[0])
        return total, weights.tolist(), taken.tolist()

    def affordable(self, state: CountState, cuts: Collection[int]) -> list[list[int]]:
        """List for some cuts the counts that leave the bound low, ascending."""
        arrays = status, _, _ = _arrays(state)
        bound, weights, taken = weigh(self._compiled, *arrays, self._room[0])
        bound -= int(weights[(status == _UNDECIDED) & taken].sum())
        gap = min(self.threshold - bound, LARGEST)
        found: list[list[int]] = [[] for _ in cuts]
        step = max(1, _ROOM // (self.n + self.k))
        for at in range(0, len(cuts), step):
            self.pause()
            some = np.array([*cuts][at : at + step], dtype=np.int64)
            flags = leave_low(self._compiled, *arrays, some, gap, weights)
            for i, c in zip(*map(np.ndarray.tolist, flags.nonzero()), strict=True):
                found[at + i].append(c)
        return found

    def count_needs(
        self, state: CountState, p: Sequence[int], q: Sequence[int]
    ) -> tuple[list[int], list[int]]:
        """Count how many of q each of p needs, and how many of p need each of q."""
        needed: list[int] = []
        needing = np.zeros(len(q), dtype=np.int64)
        _, low, high = _arrays(state)
        some, others = np.array(p, dtype=np.int64), np.array(q, dtype=np.int64)
        step = max(1, _ROOM // (len(self.weight) + len(q) + 1))
        for at in range(0, len(p), step):
            self.pause()
            piece = some[at : at + step]
            more = count_needs(self._compiled, low, high, piece, others, self._room[0])
            needed += more[0].tolist()
            needing += more[1]
        return needed, needing.tolist()

    def table_of_needs(self, low: Ints, high: Ints, p: Ints, q: Ints) -> Flags:
        """Return what `needs` states, for all pairs: shape (p, q)."""
        runs = self._compiled
        leave = runs.weight * (2 * high - self.k - 1)  # p inside, q outside
        enter = runs.weight * (self.k - 2 * low - 1)  # q inside, p outside
        place = runs.place[p][:, runs.axis]
        inside = (runs.start <= place) & (place < runs.stop)
        gain = np.where(inside, -leave, enter)  # of q inside, over q outside
        along = np.zeros((self.positions + 1, len(p)), dtype=np.int64)
        np.add.at(along, runs.start, gain.T)
        np.subtract.at(along, runs.stop, gain.T)
        gains = np.cumsum(along, axis=0)
        total = np.where(inside, leave, 0).sum(axis=1)[:, None]
        for axis in range(runs.place.shape[1]):
            total = total + gains[runs.place[q, axis]].T
        needs: Flags = total < 0
        return needs


def _arrays(state: CountState) -> tuple[Ints, Ints, Ints]:
    fields = (state.status, state.low, state.high)
    status, low, high = (np.array(each, dtype=np.int64) for each in fields)
    return status, low, high
