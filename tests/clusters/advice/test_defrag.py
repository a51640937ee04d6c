"""The fewest moves against all arrangements, and the order of moves."""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.clusters.advice.defrag import fewest, front
from closeknit.clusters.advice.layout import ClusterLayout, layout_of
from closeknit.clusters.kinds import NodeKind
from closeknit.clusters.placement import NodeSelector
from closeknit.clusters.topologies import parse_cluster
from closeknit.formulations.cluster.changes.change import LeastChange
from closeknit.formulations.cluster.changes.order import Move, in_order
from closeknit.instances import InputError
from closeknit.scheduler.hostlist import unfold
from closeknit.solvers import Status

from ..clusters import (
    Held,
    grid,
    least_moves,
    rails,
    random_fabric,
    random_jobs,
    small_tree,
)

TREE = """\
SwitchName=s0 Nodes=a[0-2]
SwitchName=s1 Nodes=b[0-2]
SwitchName=s2 Nodes=c[0-2]
SwitchName=top Switches=s[0-2]
"""


def laid_out(text: str, held: Held, **more: object) -> ClusterLayout:
    selector = NodeSelector(parse_cluster(text))
    return layout_of(selector, selector.free(without=held), held, **more)  # type: ignore[arg-type]


def numbers(found: LeastChange) -> tuple[int | None, ...] | None:
    """Return what is minimised, which must be proved; None if it is impossible."""
    assert found.status in (Status.OPTIMAL, Status.INFEASIBLE)
    assert found.proved
    values = tuple(stage.value for stage in found.stages)
    return None if found.status is Status.INFEASIBLE else values


def nodes_of(points: Iterable[tuple[int, LeastChange]]) -> list[int | None]:
    """Return how many nodes move at each point of a front."""
    found = [numbers(point) for _, point in points]
    return [None if one is None else one[0] for one in found]


def targets_of(layout: ClusterLayout, moves: Iterable[Move]) -> list[tuple[str, ...]]:
    names = layout.state.devices.tree.nodes
    return [tuple(names[i] for i in move.targets) for move in moves]


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
    found = fewest(layout, count, room=room, by_jobs=by_jobs, spread=spread)
    best = least_moves(layout, count, room, by_jobs=by_jobs, spread=spread)
    assert numbers(found) == best
    if best is not None:
        assert len(found.freed) >= (1 if room else count)


def test_jobs_are_moved_to_nodes_of_their_kind() -> None:
    held = held_by(x="a0", y="b0 b1", z="c0")
    kinds = {name: NodeKind(cores=64) for name in unfold("a[0-2],b[0-2],c[0-2]")}
    kinds |= {"a0": NodeKind(cores=32), "c2": NodeKind(cores=32)}
    layout = laid_out(TREE, held, kinds=kinds, stay=["z"])
    [move] = fewest(layout, 1).moves
    assert targets_of(layout, [move]) == [("c2",)]
    kinds["c2"] = NodeKind(cores=64)  # now no other node is as a0
    point = fewest(laid_out(TREE, held, kinds=kinds, stay=["z"]), 1)
    assert (numbers(point), point.freed) == ((2, 1), (1,))


def ordered(layout: ClusterLayout, **targets: str) -> list[tuple[str, bool]] | None:
    """Return in which order jobs get to others' switches, and which are parked."""
    state = layout.state
    number = state.devices.tree.number
    moves = []
    for job in state.jobs:
        if job.name in targets:
            ends = tuple(number[name] for name in targets[job.name].split())
            ones = (1,) * len(ends)
            moves.append(
                Move(job.name, tuple(job.nodes)[: len(ends)], ends, ones, ones)
            )
    found = in_order(moves, state.devices, state.kinds, state.devices.tree.home)
    return None if found is None else [(move.job, move.parked) for move in found]


def test_two_jobs_that_change_places_need_a_spare() -> None:
    layout = laid_out(TREE, held_by(x="a0 a1 a2", y="b0 b1 b2"))
    found = ordered(layout, x="b0 b1 b2", y="a0 a1 a2")
    assert found == [("x", True), ("y", False), ("x", False)]
    full = laid_out(TREE, held_by(x="a0 a1 a2", y="b0 b1 b2", z="c0 c1 c2"))
    turned = {"x": "b0 b1 b2", "y": "c0 c1 c2", "z": "a0 a1 a2"}
    assert ordered(full, **turned) is None


def test_a_chain_is_moved_from_its_free_end() -> None:
    """Job x may have any nodes of the switch that job y leaves."""
    layout = laid_out(TREE, held_by(x="a0 a1", y="b0 b1", z="c0"))
    found = ordered(layout, x="b0 b1", y="c1 c2")
    assert found == [("y", False), ("x", False)]
    point = fewest(laid_out(TREE, held_by(x="a0 a1", y="b0 b1", z="c0"), stay=["z"]), 1)
    assert (numbers(point), point.ordered) == ((2, 1), True)


def test_jobs_that_stay_and_jobs_that_share_nodes() -> None:
    held = held_by(x="a0", y="b0", z="c0 c1")
    layout = laid_out(TREE, held, stay=["x"])
    point = fewest(layout, 1)
    assert (numbers(point), point.freed) == ((1, 1), (1,))
    held["a0"]["y"] = None
    shared = laid_out(TREE, held)
    assert [job.name for job in shared.state.jobs] == ["x+y", "z"]


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
    assert (layout.level, layout.taken()) == ("switch", [1, 2, 3, 2])
    home = layout.state.devices.tree.home.tolist()
    inside = {home[i]: set[str]() for i in range(12)}
    for name, some in zip(layout.names, layout.domains, strict=True):
        for i in some:
            inside[home[i]].add(name)
    pairs = [{"S-a", "S-b"}, {"S-b", "S-c"}, {"S-c", "S-d"}]
    assert [*inside.values()] == pairs
    # g0 to h; then h0 to g too, and a, b or c, d are busy
    assert nodes_of(front(layout)) == [1, 2, None]


def test_planes_of_a_mesh_are_freed() -> None:
    text = grid("mesh 3x2")
    held = held_by(x="n00", y="n11", z="n20")
    layout = laid_out(text, held)
    assert (layout.level, layout.names) == ("plane-x", ("x=0", "x=1", "x=2"))
    assert nodes_of(front(layout)) == [1, None]
    across = laid_out(text, held, level="plane-y")
    [(_, one), (_, none)] = front(across)
    assert (numbers(one), one.freed, numbers(none)) == ((1, 1), (1,), None)
