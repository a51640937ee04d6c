"""Claims about task mapping: the bound, and the search that rests on it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np

from ...instances import IntArray, Mesh, Torus
from ...reports.claims.running.claim import (
    Claim,
    Outcome,
    Trial,
    Undecided,
    failed,
    passed,
)
from ...solvers.running import clock
from ..kary_tree import KaryTree
from ..mapping.exact.search import MappingSearch
from ..mapping.instance import RankMapping
from ..mapping.models.gilmore_lawler import gilmore_lawler
from ..processor_numbers import hops_between

NETWORKS = (Mesh(3, 3), Torus(3, 3), Torus(2, 4), KaryTree(2, 3), KaryTree(3, 2))
ROUNDS, QUICK_ROUNDS = 30, 3
RANKS, QUICK_RANKS = 5, 4
"""Of the orders whose beginnings are all bounded."""
MOST_RANKS, QUICK_MOST_RANKS = 7, 5
"""Of those whose orders are all enumerated."""


def _drawn(draw: np.random.Generator, n: int, rounds: int) -> Iterator[RankMapping]:
    """Draw traffic, sparse and dense, on parts of networks and on drawn distances."""
    for i in range(rounds):
        traffic = draw.integers(0, 20, (n, n)) * (draw.random((n, n)) < (i % 3 + 1) / 3)
        half = np.triu(draw.integers(0, 6, (n, n)), 1)
        yield RankMapping(traffic, half + half.T)
        network = NETWORKS[i % len(NETWORKS)]
        count = sum(1 for _ in network.locations())
        places: IntArray = np.sort(draw.permutation(count)[:n])
        yield RankMapping(traffic, hops_between(network, places))


def bound_below(trial: Trial) -> Outcome:
    """Bound the orders that begin in every way, and compare with the least of them."""
    n = QUICK_RANKS if trial.quick else RANKS
    draw = np.random.default_rng([trial.seed, 3])
    seen = 0
    for mapping in _drawn(draw, n, QUICK_ROUNDS if trial.quick else ROUNDS):
        least: dict[tuple[int, ...], int] = {}
        for order in permutations(range(n)):
            cost = mapping.cost(order)
            for k in range(n + 1):
                least[order[:k]] = min(cost, least.get(order[:k], cost))
        for begun, best in least.items():
            bound = gilmore_lawler(mapping, begun)
            seen += 1
            if bound > best or (len(begun) == n and bound != best):
                return failed(
                    f"{n} ranks, {begun} placed: bound {bound}, least cost {best}", seen
                )
    return passed(f"{seen} beginnings of orders, seed {trial.seed}", seen)


def search_is_exact(trial: Trial) -> Outcome:
    """Search from the identity, and enumerate all orders."""
    most = QUICK_MOST_RANKS if trial.quick else MOST_RANKS
    draw = np.random.default_rng([trial.seed, 4])
    seen = 0
    for n in range(2, most + 1):
        for mapping in _drawn(draw, n, QUICK_ROUNDS):
            search = MappingSearch(mapping, tuple(range(n)))
            if search.run(clock.now() + trial.time_limit) is not None:
                raise Undecided(f"the search of {n} ranks did not end in time")
            seen += 1
            least = min(map(mapping.cost, permutations(range(n))))
            own = mapping.cost(search.chosen)
            if not search.best == own == least:
                return failed(
                    f"{n} ranks: the search {search.best}, its order {own}, the least "
                    f"of all orders {least}",
                    seen,
                )
    return passed(f"{seen} equal optima of 2 to {most} ranks, seed {trial.seed}", seen)


MAPPING_CLAIMS = (
    Claim(
        name="mapping-bound-is-a-bound",
        statement="The Gilmore-Lawler bound of ranks that are placed is at most the "
        "cost of every order that places the others, and equal to it if none is left.",
        source="Gilmore 1962; Lawler 1963",
        tested="all beginnings of all orders of five ranks (four if quick), traffic "
        "drawn, on grids, k-ary trees and drawn distances",
        test=bound_below,
    ),
    Claim(
        name="mapping-search-is-exact",
        statement="Branch and bound over the orders of ranks finds the least cost of "
        "all orders.",
        source="derived, docs/science/task-mapping.md",
        tested="two to seven ranks (five if quick), traffic drawn, on grids, k-ary "
        "trees and drawn distances",
        test=search_is_exact,
    ),
)
