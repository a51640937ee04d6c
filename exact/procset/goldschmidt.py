"""The dynamic program for the set-union knapsack, deciding what *not* to take.

Drakenberg (2012, section 6.2) compared his heuristic with the exact algorithm of
Goldschmidt, Nehme and Yu (1994), set to the complementary problem: items are processor
sets, worth their cost; elements are processors, of weight 1; the knapsack holds
|Pa| - r. The union of the items packed is removed, and what they were worth is saved.

Items are decided one by one. The state after a decision is the part of its union that
lies in the *cut*, the elements shared by decided and undecided items, and the weight
of the whole union; of decisions with equal states only a most valuable one is kept.
That is exact, and exponential in the width of the cut.

The article's text was not available, only its abstract and descriptions by others.
Choices made here: elements are classes of like processors, weighted by their number;
items too heavy by themselves are dropped beforehand; items are ordered by their last
elements, in the order of the processors, so that hosts come before what they share; an
item whose elements are all in the union is taken without branching, as it is free; no
decision is dropped because another of less weight is better.

Why running times rise so steeply: a state is a set of up to |Pa| - r processors in the
cut. While |Pa| - r is small, most shared sets do not fit as a whole and drop out, and
with them what couples processors; each further processor that may be removed admits
larger sets, widens the cut, and multiplies the states. Measurements are in
``docs/science/procset-heuristics.md``.
"""

from __future__ import annotations

from collections.abc import Callable

from ...formulations.procset.set_classes import Cost, SetClasses, classes_of, radix_of
from ...instances import ProcSet
from ...solvers import DEFAULT, Grade, Limit, Proof, Result, Settings, answer
from ...solvers.running import clock
from ...solvers.running.limits import limits

MOST_STATES = 500_000
"""States kept at a time, about 300 MB; the program stops beyond."""
_PROOF = Proof(Grade.ENUMERATED, "goldschmidt")
_LOOK = 4096

Key = tuple[int, int]
"""The part of a union in the cut, as bits over classes, and the weight of all of it."""
State = tuple[int, int]
"""Value of a decision, folded, and the union that it removes."""


def goldschmidt(instance: ProcSet, /, settings: Settings = DEFAULT) -> Result:
    """Find the costliest sets that |Pa| - r processors cover, by dynamic programming.

    Stopped early, for time, nodes (states processed) or memory (half a million states
    at a time), it removes the best union so far, and its bound assumes that every
    remaining item is saved.

    Guarantee: exact.
    Time: O(sets 2^w (|Pa| - r)) for a cut w wide: on the 256-node machine the wall
        is at |Pa| - r = 12 for requests of 50 nodes, at 38 for requests of 6.
    Ties: the union found first; surplus processors go from the last.
    Source: Goldschmidt, Nehme, Yu 1994, as used in Drakenberg 2012, section 6.2.
    """
    start = clock.now()
    classes = classes_of(instance)
    program = _Program(classes)
    with limits(start + settings.time_limit, settings.node_limit) as watch:
        limit = program.run(watch.reached)
    removed = program.best[1]
    kept = [c for c in range(len(classes.members)) if not removed >> c & 1]
    return answer(
        instance,
        classes.pick(kept),
        start=start,
        bound=program.bound,
        proof=_PROOF,
        limit=limit,
    )


class _Program:
    """The states of one instance, item by item; ``best`` is the costliest decision."""

    def __init__(self, classes: SetClasses) -> None:
        self.sizes = classes.sizes
        self.surplus = sum(self.sizes) - classes.request
        self.radix = radix_of((*classes.private, *classes.shared), classes.levels)
        self.items = self._order_items(classes)
        after, rest = [0], [0]
        for union, worth in reversed(self.items):
            after.append(after[-1] | union)
            rest.append(rest[-1] + worth)
        self.after = after[::-1]  # [i]: the elements of items i, i + 1, ...
        self.rest = rest[::-1]
        self.total = self.radix.fold(classes.total)
        self.best: State = (0, 0)
        self.states: dict[Key, State] = {(0, 0): self.best}
        self.at = 0
        self.looked_at = 0
        self.widest = 1

    def _order_items(self, classes: SetClasses) -> list[tuple[int, int]]:
        """List the items that fit by their last elements, as unions and values."""
        members: list[list[int]] = [[c] for c in range(len(self.sizes))]
        members += [[] for _ in classes.shared]
        for c, opens in enumerate(classes.opens):
            for number in opens:
                members[len(self.sizes) + number].append(c)
        items = []
        for inside, cost in zip(
            members, (*classes.private, *classes.shared), strict=True
        ):
            if any(cost) and sum(self.sizes[c] for c in inside) <= self.surplus:
                items.append((inside[-1], -inside[0], inside, self.radix.fold(cost)))
        return [
            (sum(1 << c for c in inside), worth)
            for _, _, inside, worth in sorted(items)
        ]

    @property
    def bound(self) -> Cost:
        """Least cost if every remaining item were covered for free."""
        most = max(worth for worth, _ in self.states.values()) + self.rest[self.at]
        return self.radix.unfold(self.total - most)

    def run(self, stopped: Callable[[int], Limit | None]) -> Limit | None:
        """Decide item by item; return the limit that stopped it, None if finished."""
        while self.at < len(self.items):
            if limit := self._decide(stopped):
                return limit
        return None

    def _decide(self, stopped: Callable[[int], Limit | None]) -> Limit | None:
        """Decide the next item in all states, or stop and leave them unchanged."""
        item, worth = self.items[self.at]
        keep = self.after[self.at + 1]
        weights = {0: 0}
        new: dict[Key, State] = {}
        for count, ((cut, weight), (value, union)) in enumerate(self.states.items()):
            if count % _LOOK == 0:
                if limit := stopped(self.looked_at + count):
                    return limit
                if len(new) > MOST_STATES:
                    return Limit.MEMORY
            missing = item & ~cut
            if missing:
                key = (cut & keep, weight)
                old = new.get(key)
                if old is None or old[0] < value:
                    new[key] = (value, union)
                if missing not in weights:
                    weights[missing] = self._weight(missing)
                weight += weights[missing]
                if weight > self.surplus:
                    continue
            key = ((cut | item) & keep, weight)
            old = new.get(key)
            if old is None or old[0] < value + worth:
                new[key] = state = (value + worth, union | item)
                if state[0] > self.best[0]:
                    self.best = state
        self.looked_at += len(self.states)
        self.states = new
        self.at += 1
        self.widest = max(self.widest, len(new))
        return None

    def _weight(self, classes: int) -> int:
        return sum(size for c, size in enumerate(self.sizes) if classes >> c & 1)
