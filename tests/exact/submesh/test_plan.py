"""Orders of single moves, against breadth-first search over every box of the mesh."""

from __future__ import annotations

import signal
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from closeknit.exact.submesh.plan import MovePlan, _Planner, in_order, plan
from closeknit.instances import InputError, Submesh
from closeknit.instances.submesh import (
    Box,
    Placement,
    Resident,
    final_boxes,
    overlap,
    sides,
)
from closeknit.instances.submesh.json import chosen_of
from closeknit.instances.submesh.plan import replay
from closeknit.instances.support.submesh import order_of, selection_of
from closeknit.solvers import Limit

from ...oracles import boxes_of, fewest_moves
from ...strategies import submeshes


@st.composite
def rearranged(draw: st.DrawFn) -> tuple[Submesh, Placement]:
    """Residents, and other places for some of them; where the request is is open."""
    instance = draw(submeshes(migrate=True))
    singles = [(*cell, *cell) for cell in instance.blocked]
    placed: list[Box] = []
    for one in instance.residents:
        options = [one.box]
        if not one.fixed and draw(st.sampled_from([True, True, False])):
            options = boxes_of(instance, sides(one.box), one.turns)
        options = [
            box
            for box in options
            if not any(overlap(instance, box, other) for other in placed + singles)
        ]
        assume(options)
        placed.append(draw(st.sampled_from(options)))
    moves = [
        (i, box) for i, box in enumerate(placed) if box != instance.residents[i].box
    ]
    return instance, Placement((0,) * (2 * instance.d), tuple(moves))


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
@given(given_=rearranged(), detours=st.integers(0, 2), slide=st.booleans())
def test_the_fewest_moves_or_a_proof_that_there_are_none(
    given_: tuple[Submesh, Placement], detours: int, slide: bool
) -> None:
    instance, placement = given_
    assume(len(placement.moves) < 3 or detours < 2)
    most = len(placement.moves) + detours
    fewest = fewest_moves(instance, placement, most, slide=slide)
    found = plan(
        instance, placement, detours=detours, slide=slide, node_limit=1_000_000
    )
    if fewest is None:
        assert found.moves is None
        assert found.refuted == detours
        return
    assert found.moves is not None
    assert len(found.moves) == fewest
    assert replay(instance, found.moves, slide=slide) == []
    after = Placement(placement.at, found.moves)
    assert final_boxes(instance, after) == final_boxes(instance, placement)
    assert found.detours == fewest - len(placement.moves)
    assert found.refuted == found.detours - 1


def line(*boxes: tuple[int, int], length: int) -> Submesh:
    """Residents on a line."""
    held = tuple(Resident((a, 0, b, 0)) for a, b in boxes)
    return Submesh("line", (length, 1), held, (1, 1))


def test_a_resident_goes_when_the_one_before_it_has_gone() -> None:
    instance = line((0, 1), (2, 3), length=6)
    shift = Placement((0, 0, 0, 0), ((0, (2, 0, 3, 0)), (1, (4, 0, 5, 0))))
    assert replay(instance, shift.moves) == [
        "moves[0]: residents[0] would overlap residents[1]"
    ]
    found = plan(instance, shift, detours=0)
    assert found.moves == shift.moves[::-1]
    assert in_order(instance, shift).moves == shift.moves[::-1]


TIGHT, ROOMY = (line((0, 1), (2, 3), length=n) for n in (4, 6))
SWAP = Placement((0, 0, 0, 0), ((0, (2, 0, 3, 0)), (1, (0, 0, 1, 0))))


@pytest.mark.parametrize(
    ("instance", "how", "found", "said"),
    [
        (TIGHT, {"detours": 0}, (None, 0, 0), "impossible within 0 temporary places"),
        (TIGHT, {"detours": 2}, (None, 0, 2), "impossible within 2 temporary places"),
        (TIGHT, {"detours": 4}, (None, 0, 4), "impossible within 4 temporary places"),
        (
            *(TIGHT, {"node_limit": 1}, (None, 0, -1, Limit.NODES)),
            "unknown within 0 temporary places",
        ),
        (
            *(TIGHT, {"detours": 3, "few_stops": True}, (None, 0, 1)),
            "impossible within 1 temporary places",
        ),
        (
            *(ROOMY, {"detours": 3, "time_limit": 0.0}, (None, 0, -1, Limit.TIME)),
            "unknown within 0 temporary places",
        ),
    ],
)
def test_what_is_known_is_said(
    instance: Submesh, how: dict[str, Any], found: tuple[Any, ...], said: str
) -> None:
    """A cycle without room is refuted; what nodes or time end proves nothing."""
    known = plan(instance, SWAP, **how)
    assert known == MovePlan(*found)
    assert str(known) == said


def test_what_cannot_be_put_in_order_is_left() -> None:
    assert in_order(TIGHT, SWAP) == SWAP
    assert order_of(TIGHT, SWAP) is None
    assert str(plan(ROOMY, SWAP)) == "3 moves, 1 of them detours"
    late = replace(plan(TIGHT, SWAP, detours=0), limit=Limit.TIME)
    assert str(late).endswith("; impossible within 0")


def test_three_in_a_ring_want_one_place() -> None:
    instance = line((0, 0), (1, 1), (2, 2), length=4)
    ends = ((0, (1, 0, 1, 0)), (1, (2, 0, 2, 0)), (2, (0, 0, 0, 0)))
    found = plan(instance, Placement((3, 0, 3, 0), ends))
    assert found.moves is not None
    assert (len(found.moves), found.detours, found.refuted) == (4, 1, 0)


def test_a_short_way_is_slid_or_goes_round() -> None:
    step = Placement((0, 0, 0, 0), ((0, (1, 0, 2, 0)),))
    tight = line((0, 1), length=3)
    assert plan(tight, step).moves is None
    assert plan(tight, step, slide=True).moves == step.moves
    assert order_of(tight, step) == "sliding"
    roomy = line((0, 1), length=5)
    found = plan(roomy, step)
    assert found.moves == ((0, (3, 0, 4, 0)), (0, (1, 0, 2, 0)))


def test_time_counts_from_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("closeknit.solvers.running.clock.now", lambda: 1e6)
    monkeypatch.setattr("closeknit.exact.submesh.plan._EVERY", 1)
    assert plan(ROOMY, SWAP, time_limit=60).moves is not None
    assert plan(ROOMY, SWAP, time_limit=0.0) == MovePlan(None, limit=Limit.TIME)


@pytest.mark.parametrize("looks", [0, 1, 3])
def test_ctrl_c_leaves_what_is_refuted(
    monkeypatch: pytest.MonkeyPatch, looks: int
) -> None:
    look = _Planner._count_place
    handler = signal.getsignal(signal.SIGINT)
    seen = 0

    def pressed(self: _Planner) -> None:
        nonlocal seen
        if seen == looks:
            signal.raise_signal(signal.SIGINT)
        seen += 1
        look(self)

    monkeypatch.setattr("closeknit.exact.submesh.plan._EVERY", 1)
    monkeypatch.setattr(_Planner, "_count_place", pressed)
    found = plan(TIGHT, SWAP, detours=3)
    assert found.moves is None
    assert found.limit is Limit.INTERRUPT
    assert found.refuted == (-1 if looks < 2 else 0)
    assert str(found).startswith(f"unknown within {found.refuted + 1} ")
    assert signal.getsignal(signal.SIGINT) is handler
    seen = 0
    assert in_order(TIGHT, SWAP) == SWAP


def two_detours() -> tuple[Submesh, Placement]:
    """Two swaps, one after the other; the places beside are for one each."""
    held = ((0, 1), (2, 3), (6, 6), (7, 7))
    ends = ((2, 3), (0, 1), (7, 7), (6, 6))
    moves = tuple((i, (a, 0, b, 0)) for i, (a, b) in enumerate(ends))
    return line(*held, length=9), Placement((8, 0, 8, 0), moves)


def test_more_detours_are_tried_where_one_does_not_suffice() -> None:
    instance, placement = two_detours()
    assert plan(instance, placement, detours=1).refuted == 1
    ordered = in_order(instance, placement)
    assert len(ordered.moves) == 6
    assert replay(instance, ordered.moves) == []
    few = plan(instance, placement, few_stops=True)
    assert few.moves is not None
    assert replay(instance, few.moves) == []
    assert final_boxes(instance, Placement((8, 0, 8, 0), few.moves)) == final_boxes(
        instance, placement
    )


def test_with_few_stops_more_detours_are_tried_when_nodes_run_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    search, tried = _Planner.run, []

    def run(self: _Planner, allowed: int, nodes: int) -> list[tuple[int, Box]] | None:
        tried.append(allowed)
        return search(self, allowed, 1 if allowed < 2 else nodes)

    monkeypatch.setattr(_Planner, "run", run)
    found = plan(ROOMY, SWAP, few_stops=True)
    assert (found.moves is None, found.detours, found.refuted) == (False, 2, -1)
    assert plan(ROOMY, SWAP) == MovePlan(None, 0, -1, Limit.NODES)
    assert tried == [0, 1, 2, 0]


def test_moves_are_put_in_order_by_sliding_too() -> None:
    instance = line((0, 1), (2, 3), length=5)
    shift = Placement((0, 0, 0, 0), ((0, (1, 0, 2, 0)), (1, (3, 0, 4, 0))))
    ordered = in_order(instance, shift)
    assert ordered.moves == shift.moves[::-1]
    assert order_of(instance, ordered) == "sliding"


def test_nodes_are_counted_one_by_one() -> None:
    enough = next(
        n for n in range(100) if plan(ROOMY, SWAP, node_limit=n).moves is not None
    )
    assert enough == 14


def test_defects_are_in_the_way() -> None:
    instance = replace(line((0, 0), length=4), blocked=((2, 0),))
    assert replay(instance, [(0, (2, 0, 2, 0))]) == [
        "moves[0]: residents[0] would overlap a blocked processor"
    ]


def test_solution_files_tell_the_order_and_are_held_to_it() -> None:
    instance = line((0, 1), (2, 3), length=6)
    ends = ((1, (4, 0, 5, 0)), (0, (2, 0, 3, 0)))
    selection = selection_of(instance, Placement((0, 0, 0, 0), ends).flat())
    assert selection["order"] == "copying"
    assert chosen_of(instance, selection) == Placement((0, 0, 0, 0), ends).flat()
    wrong = {**selection, "moves": selection["moves"][::-1]}
    with pytest.raises(
        InputError, match=r"selection.order: does not hold: moves\[0\]: residents\[0\]"
    ):
        chosen_of(instance, wrong)
    with pytest.raises(
        InputError, match="must be one of copying, sliding, not 'flying'"
    ):
        chosen_of(instance, {**selection, "order": "flying"})
