"""Runs of jobs on a network, and what is measured of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TypedDict

import numpy as np
import numpy.typing as npt

from ..instances import InputError
from ..instances.reading.numbers import at_least
from .cut_through.engine import PACKET, CutThrough
from .engine import Engine, Network
from .messages import Ints
from .processor_numbers import map_ranks, place_jobs
from .progress_steps import Pace, Show
from .workloads.format import PHIT_BYTES, Workload
from .workloads.io_side import IoSide
from .worm.engine import RigidWorms


class Switching(Enum):
    """How packets are passed on."""

    CUT_THROUGH = "cut-through"
    """Packets in queues of four, see `CutThrough`."""
    WORMHOLE = "wormhole"
    """Worms across buffers of one flit, see `RigidWorms`."""


@dataclass(frozen=True)
class RunSummary:
    """What was measured of a run; times are in cycles.

    Parameters
    ----------
    time_cycles
        Until the last message arrived.
    messages
        Number of messages between different processors; latencies are of these, from
        release to the arrival of the last flit.
    mean_latency_cycles, p95_latency_cycles, max_latency_cycles
        Mean, 95th percentile (the least value that 95 % do not exceed) and maximum;
        None if there are no messages.
    flits_carried
        Flits (phits) over all links, once per link.
    links
        Number of links, each counted per direction.
    busiest_link
        Ends of a link that carried most, the first of them; None if there are none.
    busiest_link_flits
        Flits that it carried.
    busiest_link_share
        Part of the time in which it carried a flit.
    instance_cycles
        Time at which the last message of each instance arrived.
    """

    time_cycles: int
    messages: int
    mean_latency_cycles: float | None
    p95_latency_cycles: int | None
    max_latency_cycles: int | None
    flits_carried: int
    links: int
    busiest_link: str | None
    busiest_link_flits: int
    busiest_link_share: float
    instance_cycles: tuple[int, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class Finished:
    """A run that has come to its end, message by message and link by link.

    Parameters
    ----------
    summary
        Its measures.
    places
        Processors of the tasks of each instance.
    latency
        Of each message between different processors, in order of addition.
    ends, carried
        Two ends of each link, shape (l, 2), and the flits that it carried.
    """

    summary: RunSummary
    places: tuple[Ints, ...]
    latency: Ints
    ends: npt.NDArray[np.int64]
    carried: Ints


def engine_for(
    network: Network,
    switching: Switching = Switching.CUT_THROUGH,
    *,
    routing: str = "",
    packet: int | None = None,
    seed: int = 0,
    table: npt.ArrayLike | None = None,
) -> Engine:
    """Return a new engine.

    Parameters
    ----------
    network
        Where the processors are.
    switching
        How packets are passed on; wormholes are for meshes and tori only.
    routing
        See `CutThrough`; "" for the usual one. Wormholes know ``dimension-order``.
    packet
        Flits of a packet; None for 16, or of wormholes for whole messages.
    seed
        Of ties that are drawn.
    table
        Routes of a graph instead of a routing, see `routes_file`.

    Raises
    ------
    InputError
        If the options do not go together, or a pair has no route.
    """
    if packet is not None:
        at_least(packet, 1, "packet")
    if table is not None and routing:
        raise InputError("is not for given routes", "routing", routing)
    if switching is Switching.WORMHOLE:
        if network.grid is None:
            raise InputError("needs a mesh or a torus", "switching", switching.value)
        if routing not in ("", "dimension-order"):
            raise InputError("must be dimension-order for worms", "routing", routing)
        return RigidWorms(network.grid, packet=packet)
    return CutThrough(
        network, routing=routing, table=table, packet=packet or PACKET, seed=seed
    )


def run_on(
    engine: Engine,
    network: Network,
    workload: Workload,
    places: Sequence[Ints],
    *,
    show: Show | None = None,
) -> Finished:
    """Start an instance of a workload on each set of processors, and run to the end.

    Parameters
    ----------
    engine
        New, of this network.
    network
        Names the ends of links.
    workload
        Messages of an instance; a flit has four bytes.
    places
        Processors of the tasks, for each instance.
    show
        Called now and then with the numbers of messages that have arrived, and of all.

    Returns
    -------
    Finished
        What was measured.

    Raises
    ------
    InputError
        If a processor does not exist, or a task has none.
    """
    source, target = workload.messages[:, 0], workload.messages[:, 1]
    for job, processors in enumerate(places):
        engine.add(workload.on(processors.tolist(), PHIT_BYTES), job)
    end = [0] * len(places)
    left = len(places)
    run = engine.run if show is None else Pace(engine, show).run
    while left:
        jobs = run()
        for job in jobs:
            end[job] = engine.time
        left -= len(jobs)
    latency = (engine.delivered - engine.sent)[np.tile(source != target, len(places))]
    ordered, beyond = np.sort(latency), -(-19 * len(latency) // 20) - 1
    ends, carried = links_of(engine)
    last = max(end, default=0)
    summary = RunSummary(
        time_cycles=last,
        messages=len(latency),
        mean_latency_cycles=float(latency.mean()) if len(latency) else None,
        p95_latency_cycles=int(ordered[beyond]) if len(latency) else None,
        max_latency_cycles=int(ordered[-1]) if len(latency) else None,
        **link_measures(network, ends, carried, last),
        instance_cycles=tuple(end),
    )
    return Finished(
        summary=summary,
        places=tuple(places),
        latency=latency,
        ends=ends,
        carried=carried,
    )


def links_of(engine: Engine) -> tuple[npt.NDArray[np.int64], Ints]:
    """Return the ends of links and what they have carried.

    Injection and ejection, which are at one processor, do not count.
    """
    ends = np.concatenate([ends for _, ends in engine.channels()])
    real = ends[:, 0] != ends[:, 1]
    return ends[real], engine.carried[real]


class LinkMeasures(TypedDict):
    """See `RunSummary`."""

    flits_carried: int
    links: int
    busiest_link: str | None
    busiest_link_flits: int
    busiest_link_share: float


def link_measures(
    network: Network, ends: npt.NDArray[np.int64], carried: Ints, cycles: int
) -> LinkMeasures:
    """Return what links carried in some cycles."""
    busiest = int(carried.argmax()) if carried.any() else None
    most = 0 if busiest is None else int(carried[busiest])
    return LinkMeasures(
        flits_carried=int(carried.sum()),
        links=len(carried),
        busiest_link=None if busiest is None else _name_link(network, ends[busiest]),
        busiest_link_flits=most,
        busiest_link_share=most / cycles if cycles else 0.0,
    )


def run_network(
    network: Network,
    workload: Workload,
    placement: str,
    *,
    mapping: str = "identity",
    instances: int = 1,
    switching: Switching = Switching.CUT_THROUGH,
    routing: str = "",
    packet: int | None = None,
    seed: int = 0,
    table: npt.ArrayLike | None = None,
    io: IoSide | None = None,
    show: Show | None = None,
) -> Finished:
    """Place instances of a workload on an idle network, and run them at once.

    Parameters
    ----------
    network
        Where the processors are.
    workload
        Messages of an instance.
    placement
        Method that chooses processors, see `place_jobs`.
    mapping
        Method that orders the tasks of each instance on them, see `order_ranks`; by
        default, and with I/O nodes on a side, the order of the placement is kept.
    instances
        Number of instances, at least 1.
    switching, routing, packet, seed, table
        See `engine_for`; the seed is that of the placement, too.
    io
        The network with I/O nodes on one side: they run the last tasks of every
        instance. None to place these tasks like the others.
    show
        See `run_on`.

    Raises
    ------
    InputError
        If the instances do not fit, or options do not go together.

    Examples
    --------
    >>> from closeknit.instances import Torus
    >>> from closeknit.network.workloads.table import workload
    >>> square = workload("2M", 4, 64)  # everyone sends two packets over one link
    >>> run_network(Torus(8, 8), square, "quadrant").summary.time_cycles
    33
    """
    at_least(instances, 1, "instances")
    whole = io.network if io else network
    engine = engine_for(
        whole, switching, routing=routing, packet=packet, seed=seed, table=table
    )
    tasks = workload.tasks - (workload.io if io else 0)
    places = place_jobs(network, placement, [tasks] * instances, seed)
    if mapping != "identity" and io is None:
        traffic = workload.matrix()
        places = [map_ranks(network, one, traffic, mapping, seed) for one in places]
    if io:
        if workload.io != len(io.io):
            raise InputError(
                f"must have {len(io.io)} I/O nodes, one per node of that side",
                "io",
                workload.io,
            )
        places = [np.concatenate([io.nodes(place), io.io]) for place in places]
    return run_on(engine, whole, workload, places, show=show)


def _name_link(network: Network, ends: npt.NDArray[np.int64]) -> str:
    """Name a link by the cells of a grid, or the numbers of nodes."""
    if network.grid is None:
        return f"{ends[0]} -> {ends[1]}"
    cells = np.stack(np.unravel_index(ends, network.size), axis=1).tolist()
    return " -> ".join("({})".format(", ".join(map(str, cell))) for cell in cells)
