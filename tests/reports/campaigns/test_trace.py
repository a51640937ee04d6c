"""Traces: bounded, never ahead of the search, and true at every point."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from closeknit.instances import Instance, Value
from closeknit.instances.value import as_tuple
from closeknit.methods import METHODS
from closeknit.reports.campaigns.campaign import run_one
from closeknit.reports.campaigns.row_fields import document_of, parse_row
from closeknit.reports.campaigns.trace import MOST, Recorder, Trace
from closeknit.solvers import Settings
from closeknit.solvers.running import clock

from ...strategies import half_full, seeded_ksubset

Reports = list[tuple[float, int, int | None]]


def recorded(reports: Reports, monkeypatch: pytest.MonkeyPatch) -> Trace:
    now = 0.0
    monkeypatch.setattr(clock, "now", lambda: now)
    recorder = Recorder()
    for now, incumbent, bound in reports:  # noqa: B007 (read by the lambda)
        recorder(incumbent, bound)
    return recorder.trace


def known_by(time: float, reports: Reports | Trace) -> tuple[Value, Value]:
    """The best incumbent and bound by a time."""
    costs: list[Value] = [c for t, c, _ in reports if t <= time]
    bounds: list[Value] = [b for t, _, b in reports if t <= time and b is not None]
    return min(costs, key=as_tuple, default=10**9), max(
        bounds, key=as_tuple, default=-1
    )


def test_only_improvements_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    reports: Reports = [(1, 9, None), (2, 9, None), (3, 8, 2), (4, 9, 1), (5, 8, 3)]
    assert recorded(reports, monkeypatch) == ((1, 9, None), (3, 8, 2), (5, 8, 3))


@given(st.integers(0, 2**32), st.integers(1, 400))
def test_a_trace_is_short_and_never_ahead(seed: int, count: int) -> None:
    rng = random.Random(seed)
    times = sorted(round(rng.expovariate(0.1), 3) for _ in range(count))
    reports: Reports = [
        (t, rng.randrange(500, 999), rng.choice([None, rng.randrange(500)]))
        for t in times
    ]
    with pytest.MonkeyPatch.context() as patch:
        trace = recorded(reports, patch)
    assert 1 <= len(trace) <= MOST
    assert known_by(1e9, trace) == known_by(1e9, reports)
    for time in times:
        cost, bound = known_by(time, trace)
        truly = known_by(time, reports)
        assert as_tuple(cost) >= as_tuple(truly[0])
        assert as_tuple(bound) <= as_tuple(truly[1])
        if count <= MOST:
            assert (cost, bound) == truly


OPTIMUM = 1088
HARD = half_full(16, 24)


@pytest.mark.parametrize(
    "method",
    [
        "auto",
        "cuts-bb",
        "distances-bb",
        "cuts-unary/cpsat",
        "cuts-unary/highs",
    ],
)
def test_every_point_of_a_run_is_true(method: str) -> None:
    row = run_one(HARD, METHODS["ksubset"][method], Settings(time_limit=1.0))
    assert row.trace is not None
    assert row.seconds is not None
    assert row.cost is not None
    if method != "cuts-unary/highs":  # it may be stopped before its first bound
        assert row.bound is not None
        assert row.trace
    for seconds, cost, bound in row.trace:
        assert isinstance(cost, int)
        assert isinstance(bound, int)
        assert 0 <= seconds <= row.seconds + 0.2
        assert bound <= OPTIMUM <= cost
    assert all(as_tuple(row.cost) <= as_tuple(cost) for _, cost, _ in row.trace)
    assert parse_row(document_of(row)) == row


def test_a_heuristic_reports_nothing_and_a_refusal_too() -> None:
    tiny: Instance = seeded_ksubset(1)
    assert run_one(tiny, METHODS["ksubset"]["mm"], Settings()).trace == ()
    refused = run_one(HARD, METHODS["ksubset"]["tree-dp"], Settings())
    assert (refused.status, refused.trace) == ("refused", ())
