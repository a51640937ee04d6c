"""Slices of TPUs, held to all sets of chips that are one by definition."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations, permutations, product
from math import prod
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from closeknit.clusters.advice.free_capacity import largest_submesh
from closeknit.clusters.advice.why import explain
from closeknit.clusters.grading import DecisionGrade, PastDecision, grade_decision
from closeknit.clusters.grading.decisions import decision_of
from closeknit.clusters.placement import NodeSelector, Request, nodes_of
from closeknit.clusters.topologies import parse_cluster
from closeknit.clusters.topologies.tpu import Slice
from closeknit.instances import InputError
from closeknit.solvers import Status

from ..clusters import hierarchy, space_of
from ..pods import Chips, dynamic, grid_rows, nodes_json, pod_csv

CUBE = (2, 2, 2)
Places = list[frozenset[str]]


def selector_of(text: str) -> NodeSelector:
    return NodeSelector(parse_cluster(text))


def asked(selector: NodeSelector, text: str, *require: str) -> Request:
    wish = Slice.of(text)
    k = nodes_of(selector.cluster.fabrics[0], wish)
    return Request(k, selector.objective, require=frozenset(require), slice=wish)


def sets_of_chips(
    shape: Chips, rings: tuple[bool, ...], box: Chips
) -> Iterator[set[Chips]]:
    """Yield the chips of a box from every chip on, if it does not leave the grid."""
    for start in product(*map(range, shape)):
        spans = []
        for first, side, length, ring in zip(start, box, shape, rings, strict=True):
            if side > length or (first + side > length and not ring):
                break
            spans.append([(first + i) % length for i in range(side)])
        else:
            yield set(product(*spans))


def places_by_definition(
    shape: Chips,
    rings: tuple[bool, ...],
    host: Chips,
    wish: Slice,
    names: dict[Chips, str],
) -> Places:
    """Return the nodes of all slices: whole cubes, or the equal parts of a cube."""

    def corner(chip: Chips, of: Chips) -> Chips:
        return tuple(x - x % side for x, side in zip(chip, of, strict=True))

    volume = prod(wish.shape) if wish.shape else wish.cubes * prod(CUBE)
    boxes = set(permutations(wish.shape))
    if not wish.shape:
        boxes = {x for x in product(*(range(2, n + 1, 2) for n in shape))
                 if prod(x) == volume}  # fmt: skip
    found: Places = []
    for box in boxes:
        for chips in sets_of_chips(shape, rings, box):
            cubes = {corner(chip, CUBE) for chip in chips}
            whole = len(cubes) * prod(CUBE) == volume
            part = len(cubes) == 1 and len({corner(chip, box) for chip in chips}) == 1
            hosts = {corner(chip, host) for chip in chips}
            if (
                (whole or part)
                and len(hosts) * prod(host) == volume
                and hosts <= {*names}
            ):
                found.append(frozenset(names[one] for one in hosts))
    return list(dict.fromkeys(found))


def graded(selector: NodeSelector, entry: dict[str, Any]) -> DecisionGrade:
    free = selector.free()
    decision = decision_of(entry, "line 1", selector, free, selector.objective)
    assert isinstance(decision, PastDecision)
    grade = grade_decision(selector, decision)
    assert isinstance(grade, DecisionGrade)
    return grade


@given(st.integers(0, 2**32))
def test_slices_in_a_grid_are_the_best_of_all_places(seed: int) -> None:
    """And the fewest cubes, nodes and jobs in the way are the fewest of all places."""
    chance = random.Random(seed)
    shape = tuple(chance.choice((2, 4, 4, 6)) for _ in range(3))
    rings = tuple(chance.random() < 0.5 for _ in range(3))
    host = chance.choice(((1, 1, 1), (2, 1, 1), (2, 2, 1), (1, 2, 2)))
    text = chance.choice(("2x2x2", "2x2x4", "2x4x4", "1x2x2", "2x2x1", "1", "2", "3"))
    wish = Slice.of(text)
    rows = grid_rows(shape, host)
    if chance.random() < 0.3:
        rows.pop(chance.choice([*rows]))
    kind = "grid" if any(rings) else "mesh"
    listed = ",".join(str(i + 1) for i, ring in enumerate(rings) if ring)
    words = f"{kind} {'x'.join(map(str, shape))}" + f" rings {listed}" * any(rings)
    selector = selector_of(pod_csv(words, rows, CUBE, host))
    places = places_by_definition(
        shape, rings, host, wish, {site: name for name, site in rows.items()}
    )
    try:
        request = asked(selector, text)
    except InputError:
        full = {site: "x" for site in product(*(range(0, n, h) for n, h in
                zip(shape, host, strict=True)))}  # fmt: skip
        assert not places_by_definition(shape, rings, host, wish, full)
        return
    fabric = space_of(selector.cluster)
    held = {
        name: {f"j{chance.randrange(4)}": None}
        for name in rows
        if chance.random() < chance.choice((0.05, 0.4))
    }
    share = chance.choice((0.0, 0.0, 0.1))
    lost = {name for name in rows if name not in held and chance.random() < share}
    taken = held.keys() | lost
    free = selector.free(without=taken)
    number = {name: i for i, name in enumerate(fabric.nodes)}

    @lru_cache
    def hops(place: frozenset[str]) -> int:
        some = [number[name] for name in place]
        return sum(fabric.distance(a, b) for a, b in combinations(some, 2))

    found = selector.select(request, free)
    possible = [place for place in places if not place & taken]
    assert (found.status is Status.INFEASIBLE) == (not possible)
    if possible:
        assert frozenset(fabric.nodes[i] for i in found.chosen) in possible
        assert found.objective == found.bound == (min(map(hops, possible)),)
    reason = explain(selector, request, free, {}, held)
    assert reason.fits == bool(possible)
    assert reason.never == (not places)
    if possible or not places:
        return

    def in_the_way(place: frozenset[str]) -> tuple[int, int]:
        busy = place & taken
        return len({tuple(x // 2 for x in rows[one]) for one in busy}), len(busy)

    least = min(map(in_the_way, places))
    assert reason.placement.objective == reason.placement.bound == least
    assert reason.cubes == (least[0] if request.k * prod(host) >= 8 else None)
    assert len(reason.busy) == least[1]
    if not held:
        assert reason.jobs is None
        return
    assert reason.jobs is not None
    jobs = [
        {job for one in place & taken for job in held[one]}
        for place in places
        if not place & lost
    ]
    if not jobs:
        assert reason.jobs.jobs is None
        return
    size = {job: sum(job in one for one in held.values()) for job in set().union(*jobs)}
    assert reason.jobs.jobs is not None
    assert (len(reason.jobs.jobs), reason.jobs.nodes) == min(
        (len(one), sum(size[job] for job in one)) for one in jobs
    )
    assert reason.jobs.bound == len(reason.jobs.jobs)


@given(st.integers(0, 2**32))
def test_any_cubes_of_a_pod_where_optical_switches_join_them(seed: int) -> None:
    """Two blocks of Ironwood, some nodes missing or in faulty parts."""
    chance = random.Random(seed)
    blocks = [chance.randrange(1, 4), chance.randrange(1, 4)]
    sick = {
        (b, c) for b, n in enumerate(blocks) for c in range(n) if chance.random() < 0.2
    }
    items = dynamic(blocks, sick)
    gone = {chance.choice([*items])} if chance.random() < 0.5 else set()
    selector = selector_of(dynamic_text(items, gone))
    fabric = hierarchy(selector.cluster)
    count = chance.randrange(1, 4)
    cubes: dict[int, list[list[str]]] = {}
    for b, n in enumerate(blocks):
        for c in range(n):
            names = [name for name in items if name.startswith(f"t{b}{c}-")]
            if (b, c) not in sick and not gone & {*names}:
                cubes.setdefault(b, []).append(names)
    places = [
        frozenset(name for cube in some for name in cube)
        for listed in cubes.values()
        for some in combinations(listed, count)
    ]
    try:
        request = asked(selector, str(count))
    except InputError:
        healthy = [
            sum((b, c) not in sick for c in range(n)) for b, n in enumerate(blocks)
        ]
        assert count > max(blocks) or not any(healthy)
        return
    busy = {name for name in items if name not in gone and chance.random() < 0.03}
    held = {name: {f"j{chance.randrange(3)}": None} for name in sorted(busy)}
    free = selector.free(without=busy)
    found = selector.select(request, free)
    possible = [place for place in places if not place & busy]
    assert (found.status is Status.INFEASIBLE) == (not possible)
    if possible:
        assert frozenset(fabric.nodes[i] for i in found.chosen) in possible
    reason = explain(selector, request, free, {}, held)
    assert (reason.fits, reason.never) == (bool(possible), not places)
    if possible or not places:
        return
    least = min(
        (len({name.partition("-")[0] for name in place & busy}), len(place & busy))
        for place in places
    )
    assert reason.placement.objective == reason.placement.bound == least
    assert reason.cubes == least[0]
    jobs = [{job for name in place & busy for job in held[name]} for place in places]
    assert reason.jobs is not None
    assert reason.jobs.bound == min(map(len, jobs))
    smaller = [
        n
        for n in range(1, count)
        for listed in cubes.values()
        if sum(not busy & {*cube} for cube in listed) >= n
    ]
    assert reason.most == max(smaller, default=0)


def dynamic_text(items: dict[str, dict[str, str]], gone: set[str]) -> str:
    return nodes_json({name: own for name, own in items.items() if name not in gone})


@pytest.mark.parametrize(("text", "nodes"), [("1x2x4", 4), ("4x4x3", 24), ("3x2x1", 3)])
def test_a_slice_is_turned_to_cubes_that_are_no_cubes(text: str, nodes: int) -> None:
    """Parts of a cube of 3x4x2, and two of them: sides divide in another order."""
    rows = grid_rows((3, 8, 4), (1, 1, 2))
    selector = selector_of(pod_csv("mesh 3x8x4", rows, (3, 4, 2), (1, 1, 2)))
    request = asked(selector, text)
    found = selector.select(request, selector.free())
    assert len(found.chosen) == request.k == nodes


def test_a_required_node_is_in_the_slice_or_it_never_fits() -> None:
    rows = grid_rows((4, 4, 4), (1, 1, 1))
    selector = selector_of(pod_csv("mesh 4x4x4", rows, CUBE, (1, 1, 1)))
    [fabric] = selector.cluster.fabrics
    name = next(name for name, site in rows.items() if site == (3, 0, 2))
    found = selector.select(asked(selector, "1", name), selector.free())
    assert name in {fabric.nodes[i] for i in found.chosen}
    apart = next(one for one, site in rows.items() if site == (0, 0, 0))
    request = asked(selector, "1", name, apart)
    assert selector.select(request, selector.free()).status is Status.INFEASIBLE
    reason = explain(selector, request, selector.free(), {})
    assert reason.never
    assert reason.changes == (("require",),)


@pytest.mark.parametrize(
    ("chosen", "cost", "broken"),
    [
        ({(0, 0, 0), (0, 0, 1)}, (1,), ()),  # cubes are two chips long
        ({(2, 0, 0), (2, 0, 1)}, (1,), ()),
        ({(0, 0, 0), (1, 0, 0)}, (1,), ()),  # the part, turned
        ({(0, 0, 1), (0, 0, 2)}, (1,), ("slice",)),  # across two cubes
        ({(0, 0, 0), (3, 3, 3)}, (9,), ("slice",)),
    ],
)
def test_a_decision_is_held_to_the_slice_that_was_asked_for(
    chosen: set[Chips], cost: tuple[int, ...], broken: tuple[str, ...]
) -> None:
    rows = grid_rows((4, 4, 4), (1, 1, 1))
    selector = selector_of(pod_csv("mesh 4x4x4", rows, CUBE, (1, 1, 1)))
    names = [name for name, site in rows.items() if site in chosen]
    entry = {"job": {"slice": "1x1x2"}, "busy": [], "chosen": names}
    grade = graded(selector, entry)
    assert (grade.cost, grade.best, grade.broken) == (cost, (1,), broken)


def test_half_a_node_pool_is_no_slice_of_it() -> None:
    """A pool of 4x4x8 has 32 nodes: 16 of them are nodes, but no slice of 4x4x4."""
    labels = {"cloud.google.com/gke-tpu-topology": "4x4x8"}
    small = {"cloud.google.com/gke-tpu-topology": "4x4x4"}
    pool = "cloud.google.com/gke-nodepool"
    items = {f"a{i:02d}": labels | {pool: "a"} for i in range(32)}
    items |= {f"b{i:02d}": small | {pool: "b"} for i in range(16)}
    selector = selector_of(dynamic_text(items, set()))
    for chosen, broken in (("a", ("slice",)), ("b", ())):
        names = [f"{chosen}{i:02d}" for i in range(16)]
        entry = {"job": {"slice": "4x4x4"}, "busy": [], "chosen": names}
        assert graded(selector, entry).broken == broken


def test_the_largest_free_box_of_a_pod_is_counted_in_nodes() -> None:
    """Nodes have four chips, so that between two of them there are none free."""
    rows = grid_rows((8, 4, 4), (2, 2, 1))
    selector = selector_of(pod_csv("mesh 8x4x4", rows, (4, 4, 4), (2, 2, 1)))
    fabric = space_of(selector.cluster)
    busy = [name for name, site in rows.items() if site[0] == 0]
    assert largest_submesh(fabric, selector.free(without=busy)[0]) == (3, 2, 4)
