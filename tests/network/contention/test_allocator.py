"""The allocator that knows what running jobs put on links, and its search."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import closeknit as ck
from closeknit.cli.app import run as closeknit
from closeknit.extensions import INSTALLED
from closeknit.heuristics.allocation.allocator import Allocation
from closeknit.instances import (
    InputError,
    IntArray,
    Mesh,
    Points,
    Topology,
    Torus,
    Tree,
)
from closeknit.instances.ksubset.graph_generators import dragonfly_network
from closeknit.methods.allocators.table import allocator, names
from closeknit.network.contention.allocator import Contention, ports
from closeknit.network.contention.annealing import Annealing
from closeknit.network.contention.instance import usual_reserve
from closeknit.network.loads import LoadTable, Routes
from closeknit.papers.hops_or_seconds.machines import MACHINES, fat_tree

TREE = Tree((-1, 0, 0, 1, 1, 2, 2, 2), (0, 2, 1, 1, 1, 1, 1, 1), (3, 4, 5, 6, 7))
NETWORKS: tuple[Topology, ...] = (
    *(Mesh(7), Mesh(3, 4), Torus(4, 4), Torus(2, 3, 2), Mesh(1, 1)),
    *(dragonfly_network(2, 2, 1), TREE),
)
Floats = npt.NDArray[np.float64]
TABLES = [LoadTable(Routes(network)) for network in NETWORKS]
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["allocate", "allocate", "told", "release", "hold"]),
        st.integers(0, 2**20),
    ),
    max_size=12,
)


def traffic_of(k: int, draw: int) -> IntArray:
    """Make up what k tasks send; sometimes nothing."""
    units = np.random.default_rng(draw).integers(0, 4, (k, k)) * (draw % 5 > 0)
    np.fill_diagonal(units, 0)
    return units


def play(
    one: Contention, steps: list[tuple[str, int]]
) -> tuple[list[tuple[Allocation, IntArray | None, bool]], list[list[int]]]:
    """Let steps happen; return what is still held, sends or not, and all answers."""
    held: list[tuple[Allocation, IntArray | None, bool]] = []
    answers = []
    for what, x in steps:
        if what == "release" and held:
            one.release(held.pop(x % len(held))[0])
        elif what == "hold" and one.free:
            some = np.flatnonzero(one.idle)[:: 1 + x % 3][:2]
            held.append((one.hold(some.tolist()), None, False))
        elif what in ("allocate", "told"):
            k = 1 + x % len(one.places)
            traffic = traffic_of(k, x) if what == "told" else None
            one.expect(traffic)
            idle, free = one.idle.copy(), one.free
            look = one.find(k)
            grant = one.allocate(k)
            assert (grant is None) == (look is None) == (k > free)
            if grant is None:
                one.expect(None)
                continue
            assert look is not None
            assert look.used.tolist() == grant.used.tolist()
            assert idle[grant.used].all()
            assert len({*grant.used.tolist()}) == k
            assert one.free == free - k == one.idle.sum()
            held.append((grant, traffic, True))
            answers.append(grant.used.tolist())
    return held, answers


@settings(max_examples=40, deadline=None)
@given(at=st.integers(0, len(NETWORKS) - 1), steps=STEPS, seed=st.integers(0, 3))
def test_any_history_ends_as_it_began(
    at: int, steps: list[tuple[str, int]], seed: int
) -> None:
    """Never a busy processor; same seed, same answers; nothing is left behind."""
    said = []
    for _ in range(2):
        one = Contention(NETWORKS[at], seed=seed, table=TABLES[at], steps=40)
        began = one.state()
        held, answers = play(one, steps)
        said.append(answers)
        use = np.zeros(len(TABLES[at].routes.links))
        for grant, traffic, sends in held:
            if sends:
                use = use + ports(TABLES[at], grant.used, traffic)
        assert one.background == pytest.approx(use)
        state = one.state()
        if any(sends for _, _, sends in held):
            assert state != Contention(NETWORKS[at], table=TABLES[at]).state()
        for grant, _, _ in held:
            one.release(grant)
        assert one.state() == began
        assert not one.background.any()
    assert said[0] == said[1]


@pytest.mark.parametrize(("power", "reserve"), [(2, 1), (4, 0), (0, 0)])
def test_choices_are_nearly_the_best_and_never_worse_than_the_start(
    power: int, reserve: int
) -> None:
    """Against all choices, each priced link by link."""
    tried, missed = 0, 0
    for seed in range(100):
        random = np.random.default_rng(seed)
        at = int(random.integers(len(NETWORKS)))
        table, places = TABLES[at], len(TABLES[at].routes.stop)
        free = np.flatnonzero(random.random(places) < 0.7)
        if not len(free):
            continue
        k = int(random.integers(1, 1 + min(4, len(free))))
        use = random.random(len(table.routes.links))
        traffic = traffic_of(k, seed) if seed % 2 else None

        def price(
            some: tuple[int, ...],
            table: LoadTable = table,
            before: Floats = use + reserve,
            traffic: IntArray | None = traffic,
        ) -> float:
            own = ports(table, np.array(some), traffic)
            if power:
                return float(((before + own) ** power - before**power).sum())
            return float((before + own)[own > 0].max(initial=0))

        start = np.sort(random.choice(free, k, replace=False))
        found = Annealing(table, [1.0] * len(use)).choose(
            [start],
            free,
            background=use,
            power=power,
            reserve=reserve,
            traffic=traffic,
            seed=seed,
        )
        assert {*found.tolist()} <= {*free.tolist()}
        assert found.tolist() == sorted({*found.tolist()})
        assert len(found) == k
        got = price(tuple(found.tolist()))
        if power:
            assert got <= price(tuple(start.tolist())) * (1 + 1e-9)
        least = min(price(some) for some in combinations(free.tolist(), k))
        tried, missed = tried + 1, missed + (got > least * 1.001 + 1e-9)
    # the eighth powers, which stand for the busiest link, are not least with it
    assert missed <= tried * (0.03 if power else 0.4)


def test_of_choices_alike_that_of_the_pair_sum_is_taken() -> None:
    """A job that fits below one switch loads no link, whichever that is."""
    tree = Tree(
        (-1, *[0] * 3, *(1 + i // 4 for i in range(12))),
        (0, *[1] * 15),
        tuple(range(4, 16)),
    )
    one = Contention(tree)
    near = allocator("mm-inc", tree)
    for machine in (one, near):
        machine.hold([0, 1, 5])
    for k in (2, 3, 4):
        a, b = one.allocate(k), near.allocate(k)
        assert a is not None
        assert b is not None
        assert a.used.tolist() == sorted(b.used.tolist())
    assert not one.background.any()


def test_a_job_keeps_away_from_links_in_use() -> None:
    """Two pairs on a line: the second is not put where the first one sends."""
    one = Contention(Mesh(9), reserve=0)
    one.hold([1, 3, 5, 6, 7])  # free: 0, 2, 4, 8
    first = one.allocate(2)
    assert first is not None
    assert first.used.tolist() == [0, 2]
    one.release(first)
    one.expect(np.array([[0, 9], [9, 0]]))
    other = Contention(Mesh(9), table=one.table, reserve=0)
    other.hold([0, 3, 4, 5, 6, 7, 8])
    busy = other.allocate(2)  # 1 and 2 send to each other
    assert busy is not None
    one._sent[-1] = 10 * other.background
    again = one.allocate(2)
    assert again is not None
    assert again.used.tolist() == [2, 4]


def test_what_a_job_sends_has_its_size() -> None:
    one = Contention(Mesh(2, 3))
    one.expect(np.ones((3, 3), np.int64))
    with pytest.raises(InputError, match=r"traffic: must be from 4 tasks"):
        one.allocate(4)
    assert one.free == 6
    assert one.allocate(3) is not None
    assert one.allocate(2) is not None  # all to all again


def test_parts_add_allocators_by_name() -> None:
    assert "contention" in names()
    assert isinstance(allocator("contention", Mesh(2, 2), seed=3), Contention)
    assert INSTALLED["network"].allocators
    with pytest.raises(InputError) as refused:
        allocator("contention", Points(((0, 0), (3, 1))))
    assert str(refused.value) == "topology: has no links: 'points'"


def test_streams_are_simulated_with_it(capsys: pytest.CaptureFixture[str]) -> None:
    words = "simulate stream --method contention,mm-inc --shape 6x6 --kind torus"
    words += " --network cut-through --requests 30 --interarrival 40 --size 4096"
    assert closeknit(words.split()) == 0
    shown = capsys.readouterr().out
    assert "contention" in shown
    flows = [line.split()[1] for line in shown.splitlines() if "mean_flow" in line]
    assert len(set(flows)) == 2


def test_the_usual_reserve_is_what_shares_a_link() -> None:
    """One port on grids and dragonflies; on fat-trees hosts of a leaf to a cable."""

    def reserve(network: Topology, width: float = 1.0) -> int:
        routes = Routes(network)
        return usual_reserve(routes.stop, dict.fromkeys(routes.links, width))

    trees = [MACHINES["fat-tree 2:1"].network, MACHINES["fat-tree 4:1"].network]
    assert [reserve(tree) for tree in trees] == [2, 4]
    assert [reserve(tree, 0.75) for tree in trees] == [3, 6]
    for network in (Mesh(1, 1), Mesh(7), Mesh(3, 4), Torus(4, 4), Torus(2, 3, 2)):
        assert reserve(network) == 1
    assert reserve(dragonfly_network(2, 2, 1)) == 1
    assert reserve(fat_tree(2, 6, 1)) == 6
    assert reserve(fat_tree(2, 6, 9)) == 1
    for widths in permutations((0.2, 0.7, 0.1)):  # which add up to one port
        some = {(v, 9): wide for v, wide in enumerate(widths)}
        assert usual_reserve((0, 1, 2), some) == 3


def test_the_reserve_is_the_usual_one_unless_it_is_given() -> None:
    network = fat_tree(2, 6, 2)
    assert Contention(network).reserve == 3
    assert Contention(network, reserve=1).reserve == 1
    assert Contention(network, capacity=[3.0] * 8).reserve == 1
    own = ck.contention(network, 4, purpose="stream")
    assert own.reserve == 3
    assert ck.contention(network, 4).reserve == 0
    wide = [(u, v, 2 * own.unit, 0) for u, v in own.routes.links]
    assert ck.contention(network, 4, purpose="stream", links=wide).reserve == 2
