"""Residents that make room: MIG, its bracket, and who would have been helped."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest
from hypothesis import given, settings

from closeknit.exact.submesh.feasibility import Feasibility
from closeknit.methods.allocators.submesh import ALLOCATORS
from closeknit.simulation.submesh import migration as submesh_migration
from closeknit.simulation.submesh.migration import Migrating, migration_judge
from closeknit.simulation.submesh.simulator import Fixed
from closeknit.simulation.submesh.stream import BoxRequest
from closeknit.solvers import Limit, Status

from .boxes import SHAPE, Rows, forgetful, queues, served, simulate


def test_a_resident_makes_room() -> None:
    # Two 2x2 stay in the middle of things when those around them have left.
    rows: Rows = [((1, 5), 1), ((2, 5), 9), ((1, 5), 1), ((2, 5), 3), ((1, 1), 1)]
    stay = served(rows, Fixed(ALLOCATORS["fs-f"](SHAPE)))[1]
    occupancy = Migrating(SHAPE)
    moved = served(rows, occupancy)[1]
    assert stay == [0, 0, 0, 9, 9]
    assert moved == [0, 0, 0, 1, 4]
    assert (occupancy.moved, occupancy.undecided) == (1, 0)


@given(queues(*SHAPE))
@settings(max_examples=25, deadline=None)
def test_no_method_starts_a_request_earlier(rows: Rows) -> None:
    best = served(rows, Migrating(SHAPE))[1]
    for name in ("iss", "4iss", "mbv", "fs-n"):
        other = served(rows, Fixed(ALLOCATORS[name](SHAPE)))[1]
        assert all(a <= b for a, b in zip(best, other, strict=True))


@given(queues(*SHAPE))
@settings(max_examples=25, deadline=None)
def test_what_is_undecided_is_bracketed(rows: Rows) -> None:
    best = served(rows, Migrating(SHAPE))[1]

    strict, lenient = (
        Migrating(SHAPE, generous=generous, decider=forgetful)
        for generous in (False, True)
    )
    late, early = served(rows, strict)[1], served(rows, lenient)[1]
    assert all(a <= b <= c for a, b, c in zip(early, best, late, strict=True))
    if not strict.undecided:
        assert early == best == late


def torn(occupancy: Migrating) -> Migrating:
    """Leave one of three in the middle, with a processor free on either side."""
    for number in range(3):
        assert occupancy.place(BoxRequest(number, (1, 1), 1.0))
    occupancy.remove(0)
    occupancy.remove(2)
    return occupancy


@pytest.mark.parametrize(
    ("status", "bound", "undecided"),
    [
        (Status.INFEASIBLE, None, 0),
        (Status.UNKNOWN, None, 1),
        (Status.UNKNOWN, (1, 0, 0), 1),
        (Status.UNKNOWN, (2, 0, 0), 0),
    ],
)
def test_with_a_budget_what_may_be_cheap_enough_is_undecided(
    monkeypatch: pytest.MonkeyPatch,
    status: Status,
    bound: tuple[int, int, int] | None,
    undecided: int,
) -> None:
    found = SimpleNamespace(limit=Limit.TIME, chosen=None, status=status, bound=bound)
    monkeypatch.setattr(
        submesh_migration,
        "Migration",
        lambda *args, **kwargs: SimpleNamespace(run=lambda: found),
    )
    occupancy = torn(Migrating((1, 3), budget=1))
    assert not occupancy.place(BoxRequest(3, (1, 2), 1.0))
    assert (occupancy.undecided, occupancy.moved, occupancy.torus) == (
        undecided,
        0,
        False,
    )


def test_without_a_budget_every_open_decision_counts_once() -> None:
    unknown = Feasibility(limit=Limit.TIME)
    occupancy = torn(Migrating((1, 3), decider=lambda packing, settings: unknown))
    assert not occupancy.place(BoxRequest(3, (1, 2), 1.0))
    assert occupancy.undecided == 1


def test_the_judge_knows_what_migration_would_mend() -> None:
    judge = migration_judge((4, 4))
    assert judge([(1, 0, 2, 3)], (2, 4)) is True
    assert judge([(0, 0, 2, 2)], (2, 3)) is False
    # nobody who lives there is turned, but the newcomer may be
    assert judge([(0, 0, 3, 0)], (3, 4)) is False
    turning = migration_judge((4, 4), rotate=True)
    assert turning([(0, 0, 3, 0)], (3, 4)) is True
    assert turning([(0, 0, 3, 0)], (4, 4)) is False


def test_the_command_moves_residents(capsys: pytest.CaptureFixture[str]) -> None:
    found = {}
    for method in ("iss", "mig"):
        words = ["--method", method, "--seed", "4", "--migration", "--json", "-"]
        assert simulate(*words) == 0
        found[method] = json.loads(capsys.readouterr().out)
    assert found["mig"]["completion_time"] <= found["iss"]["completion_time"]
    assert found["mig"]["migration_fragmentation_pct"] == 0
    assert found["mig"]["undecided_failures"] == 0
    assert found["mig"]["completion_time_if_undecided_fit"] is None
    assert found["mig"]["moved_residents"] > 0
    iss = found["iss"]
    assert 0 < iss["migration_failures"] <= iss["external_failures"]
    assert iss["undecided_failures"] == 0
    assert 0 < iss["migration_fragmentation_pct"] < 100


def test_the_command_brackets_what_is_undecided(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(submesh_migration, "decide", lambda *rest: Feasibility())
    assert simulate("--method", "mig", "--json", "-") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["undecided_failures"] > 0
    assert found["completion_time_if_undecided_fit"] < found["completion_time"]
    assert found["utilization_pct_if_undecided_fit"] > found["utilization_pct"]
