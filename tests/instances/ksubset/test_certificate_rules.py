"""Rules of certificates take what follows by their definition, and nothing else.

Drawn steps (`test_certificate_forgeries`) show that no rule takes too much; here each
is compared with its definition on all states of small instances, so that one that
takes too little is found, too.
"""

from __future__ import annotations

from itertools import combinations, product
from random import Random

import numpy as np
import pytest

from closeknit.instances import KSubset, Points, arrays, mesh
from closeknit.instances.errors import RefusedStep
from closeknit.instances.ksubset.certificate import CertificateChecker
from closeknit.instances.ksubset.counts import CHOSEN, REJECTED, UNDECIDED, CountState

from ...strategies import seeded_ksubset

STATUSES = UNDECIDED, CHOSEN, REJECTED
SITES = ((0,), (0,), (1,), (0,))
TWINS = KSubset("twins", Points(SITES), SITES, 2)


def refusal(
    checker: CertificateChecker, state: CountState, rule: str, *lists: list[int]
) -> str:
    """Return why a step is refused; nothing if it is taken."""
    try:
        checker.step(state.copy(), checker.shapes.step([rule, *lists], ""))
    except RefusedStep as refused:
        return str(refused)
    return ""


@pytest.mark.parametrize("statuses", product(STATUSES, repeat=4))
def test_of_coinciding_points_the_first_are_chosen(statuses: tuple[int, ...]) -> None:
    checker = CertificateChecker(TWINS, 1)
    state = checker.root()
    state.status[:] = statuses
    for p in range(4):
        same = [q for q in range(4) if q != p and TWINS.free[q] == TWINS.free[p]]
        earlier = any(statuses[q] == REJECTED for q in same if q < p)
        later = any(statuses[q] == CHOSEN for q in same if q > p)
        decided = "" if statuses[p] == UNDECIDED else "decides a point twice"
        why = decided if earlier else f"no earlier twin of {p} is rejected"
        assert refusal(checker, state, "twins", [], [p]) == why
        why = decided if later else f"no later twin of {p} is chosen"
        assert refusal(checker, state, "twins", [p], []) == why


def test_companions_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """With those that are chosen, the point itself, and those that it needs."""
    instance, random = mesh(2, 3, k=3), Random(1)
    for _ in range(300):
        needs = np.array(random.choices((True, False), k=36)).reshape(6, 6)
        np.fill_diagonal(needs, False)  # no point needs itself
        monkeypatch.setattr(
            CertificateChecker,
            "needs",
            lambda self, state, p, q, needs=needs: needs[p, q].tolist(),
        )
        checker = CertificateChecker(instance, 1)
        state = checker.root()
        state.status[:] = random.choices(STATUSES, (4, 1, 1), k=6)
        status = list(state.status)
        free = [p for p in range(6) if status[p] == UNDECIDED]
        for p in free:
            wanted = status.count(CHOSEN) + 1 + sum(needs[p, q] for q in free)
            left = 6 - status.count(REJECTED) - 1 - sum(needs[q, p] for q in free)
            assert (refusal(checker, state, "companions", [], [p]) == "") == (
                wanted > 3
            )
            assert (refusal(checker, state, "companions", [p], []) == "") == (left < 3)


def test_cuts_are_nested_where_all_positions_of_one_are_of_the_other() -> None:
    found = set()
    for instance in filter(arrays.has_cuts, map(seeded_ksubset, range(60))):
        checker = CertificateChecker(instance, 1)
        ends = zip(checker.start, checker.stop, strict=True)
        runs = [set(range(start, stop)) for start, stop in ends]
        for g, h, *_, nested in checker.links:
            assert nested == (runs[g] <= runs[h])
            same = (
                checker.start[g] == checker.start[h],
                checker.stop[g] == checker.stop[h],
            )
            found.add((nested, *same))
    assert len(found) >= 6, found  # that share their beginning, their end, or none


def test_points_of_a_refused_step_are_named_up_to_three() -> None:
    checker = CertificateChecker(mesh(2, 3, k=3), 1000)
    state = checker.root()
    three = refusal(checker, state, "cost", [0, 1, 2], [])
    assert three == "cost does not choose 0, 1, 2"
    four = refusal(checker, state, "cost", [0, 1, 2, 3], [])
    assert four == "cost does not choose 0, 1, 2, …"


@pytest.mark.parametrize("seed", range(40))
def test_counts_are_affordable_where_some_choice_keeps_the_bound_low(seed: int) -> None:
    """Compared with all choices of the undecided points, cut by cut, count by count."""
    random, k = Random(seed), 3
    checker = CertificateChecker(mesh(2, 3, k=k), random.randint(4, 20))
    state = checker.root()
    state.status[:] = random.choices(STATUSES, (4, 1, 1), k=6)
    for h, (low, high) in enumerate(zip(state.low, state.high, strict=True)):
        state.low[h] = random.randint(low, high)
        state.high[h] = random.randint(state.low[h], high)
    lows, highs = np.array(state.low), np.array(state.high)
    sides = arrays.cuts(mesh(2, 3, k=k)).sides.astype(np.int64)
    weights = np.array(checker.weight) * (k - lows - highs) @ sides
    constant = int((np.array(checker.weight) * lows * highs).sum())
    taken, free = state.points(CHOSEN), state.points(UNDECIDED)
    cuts = range(len(checker.weight))
    found = checker.affordable(state, cuts)
    assert len(found) == len(cuts)
    sets = [[*taken, *s] for s in combinations(free, k - len(taken))]
    for h, c in product(cuts, range(k + 1)):
        low, high = state.low[h], state.high[h]
        error = checker.weight[h] * (c - low) * (high - c)
        costs = [weights[s].sum() for s in sets if sides[h, s].sum() == c]
        assert (c in found[h]) == (
            low <= c <= high
            and any(constant + cost + error < checker.threshold for cost in costs)
        )
