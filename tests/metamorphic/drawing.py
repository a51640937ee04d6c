"""Small instances of every problem, drawn by `random`, in less than a millisecond."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from random import Random
from typing import Any

from closeknit.instances import (
    Graph,
    Instance,
    KSubset,
    ProcessorSet,
    ProcSet,
    Submesh,
    Sukp,
    problem_of,
)
from closeknit.instances.submesh import Resident, box_at, overlap
from closeknit.network.claims.contention import draw_contention
from tests.strategies import random_ksubset


def draw_ksubset(rng: Random) -> KSubset:
    """Draw a network of any kind, one in five a graph with circles.

    One in four is too large for searches that price all choices where there are few.
    """
    most = rng.choice((9, 9, 9, 15))
    if rng.randrange(5):
        return random_ksubset(rng, most)
    nodes = rng.randint(3, most)
    edges = {(rng.randrange(v), v): rng.randint(1, 3) for v in range(1, nodes)}
    for pair in rng.sample(list(combinations(range(nodes), 2)), rng.randint(0, nodes)):
        edges.setdefault(pair, rng.randint(1, 3))
    listed = tuple((u, v, w) for (u, v), w in edges.items())
    hosts = tuple(rng.sample(range(nodes), rng.randint(1, nodes)))
    network = Graph(nodes, listed, hosts)
    free = rng.sample(list(network.locations()), rng.randint(1, len(hosts)))
    return KSubset("drawn", network, tuple(free), rng.randint(1, len(free)))


def draw_procset(rng: Random) -> ProcSet:
    """Draw any sets; some cost nothing, are alike, or have no available member."""
    n, levels = rng.randint(1, 8), rng.randint(1, 3)
    large = rng.choice([1, 3, 3, 9, 2**20])
    sets = tuple(
        ProcessorSet(
            f"s{i}",
            tuple(rng.sample(range(n), rng.randint(1, n))),
            tuple(rng.choice([0, rng.randint(0, large)]) for _ in range(levels)),
        )
        for i in range(rng.randint(1, 6))
    )
    some = tuple(rng.sample(range(n), rng.randint(1, n)))
    names = tuple(f"p{i}" for i in range(n))
    more = rng.randrange(9) == 0  # than there are
    return ProcSet("drawn", names, some, rng.randint(1, len(some)) + more, sets)


def draw_sukp(rng: Random) -> Sukp:
    """Draw any items; some need nothing, or elements without weight."""
    elements, large = rng.randint(0, 7), rng.choice([1, 5, 2**20])
    weights = [rng.choice([0, 1, rng.randint(0, large)]) for _ in range(elements)]
    items = [
        tuple(rng.sample(range(elements), rng.randint(0, elements)))
        for _ in range(rng.randint(1, 7))
    ]
    profits = tuple(rng.choice([0, 1, rng.randint(0, large)]) for _ in items)
    room = rng.randint(0, sum(weights))
    return Sukp("drawn", profits, tuple(weights), tuple(items), room)


def draw_submesh(rng: Random) -> Submesh:
    """Draw a mesh or torus with residents; some requests cannot be placed."""
    shape = rng.choice([(4, 4), (2, 5), (3, 3), (5, 1), (2, 2, 3), (4, 3)])
    torus, held = rng.randrange(3) == 0, list[Resident]()
    empty = Submesh("empty", shape, (), (1,) * len(shape), torus=torus)
    for _ in range(rng.randint(0, 4)):
        size = [rng.randint(1, min(side, 3)) for side in shape]
        place = [
            rng.randrange(side if torus else side - s + 1)
            for s, side in zip(size, shape, strict=True)
        ]
        box = box_at(place, size)
        if not any(overlap(empty, box, other.box) for other in held):
            held.append(Resident(box, rng.randrange(4) == 0, rng.randrange(2) == 0))
    return Submesh(
        "drawn",
        shape,
        tuple(held),
        tuple(rng.randint(1, side) for side in shape),
        rotate=rng.randrange(2) == 0,
        migrate=rng.randrange(4) > 0,
        torus=torus,
    )


DRAW: dict[str, Callable[[Random], Any]] = {
    "ksubset": draw_ksubset,
    "procset": draw_procset,
    "sukp": draw_sukp,
    "submesh": draw_submesh,
    "contention": draw_contention,
}


def with_requirements(rng: Random, one: Any) -> Any:
    """Return the instance with something required, where that is possible."""
    if isinstance(one, KSubset):
        return replace(one, required=tuple(rng.sample(one.free, rng.randint(0, one.k))))
    if isinstance(one, ProcSet):
        most = min(one.request, one.n)
        return replace(
            one, required=tuple(rng.sample(one.available, rng.randint(0, most)))
        )
    if isinstance(one, Sukp):
        most = min(one.n, rng.randint(0, 3))
        return replace(one, required=tuple(rng.sample(range(one.n), most)))
    return one


def draw_instance(rng: Random, problem: str, takes_required: bool) -> Instance:
    """Draw an instance; one in two requires something, if a method takes that."""
    one = DRAW[problem](rng)
    found: Instance = with_requirements(rng, one)
    assert problem_of(found).name == problem
    return found if takes_required and rng.randrange(2) else one
