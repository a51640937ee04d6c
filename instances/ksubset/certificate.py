"""Checking of branch-and-bound proofs, step by step, in integers.

A certificate claims that no choice costs less than its objective. It is a tree: every
node narrows the counts c_h = |S ∩ inside of cut h| to intervals [low, high] and
decides points (chosen, rejected), in recorded steps; then it ends for a recorded
reason, or splits the interval of one count in two. This module derives every step
again from ``instance.cuts``; ``counts`` has the arithmetic. It shares no code with the
searches that write certificates, and is written for reviewers.

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

from collections.abc import Callable, Mapping

import numpy as np

from .certificate_nodes import End, Ints, Node, Shapes, Step
from .counts import CHOSEN, REJECTED, UNDECIDED, Counts, State
from .instance import KSubset


class Refused(Exception):
    """A step of a certificate does not follow."""


class Checker(Counts):
    """Derives the steps of a certificate for one instance and objective.

    ``shapes`` decodes nodes, steps and ends to what `step` and `leaf` take.
    """

    def __init__(self, instance: KSubset, objective: int) -> None:
        super().__init__(instance, objective)
        self.shapes = Shapes(len(self.place), len(self.weight), self.k)

    def step(self, state: State, step: Step) -> None:
        """Derive one recorded step; raises `Refused` if it does not follow."""
        rules: Mapping[str, Callable[..., None]] = {
            "cost": self._by_cost,
            "narrow": self._by_counts,
            "exchange": self._by_exchange,
            "twins": self._by_twins,
            "companions": self._by_companions,
        }
        rules[step.rule](state, *step.what)

    def _decide(self, state: State, points: Ints, value: int) -> None:
        if (state.status[points] != UNDECIDED).any():
            raise Refused("decides a point twice")
        state.status[points] = value

    def _by_cost(self, state: State, chosen: Ints, rejected: Ints) -> None:
        bound, weights, taken = self.bound(state)
        free = state.status == UNDECIDED
        spare, last = weights[free & ~taken], weights[free & taken]
        if len(chosen) and not (
            taken[chosen].all()
            and len(spare)
            and bound - int(weights[chosen].max()) + int(spare.min()) >= self.threshold
        ):
            raise Refused(f"cost does not choose {_some(chosen)}")
        if len(rejected) and not (
            not taken[rejected].any()
            and len(last)
            and bound + int(weights[rejected].min()) - int(last.max()) >= self.threshold
        ):
            raise Refused(f"cost does not reject {_some(rejected)}")
        self._decide(state, chosen, CHOSEN)
        self._decide(state, rejected, REJECTED)

    def _by_counts(self, state: State, h: Ints, low: Ints, high: Ints) -> None:
        if not (
            (state.low[h] <= low).all()
            and (low <= high).all()
            and (high <= state.high[h]).all()
        ):
            raise Refused("does not narrow an interval")
        counts = np.arange(self.k + 1)
        cut_off = (counts < low[:, None]) | (counts > high[:, None])
        if (self.affordable(state, h) & cut_off).any():
            raise Refused(f"some cut of {_some(h)} may have other counts")
        state.low[h], state.high[h] = low, high

    def _by_exchange(self, state: State, p: Ints, q: Ints) -> None:
        ps, at_p = np.unique(p, return_inverse=True)
        qs, at_q = np.unique(q, return_inverse=True)
        if not self.needs(state, ps, qs)[at_p, at_q].all():
            raise Refused("a point does not need another")
        for a, b in zip(p, q, strict=True):
            if state.status[a] == CHOSEN and state.status[b] == UNDECIDED:
                state.status[b] = CHOSEN
            elif state.status[b] == REJECTED and state.status[a] == UNDECIDED:
                state.status[a] = REJECTED
            else:
                raise Refused(f"exchanging {a} and {b} decides nothing")

    def _by_twins(self, state: State, chosen: Ints, rejected: Ints) -> None:
        for i, p in enumerate(rejected):
            earlier = (self.twin == self.twin[p]) & (np.arange(len(self.twin)) < p)
            if not (state.status[earlier] == REJECTED).any():
                raise Refused(f"no earlier twin of {p} is rejected")
            self._decide(state, rejected[i : i + 1], REJECTED)
        for i, p in enumerate(chosen):
            later = (self.twin == self.twin[p]) & (np.arange(len(self.twin)) > p)
            if not (state.status[later] == CHOSEN).any():
                raise Refused(f"no later twin of {p} is chosen")
            self._decide(state, chosen[i : i + 1], CHOSEN)

    def _by_companions(self, state: State, chosen: Ints, rejected: Ints) -> None:
        if not self.needs_too_many(state, rejected).all():
            raise Refused("a rejected point does not need too many")
        if not self.needed_by_too_many(state, chosen).all():
            raise Refused("not too many need a chosen point")
        self._decide(state, chosen, CHOSEN)
        self._decide(state, rejected, REJECTED)

    def leaf(self, state: State, end: End) -> None:
        """Derive why a node ends; raises `Refused` if that does not follow."""
        reason, what = end
        closed = self.close(state)
        if reason == "counts":
            if closed:
                raise Refused("counts do not contradict each other")
            return
        if not closed:
            raise Refused("counts contradict each other already")
        if reason == "bound":
            value, low, high = what
            if (state.low != low).any() or (state.high != high).any():
                raise Refused("the intervals are others")
            bound = self.bound(state)[0]
            if bound != value:
                raise Refused(f"the bound is {bound}, not {value}")
            if bound < self.threshold:
                raise Refused(f"a bound of {bound} is below {self.threshold}")
        elif reason == "narrow":
            (h,) = what
            if self.affordable(state, np.array([h])).any():
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
        else:  # by companions
            (p,) = what
            ways = self.needs_too_many, self.needed_by_too_many
            torn = all(way(state, np.array([p])) for way in ways)
            if state.status[p] != UNDECIDED or not torn:
                raise Refused(f"{p} is not torn by its companions")


def _some(numbers: Ints) -> str:
    return f"{numbers[:3].tolist()}"[1:-1] + (", …" if len(numbers) > 3 else "")


def derive(
    checker: Checker,
    state: State,
    node: Node,
    before_step: Callable[[], None] = lambda: None,
) -> list[State]:
    """Derive a node; return its children, the first one last."""
    for step in node.steps:
        before_step()
        if not checker.close(state):
            raise Refused("counts contradict each other already")
        checker.step(state, step)
    if node.end.reason != "split":
        checker.leaf(state, node.end)
        return []
    if not checker.close(state):
        raise Refused("counts contradict each other already")
    h, at = node.end.what
    if not state.low[h] <= at < state.high[h]:
        raise Refused(f"does not split the count of cut {h} at {at}")
    lower, upper = state, state.copy()
    lower.high[h] = at
    upper.low[h] = at + 1
    return [upper, lower]
