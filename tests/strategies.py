"""Hypothesis strategies for instances, and instances by seed, shared by the tests."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import combinations

import numpy as np
from hypothesis import strategies as st

from closeknit.instances import (
    Distances,
    Graph,
    Grid,
    KSubset,
    Mesh,
    Points,
    Priced,
    ProcessorSet,
    ProcSet,
    Site,
    Submesh,
    Sukp,
    Topology,
    Torus,
    Tree,
    arrays,
    mesh,
)
from closeknit.instances.submesh import Resident, box_at, overlap
from closeknit.instances.submesh.packing import Item, Packing
from closeknit.network.mapping.instance import RankMapping

SHAPES = [
    (1,), (7,), (12,), (1, 1), (1, 9), (6, 1), (2, 2), (3, 5), (4, 4), (5, 6),
    (2, 3, 3), (3, 3, 3), (1, 2, 4), (2, 2, 2, 2), (3, 1, 2, 2),
]  # fmt: skip
"""Shapes of meshes and tori: lines, odd and even, up to four dimensions."""


def cylinder(shape: tuple[int, ...]) -> Grid:
    """Return a grid whose axes are by turns a ring and a line."""
    return Grid(shape, [axis % 2 == 0 for axis in range(len(shape))])


def tunnel(shape: tuple[int, ...]) -> Grid:
    """Return a grid whose axes are by turns a line and a ring."""
    return Grid(shape, [axis % 2 == 1 for axis in range(len(shape))])


MIXED = cylinder, tunnel


def grids(
    *kinds: Callable[..., Grid], d: int | None = None
) -> st.SearchStrategy[Topology]:
    """Small grids of these kinds or any, of d dimensions or any."""
    shapes = st.sampled_from([s for s in SHAPES if d is None or len(s) == d])
    return st.one_of(*(shapes.map(kind) for kind in kinds or (Mesh, Torus, *MIXED)))


@st.composite
def points(draw: st.DrawFn, *, d: int | None = None) -> Topology:
    """Points in d dimensions, or one to four; some crowded, so that they coincide."""
    d = draw(st.integers(1, 4)) if d is None else d
    far = draw(st.sampled_from([1, 3, 40, 2**50]))
    coordinate = st.integers(-far, far)
    site = st.tuples(*[coordinate] * d)
    return Points(tuple(draw(st.lists(site, min_size=1, max_size=12))))


@st.composite
def trees(draw: st.DrawFn) -> Topology:
    """Trees of up to 15 nodes, some edges of no length, some nodes processors."""
    nodes = draw(st.integers(1, 15))
    names = draw(st.permutations(range(nodes)))
    parent, weight = [-1] * nodes, [0] * nodes
    for v in range(1, nodes):
        parent[names[v]] = names[draw(st.integers(0, v - 1))]
        weight[names[v]] = draw(st.integers(0, 4))
    processors = draw(
        st.lists(st.sampled_from(names), unique=True, min_size=1, max_size=12)
    )
    return Tree(tuple(parent), tuple(weight), tuple(processors))


@st.composite
def graphs(draw: st.DrawFn) -> Topology:
    """Connected graphs of up to 12 nodes, some nodes processors."""
    nodes = draw(st.integers(1, 12))
    length = st.integers(1, draw(st.sampled_from([1, 1, 3])))
    edges = {(draw(st.integers(0, v - 1)), v): draw(length) for v in range(1, nodes)}
    pairs = list(combinations(range(nodes), 2))
    for pair in draw(st.lists(st.sampled_from(pairs), max_size=14)) if pairs else ():
        edges.setdefault(pair, draw(length))
    return as_graph(draw, nodes, edges)


@st.composite
def graphs_of_trees(draw: st.DrawFn) -> Topology:
    """Trees as graphs."""
    nodes = draw(st.integers(1, 15))
    length = st.integers(1, 4)
    edges = {(draw(st.integers(0, v - 1)), v): draw(length) for v in range(1, nodes)}
    return as_graph(draw, nodes, edges)


@st.composite
def graphs_of_grids(draw: st.DrawFn) -> Topology:
    """Meshes and even tori as graphs; the links along an axis are as long."""
    shape = draw(st.sampled_from([(2, 2), (3, 3), (2, 5), (2, 2, 2), (4, 2), (6, 2)]))
    wraps = draw(st.booleans())
    grid = Torus(shape) if wraps and not any(s % 2 for s in shape) else Mesh(shape)
    places = list(grid.locations())
    length = draw(st.tuples(*[st.integers(1, 3)] * len(shape)))
    edges = {
        (i, j): length[[a == b for a, b in zip(p, q, strict=True)].index(False)]
        for (i, p), (j, q) in combinations(enumerate(places), 2)
        if grid.distance(p, q) == 1
    }
    return as_graph(draw, len(places), edges)


def as_graph(draw: st.DrawFn, nodes: int, edges: dict[tuple[int, int], int]) -> Graph:
    """Put the names of the nodes into any order, and draw the processors."""
    name = draw(st.permutations(range(nodes)))
    processors = draw(
        st.lists(st.sampled_from(name), unique=True, min_size=1, max_size=12)
    )
    listed = tuple((name[u], name[v], w) for (u, v), w in edges.items())
    return Graph(nodes, listed, tuple(processors))


@st.composite
def tables(draw: st.DrawFn) -> Topology:
    """Tables of up to nine nodes, few of which are metrics."""
    n = draw(st.integers(1, 9))
    length = st.integers(0, draw(st.sampled_from([1, 2, 9, 2**40])))
    rows = [[0] * n for _ in range(n)]
    for i, j in combinations(range(n), 2):
        rows[i][j] = rows[j][i] = draw(length)
    return Distances(rows)


@st.composite
def with_prices(draw: st.DrawFn) -> Topology:
    """Small networks whose hops are priced, most often not as a metric is."""
    near = points(d=2).filter(lambda one: one.spread([*one.locations()]) <= 200)
    network = draw(st.one_of(grids(), trees(), graphs(), near))
    most = network.spread([*network.locations()])
    price = st.integers(0, draw(st.sampled_from([1, 3, 50])))
    listed = draw(st.lists(price, min_size=most + 1, max_size=most + 1))
    return Priced(network, tuple(listed))


def by_kind() -> list[tuple[Topology, st.SearchStrategy[Topology]]]:
    """Every kind of topology and number of dimensions apart, each with an example."""
    apart: list[tuple[Topology, st.SearchStrategy[Topology]]] = [
        (kind((3,) * d), grids(kind, d=d))
        for kind in (Mesh, Torus, *MIXED)
        for d in range(1, 5)
        if d > 1 or kind not in MIXED
    ]
    apart += [(Points(((0,) * d, (1,) * d)), points(d=d)) for d in range(1, 5)]
    ring = tuple((v, (v + 1) % 5, 1) for v in range(5))
    square = tuple((v, (v + 1) % 4, 1) for v in range(4))
    return [
        *apart,
        (Tree((-1, 0, 0), (0, 1, 1), (1, 2)), trees()),
        (Graph(5, ring, (0, 1, 2, 3, 4)), graphs()),
        (Graph(4, square, (0, 1, 2, 3)), graphs_of_grids()),
        (Graph(3, ((0, 1, 1), (0, 2, 1)), (1, 2)), graphs_of_trees()),
        (Distances([[0, 5, 1], [5, 0, 1], [1, 1, 0]]), tables()),
        (Priced(Mesh(3, 3), (0, 9, 4, 4, 1)), with_prices()),
    ]


def topologies() -> st.SearchStrategy[Topology]:
    """All kinds that always have cuts; graphs are drawn by `graphs`."""
    return st.one_of(grids(), grids(), points(), trees())


@st.composite
def ksubsets(
    draw: st.DrawFn,
    over: st.SearchStrategy[Topology] | None = None,
    *,
    most_free: int = 11,
) -> KSubset:
    """Instances small enough to enumerate: at most ``most_free`` free processors."""
    topology = draw(topologies() if over is None else over)
    places = list(topology.locations())
    which = st.lists(
        st.sampled_from(range(len(places))),
        unique=True,
        min_size=1,
        max_size=min(most_free, len(places)),
    )
    free = tuple(places[i] for i in draw(which))
    return KSubset("drawn", topology, free, draw(st.integers(1, len(free))))


# Processor sets

_LEVEL = st.one_of(st.integers(0, 3), st.integers(0, 3), st.sampled_from([7, 2**40]))
"""Costs: mostly small, so that they tie; some that would swamp every level below."""


@st.composite
def procsets(
    draw: st.DrawFn,
    *,
    most_processors: int = 9,
    most_sets: int = 7,
    levels: int | None = None,
    infeasible: bool = False,
) -> ProcSet:
    """Processor sets small enough to enumerate.

    Degenerate ones come up often: sets that cost nothing, or that are alike, or that
    have one member or no available one; processors all of one class or in no set at
    all; every available processor requested; one level, or several.

    Parameters
    ----------
    most_processors, most_sets
        How large they grow.
    levels
        Length of the costs; one to four if left out.
    infeasible
        Whether more may be requested than there are, or nothing be available.
    """
    processors = draw(st.integers(1, most_processors))
    height = draw(st.integers(1, 4)) if levels is None else levels
    index = st.integers(0, processors - 1)
    vector = st.one_of(
        st.just((0,) * height),
        st.tuples(*[_LEVEL] * height),
        st.tuples(*[_LEVEL] * height),
    )
    some = st.one_of(
        st.frozensets(index, min_size=1),
        st.frozensets(index, min_size=1),
        index.map(lambda i: frozenset((i,))),
        st.just(frozenset(range(processors))),
    )
    drawn = draw(st.lists(st.tuples(some, vector), min_size=1, max_size=most_sets))
    if draw(st.booleans()):  # two sets of the same members, a class of its own
        drawn.append((drawn[0][0], draw(vector)))
    sets = tuple(
        ProcessorSet(f"s{i}", tuple(members), cost)
        for i, (members, cost) in enumerate(drawn)
    )
    available = st.one_of(
        st.just(frozenset(range(processors))),
        st.frozensets(index, min_size=0 if infeasible else 1),
    )
    free = draw(available)
    most = len(free) + 2 if infeasible else len(free)
    request = draw(st.one_of(st.integers(1, most), st.just(max(1, len(free)))))
    names = tuple(f"n{i // 2}.{i % 2 + 1}" for i in range(processors))
    return ProcSet("drawn", names, tuple(free), request, sets)


# The set-union knapsack


@st.composite
def sukps(draw: st.DrawFn, *, most_items: int = 8, most_elements: int = 8) -> Sukp:
    """Set-union knapsacks small enough to enumerate.

    Degenerate ones come up often: items that need nothing or all, items alike,
    elements that weigh nothing or that no item needs, or no element at all, profits
    of nothing, room for none or for all.
    """
    elements = draw(st.integers(0, most_elements))
    number = st.one_of(st.integers(0, 5), st.integers(0, 5), st.integers(1, 2**40))
    weights = tuple(draw(st.lists(number, min_size=elements, max_size=elements)))
    need = st.just(frozenset[int]())
    if elements:
        need = st.one_of(
            st.frozensets(st.integers(0, elements - 1)),
            st.frozensets(st.integers(0, elements - 1), min_size=1, max_size=3),
            st.just(frozenset(range(elements))),
        )
    items = draw(st.lists(st.tuples(number, need), min_size=1, max_size=most_items))
    total = sum(weights)
    capacity = draw(
        st.one_of(st.integers(0, total), st.sampled_from([0, total // 2, total]))
    )
    return Sukp(
        "drawn",
        tuple(profit for profit, _ in items),
        weights,
        tuple(tuple(needs) for _, needs in items),
        capacity,
    )


def some_sukp(rng: random.Random, items: int, elements: int, *, unit: int = 1) -> Sukp:
    """Random items of random density; profits and weights multiples of about unit."""
    density = rng.choice([0.1, 0.2, 0.4])
    needs = [
        tuple(e for e in range(elements) if rng.random() < density)
        for _ in range(items)
    ]
    weights, profits = (
        tuple(
            rng.randint(0, 30) * unit + rng.randint(0, unit // 2) for _ in range(count)
        )
        for count in (elements, items)
    )
    capacity = int(sum(weights) * rng.choice([0.3, 0.5, 0.75, 0.9]))
    return Sukp("some", profits, weights, tuple(needs), capacity)


# Submesh allocation


@st.composite
def submeshes(
    draw: st.DrawFn, *, migrate: bool | None = None, torus: bool | None = None
) -> Submesh:
    """Small meshes and tori with up to three residents, so that all can be tried.

    Some residents are fixed, some may be turned; some processors are blocked; some
    requests are too large.
    """
    shape = draw(
        st.sampled_from([(4, 4), (2, 5), (3, 3), (5, 1), (2, 2, 3), (3, 2, 2)])
    )
    wraps = draw(st.booleans()) if torus is None else torus
    empty = Submesh("empty", shape, (), (1,) * len(shape), torus=wraps)
    held: list[Resident] = []
    for _ in range(draw(st.integers(0, 3))):
        size = [draw(st.integers(1, min(side, 3))) for side in shape]
        place = [
            draw(st.integers(0, side - 1 if wraps else side - s))
            for s, side in zip(size, shape, strict=True)
        ]
        box = box_at(place, size)
        if not any(overlap(empty, box, other.box) for other in held):
            held.append(Resident(box, *draw(st.tuples(rarely, st.booleans()))))
    cells = draw(
        st.frozensets(st.tuples(*(st.integers(0, s - 1) for s in shape)), max_size=2)
    )
    blocked = tuple(
        cell
        for cell in sorted(cells)
        if not any(overlap(empty, (*cell, *cell), one.box) for one in held)
    )
    request = tuple(draw(st.integers(1, side)) for side in shape)
    return Submesh(
        "drawn",
        shape,
        tuple(held),
        request,
        rotate=draw(st.booleans()),
        migrate=not draw(rarely) if migrate is None else migrate,
        torus=wraps,
        blocked=blocked if draw(rarely) else (),
    )


rarely = st.sampled_from([False, False, False, True])


# Instances by seed, where a test must not depend on Hypothesis


def seeded_ksubset(seed: int, *, most: int = 12) -> KSubset:
    """One small instance of any topology: no two seeds alike."""
    pick = random.Random(seed)
    topology: Topology
    kind = seed % 6
    if kind < 2:
        sides = pick.choice([(9,), (4, 4), (3, 5), (2, 3, 3), (2, 2, 2, 2), (1, 7)])
        topology = Mesh(sides) if kind else Torus(sides)
    elif kind == 2:
        sides = pick.choice([(5, 5), (7, 3), (6, 4), (3, 3, 3), (11,)])
        kinds = MIXED if seed % 12 == 8 and len(sides) > 1 else (Torus,)
        topology = kinds[seed // 12 % len(kinds)](sides)
    elif kind < 5:
        d, far = pick.randint(1, 3), pick.choice([2, 5, 1000])
        topology = Points(
            tuple(tuple(pick.randrange(far) for _ in range(d)) for _ in range(14))
        )
    else:
        nodes = pick.randint(2, 20)
        parent = tuple(pick.randrange(v) if v else -1 for v in range(nodes))
        weight = tuple(pick.randrange(4) for _ in range(nodes))
        some_of = pick.sample(range(nodes), pick.randint(1, min(nodes, 14)))
        topology = Tree(parent, weight, tuple(some_of))
    places = list(topology.locations())
    free = pick.sample(places, pick.randint(1, min(most, len(places))))
    return KSubset(f"seed-{seed}", topology, tuple(free), pick.randint(1, len(free)))


def random_ksubset(rng: random.Random, most: int = 11) -> KSubset:
    """Any topology, one to four dimensions, at most this many free processors."""
    kind = rng.choice(["mesh", "torus", "grid", "points", "tree"])
    d = rng.randint(1, 4)
    topology: Topology
    if kind == "points":
        count = rng.randint(1, most)
        sites = [tuple(rng.randint(-3, 3) for _ in range(d)) for _ in range(count)]
        topology = Points(tuple(sites))
    elif kind == "tree":
        nodes = rng.randint(1, most + 4)
        parent = (-1, *(rng.randint(0, v - 1) for v in range(1, nodes)))
        weight = tuple(rng.randint(0, 3) for _ in range(nodes))
        hosts = rng.sample(range(nodes), rng.randint(1, nodes))
        topology = Tree(parent, weight, tuple(hosts))
    else:
        shape = tuple(rng.randint(1, 6) for _ in range(d))
        rings = rng.choices((True, False), k=d) if kind == "grid" else None
        topology = Grid(shape, rings or (kind == "torus",) * d)
    places: list[Site] = list(topology.locations())
    free = rng.sample(places, rng.randint(1, min(most, len(places))))
    return KSubset(kind, topology, tuple(free), rng.randint(1, len(free)))


def whole_torus(*shape: int, k: int) -> KSubset:
    """A torus all of whose processors are free."""
    torus = Torus(shape)
    return KSubset("torus", torus, tuple(torus.locations()), k)


SYMMETRIC = (
    mesh(3, 3, k=4),
    mesh(2, 4, k=3),
    mesh(2, 2, 2, k=3),
    mesh(7, k=3),
    whole_torus(3, 3, k=4),
    whole_torus(4, 2, k=3),
    KSubset(
        "ring of 8",
        Mesh((3, 3)),
        tuple(p for p in Mesh((3, 3)).locations() if p != (1, 1)),
        4,
    ),
    KSubset("diagonal", Mesh((4, 4)), ((0, 1), (1, 0), (1, 2), (2, 1), (3, 3)), 3),
    KSubset(
        "twice",
        twice := Points(((0, 0), (0, 0), (0, 4), (4, 0), (4, 4), (4, 4))),
        twice.coordinates,
        3,
    ),
)
"""Instances whose free processors map onto themselves in various ways."""


def half_full(side: int, k: int, seed: int = 1) -> KSubset:
    """A square mesh, half of whose processors are free."""
    free = random.Random(seed).sample(
        list(Mesh((side, side)).locations()), side**2 // 2
    )
    return KSubset(f"{side}x{side}-half", Mesh((side, side)), tuple(free), k)


_SIDES = st.lists(st.integers(1, 5), min_size=1, max_size=4).map(tuple)


_RINGS = st.integers(1, 23).map(lambda side: (side,))


def with_rings(shape: tuple[int, ...]) -> st.SearchStrategy[Grid]:
    """Grids of these sides, any of whose axes may be rings."""
    return st.tuples(*[st.booleans()] * len(shape)).map(lambda r: Grid(shape, r))


@st.composite
def decimal_points(draw: st.DrawFn) -> Points:
    """Points whose coordinates have up to three decimal digits."""
    dimension = draw(st.integers(1, 4))
    digits = draw(st.integers(0, 3))
    axis = st.integers(-40, 40)
    site = st.tuples(*[axis] * dimension)
    sites = draw(st.lists(site, min_size=1, max_size=12))
    sites += draw(st.lists(st.sampled_from(sites), max_size=4))
    while digits and all(x % 10 == 0 for p in sites for x in p):
        digits -= 1
        sites = [tuple(x // 10 for x in p) for p in sites]
    if digits == 0:
        return Points(tuple(sites))
    return Points(tuple(sites), 10**digits)


LARGER_TOPOLOGIES: st.SearchStrategy[Topology] = st.one_of(
    _SIDES.map(Mesh),
    _SIDES.map(Torus),
    _RINGS.map(Torus),
    _SIDES.flatmap(with_rings),
    decimal_points(),
    trees(),
)


@st.composite
def larger_ksubsets(draw: st.DrawFn, most: int = 24) -> KSubset:
    """Instances too large to enumerate: up to ``most`` free processors."""
    topology = draw(LARGER_TOPOLOGIES)
    places = list(topology.locations())
    order = draw(st.permutations(range(len(places))))
    n = draw(st.integers(1, min(most, len(places))))
    k = draw(st.integers(1, n))
    return KSubset("drawn", topology, tuple(places[i] for i in order[:n]), k)


@st.composite
def mappings(draw: st.DrawFn, *, most: int = 7) -> RankMapping:
    """Draw traffic, often sparse, on drawn distances or a part of a grid."""
    n = draw(st.integers(1, most))
    weights = st.one_of(st.just(0), st.integers(0, 9))
    rows = st.lists(st.lists(weights, min_size=n, max_size=n), min_size=n, max_size=n)
    traffic = np.array(draw(rows))
    if draw(st.booleans()):
        half = np.triu(np.array(draw(rows)), 1)
        return RankMapping(traffic, half + half.T)
    shapes: list[Grid] = [Mesh(3, 3), Torus(3, 3), Torus(2, 4), Mesh(9)]
    grid = draw(st.sampled_from(shapes))
    sites = draw(st.permutations(list(grid.locations())))[:n]
    points = np.array(sites)
    return RankMapping(traffic, arrays.distances(grid, points[:, None], points[None]))


def nug12() -> RankMapping:
    """Return an instance of Nugent, Vollmann and Ruml 1968; QAPLIB: optimum 578."""
    rows = (
        "0 5 2 4 1 0 0 6 2 1 1 1 "
        "5 0 3 0 2 2 2 0 4 5 0 0 "
        "2 3 0 0 0 0 0 5 5 2 2 2 "
        "4 0 0 0 5 2 2 10 0 0 5 5 "
        "1 2 0 5 0 10 0 0 0 5 1 1 "
        "0 2 0 2 10 0 5 1 1 5 4 0 "
        "0 2 0 2 0 5 0 10 5 2 3 3 "
        "6 0 5 10 0 1 10 0 0 0 5 0 "
        "2 4 5 0 0 1 5 0 0 0 10 10 "
        "1 5 2 0 5 5 2 0 0 0 5 0 "
        "1 0 2 5 1 4 3 5 10 5 0 2 "
        "1 0 2 5 1 0 3 0 10 0 2 0 "
    )
    cells = np.array(list(Mesh(3, 4).locations()))
    traffic = np.array([int(one) for one in rows.split()]).reshape(12, 12)
    return RankMapping(
        traffic, arrays.distances(Mesh(3, 4), cells[:, None], cells[None])
    )


@st.composite
def cut_up(draw: st.DrawFn) -> Packing:
    """Cut a mesh into boxes, then perhaps turn some, shorten some, let some turn."""
    shape = draw(st.integers(3, 9)), draw(st.integers(3, 9))
    boxes = [shape]
    for _ in range(draw(st.integers(2, 9))):
        i = draw(st.integers(0, len(boxes) - 1))
        axis = draw(st.integers(0, 1))
        size = boxes[i]
        if size[axis] == 1:
            continue
        at = draw(st.integers(1, size[axis] - 1))
        parts = [list(size), list(size)]
        parts[0][axis], parts[1][axis] = at, size[axis] - at
        boxes[i : i + 1] = [(p[0], p[1]) for p in parts]
    for _ in range(draw(st.integers(0, 2))):
        i = draw(st.integers(0, len(boxes) - 1))
        w, h = boxes[i]
        if h <= shape[0] and w <= shape[1]:
            boxes[i] = h, w
    for _ in range(draw(st.integers(0, 2))):
        i = draw(st.integers(0, len(boxes) - 1))
        w, h = boxes[i]
        boxes[i] = max(1, w - 1), h
    turns = draw(st.booleans())
    return Packing(
        "cut up",
        shape,
        tuple(Item(box, turns and draw(st.booleans())) for box in boxes),
    )
