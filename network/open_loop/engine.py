"""Open-loop measurements: latency under random traffic of a given load.

Every processor starts a message in a cycle with the same probability, whatever the
network does; targets are drawn uniformly, or a pattern names them (see `patterns`).
Messages released in a window after the warm-up are measured, and traffic goes on until
they have arrived or the time to drain is over. This is how networks are compared (Dally
and Towles 2004, chapter 23).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...instances import InputError
from ..engine import Engine
from ..messages import Ints, Messages
from ..progress_steps import Pace, Show
from ..recording import LinkFilm, LinkRecorder

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
        Offered, in flits per processor that sends and cycle.
    offered, accepted
        Released and delivered in the window, in the same unit.
    latency
        Mean cycles from release to the arrival of the last flit, of the measured
        messages that arrived.
    measured, arrived
        Messages released in the window, and those of them that arrived in time.
    """

    load: float
    offered: float
    accepted: float
    latency: float
    measured: int
    arrived: int

    @property
    def saturated(self) -> bool:
        """Whether the network does not keep up with the load."""
        return self.arrived < self.measured or self.accepted < LEAST_ACCEPTED * min(
            self.load, self.offered
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
    processors: int,
    load: float,
    flits: int,
    cycles: int,
    *,
    seed: int,
    own: bool,
    partner: Ints | None = None,
) -> Messages:
    """Draw traffic: Bernoulli injection, targets drawn from all processors or given.

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
    partner
        The target of each processor; those that are their own are silent. None to draw.

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
    if partner is not None:
        sends = partner[source] != source
        release, source = release[sends], source[sends]
        target = partner[source]
    elif own:
        target = draw.integers(0, processors, len(source))
    else:
        target = (source + draw.integers(1, processors, len(source))) % processors
    none = np.empty(0, np.int64)
    return Messages(source, target, np.full(len(source), flits), release, none, none)


@dataclass(frozen=True, eq=False)
class Observed:
    """A measurement with all that was seen.

    Parameters
    ----------
    point
        Load accepted and mean latency.
    latency
        Of the measured messages that arrived.
    film
        What links carried through time; None unless it was wanted.
    """

    point: Point
    latency: Ints
    film: LinkFilm | None = None


def measure(
    engine: Engine,
    load: float,
    flits: int,
    phases: Phases | None = None,
    *,
    seed: int,
    own: bool = False,
    partner: Ints | None = None,
) -> Point:
    """Measure the mean latency of random traffic.

    Parameters
    ----------
    engine
        New, without messages.
    load, flits, seed, own, partner
        As for `uniform`.
    phases
        Cycles to warm up, to measure and to drain.

    Returns
    -------
    Point
        Load accepted and latency; whether the load is beyond saturation.
    """
    return observe(
        engine, load, flits, phases, seed=seed, own=own, partner=partner
    ).point


def observe(
    engine: Engine,
    load: float,
    flits: int,
    phases: Phases | None = None,
    *,
    seed: int,
    own: bool = False,
    partner: Ints | None = None,
    filmed: bool = False,
    show: Show | None = None,
) -> Observed:
    """Measure, and keep every latency; see `measure`.

    Parameters
    ----------
    engine, load, flits, phases, seed, own, partner
        As for `measure`.
    filmed
        Whether to note what links carry through time.
    show
        Called now and then with the present cycle, and the last.
    """
    phases = phases or Phases()
    n = engine.processors
    traffic = uniform(
        n, load, flits, phases.cycles, seed=seed, own=own, partner=partner
    )
    recorder = LinkRecorder(engine) if filmed else None
    engine.add(traffic)
    run = engine.run if show is None else Pace(engine, show, phases.cycles).run
    while engine.time < phases.cycles:
        stop = phases.cycles
        run(min(stop, recorder.due) if recorder else stop)
        if recorder:
            recorder.look()
    begin, end = phases.warm_up, phases.warm_up + phases.window
    sent, delivered = engine.sent, engine.delivered
    chosen = (traffic.release >= begin) & (traffic.release < end)
    arrived = chosen & (delivered >= 0)
    within = (delivered >= begin) & (delivered < end)
    latency = delivered[arrived] - sent[arrived]
    senders = n if partner is None else int((partner != np.arange(n)).sum())
    point = Point(
        load=load,
        offered=flits * int(chosen.sum()) / (senders * phases.window),
        accepted=flits * int(within.sum()) / (senders * phases.window),
        latency=float(latency.mean()) if len(latency) else float("nan"),
        measured=int(chosen.sum()),
        arrived=int(arrived.sum()),
    )
    return Observed(point, latency, recorder.film() if recorder else None)


def saturation(
    make: Callable[[], Engine],
    flits: int,
    phases: Phases,
    *,
    seed: int,
    own: bool = False,
    partner: Ints | None = None,
    step: float = 0.005,
    below: float = 1.0,
) -> float:
    """Return the load from which on a network does not keep up, by bisection.

    Parameters
    ----------
    make
        Returns a new engine.
    flits, phases, seed, own, partner
        As for `measure`.
    step
        Width of the interval at which the search ends.
    below
        Load at which it does not keep up.

    Returns
    -------
    float
        Largest load found at which it keeps up; O(log(1 / step)) measurements.
    """
    low, high = 0.0, below
    while high - low > step:
        load = (low + high) / 2
        point = measure(
            make(), load, flits, phases, seed=seed, own=own, partner=partner
        )
        if point.saturated:
            high = load
        else:
            low = load
    return low
