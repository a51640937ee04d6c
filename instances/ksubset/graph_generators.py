"""Generators of instances on dragonflies, fat-trees, hypercubes and random graphs.

Switches are numbered before hosts. Free processors may be random. Equal arguments give
equal instances.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from ..errors import InputError
from ..reading.files import stem
from ..reading.numbers import at_most, positive
from ..topologies import Graph
from ..topologies.graph import MOST_EDGES, MOST_NODES
from ..topologies.graph_files import read_graph
from .generators import free_count, generator, share_text
from .instance import KSubset

_Pairs = list[tuple[int, int]]
_MOST_TRIES = 200
"""Maximal number of draws of a random regular graph until one is connected."""


def dragonfly_network(a: int, p: int, h: int) -> Graph:
    """Build a balanced or unbalanced dragonfly of the greatest size.

    There are a h + 1 groups of ``a`` routers, all routers of a group linked to each
    other. Every router has ``p`` hosts and ``h`` links to other groups, so that any two
    groups have one link: the j-th of group x goes to group x + j + 1 (Kim, Dally, Scott
    and Abts 2008, absolute arrangement turned round by the group). Raises InputError if
    one is below 1, or the network is too large.

    Examples
    --------
    >>> dragonfly_network(4, 2, 2).nodes  # 9 groups: 36 routers, 72 hosts
    108
    """
    positive(a=a, p=p, h=h)
    groups = a * h + 1
    _not_too_large(groups * a * (1 + p), groups * a * (a + h + p))
    links: _Pairs = []
    for x in range(groups):
        routers = range(x * a, (x + 1) * a)
        links += [(u, v) for u in routers for v in routers if u < v]
        for j in range(a * h):
            y = (x + j + 1) % groups
            back = groups - 2 - j  # the number of the same link in group y
            if x < y:
                links.append((x * a + j // h, y * a + back // h))
    return _with_hosts(groups * a, links, list(range(groups * a)), p)


def fat_tree_network(radix: int) -> Graph:
    """Build the three-level fat-tree of switches of one radix.

    There are ``radix`` pods, each with radix/2 edge switches and radix/2 spines, all
    linked to each other; every edge switch has radix/2 hosts, and (radix/2)² core
    switches join the spines of the pods (Al-Fares, Loukissas and Vahdat 2008). There
    are radix³/4 hosts. Raises InputError if the radix is odd or below 2, or the network
    is too large.

    Examples
    --------
    >>> len(fat_tree_network(4).processors)
    16
    """
    if radix < 2 or radix % 2:
        raise InputError("must be even and at least 2", "radix", radix)
    half = radix // 2
    _not_too_large(5 * half**2 + 2 * half**3, 6 * half**3)
    edge = radix * half
    core = 2 * edge
    links: _Pairs = []
    for pod in range(radix):
        for i in range(half):
            spine = edge + pod * half + i
            links += [(pod * half + j, spine) for j in range(half)]
            links += [(spine, core + i * half + j) for j in range(half)]
    return _with_hosts(core + half**2, links, list(range(edge)), half)


def hypercube_network(d: int) -> Graph:
    """Build the hypercube of d dimensions; every node is a processor.

    Raises InputError if d is below 1, or the network is too large.

    Examples
    --------
    >>> hypercube_network(4).distance((0,), (15,))
    4
    """
    positive(d=d)
    at_most(d, 12, "d")
    nodes = 2**d
    links = [(v, v | 1 << i) for v in range(nodes) for i in range(d) if not v >> i & 1]
    return Graph(nodes, tuple((u, v, 1) for u, v in links), tuple(range(nodes)))


def random_regular_network(n: int, degree: int, seed: int) -> Graph:
    """Draw a connected random regular graph; every node is a processor.

    Raises InputError if there is no such graph, it is too large, or no connected one
    was drawn.

    Examples
    --------
    >>> len(random_regular_network(10, 3, seed=1).edges)
    15
    """
    positive(n=n, degree=degree)
    if n * degree % 2 or degree >= n:
        raise InputError(
            f"must be below n, and n times it even (n = {n})", "degree", degree
        )
    _not_too_large(n, n * degree // 2)
    generator(seed)  # checks the seed
    import networkx

    for attempt in range(_MOST_TRIES):
        drawn = networkx.random_regular_graph(degree, n, seed=seed + attempt * 2**32)
        if networkx.is_connected(drawn):
            edges = tuple((int(u), int(v), 1) for u, v in drawn.edges)
            return Graph(n, edges, tuple(range(n)))
    raise InputError(
        "no connected graph was drawn; use a greater degree", "degree", degree
    )


def dragonfly(
    a: int, p: int, h: int, k: int, free: int | Fraction = Fraction(1), seed: int = 0
) -> KSubset:
    """Choose k hosts of a dragonfly; see `dragonfly_network` and `draw_free`.

    >>> dragonfly(4, 2, 2, k=8).name
    'dragonfly-a4-p2-h2-full-k8'
    """
    network = dragonfly_network(a, p, h)
    return draw_free(network, f"dragonfly-a{a}-p{p}-h{h}", k, free, seed)


def fat_tree(
    radix: int, k: int, free: int | Fraction = Fraction(1), seed: int = 0
) -> KSubset:
    """Choose k hosts of a fat-tree; see `fat_tree_network` and `draw_free`.

    >>> fat_tree(4, k=8, free=Fraction(3, 4), seed=2).name
    'fat-tree-4-random-75pct-k8-s2'
    """
    return draw_free(fat_tree_network(radix), f"fat-tree-{radix}", k, free, seed)


def hypercube(
    d: int, k: int, free: int | Fraction = Fraction(1), seed: int = 0
) -> KSubset:
    """Choose k nodes of a hypercube; see `draw_free`.

    >>> hypercube(3, k=4).n
    8
    """
    return draw_free(hypercube_network(d), f"hypercube-{d}", k, free, seed)


def random_regular(
    n: int, degree: int, k: int, free: int | Fraction = Fraction(1), seed: int = 0
) -> KSubset:
    """Choose k nodes of a random regular graph; see `random_regular_network`.

    The seed determines the graph and the free nodes.

    >>> random_regular(10, 3, k=4, seed=1).n
    10
    """
    network = random_regular_network(n, degree, seed)
    name = f"regular-n{n}-d{degree}"
    return draw_free(network, name, k, free, seed, drawn=True)


def graph_file(
    path: str | Path, k: int, free: int | Fraction = Fraction(1), seed: int = 0
) -> KSubset:
    """Choose k processors of a graph in a file; see `read_graph` and `draw_free`."""
    network = read_graph(path)
    instance = draw_free(network, stem(path), k, free, seed)
    return replace(instance, source="; ".join([instance.source, *network.notes]))


def draw_free(
    network: Graph,
    name: str,
    k: int,
    free: int | Fraction,
    seed: int,
    *,
    drawn: bool = False,
) -> KSubset:
    """Draw the free processors of a graph uniformly at random.

    ``free`` is a count, or a `Fraction` of all, rounded down. ``drawn`` states whether
    the graph was drawn with this seed, too. Raises InputError if the arguments are
    invalid.
    """
    places = list(network.locations())
    count = free_count(free, len(places))
    full = count == len(places)
    chosen = range(count) if full else generator(seed).permutation(len(places))[:count]
    share = "full" if full else f"random-{share_text(free)}"
    seeded = drawn or not full
    return KSubset(
        f"{name}-{share}-k{k}" + (f"-s{seed}" if seeded else ""),
        network,
        tuple(places[i] for i in chosen),
        k,
        source=f"{name}: {count} of {len(places)} processors free",
        seed=seed if seeded else None,
    )


def _with_hosts(switches: int, links: _Pairs, edge: list[int], hosts: int) -> Graph:
    """Link hosts to the edge switches, numbered after all switches."""
    host = range(switches, switches + len(edge) * hosts)
    links = links + [(edge[i // hosts], v) for i, v in enumerate(host)]
    return Graph(host.stop, tuple((u, v, 1) for u, v in links), tuple(host))


def _not_too_large(nodes: int, links: int) -> None:
    if nodes > MOST_NODES or links > MOST_EDGES:
        raise InputError(
            f"the network must have at most {MOST_NODES} nodes and {MOST_EDGES} links",
            "topology",
        )
