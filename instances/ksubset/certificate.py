"""Checking of branch-and-bound proofs, step by step, in integers.

A certificate claims that no choice costs less than its objective. It is a tree: every
node narrows the counts c_h = |S ∩ inside of cut h| to intervals [low, high] and
decides points (chosen, rejected), in recorded steps; then it ends for a recorded
reason, or splits the interval of one count in two. This module derives every step
again from ``instance.cuts``; ``counts`` has the arithmetic. It shares no code with the
searches that write certificates, and is written for reviewers.

Rules, for an optimal set S cheaper than the objective (proofs in
docs/science/exact.md):

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

from collections.abc import Callable, Iterable, Mapping

from ..errors import RefusedStep
from .certificate_nodes import CertificateShapes, End, Ints, Node, Step
from .counts import CHOSEN, REJECTED, UNDECIDED, Counts, CountState
from .instance import KSubset


class CertificateChecker(Counts):
    """Derives the steps of a certificate for one instance and objective.

    ``shapes`` decodes nodes, steps and ends to what `step` and `leaf` take.
    """

    def __init__(self, instance: KSubset, objective: int) -> None:
        super().__init__(instance, objective)
        self.shapes = CertificateShapes(self.n, len(self.weight), self.k)

    def step(self, state: CountState, step: Step) -> None:
        """Derive one recorded step; raises `RefusedStep` if it does not follow."""
        rules: Mapping[str, Callable[..., None]] = {
            "cost": self._by_cost,
            "narrow": self._by_counts,
            "exchange": self._by_exchange,
            "twins": self._by_twins,
            "companions": self._by_companions,
        }
        rules[step.rule](state, *step.what)

    def _decide(self, state: CountState, points: Ints, value: int) -> None:
        for p in points:
            if state.status[p] != UNDECIDED:
                raise RefusedStep("decides a point twice")
            state.status[p] = value

    def _by_cost(self, state: CountState, chosen: Ints, rejected: Ints) -> None:
        """Decide points whose other way would lift the bound to the objective.

        Without a point that the bound counts, it counts the lightest of the others
        instead; with one that it does not count, it leaves out the heaviest.
        """
        bound, weights, taken = self.bound(state)
        free = state.points(UNDECIDED)
        spare = [weights[p] for p in free if not taken[p]]
        last = [weights[p] for p in free if taken[p]]
        for p in chosen:
            if not (
                taken[p] and spare and bound - weights[p] + min(spare) >= self.threshold
            ):
                raise RefusedStep(f"cost does not choose {_some(chosen)}")
        for p in rejected:
            if not (
                not taken[p]
                and last
                and bound + weights[p] - max(last) >= self.threshold
            ):
                raise RefusedStep(f"cost does not reject {_some(rejected)}")
        self._decide(state, chosen, CHOSEN)
        self._decide(state, rejected, REJECTED)

    def _by_counts(
        self, state: CountState, cuts: Ints, lows: Ints, highs: Ints
    ) -> None:
        """Narrow intervals by counts with which the bound reaches the objective."""
        ends = list(zip(cuts, lows, highs, strict=True))
        for h, low, high in ends:
            if not state.low[h] <= low <= high <= state.high[h]:
                raise RefusedStep("does not narrow an interval")
        for (_, low, high), counts in zip(
            ends, self.affordable(state, cuts), strict=True
        ):
            if counts and not (low <= counts[0] and counts[-1] <= high):
                raise RefusedStep(f"some cut of {_some(cuts)} may have other counts")
        for h, low, high in ends:
            state.low[h], state.high[h] = low, high

    def _by_exchange(self, state: CountState, ps: Ints, qs: Ints) -> None:
        """Decide one of p and q where p needs q: both are chosen, or both rejected.

        All pairs are looked at before any is decided; that does not move a count.
        """
        others: dict[int, list[int]] = {}
        for p, q in zip(ps, qs, strict=True):
            others.setdefault(p, []).append(q)
        for p, several in others.items():
            self.pause()
            if not all(self.needs(state, p, several)):
                raise RefusedStep("a point does not need another")
        for p, q in zip(ps, qs, strict=True):
            if state.status[p] == CHOSEN and state.status[q] == UNDECIDED:
                state.status[q] = CHOSEN
            elif state.status[q] == REJECTED and state.status[p] == UNDECIDED:
                state.status[p] = REJECTED
            else:
                raise RefusedStep(f"exchanging {p} and {q} decides nothing")

    def _by_twins(self, state: CountState, chosen: Ints, rejected: Ints) -> None:
        """Decide points by their twins: a set takes the first ones, as good as any."""
        for p in rejected:
            self.pause()
            if not self._is_twin(state, p, range(p), REJECTED):
                raise RefusedStep(f"no earlier twin of {p} is rejected")
            self._decide(state, (p,), REJECTED)
        for p in chosen:
            self.pause()
            if not self._is_twin(state, p, range(p + 1, self.n), CHOSEN):
                raise RefusedStep(f"no later twin of {p} is chosen")
            self._decide(state, (p,), CHOSEN)

    def _is_twin(
        self, state: CountState, p: int, others: Iterable[int], status: int
    ) -> bool:
        """Whether one of the others is a twin of a point, and of this status."""
        site = self.twin[p]
        return any(state.status[q] == status and self.twin[q] == site for q in others)

    def _by_companions(self, state: CountState, chosen: Ints, rejected: Ints) -> None:
        """Decide points that need too many others, or that too many others need."""
        if not all(self.needs_too_many(state, rejected)):
            raise RefusedStep("a rejected point does not need too many")
        if not all(self.needed_by_too_many(state, chosen)):
            raise RefusedStep("not too many need a chosen point")
        self._decide(state, chosen, CHOSEN)
        self._decide(state, rejected, REJECTED)

    def close_or_refuse(self, state: CountState) -> None:
        """Propagate counts; raises `RefusedStep` if they contradict each other."""
        if not self.close(state):
            raise RefusedStep("counts contradict each other already")

    def leaf(self, state: CountState, end: End) -> None:
        """Derive why a node ends; raises `RefusedStep` if that does not follow.

        No cheaper set is left where counts contradict each other, where the bound
        reaches the objective, or where it does so with every count of some cut
        (narrow); where a chosen point needs a rejected one (exchange) or has a rejected
        earlier twin; or where one can be neither chosen nor rejected (companions).
        """
        reason, what = end
        if reason == "counts":
            if self.close(state):
                raise RefusedStep("counts do not contradict each other")
            return
        self.close_or_refuse(state)
        if reason == "bound":
            value, low, high = what
            if (*state.low,) != low or (*state.high,) != high:
                raise RefusedStep("the intervals are others")
            bound = self.bound(state)[0]
            if bound != value:
                raise RefusedStep(f"the bound is {bound}, not {value}")
            if bound < self.threshold:
                raise RefusedStep(f"a bound of {bound} is below {self.threshold}")
        elif reason == "narrow":
            (h,) = what
            if self.affordable(state, [h])[0]:
                raise RefusedStep(f"cut {h} may have some count")
        elif reason == "exchange":
            p, q = what
            if state.status[p] != CHOSEN or state.status[q] != REJECTED:
                raise RefusedStep(f"{p} is not chosen or {q} not rejected")
            if not self.needs(state, p, [q])[0]:
                raise RefusedStep(f"{p} does not need {q}")
        elif reason == "twins":
            (p,) = what
            earlier = self._is_twin(state, p, range(p), REJECTED)
            if state.status[p] != CHOSEN or not earlier:
                raise RefusedStep(
                    f"no earlier twin of {p} is rejected, or it is not chosen"
                )
        else:  # by companions
            (p,) = what
            ways = self.needs_too_many, self.needed_by_too_many
            torn = all(way(state, [p])[0] for way in ways)
            if state.status[p] != UNDECIDED or not torn:
                raise RefusedStep(f"{p} is not torn by its companions")


def _some(numbers: Ints) -> str:
    return ", ".join(map(str, numbers[:3])) + (", …" if len(numbers) > 3 else "")


def derive(
    checker: CertificateChecker, state: CountState, node: Node
) -> list[CountState]:
    """Derive a node; return its children, the first one last."""
    for step in node.steps:
        checker.pause()
        checker.close_or_refuse(state)
        checker.step(state, step)
    if node.end.reason != "split":
        checker.leaf(state, node.end)
        return []
    checker.close_or_refuse(state)
    h, at = node.end.what
    if not state.low[h] <= at < state.high[h]:
        raise RefusedStep(f"does not split the count of cut {h} at {at}")
    lower, upper = state, state.copy()
    lower.high[h] = at
    upper.low[h] = at + 1
    return [upper, lower]
