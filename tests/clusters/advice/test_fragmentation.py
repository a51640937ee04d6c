"""What is free at each level, against counting by name."""

from __future__ import annotations

import random
from itertools import combinations, product
from math import prod

from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.clusters.advice.fragmentation import rooms, usual_sizes
from closeknit.clusters.advice.free_capacity import largest_submesh
from closeknit.clusters.placement import NodeSelector
from closeknit.clusters.topologies import Hierarchy, parse_cluster

from ..clusters import (
    come_in_groups,
    grid,
    hierarchy,
    random_fabric,
    random_jobs,
    small_tree,
    space_of,
)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 4))
def test_rooms_are_those_counted_by_name(seed: int, size: int) -> None:
    chance = random.Random(seed)
    selector = NodeSelector(parse_cluster(small_tree(chance)))
    fabric = hierarchy(selector.cluster)
    held = random_jobs(chance, fabric.nodes, 0.4)
    found = rooms(selector, selector.free(without=held), [size])
    assert [one.level for one in found] == list(fabric.levels)
    for height, one in enumerate(found):
        below: dict[int, list[str]] = {}
        for name, home in zip(fabric.nodes, fabric.home.tolist(), strict=True):
            v = home
            while v >= 0 and fabric.level[v] != height:
                v = int(fabric.parent[v])
            if v >= 0:
                below.setdefault(v, []).append(name)
        free = [[n for n in names if n not in held] for names in below.values()]
        assert one.domains == len(below)
        assert one.whole == sum(
            len(a) == len(b) for a, b in zip(free, below.values(), strict=True)
        )
        assert one.largest == max(map(len, free))
        assert one.size == max(map(len, below.values()))
        every = len(fabric.nodes) - len(held)
        assert one.possible == min(every, one.size)
        assert one.groups == {size: sum(len(names) // size for names in free)}


def test_parts_without_a_connection_do_not_share_a_job() -> None:
    text = "SwitchName=s0 Nodes=a[0-3]\nSwitchName=s1 Nodes=b[0-1]"
    selector = NodeSelector(parse_cluster(text))
    [found] = rooms(selector, selector.free(), [2])
    assert (found.domains, found.largest, found.possible) == (2, 4, 4)
    assert (found.groups, found.largest_in_groups) == ({2: 3}, {2: 4})
    assert usual_sizes([found]) == [2, 4]


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 3))
def test_groups_at_switches_are_those_of_all_packings(seed: int, size: int) -> None:
    chance = random.Random(seed)
    selector, hosts = random_fabric(chance, most=8)
    [fabric] = selector.cluster.fabrics
    held = random_jobs(chance, fabric.nodes, 0.3)
    found = rooms(selector, selector.free(without=held), [size])
    if isinstance(fabric, Hierarchy):
        return
    assert [one.level for one in found] == ["switch", "network"]
    left = [name for name in fabric.nodes if name not in held]
    at = [
        {name for name in left if switch in hosts[name]}
        for switch in {switch for near in hosts.values() for switch in near}
    ]
    assert found[0].largest == max(map(len, at))
    assert found[0].domains == len(at)
    most = max(
        count
        for count in range(len(left) // size + 1)
        if any(
            come_in_groups(list(chosen), size, hosts)
            for chosen in combinations(left, count * size)
        )
    )
    assert found[0].groups == {size: most}


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(["mesh 4x3", "torus 4x3", "torus 3x2x2", "mesh 5"]),
    st.integers(0, 10**6),
)
def test_the_largest_free_submesh_is_that_of_all_boxes(network: str, seed: int) -> None:
    chance = random.Random(seed)
    selector = NodeSelector(parse_cluster(grid(network)))
    fabric = space_of(selector.cluster)
    shape = tuple(map(int, network.split()[1].split("x")))
    cells = [*product(*map(range, shape))]
    busy = {cell for cell in cells if chance.random() < 0.4}
    free = selector.free(without=[f"n{''.join(map(str, cell))}" for cell in busy])
    idle = {*cells} - busy
    best = 0
    for begin, sides in product(cells, product(*(range(1, s + 1) for s in shape))):
        box = [
            tuple(b + o for b, o in zip(begin, offset, strict=True))
            for offset in product(*map(range, sides))
        ]
        if "torus" in network:
            box = [
                tuple(c % s for c, s in zip(cell, shape, strict=True)) for cell in box
            ]
        if set(box) <= idle:
            best = max(best, len(box))
    assert prod(largest_submesh(fabric, free[0]) or ()) == best
    [first, *_] = rooms(selector, free, [2])
    planes = [sum(cell[0] == x for cell in idle) for x in range(shape[0])]
    assert (first.level, first.largest) == ("plane-x", max(planes))
    assert first.groups == {2: sum(count // 2 for count in planes)}
