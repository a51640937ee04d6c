"""Steps of certificates drawn at random lose no optimum, whatever they are made of.

The oracle enumerates. If some set is cheaper than the objective, then of the optimal
sets those that hold the first of coinciding points must survive every step that a
checker takes, at every node that they belong to; and no such node may end. Rules on
cost and on counts argue about all cheaper sets, exchange and companions about optimal
ones, twins about those that hold the first ones: these three together keep all of the
optimal sets named, which is the invariant tested here (docs/science/exact.md, section
1).

Every test of it is shown to fail on checkers with a planted fault.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import combinations
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from closeknit.instances import (
    Graph,
    InputError,
    KSubset,
    Mesh,
    Points,
    Topology,
    Torus,
    Tree,
    arrays,
    cost,
)
from closeknit.instances.errors import RefusedStep
from closeknit.instances.ksubset.certificate import CertificateChecker, derive
from closeknit.instances.ksubset.certificate_nodes import Step
from closeknit.instances.ksubset.counts import CHOSEN, REJECTED, UNDECIDED, CountState
from closeknit.proofs.writing.certificate_kernels import FastChecker

from ...forging.certificate_edits import CERTIFICATE_EDITS

RULES = ("cost", "narrow", "exchange", "twins", "companions")
REASONS = ("counts", "bound", *RULES[1:], "split")
HOSTILE: tuple[Any, ...] = (
    *(None, None, None, True, False, 0, 0, 1, -1, 2**63, -(2**70)),
    *(Decimal("1.0"), 0.0, "0", "", [], [[]], {}, {"0": 0}),
)
_STEPS_OF_STATE = 30
Both = tuple[type[CertificateChecker], ...]


class Lost(AssertionError):
    """A checker took a step by which an optimum is lost, or ended its node."""


def drawn_instance(random: Random) -> KSubset:
    """Draw up to eight processors of any network whose distances are sums of cuts."""
    kind = random.choice(("mesh", "torus", *["points"] * 3, "tree", "graph"))
    topology: Topology
    if kind in ("mesh", "torus"):
        shape = random.choice([(8,), (9,), (2, 4), (3, 3), (2, 5), (2, 2, 2), (5, 3)])
        topology = Mesh(shape) if kind == "mesh" else Torus(shape)
    elif kind == "points":
        d, far = random.randint(1, 2), random.choice((1, 2, 9))
        sites = [[random.randint(0, far) for _ in range(d)] for _ in range(8)]
        topology = Points(tuple(map(tuple, sites)))
    elif kind == "tree":
        parent = (-1, *(random.randrange(v) for v in range(1, 10)))
        weight = (0, *(random.randint(0, 3) for _ in range(1, 10)))
        topology = Tree(parent, weight, tuple(random.sample(range(10), 8)))
    else:
        ring = [(v, (v + 1) % 8, 1) for v in range(8)]
        cube = [
            (v, v | 1 << b, b + 1) for b in range(3) for v in range(8) if ~v >> b & 1
        ]
        topology = Graph(8, tuple(random.choice((ring, cube))), tuple(range(8)))
    places = list(topology.locations())
    free = random.sample(places, random.randint(4, min(8, len(places))))
    k = random.randint(2, min(4, len(free) - 1))
    return KSubset("drawn", topology, tuple(free), k)


@dataclass
class Case:
    """An instance, an objective, and the optimal sets that must survive."""

    instance: KSubset
    objective: int
    members: npt.NDArray[np.bool_]
    """Shape (sets, n): of the optimal sets, which hold the first of coinciding points;
    none, if no set is cheaper than the objective."""
    counts: npt.NDArray[np.int64]
    """Shape (sets, m)."""

    @classmethod
    def drawn(cls, random: Random, above_optimum: bool) -> Case:
        instance = drawn_instance(random)
        costs = {
            chosen: cost(instance, chosen)
            for chosen in combinations(range(instance.n), instance.k)
        }
        optimum, most = min(costs.values()), max(costs.values())
        above = random.choice((1, 1, 1, 2, 3, random.randint(1, most - optimum + 2)))
        objective = optimum + above * above_optimum
        sets = [s for s, paid in costs.items() if paid == optimum < objective]
        free = instance.free
        firsts = [
            s
            for s in sets
            if all(i in s or free[i] != free[j] for j in s for i in range(j))
        ]
        members = np.zeros((len(firsts), instance.n), dtype=np.bool_)
        for row, chosen in zip(members, firsts, strict=True):
            row[list(chosen)] = True
        counts = members.astype(np.int64) @ arrays.cuts(instance).sides.T
        return cls(instance, objective, members, counts)

    def conforming(self, state: CountState) -> npt.NDArray[np.bool_]:
        """Which of the sets belong to a node."""
        chosen, rejected = state.points(CHOSEN), state.points(REJECTED)
        low, high = np.array(state.low), np.array(state.high)
        inside = (low <= self.counts) & (self.counts <= high)
        agree = self.members[:, chosen].all(axis=1), inside.all(axis=1)
        against = self.members[:, rejected].any(axis=1)
        return np.logical_and(*agree) & np.logical_not(against)

    def state(self, random: Random, checker: CertificateChecker) -> CountState:
        """Draw a node to which at least one of the sets belongs, if there is one."""
        state = checker.root()
        n, m, k = len(state.status), len(state.low), checker.k
        share, width = random.choice((0, 0, 0.2, 0.5, 0.8)), random.choice((0, 1, k, k))
        if len(self.members):
            one = random.randrange(len(self.members))
            member, counts = self.members[one], self.counts[one]
        else:
            member = np.isin(np.arange(n), random.sample(range(n), k))
            counts = arrays.cuts(self.instance).sides.astype(np.int64) @ member
            member ^= random.random() < 0.2  # most of these are no nodes at all
        for p in range(n):
            if random.random() < share:
                state.status[p] = CHOSEN if member[p] else REJECTED
        for h in range(m):
            state.low[h] = max(0, int(counts[h]) - random.randint(0, width))
            state.high[h] = min(k, int(counts[h]) + random.randint(0, width))
        return state


def honest(
    random: Random, checker: CertificateChecker, state: CountState, word: str
) -> list[Any]:
    """Draw a step or an end of the right shape, more often than not a sensible one."""
    n, m = len(state.status), len(state.low)
    free, taken, left = (state.points(each) or [0] for each in range(3))
    any_point = range(n)

    def pair() -> list[int]:
        ends = random.choice(((taken, free), (free, left), (any_point, any_point)))
        return [random.choice(end) for end in ends]

    if word in ("cost", "twins", "companions"):
        pool = random.choice((free, free, free, any_point))
        some = random.sample(pool, min(len(pool), random.choice((1, 1, 1, 2, 3))))
        cut = random.choice((0, len(some), random.randint(0, len(some))))
        return [word, some[:cut], some[cut:]]
    if word == "exchange":
        return [word, [pair() for _ in range(random.choice((1, 1, 2, 3)))]]
    rows = []
    for h in random.sample(range(m), min(m, random.choice((1, 1, 2)))):
        low, high = int(state.low[h]), int(state.high[h])
        rows.append([h, *sorted(random.choices(range(low, high + 1), k=2))])
    return [word, rows]


def honest_end(
    random: Random, checker: CertificateChecker, state: CountState, word: str
) -> list[Any]:
    """Draw an end of the right shape; that of ``bound`` is what it must be."""
    n, m, k = len(state.status), len(state.low), checker.k
    if word == "bound":
        value = checker.bound(state)[0]
        return [word, value, [*state.low], [*state.high]]
    cut, count = random.randrange(max(m, 1)), random.randint(0, k)
    free, taken, left = (
        random.choice(found or range(n))
        for found in (state.points(each) for each in range(3))
    )
    same = [p for p in range(n) if checker.twin[p] == checker.twin[taken]]
    later = random.choice(same)
    wanted = {
        **{"counts": [], "narrow": [cut], "split": [cut, count], "twins": [later]},
        **{"exchange": [taken, left], "companions": [free]},
    }
    return [word, *wanted[word]]


def spoiled(random: Random, value: list[Any], state: CountState) -> list[Any]:
    """Change a step or an end at one to three places: types, nesting, order, number."""
    for _ in range(random.choice((1, 1, 1, 1, 2, 3))):
        outer = [(value, key) for key in range(1, len(value))]
        inner = list(_places(value))
        places = random.choice((outer, outer, inner)) or [(value, 0)]
        place, key = random.choice(places)
        way = random.randrange(8)
        if way == 0:
            place.insert(key, place[key])
        elif way == 1:
            random.shuffle(place)
        elif way == 2 and place is not value:
            del place[key]
        else:
            place[key] = _instead(random, place[key], state)
    return value


def _instead(random: Random, old: Any, state: CountState) -> Any:
    """Draw what may stand for a value: other types, or the same in other lists."""
    n = len(state.status)
    free = state.points(UNDECIDED)
    inside = old if isinstance(old, list) and old else [old]
    way = random.randrange(10)
    if way < 3:
        return deepcopy(random.choice(HOSTILE))
    if way < 5:
        return random.choice((random.choices((True, False), k=n), [way == 3] * n))
    if way < 8:
        return [random.choices(random.choice((free, range(n))) or [0], k=n)]
    return random.choice(([old], inside[0], random.choices(inside, k=len(inside) + 1)))


def _places(value: list[Any], top: bool = True) -> Iterator[tuple[list[Any], int]]:
    """List where values stand, the first word left out."""
    for key, each in enumerate(value):
        if not (top and key == 0):
            yield value, key
        if isinstance(each, list):
            yield from _places(each, False)


@dataclass
class Trial:
    """Offers steps and ends to checkers, and counts what was accepted of which kind."""

    random: Random
    by: Both = (CertificateChecker, FastChecker)
    offered: int = 0
    accepted: Counter[str] = field(default_factory=Counter)

    def run(self, steps: int) -> None:
        """Offer so many; raises `Lost` as soon as an optimum is lost."""
        while self.offered < steps:
            case = Case.drawn(self.random, self.random.randrange(4) > 0)
            checkers = [by(case.instance, case.objective) for by in self.by]
            for _ in range(5):
                self._try(case, checkers)

    def _try(self, case: Case, checkers: list[CertificateChecker]) -> None:
        drawn = case.state(self.random, checkers[0])
        before = case.conforming(drawn)
        state = drawn.copy()
        closed = checkers[0].close(state)
        if (before & ~(closed & case.conforming(state))).any():
            raise Lost(f"{case.instance}, {case.objective}, {drawn}: lost by counts")
        state = state if closed else drawn
        for _ in range(_STEPS_OF_STATE):
            self.offered += 1
            random, plain = self.random, checkers[0]
            is_end = not closed or random.random() < 0.25
            word = random.choice(REASONS if is_end else RULES)
            draw = honest_end if is_end else honest
            value = draw(random, plain, state, word)
            if random.random() < 0.5:
                value = spoiled(random, value, state)
            results = [self._offered(each, state, value, is_end) for each in checkers]
            if any(each != results[0] for each in results[1:]):
                raise Lost(f"the checkers disagree on {value}: {results}")
            if (left := results[0]) is None:
                continue
            self.accepted[("end " if is_end else "") + word] += 1
            kept = np.zeros_like(before)
            for each in left:
                kept |= case.conforming(each)
            if (case.conforming(state) & ~kept).any():
                raise Lost(f"{case.instance}, {case.objective}, {state}: {value}")

    def _offered(
        self, checker: CertificateChecker, state: CountState, value: Any, is_end: bool
    ) -> list[CountState] | None:
        """Return what is left of a node, closed; None if the step is not taken."""
        state = state.copy()
        try:
            if is_end:
                left = derive(checker, state, checker.shapes.node([[], value]))
            else:
                checker.step(state, checker.shapes.step(value, ""))
                left = [state]
        except (InputError, RefusedStep):
            return None
        return [each for each in left if checker.close(each)]


class Undecoded(CertificateChecker):
    """The rules as they were, which used lists of JSON as they came.

    Only values that ``hole`` tells are let through undecoded.
    """

    hole = staticmethod(lambda rule, lists: False)

    def __init__(self, instance: KSubset, objective: int) -> None:
        super().__init__(instance, objective)
        self.site = np.array([instance.free.index(site) for site in instance.free])
        strictly = self.shapes.step

        def step(value: Any, where: str) -> Step:
            if len(value) == 3 and self.hole(value[0], value[1:]):
                return Step(value[0], tuple(value[1:]))
            return strictly(value, where)

        self.shapes.step = step

    def step(self, state: CountState, step: Step) -> None:
        raw = step.rule in RULES and not isinstance(step.what[0], tuple)
        if not raw:
            super().step(state, step)
            return
        chosen, rejected = step.what
        try:
            getattr(self, f"_{step.rule}_as_it_was")(state, chosen, rejected)
        except (ValueError, TypeError, IndexError, KeyError, OverflowError):
            raise RefusedStep("is no node") from None

    def _set(self, state: CountState, points: Any, value: int) -> None:
        status = np.array(state.status)
        if (status[points] != UNDECIDED).any():
            raise RefusedStep("decides a point twice")
        status[points] = value
        state.status = status.tolist()

    def _cost_as_it_was(self, state: CountState, chosen: Any, rejected: Any) -> None:
        bound, *lists = self.bound(state)
        weights, taken = map(np.array, lists)
        free = np.array(state.status) == UNDECIDED
        spare, last = weights[free & ~taken], weights[free & taken]
        if chosen and not (
            taken[chosen].all()
            and len(spare)
            and bound - int(weights[chosen].max()) + int(spare.min()) >= self.threshold
        ):
            raise RefusedStep("cost does not choose")
        if rejected and not (
            not taken[rejected].any()
            and len(last)
            and bound + int(weights[rejected].min()) - int(last.max()) >= self.threshold
        ):
            raise RefusedStep("cost does not reject")
        self._set(state, chosen, CHOSEN)
        self._set(state, rejected, REJECTED)

    def _twins_as_it_was(self, state: CountState, chosen: Any, rejected: Any) -> None:
        for p in rejected:
            earlier = (self.site == self.site[p]) & (np.arange(self.n) < p)
            if not (np.array(state.status)[earlier] == REJECTED).any():
                raise RefusedStep("no earlier twin")
            self._set(state, [p], REJECTED)
        for p in chosen:
            later = (self.site == self.site[p]) & (np.arange(self.n) > p)
            if not (np.array(state.status)[later] == CHOSEN).any():
                raise RefusedStep("no later twin")
            self._set(state, [p], CHOSEN)

    def _companions_as_it_was(
        self, state: CountState, chosen: Any, rejected: Any
    ) -> None:
        for points, way in (
            (rejected, self.needs_too_many),
            (chosen, self.needed_by_too_many),
        ):
            found = np.array(points, dtype=np.int64)
            if found.ndim != 1 or not ((found >= 0) & (found < len(self.place))).all():
                raise IndexError("no such point")
            if not all(way(state, found.tolist())):
                raise RefusedStep("not too many")
        self._set(state, chosen, CHOSEN)
        self._set(state, rejected, REJECTED)


HOLES = {
    "null for a list": lambda rule, lists: rule == "cost" and None in lists,
    "an integer for a list": lambda rule, lists: (
        rule == "cost" and any(type(each) is int for each in lists)
    ),
    "a list of booleans": lambda rule, lists: (
        rule == "companions"
        and any(type(each) is list and bool in map(type, each) for each in lists)
    ),
    "a list in a list": lambda rule, lists: (
        rule == "twins"
        and any(type(each) is list and list in map(type, each) for each in lists)
    ),
}


@pytest.mark.parametrize("name", HOLES)
def test_a_checker_that_does_not_decode_is_caught(name: str) -> None:
    """Positive controls: the four holes that certificates had."""
    hole = type("Planted", (Undecoded,), {"hole": staticmethod(HOLES[name])})
    with pytest.raises(Lost):
        Trial(Random(f"1 {name}"), (hole,)).run(100_000)


@pytest.mark.parametrize("name", CERTIFICATE_EDITS)
def test_a_rule_that_is_wrong_by_one_is_caught(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    CERTIFICATE_EDITS[name].plant(monkeypatch)
    with pytest.raises(Lost):
        Trial(Random(f"planted {name}"), (CertificateChecker,)).run(100_000)


def check_steps(seed: str, steps: int) -> Counter[str]:
    trial = Trial(Random(f"steps {seed}"))
    trial.run(steps)
    for word in RULES:
        assert trial.accepted[word] > steps // 10_000, trial.accepted
    return trial.accepted


def test_no_step_loses_an_optimum() -> None:
    check_steps("quick", 20_000)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_no_step_of_many_loses_an_optimum(seed: int) -> None:
    accepted = check_steps(str(seed), 120_000)
    assert all(accepted[f"end {word}"] for word in REASONS), accepted
