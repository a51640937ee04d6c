"""The search for proofs that boxes cannot be packed, against what the checker takes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, product
from random import Random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from closeknit.exact.submesh.refutation import (
    _functions,
    _pairs,
    _products,
    _rescalings,
    _stacks,
    _thresholds,
    refute,
)
from closeknit.instances.submesh.infeasibility import check_infeasible, image
from closeknit.instances.submesh.packed import volume
from closeknit.instances.submesh.packing import Item, Packing, ways

from ...oracles import packs

Sizes = list[list[tuple[int, ...]]]


def drawn(seed: int) -> Packing:
    """Draw a packing of which about half have too large a volume for some function."""
    draw = Random(seed)
    d = draw.choice((2, 2, 3))
    shape = tuple(draw.randint(2, 6 if d == 2 else 4) for _ in range(d))
    room = np.prod(shape)
    items: list[Item] = []
    while sum(np.prod(one.size) for one in items) < 0.8 * room and len(items) < 8:
        size = tuple(draw.randint(1, side) for side in shape)
        items.append(Item(size, turns=draw.random() < 0.3))
    cells = list(product(*map(range, shape)))
    blocked = draw.sample(cells, draw.randint(0, 2))
    return Packing("drawn", shape, tuple(items), tuple(blocked), seed % 3 == 0)


def placeable(seeds: Iterable[int]) -> Iterator[tuple[Packing, Sizes]]:
    """Draw packings each of whose items fits by itself, and the ways of the items."""
    for packing in map(drawn, seeds):
        sizes = [ways(packing, item) for item in packing.items]
        if all(sizes):
            yield packing, sizes


def least(sizes: Sizes) -> NDArray[np.int64]:
    return np.array([np.min(several, axis=0) for several in sizes])


def accepted(packing: Packing, functions: list[tuple[str, int]]) -> bool:
    named = [list(pair) for pair in functions]
    certificate = {"kind": "dual feasible", "functions": named}
    return not check_infeasible(packing, certificate)


def refutable(packing: Packing) -> bool:
    """Try all functions of one axis, and of two where that is a proof."""
    d = packing.d
    of_axis = [listed(side) for side in packing.shape]
    plain: list[tuple[str, int]] = [("identity", 1)] * d
    for a in range(d):
        for one in of_axis[a]:
            if accepted(packing, [*plain[:a], one, *plain[a + 1 :]]):
                return True
    if packing.torus:
        return False
    for a, b in combinations(range(d), 2):
        for one, other in product(of_axis[a], of_axis[b]):
            functions = list(plain)
            functions[a], functions[b] = one, other
            if accepted(packing, functions):
                return True
    return False


def listed(side: int) -> list[tuple[str, int]]:
    """List the functions that the search knows for a short side."""
    if side == 1:
        return [("identity", 1)]
    half = range(1, side // 2 + 1)
    return [
        ("identity", 1),
        *(("u", k) for k in range(1, side + 1)),
        *(("count", k) for k in half),
    ]


@pytest.mark.parametrize("torus", [False, True])
def test_a_box_has_no_place_exactly_where_every_place_is_taken(torus: bool) -> None:
    draw = Random(torus)
    none = 0
    for _ in range(400):
        shape = (draw.randint(1, 4), draw.randint(1, 4))
        cells = list(product(*map(range, shape)))
        blocked = draw.sample(cells, draw.randint(0, len(cells) // 3))
        at = draw.choice([cell for cell in cells if cell not in blocked])
        size = tuple(draw.randint(1, side) for side in shape)
        fixed = Item((1, 1), at=(*at, *at))
        packing = Packing("one", shape, (fixed, Item(size)), tuple(blocked), torus)
        free = packs(packing)
        proof = {"kind": "no place", "item": 1}
        assert (check_infeasible(packing, proof) == []) is not free, packing
        none += not free
    assert 50 < none < 350


def test_stacks_are_proofs_and_none_is_missed() -> None:
    """The search is greedy; on these packings it misses none."""
    there = found = 0
    for packing, sizes in placeable(range(1500)):
        stacks = list(_stacks(packing, least(sizes)))
        for stack in stacks:
            assert check_infeasible(packing, stack) == []
        found += bool(stacks)
        there += any(
            not check_infeasible(
                packing, {"kind": "stack", "axis": axis, "items": list(items)}
            )
            for axis in range(packing.d)
            for n in range(2, len(sizes) + 1)
            for items in combinations(range(len(sizes)), n)
        )
    assert found == there == 854


@pytest.mark.parametrize("side", range(1, 14))
def test_functions_are_those_that_are_checked(side: int) -> None:
    lengths = list(range(1, side + 1))
    often = [1 + x % 3 for x in lengths]
    every = [x for x, n in zip(lengths, often, strict=True) for _ in range(n)]
    names, values = _functions(side, np.array(lengths)[:, None], np.array(often))
    assert names == listed(side)
    for (family, k), row in zip(names, values, strict=True):
        room = image(family, k, side, side, every)
        expected = [image(family, k, side, x, every) / max(room, 1) for x in lengths]
        assert row[:, 0].tolist() == pytest.approx(expected, abs=1e-12)


def test_forty_multiples_are_tried_at_most() -> None:
    names, _ = _functions(41, np.array([[20]]), np.array([1]))
    assert [k for family, k in names if family == "u"] == list(range(1, 41))


@pytest.mark.parametrize("side", [64, 65, 100, 129])
def test_no_threshold_of_importance_is_left_out(side: int) -> None:
    """Beyond a fifth of the side, every threshold does what one that is tried does."""
    draw = Random(side)
    for _ in range(20):
        lengths = sorted(draw.sample(range(1, side + 1), 4))
        tried = _thresholds(side, np.array([lengths]))
        assert tried.tolist() == sorted(set(tried.tolist()))
        assert tried[0] >= 1
        assert tried[-1] <= side // 2
        if side == 64:
            assert tried.tolist() == list(range(1, 33))

        def images(k: int, lengths: list[int] = lengths) -> tuple[int, ...]:
            return tuple(image("count", k, side, x, lengths) for x in [*lengths, side])

        known = {images(int(k)) for k in tried}
        assert all(images(k) in known for k in range(side // 5 + 1, side // 2 + 1))


@pytest.mark.parametrize("several", [1, 3])
def test_products_take_the_least_way_of_each_item(several: int) -> None:
    draw = np.random.default_rng(several)
    one, other = draw.random((4, 5, several)), draw.random((6, 5, several))
    times = draw.integers(1, 4, 5)
    expected = [[((f * g).min(axis=1) * times).sum() for g in other] for f in one]
    assert _products(one, other, times) == pytest.approx(np.array(expected))


@pytest.mark.parametrize("part", range(6))
def test_finds_exactly_what_functions_can_prove(part: int) -> None:
    proved = 0
    for packing, sizes in placeable(range(part, 180, 6)):
        found = list(_rescalings(packing, sizes))
        assert bool(found) is refutable(packing), packing
        for certificate in found:
            assert check_infeasible(packing, certificate) == []
        proved += bool(found)
    assert proved


def test_finds_every_pair_that_clashes() -> None:
    clashing = 0
    for packing, sizes in placeable(range(400)):
        pairs = [
            {"kind": "pair", "items": [i, j]}
            for i, j in combinations(range(len(packing.items)), 2)
        ]
        clashes = [pair for pair in pairs if not check_infeasible(packing, pair)]
        assert list(_pairs(packing, least(sizes))) == clashes[:1]
        clashing += bool(clashes)
    assert clashing > 10


PROOFS: list[tuple[Packing, dict[str, Any] | None]] = [
    (
        Packing("a", (2, 2), (Item((2, 1)),) * 3),
        {"kind": "dual feasible", "functions": [["identity", 1]] * 2},
    ),
    (
        Packing("b", (4, 4), (Item((1, 1)), Item((5, 1)))),
        {"kind": "no place", "item": 1},
    ),
    (Packing("c", (5, 5), (Item((3, 3)),) * 2), {"kind": "pair", "items": [0, 1]}),
    (
        Packing("d", (4, 5), (Item((3, 2)),) * 3),
        {"kind": "stack", "axis": 1, "items": [0, 1, 2]},
    ),
    (
        Packing("e", (3, 3), (Item((1, 1)), Item((2, 2))), ((1, 1),)),
        {"kind": "no place", "item": 1},
    ),
    (Packing("f", (4, 4), (Item((2, 2)),) * 4), None),
]


def test_the_volume_counts_what_is_blocked() -> None:
    assert volume(Packing("v", (4, 4), (Item((2, 3)), Item((1, 2))), ((3, 3),))) == 9


@pytest.mark.parametrize(
    ("packing", "proof"), PROOFS, ids=lambda one: getattr(one, "name", "")
)
def test_the_simplest_proof_comes_first(
    packing: Packing, proof: dict[str, Any] | None
) -> None:
    assert refute(packing) == proof
