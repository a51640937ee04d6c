"""Generated processor sets are what their names and the paper say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.instances import InputError, ProcSet
from closeknit.instances.procset.generators import (
    drakenberg_system,
    random_domains,
    random_sets,
    system,
    torus_planes,
)
from closeknit.instances.procset.set_system import SetSystem


def _kind(name: str) -> str:
    """Letters that a set's name starts with, but those of lines within a rack."""
    return name.rstrip("abcd").rstrip("0123456789")


def _members(machine: SetSystem) -> dict[str, list[int]]:
    """Nodes of every set, numbered from 1 as in the paper."""
    return {one.name: [i + 1 for i in one.members] for one in machine.sets}


def test_the_machine_has_the_sets_that_the_paper_counts() -> None:
    machine = system()
    assert len(machine.processors) == 256
    assert len(machine.sets) == 334
    names = [one.name for one in machine.sets]
    kinds = Counter("ps" if n.startswith("ps") else _kind(n) for n in names)
    assert kinds == {"h": 256, "ib": 22, "en": 7, "ps": 41, "pwr": 8}
    for kind in ("ib", "en", "ps", "pwr"):  # each a partition of the nodes
        nodes = [
            i
            for n, held in _members(machine).items()
            if n.startswith(kind)
            for i in held
        ]
        assert sorted(nodes) == list(range(1, 257))


def test_the_machine_is_wired_as_the_paper_says() -> None:
    held = _members(system())
    assert held["ib01"] == list(range(1, 13))
    assert held["ib03"] == list(range(25, 37))
    assert held["ib22"] == [253, 254, 255, 256]
    for rack in range(10):
        at = 25 * rack
        first = [at + i for i in (1, 4, 5, 8, 9, 12, 13)]
        second = [at + i for i in (2, 3, 6, 7, 10, 11)]
        assert held[f"ps{rack + 1:02}a"] == first
        assert held[f"ps{rack + 1:02}b"] == second
    assert held["ps-centre"] == list(range(251, 257))
    assert held["en1"] == list(range(1, 51))
    assert [len(held[f"en{i}"]) for i in range(1, 8)] == [50, 50, 25, 6, 25, 50, 50]
    for name, nodes in held.items():  # a line is fed by one block
        if name.startswith("ps"):
            blocks = [
                block
                for block, fed in held.items()
                if block.startswith("pwr") and set(nodes) <= set(fed)
            ]
            assert len(blocks) == 1


def test_costs_of_the_machine() -> None:
    machine = system()
    costs = {one.name: one.cost for one in machine.sets}
    assert costs["ib01"] == (4, 0, 0, 0, 0)
    assert costs["en1"] == (0, 1, 0, 0, 0)
    assert costs["ps01a"] == (0, 0, 2, 0, 0)
    assert costs["pwr1"] == (0, 0, 0, 4, 0)
    cooling = [costs[f"h{i:03}"][4] for i in range(1, 257)]
    assert len(set(cooling)) == 256
    for rack in range(10):  # dearer upwards
        column = cooling[25 * rack : 25 * rack + 25]
        assert column == sorted(column)
    for up in range(25):  # dearer outwards
        row = cooling[up:250:25]
        assert row[:5] == sorted(row[:5], reverse=True)
        assert row[5:] == sorted(row[5:])
    assert min(cooling) == cooling[250] == 101
    uniform = system(costs="uniform")
    assert {one.cost for one in uniform.sets[:256]} == {(0, 0, 0, 0, 1)}
    assert uniform.sets[256:] == machine.sets[256:]


def test_cores_have_a_level_more() -> None:
    machine = system("core")
    nodes = {one.name: one for one in system().sets}
    assert machine.processors[:9] == (*(f"n001.{i}" for i in range(1, 9)), "n002.1")
    assert machine.hosts[:9] == (0,) * 8 + (1,)
    for one in machine.sets:
        node = nodes[one.name]
        assert one.members == tuple(8 * i + c for i in node.members for c in range(8))
        assert one.cost == (one.name.startswith("h"), *node.cost)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 12), st.integers(0, 25), st.sampled_from(["node", "core"]))
def test_larger_machines_keep_the_rules(
    racks: int, centre: int, granularity: str
) -> None:
    machine = system(granularity, racks=racks, centre=centre)
    hosts = 25 * racks + centre
    assert max(machine.hosts) + 1 == hosts
    own = [one for one in machine.sets if one.name.startswith("h")]
    assert len({one.cost for one in own}) == len(own) == hosts
    for kind in ("ib", "en", "ps", "pwr"):
        nodes = [
            i for one in machine.sets if one.name.startswith(kind) for i in one.members
        ]
        assert sorted(nodes) == list(range(len(machine.processors)))
    machine.ask(1)


def test_the_largest_machine() -> None:
    machine = system(racks=655, centre=9)
    assert len(machine.processors) == 16_384
    costs = [one.cost for one in machine.sets if one.name.startswith("h")]
    assert len(set(costs)) == 16_384


def test_what_is_available() -> None:
    instance = drakenberg_system(48, free=Fraction(2, 5), seed=7)
    assert (instance.n, instance.seed) == (102, 7)
    given_ones = drakenberg_system(2, available=[5, 3, 9])
    assert given_ones.available == (3, 5, 9)
    full = drakenberg_system(9)
    assert (full.n, full.seed) == (256, None)
    core = drakenberg_system(9, granularity="core", free=20, seed=2)
    on = Counter(i // 8 for i in core.available)
    assert set(on.values()) == {8}
    assert len(on) == 20
    half = Fraction(1, 2)
    worn = drakenberg_system(9, granularity="core", free=20, seed=2, partly=half)
    on = Counter(i // 8 for i in worn.available)
    assert len(on) == 20
    assert sum(count < 8 for count in on.values()) == 10
    assert min(on.values()) >= 1


def test_planes() -> None:
    instance = torus_planes((3, 4), 2, costs="levels", private=6, seed=1)
    assert len(instance.sets) == 3 + 4 + 12
    held = {one.name: one for one in instance.sets}
    assert held["axis1=1"].members == (4, 5, 6, 7)
    assert held["axis2=0"].members == (0, 4, 8)
    assert held["axis1=1"].cost == (1, 0, 0)
    assert held["axis2=0"].cost == (0, 1, 0)
    assert {one.cost[2] for one in instance.sets[7:]} <= set(range(1, 7))
    assert instance.processors[5] == "1.1"
    assert torus_planes((3, 4), 2).seed is None
    drawn = torus_planes((9, 9), 2, costs="drawn", seed=3)
    assert {one.cost[0] for one in drawn.sets} <= set(range(1, 10))
    assert len({one.cost for one in drawn.sets}) > 3


def test_domains_and_random_sets() -> None:
    domains = random_domains(30, 2, 7, 9, seed=4)
    sizes = [len(one.members) for one in domains.sets]
    assert sizes == [7, 7, 7, 7, 2] * 2
    for family in (domains.sets[:5], domains.sets[5:]):
        assert sorted(i for one in family for i in one.members) == list(range(30))
    assert domains.seed == 4
    exact = random_sets(30, 9, 4, 6, levels=3, most=2, seed=1)
    assert {len(one.members) for one in exact.sets} == {4}
    assert all(sorted(one.cost)[:2] == [0, 0] for one in exact.sets)
    assert {max(one.cost) for one in exact.sets} <= {1, 2}
    sparse = random_sets(30, 200, Fraction(1, 100), 6, seed=1)
    assert min(len(one.members) for one in sparse.sets) == 1


def test_what_is_free_has_nothing_to_do_with_the_sets() -> None:
    """Were both drawn alike, the free processors would be the first domains."""
    instance = random_domains(60, 1, 20, 5, free=20, seed=6)
    free = set(instance.available)
    assert all(len(free & set(one.members)) < 20 for one in instance.sets)


MAKERS: dict[str, Callable[[int], ProcSet]] = {
    "drakenberg": lambda seed: drakenberg_system(5, free=Fraction(1, 2), seed=seed),
    "core": lambda seed: drakenberg_system(
        5, granularity="core", free=9, partly=Fraction(1, 3), seed=seed
    ),
    "planes": lambda seed: torus_planes((4, 4), 3, free=9, seed=seed, costs="drawn"),
    "domains": lambda seed: random_domains(40, 3, 8, 5, seed=seed, private=4),
    "sets": lambda seed: random_sets(40, 9, Fraction(1, 4), 5, seed=seed, free=30),
}


@pytest.mark.parametrize("name", MAKERS)
def test_the_seed_decides_and_stands_in_the_name(name: str) -> None:
    make = MAKERS[name]
    assert make(3) == make(3)
    assert make(3) != make(4)
    assert make(3).seed == 3
    assert make(3).name.endswith("-s3")
    assert make(3).source


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: system("rack"), "granularity: must be node or core, not 'rack'"),
        (lambda: system(costs="x"), "costs: must be realistic or uniform, not 'x'"),
        (lambda: system(racks=0), "racks: must lie between 1 and 10000, not 0"),
        (lambda: system(centre=26), "centre: must lie between 0 and 25, not 26"),
        (lambda: drakenberg_system(0), "request: must be at least 1, not 0"),
        (lambda: drakenberg_system(1, seed=-1, free=9), "seed: must be at least 0"),
        (lambda: drakenberg_system(1, free=257), "free: must leave between 1 and all"),
        (lambda: drakenberg_system(1, available=[256]), "available: no such processor"),
        (
            lambda: drakenberg_system(1, free=9, partly=Fraction(2)),
            "partly: must lie between 0 and 1, not '2'",
        ),
        (lambda: torus_planes((3, 0), 1), "shape"),
        (lambda: torus_planes((3,), 1, private=-1), "private: must be at least 0"),
        (lambda: random_domains(9, 0, 3, 1), "families: must be at least 1, not 0"),
        (lambda: random_sets(2**20, 99, 3, 1), "n: must be at most 2\\^24 divided"),
        (lambda: random_sets(9, 3, Fraction(2), 1), "size: must lie between 0 and 1"),
    ],
)
def test_what_cannot_be_made_is_refused(
    make: Callable[[], object], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        make()
