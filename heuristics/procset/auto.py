"""The strongest exact route at hand for processor sets."""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from time import perf_counter

from ...instances import ProcSet
from ...solvers import DEFAULT, Result, Settings, answer
from .bruteforce import MOST, bruteforce

Route = Callable[[ProcSet, Settings], Result | None]
"""A way to an answer; None where it does not suit the instance."""


def auto(instance: ProcSet, /, settings: Settings = DEFAULT) -> Result:
    """Prove an optimum by the first route that suits the instance.

    Guarantee: exact where one of the exact routes suits.
    Time: that of the route.
    Source: derived for closeknit.
    """
    for route in ROUTES:
        result = route(instance, settings)
        if result is not None:
            return result
    raise AssertionError("the last route suits everything")


def _enumerate(instance: ProcSet, settings: Settings) -> Result | None:
    if comb(instance.n, instance.request) > MOST:
        return None
    return bruteforce(instance, settings)


def _first_listed(instance: ProcSet, settings: Settings) -> Result:
    start = perf_counter()
    return answer(instance, instance.available[: instance.request], start=start)


ROUTES: tuple[Route, ...] = (_enumerate, _first_listed)
"""In the order in which they are tried; the last one suits everything."""
