"""What must hold between the optima of an instance and of others made from it.

A relation takes a source of random numbers and an instance, and returns the other
instances, and a predicate of all optima, that of the instance first; None where it says
nothing about such an instance. The optimum of an instance without a solution is None.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random
from typing import Any

from closeknit.instances import (
    Distances,
    Graph,
    Grid,
    KSubset,
    Points,
    Priced,
    ProcessorSet,
    ProcSet,
    Site,
    Submesh,
    Sukp,
    Topology,
    Tree,
    Value,
    cost,
)
from closeknit.instances.submesh import Resident, box_at, corner, sides
from closeknit.instances.support import support_of
from closeknit.instances.value import as_tuple
from closeknit.network.contention.instance import Contention, Link

Optimum = Value | None


@dataclass(frozen=True)
class Outcome:
    """Other instances, and whether their optima and the first one's may be true."""

    others: Sequence[Any]
    holds: Callable[..., bool]


Relation = Callable[[Random, Any], Outcome | None]


def same(one: Any) -> Outcome:
    return Outcome([one], lambda a, b: a == b)


def plus(one: Optimum, other: Value) -> Optimum:
    if one is None:
        return None
    if isinstance(one, int):
        return one + as_tuple(other)[0]
    return tuple(a + b for a, b in zip(one, as_tuple(other), strict=True))


def times(one: Optimum, factor: int) -> Optimum:
    if one is None or isinstance(one, int):
        return one if one is None else one * factor
    return tuple(factor * a for a in one)


def least(*several: Optimum) -> Optimum:
    known = [one for one in several if one is not None]
    return min(known, key=as_tuple, default=None)


def at_most(one: Optimum, other: Optimum) -> bool:
    """Whether an optimum is at most another; no solution is worse than any."""
    if one is None or other is None:
        return other is None
    return as_tuple(one) <= as_tuple(other)


def shuffled(rng: Random, count: int) -> list[int]:
    return rng.sample(range(count), count)


# k-subsets


def moved(
    one: KSubset, network: Topology, place: Callable[[Site], Site], *more: Site
) -> KSubset:
    """Return the same request on another network, perhaps with more free processors."""
    return replace(
        one,
        topology=network,
        free=(*map(place, one.free), *more),
        required=tuple(map(place, one.required)),
    )


def renumbered(network: Any, to: Sequence[int]) -> Topology:
    """Return a tree or graph whose nodes have other numbers."""
    hosts = [to[v] for v in network.processors]
    if isinstance(network, Graph):
        edges = tuple((to[u], to[v], w) for u, v, w in network.edges)
        return Graph(network.nodes, edges, tuple(hosts))
    parent, weight = [-1] * len(to), [0] * len(to)
    for v, up in enumerate(network.parent):
        parent[to[v]] = to[up] if up >= 0 else -1
        weight[to[v]] = network.weight[v]
    return Tree(tuple(parent), tuple(weight), tuple(hosts))


def relabel_ksubset(rng: Random, one: KSubset) -> Outcome | None:
    network = one.topology
    if isinstance(network, Priced):
        priced = relabel_ksubset(rng, replace(one, topology=network.network))
        if priced is None:
            return None
        [other] = priced.others
        return same(replace(other, topology=Priced(other.topology, network.price)))
    if isinstance(network, Distances):
        at = shuffled(rng, len(network.rows))  # who stands at each place
        table = Distances([[network.rows[i][j] for j in at] for i in at])
        return same(moved(one, table, lambda site: (at.index(site[0]),)))
    if isinstance(network, Tree | Graph):
        count = network.nodes if isinstance(network, Graph) else len(network.parent)
        to = shuffled(rng, count)
        return same(moved(one, renumbered(network, to), lambda site: (to[site[0]],)))
    axes = shuffled(rng, network.dimension)
    turned = [rng.randrange(2) for _ in axes]
    if isinstance(network, Grid):
        side = network.shape

        def place(site: Site) -> Site:
            return tuple(side[a] - 1 - site[a] if turned[a] else site[a] for a in axes)

        shape, rings = [side[a] for a in axes], [network.rings[a] for a in axes]
        return same(moved(one, Grid(tuple(shape), tuple(rings)), place))
    if isinstance(network, Points):

        def flip(site: Site) -> Site:
            return tuple(-site[a] if turned[a] else site[a] for a in axes)

        return same(moved(one, Points(tuple(map(flip, network.coordinates))), flip))
    return None


def translate_ksubset(rng: Random, one: KSubset) -> Outcome | None:
    """Move all; below a tree's root put another, and at a graph's node a dead end."""
    network = one.topology
    if isinstance(network, Tree):
        parent = (-1, *(up + 1 for up in network.parent))
        weight = list(network.weight)
        weight[network.parent.index(-1)] = rng.randint(0, 5)
        hosts = tuple(v + 1 for v in network.processors)
        longer = Tree(parent, (0, *weight), hosts)
        return same(moved(one, longer, lambda site: (site[0] + 1,)))
    if isinstance(network, Graph):
        end = (rng.randrange(network.nodes), network.nodes, rng.randint(1, 5))
        wider = Graph(network.nodes + 1, (*network.edges, end), network.processors)
        return same(moved(one, wider, tuple))
    by = [rng.randint(0, 3) for _ in range(network.dimension)]
    if isinstance(network, Grid):
        rings, room = network.rings, [rng.randint(0, 2) for _ in by]
        shape = tuple(
            side if ring else side + step + more
            for side, ring, step, more in zip(
                network.shape, rings, by, room, strict=True
            )
        )

        def place(site: Site) -> Site:
            return tuple(
                (x + step) % side for x, step, side in zip(site, by, shape, strict=True)
            )

        return same(moved(one, Grid(shape, rings), place))
    if isinstance(network, Points):

        def shift(site: Site) -> Site:
            return tuple(x + 7 * step for x, step in zip(site, by, strict=True))

        return same(moved(one, Points(tuple(map(shift, network.coordinates))), shift))
    return None


def scale_ksubset(rng: Random, one: KSubset) -> Outcome | None:
    network, factor = one.topology, rng.randint(2, 4)
    wider: Topology
    if isinstance(network, Tree):
        wider = replace(network, weight=tuple(factor * w for w in network.weight))
        other = moved(one, wider, tuple)
    elif isinstance(network, Graph):
        edges = tuple((u, v, factor * w) for u, v, w in network.edges)
        other = moved(one, replace(network, edges=edges), tuple)
    elif isinstance(network, Grid | Points):

        def place(site: Site) -> Site:
            return tuple(factor * x for x in site)

        wider = (
            Grid(place(network.shape), network.rings)
            if isinstance(network, Grid)
            else Points(tuple(map(place, network.coordinates)))
        )
        other = moved(one, wider, place)
    else:
        return None
    return Outcome([other], lambda a, b: times(a, factor) == b)


def far_ksubset(rng: Random, one: KSubset) -> Outcome | None:
    """Add a free processor so far away that no optimum uses it."""
    network = one.topology
    any_choice = support_of(one).any_choice(one)
    assert any_choice is not None
    far = int(cost(one, any_choice)) + 1 + rng.randint(0, 3)
    if isinstance(network, Tree):
        node = len(network.parent)
        leaf = Tree(
            (*network.parent, rng.randrange(node)),
            (*network.weight, far),
            (*network.processors, node),
        )
        return same(moved(one, leaf, tuple, (node,)))
    if isinstance(network, Graph):
        end = (rng.randrange(network.nodes), network.nodes, far)
        hosts = (*network.processors, network.nodes)
        leaf_of = Graph(network.nodes + 1, (*network.edges, end), hosts)
        return same(moved(one, leaf_of, tuple, (network.nodes,)))
    if isinstance(network, Points):
        last = max(site[0] for site in network.coordinates)
        away = (last + far, *network.coordinates[0][1:])
        cloud = Points((*network.coordinates, away))
        return same(moved(one, cloud, tuple, away))
    if isinstance(network, Grid) and not all(network.rings) and far < 100:
        axis = network.rings.index(False)
        shape = list(network.shape)
        shape[axis] += far
        away = tuple(side - 1 if a == axis else 0 for a, side in enumerate(shape))
        return same(moved(one, Grid(tuple(shape), network.rings), tuple, away))
    return None


def more_ksubset(rng: Random, one: KSubset) -> Outcome | None:
    """Of the k + 1 subsets of a choice of k + 1, each pair is in k - 1."""
    k = one.k
    if one.required or k == one.n:
        return None
    other = replace(one, k=k + 1)
    return Outcome([other], lambda a, b: a * (k + 1) <= b * (k - 1))


def required_or_busy_ksubset(rng: Random, one: KSubset) -> Outcome | None:
    left = list(one.free)
    for site in one.required:
        left.remove(site)
    if not left or len(one.required) == one.k:
        return None
    x = rng.choice(left)
    others = [replace(one, required=(*one.required, x))]
    free = list(one.free)
    free.remove(x)
    if len(free) >= one.k:
        others.append(replace(one, free=tuple(free)))
    return Outcome(others, lambda a, *rest: a == least(*rest))


# Processor sets


def relabel_procset(rng: Random, one: ProcSet) -> Outcome:
    to = shuffled(rng, len(one.processors))
    sets = [
        ProcessorSet(f"t{i}", tuple(to[p] for p in each.members), each.cost)
        for i, each in enumerate(rng.sample(one.sets, len(one.sets)))
    ]
    return same(
        replace(
            one,
            available=tuple(to[p] for p in one.available),
            required=tuple(to[p] for p in one.required),
            sets=tuple(sets),
        )
    )


def translate_procset(rng: Random, one: ProcSet) -> Outcome:
    """Charge every choice for a set of all processors."""
    price = tuple(rng.randint(0, 5) for _ in range(one.levels))
    every = ProcessorSet("all", tuple(range(len(one.processors))), price)
    other = replace(one, sets=(*one.sets, every))
    return Outcome([other], lambda a, b: plus(a, price) == b)


def scale_procset(rng: Random, one: ProcSet) -> Outcome:
    factor = rng.randint(2, 4)
    sets = tuple(
        replace(each, cost=tuple(factor * c for c in each.cost)) for each in one.sets
    )
    return Outcome([replace(one, sets=sets)], lambda a, b: times(a, factor) == b)


def far_procset(rng: Random, one: ProcSet) -> Outcome | None:
    """Add an available processor that costs more than all others together."""
    if one.request > one.n:
        return None
    new = len(one.processors)
    price = (one.total[0] + 1, *([0] * (one.levels - 1)))
    return same(
        replace(
            one,
            processors=(*one.processors, "far"),
            available=(*one.available, new),
            sets=(*one.sets, ProcessorSet("far", (new,), price)),
        )
    )


def more_procset(rng: Random, one: ProcSet) -> Outcome:
    return Outcome([replace(one, request=one.request + 1)], at_most)


def required_or_busy_procset(rng: Random, one: ProcSet) -> Outcome | None:
    left = sorted(set(one.available) - set(one.required))
    if not left or len(one.required) == one.request:
        return None
    x = rng.choice(left)
    with_x = replace(one, required=(*one.required, x))
    without = replace(one, available=tuple(p for p in one.available if p != x))
    return Outcome([with_x, without], lambda a, b, c: a == least(b, c))


# Knapsacks


def relabel_sukp(rng: Random, one: Sukp) -> Outcome:
    to = shuffled(rng, len(one.weights))
    order = shuffled(rng, one.n)
    weights = [0] * len(to)
    for e, w in enumerate(one.weights):
        weights[to[e]] = w
    return same(
        replace(
            one,
            profits=tuple(one.profits[i] for i in order),
            weights=tuple(weights),
            items=tuple(tuple(to[e] for e in one.items[i]) for i in order),
            required=tuple(order.index(i) for i in one.required),
        )
    )


def translate_sukp(rng: Random, one: Sukp) -> Outcome:
    """Add an item that needs nothing, and is chosen for its profit."""
    profit = rng.randint(0, 5)
    return same(replace(one, profits=(*one.profits, profit), items=(*one.items, ())))


def scale_sukp(rng: Random, one: Sukp) -> Outcome:
    heavy, dear = rng.randint(1, 4), rng.randint(1, 4)
    other = replace(
        one,
        profits=tuple(dear * p for p in one.profits),
        weights=tuple(heavy * w for w in one.weights),
        capacity=heavy * one.capacity + rng.randrange(heavy),
    )
    return Outcome([other], lambda a, b: times(a, dear) == b)


def far_sukp(rng: Random, one: Sukp) -> Outcome:
    """Add an item that does not fit by itself."""
    profit = rng.randint(0, 5)
    other = replace(
        one,
        profits=(*one.profits, profit),
        weights=(*one.weights, one.capacity + 1),
        items=(*one.items, (len(one.weights),)),
    )
    return Outcome([other], lambda a, b: plus(a, profit) == b)


def more_sukp(rng: Random, one: Sukp) -> Outcome:
    larger = replace(one, capacity=one.capacity + rng.randint(1, 3))
    return Outcome([larger], lambda a, b: at_most(b, a))


def required_or_busy_sukp(rng: Random, one: Sukp) -> Outcome | None:
    left = sorted(set(range(one.n)) - set(one.required))
    if not left or one.n == 1:
        return None
    x = rng.choice(left)
    kept = [i for i in range(one.n) if i != x]
    without = replace(
        one,
        profits=tuple(one.profits[i] for i in kept),
        items=tuple(one.items[i] for i in kept),
        required=tuple(kept.index(i) for i in one.required),
    )
    with_x = replace(one, required=(*one.required, x))
    lost = one.profits[x]
    return Outcome([with_x, without], lambda a, b, c: a == least(b, plus(c, lost)))


# Submeshes


def with_boxes(
    one: Submesh, place: Callable[[Resident], tuple[int, ...]], **changes: Any
) -> Submesh:
    """Return the instance with other boxes, and perhaps another shape."""
    residents = tuple(replace(each, box=place(each)) for each in one.residents)
    return replace(one, **{"residents": residents, **changes})


def relabel_submesh(rng: Random, one: Submesh) -> Outcome:
    """Turn and mirror the mesh, and list the residents in another order.

    Steps are those of the lowest corner: where boxes turn, a mirror changes them.
    """
    axes, still = shuffled(rng, one.d), not any(each.turns for each in one.residents)
    mirrored = [still and rng.randrange(2) for _ in axes]
    shape = [one.shape[a] for a in axes]

    def place(resident: Resident) -> tuple[int, ...]:
        size, low = sides(resident.box), corner(resident.box)
        at = []
        for a in axes:
            end = low[a] + size[a] - 1
            at.append(
                (one.shape[a] - 1 - end) % one.shape[a] if mirrored[a] else low[a]
            )
        return box_at(at, [size[a] for a in axes])

    other = with_boxes(
        one, place, shape=tuple(shape), request=tuple(one.request[a] for a in axes)
    )
    order = rng.sample(other.residents, len(other.residents))
    return same(replace(other, residents=tuple(order)))


def translate_submesh(rng: Random, one: Submesh) -> Outcome:
    """Move all boxes round a torus, or put defective processors before a mesh."""
    if one.torus:
        by = [rng.randrange(side) for side in one.shape]
        return same(
            with_boxes(
                one,
                lambda each: box_at(
                    [
                        (x + step) % side
                        for x, step, side in zip(
                            corner(each.box), by, one.shape, strict=True
                        )
                    ],
                    sides(each.box),
                ),
            )
        )
    return walled(rng, one, first=True)


def far_submesh(rng: Random, one: Submesh) -> Outcome | None:
    """Put defective processors behind a mesh."""
    return None if one.torus else walled(rng, one, first=False)


def walled(rng: Random, one: Submesh, *, first: bool) -> Outcome:
    axis = rng.randrange(one.d)
    shape = tuple(side + (a == axis) for a, side in enumerate(one.shape))
    wall = 0 if first else shape[axis] - 1
    cells = Grid(shape, (False,) * one.d).locations()
    blocked = tuple(cell for cell in cells if cell[axis] == wall)
    step = [int(first and a == axis) for a in range(one.d)]
    return same(
        with_boxes(
            one,
            lambda each: box_at(
                [x + more for x, more in zip(corner(each.box), step, strict=True)],
                sides(each.box),
            ),
            shape=shape,
            blocked=blocked,
        )
    )


def more_submesh(rng: Random, one: Submesh) -> Outcome:
    """Ask for a longer box: what held it has room for the shorter one."""
    axis = rng.randrange(one.d)
    longer = tuple(side + (a == axis) for a, side in enumerate(one.request))
    return Outcome([replace(one, request=longer)], at_most)


def first_of(one: Contention, optimum: Value) -> Fraction:
    """Return the first number of a cost as what it stands for."""
    return Fraction(as_tuple(optimum)[0], one.common ** (one.power or 1))


def falls(one: Contention, other: Contention, *, rises: bool = False) -> Outcome:
    def holds(a: Value, b: Value) -> bool:
        before, after = first_of(one, a), first_of(other, b)
        return before <= after if rises else after <= before

    return Outcome([other], holds)


def changed(one: Contention, rng: Random, change: Callable[[Link], Link]) -> Contention:
    """Change some links, both ways."""
    some = {frozenset(link[:2]) for link in one.wires if rng.randrange(2)}
    links = (change(x) if frozenset(x[:2]) in some else x for x in one.wires)
    return replace(one, links=tuple(links))


def scale_contention(rng: Random, one: Contention) -> Outcome | None:
    """Count in smaller parts of a port, where no load is rounded."""
    if not one.routes.is_fixed or one.unit % one.busiest:
        return None
    by = rng.choice((2, 3, 10))
    links = (Link(a, b, c * by, busy * by) for a, b, c, busy in one.wires)
    other = replace(one, unit=one.unit * by, links=tuple(links))
    return Outcome([other], lambda a, b: first_of(one, a) == first_of(other, b))


def busier_contention(rng: Random, one: Contention) -> Outcome:
    """Have others send more over some links."""
    more = rng.randint(1, one.unit)
    other = changed(one, rng, lambda link: link._replace(busy=link.busy + more))
    return falls(one, other, rises=True)


def wider_contention(rng: Random, one: Contention) -> Outcome | None:
    """Double some links; with a reserve or power of others the first term may rise."""
    other = changed(one, rng, lambda x: x._replace(capacity=2 * x.capacity))
    return falls(one, other)


def more_contention(rng: Random, one: Contention) -> Outcome | None:
    """Free another processor."""
    left = sorted(set(one.topology.locations()) - set(one.free))
    if not left:
        return None
    job = replace(one.job, free=(*one.free, rng.choice(left)))
    return Outcome([replace(one, job=job)], lambda a, b: as_tuple(b) <= as_tuple(a))


RELATIONS: dict[str, dict[str, Relation]] = {
    "ksubset": {
        "relabel": relabel_ksubset,
        "translate": translate_ksubset,
        "scale": scale_ksubset,
        "far": far_ksubset,
        "more": more_ksubset,
        "required or busy": required_or_busy_ksubset,
    },
    "procset": {
        "relabel": relabel_procset,
        "translate": translate_procset,
        "scale": scale_procset,
        "far": far_procset,
        "more": more_procset,
        "required or busy": required_or_busy_procset,
    },
    "sukp": {
        "relabel": relabel_sukp,
        "translate": translate_sukp,
        "scale": scale_sukp,
        "far": far_sukp,
        "more": more_sukp,
        "required or busy": required_or_busy_sukp,
    },
    "contention": {
        "scale": scale_contention,
        "busier": busier_contention,
        "wider": wider_contention,
        "more": more_contention,
    },
    "submesh": {
        "relabel": relabel_submesh,
        "translate": translate_submesh,
        "far": far_submesh,
        "more": more_submesh,
    },
}
"""By problem and name; those with required ones are for methods that take them."""
