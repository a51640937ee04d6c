"""Runs of jobs on a network, and what is measured of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from math import prod

import numpy as np
import numpy.typing as npt

from ...instances import InputError, Mesh, Torus
from ...instances.numbers import at_least
from .cut_through import CutThrough
from .engine import Engine
from .flow_level import FlowLevel
from .messages import Ints
from .places import placed
from .posted import PACKET, Network
from .workloads_format import PHIT_BYTES, Workload
from .worm import RigidWorms


class Switching(Enum):
    """How packets are passed on."""

    CUT_THROUGH = "cut-through"
    """Packets in queues of four, see `CutThrough`."""
    WORMHOLE = "wormhole"
    """Worms across buffers of one flit, see `RigidWorms`."""
    FLOW = "flow"
    """Flows that share links fairly, see `FlowLevel`."""


@dataclass(frozen=True)
class Summary:
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


@dataclass(frozen=True, eq=False)
class Finished:
    """A run that has come to its end.

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

    summary: Summary
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

    Raises
    ------
    InputError
        If the options do not go together, or a pair has no route.
    """
    if packet is not None:
        at_least(packet, 1, "packet")
    if switching is Switching.WORMHOLE:
        if not isinstance(network, Mesh | Torus):
            raise InputError(
                "needs a mesh or a torus", field="switching", value=switching.value
            )
        if routing not in ("", "dimension-order"):
            raise InputError(
                "must be dimension-order for worms", field="routing", value=routing
            )
        return RigidWorms(network, packet=packet)
    if switching is Switching.FLOW:
        return FlowLevel(network, routing=routing, packet=packet or PACKET)
    return CutThrough(network, routing=routing, packet=packet or PACKET, seed=seed)


def run_on(
    engine: Engine,
    network: Network,
    workload: Workload,
    places: Sequence[Ints],
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
    while jobs := engine.run():
        for job in jobs:
            end[job] = engine.time
    latency = (engine.delivered - engine.sent)[np.tile(source != target, len(places))]
    ends = np.concatenate([ends for _, ends in engine.channels()])
    real = ends[:, 0] != ends[:, 1]  # injection and ejection are at one processor
    ends, carried = ends[real], engine.carried[real]
    busiest = int(carried.argmax()) if carried.any() else None
    last = max(end, default=0)
    most = 0 if busiest is None else int(carried[busiest])
    count = len(latency)
    summary = Summary(
        time_cycles=last,
        messages=count,
        mean_latency_cycles=float(latency.mean()) if count else None,
        p95_latency_cycles=int(np.sort(latency)[-(-19 * count // 20) - 1])
        if count
        else None,
        max_latency_cycles=int(latency.max()) if count else None,
        flits_carried=int(carried.sum()),
        links=len(carried),
        busiest_link=None if busiest is None else _named(network, ends[busiest]),
        busiest_link_flits=most,
        busiest_link_share=most / last if last else 0.0,
        instance_cycles=tuple(end),
    )
    return Finished(summary, tuple(places), latency, ends, carried)


def run_network(
    network: Network,
    workload: Workload,
    placement: str,
    *,
    instances: int = 1,
    switching: Switching = Switching.CUT_THROUGH,
    routing: str = "",
    packet: int | None = None,
    seed: int = 0,
) -> Finished:
    """Place instances of a workload on an idle network, and run them at once.

    Parameters
    ----------
    network
        Where the processors are.
    workload
        Messages of an instance.
    placement
        Method that chooses processors, see `placed`.
    instances
        Number of instances, at least 1.
    switching, routing, packet, seed
        See `engine_for`; the seed is that of the placement, too.

    Raises
    ------
    InputError
        If the instances do not fit, or options do not go together.

    Examples
    --------
    >>> from closeknit.simulation.network.workloads import workload
    >>> square = workload("2M", 4, 64)  # everyone sends two packets over one link
    >>> run_network(Torus(8, 8), square, "quadrant").summary.time_cycles
    33
    """
    at_least(instances, 1, "instances")
    engine = engine_for(network, switching, routing=routing, packet=packet, seed=seed)
    places = placed(network, placement, [workload.tasks] * instances, seed)
    return run_on(engine, network, workload, places)


def _named(network: Network, ends: npt.NDArray[np.int64]) -> str:
    """Name a link by the cells of a grid, or the numbers of nodes."""
    if not isinstance(network, Mesh | Torus):
        return f"{ends[0]} -> {ends[1]}"
    assert ends.max() < prod(network.shape)
    cells = np.stack(np.unravel_index(ends, network.shape), axis=1).tolist()
    return " -> ".join("({})".format(", ".join(map(str, cell))) for cell in cells)
