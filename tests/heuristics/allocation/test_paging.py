"""Paging, against its definition in plain Python."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.heuristics.allocation.allocator import Allocator
from closeknit.heuristics.allocation.paging import Paging
from closeknit.instances import KSubset, Mesh, Site, Torus
from closeknit.methods import KSUBSET
from closeknit.methods.allocators.table import allocator

Page = tuple[int, ...]

EXPONENTS = {"paging": 0, "paging-1": 1}


def pages(one: Allocator, exponent: int) -> list[list[int]]:
    """Processors of each page, row by row."""
    members: dict[Page, list[int]] = {}
    for number, site in enumerate(one.places):
        members.setdefault(tuple(x >> exponent for x in site), []).append(number)
    return [members[page] for page in sorted(members)]


def slow(one: Allocator, exponent: int, k: int) -> tuple[list[int], list[int]]:
    """Return what is used and what is held."""
    every = pages(one, exponent)
    whole = [page for page in every if one.idle[page].all()]
    broken = [page for page in every if not one.idle[page].all()]
    given: list[int] = []
    for page in whole + broken:
        if len(given) < k:
            given += [number for number in page if one.idle[number]]
    return given[:k], sorted(given)


@pytest.mark.parametrize("name", EXPONENTS)
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_hands_out_what_its_definition_says(name: str, data: st.DataObject) -> None:
    shape = data.draw(st.sampled_from([(4, 4), (7, 13), (1, 9), (5, 4, 3), (8, 6)]))
    topology = Torus(shape) if data.draw(st.booleans()) else Mesh(shape)
    one = Paging(topology, exponent=EXPONENTS[name])
    cells = range(len(one.places))
    busy = data.draw(st.sets(st.sampled_from(cells), max_size=len(cells) // 3))
    held = [one.hold(busy)]
    for _ in range(6):
        while not one.free or (held and data.draw(st.booleans())):
            one.release(held.pop(data.draw(st.integers(0, len(held) - 1))))
        k = data.draw(st.integers(1, one.free))
        expected = slow(one, EXPONENTS[name], k)
        grant = one.allocate(k)
        assert grant is not None
        assert (grant.used.tolist(), grant.held.tolist()) == expected
        held.append(grant)


def test_jobs_hold_whole_pages() -> None:
    one = allocator("paging-1", Mesh((4, 6)))
    first = one.allocate(5)
    assert first is not None
    assert first.used.tolist() == [0, 1, 6, 7, 2]
    assert first.held.tolist() == [0, 1, 2, 3, 6, 7, 8, 9]
    assert one.free == 16
    second = one.allocate(1)
    assert second is not None
    assert second.held.tolist() == [4, 5, 10, 11]
    one.release(first)
    third = one.allocate(12)  # around the second
    assert third is not None
    assert len(third.held) == 12
    assert one.allocate(9) is None
    one.release(second)
    one.release(third)
    assert one.free == 24


@st.composite
def states(draw: st.DrawFn) -> tuple[Page, list[Site], int]:
    shape = tuple(4 * draw(st.integers(1, 2)) for _ in range(2))
    cells = sorted(product(*map(range, shape)))
    free = draw(st.lists(st.sampled_from(cells), unique=True, min_size=1))
    return shape, free, draw(st.integers(1, len(free)))


@settings(max_examples=40, deadline=None)
@given(state=states(), by=st.tuples(st.integers(0, 2), st.integers(0, 2)))
def test_shifted_by_pages_alike(state: tuple[Page, list[Site], int], by: Page) -> None:
    """Pages stay pages when a mesh of whole ones grows by whole ones."""
    shape, free, k = state
    wider = tuple(side + 4 * (step + 1) for side, step in zip(shape, by, strict=True))
    moved = [
        tuple(x + 4 * step for x, step in zip(site, by, strict=True)) for site in free
    ]
    paging = KSUBSET["paging-1"]
    here = paging(KSubset("here", Mesh(shape), tuple(free), k))
    there = paging(KSubset("there", Mesh(wider), tuple(moved), k))
    assert here.chosen == there.chosen
