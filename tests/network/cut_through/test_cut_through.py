"""Virtual cut-through: latencies, conservation, determinism, deadlock."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest

from closeknit.instances import Graph, Grid, InputError, Mesh, Torus
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

PHITS = 16
NONE = np.zeros(0, np.int64)
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
    chain = list(pairwise(range(len(rows))))
    engine.add(messages(rows, chain))
    engine.finish()
    return np.asarray(engine.delivered - engine.sent)


@pytest.mark.parametrize("routing", ["adaptive", "dimension-order"])
@pytest.mark.parametrize("grid", [Torus(8, 8), Mesh(5, 7), Torus(3, 2, 4), Torus(9)])
def test_latency_of_every_pair_of_a_grid(grid: Grid, routing: str) -> None:
    cells = list(grid.locations())
    n = len(cells)
    pairs = [
        (u, v, 1 + (7 * u + 3 * v) % 9) for u in range(n) for v in range(n) if u != v
    ]
    found = one_by_one(CutThrough(grid, routing=routing), pairs)
    wanted = [grid.distance(cells[u], cells[v]) + PHITS * m for u, v, m in pairs]
    assert found.tolist() == wanted


@pytest.mark.parametrize("tree", [KaryTree(4, 3), KaryTree(2, 5), KaryTree(7, 1)])
def test_latency_of_every_pair_of_a_tree(tree: KaryTree) -> None:
    n = tree.processors
    pairs = [
        (u, v, 1 + (5 * u + 3 * v) % 9) for u in range(n) for v in range(n) if u != v
    ]
    found = one_by_one(CutThrough(tree), pairs)
    wanted = []
    for u, v, m in pairs:
        level = next(
            i
            for i in range(tree.n)
            if u // tree.k**i // tree.k == v // tree.k**i // tree.k
        )
        wanted.append(2 * level + 1 + PHITS * m)
    assert found.tolist() == wanted


@pytest.mark.parametrize("routing", ["minimal", "drawn"])
@pytest.mark.parametrize(
    "graph", [dragonfly_network(4, 2, 2), random_regular_network(24, 3, seed=4)]
)
def test_latency_of_every_pair_of_a_graph(graph: Graph, routing: str) -> None:
    places = list(graph.locations())
    n = len(places)
    pairs = [
        (u, v, 1 + (5 * u + 3 * v) % 6) for u in range(n) for v in range(n) if u != v
    ]
    found = one_by_one(CutThrough(graph, routing=routing), pairs)
    wanted = [graph.distance(places[u], places[v]) + PHITS * m for u, v, m in pairs]
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
    network = KaryTree(3, 2).as_tree()
    engine = CutThrough(network)
    given = drawn_load(9, 300, 60, 50, seed=1)
    engine.add(given)
    engine.finish()
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
        engine.add(given)
        engine.finish()
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
        engine.add(drawn_load(64, 3000, 200, 1, seed=1))
        ends.add(engine.finish())
    assert len(ends) == 2


def test_dimension_order_loads_links_as_counted_by_hand() -> None:
    grid = Torus(6, 5)
    engine = CutThrough(grid, routing="dimension-order")
    given = drawn_load(30, 2000, 100, 1, seed=2)
    engine.add(given)
    engine.finish()
    counts: dict[tuple[int, int], int] = {}
    for u, v, length in zip(given.source, given.target, given.length, strict=True):
        here, there = list(divmod(int(u), 5)), divmod(int(v), 5)
        even = sum(here) % 2 == 0
        for axis, side in enumerate((6, 5)):
            ahead = (there[axis] - here[axis]) % side
            step = 1 if 2 * ahead < side or (2 * ahead == side and even) else -1
            while here[axis] != there[axis]:
                at = 5 * here[0] + here[1]
                here[axis] = (here[axis] + step) % side
                link = at, 5 * here[0] + here[1]
                counts[link] = counts.get(link, 0) + PHITS * -(-int(length) // PHITS)
    ends = engine.channels()[0][1].tolist()
    assert engine.carried.tolist() == [counts.get((u, v), 0) for u, v in ends]


@pytest.mark.parametrize("seed", range(2))
def test_links_down_a_tree_carry_what_goes_below_them(seed: int) -> None:
    tree = KaryTree(3, 3)
    engine = CutThrough(tree, seed=seed)
    given = drawn_load(27, 2000, 100, 1, seed=3)
    engine.add(given)
    engine.finish()
    packets = -(-given.length // PHITS)
    kinds = [name for name, _ in engine.channels()]
    assert kinds == ["up", "down", "ejection"]
    ends = dict(engine.channels())
    carried = dict(
        zip(
            kinds,
            np.split(engine.carried, np.cumsum([len(e) for e in ends.values()])[:-1]),
            strict=True,
        )
    )
    far = given.source != given.target
    for (_, v), phits in zip(ends["ejection"], carried["ejection"], strict=True):
        assert phits == PHITS * packets[far & (given.target == v)].sum()
    # The links into the nine leaf switches, and those into the subtrees of nine.
    for kind, up in (("down", False), ("up", True)):
        for size, level in ((3, 0), (9, 1)):
            into: dict[int, int] = {}
            for (u, v), phits in zip(ends[kind], carried[kind], strict=True):
                lower = int(u if up else v) - 27
                if lower // 9 == level:
                    block = lower % 9 // 3**level
                    into[block] = into.get(block, 0) + int(phits)
            for block, phits in into.items():
                own, other = (
                    given.target // size == block,
                    given.source // size == block,
                )
                if up:
                    own, other = other, own
                assert phits == PHITS * packets[own & ~other].sum()


@pytest.mark.parametrize("routing", ["adaptive", "dimension-order"])
def test_both_ways_across_the_middle_of_a_torus(routing: str) -> None:
    """What goes from one half to the other crosses one of the two cuts between them."""
    engine = CutThrough(Torus(8, 8), routing=routing)
    given = drawn_load(64, 3000, 100, 1, seed=4)
    engine.add(given)
    engine.finish()
    packets = -(-given.length // PHITS)
    ends = engine.channels()[0][1]
    upper = ends // 8 < 4
    for side in (True, False):
        crosses = (upper[:, 0] == side) & (upper[:, 1] != side)
        needs = ((given.source // 8 < 4) == side) & ((given.target // 8 < 4) != side)
        assert engine.carried[crosses].sum() == PHITS * packets[needs].sum()
    # 16 links a direction, one phit a cycle each: no schedule is quicker.
    assert engine.time >= PHITS * packets[needs].sum() // 16


@pytest.mark.slow
@pytest.mark.parametrize(("network", "routing"), NETWORKS)
def test_no_deadlock_beyond_saturation(network: Network, routing: str) -> None:
    for seed in range(10):
        engine = CutThrough(network, routing=routing, seed=seed)
        engine.add(drawn_load(engine.processors, 15_000, 1000, 1, seed))
        engine.finish()
        assert engine.injected == engine.consumed


@pytest.mark.parametrize("sides", [(4, 4), (6, 3), (3, 3, 3)])
def test_no_deadlock_where_rings_are_short_of_room(sides: tuple[int, ...]) -> None:
    """Two slots a queue, and only dimension order: the least that the bubble needs."""
    for routing in ("adaptive", "dimension-order"):
        for seed in range(4):
            engine = CutThrough(Torus(sides), routing=routing, queue=2)
            engine.add(drawn_load(engine.processors, 6000, 100, 1, seed))
            engine.finish()
            assert engine.injected == engine.consumed


def test_the_watchdog_names_packets_that_block_each_other() -> None:
    """Without the bubble all packets of a ring wait for the next one."""
    rows = [(u, (u + 3) % 8, 64 * PHITS) for u in range(8)]
    sound = CutThrough(Torus(8), routing="dimension-order")
    sound.add(messages(rows))
    sound.finish()
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
        whole.add(Messages(source, target, length, release, NONE, NONE))
        whole.finish()
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
        for source in (False, True):
            engine = CutThrough(network, routing=routing, seed=2)
            engine.add(drawn_load(engine.processors, 60, 100, 100, seed=1))
            if source:
                with interpreted():
                    engine.finish()
            else:
                engine.finish()
            figures.append((engine.delivered.tolist(), engine.carried.tolist()))
        assert figures[0] == figures[1]


def test_routes_of_a_table_are_followed() -> None:
    """Clockwise only, on a ring of five."""
    ring = Graph(5, tuple((v, (v + 1) % 5, 1) for v in range(5)), (0, 1, 2, 3, 4))
    table = np.tile((np.arange(5) + 1) % 5, (5, 1))
    pairs = [(u, v, 2) for u in range(5) for v in range(5) if u != v]
    found = one_by_one(CutThrough(ring, table=table), pairs)
    assert found.tolist() == [(v - u) % 5 + 2 * PHITS for u, v, _ in pairs]
    crowded = CutThrough(ring, table=table)
    crowded.add(drawn_load(5, 3000, 100, 1, seed=1))
    crowded.finish()
    assert crowded.injected == crowded.consumed


def test_bad_input_is_refused_in_one_line() -> None:
    ring = Graph(5, tuple((v, (v + 1) % 5, 1) for v in range(5)), (0, 1, 2, 3, 4))
    table = np.tile((np.arange(5) + 1) % 5, (5, 1))
    broken, circle, far = table.copy(), table.copy(), table.copy()
    broken[3, 1] = -1
    circle[3, 1] = 0
    far[3, 1] = 3
    cases: list[tuple[Callable[[], object], str]] = [
        (
            lambda: CutThrough(ring, table=broken),
            "table: processor 0 has no route to 3: packets do not get past node 1",
        ),
        (lambda: CutThrough(ring, table=circle), "processor 0 has no route to 3"),
        (
            lambda: CutThrough(ring, table=far),
            "table[3][1]: must be a neighbour of node 1, not 3",
        ),
        (
            lambda: CutThrough(ring, table=table[:2]),
            "table: must be integers of shape (5, 5)",
        ),
        (
            lambda: CutThrough(Torus(4), table=table),
            "table: only graphs and trees take one",
        ),
        (
            lambda: CutThrough(ring, routing="shortest"),
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
            lambda: CutThrough(Torus(4)).add(messages([(0, 4, 1)])),
            "target[0]: there are only 4",
        ),
        (
            lambda: CutThrough(Torus(4)).add(messages([(0, 1, 1), (0, 1, 2**40)])),
            "length[1]: must be at most 1073741824 packets of 16 phits, not 10995116",
        ),
    ]
    for call, text in cases:
        with pytest.raises(InputError) as caught:
            call()
        assert text in str(caught.value)
        assert "\n" not in str(caught.value)


def test_a_switch_of_more_links_than_bits() -> None:
    """Links of a vertex that share a bit change no result: a star of 200 hosts."""
    star = Graph(201, tuple((0, v, 1) for v in range(1, 201)), tuple(range(1, 201)))
    engine = CutThrough(star)
    rows = [(u, (u + 71) % 200, 160) for u in range(200)]
    engine.add(messages(rows))
    assert engine.finish() == 2 + 160


def test_the_tree_of_a_kary_tree_has_its_distances() -> None:
    for network in (KaryTree(4, 3), KaryTree(2, 4), KaryTree(5, 1)):
        tree = network.as_tree()
        places = list(network.locations())
        assert list(tree.locations()) == places
        for p in places:
            for q in places:
                assert tree.distance(p, q) == network.distance(p, q)
