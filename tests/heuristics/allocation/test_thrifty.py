"""The thrifty strategy against its definition."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations
from math import isqrt

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.heuristics.allocation.thrifty import REGARD, Thrifty
from closeknit.instances import KSubset, Mesh, Torus
from closeknit.methods import KSUBSET
from closeknit.methods.allocators.table import allocator

GRIDS = (
    *(kind(shape) for kind in (Mesh, Torus) for shape in ((4, 5), (3, 3), (1, 9))),
    *(kind((3, 2, 3)) for kind in (Mesh, Torus)),
    Torus((5, 4)),
)


@st.composite
def situations(draw: st.DrawFn) -> tuple[Thrifty, int]:
    """A machine with some busy processors, and a size that leaves some over."""
    regard = draw(st.sampled_from([Fraction(0), REGARD, Fraction(2), Fraction(1, 7)]))
    one = Thrifty(draw(st.sampled_from(GRIDS)), regard=regard)
    n = len(one.places)
    one.hold(draw(st.sets(st.integers(0, n - 1), max_size=n - 2)))
    return one, draw(st.integers(1, one.free - 1))


def pairs(one: Thrifty, chosen: Iterable[int]) -> int:
    """Sum up distances from the definition."""
    places = [one.places[i] for i in chosen]
    return sum(one.topology.distance(p, q) for p, q in combinations(places, 2))


def cost(one: Thrifty, chosen: set[int], k: int) -> int:
    """What is minimised, in units of the scale."""
    free = set(np.flatnonzero(one.idle).tolist())
    p, q = one.regard.numerator, one.regard.denominator
    weight = isqrt(isqrt((p * one.scale) ** 4 * k**3 // (q**4 * len(free) ** 3)))
    return one.scale * pairs(one, chosen) + weight * pairs(one, free - chosen)


@settings(max_examples=80, deadline=None)
@given(situation=situations())
def test_no_exchange_helps(situation: tuple[Thrifty, int]) -> None:
    one, k = situation
    grant = one.find(k)
    assert grant is not None
    chosen = set(grant.used.tolist())
    found = cost(one, chosen, k)
    free = set(np.flatnonzero(one.idle).tolist())
    for out in chosen:
        for into in free - chosen:
            assert cost(one, chosen - {out} | {into}, k) >= found


@settings(max_examples=80, deadline=None)
@given(situation=situations())
def test_no_ball_is_better(situation: tuple[Thrifty, int]) -> None:
    one, k = situation
    grant = one.find(k)
    assert grant is not None
    found = cost(one, set(grant.used.tolist()), k)
    free = np.flatnonzero(one.idle).tolist()
    for centre in one.places:
        away = [one.topology.distance(centre, one.places[i]) for i in free]
        order = sorted(range(len(free)), key=lambda i: (away[i], i))
        assert cost(one, {free[i] for i in order[:k]}, k) >= found


@settings(max_examples=40, deadline=None)
@given(situation=situations())
def test_without_regard_it_is_never_above_mm_all(
    situation: tuple[Thrifty, int],
) -> None:
    one, k = situation
    greedy = Thrifty(one.topology, regard=Fraction(0))
    greedy.hold(np.flatnonzero(~one.idle).tolist())
    grant = greedy.find(k)
    assert grant is not None
    places = tuple(one.places[i] for i in np.flatnonzero(one.idle))
    other = KSUBSET["mm-all"](KSubset("job", one.topology, places, k))
    assert isinstance(other.objective, int)
    assert pairs(greedy, grant.used.tolist()) <= other.objective


def test_uses_up_a_corner() -> None:
    topology = Mesh((8, 8))
    grant = allocator("thrifty", topology).find(4)
    assert grant is not None
    corners = ({0, 1, 8, 9}, {6, 7, 14, 15}, {48, 49, 56, 57}, {54, 55, 62, 63})
    assert set(grant.used.tolist()) in corners


def test_large_machines_do_not_overflow() -> None:
    line = Thrifty(Mesh((3000,)))
    assert line.scale >= 1
    grant = line.find(20)
    assert grant is not None
    assert np.array_equal(np.diff(grant.used), np.ones(19))
