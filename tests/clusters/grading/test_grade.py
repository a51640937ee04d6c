"""Grades against all choices, broken groups, and totals in bounded memory."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.clusters.grading import (
    DecisionGrade,
    PastDecision,
    Totals,
    Ungraded,
    grade_decision,
)
from closeknit.clusters.grading.decisions import Why
from closeknit.clusters.grading.grade import ratio
from closeknit.clusters.placement import (
    NodeSelector,
    Objective,
    Request,
    measures,
    program,
)
from closeknit.clusters.placement.request import NO_LINKS
from closeknit.clusters.topologies import Hierarchy, parse_cluster
from closeknit.solvers import Settings
from closeknit.solvers.running.kernels import interpreted

from ..clusters import come_in_groups, grid, hierarchy, random_fabric


def racks(*sizes: int) -> NodeSelector:
    """Racks of these sizes below pairs of switches below one."""
    lines = [f"SwitchName=r{i} Nodes=r{i}n[1-{size}]" for i, size in enumerate(sizes)]
    pairs = range((len(sizes) + 1) // 2)
    lines += [
        f"SwitchName=p{i} Switches=r[{2 * i}-{min(2 * i + 1, len(sizes) - 1)}]"
        for i in pairs
    ]
    lines.append(f"SwitchName=t Switches=p[0-{len(pairs) - 1}]")
    return NodeSelector(parse_cluster("\n".join(lines)))


def decide(
    selector: NodeSelector,
    request: Request,
    chosen: Sequence[str],
    free: Sequence[str] | None = None,
    limit: float = 10.0,
) -> DecisionGrade | Ungraded:
    decision = PastDecision("here", "job", request, selector.free(free), tuple(chosen))
    with interpreted():
        return grade_decision(selector, decision, Settings(time_limit=limit))


def graded(selector: NodeSelector, request: Request, *more: Any) -> DecisionGrade:
    """Grade a decision that can be graded."""
    one = decide(selector, request, *more)
    assert isinstance(one, DecisionGrade)
    return one


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(NO_LINKS), st.integers(1, 2))
def test_a_ratio_is_the_cost_over_the_least_of_all_choices(
    seed: int, objective: Objective, segment: int
) -> None:
    chance = random.Random(seed)
    selector = racks(*(chance.randrange(1, 5) for _ in range(chance.randrange(1, 4))))
    fabric = hierarchy(selector.cluster)
    free = sorted(chance.sample(range(len(fabric.nodes)), len(fabric.nodes) * 3 // 4))
    if len(free) < segment:
        return
    k = segment * chance.randrange(1, len(free) // segment + 1)
    chosen = sorted(chance.sample(free, k))
    at = np.bincount(fabric.home[free], minlength=len(fabric.parent))
    below = fabric.below(at)

    def whole(nodes: Sequence[int]) -> bool:
        counts = np.bincount(fabric.home[list(nodes)])
        return not (counts % segment).any()

    costs = [
        measures.cost(fabric, objective, nodes, below)
        for nodes in combinations(free, k)
        if whole(nodes)
    ]
    one = graded(
        selector,
        Request(k, objective, segment),
        [fabric.nodes[i] for i in chosen],
        [fabric.nodes[i] for i in free],
    )
    assert one.cost == measures.cost(fabric, objective, chosen, below)
    assert one.best == one.bound == min(costs, default=None)
    if not whole(chosen):
        assert one.broken == (fabric.levels[0],)
        assert (one.low, one.high) == (None, None)
        return
    mine, least = one.cost, min(costs)
    if "level" in objective.parts:
        mine, least = (mine[0] + 1, *mine[1:]), (least[0] + 1, *least[1:])
    first = next((i for i in range(len(mine)) if mine[i] != least[i]), None)
    expected = Fraction(1) if first is None else Fraction(mine[first], least[first])
    assert one.low == one.high == expected
    assert bool(one.instead) == (one.cost != min(costs))


@pytest.mark.parametrize(
    ("objective", "cost", "least", "expected"),
    [
        # within one switch, at level 0, against a pair of switches, at level 1
        (Objective.SPREAD, (1, 2, 9), (0, 1, 4), Fraction(2)),
        (Objective.SPREAD, (2, 2, 9), (1, 2, 9), Fraction(3, 2)),
        (Objective.SPREAD, (1, 3, 9), (1, 2, 9), Fraction(3, 2)),
        (Objective.SPREAD, (4, 9), (2, 8), Fraction(2)),  # a diameter counts from 0
        (Objective.SWITCHES, (3, 9), (2, 9), Fraction(3, 2)),
        (Objective.HOPS, (3,), (0,), float("inf")),
    ],
)
def test_a_ratio_is_that_of_the_first_part_that_differs(
    objective: Objective,
    cost: tuple[int, ...],
    least: tuple[int, ...],
    expected: Fraction | float,
) -> None:
    """Levels count from 1, since the lowest has number 0."""
    assert ratio(objective, cost, least) == expected


def test_nodes_below_no_domain_of_a_level_are_in_no_group_there() -> None:
    """Two are in a pair of racks; two in a rack that is in no pair."""
    lines = [f"SwitchName={name} Nodes={name}[1-4]" for name in "abc"]
    lines += ["SwitchName=p Switches=a,b", "SwitchName=t Switches=p,c"]
    selector = NodeSelector(parse_cluster("\n".join(lines)))
    request = Request(4, levels={"level2": 2})
    apart = graded(selector, request, ["a1", "a2", "c1", "c2"])
    assert apart.broken == ("level2",)
    assert (apart.low, apart.high) == (None, None)
    together = graded(selector, request, ["a1", "a2", "b1", "b2"])
    assert together.broken == ()


def test_segments_that_are_cut_say_what_was_possible() -> None:
    selector = racks(17, 17, 17)
    names = [f"r{i}n{j}" for i, n in enumerate((17, 17, 2)) for j in range(1, n + 1)]
    one = graded(selector, Request(36, Objective.BLOCKS, 12), names)
    assert (one.parts, one.broken) == (("17+17+2", "12+12+12"), ("switch",))
    assert len(one.instead) == 36
    busy = [f"r{i}n{j}" for i in range(3) for j in range(1, 18)][:-6]
    one = graded(selector, Request(36, Objective.BLOCKS, 12), names, busy)
    assert (one.best, one.parts[1], one.instead) == (None, "", ())


def test_without_time_a_ratio_is_an_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    selector = racks(4, 3, 3)
    monkeypatch.setattr(program, "_WORK", -1)
    names = [*(f"r0n{i}" for i in range(1, 4)), "r1n1", "r2n1"]
    one = decide(selector, Request(5, Objective.HOPS), names, None, 1e-9)
    monkeypatch.undo()
    assert isinstance(one, DecisionGrade)
    assert not one.exact
    assert one.low is not None
    assert one.high is not None
    exact = graded(selector, Request(5, Objective.HOPS), names)
    assert exact.low is not None
    assert one.low <= exact.low <= one.high
    totals = Totals()
    totals.add(one)
    assert (totals.graded, totals.open, totals.mean) == (1, 1, None)


@pytest.mark.parametrize(
    ("chosen", "request_", "why", "detail"),
    [
        (("x", "r0n1"), Request(2), Why.UNKNOWN, "x is not in the topology"),
        (("r0n1", "r1n2"), Request(2), Why.BUSY, "r1n2 was not free"),
        (("r0n1", "r0n1"), Request(2), Why.TWICE, "chosen: r0n1 is listed twice"),
        (("r0n1",), Request(2), Why.COUNT, "1 node for a job of 2"),
        (("r0n1",), Request(1, levels={"zone": 1}), Why.REQUEST, "no such level"),
        (
            ("r0n1",),
            Request(1, require=frozenset({"r0n2"})),
            Why.REQUEST,
            "r0n2 was required, but not chosen",
        ),
    ],
)
def test_what_cannot_be_graded(
    chosen: tuple[str, ...], request_: Request, why: Why, detail: str
) -> None:
    one = decide(racks(2, 2), request_, chosen, ["r0n1", "r0n2", "r1n1"])
    assert isinstance(one, Ungraded)
    assert one.why is why
    assert detail in one.detail


def test_parts_without_a_connection() -> None:
    lines = "SwitchName=a Nodes=a[1-2]\nSwitchName=b Nodes=b[1-2]"
    selector = NodeSelector(parse_cluster(lines))
    one = decide(selector, Request(2), ["a1", "b1"])
    assert isinstance(one, Ungraded)
    assert one.why is Why.PARTS


def test_a_mesh_has_hops_and_diameters() -> None:
    selector = NodeSelector(parse_cluster(grid("mesh 3x3")))
    row = ["n00", "n01", "n02", "n11"]
    one = graded(selector, Request(4, Objective.HOPS), row)
    assert (one.cost, one.best, one.low) == ((9,), (8,), Fraction(9, 8))
    other = graded(selector, Request(4, Objective.SPREAD), row)
    assert (other.cost, other.best, other.low) == ((2, 9), (2, 8), Fraction(9, 8))
    refused = decide(selector, Request(4, Objective.BLOCKS), row)
    assert isinstance(refused, Ungraded)
    assert (refused.why, "must be hops or spread" in refused.detail) == (
        Why.REQUEST,
        True,
    )
    points = "node,x,y\na,0,0\nb,1,0\nc,5,0\nd,6,0"
    selector = NodeSelector(parse_cluster(points))
    one = graded(selector, Request(2, Objective.HOPS), ["b", "c"])
    assert one.low == 4


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 10**6),
    st.sampled_from([Objective.HOPS, Objective.SWITCHES, Objective.SPREAD]),
)
def test_on_graphs_groups_are_whole_if_they_can_be_put_at_switches(
    seed: int, objective: Objective
) -> None:
    chance = random.Random(seed)
    selector, hosts = random_fabric(chance, most=8)
    [fabric] = selector.cluster.fabrics
    if isinstance(fabric, Hierarchy):
        return
    chosen = chance.sample(fabric.nodes, 4)
    one = graded(selector, Request(4, objective, 2), chosen)
    assert (one.broken == ()) == come_in_groups(chosen, 2, hosts)
    if not one.broken:
        assert one.best is not None
        assert one.cost >= one.best == one.bound
        assert one.low == one.high


def test_totals_keep_the_worst_and_no_more() -> None:
    selector = racks(9, 9, 9)
    totals = Totals(keep=3, most=Fraction(2))
    rows = []
    for spread in range(1, 10):
        names = [f"r0n{i}" for i in range(1, spread + 1)]
        names += [f"r2n{i}" for i in range(1, 10 - spread)]
        one = graded(selector, Request(9, Objective.HOPS), names)
        rows.append(one)
        totals.add(one)
    totals.add(Ungraded("here", "", Why.BUSY, "x was not free", Objective.HOPS))
    ratios = sorted((row.low or 0 for row in rows), reverse=True)
    assert [one.low for one in totals.worst_grades()] == ratios[:3]
    assert totals.worst == ratios[0]
    assert totals.mean == pytest.approx(float(sum(ratios) / 9))
    assert (totals.optimal, totals.above) == (1, sum(r > 2 for r in ratios))
    assert (totals.seen, totals.graded, totals.passed) == (10, 9, False)
