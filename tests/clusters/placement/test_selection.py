"""The exact selection against all choices, and the cases that operators report."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.clusters.placement import (
    NodeSelector,
    Objective,
    Request,
    kernels,
    names_of,
    program,
)
from closeknit.clusters.placement.request import NO_LINKS
from closeknit.clusters.placement.warming import CLUSTER_KERNELS
from closeknit.clusters.topologies import Hierarchy, parse_cluster
from closeknit.instances import InputError
from closeknit.solvers import Limit, Settings, Status
from closeknit.solvers.running.kernels import interpreted, only_ready

from ..clusters import grid, hierarchy, per_rack, racks

OBJECTIVES = st.sampled_from(NO_LINKS)


def random_tree(chance: random.Random) -> str:
    """Draw a topology.conf, possibly uneven: leaf switches at several depths."""
    switches = chance.randrange(1, 7)
    nodes: dict[int, list[str]] = {v: [] for v in range(switches)}
    children: dict[int, list[str]] = {v: [] for v in range(switches)}
    for v in range(1, switches):
        children[chance.randrange(v)].append(f"s{v}")
    for i in range(chance.randrange(1, 11)):
        nodes[chance.randrange(switches)].append(f"n{i}")
    for v in range(switches):
        if not nodes[v] and not children[v]:
            nodes[v].append(f"m{v}")
    lines = []
    for v in range(switches):
        leaf = f"l{v}" if children[v] else f"s{v}"
        if nodes[v]:
            lines.append(f"SwitchName={leaf} Nodes={','.join(nodes[v])}")
        if children[v]:
            below = [*children[v], leaf] if nodes[v] else children[v]
            lines.append(f"SwitchName=s{v} Switches={','.join(below)}")
    return "\n".join(lines)


def allowed(fabric: Hierarchy, request: Request, chosen: tuple[int, ...]) -> bool:
    """Whether groups are whole and required nodes there, from the definition."""
    names = {fabric.nodes[i] for i in chosen}
    if not request.require <= names:
        return False
    for level, size in request.sizes(fabric).items():
        at: Counter[int] = Counter()
        for i in chosen:
            v = int(fabric.home[i])
            while v >= 0 and fabric.level[v] != level:
                v = int(fabric.parent[v])
            if v < 0:
                return False
            at[v] += 1
        if any(count % size for count in at.values()):
            return False
    return True


def defined(
    fabric: Hierarchy, objective: Objective, chosen: tuple[int, ...], free: list[int]
) -> tuple[int, ...]:
    """The numbers of an objective, from distances and paths alone."""
    pairs = sum(fabric.distance(a, b) for a, b in combinations(chosen, 2))

    def above(i: int) -> list[int]:
        path = [int(fabric.home[i])]
        while path[-1]:
            path.append(int(fabric.parent[path[-1]]))
        return path

    switches = len({int(fabric.home[i]) for i in chosen})
    if objective is Objective.HOPS:
        return (pairs,)
    if objective is Objective.SWITCHES:
        return switches, pairs
    if objective is Objective.SPREAD:
        common = set.intersection(*(set(above(i)) for i in chosen))
        return min(int(fabric.level[v]) for v in common), switches, pairs
    if objective is Objective.THRIFTY:
        stay = [i for i in free if i not in chosen]
        rest = sum(fabric.distance(a, b) for a, b in combinations(stay, 2))
        weight = int(1024 * 0.3 * (len(chosen) / len(free)) ** 0.75)
        return (1024 * pairs + weight * rest,)
    before = Counter(v for i in free for v in above(i) if v)
    after = Counter(v for i in free if i not in chosen for v in above(i) if v)
    drop = {v: c**2 - after[v] ** 2 for v, c in before.items()}
    if objective is Objective.FRAGMENTATION:
        return sum(drop.values()), pairs
    used = {v for i in chosen for v in above(i) if not fabric.level[v]}
    lowest = sum(d for v, d in drop.items() if not fabric.level[v])
    return len(used), lowest, pairs


@settings(max_examples=120, deadline=None)
@given(st.integers(0, 10**6), OBJECTIVES, st.integers(1, 5), st.data())
def test_the_choice_is_the_best_of_all(
    seed: int, objective: Objective, k: int, data: st.DataObject
) -> None:
    chance = random.Random(seed)
    cluster = parse_cluster(random_tree(chance))
    fabric = hierarchy(cluster)
    selector = NodeSelector(cluster)
    busy = [name for name in fabric.nodes if chance.random() < 0.2]
    free = selector.free(without=busy)
    left = np.flatnonzero(free[0]).tolist()
    segment = data.draw(st.sampled_from([s for s in (1, 2, 3) if k % s == 0]))
    levels = {}
    grouped: bool = data.draw(st.booleans())
    if len(fabric.levels) > 1 and grouped:
        sizes = [s for s in range(segment, k + 1, segment) if k % s == 0]
        levels = {"level2": data.draw(st.sampled_from(sizes))}
    require: frozenset[str] = frozenset()
    required: bool = data.draw(st.booleans())
    if left and required:
        require = frozenset({fabric.nodes[data.draw(st.sampled_from(left))]})
    request = Request(k, objective, segment, levels, require)
    choices = [c for c in combinations(left, k) if allowed(fabric, request, c)]
    with interpreted():
        found = selector.select(request, free)
    if not choices:
        assert found.status is Status.INFEASIBLE
        return
    assert found.status is Status.OPTIMAL
    assert found.chosen in choices
    best = min(defined(fabric, objective, c, left) for c in choices)
    assert found.objective == found.bound == best
    assert defined(fabric, objective, found.chosen, left) == best


def test_small_jobs_fill_racks_that_are_in_use() -> None:
    """Of equally good choices the one that leaves the others whole."""
    selector = racks(16, 16, 16)
    free = selector.free(without=[f"r1n{i}" for i in range(1, 11)])
    for objective in NO_LINKS:
        found = selector.select(Request(4, objective), free)
        names = names_of(selector.cluster.fabrics[0], found)
        assert names == ["r1n11", "r1n12", "r1n13", "r1n14"]


def test_groups_at_several_levels() -> None:
    lines = [f"SwitchName=r{i} Nodes=r{i}n[1-6]" for i in range(6)]
    lines += [f"SwitchName=z{i} Switches=r[{2 * i}-{2 * i + 1}]" for i in range(3)]
    text = "\n".join([*lines, "SwitchName=top Switches=z[0-2]"])
    selector = NodeSelector(parse_cluster(text))
    request = Request(16, Objective.SWITCHES, 4, {"level2": 8})
    found = selector.select(request, selector.free())
    assert sorted(per_rack(selector, found)) == [0, 0, 4, 4, 4, 4]
    with pytest.raises(InputError, match="no such level"):
        selector.select(Request(16, levels={"rack": 8}), selector.free())
    with pytest.raises(InputError, match="must be a multiple of the size below, 4"):
        selector.select(Request(12, segment=4, levels={"level2": 6}), selector.free())


def test_source_and_machine_code_choose_alike() -> None:
    selector = racks(7, 9, 4, 12, 5)
    free = selector.free(without=["r0n1", "r3n3", "r3n4"])
    for k in (1, 6, 13, 20):
        for objective in NO_LINKS:
            request = Request(k, objective)
            compiled = selector.select(request, free)
            with interpreted():
                read = selector.select(request, free)
            assert compiled.chosen == read.chosen
            assert compiled.objective == read.objective


def test_after_warming_nothing_is_compiled() -> None:
    for compiled in CLUSTER_KERNELS.values():
        compiled()
    selector = racks(3, 4)
    with only_ready():
        for objective in NO_LINKS:
            request = Request(4, objective, 2, require=frozenset({"r0n1"}))
            found = selector.select(request, selector.free())
            assert found.status is Status.OPTIMAL


def test_stopped_early_there_is_a_choice_and_a_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    selector = racks(7, 9, 4, 12, 5)
    monkeypatch.setattr(program, "_WORK", -1)
    at_once = Settings(time_limit=1e-9)
    for objective in NO_LINKS:
        found = selector.select(Request(20, objective), selector.free(), at_once)
        assert found.limit is Limit.TIME
        assert len(set(found.chosen)) == 20
        monkeypatch.undo()
        best = selector.select(Request(20, objective), selector.free())
        monkeypatch.setattr(program, "_WORK", -1)
        assert found.objective is not None
        assert found.bound is not None
        assert best.objective is not None
        assert found.bound <= best.objective <= found.objective
    monkeypatch.undo()
    monkeypatch.setattr(program, "_MOST_KEPT", 0)
    found = selector.select(Request(20), selector.free())
    assert found.limit is Limit.MEMORY


def test_pauses_do_not_change_the_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    selector = racks(7, 9, 4, 12, 5)
    request = Request(20, Objective.SWITCHES)
    whole = selector.select(request, selector.free())
    for work in (1, 2, 7, 50):
        monkeypatch.setattr(program, "_WORK", work)
        with interpreted():
            paused = selector.select(request, selector.free())
        assert (paused.chosen, paused.objective) == (whole.chosen, whole.objective)


def test_a_selection_that_costs_more_than_promised_is_not_returned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A fault planted in the way back from the tables."""
    selector = racks(4, 4, 4)
    real = kernels.trace.py_func

    def crooked(*args: object) -> None:
        real(*args)
        taken = args[-1]
        assert isinstance(taken, np.ndarray)
        used = np.flatnonzero(taken)
        taken[used[0]] -= 1
        taken[3 if taken[3] == 0 else 1] += 1

    monkeypatch.setattr(kernels, "trace", crooked)
    with pytest.raises(RuntimeError, match="does not cost what its tables say"):
        selector.select(Request(4, Objective.HOPS), selector.free())


def test_spaces_and_several_fabrics() -> None:
    selector = NodeSelector(parse_cluster(grid("torus 4x4")))
    request = Request(4, Objective.HOPS)
    with interpreted():
        found = selector.select(request, selector.free())
    assert found.objective == found.bound == (8,)
    with pytest.raises(InputError, match="must be hops or spread on this network"):
        selector.select(Request(4), selector.free())
    with pytest.raises(InputError, match="segment: must be 1 where"):
        selector.select(Request(4, Objective.HOPS, 2), selector.free())
    rings = "RingName=a Nodes=a[1-4]\nRingName=b Nodes=b[1-9]"
    selector = NodeSelector(parse_cluster(rings))
    free = selector.free(without=["a2", "b4"])
    with interpreted():
        three, eight, nine = (
            selector.select(Request(k, Objective.HOPS), free) for k in (3, 8, 9)
        )
    assert three.objective == (4,)
    assert eight.fabric == 1
    assert nine.status is Status.INFEASIBLE


def test_nodes_that_are_not_there_are_refused() -> None:
    selector = racks(2, 2)
    with pytest.raises(InputError, match="free: is not in the topology"):
        selector.free(["zz"])
    with pytest.raises(InputError, match="require: is not in the topology"):
        selector.select(Request(1, require=frozenset({"zz"})), selector.free())
    free = selector.free(without=["r0n1"])
    with pytest.raises(InputError, match="is required, but not free"):
        selector.select(Request(1, require=frozenset({"r0n1"})), free)
    with pytest.raises(InputError, match=r"segment: must divide k \(7\)"):
        Request(7, segment=2)
