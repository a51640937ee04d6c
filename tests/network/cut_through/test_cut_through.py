"""Virtual cut-through: latencies, conservation, determinism, deadlock."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import nullcontext
from itertools import pairwise, permutations, product

import numpy as np
import pytest

from closeknit.instances import Graph, InputError, Mesh, Torus
from closeknit.instances.ksubset.graph_generators import (
    dragonfly_network,
    hypercube_network,
    random_regular_network,
)
from closeknit.network.cut_through.engine import CutThrough
from closeknit.network.engine import Deadlock, Network
from closeknit.network.kary_tree import KaryTree
from closeknit.network.messages import Messages, messages
from closeknit.solvers.running.kernels import interpreted

from ..loads import NONE, deliver

PHITS = 16
NETWORKS: list[tuple[Network, str]] = [
    (Torus(8, 8), ""),
    (Torus(5, 4, 3), ""),
    (Torus(8, 8), "dimension-order"),
    (Mesh(6, 5), ""),
    (KaryTree(4, 3), ""),
    (KaryTree(2, 5), ""),
    (dragonfly_network(4, 2, 2), ""),
    (dragonfly_network(4, 2, 2), "drawn"),
    (dragonfly_network(4, 2, 2), "valiant"),
    (hypercube_network(5), "valiant"),
    (random_regular_network(24, 3, seed=4), "drawn"),
]


def drawn_load(
    processors: int, count: int, longest: int, span: int, seed: int
) -> Messages:
    """Draw independent messages."""
    draw = np.random.default_rng(seed)
    return Messages(
        draw.integers(0, processors, count),
        draw.integers(0, processors, count),
        draw.integers(1, longest + 1, count),
        draw.integers(0, span, count),
        NONE,
        NONE,
    )


def one_by_one(engine: CutThrough, pairs: list[tuple[int, int, int]]) -> np.ndarray:
    """Return the latencies of messages of so many packets in an empty network."""
    rows = [(u, v, PHITS * m) for u, v, m in pairs]
    deliver(engine, messages(rows, list(pairwise(range(len(rows))))))
    return np.asarray(engine.delivered - engine.sent)


@pytest.mark.parametrize(
    ("network", "routing"),
    [
        *product(
            (Torus(8, 8), Mesh(5, 7), Torus(3, 2, 4), Torus(9)),
            ("adaptive", "dimension-order"),
        ),
        *product((KaryTree(4, 3), KaryTree(2, 5), KaryTree(7, 1)), [""]),
        *product(
            (dragonfly_network(4, 2, 2), random_regular_network(24, 3, seed=4)),
            ("minimal", "drawn"),
        ),
    ],
)
def test_latency_of_every_pair(network: Network, routing: str) -> None:
    places = list(network.locations())
    pairs = [
        (u, v, 1 + (7 * u + 3 * v) % 9) for u, v in permutations(range(len(places)), 2)
    ]
    found = one_by_one(CutThrough(network, routing=routing), pairs)
    injection = isinstance(network, KaryTree)  # which is no link of the engine
    hops = [network.distance(places[u], places[v]) - injection for u, v, _ in pairs]
    wanted = [far + PHITS * m for far, (_, _, m) in zip(hops, pairs, strict=True)]
    assert found.tolist() == wanted


def test_latency_through_a_drawn_switch() -> None:
    """A packet takes the links to some switch and from there, and no more."""
    graph = dragonfly_network(4, 2, 2)
    places = list(graph.locations())
    n = len(places)
    pairs = [(u, (u + 1 + 7 * i) % n, 1) for u in range(n) for i in range(9)]
    pairs = [(u, v, m) for u, v, m in pairs if u != v]
    engine = CutThrough(graph, routing="valiant", seed=3)
    hops = one_by_one(engine, pairs) - PHITS
    assert hops.sum() == engine.carried.sum() // PHITS
    switches = [v for v in range(graph.nodes) if v not in graph.processors]
    longer = 0
    for (u, v, _), found in zip(pairs, hops.tolist(), strict=True):
        ways = {
            graph.distance(places[u], (s,)) + graph.distance((s,), places[v])
            for s in switches
        }
        assert found in ways
        longer += found > min(ways)
    assert longer > len(pairs) // 2


def test_lengths_of_edges_choose_the_way() -> None:
    ring = Graph(4, ((0, 1, 5), (1, 2, 1), (2, 3, 1), (0, 3, 1)), (0, 1, 2, 3))
    assert one_by_one(CutThrough(ring), [(0, 1, 1)]).tolist() == [3 + PHITS]


def test_trees_as_they_are_for_other_methods() -> None:
    """A tree of one link per edge: every packet crosses the edges on its path."""
    given = drawn_load(9, 300, 60, 50, seed=1)
    engine = deliver(CutThrough(KaryTree(3, 2).as_tree()), given)
    ends = engine.channels()[0][1].tolist()
    packets = -(-given.length // PHITS)
    below = {u: {u} for u in range(9)} | {
        9 + i: set(range(3 * i, 3 * i + 3)) for i in range(3)
    }
    for (u, v), phits in zip(ends, engine.carried.tolist(), strict=True):
        child, rises = (
            (u, True) if u in below and (v not in below or v > u) else (v, False)
        )
        inside = [
            (int(p) in below[child], int(q) in below[child])
            for p, q in zip(given.source, given.target, strict=True)
        ]
        crosses = [a and not b if rises else b and not a for a, b in inside]
        assert phits == PHITS * packets[crosses].sum()


@pytest.mark.parametrize(("network", "routing"), NETWORKS)
@pytest.mark.parametrize("span", [1, 3000])
def test_what_is_sent_arrives_whatever_the_order_of_processing(
    network: Network, routing: str, span: int
) -> None:
    figures = []
    for backwards in (False, True):
        engine = CutThrough(network, routing=routing, seed=5, backwards=backwards)
        given = drawn_load(engine.processors, 3000, 200, span, seed=1)
        deliver(engine, given)
        far = given.source != given.target
        packets = -(-given.length // PHITS)
        assert engine.injected == engine.consumed == packets[far].sum()
        assert (engine.delivered >= engine.sent + far * PHITS * packets).all()
        assert (engine.sent == given.release).all()
        figures.append((engine.delivered, engine.carried))
    for one, other in zip(*figures, strict=True):
        assert (one == other).all()


def test_another_seed_draws_other_ways() -> None:
    ends = set()
    for seed in (0, 0, 1):
        engine = CutThrough(KaryTree(4, 3), seed=seed)
        assert [name for name, _ in engine.channels()] == ["up", "down", "ejection"]
        ends.add(deliver(engine, drawn_load(64, 3000, 200, 1, seed=1)).time)
    assert len(ends) == 2


@pytest.mark.slow
@pytest.mark.parametrize(("network", "routing"), NETWORKS)
def test_no_deadlock_beyond_saturation(network: Network, routing: str) -> None:
    for seed in range(10):
        engine = CutThrough(network, routing=routing, seed=seed)
        deliver(engine, drawn_load(engine.processors, 15_000, 1000, 1, seed))
        assert engine.injected == engine.consumed


@pytest.mark.parametrize("sides", [(4, 4), (6, 3), (3, 3, 3)])
def test_no_deadlock_where_rings_are_short_of_room(sides: tuple[int, ...]) -> None:
    """Two slots a queue, and only dimension order: the least that the bubble needs."""
    for routing in ("adaptive", "dimension-order"):
        for seed in range(4):
            engine = CutThrough(Torus(sides), routing=routing, queue=2)
            deliver(engine, drawn_load(engine.processors, 6000, 100, 1, seed))
            assert engine.injected == engine.consumed


def test_the_watchdog_names_packets_that_block_each_other() -> None:
    """Without the bubble all packets of a ring wait for the next one."""
    rows = [(u, (u + 3) % 8, 64 * PHITS) for u in range(8)]
    sound = deliver(CutThrough(Torus(8), routing="dimension-order"), rows)
    assert sound.consumed == 8 * 64
    engine = CutThrough(Torus(8), routing="dimension-order", bubble=1)
    engine.add(messages(rows))
    with pytest.raises(Deadlock) as caught:
        engine.finish()
    text = str(caught.value)
    assert "\n" not in text
    assert re.match(
        r"deadlock at cycle \d+: 8 messages left, 16 packets block each other: "
        r"packet \d+ of message \d from \d to \d at processor \d since cycle \d+; ",
        text,
    )
    assert engine.consumed < engine.injected


def test_adding_at_a_cycle_equals_releasing_then() -> None:
    """However often a run is interrupted: jobs, cycles, latencies and loads agree."""
    for network in (Torus(4, 4), KaryTree(4, 2), dragonfly_network(2, 2, 1)):
        whole = CutThrough(network, seed=1)
        n = whole.processors
        parts = [drawn_load(n, 80, 100, 1, seed) for seed in range(12)]
        begins = [37 * i for i in range(12)]
        rows = [
            (p.source, p.target, p.length, p.release + t)
            for p, t in zip(parts, begins, strict=True)
        ]
        source, target, length, release = map(np.concatenate, zip(*rows, strict=True))
        deliver(whole, Messages(source, target, length, release, NONE, NONE))
        engine = CutThrough(network, seed=1)
        ended = []
        for job, (part, begin) in enumerate(zip(parts, begins, strict=True)):
            while engine.time < begin:
                ended += [(engine.time, j) for j in engine.run(until=begin)]
            engine.add(part, job)
        while jobs := engine.run():
            ended += [(engine.time, j) for j in jobs]
        assert (engine.delivered == whole.delivered).all()
        assert (engine.carried == whole.carried).all()
        last = [int(part.max()) for part in np.split(whole.delivered, 12)]
        assert sorted(ended) == sorted((t, j) for j, t in enumerate(last))


def test_idle_cycles_are_skipped_however_many() -> None:
    """A late message arrives as an early one does, and a delivery releases at once."""
    late = 10**15
    engine = CutThrough(Torus(8, 8))
    rows = [(0, 9, 40), (9, 0, 40), (0, 0, 7), (3, 4, 16)]
    engine.add(messages(rows, [(0, 1), (1, 2), (2, 3)], release=[late, 0, 0, 0]))
    assert engine.run() == [0]
    there = late + 2 + 3 * PHITS
    assert engine.sent.tolist() == [late, there, there + 50, there + 50]
    assert engine.delivered.tolist() == [there, there + 50, there + 50, there + 50 + 17]
    assert engine.run(until=2 * late) == []
    assert engine.time == 2 * late
    engine.add(messages([(0, 1, 1)]), job=7)
    assert (engine.run(), engine.time) == ([7], 2 * late + 17)


def test_jobs_end_together_and_without_messages() -> None:
    engine = CutThrough(Torus(4, 4))
    engine.add(messages([(0, 1, 16)]), job=9)
    engine.add(messages([(2, 3, 16), (5, 5, 1)]), job=4)
    engine.add(messages([]), job=6)
    engine.add(messages([]), job=9)
    assert engine.run() == [6]
    assert (engine.run(), engine.time) == ([4, 9], 17)
    assert (engine.run(), engine.time) == ([], 17)


def test_the_source_gives_the_same_answers() -> None:
    for network, routing in NETWORKS:
        figures = []
        for context in (nullcontext(), interpreted()):
            engine = CutThrough(network, routing=routing, seed=2)
            with context:
                deliver(engine, drawn_load(engine.processors, 60, 100, 100, seed=1))
            figures.append((engine.delivered.tolist(), engine.carried.tolist()))
        assert figures[0] == figures[1]


RING = Graph(5, tuple((v, (v + 1) % 5, 1) for v in range(5)), (0, 1, 2, 3, 4))
CLOCKWISE = np.tile((np.arange(5) + 1) % 5, (5, 1))


def around(hop: int) -> Callable[[], object]:
    """Let what processor 0 has for 3 go from node 1 to another one than 2."""
    table = CLOCKWISE.copy()
    table[3, 1] = hop
    return lambda: CutThrough(RING, table=table)


def test_routes_of_a_table_are_followed() -> None:
    """Clockwise only, on a ring of five."""
    pairs = [(u, v, 2) for u, v in permutations(range(5), 2)]
    found = one_by_one(CutThrough(RING, table=CLOCKWISE), pairs)
    assert found.tolist() == [(v - u) % 5 + 2 * PHITS for u, v, _ in pairs]
    crowded = CutThrough(RING, table=CLOCKWISE)
    deliver(crowded, drawn_load(5, 3000, 100, 1, seed=1))
    assert crowded.injected == crowded.consumed


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            around(-1),
            "table: processor 0 has no route to 3: packets do not get past node 1",
        ),
        (around(0), "processor 0 has no route to 3"),
        (around(3), "table[3][1]: must be a neighbour of node 1, not 3"),
        (
            lambda: CutThrough(RING, table=CLOCKWISE[:2]),
            "table: must be integers of shape (5, 5)",
        ),
        (
            lambda: CutThrough(Torus(4), table=CLOCKWISE),
            "table: only graphs and trees take one",
        ),
        (
            lambda: CutThrough(RING, routing="shortest"),
            "routing: must be one of minimal, drawn, valiant, not 'shortest'",
        ),
        (
            lambda: CutThrough(KaryTree(2, 2), routing="valiant"),
            "routing: must be one of adaptive",
        ),
        (lambda: CutThrough(Torus(4), seed=-1), "seed: must lie between 0"),
        (lambda: CutThrough(Torus(4), bubble=5), "bubble: must lie between 1 and 4"),
        (lambda: CutThrough(Torus(2**22)), "topology: the queues would hold more"),
        (lambda: KaryTree(1, 3), "topology.k: must be at least 2"),
        (lambda: KaryTree(4, 11), "topology: must have at most 2^20 processors"),
        (
            lambda: deliver(CutThrough(Torus(4)), [(0, 4, 1)]),
            "target[0]: there are only 4",
        ),
        (
            lambda: deliver(CutThrough(Torus(4)), [(0, 1, 1), (0, 1, 2**40)]),
            "length[1]: must be at most 1073741824 packets of 16 phits, not 10995116",
        ),
    ],
)
def test_bad_input_is_refused_in_one_line(
    call: Callable[[], object], text: str
) -> None:
    with pytest.raises(InputError) as caught:
        call()
    assert text in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_switch_of_more_links_than_bits() -> None:
    """Links of a vertex that share a bit change no result: a star of 200 hosts."""
    star = Graph(201, tuple((0, v, 1) for v in range(1, 201)), tuple(range(1, 201)))
    rows = [(u, (u + 71) % 200, 160) for u in range(200)]
    assert deliver(CutThrough(star), rows).time == 2 + 160


def test_the_tree_of_a_kary_tree_has_its_distances() -> None:
    for network in (KaryTree(4, 3), KaryTree(2, 4), KaryTree(5, 1)):
        tree = network.as_tree()
        places = list(network.locations())
        assert list(tree.locations()) == places
        for p in places:
            for q in places:
                assert tree.distance(p, q) == network.distance(p, q)
