from __future__ import annotations

import random
import signal
import subprocess
import sys
import tempfile
import time
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings

from closeknit.formulations.procset import cpsat as procset_cpsat
from closeknit.formulations.procset import mip as procset_mip
from closeknit.formulations.procset.set_classes import classes_of, fits
from closeknit.formulations.procset.terms import ProcsetTerms
from closeknit.heuristics.procset.cheapest_first import cheapest_first
from closeknit.instances import InputError, ProcessorSet, ProcSet, check, cost
from closeknit.instances.procset.generators import (
    drakenberg_system,
    torus_planes,
)
from closeknit.methods import PROCSET
from closeknit.solvers import (
    Grade,
    Limit,
    Proof,
    Result,
    Settings,
    SolverError,
    Status,
    cpsat,
    mip,
)
from closeknit.solvers.running import interrupt

from ...oracles import cheapest
from ...paths import TESTS
from ...strategies import procsets

FAKES = TESTS / "faults"
MIXED = ("classes/highs", "classes/cbc")
SOLVERS = ("classes/cpsat", *MIXED)


def system(
    *sets: tuple[tuple[int, ...], tuple[int, ...]], n: int, request: int
) -> ProcSet:
    """Name everything; all processors are available."""
    return ProcSet(
        "by-hand",
        tuple(f"p{i}" for i in range(n)),
        tuple(range(n)),
        request,
        tuple(ProcessorSet(f"s{i}", *one) for i, one in enumerate(sets)),
    )


CARDS = system(
    ((0, 1), (4, 0, 7)),
    ((2, 3), (4, 0, 7)),
    ((0, 2), (0, 3, 0)),
    ((1, 3), (0, 5, 5)),
    ((4, 5), (8, 0, 0)),
    n=6,
    request=2,
)
"""Two of six: both of a card cost (4, 8, 12), 0 and 2 (8, 3, 14), 4 and 5 (8, 0, 0)."""


@pytest.mark.parametrize("name", SOLVERS)
def test_a_level_that_costs_nothing_is_kept_so_at_later_levels(name: str) -> None:
    """The first solution costs nothing at any level but the last."""
    instance = system(((0,), (0, 0, 1, 0)), ((1, 2, 3), (0, 0, 0, 1)), n=4, request=1)
    for seed in range(3):
        result = PROCSET[name](instance, Settings(seed=seed))
        assert result.objective == result.bound == (0, 0, 0, 1)


def proved(result: Result, least: tuple[int, ...], by: str) -> None:
    """Hold a result to the optimum and to naming who vouches for it."""
    assert result.status is Status.OPTIMAL
    assert result.objective == result.bound == least
    assert result.limit is None
    assert result.proof is not None
    if any(least):
        assert result.proof.grade is Grade.SOLVER
        assert result.proof.by.startswith(by)


@settings(max_examples=120, deadline=None)
@given(instance=procsets())
def test_cp_sat_agrees_with_brute_force(instance: ProcSet) -> None:
    proved(PROCSET["classes/cpsat"](instance), cheapest(instance), "cp-sat 9.")


@settings(max_examples=60, deadline=None)
@given(instance=procsets(levels=2))
def test_all_levels_in_one_objective_give_the_same(instance: ProcSet) -> None:
    terms = ProcsetTerms(instance)
    if not fits((*terms.grouped.private, *terms.grouped.shared), terms.radix):
        with pytest.raises(InputError, match="do not fit into one objective of 62 bi"):
            procset_cpsat.classes(instance, weighted=True)
        return
    result = cpsat.solve(procset_cpsat.classes(instance, weighted=True))
    assert result.objective == result.bound == cheapest(instance)


@pytest.mark.slow
@pytest.mark.parametrize("name", MIXED)
@settings(max_examples=25, deadline=None)
@given(instance=procsets())
def test_mixed_integer_solvers_agree_on_whatever_is_drawn(
    name: str, instance: ProcSet
) -> None:
    if procset_mip.refusal(instance):
        with pytest.raises(InputError, match="floating-point solvers prove up"):
            PROCSET[name](instance)
        return
    result = PROCSET[name](instance)
    assert result.objective == result.bound == cheapest(instance)


@pytest.mark.parametrize("name", SOLVERS)
def test_the_order_of_levels_decides(name: str) -> None:
    # With equal weights 4 and 5 are cheaper: 8 + 0 + 0 against 4 + 8 + 12.
    result = PROCSET[name](CARDS)
    assert result.chosen in ((0, 1), (2, 3))
    proved(result, (4, 8, 12), "")


@pytest.mark.parametrize("name", SOLVERS)
def test_a_level_below_may_cost_far_more_than_one_unit_above(name: str) -> None:
    million = 10**6
    instance = system(
        ((0,), (1, 0, million)),
        ((1,), (1, 0, million - 1)),
        ((2,), (2, 0, 0)),
        ((0, 1), (0, 0, 3 * million)),
        n=3,
        request=2,
    )
    proved(PROCSET[name](instance), (2, 0, 5 * million - 1), "")


def test_a_class_pays_its_private_sets_once() -> None:
    instance = system(
        ((0, 1, 2), (5,)), ((0, 1, 2), (1,)), ((3,), (4,)), ((4,), (4,)), n=5, request=2
    )
    model = procset_cpsat.classes(instance)
    assert len(model.variables) == 3
    proved(cpsat.solve(model), (6,), "")


@settings(max_examples=80, deadline=None)
@given(instance=procsets())
def test_terms_price_as_the_definition_does(instance: ProcSet) -> None:
    terms = ProcsetTerms(instance)
    chosen = cheapest_first(classes_of(instance))
    assert check(instance, chosen) == []
    assert len(chosen) == instance.request
    values = terms.values(chosen)
    levels = tuple(
        unit * sum(weight * values[i] for i, weight in terms.level(number))
        for number, unit in enumerate(terms.radix.units)
    )
    assert levels == cost(instance, chosen)
    assert all(values[b] for a, b in terms.implications if values[a])
    classes = len(terms.grouped.members)
    assert cost(instance, terms.decode(values[:classes])) <= cost(instance, chosen)


@pytest.mark.parametrize("name", SOLVERS)
def test_what_costs_nothing_needs_no_solver(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cpsat, "solve", None)
    monkeypatch.setattr(mip, "solve", None)
    result = PROCSET[name](system(((0,), (3, 1)), n=3, request=2))
    assert result.objective == result.bound == (0, 0)
    assert result.proof == Proof(Grade.CHECKED, "costs that are not negative")


@pytest.mark.parametrize("name", SOLVERS)
def test_models_without_a_start_work_too(name: str) -> None:
    free = system(((0,), (0, 0, 0)), n=2, request=2)
    for instance, least in ((CARDS, (4, 8, 12)), (free, (0, 0, 0))):
        if name == "classes/cpsat":
            result = cpsat.solve(procset_cpsat.classes(instance))
        else:
            backend = name.removeprefix("classes/")
            result = mip.solve(procset_mip.classes(instance), backend)
        assert result.objective == result.bound == least


def test_costs_too_large_for_floats_are_for_cp_sat() -> None:
    instance = system(
        ((0,), (0, 2**59 + 1)),
        ((1,), (0, 2**59)),
        ((2,), (1, 0)),
        ((0, 2), (0, 2**60)),
        n=3,
        request=2,
    )
    with pytest.raises(InputError, match=r"^classes/highs: costs of level 2 add up to"):
        PROCSET["classes/highs"](instance)
    # 0 and 1 cost nothing at the first level.
    proved(PROCSET["classes/cpsat"](instance), (0, 2**61 + 1), "cp-sat")
    small = system(((0,), (2**58,)), ((1,), (2**60,)), n=2, request=1)
    proved(
        PROCSET["classes/highs"](small), (2**58,), "highs"
    )  # 1 and 4 in units of 2^58


# Limits

HARD = torus_planes((10, 10, 10), 60, free=Fraction(1, 2), seed=3, costs="levels")


def valid_bound(result: Result) -> None:
    """Check what a search that was stopped claims."""
    assert result.status is Status.FEASIBLE
    assert isinstance(result.objective, tuple)
    assert isinstance(result.bound, tuple)
    assert len(result.bound) == len(result.objective)
    assert result.bound <= result.objective
    assert result.objective == cost(HARD, result.chosen or ())


@pytest.mark.parametrize("name", ["classes/cpsat", "classes/highs"])
def test_time_limit_gives_a_choice_and_a_bound(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interrupt, "GRACE", 30.0)
    limit = 1.0 if name == "classes/cpsat" else 6.0  # a process has to start
    result = PROCSET[name](HARD, Settings(time_limit=limit))
    assert result.limit is Limit.TIME
    valid_bound(result)


def test_no_time_at_all_gives_the_start() -> None:
    result = PROCSET["classes/cpsat"](HARD, Settings(time_limit=0.0))
    assert result.limit is Limit.TIME
    assert result.chosen == cheapest_first(classes_of(HARD))


def test_a_search_stopped_between_levels_keeps_what_is_proved(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    inner, calls = cpsat._attempt, []

    def once(*arguments: object) -> object:
        calls.append(1)
        if len(calls) > 1:
            return cpsat._Attempt(limit=Limit.TIME, bound=1)
        return inner(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(cpsat, "_attempt", once)
    # Level 1 is proved; level 2 counts in units of 1 and ends with a bound of 1.
    result = cpsat.solve(procset_cpsat.classes(CARDS))
    assert result.limit is Limit.TIME
    assert result.bound == (4, 1, 0)
    assert isinstance(result.objective, tuple)
    assert result.objective[0] == 4


PROGRAM = """
from fractions import Fraction
from closeknit.methods import PROCSET
from closeknit.instances.procset.generators import torus_planes
from closeknit.solvers import Settings, cpsat
inner = cpsat._run
def run(*arguments):
    print("searching", flush=True)
    return inner(*arguments)
cpsat._run = run
hard = torus_planes((10, 10, 10), 60, free=Fraction(1, 2), seed=3, costs="levels")
result = PROCSET["classes/cpsat"](hard, Settings(time_limit=300))
print(result.limit.value, result.chosen is not None, len(result.bound))
"""


def test_interrupt_gives_a_choice_and_a_bound() -> None:
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True
    )
    assert program.stdout is not None
    assert program.stdout.readline() == "searching\n"
    time.sleep(0.5)
    program.send_signal(signal.SIGINT)
    out, _ = program.communicate(timeout=120)
    assert out.split()[-3:] == ["interrupt", "True", "3"]
    assert program.returncode == 0


# Solvers that misbehave


@pytest.fixture
def faked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(interrupt, "GRACE", 0.3)
    monkeypatch.setenv("PYTHONPATH", str(FAKES))
    monkeypatch.setenv("FAKE_PIDS", str(tmp_path / "pids"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def fake(name: str, monkeypatch: pytest.MonkeyPatch, limit: float = 20.0) -> Result:
    backends = {**mip.BACKENDS, "fake": f"fake_backends:{name}"}
    monkeypatch.setattr(mip, "BACKENDS", backends)
    model = procset_mip.classes(CARDS, hint=(0, 2))
    return mip.solve(model, "fake", settings=Settings(time_limit=limit))


@pytest.mark.usefixtures("faked")
@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("optima_that_are_words", "fake returned a malformed answer"),
        ("second_level_crashes", "fake crashed: was ended by SIGSEGV"),
        ("second_level_infeasible", "fake finds classes infeasible"),
        ("second_level_bound_too_high", "claims at least (4, 1000, 0), but a solution"),
        ("none_taken", "fake 1 returned a wrong solution: 0 processors chosen"),
    ],
)
def test_misbehaviour_is_an_error_that_names_the_solver(
    name: str, complaint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SolverError) as error:
        fake(name, monkeypatch)
    assert complaint in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.usefixtures("faked")
def test_a_solver_killed_in_its_second_level_leaves_the_first_proved(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    result = fake("second_level_hangs", monkeypatch, limit=5.0)
    assert result.limit is Limit.TIME
    assert result.bound == (4, 2, 0)
    assert result.objective == (4, 8, 12)


@pytest.mark.usefixtures("faked")
def test_a_first_level_that_is_not_quite_proved_ends_the_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    result = fake("optimal_in_words_only", monkeypatch)
    # 0.5 in units of 4 is a bound of 1 unit; the solution said to be optimal costs 2.
    assert result.bound == (4, 0, 0)
    assert result.objective == (8, 0, 0)
    assert result.status is Status.FEASIBLE


# The machine of the paper


def requests(count: int) -> list[ProcSet]:
    """Sample requests of the 256-node machine."""
    pick = random.Random(256)
    found = []
    for seed in range(count):
        hosts = pick.randint(25, 230)
        found.append(
            drakenberg_system(pick.randint(1, min(hosts, 60)), free=hosts, seed=seed)
        )
    return found


def test_every_route_agrees_on_the_machine_of_the_paper() -> None:
    for instance in requests(6):
        first = PROCSET["classes/cpsat"](instance)
        assert first.status is Status.OPTIMAL
    second = PROCSET["classes/highs"](instance)
    assert second.status is Status.OPTIMAL
    assert first.objective == second.objective


@pytest.mark.slow
def test_sixty_requests_are_proved_by_both() -> None:
    for instance in requests(60):
        first = PROCSET["classes/cpsat"](instance)
        second = PROCSET["classes/highs"](instance)
        assert first.status is second.status is Status.OPTIMAL
        assert first.objective == second.objective
