"""Run a method once: interpreted where that is quicker than having machine code.

Loading machine code takes half a second and making it up to a minute; on a small
instance the Python source of the same kernels takes less. The source and its machine
code give the same answer, so which of them runs changes no more than the time.
"""

from __future__ import annotations

from dataclasses import replace

from ..instances import Instance, problem_of
from ..solvers import DEFAULT, Limit, Result, Settings
from ..solvers.kernels import Cold, interpreted, only_ready
from .registry import AnyMethod

_TINY = 64
"""To choose from at most, where the source is tried before numba is imported."""
_SMALL = 300
"""To choose from at most, where the source is tried before anything is compiled."""
_PLACES = 1024
"""Processors, free or not, or elements, up to which an instance is small."""
_TINY_SECONDS = 0.2
_SMALL_SECONDS = 8.0
_LEAST_LIMIT = 1.0
"""A shorter limit may end the compiled method, too: then the source is not tried."""


def run_once(
    method: AnyMethod, instance: Instance, settings: Settings = DEFAULT
) -> Result:
    """Run a method in a process that will run little else.

    For many runs, compile first (`warming`) and call the method itself.

    Parameters
    ----------
    method
        An entry of a table of methods.
    instance
        Of its problem.
    settings
        Time spent on compiling, or on trying to do without, is in no limit.
    """
    facts = problem_of(instance).facts(instance)
    small = facts.n <= _SMALL and facts.locations <= _PLACES
    steady = not (method.runs_solver or method.seeded)
    if not small or not steady or settings.time_limit < _LEAST_LIMIT:
        return method(instance, settings)
    if facts.n <= _TINY:
        result = _from_source(method, instance, settings, _TINY_SECONDS)
        if result is not None:
            return result
    try:
        with only_ready():
            return method(instance, settings)
    except Cold:
        result = _from_source(method, instance, settings, _SMALL_SECONDS)
    return method(instance, settings) if result is None else result


def _from_source(
    method: AnyMethod, instance: Instance, settings: Settings, seconds: float
) -> Result | None:
    """Return what the source finds within some seconds, None where they run out."""
    seconds = min(seconds, settings.time_limit)
    with interpreted():
        result = method(instance, replace(settings, time_limit=seconds))
    return None if result.limit is Limit.TIME else result
