"""Claims about choices by links on trees of switches."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations, permutations
from random import Random

import numpy as np

from ...network.contention.instance import PURPOSES
from ...reports.claims.running.claim import Claim, Outcome, Trial, failed, passed
from ..placement.program import Chooser
from ..placement.request import Objective, Request
from ..topologies import FabricKind, Hierarchy
from .links import UNIT, TreeLinks
from .tree import LinkWish

SAMPLES, QUICK_SAMPLES = 600, 60
_Drawn = tuple[Hierarchy, TreeLinks, list[int], int]


def _draw(random: Random) -> _Drawn:
    """Draw a tree, its links, free nodes and how many are wanted."""
    parent, path = [-1], [0]
    for v in range(1, random.randint(2, 7)):
        path = path[: random.randint(1, len(path))]
        parent.append(path[-1])
        path.append(v)
    n = random.randint(2, 8)
    tree = Hierarchy(
        FabricKind.TREE,
        tuple(map(str, range(n))),
        np.array(sorted(random.choices(range(len(parent)), k=n))),
        tuple(f"s{v}" for v in range(len(parent))),
        np.array(parent),
        np.array([0, *(2 for _ in parent[1:])]),
    )
    capacity = np.array([random.choice((50, 89, 100, 200)) for _ in parent])
    busy = np.array([[random.randint(0, int(c)) for c in capacity] for _ in range(2)])
    busy[:, 0] = 0
    links = TreeLinks(capacity, busy if random.random() < 0.5 else None)
    free = random.sample(range(n), random.randint(1, n))
    return tree, links, sorted(free), random.randint(1, len(free))


def _pair_by_pair(
    drawn: _Drawn, chosen: tuple[int, ...], power: int, reserve: int
) -> Fraction:
    """Return how far the busiest link is used, or the contention, from all pairs."""
    tree, links, _, k = drawn
    sent: dict[tuple[int, int], Fraction] = {}
    above: dict[int, set[int]] = {}
    for node in chosen:
        v, above[node] = int(tree.home[node]), set()
        while v > 0:
            above[node].add(v)
            v = int(tree.parent[v])
    for a, b in permutations(chosen, 2):
        ways = (above[a] - above[b], above[b] - above[a])  # up, then down
        for at in ((way, v) for way, some in enumerate(ways) for v in some):
            sent[at] = sent.get(at, Fraction(0)) + Fraction(UNIT, k - 1)
    value = Fraction(0)
    for (way, v), load in sent.items():
        whole = int(links.capacity[v])
        before = Fraction(int(links.busy[way][v]), whole) + reserve
        after = before + load / whole
        value = value + after**power - before**power if power else max(value, after)
    return value


def compare(trial: Trial, wishes: Iterable[tuple[int, int]]) -> Outcome:
    """Compare choices with all others, priced from the ways of all pairs."""
    random, seen = Random(f"closeknit links {trial.seed}"), 0
    for power, reserve in wishes:
        objective = Objective.CONTENTION if power else Objective.LINKS
        for _ in range(QUICK_SAMPLES if trial.quick else SAMPLES):
            drawn = _draw(random)
            tree, links, free, k = drawn
            wish = LinkWish(links, power, reserve)
            flags = np.isin(np.arange(len(tree.nodes)), free)
            found = Chooser(tree).select(Request(k, objective, links=wish), flags)
            seen += 1
            least = min(
                (_pair_by_pair(drawn, some, power, reserve), _hops(tree, some))
                for some in combinations(free, k)
            )
            assert found.objective is not None
            number, *hops = found.objective
            ours = (wish.part_of(number, k), *hops)
            if ours != least[: len(ours)]:
                return failed(
                    f"{k} of {free} at {tree.home.tolist()} below "
                    f"{tree.parent.tolist()}: {', '.join(map(str, ours))}, not "
                    f"{', '.join(map(str, least))}",
                    seen,
                )
    return passed("no other choice is better", seen)


def _hops(tree: Hierarchy, chosen: tuple[int, ...]) -> int:
    return sum(tree.distance(a, b) for a, b in combinations(chosen, 2))


_TESTED = (
    f"{SAMPLES} trees ({QUICK_SAMPLES} if quick) of up to 8 nodes with drawn "
    "capacities, half of them with background; all choices, priced pair by pair"
)
CONTENTION_CLAIMS = (
    Claim(
        name="tree-links-exact",
        statement="On a tree no choice uses its busiest link less, or so much and has "
        "fewer hops.",
        source="derived, docs/clusters/links.md",
        tested=_TESTED,
        test=lambda trial: compare(trial, [(0, 0)]),
    ),
    Claim(
        name="tree-contention-exact",
        statement="On a tree no choice adds less to the powers of what links are used.",
        source="derived, docs/clusters/links.md",
        tested=f"{_TESTED}; for one job, then for a stream",
        test=lambda trial: compare(trial, PURPOSES.values()),
    ),
)
