"""Every method of task mapping, and the function that users call."""

from __future__ import annotations

import time
import tracemalloc
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings

import closeknit as ck
from closeknit.instances import InputError, Mesh, arrays
from closeknit.network.mapping.heuristics.baselines import greedy_order
from closeknit.network.mapping.instance import RankMapping
from closeknit.network.mapping.models.answer import mapping_result
from closeknit.network.mapping.table import (
    MAPPERS,
    in_time,
    order_ranks,
)
from closeknit.network.processor_numbers import hops_between
from closeknit.solvers import Grade, Limit, Result, Settings, Status
from closeknit.solvers.running import clock
from closeknit.solvers.running.interrupt import deferred

from ...oracles import cheapest_order
from ...strategies import mappings

EXACT = ("auto", "exact")


@settings(max_examples=30, deadline=None)
@given(mapping=mappings(most=6))
def test_every_method_is_priced_and_bounded(mapping: RankMapping) -> None:
    best = cheapest_order(mapping)
    for name, method in MAPPERS.items():
        found = method(mapping, Settings())
        assert found.objective == mapping.cost(found.chosen or ())
        assert isinstance(found.bound, int)
        assert found.bound <= best <= mapping.cost(found.chosen or ()), name
        if name in EXACT:
            assert found.status is Status.OPTIMAL, name
            assert found.objective == best, name


def test_the_facade_orders_the_ranks_of_a_solution() -> None:
    job = ck.ksubset(ck.Mesh(4, 4), k=6, busy=[(0, 1), (2, 2)])
    chosen = ck.solve(job).chosen or ()
    hops = arrays.hops(job)[np.ix_(chosen, chosen)]
    traffic = np.zeros((6, 6))
    for u, v in pairwise((0, 3, 1, 5, 2, 4)):
        traffic[u, v] = 100
    found = ck.order_ranks(traffic, hops)
    assert found.status is ck.Status.OPTIMAL
    assert found.objective == found.bound == 500
    assert found.proof is not None
    assert found.proof.grade in (Grade.CHECKED, Grade.ENUMERATED)


@pytest.mark.parametrize(
    ("method", "limit", "complaint"),
    [
        ("anealing", 1.0, "did you mean annealing"),
        ("cpsat", 1.0, "no such method of mapping: .cpsat."),
        ("exact", -1.0, "time_limit: must be at least 0 s, not -1.0"),
    ],
)
def test_bad_options_are_refused(method: str, limit: float, complaint: str) -> None:
    pair = [[0, 1], [1, 0]]
    with pytest.raises(InputError, match=complaint):
        order_ranks(pair, pair, method, time_limit=limit)


@pytest.mark.parametrize("method", ["greedy", "annealing", "auto"])
def test_large_jobs_are_ordered_as_far_as_time_allows(method: str) -> None:
    hops = hops_between(Mesh(30, 30), np.arange(900))
    traffic = np.random.default_rng(1).integers(0, 3, (900, 900))
    found = order_ranks(traffic, hops, method, time_limit=0.0)
    assert found.limit is Limit.TIME
    assert found.bound is None
    assert RankMapping(traffic, hops).check(found.chosen or ()) == []


def test_a_method_that_does_not_look_at_the_clock_is_stopped() -> None:
    def endless(mapping: RankMapping, settings: Settings) -> Result:
        while True:
            pass

    pair = RankMapping(np.array([[0, 1], [1, 0]]), np.array([[0, 1], [1, 0]]))
    found = in_time(endless)(pair, Settings(time_limit=0.1))
    assert (found.limit, found.chosen) == (None, (0, 1))


@settings(max_examples=50, deadline=None)
@given(mapping=mappings(most=8))
def test_the_greedy_order_is_that_of_its_definition(mapping: RankMapping) -> None:
    left, sites = set(range(mapping.ranks)), list(range(mapping.ranks))
    nearest = sorted(sites, key=lambda s: (int(mapping.hops[s].sum()), s))
    place: dict[int, int] = {}
    for _ in sites:
        exchanged = {
            i: int(sum(mapping.flow[i, k] for k in (place or range(mapping.ranks))))
            for i in left
        }
        rank = min(left, key=lambda i: (-exchanged[i], i))
        place[rank] = min(
            (s for s in nearest if s not in place.values()),
            key=lambda s: sum(
                int(mapping.hops[s, at] * mapping.flow[rank, k])
                for k, at in place.items()
            ),
        )
        left.remove(rank)
    assert greedy_order(mapping).tolist() == [place[i] for i in range(mapping.ranks)]


def test_what_the_alarm_stops_was_stopped_by_time() -> None:
    """Not by Ctrl-C, as a search that polls the same event for both has it."""

    @in_time
    def polling(mapping: RankMapping, settings: Settings) -> Result:
        start = clock.now()
        with deferred() as event:
            while not event.is_set() and clock.now() < start + 20:
                time.sleep(0.01)
        return mapping_result(mapping, range(24), start=start, limit=Limit.INTERRUPT)

    ranks = np.arange(24)
    mapping = RankMapping(np.outer(ranks, ranks) % 7, abs(ranks[:, None] - ranks))
    found = polling(mapping, Settings(time_limit=0.1))
    assert found.limit is Limit.TIME


def test_matrices_of_many_ranks_are_not_copied() -> None:
    ranks = 1024
    hops = np.ones((ranks, ranks), dtype=np.int64) - np.eye(ranks, dtype=np.int64)
    traffic = np.eye(ranks, k=1, dtype=np.int64)
    tracemalloc.start()
    try:
        mapping = RankMapping(traffic, hops)
        assert mapping.cost(range(ranks)) == ranks - 1
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 3.2 * hops.nbytes  # both matrices, and flags of one byte
