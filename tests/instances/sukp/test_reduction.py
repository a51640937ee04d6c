"""Theorem 1 both ways: the same optimum, and solutions that become solutions."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.instances import InputError, ProcessorSet, ProcSet, Sukp, check, cost
from closeknit.instances.sukp.instance import profit, weight
from closeknit.instances.sukp.reduction import (
    MOST_PROCESSORS,
    kept_sets,
    processors_left,
    procset_of,
    sukp_of,
)
from closeknit.methods import PROCSET
from closeknit.methods import SUKP as KNAPSACK

from ...oracles import least_left_out
from ...strategies import procsets


@st.composite
def scalar_procsets(draw: st.DrawFn) -> ProcSet:
    """Processor sets with costs of one level."""
    drawn = draw(procsets())
    sets = tuple(
        ProcessorSet(one.name, one.members, one.cost[:1]) for one in drawn.sets
    )
    return ProcSet(drawn.name, drawn.processors, drawn.available, drawn.request, sets)


@st.composite
def knapsacks(draw: st.DrawFn, *, heaviest: int = 3) -> Sukp:
    """Knapsacks that do not hold all, light enough to enumerate the processors."""
    weights = draw(
        st.lists(st.integers(0, heaviest), min_size=1, max_size=5).filter(any)
    )
    need = st.frozensets(st.integers(0, len(weights) - 1), max_size=4)
    items = draw(st.lists(st.tuples(st.integers(0, 9), need), min_size=1, max_size=8))
    return Sukp(
        "drawn",
        tuple(profit for profit, _ in items),
        tuple(weights),
        tuple(tuple(needs) for _, needs in items),
        draw(st.integers(0, sum(weights) - 1)),
    )


def both_ways() -> st.SearchStrategy[tuple[ProcSet, Sukp]]:
    """Processor sets and their knapsack, or a knapsack and its processors."""
    return st.one_of(
        scalar_procsets().map(lambda machine: (machine, sukp_of(machine))),
        knapsacks().map(lambda knapsack: (procset_of(knapsack), knapsack)),
    )


@settings(max_examples=120, deadline=None)
@given(pair=both_ways())
def test_both_have_the_same_optimum(pair: tuple[ProcSet, Sukp]) -> None:
    machine, knapsack = pair
    best = PROCSET["bruteforce"](machine)
    packed = KNAPSACK["bruteforce"](knapsack)
    assert best.objective == (packed.objective,) == (least_left_out(knapsack),)
    assert best.chosen is not None
    assert packed.chosen is not None
    assert cost(machine, processors_left(machine, packed.chosen)) == best.objective
    assert cost(knapsack, kept_sets(machine, best.chosen)) == packed.objective


@settings(max_examples=120, deadline=None)
@given(pair=both_ways(), data=st.data())
def test_any_choice_of_processors_is_a_packing_of_its_cost(
    pair: tuple[ProcSet, Sukp], data: st.DataObject
) -> None:
    machine, knapsack = pair
    some = st.frozensets(st.sampled_from(machine.available), min_size=machine.request)
    chosen = tuple(sorted(data.draw(some)))
    kept = kept_sets(machine, chosen)
    assert check(knapsack, kept) == []
    assert (cost(knapsack, kept),) == cost(machine, chosen)
    again = processors_left(machine, kept)
    assert len(again) == machine.request
    assert cost(machine, again) <= cost(machine, chosen)


@settings(max_examples=120, deadline=None)
@given(pair=both_ways(), data=st.data())
def test_any_packing_is_a_choice_that_costs_no_more(
    pair: tuple[ProcSet, Sukp], data: st.DataObject
) -> None:
    machine, knapsack = pair
    kept = data.draw(st.frozensets(st.integers(0, knapsack.n - 1)))
    if check(knapsack, kept):
        with pytest.raises(InputError, match="kept: the sets kept leave"):
            processors_left(machine, kept)
        return
    chosen = processors_left(machine, kept)
    assert check(machine, chosen) == []
    assert cost(machine, chosen) <= (cost(knapsack, kept),)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_an_element_of_several_processors_costs_whole(data: st.DataObject) -> None:
    """And there are as many processors as the elements weigh."""
    instance = data.draw(knapsacks(heaviest=6))
    machine = procset_of(instance)
    assert machine.n == sum(instance.weights)
    some = st.frozensets(st.sampled_from(machine.available), min_size=machine.request)
    chosen = data.draw(some)
    named = [one.partition(".")[0] for one in machine.processors]
    elements = {named[i] for i in chosen}
    whole = [i for i in machine.available if named[i] in elements]
    assert cost(machine, whole) == cost(machine, tuple(chosen))


@settings(max_examples=80, deadline=None)
@given(instance=knapsacks(heaviest=1))
def test_there_and_back_is_the_same_knapsack(instance: Sukp) -> None:
    again = sukp_of(procset_of(instance))
    assert again.profits == instance.profits
    assert again.capacity == instance.capacity
    for i in range(instance.n):
        assert profit(again, [i]) == profit(instance, [i])
        assert weight(again, [i]) == weight(instance, [i])


def test_available_members_only_are_elements() -> None:
    sets = (ProcessorSet("gone", (0,), (7,)), ProcessorSet("both", (0, 2), (5,)))
    knapsack = sukp_of(ProcSet("one", ("a", "b", "c"), (1, 2), 2, sets))
    assert knapsack.items == ((), (1,))
    assert knapsack.capacity == 0


def test_one_level_only() -> None:
    pair = ProcessorSet("pair", (0, 1), (1, 2))
    with pytest.raises(InputError, match=r"one level.*2 levels"):
        sukp_of(ProcSet("two", ("a", "b"), (0, 1), 1, (pair,)))


def test_more_than_available_is_no_knapsack() -> None:
    pair = ProcessorSet("pair", (0, 1), (1,))
    with pytest.raises(InputError, match="request: 2 processors requested, 1 avail"):
        sukp_of(ProcSet("two", ("a", "b"), (0,), 2, (pair,)))


def test_a_knapsack_that_holds_all_is_no_request() -> None:
    with pytest.raises(InputError, match=r"capacity.*nothing is to be chosen"):
        procset_of(Sukp("all", (1,), (2, 3), ((0, 1),), 5))


def test_too_heavy_to_be_written_as_processors() -> None:
    heavy = Sukp("heavy", (1,), (MOST_PROCESSORS, 1), ((0, 1),), 5)
    with pytest.raises(InputError, match=f"weights.*at most {MOST_PROCESSORS}"):
        procset_of(heavy)
    assert procset_of(Sukp("fits", (1,), (MOST_PROCESSORS,), ((0,),), 5)).n == (
        MOST_PROCESSORS
    )


def test_items_without_weight_are_never_touched() -> None:
    machine = procset_of(Sukp("light", (4, 5, 6), (0, 2), ((), (0,), (1,)), 1))
    assert machine.request == 1
    assert machine.available == (0, 1)
    assert kept_sets(machine, machine.available) == (0, 1)
    assert cost(machine, machine.available) == (6,)
