"""Instances of all problems by seed, drawn as files and read as such."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from itertools import combinations, product
from math import prod
from random import Random
from typing import Any, TypeVar

from closeknit.instances import InputError, Instance
from closeknit.instances.problems import parse_instance
from closeknit.instances.reading.parsing import parse_json

T = TypeVar("T")
Document = dict[str, Any]
Network = tuple[Document, list[Any]]
"""The object ``topology``, and all its sites as files list them."""
Links = dict[tuple[int, int], int]
MOST_TRIES = 50


def drawn(seed: int, *, small: bool = False) -> Instance:
    """Return one instance; a small one has an optimum that can be enumerated."""
    rng = Random(f"second {seed} {small}")
    draw = KINDS[seed % len(KINDS)]
    for _ in range(MOST_TRIES):
        document = {"version": 1, "name": f"drawn-{seed}", **draw(rng, small)}
        try:
            return parse_instance(parse_json(json.dumps(document)))
        except InputError:  # too much is required, or sites coincide that must not
            continue
    raise AssertionError(f"seed {seed} yields no instance")


# k-subsets


def ksubset(network: Callable[[Random, bool], Network]) -> Callable[..., Document]:
    """Return what draws k-subsets of a kind of networks."""

    def draw(rng: Random, small: bool) -> Document:
        topology, sites = network(rng, small)
        count = rng.randint(1, min(len(sites), 7 if small else 14))
        free = sites if rng.random() < 0.1 and not small else rng.sample(sites, count)
        k = rng.randint(1, len(free))
        required = rng.sample(free, rng.randint(1, k)) if rng.random() < 0.3 else []
        own = {"topology": topology, "free": free, "k": k, "required": required}
        return {"format": "closeknit/ksubset", **own}

    return draw


def grid(rng: Random, small: bool) -> Network:
    """Lines and rings in one to four dimensions, of odd and even length."""
    shape = [rng.randint(1, 4 if small else 8) for _ in range(rng.randint(1, 4))]
    while prod(shape) > 150:
        shape.pop()
    rings = [rng.random() < 0.5 for _ in shape]
    sites = [list(site) for site in product(*map(range, shape))]
    return {"kind": "grid", "shape": shape, "rings": rings}, sites


def points(rng: Random, small: bool) -> Network:
    """Points of which some coincide; coordinates are decimals at times."""
    d, far = rng.randint(1, 3), rng.choice([2, 4, 1000])
    unit = rng.choice([1, 1, 10, 4])
    count = rng.randint(1, 8 if small else 16)
    sites = [
        [
            x if unit == 1 else x / unit
            for x in (rng.randint(-far, far) for _ in range(d))
        ]
        for _ in range(count)
    ]
    return {"kind": "points", "coordinates": sites}, sites


def numbers(rng: Random, nodes: int) -> list[int]:
    """Return the numbers of nodes in any order."""
    return rng.sample(range(nodes), nodes)


def some(rng: Random, things: Sequence[T]) -> list[T]:
    """Return a part of some things, at least one, or all."""
    count = rng.choice([len(things), rng.randint(1, len(things))])
    return rng.sample(things, count)


def tree(rng: Random, small: bool) -> Network:
    """Trees with links of length 0, and processors at inner nodes, too."""
    nodes = rng.randint(1, 9 if small else 18)
    name = numbers(rng, nodes)
    parent, weight = [-1] * nodes, [rng.randint(0, 3) for _ in range(nodes)]
    for v in range(1, nodes):
        parent[name[v]] = name[rng.randrange(max(0, v - 4), v)]
    processors = some(rng, name)
    lists = {"parent": parent, "weight": weight, "processors": processors}
    return {"kind": "tree", **lists}, processors


def as_graph(rng: Random, nodes: int, links: Links, most: int | None = None) -> Network:
    """Number the nodes in any order, and draw processors among the first ones."""
    name = numbers(rng, nodes)
    scale = rng.choice([1, 1, 1, 10])
    edges = [
        [name[u], name[v], w if scale == 1 else w / scale]
        for (u, v), w in links.items()
    ]
    rng.shuffle(edges)
    processors = some(rng, name[:most])
    lists = {"nodes": nodes, "edges": edges, "processors": processors}
    return {"kind": "graph", **lists}, processors


def branching(rng: Random, nodes: int, longest: int) -> Links:
    """Return the links of a tree."""
    return {(rng.randrange(v), v): rng.randint(1, longest) for v in range(1, nodes)}


def any_graph(rng: Random, small: bool) -> Network:
    """Trees with further links, few of which are trees or partial cubes.

    At times without odd rings, and with few processors: then what the other nodes are
    like decides in the second test, too.
    """
    nodes, longest = rng.randint(2, 8 if small else 12), rng.choice([1, 1, 3])
    links = branching(rng, nodes, longest)
    colour = [0] * nodes
    for u, v in links:
        colour[v] = 1 - colour[u]
    even, often = rng.random() < 0.5, rng.choice([0.1, 0.1, 0.3])
    for u, v in combinations(range(nodes), 2):
        if rng.random() < often and (colour[u] != colour[v] or not even):
            links.setdefault((u, v), rng.randint(1, longest))
    return as_graph(rng, nodes, links, rng.choice([None, 5]))


def tree_graph(rng: Random, small: bool) -> Network:
    """Trees given by their links, and fat-trees with several spines."""
    if rng.random() < 0.7:
        nodes = rng.randint(1, 8 if small else 16)
        return as_graph(rng, nodes, branching(rng, nodes, rng.choice([1, 4])))
    leaves, spines, hosts = rng.randint(2, 4), rng.randint(1, 3), rng.randint(4, 10)
    links = {
        (v, hosts + rng.randrange(leaves)): rng.randint(1, 2) for v in range(hosts)
    }
    up = rng.randint(1, 3)
    for leaf, spine in product(range(leaves), range(spines)):
        links[hosts + leaf, hosts + leaves + spine] = up
    return as_graph(rng, hosts + leaves + spines, links, hosts)


def cube_graph(rng: Random, small: bool) -> Network:
    """Products of paths, rings and complete graphs; at times with a longer link."""
    factors: list[tuple[int, Links]] = []
    while not factors or (len(factors) < 3 and rng.random() < 0.6):
        side, w = rng.randint(2, 3 if small else 6), rng.randint(1, 3)
        which = rng.choice(["path", "ring", "ring", "complete"])
        links = {(v, v + 1): w for v in range(side - 1)}
        if which == "path":
            links = {pair: rng.randint(1, 3) for pair in links}
        elif which == "ring" and side > 2:
            links[0, side - 1] = w
        elif which == "complete":
            links = dict.fromkeys(combinations(range(min(side, 4)), 2), w)
            side = min(side, 4)
        if prod(side for side, _ in factors) * side > 60:
            break
        factors.append((side, links))
    places = [*product(*(range(side) for side, _ in factors))]
    found: Links = {}
    for (i, p), (j, q) in combinations(enumerate(places), 2):
        apart = [a for a, (x, y) in enumerate(zip(p, q, strict=True)) if x != y]
        if len(apart) == 1:
            (axis,) = apart
            ends = min(p[axis], q[axis]), max(p[axis], q[axis])
            if ends in factors[axis][1]:
                found[i, j] = factors[axis][1][ends]
    if rng.random() < 0.3:
        pair = rng.choice([*combinations(range(len(places)), 2)])
        found.setdefault(pair, rng.randint(1, 20))
    return as_graph(rng, len(places), found)


def table(rng: Random, small: bool) -> Network:
    """Any distances."""
    n, far = rng.randint(1, 6 if small else 10), rng.choice([1, 9, 2**40])
    rows = [[0] * n for _ in range(n)]
    for i, j in combinations(range(n), 2):
        rows[i][j] = rows[j][i] = rng.randint(0, far)
    return {"kind": "table", "distance": rows}, [*range(n)]


def priced(network: Callable[[Random, bool], Network]) -> Callable[..., Network]:
    """Return what draws such networks with prices."""

    def draw(rng: Random, small: bool) -> Network:
        topology, sites = network(rng, True)
        prices = [rng.randint(0, rng.choice([1, 50])) for _ in range(200)]
        return {**topology, "price": prices}, sites

    return draw


# Other problems


def procset(rng: Random, small: bool) -> Document:
    """Sets of any members; more may be requested than there are, or none available."""
    n, levels = rng.randint(1, 7 if small else 14), rng.randint(1, 4)
    names = [f"n{i}" for i in range(n)]
    most = rng.choice([1, 3, 3, 2**12])
    sets = [
        {
            "name": f"s{i}",
            "members": some(rng, names) if rng.random() < 0.3 else rng.sample(names, 1),
            "cost": [rng.choice([0, rng.randint(0, most)]) for _ in range(levels)],
        }
        for i in range(rng.randint(1, 6 if small else 12))
    ]
    available = rng.sample(names, rng.choice([n, n, rng.randint(0, n)]))
    request = rng.randint(1, len(available) + 1)
    required = []
    if available and rng.random() < 0.3:
        required = rng.sample(available, rng.randint(1, min(request, len(available))))
    own = {"processors": names, "available": available, "request": request}
    return {"format": "closeknit/procset", **own, "sets": sets, "required": required}


def sukp(rng: Random, small: bool) -> Document:
    """Items that need nothing or all, elements without weight, no element at all."""
    most = 6 if small else 12
    items, elements = rng.randint(1, most), rng.choice([0, *range(1, most + 1, 2)])
    weights = [rng.choice([0, rng.randint(1, 9)]) for _ in range(elements)]
    density = rng.choice([0.2, 0.5, 1])
    own = {
        "profits": [rng.choice([0, rng.randint(0, 9), 2**40]) for _ in range(items)],
        "weights": weights,
        "items": [
            [e for e in rng.sample(range(elements), elements) if rng.random() < density]
            for _ in range(items)
        ],
        "capacity": rng.choice([0, rng.randint(0, sum(weights)), sum(weights)]),
        "required": rng.sample(range(items), rng.choice([0, 0, rng.randint(0, items)])),
    }
    return {"format": "closeknit/sukp", **own}


def submesh(torus: bool) -> Callable[[Random, bool], Document]:
    """Return what draws placements in meshes, or in tori."""

    def draw(rng: Random, small: bool) -> Document:
        shapes = [[2, 3], [3, 2], [4, 1], [1, 3], [2, 2], [2, 2, 1]]
        if not small:
            shapes += [[4, 4], [3, 5], [6, 2], [3, 3, 3], [4, 2, 1], *[[2, 3, 4]] * 4]
        shape = rng.choice(shapes)
        taken: set[tuple[int, ...]] = set()
        residents: list[list[int]] = []

        def cells(low: list[int], size: list[int]) -> set[tuple[int, ...]]:
            runs = zip(low, size, shape, strict=True)
            return {*product(*([(x + i) % n for i in range(s)] for x, s, n in runs))}

        for _ in range(rng.randint(0, 2 if small else 4)):
            size = [rng.randint(1, min(3, side)) for side in shape]
            low = [
                rng.randrange(side if torus else side - s + 1)
                for s, side in zip(size, shape, strict=True)
            ]
            if not taken & cells(low, size):
                taken |= cells(low, size)
                high = [x + s - 1 for x, s in zip(low, size, strict=True)]
                residents.append([*low, *high])
        idle = [cell for cell in product(*map(range, shape)) if cell not in taken]
        count = rng.choice([0, 0, 1, 2])
        blocked = [list(cell) for cell in rng.sample(idle, min(count, len(idle)))]
        which = range(len(residents))
        request = [rng.randint(1, side + (rng.random() < 0.1)) for side in shape]
        if len(shape) == 3 and rng.random() < 0.2:
            request = rng.sample([1, 2, 3], 3)
        own = {
            "mesh": shape,
            "residents": residents,
            "request": request,
            "rotate": rng.random() < 0.5,
            "migrate": rng.random() < 0.85,
            "torus": torus,
            "fixed": [i for i in which if rng.random() < 0.2],
            "turns": [i for i in which if rng.random() < 0.5],
            "blocked": blocked,
        }
        return {"format": "closeknit/submesh", **own}

    return draw


KINDS: tuple[Callable[[Random, bool], Document], ...] = (
    *(ksubset(kind) for kind in (grid, grid, grid, points, points, tree, tree)),
    *(ksubset(kind) for kind in (any_graph, tree_graph, cube_graph, cube_graph, table)),
    *(ksubset(priced(kind)) for kind in (grid, points, tree, any_graph, cube_graph)),
    *(procset, procset, procset, sukp, sukp),
    *(submesh(torus) for torus in (False, False, False, True, True)),
)
"""What draws an instance, one after the other by seed."""
