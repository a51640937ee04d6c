"""Migration: fewest residents, least area, least way, against every placement."""

from __future__ import annotations

import signal
from dataclasses import replace

import pytest
from hypothesis import assume, given, settings

from closeknit.exact.submesh.migrate import Migration, migrate, migrate_cp_sat
from closeknit.exact.submesh.plan import _Planner
from closeknit.instances import Submesh
from closeknit.instances.submesh import (
    Resident,
    placement_of,
)
from closeknit.instances.value import as_tuple
from closeknit.methods.submesh.auto import auto
from closeknit.solvers import Limit, Settings, Status
from closeknit.solvers.running.method import RunOn

from ...strategies import submeshes

METHODS = (migrate, migrate_cp_sat, auto)
by_method = pytest.mark.parametrize("method", METHODS)


def row(*lengths: int, shape: tuple[int, int], request: tuple[int, int]) -> Submesh:
    """Residents one column wide at every second column."""
    held = tuple(
        Resident((2 * n, 0, 2 * n, length - 1)) for n, length in enumerate(lengths)
    )
    return Submesh("row", shape, held, request)


def test_the_smallest_of_those_that_suffice_is_moved() -> None:
    # columns 0, 2, 4 are held; two columns side by side want one of them moved
    instance = row(4, 3, 4, shape=(6, 4), request=(2, 4))
    result = migrate(instance)
    assert result.status is Status.OPTIMAL
    assert result.objective == (1, 3, 1)
    assert placement_of(instance, result.chosen or ()).moves[0][0] == 1


@by_method
@pytest.mark.parametrize(
    ("change", "objective"),
    [
        ({}, (1, 2, 1)),
        ({"migrate": False}, None),
        ({"residents": (Resident((1, 0, 1, 1), fixed=True),)}, None),
        ({"torus": True}, (0, 0, 0)),
        ({"residents": (Resident((1, 0, 1, 1), turns=True),)}, (1, 2, 1)),
        ({"rotate": True, "request": (1, 2)}, (0, 0, 0)),
        ({"blocked": ((0, 0), (2, 1))}, None),
    ],
)
def test_what_may_be_done(
    method: RunOn[Submesh], change: dict[str, object], objective: tuple[int, ...] | None
) -> None:
    instance = Submesh("one", (3, 2), (Resident((1, 0, 1, 1)),), (2, 2))
    result = method(replace(instance, **change))  # type: ignore[arg-type]
    assert result.objective == objective
    wanted = Status.INFEASIBLE if objective is None else Status.OPTIMAL
    assert result.status is wanted


@by_method
def test_no_time_no_answer_and_no_false_claim(method: RunOn[Submesh]) -> None:
    instance = row(4, 4, 4, 4, shape=(8, 5), request=(4, 4))
    assert method(instance).objective == (2, 8, 4)
    result = method(instance, Settings(time_limit=1e-9))
    assert result.status in (Status.UNKNOWN, Status.FEASIBLE)
    assert result.limit is Limit.TIME
    assert result.bound is not None
    assert as_tuple(result.bound) <= (2, 8, 4)


def test_sets_looked_at_are_counted() -> None:
    instance = row(4, 4, 4, 4, shape=(8, 5), request=(4, 4))
    result = migrate(instance, Settings(node_limit=1))
    assert (result.status, result.limit) == (Status.FEASIBLE, Limit.NODES)
    assert result.bound == (2, 8, 0)


class Pressed:
    """Ctrl-C as soon as this is called."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, *_args: object, **_named: object) -> None:
        self.calls += 1
        signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize("method", [migrate, auto])
def test_ctrl_c_leaves_the_first_placement_and_the_levels_settled(
    monkeypatch: pytest.MonkeyPatch, method: RunOn[Submesh]
) -> None:
    pressed = Pressed()
    monkeypatch.setattr("closeknit.exact.submesh.migrate.Migration._nearest", pressed)
    result = method(row(4, 4, 4, 4, shape=(8, 5), request=(4, 4)))
    assert pressed.calls == 1
    assert (result.status, result.limit) == (Status.FEASIBLE, Limit.INTERRUPT)
    assert result.bound == (2, 8, 0)
    assert result.chosen is not None


@pytest.mark.parametrize(
    ("method", "where"),
    [
        (migrate, "exact.submesh.migrate.Subsets.fit"),
        (auto, "exact.submesh.migrate.Subsets.fit"),
        (auto, "methods.submesh.auto.refute"),
        (auto, "methods.submesh.auto.feasibility"),
        (migrate_cp_sat, "exact.submesh.migrate.Migration.by_model"),
    ],
)
def test_ctrl_c_before_anything_is_found_leaves_a_bound(
    monkeypatch: pytest.MonkeyPatch, method: RunOn[Submesh], where: str
) -> None:
    pressed = Pressed()
    monkeypatch.setattr(f"closeknit.{where}", pressed)
    if where == "methods.submesh.auto.feasibility":
        monkeypatch.setattr("closeknit.exact.submesh.migrate.MOST_SETS", 0)
    result = method(row(4, 4, 4, 4, shape=(8, 5), request=(4, 4)))
    assert pressed.calls == 1
    assert (result.status, result.limit) == (Status.UNKNOWN, Limit.INTERRUPT)
    assert result.bound is not None
    assert as_tuple(result.bound) <= (2, 8, 4)


def test_ctrl_c_while_an_order_is_looked_for_costs_only_the_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    instance = row(4, 4, 4, 4, shape=(8, 5), request=(4, 4))
    pressed = Pressed()
    look = _Planner._count_place

    def first(self: _Planner) -> None:
        if not pressed.calls:
            pressed()
        look(self)

    monkeypatch.setattr(_Planner, "_count_place", first)
    monkeypatch.setattr("closeknit.exact.submesh.plan._EVERY", 1)
    result = migrate(instance)
    assert pressed.calls == 1
    assert (result.status, result.objective) == (Status.OPTIMAL, (2, 8, 4))


def test_too_many_sets_are_left_to_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = row(4, 3, 4, 4, shape=(8, 5), request=(4, 4))
    first = migrate(instance)
    monkeypatch.setattr("closeknit.exact.submesh.migrate.MOST_SETS", 0)
    assert migrate(instance).objective == first.objective


@given(submeshes())
@settings(max_examples=40, deadline=None)
def test_a_search_ends_when_more_would_have_to_move(instance: Submesh) -> None:
    whole = migrate(instance)
    assume(whole.status is Status.OPTIMAL)
    assert isinstance(whole.objective, tuple)
    fewest = whole.objective[0]
    enough = Migration(instance, Settings(), most=fewest).run()
    assert (enough.chosen, enough.objective) == (whole.chosen, whole.objective)
    if fewest:
        short = Migration(instance, Settings(), most=fewest - 1).run()
        assert (short.status, short.chosen) == (Status.UNKNOWN, None)
        assert (short.bound, short.limit) == ((fewest, 0, 0), Limit.NODES)
