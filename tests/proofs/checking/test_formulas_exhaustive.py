"""Formulas against all choices of small instances: each exists, at its very cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations, product

import numpy as np
import pytest

from closeknit.instances import (
    Instance,
    KSubset,
    Mesh,
    ProcSet,
    Submesh,
    Sukp,
    Torus,
    check,
    cost,
)
from closeknit.instances.procset.instance import ProcessorSet
from closeknit.instances.submesh import Box, Placement, Resident, box_at, overlap, sides
from closeknit.instances.topologies import Graph, Tree
from closeknit.proofs.checking import Formula, formula_of
from closeknit.proofs.checking.formulas import fold, levels_of
from tests.oracles import boxes_of

MOST = 50_000
"""Assignments of a formula that are looked at."""
Choice = tuple[object, ...]


def least_costs(
    formula: Formula, decode: Callable[[frozenset[str]], Choice]
) -> dict[Choice, int]:
    """Return each choice that an assignment stands for, and its least objective."""
    n = len(formula.names)
    values = np.zeros((1, 0), np.int64)
    if any(not row.terms and row.degree > 0 for row in formula.rows):
        return {}
    for v in range(1, n + 1):  # in the order of variables; rows as soon as they can be
        values = np.concatenate(
            [np.insert(values, v - 1, value, axis=1) for value in (0, 1)]
        )
        for row in formula.rows:
            if max(map(abs, row.terms), default=0) == v:
                total = np.zeros(len(values), np.int64)
                for x, a in row.terms.items():
                    one = values[:, abs(x) - 1]
                    total += a * (one if x > 0 else 1 - one)
                values = values[total >= row.degree]
        assert len(values) <= MOST
    prices = np.zeros(n, np.int64)
    for x, a in formula.objective.items():
        prices[x - 1] = a
    found: dict[Choice, int] = {}
    for one, paid in zip(
        values, (values @ prices + formula.offset).tolist(), strict=True
    ):
        choice = decode(frozenset(formula.names[v] for v in np.flatnonzero(one)))
        found[choice] = min(paid, found.get(choice, paid))
    return found


def assert_every_choice_has_its_cost(
    instance: Instance,
    choices: Iterator[tuple[Choice, tuple[int, ...]]],
    decode: Callable[[frozenset[str]], Choice],
) -> None:
    formula = formula_of(instance)
    levels = levels_of(instance)
    expected = {
        choice: formula.unit * fold(cost(instance, selection), levels)
        for choice, selection in choices
    }
    assert least_costs(formula, decode) == expected


# k-subsets

TREE = Tree((-1, 0, 0, 1), (0, 2, 1, 3), (1, 2, 3))
PATH = Graph(3, ((0, 1, 1), (1, 2, 2)), (0, 1, 2))
KSUBSETS = [
    *(
        KSubset("mesh", Mesh(shape), tuple(np.ndindex(*shape)), k)
        for shape in ((4,), (2, 2), (1, 3), (3, 1))
        for k in (1, 2, 3)
    ),
    *(
        KSubset("ring", Torus((n,)), tuple((i,) for i in range(n)), k)
        for n, k in ((3, 2), (4, 1), (4, 2))
    ),
    KSubset("gap", Mesh((5,)), ((0,), (3,), (4,)), 2),
    KSubset("tree", TREE, ((1,), (2,), (3,)), 2),
    KSubset("path", PATH, ((0,), (1,), (2,)), 2),
]


@pytest.mark.parametrize("instance", KSUBSETS, ids=lambda one: f"{one.name}-k{one.k}")
def test_k_subsets(instance: KSubset) -> None:
    subsets = combinations(range(instance.n), instance.k)
    assert_every_choice_has_its_cost(
        instance,
        ((each, each) for each in subsets),
        lambda true: tuple(i for i in range(instance.n) if f"x{i}" in true),
    )


# Processor sets

FAMILIES = [
    [(0, 1), (2,)],
    [(0, 1, 2)],
    [(0, 1), (1, 2)],
    [(0,), (1,), (2,), (0, 1, 2)],
]
COSTS = [(1, 0), (0, 2), (2, 1), (0, 0)]


@pytest.mark.parametrize("members", FAMILIES)
@pytest.mark.parametrize("request_", [1, 2, 3])
@pytest.mark.parametrize("available", [(0, 1, 2), (0, 2)])
def test_processor_sets(
    members: list[tuple[int, ...]], request_: int, available: tuple[int, ...]
) -> None:
    groups = zip(members, COSTS, strict=False)
    instance = ProcSet(
        "sets",
        ("p", "q", "r"),
        available,
        request_,
        tuple(ProcessorSet(f"s{i}", m, c) for i, (m, c) in enumerate(groups)),
    )
    subsets = combinations(available, request_)
    assert_every_choice_has_its_cost(
        instance,
        ((each, each) for each in subsets),
        lambda true: tuple(p for p in range(3) if f"x{p}" in true),
    )


# Knapsacks


@pytest.mark.parametrize("capacity", range(7))
@pytest.mark.parametrize("weights", [(2, 1, 3), (0, 1, 1), (2, 2, 2)])
def test_knapsacks(weights: tuple[int, ...], capacity: int) -> None:
    """Elements may be said to be used by no item, so that fewer items also fit."""
    items = ((0, 1), (1, 2), (2,), ())
    instance = Sukp("sack", (5, 4, 0, 2), weights, items, capacity)
    subsets = (s for n in range(5) for s in combinations(range(4), n))
    assert_every_choice_has_its_cost(
        instance,
        ((each, each) for each in subsets if not check(instance, each)),
        lambda true: tuple(j for j in range(4) if f"z{j}" not in true),
    )


# Placements


def small_placements() -> Iterator[Submesh]:
    """All small states: a resident or two, a request, on meshes and tori."""
    for shape, torus in product([(2, 3), (3, 1), (4, 1), (2, 2)], (False, True)):
        empty = Submesh("empty", shape, (), (1, 1), torus=torus)
        sizes = [*product(*(range(1, side + 1) for side in shape))]
        for size, request in product(sizes, sizes):
            for turns, rotate in ((False, False), (True, False), (False, True)):
                for box in boxes_of(empty, size, turns=False)[::2]:
                    resident = Resident(box, turns=turns)
                    yield Submesh(
                        "one", shape, (resident,), request, rotate=rotate, torus=torus
                    )
    for torus, fixed in product((False, True), (False, True)):
        two = Resident((0, 0, 0, 0), fixed=fixed), Resident((2, 0, 2, 0))
        yield Submesh("two", (5, 1), two, (2, 1), torus=torus)
        yield Submesh("two", (4, 1), two, (2, 1), torus=torus, blocked=((3, 0),))
        yield Submesh("two", (5, 1), two, (2, 1), torus=torus, blocked=((4, 0),))
        yield Submesh("two", (5, 1), two, (2, 1), torus=torus, migrate=False)
    three = Resident((1, 0, 1, 1)), Resident((0, 1, 0, 1), fixed=True)
    yield Submesh("three", (3, 2), three, (1, 2), blocked=((2, 1),))


def decoded(instance: Submesh, true: frozenset[str]) -> tuple[Box, ...]:
    """Return where the residents and the request lie, by the names of variables."""
    found = []
    requests = [*(one.box for one in instance.residents), None]
    for i, home in enumerate(requests):
        size = sides(home) if home else instance.request
        fixed = home and (instance.residents[i].fixed or not instance.migrate)
        turns = instance.rotate if home is None else instance.residents[i].turns
        several = [size, size[::-1]] if turns and size[0] != size[1] else [size]
        several = [
            each
            for each in several
            if all(s <= side for s, side in zip(each, instance.shape, strict=True))
        ]
        if instance.torus:
            (name,) = (name for name in true if name.startswith(f"p{i}_"))
            _, turn, cell = name.split("_")
            at = tuple(int(x) for x in np.unravel_index(int(cell), instance.shape))
            found.append(box_at(at, size if fixed else several[int(turn)]))
            continue
        if fixed:
            assert home is not None
            found.append(home)
            continue
        way = next((w for w in (0, 1) if f"r{i}_{w}" in true), 0)
        lowest = [
            sum(f"o{i}_{a}_{t}" in true for t in range(1, side))
            for a, side in enumerate(instance.shape)
        ]
        found.append(box_at(lowest, several[way]))
    return tuple(found)


def placements(instance: Submesh) -> Iterator[tuple[Choice, tuple[int, ...]]]:
    """List the boxes of every placement without overlaps, and the selection."""
    options = [
        [one.box]
        if one.fixed or not instance.migrate
        else boxes_of(instance, sides(one.box), one.turns)
        for one in instance.residents
    ]
    options.append(boxes_of(instance, instance.request, instance.rotate))
    blocked = [(*cell, *cell) for cell in instance.blocked]
    for boxes in product(*options):
        pairs = combinations([*boxes, *blocked], 2)
        if any(overlap(instance, one, other) for one, other in pairs):
            continue
        moves = tuple(
            (i, box)
            for i, (one, box) in enumerate(zip(instance.residents, boxes, strict=False))
            if box != one.box
        )
        yield boxes, Placement(boxes[-1], moves).flat()


def test_placements() -> None:
    seen = {True: 0, False: 0}
    for instance in small_placements():
        assert_every_choice_has_its_cost(
            instance, placements(instance), partial(decoded, instance)
        )
        seen[instance.torus] += 1
    assert min(seen.values()) > 100
