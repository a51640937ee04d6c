"""Greedy rules: the examples of their documents, and never better than the optimum."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.instances import InputError
from closeknit.scheduler.placement import NodeSelector, Objective, Placement, Request
from closeknit.scheduler.rules import RULES, by_rule
from closeknit.scheduler.topologies import parse_cluster
from closeknit.solvers import Status
from closeknit.solvers.kernels import interpreted


def racks(*sizes: int) -> NodeSelector:
    lines = [f"SwitchName=r{i} Nodes=r{i}n[1-{size}]" for i, size in enumerate(sizes)]
    top = f"SwitchName=t Switches=r[0-{len(sizes) - 1}]"
    return NodeSelector(parse_cluster("\n".join([*lines, top])))


def taken(
    name: str, selector: NodeSelector, request: Request, busy: tuple[str, ...] = ()
) -> list[int]:
    """How many nodes of each rack a rule takes."""
    with interpreted():
        found = by_rule(name, selector, request, selector.free(without=busy))
    return per_rack(selector, found)


def per_rack(selector: NodeSelector, found: Placement) -> list[int]:
    [fabric] = selector.cluster.fabrics
    racks = {name.partition("n")[0] for name in fabric.nodes}
    counts = Counter(fabric.nodes[i].partition("n")[0] for i in found.chosen)
    return [counts[rack] for rack in sorted(racks)]


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
        ("volcano-binpack", (4, 4), 3, 1, [3, 0]),
        ("flux-low", (2, 2, 2), 3, 1, [2, 1, 0]),
        ("flux-high", (2, 2, 2), 3, 1, [0, 1, 2]),
    ],
)
def test_documented_examples(
    name: str, sizes: tuple[int, ...], k: int, segment: int, expected: list[int]
) -> None:
    assert taken(name, racks(*sizes), Request(k, segment=segment)) == expected


def test_binpacking_takes_the_busiest_rack() -> None:
    busy = ("r1n1", "r2n1", "r2n2")
    assert taken("volcano-binpack", racks(4, 4, 4), Request(2), busy) == [0, 0, 2]


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
    for objective in Objective:
        with interpreted():
            request = Request(k, objective, segment)
            exact = selector.select(request, free)
            found = by_rule(name, selector, request, free)
        if exact.status is Status.INFEASIBLE:
            assert found.objective is None
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


def test_what_a_rule_does_not_know_is_refused() -> None:
    selector = racks(4, 4)
    free = selector.free()
    with pytest.raises(InputError, match="knows no segments"):
        by_rule("slurm-tree", selector, Request(4, segment=2), free)
    with pytest.raises(InputError, match="no required nodes"):
        by_rule("flux-low", selector, Request(4, require=frozenset({"r0n1"})), free)
    with pytest.raises(InputError, match="did you mean slurm-tree"):
        by_rule("slurm-three", selector, Request(4), free)
