"""Checking of branch-and-bound proofs, step by step, in integers.

A certificate claims that no choice costs less than its objective. It is a tree: every
node narrows the counts c_h = |S ∩ inside of cut h| to intervals [low, high] and
decides points (chosen, rejected), in recorded steps; then it ends for a recorded
reason, or splits the interval of one count in two. This module derives every step
again from ``instance.cuts``. It shares no code with the searches that write
certificates, and is written for reviewers.

Rules, for an optimal set S cheaper than the objective (proofs in docs/exact.md):

- counts: intervals follow from decided points and from neighbouring counts, and an
  interval at its end decides points;
- bound: c (k - c) ≥ (k - l - u) c + l u on [l, u], so the secants give every point
  a weight, and S costs at least a constant, plus the weights of the chosen points,
  plus those of the lightest others;
- cost: a point is decided if deciding it the other way lifts that bound to the
  objective;
- narrow: an interval loses the counts at its ends with which the lightest points, and
  what its secant lacks at that count, lift that bound to the objective;
- exchange: if p in S and q not, then D(q) - D(p) ≥ d(p, q) for D(x) = Σ d(x, s);
  where the intervals bound the left side less the right below 0, p needs q;
- companions: a point that needs more points than remain to be chosen is rejected, one
  that more points need than can be rejected is chosen;
- twins: of coinciding points S contains the first ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .instance import KSubset

UNDECIDED, CHOSEN, REJECTED = 0, 1, 2
Ints = npt.NDArray[np.int64]


class Refused(Exception):
    """A step of a certificate does not follow."""


@dataclass
class State:
    """The status of every point, and the interval of every count, at a node."""

    status: Ints
    low: Ints
    high: Ints

    def copy(self) -> State:
        """Return a copy for a child."""
        return State(self.status.copy(), self.low.copy(), self.high.copy())


class Checker:
    """Derives the steps of a certificate for one instance and objective.

    The objective is the claimed lower bound, in hops.
    """

    def __init__(self, instance: KSubset, objective: int) -> None:
        cuts = instance.cuts
        self.k = instance.k
        self.weight = cuts.weights
        self.sides = cuts.sides.astype(np.int64)
        self.threshold = (objective - 1) * cuts.denominator + 1
        twin = np.unique(instance.points, axis=0, return_inverse=True)[1]
        self.twin = twin.reshape(-1)
        links = list(_links(cuts.axis, cuts.parent))
        g = np.array([a for a, _ in links], dtype=np.int64)
        h = np.array([b for _, b in links], dtype=np.int64)
        self.links = g, h
        self.gained = self.sides[h] & (1 - self.sides[g])  # in h and not in g
        self.lost = self.sides[g] & (1 - self.sides[h])
        self.nested = ~self.lost.any(axis=1)

    def root(self) -> State:
        """Return the state of the root, at which all points are undecided."""
        n, m = self.sides.shape[1], len(self.weight)
        return State(
            np.zeros(n, dtype=np.int64),
            np.zeros(m, dtype=np.int64),
            np.full(m, self.k, dtype=np.int64),
        )

    def close(self, state: State) -> bool:
        """Propagate counts to a fixpoint; return False on a contradiction."""
        while True:
            chosen = (state.status == CHOSEN).astype(np.int64)
            possible = (state.status != REJECTED).astype(np.int64)
            if chosen.sum() > self.k or possible.sum() < self.k:
                return False
            must, may = self.sides @ chosen, self.sides @ possible
            low = np.maximum(state.low, must)
            low = np.maximum(low, self.k - (possible.sum() - may))
            high = np.minimum(state.high, may)
            high = np.minimum(high, self.k - (chosen.sum() - must))
            state.low, state.high = low, high
            if (low > high).any() or not self._link(state, chosen, possible):
                return False
            full, empty = self._runs(state, chosen, possible)
            free = state.status == UNDECIDED
            if (free & full & empty).any():
                return False
            if not (free & (full | empty)).any():
                return True
            state.status[free & full] = CHOSEN
            state.status[free & empty] = REJECTED

    def _link(self, state: State, chosen: Ints, possible: Ints) -> bool:
        """Propagate bounds between neighbouring counts to a fixpoint."""
        g, h = self.links
        least = self.gained @ chosen - self.lost @ possible  # of c_h - c_g
        most = self.gained @ possible - self.lost @ chosen
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
        self, state: State, chosen: Ints, possible: Ints
    ) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Mark the points of sides, and rings between sides, that are full or empty."""
        g, h = (end[self.nested] for end in self.links)
        areas = np.concatenate([self.sides, self.gained[self.nested]])
        least = np.concatenate([state.low, state.low[h] - state.high[g]])
        most = np.concatenate([state.high, state.high[h] - state.low[g]])
        must, may = areas @ chosen, areas @ possible
        full = areas[(least == may) & (may > must)].any(axis=0)
        empty = areas[(most == must) & (may > must)].any(axis=0)
        return full, empty

    def bound(self, state: State) -> tuple[int, Ints, npt.NDArray[np.bool_]]:
        """Return the secant bound, the points' weights, and the points it counts."""
        slope = self.weight * (self.k - state.low - state.high)
        weights = slope @ self.sides
        constant = int((self.weight * state.low * state.high).sum())
        taken = state.status == CHOSEN
        missing = self.k - int(taken.sum())
        free = np.flatnonzero(state.status == UNDECIDED)
        lightest = free[np.argsort(weights[free], kind="stable")[:missing]]
        taken[lightest] = True
        return constant + int(weights[taken].sum()), weights, taken

    def affordable(
        self, state: State, cuts: Sequence[int]
    ) -> list[npt.NDArray[np.bool_]]:
        """Which counts in the intervals of some cuts leave the bound too low.

        With c inside of a cut, the bound counts the lightest points, c of them inside
        and k - c outside, and (c - l) (u - c) more for the cut itself.
        """
        bound, weights, taken = self.bound(state)
        free, chosen = state.status == UNDECIDED, state.status == CHOSEN
        bound -= int(weights[free & taken].sum())
        found = []
        for h in cuts:
            inside = self.sides[h] == 1
            count = np.arange(state.low[h], state.high[h] + 1)
            error = self.weight[h] * (count - state.low[h]) * (state.high[h] - count)
            possible = np.ones(len(count), dtype=np.bool_)
            for side, all_there in ((inside, count), (~inside, self.k - count)):
                lightest = np.append(0, np.cumsum(np.sort(weights[free & side])))
                more = all_there - (chosen & side).sum()
                possible &= (more >= 0) & (more < len(lightest))
                error += lightest[more.clip(0, len(lightest) - 1)]
            found.append(possible & (bound + error < self.threshold))
        return found

    def needs(self, state: State, p: Ints, q: Ints) -> npt.NDArray[np.bool_]:
        """Whether no optimal set contains p without q, for all pairs: shape (p, q).

        D(q) - D(p) - d(p, q) is a sum over the cuts with exactly one of them inside,
        bounded by the intervals of the counts.
        """
        leave = self.weight * (2 * state.high - self.k - 1)  # p inside, q outside
        enter = self.weight * (self.k - 2 * state.low - 1)  # q inside, p outside
        inside_p, inside_q = self.sides[:, p], self.sides[:, q]
        both = (inside_p.T * (leave + enter)) @ inside_q
        alone = (leave @ inside_p)[:, None] + (enter @ inside_q)[None, :]
        needs: npt.NDArray[np.bool_] = alone < both
        return needs

    def crowded(
        self, state: State, p: Sequence[int]
    ) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Whether p needs too many others, and whether too many others need p."""
        points = np.array(p, dtype=np.int64)
        free = np.flatnonzero(state.status == UNDECIDED)
        needed = self.needs(state, points, free).sum(axis=1)
        needing = self.needs(state, free, points).sum(axis=0)
        chosen = int((state.status == CHOSEN).sum())
        possible = int((state.status != REJECTED).sum())
        return chosen + needed + 1 > self.k, possible - needing - 1 < self.k

    def step(self, state: State, rule: str, *what: Any) -> None:
        """Derive one recorded step; raises `Refused` if it does not follow."""
        if rule == "cost":
            self._by_cost(state, *what)
        elif rule == "narrow":
            self._by_counts(state, *what)
        elif rule == "exchange":
            self._by_exchange(state, *what)
        elif rule == "twins":
            self._by_twins(state, *what)
        elif rule == "companions":
            self._by_companions(state, *what)
        else:
            raise Refused(f"unknown rule {rule!r}")

    def _decide(self, state: State, points: list[int], value: int) -> None:
        if (state.status[points] != UNDECIDED).any():
            raise Refused("decides a point twice")
        state.status[points] = value

    def _by_cost(self, state: State, chosen: list[int], rejected: list[int]) -> None:
        bound, weights, taken = self.bound(state)
        free = state.status == UNDECIDED
        spare, last = weights[free & ~taken], weights[free & taken]
        for p in chosen:
            if not taken[p] or not len(spare):
                raise Refused(f"cost does not choose {p}")
            if bound - int(weights[p]) + int(spare.min()) < self.threshold:
                raise Refused(f"cost does not choose {p}")
        for p in rejected:
            if taken[p] or not len(last):
                raise Refused(f"cost does not reject {p}")
            if bound + int(weights[p]) - int(last.max()) < self.threshold:
                raise Refused(f"cost does not reject {p}")
        self._decide(state, chosen, CHOSEN)
        self._decide(state, rejected, REJECTED)

    def _by_counts(self, state: State, intervals: list[list[int]]) -> None:
        cuts = [h for h, _, _ in intervals]
        affordable = self.affordable(state, cuts)
        before = state.copy()
        for (h, low, high), left in zip(intervals, affordable, strict=True):
            first = int(before.low[h])
            if h < 0 or not first <= low <= high <= before.high[h]:
                raise Refused(f"does not narrow the interval of cut {h}")
            if left[: low - first].any() or left[high - first + 1 :].any():
                raise Refused(f"cut {h} may have other counts")
            state.low[h], state.high[h] = low, high

    def _by_exchange(self, state: State, pairs: list[list[int]]) -> None:
        p, q = (sorted({pair[i] for pair in pairs}) for i in (0, 1))
        bound = self.needs(state, np.array(p), np.array(q)) if pairs else None
        for a, b in pairs:
            if bound is None or not bound[p.index(a), q.index(b)]:
                raise Refused(f"{a} does not need {b}")
            if state.status[a] == CHOSEN and state.status[b] == UNDECIDED:
                state.status[b] = CHOSEN
            elif state.status[b] == REJECTED and state.status[a] == UNDECIDED:
                state.status[a] = REJECTED
            else:
                raise Refused(f"exchanging {a} and {b} decides nothing")

    def _by_twins(self, state: State, chosen: list[int], rejected: list[int]) -> None:
        for p in rejected:
            earlier = (self.twin == self.twin[p]) & (np.arange(len(self.twin)) < p)
            if not (state.status[earlier] == REJECTED).any():
                raise Refused(f"no earlier twin of {p} is rejected")
            self._decide(state, [p], REJECTED)
        for p in chosen:
            later = (self.twin == self.twin[p]) & (np.arange(len(self.twin)) > p)
            if not (state.status[later] == CHOSEN).any():
                raise Refused(f"no later twin of {p} is chosen")
            self._decide(state, [p], CHOSEN)

    def _by_companions(
        self, state: State, chosen: list[int], rejected: list[int]
    ) -> None:
        if not self.crowded(state, rejected)[0].all():
            raise Refused("a rejected point does not need too many")
        if not self.crowded(state, chosen)[1].all():
            raise Refused("not too many need a chosen point")
        self._decide(state, chosen, CHOSEN)
        self._decide(state, rejected, REJECTED)

    def leaf(self, state: State, reason: str, *what: Any) -> None:
        """Derive why a node ends; raises `Refused` if that does not follow."""
        closed = self.close(state)
        if reason == "counts":
            if closed:
                raise Refused("counts do not contradict each other")
            return
        if not closed:
            raise Refused("counts contradict each other already")
        if reason == "bound":
            value, low, high = what
            if [*state.low] != low or [*state.high] != high:
                raise Refused("the intervals are others")
            bound = self.bound(state)[0]
            if bound != value:
                raise Refused(f"the bound is {bound}, not {value}")
            if bound < self.threshold:
                raise Refused(f"a bound of {bound} is below {self.threshold}")
        elif reason == "narrow":
            (h,) = what
            if h < 0 or self.affordable(state, [h])[0].any():
                raise Refused(f"cut {h} may have some count")
        elif reason == "exchange":
            p, q = what
            if state.status[p] != CHOSEN or state.status[q] != REJECTED:
                raise Refused(f"{p} is not chosen or {q} not rejected")
            if not self.needs(state, np.array([p]), np.array([q]))[0, 0]:
                raise Refused(f"{p} does not need {q}")
        elif reason == "twins":
            (p,) = what
            earlier = np.flatnonzero(self.twin[:p] == self.twin[p])
            if (
                state.status[p] != CHOSEN
                or not (state.status[earlier] == REJECTED).any()
            ):
                raise Refused(
                    f"no earlier twin of {p} is rejected, or it is not chosen"
                )
        elif reason == "companions":
            (p,) = what
            torn = [bool(crowd[0]) for crowd in self.crowded(state, [p])]
            if state.status[p] != UNDECIDED or not all(torn):
                raise Refused(f"{p} is not torn by its companions")
        else:
            raise Refused(f"unknown reason {reason!r}")


def _links(axis: Ints, parent: Ints) -> Iterator[tuple[int, int]]:
    """Yield pairs (g, h) of cuts, nested or adjacent, whose counts bound each other."""
    nested = {int(axis[h]) for h, up in enumerate(parent) if up >= 0}
    yield from ((h, int(up)) for h, up in enumerate(parent) if up >= 0)
    for a in np.unique(axis):
        row = [int(h) for h in np.flatnonzero(axis == a)]
        if int(a) not in nested and len(row) > 1:
            yield from zip(row, [*row[1:], row[0]], strict=True)


def derive(checker: Checker, state: State, node: Any) -> list[State]:
    """Derive a node; return its children, the first one last."""
    steps, (reason, *what) = node
    for step in steps:
        if not checker.close(state):
            raise Refused("counts contradict each other already")
        checker.step(state, *step)
    if reason != "split":
        checker.leaf(state, reason, *what)
        return []
    if not checker.close(state):
        raise Refused("counts contradict each other already")
    h, at = what
    if not (isinstance(h, int) and isinstance(at, int)):
        raise Refused("splits no count")
    if h < 0 or not state.low[h] <= at < state.high[h]:
        raise Refused(f"does not split the count of cut {h} at {at}")
    lower, upper = state, state.copy()
    lower.high[h] = at
    upper.low[h] = at + 1
    return [upper, lower]
