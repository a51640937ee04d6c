"""What might be minimised: hops, extent, and the loads of links."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import shortest_path

from ...instances import IntArray, arrays
from ...network.cut_through.engine import CutThrough
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

    Where packets choose among ways, a message spreads equally over the next links,
    on a torus also over both ways round half a ring. Links to and from processors are
    left out where switches are nodes of their own: whatever the placement, they carry
    the same.
    """

    def __init__(self, machine: NetworkSystem) -> None:
        engine = CutThrough(machine.network)
        self._ends = np.concatenate([ends for _, ends in engine.channels()])
        self._fixed = machine.fixed
        processors = np.arange(machine.processors)
        self._begin = self._end = processors
        inner = np.ones(len(self._ends), np.bool_)
        if not machine.network.grid:
            if graph := machine.network.graph:
                self._begin = self._end = np.array(graph.processors)
            else:  # nothing leads out of the processors of a k-ary tree
                self._begin = len(processors) + processors // machine.groups[0]
            inner = np.logical_not(np.isin(self._ends, self._end).any(axis=1))
        self._between = np.flatnonzero(inner)
        links = coo_array((np.ones(len(self._ends)), tuple(self._ends.T)))
        self._hops = shortest_path(links, unweighted=True)
        self._shares: dict[tuple[int, ...], csr_array] = {}

    def loads(self, phits: IntArray, used: Sequence[int]) -> IntArray:
        """Return the phits over every link between switches.

        Parameters
        ----------
        phits
            From every task to every other, shape (k, k).
        used
            Processors of the tasks.
        """
        key = tuple(used)
        if key not in self._shares:
            rows = [self._to(self._end[one], self._begin[[*used]]) for one in used]
            self._shares[key] = csr_array(np.concatenate(rows, axis=1))
        found: IntArray = np.rint(self._shares[key] @ phits.T.ravel()).astype(np.int64)
        return found

    def _to(self, target: int, begin: IntArray) -> Floats:
        """Return the share of each link in a message to a node, by its beginning."""
        hops = self._hops[:, target]
        down = np.flatnonzero(hops[self._ends[:, 0]] == hops[self._ends[:, 1]] + 1)
        if self._fixed:
            down = down[np.unique(self._ends[down, 0], return_index=True)[1]]
        ways = np.bincount(self._ends[down, 0], minlength=len(hops))
        flow = np.zeros((len(hops), len(begin)))
        flow[begin, np.arange(len(begin))] = 1
        shares = np.zeros((len(self._ends), len(begin)))
        far = hops[self._ends[down, 0]]
        for level in range(int(hops[begin].max()), 0, -1):
            links = down[far == level]
            here, there = self._ends[links].T
            shares[links] = flow[here] / ways[here, None]
            np.add.at(flow, there, shares[links])
        return shares[self._between]


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
