from __future__ import annotations

import csv
from fractions import Fraction

import pytest
from hypothesis import example, given, settings

from closeknit.formulations.sukp import cpsat as sukp_cpsat
from closeknit.formulations.sukp import mip as sukp_mip
from closeknit.instances import InputError, Sukp, check, cost, read_instance
from closeknit.instances.result import NOTHING
from closeknit.instances.sukp.generators import random_sukp
from closeknit.methods import SUKP
from closeknit.solvers import Limit, Settings, Status, cpsat, mip
from closeknit.solvers.running import interrupt

from ...data import KNAPSACKS, needs
from ...oracles import least_left_out
from ...strategies import sukps

MIXED = ("union/highs", "union/cbc")
SOLVERS = ("union/cpsat", *MIXED)
BAG = Sukp("bag", (7, 6, 5, 9), (3, 4, 2, 6), ((0, 1), (1, 2), (0, 2), (3, 0)), 9)
"""The first three items weigh 9 together and leave the profit of 9 out."""


LARGE_OFFSET = Sukp(
    "large", (3, 3, 5, 5, 10_046_853_212), (3, 0, 1), ((0,), (0,), (0,), (0,), (2,)), 2
)
"""CP-SAT says 16.000001 for 16: it adds the constant of the objective as a float."""


@settings(max_examples=120, deadline=None)
@given(instance=sukps())
@example(instance=LARGE_OFFSET)
def test_cp_sat_agrees_with_brute_force(instance: Sukp) -> None:
    result = SUKP["union/cpsat"](instance)
    assert result.status is Status.OPTIMAL
    assert result.objective == result.bound == least_left_out(instance)


@pytest.mark.parametrize("name", SOLVERS)
def test_an_item_without_elements_or_profit_is_no_matter(name: str) -> None:
    instance = Sukp("idle-item", (0, 1), (1,), ((), (0,)), 0)
    result = SUKP[name](instance)
    assert (result.status, result.objective) == (Status.OPTIMAL, 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", MIXED)
@settings(max_examples=25, deadline=None)
@given(instance=sukps())
def test_mixed_integer_solvers_agree_on_whatever_is_drawn(
    name: str, instance: Sukp
) -> None:
    if sukp_mip.refusal(instance):
        with pytest.raises(InputError, match="add up to"):
            SUKP[name](instance)
        return
    result = SUKP[name](instance)
    assert result.objective == result.bound == least_left_out(instance)


@pytest.mark.parametrize("name", SOLVERS)
def test_by_hand(name: str) -> None:
    result = SUKP[name](BAG)
    assert result.chosen == (0, 1, 2)
    assert result.objective == result.bound == 9


@pytest.mark.parametrize("name", SOLVERS)
def test_models_without_a_start_work_too(name: str) -> None:
    for instance, least in (
        (BAG, 9),
        (Sukp("all", (1, 2), (3,), ((0,), ()), 3), 0),
        (Sukp("none", (5, 2), (3, 4), ((0,), (0, 1)), 0), 7),
        (Sukp("no-element", (5,), (), ((),), 0), 0),
    ):
        if name == "union/cpsat":
            result = cpsat.solve(sukp_cpsat.union(instance))
        else:
            backend = name.removeprefix("union/")
            result = mip.solve(sukp_mip.union(instance), backend)
        assert result.objective == result.bound == least


def test_what_fits_wholly_needs_no_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpsat, "solve", None)
    result = SUKP["union/cpsat"](Sukp("all", (1, 2), (3,), ((0,), (0,)), 3))
    assert result.objective == result.bound == 0
    assert result.proof == NOTHING


def test_numbers_too_large_for_floats_are_for_cp_sat() -> None:
    dear = Sukp("dear", (2**40, 2**40 + 1), (1, 1), ((0,), (1,)), 1)
    with pytest.raises(
        InputError, match=r"^union/highs: profits add up to 2199023255553: "
    ):
        SUKP["union/highs"](dear)
    assert SUKP["union/cpsat"](dear).bound == 2**40
    heavy = Sukp("heavy", (1, 1), (2**40, 2**40 + 1), ((0,), (1,)), 2**41)
    with pytest.raises(
        InputError, match=r"^union/cbc: weights add up to 2199023255553: "
    ):
        SUKP["union/cbc"](heavy)
    assert SUKP["union/cpsat"](heavy).bound == 1


@pytest.mark.parametrize("name", ["union/cpsat", "union/highs"])
def test_time_limit_gives_a_choice_and_a_bound(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interrupt, "GRACE", 30.0)
    instance = random_sukp(80, 80, Fraction(1, 10), Fraction(3, 4), seed=5)
    limit = 1.0 if name == "union/cpsat" else 6.0
    result = SUKP[name](instance, Settings(time_limit=limit))
    assert result.limit is Limit.TIME
    assert result.status is Status.FEASIBLE
    assert isinstance(result.bound, int)
    assert isinstance(result.objective, int)
    assert 0 < result.bound < result.objective
    assert check(instance, result.chosen or ()) == []


@needs("data/sukp")
@pytest.mark.parametrize(
    ("name", "solver", "seconds"),
    [
        ("sukp_85_100_0.10_0.75", "union/cpsat", 1.0),
        ("sukp_85_100_0.15_0.85", "union/highs", 3.0),
    ],
)
def test_bounds_on_the_benchmark_allow_what_is_known(
    name: str, solver: str, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interrupt, "GRACE", 30.0)
    with (KNAPSACKS / "best_known.csv").open(encoding="utf-8") as stream:
        known = {row["name"]: row for row in csv.DictReader(stream)}
    profit = int(known[name]["best_verified_lower_bound"])
    instance = read_instance(KNAPSACKS / "setI" / f"{name}.txt.xz")
    assert isinstance(instance, Sukp)
    result = SUKP[solver](instance, Settings(time_limit=seconds))
    assert isinstance(result.bound, int)
    assert isinstance(result.objective, int)
    total = sum(instance.profits)
    assert result.bound <= total - profit
    assert result.objective == cost(instance, result.chosen or ())
    assert total - result.objective >= 0.8 * profit
