"""The fewest moves against all arrangements, and the order of moves."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.clusters.advice.defrag import fewest, front
from closeknit.clusters.advice.defrag_model import Goal
from closeknit.clusters.advice.layout import ClusterLayout, layout_of
from closeknit.clusters.advice.move_order import steps
from closeknit.clusters.kinds import NodeKind
from closeknit.clusters.placement import NodeSelector
from closeknit.clusters.topologies import parse_cluster
from closeknit.instances import InputError
from closeknit.scheduler.hostlist import unfold

from ..clusters import Held, least_moves, rails, random_fabric, random_jobs, small_tree

TREE = """\
SwitchName=s0 Nodes=a[0-2]
SwitchName=s1 Nodes=b[0-2]
SwitchName=s2 Nodes=c[0-2]
SwitchName=top Switches=s[0-2]
"""


def laid_out(text: str, held: Held, **more: object) -> ClusterLayout:
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
    selector = NodeSelector(parse_cluster(small_tree(chance, most=8)))
    if data.draw(st.booleans(), "no tree"):
        selector, _ = random_fabric(chance, most=7)
    held = random_jobs(chance, selector.cluster.index, 0.5)
    if not held:
        return
    jobs = {job for some in held.values() for job in some}
    levels = getattr(selector.cluster.fabrics[0], "levels", ("switch",))
    level = data.draw(st.sampled_from(levels[:2]))
    kinds = {
        name: NodeKind(cores=chance.choice([32, 64])) for name in selector.cluster.index
    }
    layout = layout_of(
        selector,
        selector.free(without=held),
        held,
        level=level,
        kinds=kinds if data.draw(st.booleans(), "kinds") else None,
        ending=[job for job in sorted(jobs) if chance.random() < 0.2 and len(jobs) > 1],
        freeable=[x for x in held if chance.random() < 0.7]
        if data.draw(st.booleans(), "closed")
        else None,
    )
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


def test_jobs_are_moved_to_nodes_of_their_kind() -> None:
    held = held_by(x="a0", y="b0 b1", z="c0")
    kinds = {name: NodeKind(cores=64) for name in unfold("a[0-2],b[0-2],c[0-2]")}
    kinds |= {"a0": NodeKind(cores=32), "c2": NodeKind(cores=32)}
    point = fewest(laid_out(TREE, held, kinds=kinds, stay=["z"]), Goal(1))
    assert point.plan is not None
    assert [(step.sources, step.targets) for step in point.plan] == [(("a0",), ("c2",))]
    kinds["c2"] = NodeKind(cores=64)  # now no other node is as a0
    point = fewest(laid_out(TREE, held, kinds=kinds, stay=["z"]), Goal(1))
    assert (point.nodes, point.freed) == (2, ("s1",))


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
        ("node,x\na0,0\na1,1\na2,2", {}, "topology: has no switches or planes"),
        (
            "# mesh 3\nnode,x\na0,0\na1,1",
            {"level": "switch"},
            "level: no such.*plane-x",
        ),
    ],
)
def test_bad_questions(text: str, more: dict[str, object], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        laid_out(text, held_by(x="a0"), **more)


def test_without_jobs_there_is_nothing_to_move() -> None:
    with pytest.raises(InputError, match="state: says of no node of the topology"):
        laid_out(TREE, {})


def test_a_switch_of_two_rails_is_freed_of_both_groups() -> None:
    held = held_by(x="g0 h0", y="i0 i1")
    selector = rails()
    layout = layout_of(selector, selector.free(without=held), held)
    assert (layout.level, len(layout.leaves), layout.taken()) == (
        "switch",
        3,
        [1, 2, 3, 2],
    )
    assert dict(zip(layout.leaves, layout.within, strict=True)) == {
        "S-a+S-b": (0, 1),
        "S-b+S-c": (1, 2),
        "S-c+S-d": (2, 3),
    }
    found = [point.nodes for point in front(layout, Goal())]
    assert found == [1, 2, None]  # g0 to h; then h0 to g too, and a, b or c, d are busy


def test_planes_of_a_mesh_are_freed() -> None:
    rows = "".join(f"n{x}{y},{x},{y}\n" for x in range(3) for y in range(2))
    text = f"# mesh 3x2\nnode,x,y\n{rows}"
    held = held_by(x="n00", y="n11", z="n20")
    layout = laid_out(text, held)
    assert (layout.level, layout.domains) == ("plane-x", ("x=0", "x=1", "x=2"))
    assert [point.nodes for point in front(layout, Goal())] == [1, None]
    across = laid_out(text, held, level="plane-y")
    [one, none] = front(across, Goal())
    assert (one.nodes, one.freed, none.nodes) == (1, ("y=1",), None)
