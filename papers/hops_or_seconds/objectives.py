"""What might be minimised: hops, extent, and the loads of links."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ...instances import IntArray, arrays
from ...network.flow_level.engine import FlowLevel
from ...network.messages import Messages
from ...simulation.stream.kernels import measure_job
from .machines import NetworkSystem

Floats = npt.NDArray[np.float64]
PAIR_SUM = "pair sum"
LINK = "busiest link, all to all"
OF_SET = (PAIR_SUM, "longest distance", "bounding box", "pieces", LINK)
"""Objectives that depend on the set of processors alone."""
TRAFFIC_HOPS = "hops of its traffic"
OWN_LINK = "busiest link, its traffic"
ALL_LINK = "busiest link, with others"
OF_TRAFFIC = (TRAFFIC_HOPS, OWN_LINK, ALL_LINK)
"""Objectives that need the job's traffic; the last one also that of all others."""
OBJECTIVES = (*OF_SET, *OF_TRAFFIC)
_MANY = 960
"""Phits from everyone to everyone: many, so that shares of links are not rounded."""


class StaticLoads:
    """Loads of links if everything is sent at once, by the network's own routes.

    Where packets choose among ways, a message spreads over them as in `FlowLevel`.
    Links to and from processors are left out where switches are nodes of their own:
    whatever the placement, they carry the same.
    """

    def __init__(self, machine: NetworkSystem) -> None:
        self._flows = FlowLevel(machine.network, routing=machine.static, packet=1)
        ends = np.concatenate([ends for _, ends in self._flows.channels()])
        if machine.network.grid:
            inner = np.ones(len(ends), np.bool_)
        else:
            processors = np.arange(machine.processors)
            if machine.network.graph:
                processors = np.array(machine.network.graph.processors)
            inner = np.logical_not(np.isin(ends, processors).any(axis=1))
        self._between = np.flatnonzero(inner)

    def loads(self, phits: IntArray, used: Sequence[int]) -> IntArray:
        """Return the phits over every link between switches.

        Parameters
        ----------
        phits
            From every task to every other, shape (k, k).
        used
            Processors of the tasks.
        """
        before = self._flows.carried
        source, target = np.nonzero(phits)
        none = np.zeros(0, np.int64)
        self._flows.add(
            Messages(source, target, phits[source, target], 0 * source, none, none).on(
                used
            )
        )
        self._flows.finish()
        found: IntArray = (self._flows.carried - before)[self._between]
        return found


def all_to_all(k: int) -> IntArray:
    """Return the same phits from every task to every other.

    >>> all_to_all(2).tolist()
    [[0, 960], [960, 0]]
    """
    return _MANY * (1 - np.eye(k, dtype=np.int64))


def of_set(machine: NetworkSystem, static: StaticLoads, used: IntArray) -> list[float]:
    """Return the values of `OF_SET` for a set of processors, ascending."""
    sites = np.array(list(machine.topology.locations()), np.int64)[used]
    hops = arrays.distances(machine.topology, sites[:, None], sites[None])
    loads = static.loads(all_to_all(len(used)), used.tolist())
    box, pieces = _extent(machine, used)
    return [
        float(hops.sum() // 2),
        float(hops.max()),
        float(box),
        float(pieces),
        float(loads.max()),
    ]


def _extent(machine: NetworkSystem, used: IntArray) -> tuple[int, int]:
    """Return processors of the smallest enclosing part, and connected pieces.

    On a grid the part is a box. Elsewhere it is as many groups of processors as are
    touched, or on a tree the smallest subtree; pieces are switches with processors of
    the job.
    """
    network = machine.network
    if grid := network.grid:
        shape, rings = np.array(grid.shape), np.array(grid.ring_lengths)
        _, box, _, pieces = measure_job(used, shape, rings)
        return int(box), int(pieces)
    touched = [len(np.unique(used // size)) for size in machine.groups]
    if network.graph:
        return touched[-1] * machine.groups[-1], touched[0]
    whole = next(
        size for size, n in zip(machine.groups, touched, strict=True) if n == 1
    )
    return whole, touched[0]
