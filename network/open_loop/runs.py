"""Runs at a steady load: latency, load of links, and where saturation lies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from ...instances import InputError
from ...instances.reading.numbers import at_least
from ..cut_through.message_queue import PACKET, Network
from ..engine import Engine
from ..limits import LoadBound, load_limit
from ..messages import Ints
from ..progress_steps import Show
from ..runs import (
    Switching,
    Traced,
    engine_for,
    latency_measures,
    link_measures,
    links_of,
)
from ..workloads.patterns import UNIFORM, partners
from ..worm.engine import RigidWorms
from .engine import Phases, observe, saturation

_STEPS = 16
"""Saturation is found to within such a part of the load that is beyond it."""
FEWEST, MOST = 100, 2**23
"""Messages in the window that a measurement needs, and that it may have."""


@dataclass(frozen=True)
class LoadSummary:
    """What was measured at a steady load; times are in cycles.

    Parameters
    ----------
    load
        Offered, in flits per processor that sends and cycle.
    accepted_load
        Delivered, in the same unit.
    load_limit, load_limit_by
        What no routing can exceed, and why; see `limits.load_limit`.
    messages
        Released in the window; latencies are of these.
    mean_latency_cycles, p95_latency_cycles, max_latency_cycles
        As in `runs.RunSummary`.
    flits_carried, links, busiest_link, busiest_link_flits, busiest_link_share
        As in `runs.RunSummary`, over all cycles, those before and behind the window
        included.
    """

    load: float
    accepted_load: float
    load_limit: float
    load_limit_by: str
    messages: int
    mean_latency_cycles: float | None
    p95_latency_cycles: int | None
    max_latency_cycles: int | None
    flits_carried: int
    links: int
    busiest_link: str | None
    busiest_link_flits: int
    busiest_link_share: float


@dataclass(frozen=True, eq=False, kw_only=True)
class Loaded(Traced):
    """A run at a steady load.

    Parameters
    ----------
    summary
        Its measures; see `Traced` for the others.
    """

    summary: LoadSummary


def run_load(
    network: Network,
    load: float,
    *,
    pattern: str = UNIFORM,
    flits: int = PACKET,
    cycles: int = 10_000,
    switching: Switching = Switching.CUT_THROUGH,
    routing: str = "",
    packet: int | None = None,
    seed: int = 0,
    table: npt.ArrayLike | None = None,
    filmed: bool = False,
    show: Show | None = None,
) -> Loaded:
    """Send random traffic at a load, and measure messages of a window of time.

    Parameters
    ----------
    network
        Where the processors are.
    load
        Flits per processor that sends and cycle.
    pattern
        Who sends to whom; see `patterns.partners`.
    flits
        Length of a message.
    cycles
        Of the window; it begins after 3/10 as many, and traffic goes on for half as
        many behind it.
    switching, routing, packet, seed, table
        See `engine_for`; the seed is that of the traffic, too.
    filmed, show
        See `observe`.

    Raises
    ------
    InputError
        If the load is beyond saturation: the message states where that lies. If it is
        so low that fewer than `FEWEST` messages fall into the window, or more than
        `MOST` would, or options do not go together.

    Examples
    --------
    >>> from closeknit.instances import Torus
    >>> found = run_load(Torus(4, 4), 0.2, cycles=2000).summary
    >>> found.load_limit, 0.18 < found.accepted_load < 0.22
    (1.0, True)
    """
    partner = partners(network, pattern, seed)
    at_least(cycles, 1, "cycles")
    if not 0 < load <= flits:
        raise InputError(f"must be above 0 and at most {flits}", "load", load)

    fresh = partial(engine_for, network, switching, routing=routing, packet=packet)
    fresh = partial(fresh, seed=seed, table=table)
    engine = fresh()
    if engine.processors < 2:
        raise InputError("needs at least two processors", field="topology")
    ends, _ = links_of(engine)
    wide = engine.map.lanes if isinstance(engine, RigidWorms) else 1
    bound = load_limit(network, ends, partner, wide)
    if switching is not Switching.WORMHOLE:  # which pads nothing
        unit = packet or PACKET
        bound = LoadBound(bound.load * flits / (unit * -(-flits // unit)), bound.by)
    phases = Phases(3 * cycles // 10, cycles, cycles // 2)
    if load > bound.load:
        raise InputError(
            f"{load:g} flits per processor and cycle are beyond saturation: "
            f"{bound.by} let at most {bound.load:.3g} pass",
            field="load",
        )
    senders = engine.processors
    if partner is not None:
        senders = int((partner != np.arange(senders)).sum())
    expected = senders * cycles * load / flits
    if expected < FEWEST:
        raise InputError(
            f"{load:g} flits per processor and cycle are about {expected:.0f} messages "
            f"in {cycles} cycles, fewer than {FEWEST}: measure for longer",
            field="cycles",
        )
    if expected > MOST:
        raise InputError(
            f"{load:g} flits per processor and cycle are about {expected:.3g} messages "
            f"in {cycles} cycles, more than {MOST}",
            field="cycles",
        )
    seen = observe(
        engine,
        load,
        flits,
        phases,
        seed=seed,
        partner=partner,
        filmed=filmed,
        show=show,
    )
    if seen.point.saturated:
        _refuse(fresh, load, flits, phases, seed, partner, bound)
    ends, carried = links_of(engine)
    summary = LoadSummary(
        load=load,
        accepted_load=seen.point.accepted,
        load_limit=bound.load,
        load_limit_by=bound.by,
        messages=seen.point.measured,
        **latency_measures(seen.latency),
        **link_measures(network, ends, carried, phases.cycles),
    )
    return Loaded(
        summary=summary,
        latency=seen.latency,
        ends=ends,
        carried=carried,
        film=seen.film,
    )


def _refuse(
    fresh: Callable[[], Engine],
    load: float,
    flits: int,
    phases: Phases,
    seed: int,
    partner: Ints | None,
    bound: LoadBound,
) -> NoReturn:
    """Raise an error that states where saturation lies."""
    step = load / _STEPS
    kept = saturation(
        fresh, flits, phases, seed=seed, partner=partner, step=step, below=load
    )
    high = min(load, kept + step)
    raise InputError(
        f"{load:g} flits per processor and cycle are beyond saturation, which lies "
        f"between {kept:.3g} and {high:.3g} ({bound.by} would let {bound.load:.3g} "
        f"pass)",
        field="load",
    )
