"""Every call that takes a time limit keeps it, on instances too large for it."""

from __future__ import annotations

import inspect
import random
import time
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import Any

import networkx
import numpy as np
import pytest

import closeknit as ck
from closeknit.instances import InputError, Instance
from closeknit.instances.ksubset.generators import random_occupancy
from closeknit.instances.procset.generators import random_sets
from closeknit.instances.submesh.generators import waiting_state
from closeknit.instances.sukp.generators import random_sukp
from closeknit.instances.topologies.shortest_paths import pair_sum_by_levels
from closeknit.methods import KSUBSET, METHODS
from closeknit.network.mapping.table import MAPPERS
from closeknit.network.workloads.communication import traffic_of
from closeknit.solvers import Settings

LIMIT = 1.0
ALLOWED = 0.5
"""Seconds beyond the limit; of this process, since the machine may do other work."""
PER_RUN = {
    "Settings": "no call",
    "ratios": "the limit is that of each run",
    "verify": "the limit is that of each answer derived again",
    "compare": "the limit is that of each run",
}


def regular(n: int, k: int) -> ck.KSubset:
    return ck.ksubset(ck.Graph(networkx.random_regular_graph(6, n, seed=1)), k=k)


@cache
def mapped(ranks: int) -> tuple[Any, Any]:
    """Return the traffic of a plane, and the hops of a row of processors."""
    places = np.arange(ranks)
    return traffic_of("halo2d", ranks), np.abs(places[:, None] - places[None])


def late(call: Callable[[], object]) -> float:
    """Return how long a call took beyond the limit."""
    before = time.process_time()
    call()
    return time.process_time() - before - LIMIT


@pytest.mark.parametrize("seed", range(60))
def test_a_graph_is_priced_alike_from_all_nodes_at_once(seed: int) -> None:
    draw = random.Random(seed)
    graph = ck.Graph(networkx.connected_watts_strogatz_graph(30, 4, 0.3, seed=seed))
    nodes = draw.sample(range(30), draw.randint(9, 30))
    found = pair_sum_by_levels(nodes, graph.edges, graph.neighbours)
    assert found == sum(graph.distance((u,), (v,)) for u, v in combinations(nodes, 2))


@pytest.mark.parametrize("name", ["mm", "mm-free", "random"])
def test_a_large_graph_is_priced_in_time(name: str) -> None:
    """Three seconds went by after the limit, in 300 searches of shortest paths."""
    method, settings = KSUBSET[name], Settings(time_limit=LIMIT)
    method(regular(60, 10), settings)  # loads kernels
    instance = regular(4000, 300)
    assert late(lambda: method(instance, settings)) < ALLOWED


def test_ranks_are_ordered_in_time() -> None:
    ck.order_ranks(*mapped(32), time_limit=LIMIT)  # loads kernels
    traffic, hops = mapped(1024)
    assert late(lambda: ck.order_ranks(traffic, hops, time_limit=LIMIT)) < ALLOWED


HALF = Fraction(1, 2)
LARGE: dict[str, Callable[[], tuple[Instance, Instance]]] = {
    "ksubset, a graph": lambda: (regular(60, 10), regular(4000, 300)),
    "ksubset, a mesh": lambda: (
        random_occupancy((6, 6), 6, HALF, 1),
        random_occupancy((96, 96), 300, HALF, 1),
    ),
    "ksubset, a torus": lambda: (
        random_occupancy((4, 4, 4), 6, HALF, 1, kind="torus"),
        random_occupancy((20, 20, 20), 200, HALF, 1, kind="torus"),
    ),
    "procset": lambda: (
        random_sets(20, 10, 4, 5, seed=1),
        random_sets(400, 300, 6, 60, levels=2, seed=1),
    ),
    "sukp": lambda: (
        random_sukp(18, 18, Fraction(1, 5), Fraction(3, 4), seed=1),
        random_sukp(500, 500, Fraction(1, 10), Fraction(17, 20), 1),
    ),
    "submesh": lambda: (
        waiting_state((8, 8), 1, 4, 1),
        waiting_state((256, 256), 1, 24, 1),
    ),
}
"""For every problem a small instance and one that takes longer than the limit."""


@cache
def instances_of(on: str) -> tuple[Instance, Instance]:
    """Draw them once: the larger ones take up to minutes."""
    return LARGE[on]()


METHODS_ON = [(on, n) for on in LARGE for n in METHODS[on.partition(",")[0]]]


@pytest.mark.slow
@pytest.mark.parametrize(("on", "name"), METHODS_ON)
def test_every_method_keeps_its_limit(on: str, name: str) -> None:
    method = METHODS[on.partition(",")[0]][name]
    settings = Settings(time_limit=LIMIT)
    small, instance = instances_of(on)
    if method.refuses and (method.refuses(small) or method.refuses(instance)):
        return

    def solve(one: Instance) -> None:
        with suppress(InputError):  # too large for an enumeration
            method(one, settings)

    solve(small)  # loads kernels
    assert late(lambda: solve(instance)) < ALLOWED


@pytest.mark.slow
@pytest.mark.parametrize("name", MAPPERS)
@pytest.mark.parametrize("ranks", [40, 64, 1024, 2048])
def test_every_mapper_keeps_its_limit(name: str, ranks: int) -> None:
    traffic, hops = mapped(ranks)
    ck.order_ranks(*mapped(8), name, time_limit=LIMIT)

    def order() -> None:
        with suppress(InputError):  # too many ranks for it
            ck.order_ranks(traffic, hops, name, time_limit=LIMIT)

    assert late(order) < ALLOWED


def test_every_public_call_with_a_limit_is_known_here() -> None:
    """One that is new has to be added, and held to its limit."""
    found = set()
    for name in {*ck.__all__} - {"methods"}:
        with suppress(TypeError, ValueError):  # no call, or one without names
            if "time_limit" in inspect.signature(getattr(ck, name)).parameters:
                found.add(name)
    assert found == {*CALLS, *PER_RUN}


CALLS: dict[str, Callable[[], object]] = {
    "solve": lambda: ck.solve(regular(4000, 300), "mm", time_limit=LIMIT),
    "order_ranks": lambda: ck.order_ranks(*mapped(1024), time_limit=LIMIT),
    "worst": lambda: ck.worst("mm", shape=(40, 40), k=300, time_limit=LIMIT),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_every_public_call_keeps_its_limit(name: str) -> None:
    CALLS[name]()  # loads kernels
    assert late(CALLS[name]) < 2 * ALLOWED  # which includes making the instance
