"""Samples of claims are drawn again around tests that change the code."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from closeknit.reports.claims.ksubset import cuts
from closeknit.reports.claims.running import samples


@pytest.fixture(autouse=True)
def _samples_are_drawn_again(request: pytest.FixtureRequest) -> Iterator[None]:
    """Instances keep what was computed for them, and so what a fault computed."""
    kept = [
        one
        for module in (samples, cuts)
        for one in vars(module).values()
        if hasattr(one, "cache_clear") and "monkeypatch" in request.fixturenames
    ]
    for function in kept:
        function.cache_clear()
    yield
    for function in kept:
        function.cache_clear()
