"""Run a method once, interpreted where that is faster than loading machine code.

Loading machine code takes half a second and compiling it up to a minute; on a small
instance the Python source of the same kernels takes less. Both give the same result, so
the choice between them affects only the running time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from ..instances import Instance
from ..instances.support import support_of
from ..solvers import DEFAULT, Limit, Result, Settings
from ..solvers.running import clock
from ..solvers.running.kernels import MissingMachineCode, interpreted, only_ready
from ..solvers.running.method import AnyMethod

Answer = TypeVar("Answer")

without_machine_code = 0.0
"""Seconds that the source took in this process for want of machine code."""

_TINY = 64
"""Size up to which the source is tried before numba is imported."""
_SMALL = 300
"""Size up to which the source is tried before anything is compiled."""
_PLACES = 1024
"""Processors (free or not) or elements up to which an instance is small."""
_TINY_SECONDS = 0.2
_SMALL_SECONDS = 8.0
_LEAST_LIMIT = 1.0
"""Time limit below which the source is not tried; compiled methods may reach it too."""


def run_once(
    method: AnyMethod, instance: Instance, settings: Settings = DEFAULT
) -> Result:
    """Run a method in a process that makes few runs.

    For many runs, compile first (`warming`) and call the method itself. Limits do not
    include time spent on compiling, but that spent on trying the source first.
    """
    features = support_of(instance).features(instance)
    if method.runs_solver or method.seeded or features.locations > _PLACES:
        return method(instance, settings)
    return in_tiers(
        lambda settings: method(instance, settings),
        lambda result: result.limit,
        size=features.n,
        settings=settings,
    )


def in_tiers(
    run: Callable[[Settings], Answer],
    limit_of: Callable[[Answer], Limit | None],
    *,
    size: int,
    settings: Settings,
) -> Answer:
    """Call a function once: from source, from machine code, or one after the other.

    The result of ``run`` depends on the time limit only if that is reached;
    ``limit_of`` returns the limit that ended it early. ``size`` is the number of
    processors or items to choose from. What trying the source takes, at most half of
    the time limit, is taken off the limit of the run that follows.
    """
    global without_machine_code
    start = clock.now()

    def from_source(seconds: float) -> Answer | None:
        with interpreted():
            answer = run(replace(settings, time_limit=seconds))
        return None if limit_of(answer) is Limit.TIME else answer

    if size > _SMALL or settings.time_limit < _LEAST_LIMIT:
        return run(settings)
    if size <= _TINY and (answer := from_source(_TINY_SECONDS)) is not None:
        return answer
    try:
        with only_ready():
            return run(settings.remaining(start))
    except MissingMachineCode:
        begun = clock.now()
        answer = from_source(
            min(_SMALL_SECONDS, settings.remaining(start).time_limit / 2)
        )
        if answer is not None:
            without_machine_code += clock.now() - begun
    return run(settings.remaining(start)) if answer is None else answer
