"""The flow level: fair rates by hand, latencies, loads, and the packets' times."""

from __future__ import annotations

import numpy as np
import pytest

from closeknit.instances import Graph, InputError, Mesh, Torus
from closeknit.instances.ksubset.graph_generators import (
    dragonfly_network,
    random_regular_network,
)
from closeknit.network.cut_through.engine import CutThrough
from closeknit.network.cut_through.message_queue import Network
from closeknit.network.flow_level.engine import FlowLevel
from closeknit.network.kary_tree import KaryTree
from closeknit.network.messages import Messages, messages
from closeknit.network.workloads.format import Workload
from closeknit.network.workloads.table import workload
from closeknit.solvers.running.kernels import interpreted

NONE = np.zeros(0, np.int64)
NETWORKS: list[tuple[Network, str]] = [
    (Torus(5, 4), ""),
    (Torus(6, 4), "dimension-order"),
    (Torus(3, 2, 4), ""),
    (Mesh(4, 5), ""),
    (KaryTree(3, 3), ""),
    (dragonfly_network(2, 2, 1), ""),
    (dragonfly_network(3, 1, 1), "drawn"),
    (random_regular_network(12, 3, seed=1), "valiant"),
]


def load(processors: int, count: int, span: int, seed: int) -> Messages:
    """Draw independent messages."""
    draw = np.random.default_rng(seed)
    return Messages(
        draw.integers(0, processors, count),
        draw.integers(0, processors, count),
        draw.integers(1, 300, count),
        draw.integers(0, span, count),
        NONE,
        NONE,
    )


def rates(engine: FlowLevel, rows: list[tuple[int, int]]) -> list[float]:
    """Return the rates of long messages, all begun at once."""
    engine.add(messages([(u, v, 10**6) for u, v in rows]))
    engine.run(until=1)
    return [engine.rates[i] for i in range(len(rows))]


def test_the_fullest_link_is_shared_first() -> None:
    """On a line the last link is shared by three; the first two get what is left."""
    rows = [(0, 4), (1, 2), (2, 4), (3, 4)]
    found = rates(FlowLevel(Mesh(5)), rows)
    assert found == pytest.approx([1 / 3, 2 / 3, 1 / 3, 1 / 3])


def test_what_is_left_is_shared_by_the_others() -> None:
    """Three levels, by hand.

    Link 3-4 carries flows 0, 1, 2: a third each. Link 5-6 carries flows 3 and 4: a half
    each, since links 0-1 and 1-2 leave two thirds to flow 3 beside flow 0. The way out
    of 9 carries flows 1 and 5: two thirds are left to 5.
    """
    graph = Graph(
        12,
        (
            *((0, 1, 1), (1, 2, 1), (2, 3, 1), (3, 4, 1), (2, 5, 1), (5, 6, 1)),
            *((0, 7, 1), (0, 8, 1), (3, 9, 1), (3, 10, 1), (5, 11, 1)),
        ),
        (4, 6, 7, 8, 9, 10, 11),
    )
    place = {v: i for i, v in enumerate(graph.processors)}
    pairs = [(7, 4), (9, 4), (10, 4), (8, 6), (11, 6), (9, 10)]
    engine = FlowLevel(graph, in_turn=False)
    found = rates(engine, [(place[u], place[v]) for u, v in pairs])
    assert found == pytest.approx([1 / 3, 1 / 3, 1 / 3, 1 / 2, 1 / 2, 2 / 3])


def test_messages_of_one_processor_in_turn_or_at_once() -> None:
    rows = [(0, 1, 160), (0, 2, 320), (3, 0, 160)]
    engine = FlowLevel(Torus(4, 4))
    engine.add(messages(rows))
    engine.finish()
    assert engine.delivered.tolist() == [161, 160 + 320 + 2, 161]
    engine = FlowLevel(Mesh(4, 4), in_turn=False)
    engine.add(messages([(0, 1, 160), (0, 4, 320)]))
    engine.finish()
    # Half a phit a cycle each; the longer one gets all after 320 cycles.
    assert engine.delivered.tolist() == [321, 320 + 160 + 1]


@pytest.mark.parametrize(("network", "routing"), NETWORKS)
@pytest.mark.parametrize("in_turn", [True, False])
def test_rates_are_max_min_fair(network: Network, routing: str, in_turn: bool) -> None:
    """No link is overfull, and each flow is among the fastest of some full link."""
    engine = FlowLevel(network, routing=routing, in_turn=in_turn)
    n = engine.processors
    given = load(n, 6 * n, 1, seed=2)
    engine.add(given)
    for _ in range(4):
        engine.run(until=engine.time + 50)
        found = engine.rates
        flows = engine._flows
        used = np.zeros(engine._lines)
        fastest = np.zeros(engine._lines)
        entries = {}
        shared = np.zeros(engine._lines)
        for i, rate in found.items():
            pair = flows.route[i]
            rows = slice(flows.first[pair], flows.first[pair + 1])
            entries[i] = flows.links[rows]
            used[entries[i]] += rate * flows.shares[rows]
            fastest[entries[i]] = np.maximum(fastest[entries[i]], rate)
            shared[entries[i]] += 1
        used /= np.where(shared > 1, flows.together, 1)
        assert (used < 1 + 1e-9).all()
        for i, rate in found.items():
            full = entries[i][used[entries[i]] > 1 - 1e-9]
            assert (fastest[full] <= rate * (1 + 1e-9)).any()


@pytest.mark.parametrize(("network", "routing"), NETWORKS)
def test_latency_and_loads_are_those_of_packets(network: Network, routing: str) -> None:
    """One message at a time; and all together, whose phits cross the same links."""
    n = CutThrough(network, routing=routing).processors
    if routing != "valiant":
        pairs = [(u, v, 16 * (1 + (u + v) % 5)) for u in range(n) for v in range(n)]
        chain = [(i, i + 1) for i in range(len(pairs) - 1)]
        times = []
        for kind in (CutThrough, FlowLevel):
            engine = kind(network, routing=routing)
            engine.add(messages(pairs, chain))
            engine.finish()
            times.append(engine.delivered.tolist())
        assert times[0] == times[1]
    loads = []
    for kind in (CutThrough, FlowLevel):
        engine = kind(network, routing=routing)
        engine.add(load(n, 4000, 1, seed=3))
        engine.finish()
        loads.append(engine.carried)
    packets, flows = loads
    if routing in ("dimension-order", "minimal") or network == NETWORKS[5][0]:
        assert (packets == flows).all()
    elif routing == "valiant":  # a mean over switches against one draw per packet
        assert flows.sum() == pytest.approx(packets.sum(), rel=0.02)
    else:  # all ways are shortest
        assert flows.sum() == pytest.approx(packets.sum(), abs=len(flows))


def permutation(n: int, seed: int) -> Messages:
    target = np.random.default_rng(seed).permutation(n)
    return messages([(u, int(v), 1024) for u, v in enumerate(target)])


@pytest.mark.parametrize(
    ("network", "routing", "low", "high"),
    [
        (Torus(8, 8), "dimension-order", 0.6, 1.15),
        (Torus(8, 8), "adaptive", 0.85, 1.55),
        (dragonfly_network(4, 2, 2), "minimal", 0.75, 1.25),
        (KaryTree(4, 3), "adaptive", 0.45, 1.2),
    ],
)
def test_times_differ_from_those_of_packets_by_a_stated_ratio(
    network: Network, routing: str, low: float, high: float
) -> None:
    place = np.random.default_rng(1).permutation(64).tolist()
    made: list[Workload] = [
        workload(name, 64, 1024) for name in ("n-to-n", "all-to-all")
    ]
    loads = [one.on(place) for one in (*made, workload("2M", 64, 4096))]
    loads += [permutation(64, seed) for seed in range(3)]
    for given in loads:
        times = []
        for kind in (CutThrough, FlowLevel):
            engine = kind(network, routing=routing)
            engine.add(given)
            times.append(engine.finish())
        assert low < times[1] / times[0] < high


def test_adding_at_a_cycle_equals_releasing_then() -> None:
    parts = [load(16, 60, 100, seed) for seed in range(8)]
    begins = [41 * i for i in range(8)]
    whole = FlowLevel(Torus(4, 4))
    rows = [
        (p.source, p.target, p.length, p.release + t)
        for p, t in zip(parts, begins, strict=True)
    ]
    source, target, length, release = map(np.concatenate, zip(*rows, strict=True))
    whole.add(Messages(source, target, length, release, NONE, NONE))
    whole.finish()
    engine = FlowLevel(Torus(4, 4))
    ended = []
    for job, (part, begin) in enumerate(zip(parts, begins, strict=True)):
        while engine.time < begin:
            ended += engine.run(until=begin)
        engine.add(part, job)
    while jobs := engine.run():
        ended += jobs
    assert sorted(ended) == list(range(8))
    assert np.abs(engine.delivered - whole.delivered).max() <= 1  # rounding of cycles
    assert engine.delivered.max() == whole.delivered.max()


def test_the_source_gives_the_same_answers() -> None:
    for network, routing in NETWORKS:
        figures = []
        for source in (False, True):
            engine = FlowLevel(network, routing=routing)
            engine.add(load(engine.processors, 40, 100, seed=1))
            if source:
                with interpreted():
                    engine.finish()
            else:
                engine.finish()
            figures.append((engine.delivered.tolist(), engine.carried.tolist()))
        assert figures[0] == figures[1]


def test_bad_input_is_refused_in_one_line() -> None:
    with pytest.raises(InputError, match="routing: must be one of adaptive"):
        FlowLevel(Torus(4), routing="valiant")
    with pytest.raises(InputError, match=r"target\[0\]: there are only 4"):
        FlowLevel(Torus(4)).add(messages([(0, 4, 1)]))
