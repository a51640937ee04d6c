"""Networks by a short text, and processors for the tasks of jobs.

A network is ``mesh:16x22``, ``torus:8x8``, ``tree:4x3`` (the 4-ary 3-tree),
``dragonfly:4,2,2`` (routers of a group, hosts and global links of a router) or
``graph:FILE``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np

from ..instances import InputError, Mesh, Topology, Torus, arrays, option_values
from ..instances.ksubset.generators import network_of
from ..instances.ksubset.graph_generators import dragonfly_network
from ..instances.reading.suggestions import entry_named
from ..instances.topologies.graph_files import read_graph
from ..methods.allocators.table import allocator, names
from .engine import Network
from .kary_tree import KaryTree
from .mapping.table import order_ranks
from .messages import Ints

_LIST = re.compile(r"\d{1,9}(,\d{1,9})*", re.ASCII)
_TRIPLE = re.compile(r"(\d{1,9}),(\d{1,9}),(\d{1,9})", re.ASCII)


def network_named(text: str) -> Network:
    """Return a network by its text.

    Parameters
    ----------
    text
        Kind, colon, and sizes or a file; see above.

    Raises
    ------
    InputError
        If there is no such kind, or the sizes are not valid: the field ``topology``.

    Examples
    --------
    >>> network_named("tree:4x3").processors
    64
    """
    kind, _, sizes = text.partition(":")
    make = entry_named(kind, _KINDS, "topology", "kind of network")
    try:
        return make(sizes)
    except InputError as error:
        if error.file or error.field.startswith("topology"):
            raise
        raise InputError(error.problem, "topology", text) from None


def processors_of(network: Network) -> Topology:
    """Return the network as methods see it that choose processors."""
    return network.as_tree() if isinstance(network, KaryTree) else network


def place_jobs(
    network: Network, method: str, sizes: Sequence[int], seed: int = 0
) -> list[Ints]:
    """Choose processors for jobs, one after the other, on an idle network.

    Parameters
    ----------
    network
        All of it is idle at first.
    method
        Allocator or method for k-subsets; task i runs on the i-th processor that it
        lists. With ``random`` the tasks are in random order, too. Or numbers of
        processors with commas between them, one per task of all jobs.
    sizes
        Tasks of each job.
    seed
        Of seeded methods; the i-th job has the seed plus i.

    Returns
    -------
    list of array
        Processors of the tasks of each job.

    Raises
    ------
    InputError
        If the network is too small, the method does not support it, a task has no
        processor, or a processor two.

    Examples
    --------
    >>> place_jobs(Mesh(2, 4), "column", [3, 2])
    [array([0, 4, 1]), array([5, 2])]
    """
    topology = processors_of(network)
    count = sum(1 for _ in topology.locations())
    if _LIST.fullmatch(method):
        return _given([int(one) for one in method.split(",")], sizes, count)
    entry_named(method, dict.fromkeys(names()), "placement", "method")
    if sum(sizes) > count:
        raise InputError(
            f"{len(sizes)} of {max(sizes)} tasks do not fit on {count} processors",
            "instances",
        )
    machine = allocator(method, topology, seed=seed)
    found: list[Ints] = []
    for i, size in enumerate(sizes):
        grant = machine.allocate(size)
        if grant is None:
            raise InputError(
                f"has no {size} processors left for instance {i}", "placement", method
            )
        used = np.asarray(grant.used, np.int64)
        if method == "random":  # it draws a set, which comes in order
            used = np.random.default_rng([seed, i]).permutation(used)
        found.append(used)
    return found


def hops_between(network: Network, processors: Ints) -> Ints:
    """Return the links between processors, by their numbers; shape (n, n)."""
    topology = processors_of(network)
    sites = np.array(list(topology.locations()), np.int64)[processors]
    found: Ints = arrays.distances(topology, sites[:, None], sites[None])
    return found


def map_ranks(
    network: Network, processors: Ints, traffic: Ints, method: str, seed: int = 0
) -> Ints:
    """Order the processors of a job so that its ranks send over few links.

    Parameters
    ----------
    network
        Where the processors are.
    processors
        One per rank.
    traffic
        Bytes from every rank to every other.
    method, seed
        See `order_ranks`.

    Raises
    ------
    InputError
        If there is no such method, or it does not take so many ranks: the field
        ``mapping``.
    """
    hops = hops_between(network, processors)
    try:
        found = order_ranks(traffic, hops, method, seed=seed)
    except InputError as error:
        raise InputError(error.problem, "mapping", error.value) from None
    return processors[list(found.chosen or ())]


def _given(numbers: list[int], sizes: Sequence[int], count: int) -> list[Ints]:
    """Deal out processors that were listed."""
    if len(numbers) < sum(sizes):
        raise InputError(
            f"rank {len(numbers)} has no node: {len(numbers)} are listed for "
            f"{sum(sizes)} ranks",
            "placement",
        )
    if len(numbers) > sum(sizes):
        raise InputError(
            f"must list {sum(sizes)} processors, one per rank",
            "placement",
            len(numbers),
        )
    seen: set[int] = set()
    for rank, number in enumerate(numbers):
        if number >= count:
            raise InputError(
                f"there are only {count} processors", f"placement[{rank}]", number
            )
        if number in seen:
            raise InputError("is listed twice", f"placement[{rank}]", number)
        seen.add(number)
    ends = np.cumsum(sizes)[:-1]
    return [np.asarray(part, np.int64) for part in np.split(np.array(numbers), ends)]


def _grid(kind: Callable[[tuple[int, ...]], Network]) -> Callable[[str], Network]:
    return lambda sizes: kind(_sides(sizes))


def _sides(text: str) -> tuple[int, ...]:
    try:
        return option_values.shape(text)
    except InputError:
        raise InputError("must be sides such as 16x22") from None


def _rings(sizes: str) -> Network:
    sides, _, rings = sizes.partition(":")
    if not rings:
        raise InputError("must be sides and the axes that are rings, as in grid:8x4:1")
    return network_of(f"grid:{rings}", _sides(sides))


def _tree(sizes: str) -> Network:
    sides = _sides(sizes)
    if len(sides) != 2:
        raise InputError("must be the arity and the levels of a tree, as in tree:4x3")
    return KaryTree(*sides)


def _dragonfly(sizes: str) -> Network:
    found = _TRIPLE.fullmatch(sizes)
    if found is None:
        raise InputError("must be routers, hosts and links, as in dragonfly:4,2,2")
    a, p, h = (int(one) for one in found.groups())
    return dragonfly_network(a, p, h)


_KINDS: dict[str, Callable[[str], Network]] = {
    "mesh": _grid(Mesh),
    "torus": _grid(Torus),
    "grid": _rings,
    "tree": _tree,
    "dragonfly": _dragonfly,
    "graph": read_graph,
}
