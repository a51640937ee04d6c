"""What links can carry at most, whatever the switches do: bounds on a steady load.

A load is in flits per sending processor and cycle. Three bounds hold for every routing:
a processor sends one flit a cycle; all links together carry no more than one flit each
per cycle, and a flit takes at least its hops of them; the links out of any part of the
network carry all that leaves it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..instances import arrays
from ..instances.arrays.graphs import weighted_rows
from .cut_through.message_queue import Network
from .kary_tree import KaryTree
from .messages import Ints

_MOST_DISTANCES = 2**24
_MOST_ORDERS = 256
"""Nodes from which parts of a graph are grown."""


class LoadBound(NamedTuple):
    """A bound on the load, and what it comes from."""

    load: float
    by: str


def load_limit(
    network: Network, ends: Ints, partner: Ints | None = None, lanes: int = 1
) -> LoadBound:
    """Return the least of the three bounds.

    Parameters
    ----------
    network
        Where the processors are.
    ends
        Of the links, shape (links, 2), as `Engine.channels` gives them.
    partner
        To whom each processor sends; None for uniform traffic.
    lanes
        Flits that a link carries per cycle.
    """
    limits = (
        LoadBound(1.0, "the way out of a processor"),
        LoadBound(hop_limit(network, ends, partner, lanes), "all links together"),
        LoadBound(cut_limit(network, ends, partner, lanes=lanes), "the links of a cut"),
    )
    return min(limits, key=lambda one: one.load)


def hop_limit(
    network: Network, ends: Ints, partner: Ints | None = None, lanes: int = 1
) -> float:
    """Return the load at which flits need all links all the time.

    It is infinite where the table of distances would be too large.

    Examples
    --------
    >>> from closeknit.instances import Torus
    >>> ring = Torus(8)
    >>> ends = np.array([(v, w % 8) for v in range(8) for w in (v + 1, v - 1)])
    >>> hop_limit(ring, ends, np.roll(np.arange(8), 3))  # everyone three hops away
    0.6666666666666666
    """
    sites = list(network.locations())
    n = len(sites)
    if n * max(n, int(ends.max(initial=0)) + 1) > _MOST_DISTANCES:
        return float("inf")
    if network.labels is not None:
        home = np.array(sites, np.int64)[:, 0]
        far = _hops(home, ends)[:, home]
    elif isinstance(network, KaryTree):
        number = np.arange(n)
        far = np.where(np.equal.outer(number, number), 0, 1)  # from the leaf switch
        for level in range(1, network.n):
            far += 2 * np.not_equal.outer(*(number // network.k**level,) * 2)
    else:
        place = np.array(sites)
        far = np.array([arrays.distances(network, 0 * place + p, place) for p in place])
    drawn = partner is None
    hops = far.sum() / (n - 1) if drawn else far[np.arange(n), partner].sum()
    return lanes * len(ends) / float(hops)


def cut_limit(
    network: Network,
    ends: Ints,
    partner: Ints | None = None,
    *,
    own: bool = False,
    lanes: int = 1,
) -> float:
    """Return the largest load that the links of some cuts let pass.

    Cuts are across the axes of meshes and tori; of graphs and trees between the nodes
    nearest to one and all others. Of k-ary trees none is tried.

    Parameters
    ----------
    network, ends, partner, lanes
        As of `load_limit`.
    own
        Whether a processor may be its own target in uniform traffic.
    """
    least = float("inf")
    home = np.arange(network.processors_in_all)
    if network.labels is not None:
        home = np.array([v for (v,) in network.locations()], np.int64)
    n = len(home)
    for order in _orders(network, ends):
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        inside = np.cumsum(np.bincount(place[home], minlength=len(order)))
        for out, into in ((0, 1), (1, 0)):
            links = _crossing(place[ends[:, out]], place[ends[:, into]], len(order))
            if partner is None:
                flow = inside * (n - inside) / (n if own else n - 1)
            else:
                pair = place[home], place[home[partner]]
                flow = _crossing(pair[out], pair[into], len(order)).astype(float)
            crossed = flow > 0
            if crossed.any():
                least = min(
                    least, float((lanes * links[crossed] / flow[crossed]).min())
                )
    return least


def _crossing(begin: Ints, end: Ints, nodes: int) -> Ints:
    """Count by i the pairs that begin at a place up to i and end at one beyond."""
    ahead = begin < end
    change = np.bincount(begin[ahead], minlength=nodes)
    change -= np.bincount(end[ahead], minlength=nodes)
    return np.cumsum(change)


def _orders(network: Network, ends: Ints) -> Iterator[Ints]:
    """Yield nodes in orders of which every beginning is one side of a cut."""
    if isinstance(network, KaryTree):
        return
    if grid := network.grid:
        sites = np.array(list(grid.locations())).T
        for x, side, ring in zip(sites, grid.shape, grid.rings, strict=True):
            for first in range(side if ring else 1):
                yield np.argsort((x - first) % side, kind="stable")
        return
    nodes = int(ends.max(initial=0)) + 1
    for first in range(0, nodes, -(-nodes // _MOST_ORDERS)):
        (away,) = _hops(np.array([first]), ends)
        yield np.argsort(away, kind="stable")


def _hops(sources: Ints, ends: Ints) -> Ints:
    """Return the links from some nodes to all, a row each."""
    links = np.column_stack([ends, np.ones(len(ends), np.int64)])
    return weighted_rows(sources, links, int(ends.max(initial=0)) + 1)
