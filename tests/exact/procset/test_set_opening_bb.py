"""set-opening-bb: every choice, every rule off, limits, any width."""

from __future__ import annotations

from fractions import Fraction
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.exact.procset.set_opening_bb import kernels as opened_bb_kernels
from closeknit.exact.procset.set_opening_bb import system as layout
from closeknit.exact.procset.set_opening_bb.layout import OpeningRules
from closeknit.exact.procset.set_opening_bb.search import ALL_RULES, SetOpeningSearch
from closeknit.formulations.procset.set_classes import classes_of
from closeknit.instances import ProcessorSet, ProcSet, check, cost
from closeknit.instances.procset.generators import (
    random_domains,
    random_sets,
    torus_planes,
)
from closeknit.methods import PROCSET
from closeknit.solvers import Limit, Settings

from ...oracles import by_opened_sets, cheapest
from ...strategies import procsets
from ..stopped import assert_stopped

FOREVER = float("inf")


def proved(instance: ProcSet, rules: OpeningRules = ALL_RULES) -> tuple[int, ...]:
    """Run the search to its end; what it chose must cost what it proved."""
    search = SetOpeningSearch(classes_of(instance), rules)
    assert search.run(FOREVER) is None
    assert check(instance, search.chosen) == []
    assert cost(instance, search.chosen) == search.bound
    return search.bound


@st.composite
def systems(draw: st.DrawFn) -> ProcSet:
    """Planes, domains and random sets, few enough to enumerate."""
    seed = draw(st.integers(0, 10**6))
    costs = draw(st.sampled_from(["equal", "levels", "drawn"]))
    private = draw(st.sampled_from([0, 0, 3]))
    kind = draw(st.sampled_from(["planes", "domains", "sets"]))
    if kind == "planes":
        shapes = [(3, 3, 3), (4, 4), (3, 2, 2), (2, 2, 2, 2), (4, 3, 2), (2,) * 5]
        shape = draw(st.sampled_from(shapes))
        free = draw(st.integers(2, min(prod(shape), 11)))
        request = draw(st.integers(1, free))
        return torus_planes(
            shape, request, free=free, seed=seed, costs=costs, private=private
        )
    n = draw(st.integers(3, 11))
    request = draw(st.integers(1, n))
    if kind == "domains":
        families, size = draw(st.integers(1, 4)), draw(st.integers(1, 4))
        return random_domains(
            n, families, min(size, n), request, seed=seed, costs=costs, private=private
        )
    return random_sets(
        n,
        draw(st.integers(1, 12)),
        Fraction(draw(st.integers(1, 5)), 10),
        request,
        levels=draw(st.integers(1, 3)),
        most=draw(st.sampled_from([1, 9])),
        seed=seed,
        private=private,
    )


def some_rules() -> st.SearchStrategy[OpeningRules]:
    return st.tuples(*[st.booleans()] * len(OpeningRules._fields)).map(
        lambda on: OpeningRules(*on)
    )


@given(systems() | procsets(), some_rules())
@settings(max_examples=800, deadline=None)
def test_proves_the_optimum_with_any_rules(
    instance: ProcSet, rules: OpeningRules
) -> None:
    best = cheapest(instance)
    assert proved(instance) == best
    assert proved(instance, rules) == best


@pytest.mark.slow
@given(systems() | procsets(), some_rules())
@settings(max_examples=10_000, deadline=None)
def test_proves_thousands_more(instance: ProcSet, rules: OpeningRules) -> None:
    assert proved(instance, rules) == cheapest(instance)


@pytest.mark.parametrize("free", [Fraction(1), Fraction(3, 5), Fraction(1, 3)])
@pytest.mark.parametrize("shape", [(3, 3, 3), (4, 4, 2)])
@pytest.mark.parametrize("costs", ["equal", "levels", "drawn"])
def test_planes_against_every_choice_of_planes(
    shape: tuple[int, ...], free: Fraction, costs: str
) -> None:
    available = int(prod(shape) * free)
    for request in {1, 2, 5, available // 2, available - 1, available}:
        instance = torus_planes(shape, request, free=free, seed=request, costs=costs)
        assert proved(instance) == by_opened_sets(instance)


def test_classes_charged_alike_but_one_by_one() -> None:
    """Two processors in the same shared sets may still be two classes.

    A bound that took them for one closed the set they are in.
    """
    instance = random_sets(10, 4, Fraction(3, 10), 8, most=1, private=3, seed=117977)
    assert proved(instance) == cheapest(instance) == (3, 11)


@pytest.mark.parametrize(
    ("side", "request_", "expected"),
    [(10, 27, 9), (10, 28, 10), (10, 36, 10), (10, 37, 11), (12, 64, 12), (12, 65, 13)],
)
def test_full_torus_is_answered_by_the_box(
    side: int, request_: int, expected: int
) -> None:
    """All planes are free: a + b + c is least subject to a b c >= r."""
    assert proved(torus_planes((side,) * 3, request_)) == (expected,)


def test_finds_the_families() -> None:
    instance = torus_planes((5, 4, 3), 9, free=Fraction(4, 5), seed=2)
    families = layout.families_of(classes_of(instance))
    assert families == [0] * 5 + [1] * 4 + [2] * 3


@given(procsets(levels=4))
@settings(max_examples=100, deadline=None)
def test_costs_of_any_width(instance: ProcSet) -> None:
    """Four levels of 2^60 each do not fit a word: the same search, in Python."""
    wide = ProcSet(
        instance.name,
        instance.processors,
        instance.available,
        instance.request,
        (
            *(
                ProcessorSet(one.name, one.members, tuple(2**17 * c for c in one.cost))
                for one in instance.sets
            ),
            # always paid; its odd costs leave no common divisor to shorten the others
            ProcessorSet("all", tuple(range(len(instance.processors))), (1,) * 4),
        ),
    )
    assert proved(wide) == cheapest(wide)


def test_wide_costs_are_not_compiled() -> None:
    planes = torus_planes((3, 3, 2), 5, free=Fraction(2, 3), seed=4)
    sets = tuple(
        ProcessorSet(one.name, one.members, (2**55 + i, 2**55 + 3 * i, i % 5))
        for i, one in enumerate(planes.sets)
    )
    wide = ProcSet("wide", planes.processors, planes.available, 5, sets)
    search = SetOpeningSearch(classes_of(wide))
    assert search.layout.number is object
    assert search.run(FOREVER) is None
    assert search.bound == cost(wide, search.chosen) == by_opened_sets(wide)


HARD = random_domains(256, 3, 16, 64, seed=1)


@pytest.mark.parametrize(
    ("limits", "limit"),
    [
        (Settings(node_limit=2000), Limit.NODES),
        (Settings(time_limit=0.0), Limit.TIME),
    ],
)
def test_limits_leave_a_solution_and_a_bound(limits: Settings, limit: Limit) -> None:
    result = PROCSET["set-opening-bb"](HARD, limits)
    assert_stopped(HARD, result, limit, at_once=limit is Limit.TIME)
    assert PROCSET["set-opening-bb"](HARD, limits).chosen == result.chosen


def test_ctrl_c_between_two_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    import signal

    search = SetOpeningSearch(classes_of(HARD))
    original = opened_bb_kernels.search

    def pressed(*arguments: object) -> bool:
        signal.raise_signal(signal.SIGINT)
        return bool(original(*arguments))

    monkeypatch.setattr(opened_bb_kernels, "search", pressed)
    assert search.run(FOREVER) is Limit.INTERRUPT
    assert check(HARD, search.chosen) == []
    assert search.bound <= cost(HARD, search.chosen)


def test_bounds_rise_to_the_optimum_in_steps() -> None:
    instance = random_domains(64, 3, 8, 24, seed=2, costs="drawn")
    whole = SetOpeningSearch(classes_of(instance))
    assert whole.run(FOREVER) is None
    for rules in (ALL_RULES, OpeningRules(shapes=False)):
        search = SetOpeningSearch(classes_of(instance), rules)
        limit: Limit | None = Limit.NODES
        previous: tuple[int, ...] = (-1,)
        while limit is not None:
            limit = search.run(FOREVER, search.nodes + 50)
            assert previous <= search.bound <= whole.bound
            assert whole.bound <= cost(instance, search.chosen)
            previous = search.bound
        assert search.bound == whole.bound
