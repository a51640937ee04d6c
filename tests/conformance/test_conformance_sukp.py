"""What every method for the set-union knapsack must hold to, besides what all must."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from closeknit.instances import Sukp
from closeknit.solvers import Settings

from ..strategies import sukps
from .suite import SUBJECTS

ALL = SUBJECTS["sukp"]

exact_by_name = pytest.mark.parametrize("name", ALL.exact)


def relisted(instance: Sukp, data: st.DataObject) -> Sukp:
    """List items and elements in another order."""
    items = data.draw(st.permutations(range(instance.n)))
    elements = data.draw(st.permutations(range(len(instance.weights))))
    place = {old: new for new, old in enumerate(elements)}
    return Sukp(
        "relisted",
        tuple(instance.profits[i] for i in items),
        tuple(instance.weights[e] for e in elements),
        tuple(tuple(place[e] for e in instance.items[i]) for i in items),
        instance.capacity,
    )


@exact_by_name
def test_the_optimum_survives_reordering(name: str) -> None:
    @ALL.examples(name, 40)
    @given(instance=sukps(), data=st.data())
    def holds(instance: Sukp, data: st.DataObject) -> None:
        other = relisted(instance, data)
        assert ALL.run(name, instance).objective == ALL.run(name, other).objective

    holds()


@exact_by_name
def test_what_weighs_nothing_or_gains_nothing_changes_nothing(name: str) -> None:
    @ALL.examples(name, 25)
    @given(instance=sukps(most_items=6))
    def holds(instance: Sukp) -> None:
        light = len(instance.weights)
        everything = tuple(range(light + 1))
        more = replace(
            instance,
            profits=(*instance.profits, 0),
            weights=(*instance.weights, 0),
            items=(*(tuple([*needs, light]) for needs in instance.items), everything),
        )
        assert ALL.run(name, more).objective == ALL.run(name, instance).objective

    holds()


def test_room_for_nothing_and_for_all() -> None:
    full = Sukp("full", (5, 4), (3, 2), ((0,), (0, 1)), 5)
    for name, method in ALL.methods.items():
        few = Settings() if method.exact else Settings(node_limit=2000)
        if ALL.accepts(name, full):
            assert method(full, few).chosen == (0, 1), name
            assert method(replace(full, capacity=0), few).objective == 9, name
