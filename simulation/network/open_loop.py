"""Open-loop measurements: latency under uniform random traffic of a given load.

Every processor starts a message in a cycle with the same probability, whatever the
network does; targets are drawn uniformly. Messages released in a window after the
warm-up are measured, and traffic goes on until they have arrived or the time to drain
is over. This is how networks are compared (Dally and Towles 2004, chapter 23).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...instances import InputError
from .engine import Engine
from .messages import Messages

LEAST_ACCEPTED = 0.95
"""Part of the offered load below which the network is beyond saturation."""


@dataclass(frozen=True)
class Phases:
    """Cycles of a measurement.

    Parameters
    ----------
    warm_up
        Before the window, at least 0.
    window
        In which the messages are released that are measured, at least 1.
    drain
        Behind the window, at least 0; at its end all of them must have arrived.
    """

    warm_up: int = 3000
    window: int = 10_000
    drain: int = 5000

    def __post_init__(self) -> None:
        for field, value, least in (
            ("warm_up", self.warm_up, 0),
            ("window", self.window, 1),
            ("drain", self.drain, 0),
        ):
            if value < least:
                raise InputError(f"must be at least {least}", field=field, value=value)

    @property
    def cycles(self) -> int:
        """All together."""
        return self.warm_up + self.window + self.drain


@dataclass(frozen=True)
class Point:
    """What was measured at one load.

    Parameters
    ----------
    load
        Offered, in flits per processor and cycle.
    accepted
        Delivered in the window, in the same unit.
    latency
        Mean cycles from release to the arrival of the last flit, of the measured
        messages that arrived.
    measured, arrived
        Messages released in the window, and those of them that arrived in time.
    """

    load: float
    accepted: float
    latency: float
    measured: int
    arrived: int

    @property
    def saturated(self) -> bool:
        """Whether the network does not keep up with the load."""
        return (
            self.arrived < self.measured or self.accepted < LEAST_ACCEPTED * self.load
        )

    def check(self) -> None:
        """Refuse a load beyond saturation, where no latency is a steady one.

        Raises
        ------
        InputError
            If the network does not keep up.
        """
        if self.saturated:
            raise InputError(
                f"{self.load:g} flits per processor and cycle are beyond saturation: "
                f"{self.accepted:.3g} were accepted, and {self.arrived} of "
                f"{self.measured} messages arrived in time",
                field="load",
            )


def uniform(
    processors: int, load: float, flits: int, cycles: int, *, seed: int, own: bool
) -> Messages:
    """Draw uniform traffic: Bernoulli injection, targets drawn from all processors.

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
        If the load is out of range, or there is nobody to send to.
    """
    if not 0 < load <= flits:
        raise InputError(
            f"must be above 0 and at most {flits}", field="load", value=load
        )
    if processors < 2 and not own:
        raise InputError("needs at least two processors", field="processors")
    draw = np.random.default_rng(seed)
    chances = processors * cycles
    # gaps between successes are geometric: O(m), not O(processors cycles)
    spare = int(chances * load / flits * 1.1 + 100)
    at = np.cumsum(draw.geometric(load / flits, size=spare)) - 1
    while at[-1] < chances:
        more = np.cumsum(draw.geometric(load / flits, size=spare))
        at = np.concatenate([at, at[-1] + more])
    release, source = np.divmod(at[at < chances], processors)
    if own:
        target = draw.integers(0, processors, len(source))
    else:
        target = (source + draw.integers(1, processors, len(source))) % processors
    none = np.empty(0, np.int64)
    return Messages(source, target, np.full(len(source), flits), release, none, none)


def measure(
    engine: Engine,
    load: float,
    flits: int,
    phases: Phases | None = None,
    *,
    seed: int,
    own: bool = False,
) -> Point:
    """Measure the mean latency of uniform traffic.

    Parameters
    ----------
    engine
        New, without messages.
    load, flits, seed, own
        As for `uniform`.
    phases
        Cycles to warm up, to measure and to drain.

    Returns
    -------
    Point
        Load accepted and latency; whether the load is beyond saturation.
    """
    phases = phases or Phases()
    traffic = uniform(engine.processors, load, flits, phases.cycles, seed=seed, own=own)
    engine.add(traffic)
    while engine.time < phases.cycles:
        engine.run(phases.cycles)
    begin, end = phases.warm_up, phases.warm_up + phases.window
    sent, delivered = engine.sent, engine.delivered
    chosen = (traffic.release >= begin) & (traffic.release < end)
    arrived = chosen & (delivered >= 0)
    within = (delivered >= begin) & (delivered < end)
    latency = delivered[arrived] - sent[arrived]
    return Point(
        load=load,
        accepted=flits * int(within.sum()) / (engine.processors * phases.window),
        latency=float(latency.mean()) if len(latency) else float("nan"),
        measured=int(chosen.sum()),
        arrived=int(arrived.sum()),
    )
