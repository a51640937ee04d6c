"""Swap descent: local minima, reached by the stated exchanges."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.heuristics.ksubset.mm_inc import Descent
from closeknit.instances import KSubset, check, cost, mesh
from closeknit.methods import KSUBSET
from closeknit.solvers import Limit
from closeknit.solvers.running import clock

from ...strategies import ksubsets


def changes(instance: KSubset, chosen: tuple[int, ...]) -> dict[tuple[int, int], int]:
    """Price every exchange from the definition."""
    before = cost(instance, chosen)
    outside = sorted(set(range(instance.n)) - set(chosen))
    return {
        (p, q): cost(instance, [*(set(chosen) - {p}), q]) - before
        for p, q in product(chosen, outside)
    }


def slow_improve(
    instance: KSubset, chosen: tuple[int, ...], *, first: bool
) -> tuple[int, ...]:
    """Exchange as the docstring says, pricing all exchanges every time."""
    while helpful := {
        pair: change for pair, change in changes(instance, chosen).items() if change < 0
    }:
        if first:
            p, q = min(helpful)
        else:
            p, q = min(helpful, key=lambda pair: (helpful[pair], pair))
        chosen = tuple(sorted({*chosen, q} - {p}))
    return chosen


@pytest.mark.parametrize("first", [False, True])
@settings(max_examples=250, deadline=None)
@given(data=st.data())
def test_exchanges_as_stated(first: bool, data: st.DataObject) -> None:
    instance = data.draw(ksubsets(most_free=14))
    order = data.draw(st.permutations(range(instance.n)))
    begin = tuple(sorted(order[: instance.k]))
    descent = Descent(instance, begin, first=first)
    assert descent.run() is None
    end = descent.chosen
    assert end == slow_improve(instance, begin, first=first)
    assert check(instance, end) == []
    assert min(changes(instance, end).values(), default=0) >= 0


@pytest.mark.parametrize("name", ["mm-inc", "mm-inc-first", "mm-inc-all"])
@settings(max_examples=60, deadline=None)
@given(instance=ksubsets(most_free=14))
def test_starts_from_mm(name: str, instance: KSubset) -> None:
    begin = KSUBSET["mm-all" if name.endswith("all") else "mm"](instance).chosen
    assert begin is not None
    expected = slow_improve(instance, begin, first=name.endswith("first"))
    assert KSUBSET[name](instance).chosen == expected


def test_sums_are_kept_up_to_date() -> None:
    instance = mesh(12, 12, k=20)
    begin = [i for i in range(instance.n) if i % 7 == 0][:20]
    descent = Descent(instance, begin)
    assert descent.run() is None
    assert descent.exchanges > 10
    for p, site in enumerate(instance.free):
        distance = instance.topology.distance
        expected = sum(distance(site, instance.free[s]) for s in descent.chosen)
        assert descent.star[p] == expected


def test_stops_at_the_deadline_with_what_it_has() -> None:
    instance = mesh(12, 12, k=20)
    begin = tuple(range(0, 140, 7))
    descent = Descent(instance, begin)
    assert descent.run(clock.now()) is Limit.TIME
    assert descent.chosen == begin
