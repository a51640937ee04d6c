"""Random traffic at a given load, whatever the network does: latency, saturation.

Every processor starts a message in a cycle with the same probability; targets are drawn
uniformly. Messages released in a window after the warm-up are measured, and traffic
goes on until the time to drain is over (Dally and Towles 2004, chapter 23). This is how
engines are held against figures of other simulators.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..instances import InputError
from .engine import Engine
from .messages import Messages

LEAST_ACCEPTED = 0.95
"""Part of the offered load below which the network is beyond saturation."""
_STEP = 0.005
"""Width of the interval at which the search for saturation ends."""


class Phases(NamedTuple):
    """Cycles before the window, of the window, at least 1, and behind it."""

    warm_up: int
    window: int
    drain: int


class Point(NamedTuple):
    """What was measured at one load.

    Parameters
    ----------
    latency
        Mean cycles from release to the arrival of the last flit, of the messages
        released in the window that arrived.
    accepted
        Flits per processor and cycle that were delivered in the window.
    saturated
        Whether the network does not keep up: less than 95 % of the load was delivered,
        or messages of the window did not arrive before the end.
    """

    latency: float
    accepted: float
    saturated: bool


def uniform(
    processors: int, load: float, flits: int, cycles: int, *, seed: int, own: bool
) -> Messages:
    """Draw traffic: Bernoulli injection, targets drawn from all processors.

    Parameters
    ----------
    processors
        Number of processors, at least 2 unless `own`.
    load
        Flits per processor and cycle, above 0 and at most `flits`.
    flits
        Length of each message.
    cycles
        In which messages are released: from 0 to cycles - 1.
    seed
        Of the draws.
    own
        Whether a processor may be drawn as its own target.

    Returns
    -------
    Messages
        By (release, source); O(m log m) for m messages.

    Raises
    ------
    InputError
        If the load is out of range, or there is no one to send to.
    """
    if not 0 < load <= flits:
        raise InputError(f"must be above 0 and at most {flits}", "load", load)
    if processors < 2 and not own:
        raise InputError("needs at least two processors", "processors")
    draw = np.random.default_rng(seed)
    chances = processors * cycles
    # gaps between successes are geometric: O(m), not O(processors cycles)
    spare = int(chances * load / flits * 1.1 + 100)
    at = np.cumsum(draw.geometric(load / flits, size=spare)) - 1
    while at[-1] < chances:
        more = np.cumsum(draw.geometric(load / flits, size=spare))
        at = np.concatenate([at, at[-1] + more])
    release, source = np.divmod(at[at < chances], processors)
    target = draw.integers(0 if own else 1, processors, len(source))
    if not own:
        target = (source + target) % processors
    none = np.empty(0, np.int64)
    return Messages(source, target, np.full(len(source), flits), release, none, none)


def measure(
    engine: Engine,
    load: float,
    flits: int,
    phases: Phases,
    *,
    seed: int,
    own: bool = False,
) -> Point:
    """Measure the mean latency of random traffic.

    Parameters
    ----------
    engine
        New, without messages.
    load, flits, seed, own
        As for `uniform`.
    phases
        Cycles to warm up, to measure and to drain.
    """
    n = engine.processors
    traffic = uniform(n, load, flits, sum(phases), seed=seed, own=own)
    engine.add(traffic)
    while engine.time < sum(phases):
        engine.run(sum(phases))
    begin, end = phases.warm_up, phases.warm_up + phases.window
    sent, delivered = engine.sent, engine.delivered
    chosen = (traffic.release >= begin) & (traffic.release < end)
    arrived = chosen & (delivered >= 0)
    latency = delivered[arrived] - sent[arrived]
    per = flits / (n * phases.window)
    accepted = per * int(((delivered >= begin) & (delivered < end)).sum())
    least = LEAST_ACCEPTED * min(load, per * int(chosen.sum()))
    return Point(
        latency=float(latency.mean()) if len(latency) else float("nan"),
        accepted=accepted,
        saturated=bool(arrived.sum() < chosen.sum()) or accepted < least,
    )


def saturation(
    make: Callable[[], Engine],
    flits: int,
    phases: Phases,
    *,
    seed: int,
    own: bool = False,
) -> float:
    """Return the load from which on a network does not keep up, by bisection.

    Parameters
    ----------
    make
        Returns a new engine.
    flits, phases, seed, own
        As for `measure`.

    Returns
    -------
    float
        Largest load found, up to 1, at which it keeps up.
    """
    low, high = 0.0, 1.0
    while high - low > _STEP:
        load = (low + high) / 2
        if measure(make(), load, flits, phases, seed=seed, own=own).saturated:
            high = load
        else:
            low = load
    return low
