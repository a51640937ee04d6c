"""Greedy rules: the examples of their documents, and never better than the optimum."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.clusters.placement import NodeSelector, Objective, Request
from closeknit.clusters.placement.request import NO_LINKS
from closeknit.clusters.rules import RULES, by_rule
from closeknit.clusters.topologies import parse_cluster
from closeknit.instances import InputError
from closeknit.solvers import Status
from closeknit.solvers.running.kernels import interpreted

from ..clusters import grid, per_rack, racks, rails

HOPS = Objective.HOPS


def taken(
    name: str, selector: NodeSelector, request: Request, busy: tuple[str, ...] = ()
) -> list[int]:
    """How many nodes of each rack a rule takes."""
    with interpreted():
        found = by_rule(name, selector, request, selector.free(without=busy))
    return per_rack(selector, found)


@pytest.mark.parametrize(
    "name", ["slurm-pack-serial", "slurm-hilbert", "volcano-spread"]
)
def test_a_rule_that_is_gone(name: str) -> None:
    with pytest.raises(InputError, match=f"{name} was removed: take "):
        taken(name, racks(2), Request(1))


@pytest.mark.parametrize(
    ("name", "sizes", "k", "segment", "expected"),
    [
        ("kueue-best-fit", (3, 3, 2, 1), 7, 1, [3, 3, 0, 1]),
        ("kueue-least-free", (3, 3, 2, 1), 7, 1, [3, 1, 2, 1]),
        ("kueue-best-fit", (6, 5, 4, 3, 2), 12, 2, [6, 0, 4, 0, 2]),
        ("kueue-least-free", (6, 5, 4, 3, 2), 10, 2, [0, 2, 4, 2, 2]),
        ("kueue-best-fit", (19, 10, 10), 20, 1, [19, 1, 0]),
        ("slurm-tree", (19, 10, 10), 20, 1, [19, 1, 0]),
        ("slurm-tree", (8, 4, 6), 5, 1, [0, 0, 5]),
        ("slurm-block", (17, 17, 12), 36, 12, [12, 12, 12]),
        ("kueue-balanced", (19, 10, 10), 20, 1, [0, 10, 10]),
        ("kueue-balanced", (18, 18, 12), 20, 1, [10, 0, 10]),
        ("kueue-balanced", (7, 5, 3), 8, 2, [4, 4, 0]),
        ("volcano-binpack", (4, 4), 3, 1, [3, 0]),
        ("volcano-binpack", (9, 5, 7), 4, 4, [0, 4, 0]),
        ("flux-low", (2, 2, 2), 3, 1, [2, 1, 0]),
        ("flux-high", (2, 2, 2), 3, 1, [0, 1, 2]),
        ("slurm-spread", (2, 2, 2), 3, 1, [2, 1, 0]),
        ("slurm-switches", (19, 10, 10), 20, 1, [19, 1, 0]),
    ],
)
def test_documented_examples(
    name: str, sizes: tuple[int, ...], k: int, segment: int, expected: list[int]
) -> None:
    assert taken(name, racks(*sizes), Request(k, segment=segment)) == expected


def test_binpacking_takes_the_rack_that_is_fullest_with_the_job() -> None:
    busy = ("r1n1", "r2n1", "r2n2")
    assert taken("volcano-binpack", racks(4, 4, 4), Request(2), busy) == [0, 0, 2]
    half = tuple(f"r1n{i}" for i in range(1, 5))  # 3 of 4 or 7 of 8 nodes in use
    assert taken("volcano-binpack", racks(4, 8), Request(3), half) == [0, 3]


def two_zones(a: tuple[int, ...], b: tuple[int, ...]) -> NodeSelector:
    """Racks of these sizes in two zones."""
    sizes, ends = (*a, *b), len(a) + len(b) - 1
    lines = [f"SwitchName=r{i} Nodes=r{i}n[1-{size}]" for i, size in enumerate(sizes)]
    lines += [f"SwitchName=a Switches=r[0-{len(a) - 1}]"]
    lines += [f"SwitchName=b Switches=r[{len(a)}-{ends}]"]
    return NodeSelector(parse_cluster("\n".join([*lines, "SwitchName=t Switches=a,b"])))


@pytest.mark.parametrize(
    ("name", "zones", "k", "expected"),
    [
        # both zones have room for 18, and as many free nodes: the first leaf stays
        ("slurm-tree", ((10, 10), (6, 14)), 18, [10, 8, 0, 0]),
        # none has room for the last three: the nearer rack does not replace the first
        ("slurm-tree", ((2,), (5, 2)), 8, [2, 5, 1]),
        ("slurm-tree", ((2,), (5, 2)), 7, [0, 5, 2]),
        # racks of both zones are filled together: zone b gets more than it was given
        ("kueue-best-fit", ((4, 2), (3, 3)), 10, [4, 0, 3, 3]),
        # balanced within one zone
        ("kueue-balanced", ((6, 1), (4, 4)), 7, [0, 0, 4, 3]),
        # no zone has room for all: as best fit
        ("kueue-balanced", ((4, 2), (3, 3)), 10, [4, 0, 3, 3]),
        ("kueue-least-free", ((9, 2), (3, 5)), 4, [0, 0, 0, 4]),
        ("volcano-binpack", ((4, 2), (3, 2)), 5, [0, 0, 3, 2]),
    ],
)
def test_below_two_zones(
    name: str,
    zones: tuple[tuple[int, ...], tuple[int, ...]],
    k: int,
    expected: list[int],
) -> None:
    assert taken(name, two_zones(*zones), Request(k)) == expected


def blocks(*free: int, sizes: str) -> tuple[NodeSelector, tuple[str, ...]]:
    """Blocks of four nodes, of which so many are free, and the busy ones."""
    lines = [f"BlockName=r{i} Nodes=r{i}n[1-4]" for i in range(len(free))]
    text = "\n".join([*lines, f"BlockSizes={sizes}"])
    busy = [f"r{i}n{j}" for i, own in enumerate(free) for j in range(own + 1, 5)]
    return NodeSelector(parse_cluster(text)), tuple(busy)


@pytest.mark.parametrize(
    ("free", "sizes", "k", "segment", "expected"),
    [
        ((2, 4, 3, 3), "4,8", 6, 1, [0, 0, 3, 3]),
        ((1, 1, 4, 4), "4", 5, 1, [0, 1, 0, 4]),
        ((4, 4, 3, 3), "4,8", 7, 1, [3, 4, 0, 0]),
        ((3, 2, 4, 4, 4, 4, 2, 2), "4,8,16", 12, 1, [0, 0, 0, 0, 4, 4, 2, 2]),
        ((3, 4, 2, 2), "4,8", 4, 2, [0, 0, 2, 2]),
        ((3, 1, 2, 4), "4,8", 6, 2, [2, 0, 2, 2]),
        ((3, 3, 3, 3), "4", 8, 1, None),
        ((4, 1, 1, 4), "4,8", 8, 1, None),
    ],
)
def test_blocks_and_their_groups(
    free: tuple[int, ...], sizes: str, k: int, segment: int, expected: list[int] | None
) -> None:
    selector, busy = blocks(*free, sizes=sizes)
    request = Request(k, segment=segment)
    found = by_rule("slurm-block", selector, request, selector.free(without=busy))
    if expected is None:
        assert found.status is Status.UNKNOWN
        assert found.chosen == ()
    else:
        assert per_rack(selector, found) == expected


def test_locality_takes_runs_from_the_highest() -> None:
    selector = racks(5, 5)
    free = selector.free(["r0n1", "r0n2", "r0n3", "r1n2", "r1n3", "r1n5"])
    found = by_rule("flux-locality", selector, Request(2), free)
    [fabric] = selector.cluster.fabrics
    assert [fabric.nodes[i] for i in found.chosen] == ["r1n2", "r1n5"]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(sorted(RULES)), st.integers(1, 12))
def test_no_rule_beats_the_optimum(seed: int, name: str, k: int) -> None:
    chance = random.Random(seed)
    lines = [
        f"SwitchName=r{i} Nodes=r{i}n[1-{chance.randrange(1, 7)}]" for i in range(6)
    ]
    lines += [f"SwitchName=z{i} Switches=r[{2 * i}-{2 * i + 1}]" for i in range(3)]
    text = "\n".join([*lines, "SwitchName=top Switches=z[0-2]"])
    selector = NodeSelector(parse_cluster(text))
    [fabric] = selector.cluster.fabrics
    busy = [n for n in fabric.nodes if chance.random() < 0.3]
    free = selector.free(without=busy)
    segment = chance.choice([s for s in (1, 2, 3) if k % s == 0])
    if not RULES[name].segments:
        segment = 1
    for objective in NO_LINKS:
        with interpreted():
            request = Request(k, objective, segment)
            exact = selector.select(request, free)
            found = by_rule(name, selector, request, free)
        if exact.status is Status.INFEASIBLE:
            assert found.objective is None
            continue
        if name in ("slurm-block", "slurm-switches") and found.objective is None:
            assert found.status is Status.UNKNOWN
            continue
        assert found.objective is not None
        assert exact.objective is not None
        assert found.objective >= exact.objective
        assert (found.status is Status.OPTIMAL) == (found.objective == exact.objective)
        assert len(set(found.chosen)) == k
        assert all(np.asarray(free[0])[list(found.chosen)])
        if segment > 1:
            homes = Counter(
                n.partition("n")[0] for n in map(fabric.nodes.__getitem__, found.chosen)
            )
            assert all(count % segment == 0 for count in homes.values())


@pytest.mark.parametrize(
    ("free", "k", "expected"),
    [
        ("110111011", 2, [0, 1]),  # the first of the shortest runs
        ("110111011", 3, [3, 4, 5]),
        ("110111011", 4, [0, 3, 4, 5]),  # the longest whole, then a part of the first
        ("110111011", 7, [0, 1, 3, 4, 5, 7, 8]),
    ],
)
def test_runs_of_successive_nodes(free: str, k: int, expected: list[int]) -> None:
    selector = NodeSelector(parse_cluster(grid("mesh 9")))
    names = [f"n{i}" for i, one in enumerate(free) if one == "1"]
    found = by_rule("slurm-flat", selector, Request(k, HOPS), selector.free(names))
    assert list(found.chosen) == expected


def test_slurm_waits_for_fewer_switches() -> None:
    selector = racks(4, 4)
    free = selector.free(without=["r0n1", "r1n1"])
    assert by_rule("slurm-tree", selector, Request(4), free).chosen == (1, 2, 3, 5)
    waits = by_rule("slurm-switches", selector, Request(4), free)
    assert (waits.status, waits.chosen) == (Status.UNKNOWN, ())
    assert by_rule("slurm-switches", selector, Request(6), free).chosen != ()


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(sorted(RULES)), st.integers(1, 6))
def test_rules_on_graphs_and_tori_do_not_beat_the_optimum(
    seed: int, name: str, k: int
) -> None:
    chance = random.Random(seed)
    words = chance.choice(["torus 3x3", "mesh 2x2x3"])
    torus = RULES[name].anywhere and chance.random() < 0.5
    selector = NodeSelector(parse_cluster(grid(words))) if torus else rails()
    [fabric] = selector.cluster.fabrics
    busy = [n for n in fabric.nodes if chance.random() < 0.3]
    free = selector.free(without=busy)
    objective = HOPS if torus else chance.choice([HOPS, Objective.SWITCHES])
    with interpreted():
        found = by_rule(name, selector, Request(k, objective), free)
        exact = selector.select(Request(k, objective), free)
    if found.objective is None:
        limited = name in ("slurm-block", "slurm-switches")
        assert limited or exact.status is Status.INFEASIBLE
        return
    assert exact.objective is not None
    assert found.objective >= exact.objective == found.bound
    assert len(set(found.chosen)) == k
    assert all(np.asarray(free[0])[list(found.chosen)])


def test_what_a_rule_does_not_know_is_refused() -> None:
    torus = NodeSelector(parse_cluster(grid("torus 2x2")))
    with pytest.raises(InputError, match="leaf switches, not for a 2x2 torus"):
        by_rule("slurm-tree", torus, Request(2, HOPS), torus.free())
