"""Random instances small enough to enumerate, and all their choices priced."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import chain, combinations, product
from random import Random
from typing import Any

from ....instances import (
    Graph,
    Grid,
    KSubset,
    Mesh,
    Points,
    ProcSet,
    Site,
    Sukp,
    Topology,
    Torus,
    Tree,
    check,
    cost,
    problem_of,
)
from ....instances.ksubset.graph_generators import (
    dragonfly_network,
    fat_tree_network,
    hypercube_network,
    random_regular_network,
)

SHAPES = {1: (24,), 2: (5, 5), 3: (3, 3, 3), 4: (3, 2, 2, 2)}
"""Mesh or torus by dimension."""
_MOST_FREE = 16
_NETWORKS = (
    *(
        partial(dragonfly_network, *shape)
        for shape in ((2, 1, 3), (3, 1, 2), (4, 2, 1))
    ),
    partial(fat_tree_network, 4),
    partial(hypercube_network, 4),
)


@lru_cache(maxsize=8)
def draw_samples(seed: int, count: int) -> tuple[KSubset, ...]:
    """Return ``count`` instances, in turn of every kind and of 1 to 4 dimensions.

    Kinds: a mesh with random processors busy, a torus likewise, points of few
    distinct coordinates (so that many coincide and many distances are equal), two
    clusters of points among decoys, and a random tree. n is 2 to 16, k 1 to n.
    """
    random = Random(f"closeknit claims {seed}")
    kinds = (partial(_grid, Mesh), partial(_grid, Torus), _coarse, _decoys, _tree)
    instances = []
    for i in range(count):
        kind = kinds[i % len(kinds)]
        d = 1 + i // len(kinds) % 4
        topology, free = kind(random, d)
        k = random.randint(1, len(free))
        if kind is _decoys and random.random() < 0.5:
            k = 2 * free.count(free[0])  # the two clusters
        name = f"sample-{seed}-{i}"
        instances.append(KSubset(name, topology, tuple(free), k, seed=seed))
    return tuple(instances)


@lru_cache(maxsize=8)
def of_one_axis(seed: int, count: int) -> tuple[KSubset, ...]:
    """Return lines, rings and trees in turn, each of 2 to 12 processors."""
    random = Random(f"closeknit axes {seed}")
    instances = []
    for i in range(count):
        topology: Topology
        if i % 3 == 2:
            topology, free = _tree(random, 1 + i % 4)
        else:
            side = random.choice((7, 12, 13, 24, 61))
            topology = Mesh((side,)) if i % 3 else Torus((side,))
            most = random.randint(2, min(12, side))
            free = random.sample(list(topology.locations()), most)
        k = random.randint(1, len(free))
        instances.append(KSubset(f"axis-{seed}-{i}", topology, tuple(free), k))
    return tuple(instances)


@lru_cache(maxsize=2)
def on_graphs(seed: int, count: int) -> tuple[KSubset, ...]:
    """Return graphs of which 13 to 20 nodes are free, in turn of three kinds.

    Kinds: a random regular graph; a tree and random links, few or many, of up to 1, 3
    or 20 hops; a small dragonfly, fat-tree or hypercube. Every second one is full if
    it is not larger. Each is asked for three numbers of processors, from four up to
    two more than half: of more or fewer the least cost is easily found.
    """
    random = Random(f"closeknit larger graphs {seed}")
    instances = []
    for i in range(-(-count // 3)):
        graph = (_regular, _draw_graph, _draw_network)[i % 3](random)
        sites = list(graph.locations())
        most = min(len(sites), 20)
        n = random.choice((most, random.randint(13, most)))
        free = tuple(random.sample(sites, n))
        for k in random.sample(range(4, n // 2 + 3), 3):
            name = f"graph-{seed}-{i}-k{k}"
            instances.append(KSubset(name, graph, free, k, seed=seed))
    return tuple(instances[:count])


def every_subset(*shape: int, least_k: int) -> Iterator[KSubset]:
    """Yield every set of free processors of a mesh with every k from ``least_k`` on.

    The smallest come first. k = n is left out: there is no choice.
    """
    topology = Mesh(shape)
    cells = list(topology.locations())
    for n in range(least_k + 1, len(cells) + 1):
        for number, free in enumerate(combinations(cells, n)):
            for k in range(least_k, n):
                yield KSubset(f"subset-{n}-{number}-k{k}", topology, free, k)


def price_all(instance: KSubset | ProcSet | Sukp) -> dict[tuple[int, ...], Any]:
    """Price all valid choices from the definition."""
    choices = _CHOICES[problem_of(instance).name](instance)
    return {chosen: cost(instance, chosen) for chosen in choices}


def _items(instance: Sukp) -> Iterator[tuple[int, ...]]:
    items = range(instance.n)
    every = (combinations(items, size) for size in range(instance.n + 1))
    return (s for s in chain(*every) if not check(instance, s))


_CHOICES: dict[str, Callable[[Any], Iterator[tuple[int, ...]]]] = {
    "ksubset": lambda one: combinations(range(one.n), one.k),
    "procset": lambda one: combinations(one.available, one.request),
    "sukp": _items,
}


@lru_cache(maxsize=2048)
def least_cost(instance: KSubset | ProcSet | Sukp) -> Any:
    """Return the least cost of all valid choices."""
    return min(price_all(instance).values())


def pair_sum(chosen: Sequence[Site]) -> int:
    """Sum the distances of all pairs."""
    return sum(
        abs(a - b)
        for p, q in combinations(chosen, 2)
        for a, b in zip(p, q, strict=True)
    )


def _grid(
    kind: Callable[[tuple[int, ...]], Grid], random: Random, d: int
) -> tuple[Topology, list[Site]]:
    topology = kind(SHAPES[d])
    sites = list(topology.locations())
    return topology, random.sample(
        sites, random.randint(2, min(_MOST_FREE, len(sites)))
    )


def _coarse(random: Random, d: int) -> tuple[Topology, list[Site]]:
    n = random.randint(2, _MOST_FREE)
    spread = random.choice((1, 2, 4))
    points = [tuple(random.randint(0, spread) for _ in range(d)) for _ in range(n)]
    return Points(tuple(points)), points


def _decoys(random: Random, d: int) -> tuple[Topology, list[Site]]:
    """Two clusters, and single points often nearer to one than the other is."""
    length = random.choice((3, 10, 100))
    cluster = random.randint(1, 4)
    points: list[Site] = [(x,) + (0,) * (d - 1) for x in (0, length)] * cluster
    nearest = random.choice((1, length - 1))
    corners = [
        tuple(
            centre * (i == 0) + sign * (i == axis) * random.randint(nearest, length)
            for i in range(d)
        )
        for centre, axis, sign in product((0, length), range(d), (-1, 1))
    ]
    points += random.sample(corners, min(len(corners), _MOST_FREE - len(points)))
    return Points(tuple(points)), points


def _tree(random: Random, d: int) -> tuple[Topology, list[Site]]:
    """``d`` bounds the weights, for want of dimensions."""
    nodes = random.randint(3, 12)
    parent = (-1, *(random.randrange(v) for v in range(1, nodes)))
    weight = (0, *(random.randint(0, d) for _ in range(1, nodes)))
    processors = random.sample(range(nodes), random.randint(2, nodes))
    tree = Tree(parent, weight, tuple(processors))
    return tree, list(tree.locations())


def _regular(random: Random) -> Graph:
    degree, nodes = random.randint(3, 5), 2 * random.randint(7, 11)
    return random_regular_network(nodes, degree, random.randrange(2**31))


def _draw_graph(random: Random) -> Graph:
    """Draw a tree, and every other link with one probability; if 0, a tree remains."""
    nodes, share = random.randint(13, 20), random.choice((0, 0.1, 0.2, 0.4))
    longest = random.choice((1, 3, 20))
    links = {(random.randrange(v), v) for v in range(1, nodes)}
    links |= {two for two in combinations(range(nodes), 2) if random.random() < share}
    edges = ((u, v, random.randint(1, longest)) for u, v in sorted(links))
    return Graph(nodes, tuple(edges), tuple(range(nodes)))


def _draw_network(random: Random) -> Graph:
    return random.choice(_NETWORKS)()
