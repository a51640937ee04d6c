"""What follows for the counts and points of a node of a branch-and-bound proof.

Part of the checker of certificates: see `certificate` for the rules. Counts inside of
cuts are differences of prefix sums, since every cut is a run of positions on an axis.
All of it is integers and lists; `certificate_kernels` has a compiled twin.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, MutableSequence, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import NamedTuple

from .instance import KSubset

UNDECIDED, CHOSEN, REJECTED = 0, 1, 2


@dataclass
class CountState:
    """The status of every point, and the interval of every count, at a node."""

    status: MutableSequence[int]
    low: MutableSequence[int]
    high: MutableSequence[int]

    def copy(self) -> CountState:
        """Return a copy for a child."""
        return CountState(self.status[:], self.low[:], self.high[:])

    def points(self, status: int) -> list[int]:
        """List the points of a status."""
        return [p for p, value in enumerate(self.status) if value == status]


class Link(NamedTuple):
    """Two cuts, nested or adjacent, whose counts bound each other."""

    g: int
    h: int
    first: int
    last: int
    """Where the positions inside of both begin, and end."""
    nested: bool
    """Whether all positions inside of g are inside of h."""


class Counts:
    """Derives from the state of a node, for one instance and objective.

    The objective is the claimed lower bound, in hops.
    """

    def __init__(self, instance: KSubset, objective: int) -> None:
        self.pause: Callable[[], None] = lambda: None  # raises when time is up
        cuts = instance.topology.cuts(instance.free)
        self.k, self.n = instance.k, instance.n
        self.weight, self.axis = cuts.weights, cuts.axis
        self.threshold = (objective - 1) * cuts.denominator + 1
        self.twin = instance.free
        """Points of the same site are twins."""
        # Positions of all axes are numbered through: those inside of cut h are
        # start[h], ..., stop[h] - 1, and a point has one place on every axis.
        lengths: list[int] = [
            max(along) + 1 for along in zip(*cuts.position, strict=True)
        ]
        offset: list[int] = [0, *accumulate(lengths)]
        self.place = [
            [offset[axis] + x for axis, x in enumerate(row)] for row in cuts.position
        ]
        self.start = [offset[a] + x for a, x in zip(cuts.axis, cuts.start, strict=True)]
        self.stop = [offset[a] + x for a, x in zip(cuts.axis, cuts.stop, strict=True)]
        self.positions, self.all = offset[-1], lengths[0]
        self.links = [self._link_of(g, h) for g, h in links(cuts.axis, cuts.parent)]

    def _link_of(self, g: int, h: int) -> Link:
        first = max(self.start[g], self.start[h])
        last = max(first, min(self.stop[g], self.stop[h]))
        nested = self.start[h] <= self.start[g] and self.stop[g] <= self.stop[h]
        return Link(g, h, first, last, nested)

    def inside(self, h: int, p: int) -> bool:
        """Whether a point lies inside a cut."""
        return self.start[h] <= self.place[p][self.axis[h]] < self.stop[h]

    def root(self) -> CountState:
        """Return the state of the root, at which all points are undecided."""
        m = len(self.weight)
        return CountState([UNDECIDED] * self.n, [0] * m, [self.k] * m)

    def close(self, state: CountState) -> bool:
        """Propagate counts to a fixpoint; return False on a contradiction."""
        while True:
            chosen, possible = self._below(state)
            if chosen[self.all] > self.k or possible[self.all] < self.k:
                return False
            if not self._narrow(state, chosen, possible):
                return False
            if not self._link(state, chosen, possible):
                return False
            full, empty = self._runs(state, chosen, possible)
            decided = False
            for p in state.points(UNDECIDED):
                is_full = any(full[at] for at in self.place[p])
                is_empty = any(empty[at] for at in self.place[p])
                if is_full and is_empty:
                    return False
                if is_full or is_empty:
                    state.status[p] = CHOSEN if is_full else REJECTED
                    decided = True
            if not decided:
                return True

    def _below(self, state: CountState) -> tuple[list[int], list[int]]:
        """Count the chosen, and those not rejected, below every position."""
        chosen, possible = [0] * self.positions, [0] * self.positions
        for status, places in zip(state.status, self.place, strict=True):
            if status != REJECTED:
                for at in places:
                    possible[at] += 1
                    chosen[at] += status == CHOSEN
        return [0, *accumulate(chosen)], [0, *accumulate(possible)]

    def _narrow(
        self, state: CountState, chosen: Sequence[int], possible: Sequence[int]
    ) -> bool:
        """Bound every count by the points inside, and by those outside."""
        most, least = self.k - chosen[self.all], self.k - possible[self.all]
        for h, (start, stop) in enumerate(zip(self.start, self.stop, strict=True)):
            must, may = chosen[stop] - chosen[start], possible[stop] - possible[start]
            low = state.low[h] = max(state.low[h], must, least + may)
            high = state.high[h] = min(state.high[h], may, most + must)
            if low > high:
                return False
        return True

    def _alone(self, h: int, link: Link, below: Sequence[int]) -> int:
        """Count in one cut of a link what is not in the other one."""
        inside = below[self.stop[h]] - below[self.start[h]]
        return inside - (below[link.last] - below[link.first])

    def _link(
        self, state: CountState, chosen: Sequence[int], possible: Sequence[int]
    ) -> bool:
        """Propagate bounds between neighbouring counts to a fixpoint.

        With c points in h and not in g, and b in g and not in h, the counts differ by
        c - b; both are bounded by what is chosen, and may be, there.
        """
        low, high = state.low, state.high
        differences = []
        for link in self.links:
            must_g, may_g = (self._alone(link.g, link, x) for x in (chosen, possible))
            must_h, may_h = (self._alone(link.h, link, x) for x in (chosen, possible))
            differences.append((link.g, link.h, must_h - may_g, may_h - must_g))
        moved = True
        while moved:
            moved = False
            for g, h, least, most in (*differences, *reversed(differences)):
                for one, lowest, highest in (
                    (h, low[g] + least, high[g] + most),
                    (g, low[h] - most, high[h] - least),
                ):
                    if lowest > low[one]:
                        low[one], moved = lowest, True
                    if highest < high[one]:
                        high[one], moved = highest, True
                    if low[one] > high[one]:
                        return False
        return True

    def _runs(
        self, state: CountState, chosen: Sequence[int], possible: Sequence[int]
    ) -> tuple[list[bool], list[bool]]:
        """Mark the positions of cuts, and rings between cuts, that are full or empty.

        Full is where the count needs all that may be chosen there, empty where it
        leaves room for those that are chosen already only.
        """
        full, empty = [0] * (self.positions + 1), [0] * (self.positions + 1)

        def mark(
            runs: Sequence[tuple[int, int]], must: int, may: int, least: int, most: int
        ) -> None:
            for marks, holds in ((full, least == may), (empty, most == must)):
                if holds and may > must:
                    for begin, end in runs:
                        marks[begin] += 1
                        marks[end] -= 1

        low, high = state.low, state.high
        for h, (start, stop) in enumerate(zip(self.start, self.stop, strict=True)):
            must, may = chosen[stop] - chosen[start], possible[stop] - possible[start]
            mark([(start, stop)], must, may, low[h], high[h])
        for link in self.links:
            if link.nested:
                g, h = link.g, link.h
                must, may = (self._alone(h, link, x) for x in (chosen, possible))
                sides = (self.start[h], self.start[g]), (self.stop[g], self.stop[h])
                mark(sides, must, may, low[h] - high[g], high[h] - low[g])
        return [x > 0 for x in accumulate(full)], [x > 0 for x in accumulate(empty)]

    def _along(self, gains: Sequence[int]) -> list[int]:
        """Return for every position the sum of the gains of the cuts round it."""
        change = [0] * (self.positions + 1)
        for start, stop, gain in zip(self.start, self.stop, gains, strict=True):
            change[start] += gain
            change[stop] -= gain
        return list(accumulate(change))

    def bound(self, state: CountState) -> tuple[int, list[int], list[bool]]:
        """Return the secant bound, the points' weights, and the points it counts.

        With c of k inside, a cut of weight w costs w c (k - c), and on [l, u] at least
        w ((k - l - u) c + l u): the line through both ends lies below, as c (k - c) is
        concave. Its slope is what the cut adds to the weight of the points inside.
        """
        low, high = state.low, state.high
        cuts = list(zip(self.weight, low, high, strict=True))
        along = self._along([w * (self.k - a - b) for w, a, b in cuts])
        weights = [sum(along[at] for at in places) for places in self.place]
        taken = [status == CHOSEN for status in state.status]
        free = state.points(UNDECIDED)
        lightest = sorted(free, key=weights.__getitem__)[: max(0, self.k - sum(taken))]
        for p in lightest:
            taken[p] = True
        constant = sum(w * a * b for w, a, b in cuts)
        total = sum(w for w, counts in zip(weights, taken, strict=True) if counts)
        return constant + total, weights, taken

    def affordable(self, state: CountState, cuts: Collection[int]) -> list[list[int]]:
        """List for some cuts the counts that leave the bound low, ascending.

        With c inside of a cut, the bound counts the lightest points, c of them inside
        and k - c outside, and w (c - l) (u - c) more for the cut itself, by which its
        line lies below its cost at c.
        """
        bound, weights, taken = self.bound(state)
        free = sorted(state.points(UNDECIDED), key=weights.__getitem__)
        bound -= sum(weights[p] for p in free if taken[p])
        chosen = state.points(CHOSEN)
        found = []
        for h in cuts:
            self.pause()
            sides: tuple[list[int], list[int]] = ([], [])
            for p in free:
                sides[self.inside(h, p)].append(weights[p])
            outer, inner = ([0, *accumulate(side)] for side in sides)
            here = sum(self.inside(h, p) for p in chosen)
            there = len(chosen) - here
            low, high, some = state.low[h], state.high[h], []
            for c in range(low, high + 1):
                more, others = c - here, self.k - c - there
                if 0 <= more < len(inner) and 0 <= others < len(outer):
                    error = self.weight[h] * (c - low) * (high - c)
                    if bound + error + inner[more] + outer[others] < self.threshold:
                        some.append(c)
            found.append(some)
        return found

    def needs(self, state: CountState, p: int, others: Collection[int]) -> list[bool]:
        """Whether no optimal set contains p without q, for each q of others.

        D(q) - D(p) - d(p, q) is a sum over the cuts with exactly one of them inside: w
        (2 c - k - 1) where p is, w (k - 2 c - 1) where q is. The intervals of the
        counts bound it from above.
        """
        gains, total = [], 0
        for h, weight in enumerate(self.weight):
            if self.inside(h, p):
                leave = weight * (2 * state.high[h] - self.k - 1)
                total += leave
                gains.append(-leave)
            else:
                gains.append(weight * (self.k - 2 * state.low[h] - 1))
        along = self._along(gains)
        return [total + sum(along[at] for at in self.place[q]) < 0 for q in others]

    def needs_too_many(self, state: CountState, points: Sequence[int]) -> list[bool]:
        """Whether each point needs more others than remain to be chosen."""
        needed = self.count_needs(state, points, state.points(UNDECIDED))[0]
        chosen = len(state.points(CHOSEN))
        return [chosen + count + 1 > self.k for count in needed]

    def needed_by_too_many(
        self, state: CountState, points: Sequence[int]
    ) -> list[bool]:
        """Whether more others need each point than can be rejected."""
        needing = self.count_needs(state, state.points(UNDECIDED), points)[1]
        possible = self.n - len(state.points(REJECTED))
        return [possible - count - 1 < self.k for count in needing]

    def count_needs(
        self, state: CountState, p: Sequence[int], q: Sequence[int]
    ) -> tuple[list[int], list[int]]:
        """Count how many of q each of p needs, and how many of p need each of q."""
        needed, needing = [], [0] * len(q)
        for one in p:
            self.pause()
            row = self.needs(state, one, q)
            needed.append(sum(row))
            needing = [count + need for count, need in zip(needing, row, strict=True)]
        return needed, needing


def links(axis: Sequence[int], parent: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield pairs (g, h) of cuts, nested or adjacent, whose counts bound each other."""
    nested = {axis[h] for h, up in enumerate(parent) if up >= 0}
    yield from ((h, up) for h, up in enumerate(parent) if up >= 0)
    for a in sorted(set(axis) - nested):
        row = [h for h, other in enumerate(axis) if other == a]
        if len(row) > 1:
            yield from pairwise([*row, row[0]])
