"""What trying the source takes is part of the time limit."""

from __future__ import annotations

from math import inf

import pytest

from closeknit.methods import interpreted_or_compiled
from closeknit.methods.interpreted_or_compiled import in_tiers
from closeknit.solvers import Limit, Settings
from closeknit.solvers.running import clock
from closeknit.solvers.running.kernels import MissingMachineCode


@pytest.mark.parametrize(
    ("size", "limit", "expected"),
    [
        (200, 10.0, [10.0, 4.5, 4.5]),
        (50, 10.0, [0.2, 9.8, 4.4, 4.4]),
        (200, 40.0, [40.0, 8.0, 31.0]),
        (200, inf, [inf, 8.0, inf]),
        (200, 0.5, [0.5]),
        (400, 10.0, [10.0]),
    ],
)
def test_all_tries_together_keep_the_limit(
    monkeypatch: pytest.MonkeyPatch, size: int, limit: float, expected: list[float]
) -> None:
    """Machine code is missed after one second; from source the time is used up."""
    now = 0.0
    given: list[float] = []

    def run(settings: Settings) -> Limit | None:
        nonlocal now
        given.append(settings.time_limit)
        from_machine_code = 2 if size == 50 else 1
        if len(given) == from_machine_code < len(expected):
            now += 1
            raise MissingMachineCode
        now += min(settings.time_limit, 100.0)
        return Limit.TIME

    monkeypatch.setattr(clock, "now", lambda: now)
    answer = in_tiers(
        run, lambda found: found, size=size, settings=Settings(time_limit=limit)
    )
    assert answer is Limit.TIME
    assert given == pytest.approx(expected)


def test_what_the_source_finds_in_time_is_the_answer() -> None:
    tried: list[float] = []

    def run(settings: Settings) -> str:
        tried.append(settings.time_limit)
        return "found"

    found = in_tiers(run, lambda _: None, size=3, settings=Settings())
    assert (found, len(tried)) == ("found", 1)


@pytest.mark.parametrize(("found", "seconds"), [("found", 3.0), (None, 0.0)])
def test_what_the_source_took_for_want_of_machine_code_is_told(
    monkeypatch: pytest.MonkeyPatch, found: str | None, seconds: float
) -> None:
    """Only where the source gave the answer: else machine code is made after it."""
    now, calls = 0.0, 0

    def run(settings: Settings) -> str | None:
        nonlocal now, calls
        now, calls = now + 3, calls + 1
        if calls == 1:
            raise MissingMachineCode
        return found

    monkeypatch.setattr(clock, "now", lambda: now)
    monkeypatch.setattr(interpreted_or_compiled, "without_machine_code", 0.0)
    in_tiers(
        run, lambda one: None if one else Limit.TIME, size=200, settings=Settings()
    )
    assert interpreted_or_compiled.without_machine_code == seconds
