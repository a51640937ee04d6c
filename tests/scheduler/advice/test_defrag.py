"""The fewest moves against all arrangements, and the order of moves."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.instances import InputError
from closeknit.scheduler.advice.defrag import fewest, front
from closeknit.scheduler.advice.defrag_model import Goal
from closeknit.scheduler.advice.layout import Layout, layout_of
from closeknit.scheduler.advice.moves import steps
from closeknit.scheduler.placement import NodeSelector
from closeknit.scheduler.topologies import parse_cluster

from ..clusters import Held, least_moves, random_jobs, small_tree

TREE = """\
SwitchName=s0 Nodes=a[0-2]
SwitchName=s1 Nodes=b[0-2]
SwitchName=s2 Nodes=c[0-2]
SwitchName=top Switches=s[0-2]
"""


def laid_out(text: str, held: Held, **more: object) -> Layout:
    selector = NodeSelector(parse_cluster(text))
    return layout_of(selector, selector.free(without=held), held, **more)  # type: ignore[arg-type]


def held_by(**jobs: str) -> Held:
    return {name: {job: None} for job, nodes in jobs.items() for name in nodes.split()}


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.booleans(), st.booleans(), st.data())
def test_the_fewest_moves_are_those_of_all_arrangements(
    seed: int, by_jobs: bool, spread: bool, data: st.DataObject
) -> None:
    chance = random.Random(seed)
    text = small_tree(chance, most=8)
    selector = NodeSelector(parse_cluster(text))
    held = random_jobs(chance, selector.cluster.index, 0.5)
    if not held:
        return
    levels = getattr(selector.cluster.fabrics[0], "levels", ())
    layout = laid_out(text, held, level=data.draw(st.sampled_from(levels[:2])))
    room = data.draw(st.sampled_from([0, 0, 2, 3]))
    count = data.draw(st.integers(1, len(layout.domains)))
    found = fewest(layout, Goal(0 if room else count, room, by_jobs, spread))
    best = least_moves(layout, count, room, by_jobs=by_jobs, spread=spread)
    value = None
    if found.nodes is not None and found.jobs is not None:
        value = (found.jobs, found.nodes) if by_jobs else (found.nodes, found.jobs)
    assert value == best
    assert found.proved
    assert (found.bound is None) == (best is None)
    if best is not None:
        assert len(found.freed) >= (1 if room else count)


def test_the_front_ends_where_it_is_impossible() -> None:
    layout = laid_out(TREE, held_by(x="a0", y="b0", z="c0 c1"))
    points = list(front(layout, Goal()))
    assert [(p.nodes, p.jobs) for p in points] == [(1, 1), (None, None)]
    alone = laid_out(TREE, held_by(x="a0", y="b0", z="c0"))
    assert [p.nodes for p in front(alone, Goal())] == [1, 2, None]
    assert all(p.proved for p in points)


def test_two_jobs_that_change_places_need_a_spare() -> None:
    layout = laid_out(TREE, held_by(x="a0 a1 a2", y="b0 b1 b2"))
    after = [{1: 3}, {0: 3}]
    found = steps(layout, after)
    assert found is not None
    assert [(step.job, step.parked) for step in found] == [
        ("x", True),
        ("y", False),
        ("x", False),
    ]
    full = laid_out(TREE, held_by(x="a0 a1 a2", y="b0 b1 b2", z="c0 c1 c2"))
    assert steps(full, [{1: 3}, {0: 3}, {2: 3}]) is None


def test_a_chain_is_moved_from_its_free_end() -> None:
    layout = laid_out(TREE, held_by(x="a0 a1", y="b0 b1", z="c0"))
    found = steps(layout, [{1: 2}, {2: 2}, {2: 1}])
    assert found is not None
    assert [(step.job, step.targets) for step in found] == [
        ("y", ("c1", "c2")),
        ("x", ("b2", "b0")),
    ]


def test_jobs_that_stay_and_jobs_that_share_nodes() -> None:
    held = held_by(x="a0", y="b0", z="c0 c1")
    layout = laid_out(TREE, held, stay=["x"])
    point = fewest(layout, Goal(1))
    assert (point.nodes, point.freed) == (1, ("s1",))
    held["a0"]["y"] = None
    shared = laid_out(TREE, held)
    assert [job.name for job in shared.jobs] == ["x+y", "z"]


@pytest.mark.parametrize(
    ("text", "more", "complaint"),
    [
        (TREE, {"level": "rack"}, r"level: no such level.*there are: switch, level2"),
        (TREE, {"stay": ["q"]}, "stay: holds no node of the topology: 'q'"),
        ("# mesh 3\nnode,x\na0,0\na1,1\na2,2", {}, "topology: is no tree"),
    ],
)
def test_bad_questions(text: str, more: dict[str, object], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        laid_out(text, held_by(x="a0"), **more)


def test_without_jobs_there_is_nothing_to_move() -> None:
    with pytest.raises(InputError, match="busy: says of no node of the topology"):
        laid_out(TREE, {})
