"""What everyone who hands out processors must hold to, whatever it does inside."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.heuristics.allocation.allocator import Allocation, Allocator
from closeknit.instances import InputError, KSubset, Mesh, Points, Topology, Torus, Tree
from closeknit.methods import KSUBSET
from closeknit.methods.allocators.table import STRATEGIES, allocator, names
from closeknit.solvers import Settings

WRAPPED = ("mm-inc", "mc1x1", "random", "row-major")
"""Some methods for k-subsets, as allocators."""

SHAPES = ((7, 13), (1, 9), (6, 1), (5, 4, 3), (8, 8), (11,), (1, 1), (2, 3, 2, 2))
NETWORKS: tuple[Topology, ...] = (
    *(kind(shape) for kind in (Mesh, Torus) for shape in SHAPES),
    Tree((-1, 0, 0, 1, 1, 2, 2, 2), (0, 2, 1, 1, 1, 1, 1, 1), (3, 4, 5, 6, 7)),
    Tree((2, 4, 4, 2, -1, 0), (1, 1, 3, 1, 0, 1), (0, 1, 3, 4, 5)),
    Points(((0, 0), (0, 0), (3, 1), (7, 7))),
)

WAIT: dict[str, str] = {}
"""Who may have a job wait though enough processors are idle, and why."""


@cache
def networks(name: str, *, most: int = 100) -> list[Topology]:
    """Return the networks, of at most so many processors, that one is defined for."""
    return [
        topology
        for topology in NETWORKS
        if not _why_not(name, topology) and len(list(topology.locations())) <= most
    ]


def _why_not(name: str, topology: Topology) -> str | None:
    if name in STRATEGIES:
        return STRATEGIES[name].refuses(topology)
    refuses = KSUBSET[name].refuses
    places = tuple(topology.locations())
    return refuses(KSubset("whole", topology, places, 1)) if refuses else None


by_name = pytest.mark.parametrize("name", [*STRATEGIES, *WRAPPED])


Step = tuple[str, int, int]
STEPS: st.SearchStrategy[list[Step]] = st.lists(
    st.tuples(
        st.sampled_from(["allocate", "allocate", "shaped", "release", "hold"]),
        st.integers(0, 2**20),
        st.integers(0, 2**20),
    ),
    max_size=14,
)
"""What happens, and two numbers that say to whom."""


def play(
    one: Allocator, steps: list[Step], look: Callable[[Allocation, int], None]
) -> list[Allocation]:
    """Let steps happen; return what is still held. ``look`` is shown every grant."""
    held: list[Allocation] = []
    for what, x, y in steps:
        if what == "release" and held:
            one.release(held.pop(x % len(held)))
        elif what == "hold" and one.free:
            numbers = np.flatnonzero(one.idle)
            some = numbers[:: 1 + y % 7][: 1 + x % 5]
            grant = one.hold(some.tolist())
            assert grant.held.tolist() == some.tolist()
            held.append(grant)
        elif what in ("allocate", "shaped"):
            k = 1 + x % (len(one.places) + 1)
            k = 1 + y % k  # small ones more often
            shape = None
            if what == "shaped":
                d = one.topology.dimension
                shape = [1 + (x + y * axis) % 4 for axis in range(d)]
                k = min(k, int(np.prod(shape)))
            given = serve(one, k, shape)
            if given is not None:
                look(given, k)
                held.append(given)
    return held


def serve(one: Allocator, k: int, shape: list[int] | None) -> Allocation | None:
    """Allocate, and check what is given against what was idle."""
    idle, state, free = one.idle.copy(), one.state(), one.free
    grant = one.allocate(k, shape)
    if grant is None:
        assert (one.state(), one.free) == (state, free)
        return None
    assert len(grant.used) == len(set(grant.used.tolist())) == k
    assert idle[grant.held].all()
    assert set(grant.used.tolist()) <= set(grant.held.tolist())
    assert np.all(np.diff(grant.held) > 0)
    idle[grant.held] = False
    assert np.array_equal(one.idle, idle)
    assert one.free == free - len(grant.held) == idle.sum()
    return grant


@by_name
@settings(max_examples=40, deadline=None)
@given(data=st.data(), steps=STEPS)
def test_any_history_ends_as_it_began(
    name: str, data: st.DataObject, steps: list[Step]
) -> None:
    one = allocator(name, data.draw(st.sampled_from(networks(name))))
    began = one.state()
    for grant in play(one, steps, lambda grant, k: None):
        one.release(grant)
    assert one.state() == began
    assert one.idle.all()
    assert one.free == len(one.places) == one.idle.sum()


@by_name
@settings(max_examples=20, deadline=None)
@given(data=st.data(), steps=STEPS, seed=st.integers(0, 3))
def test_same_seed_same_answers(
    name: str, data: st.DataObject, steps: list[Step], seed: int
) -> None:
    topology = data.draw(st.sampled_from(networks(name)))
    said: list[list[list[int]]] = []
    for _ in range(2):
        answers: list[list[int]] = []
        play(
            allocator(name, topology, seed=seed),
            steps,
            lambda grant, k, to=answers: to.extend(  # type: ignore[misc]
                [grant.used.tolist(), grant.held.tolist()]
            ),
        )
        said.append(answers)
    assert said[0] == said[1]


@pytest.mark.parametrize("name", [*STRATEGIES, *WRAPPED[:2]])
@settings(max_examples=30, deadline=None)
@given(data=st.data(), steps=STEPS, k=st.integers(1, 100))
def test_looking_changes_nothing(
    name: str, data: st.DataObject, steps: list[Step], k: int
) -> None:
    one = allocator(name, data.draw(st.sampled_from(networks(name))))
    play(one, steps, lambda grant, k: None)
    state = one.state()
    found = one.find(k)
    assert one.state() == state
    given = one.allocate(k)
    assert (found is None) == (given is None)
    if found is not None and given is not None:
        assert found.used.tolist() == given.used.tolist()
        assert found.held.tolist() == given.held.tolist()
    elif name not in WAIT:
        assert k > one.free


@by_name
def test_takes_jobs_until_nothing_is_left(name: str) -> None:
    for topology in networks(name):
        one = allocator(name, topology)
        everything = one.allocate(len(one.places))
        assert everything is not None
        assert sorted(everything.used.tolist()) == list(range(len(one.places)))
        assert one.free == 0
        assert one.allocate(1) is None
        one.release(everything)
        held = 0
        while (grant := one.allocate(1)) is not None:
            held += len(grant.held)
        assert one.free == 0
        assert held == len(one.places)


@pytest.mark.parametrize("name", STRATEGIES)
def test_decides_as_a_method_what_it_allocates(name: str) -> None:
    for topology in networks(name):
        one = allocator(name, topology, seed=3)
        busy = range(0, len(one.places), 3)
        one.hold(busy)
        if not one.free:
            continue
        places = np.flatnonzero(one.idle)
        free = tuple(one.places[i] for i in places)
        k = (len(free) + 1) // 2
        grant = one.find(k)
        result = KSUBSET[name](KSubset("asked", topology, free, k), Settings(seed=3))
        assert grant is not None
        assert result.chosen is not None
        assert places[list(result.chosen)].tolist() == sorted(grant.used.tolist())


@pytest.mark.parametrize("name", STRATEGIES)
def test_refuses_other_networks_in_one_line(name: str) -> None:
    for topology in NETWORKS:
        if (why := STRATEGIES[name].refuses(topology)) is None:
            continue
        with pytest.raises(InputError) as refused:
            allocator(name, topology)
        assert str(refused.value) == f"topology: {why}, not {topology.kind!r}"


@by_name
def test_refuses_bad_requests_in_one_line(name: str) -> None:
    for topology in networks(name, most=12):
        refuses_bad_requests(name, topology)


def refuses_bad_requests(name: str, topology: Topology) -> None:
    one = allocator(name, topology)
    began = one.state()
    d = topology.dimension
    for k, shape, message in (
        (0, None, "k: must be at least 1, not 0"),
        (-3, None, "k: must be at least 1, not -3"),
        (1, [1] * (d + 1), f"shape: must be {d} sides of at least 1 with 1 cells or"),
        (1, [0] * d, f"shape: must be {d} sides of at least 1 with 1 cells or more"),
        (3, [1] * d, f"shape: must be {d} sides of at least 1 with 3 cells or more"),
    ):
        for ask in (one.find, one.allocate):
            with pytest.raises(InputError, match=message):
                ask(k, shape)
    grant = one.hold([0])
    place = list(one.places[0])
    with pytest.raises(InputError) as refused:
        one.hold([0])
    assert str(refused.value) == f"processor: is not idle: {place!r}"
    one.release(grant)
    with pytest.raises(InputError) as refused:
        one.release(grant)
    assert str(refused.value) == f"processor: is not held: {place!r}"
    for number in (-1, len(one.places)):
        with pytest.raises(InputError, match=f"processor: no such processor: {number}"):
            one.hold([number])
    assert one.state() == began


def test_unknown_names_are_refused_in_one_line() -> None:
    with pytest.raises(InputError, match="no such allocator"):
        allocator("hilbert", Mesh((2, 2)))
    assert set(STRATEGIES) <= set(names())


def test_a_processor_named_twice_is_held_once() -> None:
    one = allocator("row", Mesh((2, 2)))
    one.hold([1, 1])
    assert one.free == 3
