"""Loads of links: the table agrees with the definition, and claims notice faults."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
import pytest

from closeknit.instances import Graph, InputError, IntArray, Mesh, Points, Torus, Tree
from closeknit.instances.ksubset.graph_generators import (
    dragonfly_network,
    fat_tree_network,
    hypercube_network,
)
from closeknit.network.claims import loads as claims
from closeknit.network.engine import Network
from closeknit.network.kary_tree import KaryTree
from closeknit.network.loads import LoadTable, Routes, routings_of
from closeknit.reports.claims.running.claim import Outcome, Trial

QUICK = Trial(seed=0, quick=True)
TREE = Tree((-1, 0, 0, 1, 1, 2), (0, 1, 1, 1, 1, 1), (3, 4, 5))
NETWORKS: list[Network] = [
    *(Torus(4, 4), Torus(5, 2, 4), Mesh(4, 3, 2), Mesh(1), Torus(9), KaryTree(2, 3)),
    *(dragonfly_network(2, 1, 1), fat_tree_network(4), hypercube_network(3), TREE),
    Graph(2, ((0, 1, 3),), (0, 1)),
]


@pytest.mark.parametrize("network", NETWORKS, ids=str)
def test_the_table_agrees_with_the_definition(network: Network) -> None:
    """Every pair and every set, for every routing."""
    for routing in routings_of(network):
        if routing == "table":
            continue
        routes = Routes(network, routing)
        table, n = LoadTable(routes), len(routes.stop)
        sums = [Fraction(0)] * len(routes.links)
        for u in range(n):
            for v in range(n):
                if u == v:
                    continue
                due = routes.pair(u, v)
                row = table.row[u] + table.column[v]
                at = range(table.first[row], table.first[row + 1])
                assert due == {
                    int(table.link[i]): Fraction(int(table.amount[i]), table.whole)
                    for i in at
                }
                for e, part in due.items():
                    sums[e] += (1 + u % 3) * part
        units = np.repeat([[1 + u % 3] for u in range(n)], n, axis=1)
        np.fill_diagonal(units, 0)
        found = table.of(range(n), units)
        assert [Fraction(int(x), table.whole) for x in found] == sums
        pairs = [(u, v) for u in range(n) for v in range(n) if u != v]
        carried = Routes(network, routing).carry((u, v, 1 + u % 3) for u, v in pairs)
        assert carried == {e: part for e, part in enumerate(sums) if part}


def test_half_a_ring_is_left_by_the_parity_of_the_sender() -> None:
    """Even senders go upwards, odd ones downwards."""
    routes = Routes(Torus(4), "dimension-order")
    ways = [[routes.links[e] for e in routes.pair(u, (u + 2) % 4)] for u in (0, 1)]
    assert ways == [[(0, 1), (1, 2)], [(1, 0), (0, 3)]]


def test_d_mod_k_spreads_targets() -> None:
    """Hosts of a switch are reached by different switches above."""
    routes = Routes(fat_tree_network(4), "d-mod-k")
    assert routes.pair(0, 2) != routes.pair(0, 3)
    assert routes.is_fixed


def test_bad_networks_and_routings_are_refused() -> None:
    """One line, the field and the value."""
    with pytest.raises(InputError, match="routing: must be one of adaptive, dim"):
        Routes(Mesh(2, 2), "minimal")
    with pytest.raises(InputError, match="topology: has no links: 'points'"):
        Routes(Points([(0, 0), (1, 5)]))
    graph = dragonfly_network(2, 1, 1)
    with pytest.raises(InputError, match="routing: must be one of minimal"):
        Routes(graph, "table")
    table = claims._table_of(Routes(graph))
    LoadTable(Routes(graph, "table", table))
    a, b = 2, 3  # routers of another group
    table[0][a], table[0][b] = b, a
    with pytest.raises(InputError, match=r"table\[0\]\[\d+\]: leads round"):
        LoadTable(Routes(graph, "table", table))
    table[0][a] = -1
    with pytest.raises(InputError, match=r"table\[0\]\[\d+\]: leads nowhere"):
        LoadTable(Routes(graph, "table", table))


def test_the_claims_hold() -> None:
    """All of them, quickly."""
    for claim in claims.LOAD_CLAIMS:
        found = claim.test(QUICK)
        assert found.holds, found
        assert found.instances > 30


def _turned(self: Routes, processor: int) -> int:
    return 1 - sum(self._sites[processor]) % 2 if self._sites else 0


def test_packets_notice_the_other_half_of_a_ring(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A fault that is planted: parity turned round."""
    monkeypatch.setattr(Routes, "is_odd", _turned)
    assert not claims.match_packets(Trial(seed=0)).holds


def test_packets_notice_shares_that_are_not_even(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A fault that is planted: all drawn packets take the last way."""
    steps = Routes.steps
    monkeypatch.setattr(
        Routes, "steps", lambda *of: {v: e[-1:] for v, e in steps(*of).items()}
    )
    assert "carries" in claims.match_packets(QUICK).result


@pytest.mark.parametrize(
    "claim", [claims.add_up_over_cuts, claims.sum_to_the_pair_sum, claims.bound_times]
)
def test_other_claims_notice_what_is_counted_twice(
    claim: Callable[[Trial], Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fault that is planted: a pair on its busiest link counts twice, or more."""
    of = LoadTable.of

    def twice(self: LoadTable, places: Sequence[int]) -> IntArray:
        found = of(self, places)
        found[found.argmax() if len(found) else []] *= 100
        return found

    monkeypatch.setattr(LoadTable, "of", twice)
    assert not claim(QUICK).holds


@pytest.mark.parametrize("claim", [claims.add_up_over_cuts, claims.sum_to_the_pair_sum])
def test_claims_notice_faults_of_what_is_priced(
    claim: Callable[[Trial], Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fault that is planted: what is followed together is split once too often."""
    carry = Routes.carry
    monkeypatch.setattr(
        Routes, "carry", lambda *of: {e: x / 2 for e, x in carry(*of).items()}
    )
    assert not claim(QUICK).holds
