"""Methods take instances in which something must be chosen, or end with one line."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import closeknit as ck
from closeknit.cli.app import run
from closeknit.exact.ksubset.dnn_bb import search as dnn_search
from closeknit.formulations.procset.set_classes import classes_of
from closeknit.heuristics.ksubset.mm_inc import first_solution
from closeknit.heuristics.procset.cheapest_first import cheapest_first
from closeknit.heuristics.sukp.sukp_greedy import greedy
from closeknit.instances import (
    InputError,
    Instance,
    KSubset,
    ProcSet,
    Value,
    check,
    cost,
    problem_of,
    write_instance,
)
from closeknit.instances.support import support_of
from closeknit.instances.value import as_tuple
from closeknit.methods import METHODS
from closeknit.methods.proofs import prove_and_cite
from closeknit.proofs.checking import Refused, check_proof_file
from closeknit.proofs.checking.formulas import formula_of
from closeknit.proofs.checking.kinds import DNN
from closeknit.proofs.writing.opb_text import opb_text
from closeknit.solvers import DEFAULT, Grade, Settings, SolverError, Status
from closeknit.solvers.running import progress
from closeknit.solvers.running.method import AnyMethod

from ..metamorphic.drawing import with_requirements
from ..strategies import ksubsets, procsets, sukps

RANDOM = st.randoms(use_true_random=False)
_EXACT = 10**6
"""Costs below which solvers in floating point must prove optima; others they bound."""
DRAWN = {
    "ksubset": st.builds(with_requirements, RANDOM, ksubsets(most_free=9)),
    "procset": st.builds(with_requirements, RANDOM, procsets(most_processors=7)),
    "sukp": st.builds(with_requirements, RANDOM, sukps(most_items=7)),
}
EVERY = [one for table in METHODS.values() for one in table.values()]
TAKING = [one for one in EVERY if one.takes_required and one.problem in DRAWN]
JOBS: dict[str, Any] = {
    "ksubset": ck.ksubset(ck.Mesh(4, 4), 5, required=[(0, 0), (3, 3)]),
    "procset": ck.procset(
        *([*"abcde"], 3, {"x": ([*"ab"], 2), "y": ([*"cd"], 3), "z": ([*"ac"], 1)}),
        required=[*"ad"],
    ),
    "sukp": ck.sukp([5, 4, 3], [3, 3, 3, 1], [(0, 1), (1, 2), (3,)], 7, required=[1]),
}


def choices(instance: Any) -> Iterator[tuple[int, ...]]:
    """Yield everything that might be a choice."""
    if isinstance(instance, KSubset):
        return combinations(range(instance.n), instance.k)
    if isinstance(instance, ProcSet):
        return combinations(instance.available, instance.request)
    sizes = (combinations(range(instance.n), m) for m in range(instance.n + 1))
    return chain.from_iterable(sizes)


def least(instance: Instance) -> Value | None:
    """Return the cost of the cheapest choice by the definition, None if none is one."""
    prices = (cost(instance, c) for c in choices(instance) if not check(instance, c))
    return min(prices, key=as_tuple, default=None)


def name_of(method: AnyMethod) -> str:
    return f"{method.problem} {method.name}"


@pytest.mark.parametrize("method", TAKING, ids=name_of)
def test_answers_have_it_and_optima_are_those_of_enumeration(
    method: AnyMethod,
) -> None:
    slow = method.runs_solver and not method.name.endswith("cpsat")

    @settings(
        max_examples=8 if slow else 60,
        suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
        database=None,
    )
    @given(DRAWN[method.problem])
    def compare(instance: Any) -> None:
        assume(method.refusal(instance) is None)
        how = DEFAULT if method.exact else Settings(node_limit=500)
        prices = (as_tuple(cost(instance, c)) for c in choices(instance))
        large = slow and max(map(max, prices)) >= _EXACT
        try:
            result = method(instance, how)
        except SolverError as error:
            if large and "too large" in str(error):
                return
            raise
        optimum = least(instance)
        if optimum is None:
            assert result.status is Status.INFEASIBLE
            return
        assert result.chosen is not None
        assert check(instance, result.chosen) == []
        if method.exact and result.status is Status.FEASIBLE:
            assert large
            assert result.bound is not None
            assert result.objective is not None
            assert as_tuple(result.bound) <= as_tuple(optimum)
            assert as_tuple(optimum) <= as_tuple(result.objective)
        elif method.exact:
            assert result.status is Status.OPTIMAL
            assert result.objective == result.bound == optimum
        else:
            assert result.bound is None

    compare()


@pytest.mark.parametrize("problem", JOBS)
def test_who_takes_it(problem: str) -> None:
    """Auto, all models, and one heuristic; all others end with one line."""
    job, taking = JOBS[problem], set()
    for name, method in METHODS[problem].items():
        if method.takes_required:
            assert method(job).chosen is not None
            taking.add(name)
            continue
        with pytest.raises(InputError, match=f"{name}: takes no instance in which"):
            method(job)
        assert method.refusal(job) is not None
    models = {name for name, one in METHODS[problem].items() if one.runs_solver}
    heuristics = {name for name in taking if not METHODS[problem][name].exact}
    assert {"auto", *models} <= taking
    assert len(heuristics) == 1


def test_a_refused_method_ends_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "job.json"
    write_instance(JOBS["ksubset"], file)
    assert run(["solve", str(file), "--method", "mm"]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert "mm: takes no instance in which something is required" in line


def test_a_rule_of_ones_own_states_it() -> None:
    def rule(instance: KSubset, settings: Settings) -> list[int]:
        return [*instance.required_indices, *range(1, 4)]

    with pytest.raises(InputError, match="takes no instance"):
        ck.solve(JOBS["ksubset"], method=rule)
    rule.takes_required = True  # type: ignore[attr-defined]
    assert ck.solve(JOBS["ksubset"], method=rule).status is Status.FEASIBLE


def test_no_guarantee_is_stated() -> None:
    method = METHODS["ksubset"]["mm-inc"]
    assert method.promise(JOBS["ksubset"]) is None
    assert method.bounds(JOBS["ksubset"]) == []
    assert method.promise(ck.ksubset(ck.Mesh(4, 4), 5)) is not None
    found = ck.compare(JOBS["ksubset"], quick=False)
    assert {row["method"] for row in found.rows if row["guarantee"]} == set()


@given(DRAWN["ksubset"])
def test_the_search_branches_below_what_is_required(instance: KSubset) -> None:
    """Hardly any choices are priced one by one; of two elements there is no bound."""
    assume(dnn_search.refusal(instance) is None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dnn_search.DnnSearch, "listed", 2)
        result = dnn_search.dnn_bb(instance)
    assert result.objective == result.bound == least(instance)


@given(DRAWN["ksubset"])
def test_first_solutions_have_it(instance: KSubset) -> None:
    found = first_solution(instance, DEFAULT)
    assert check(instance, found.chosen or ()) == []


@given(DRAWN["procset"], DRAWN["sukp"])
def test_the_starts_of_models_have_it(procset: Any, sukp: Any) -> None:
    assert check(procset, cheapest_first(classes_of(procset))) == []
    if not problem_of(sukp).unsolvable(sukp):
        assert check(sukp, greedy(sukp)) == []


def test_no_symmetry_is_broken() -> None:
    """Mirror images of a choice lack what is required."""
    for place in ((0, 0), (0, 2), (2, 0), (2, 2)):
        job = ck.ksubset(ck.Mesh(3, 3), 3, required=[place, (1, 1)])
        for name in ("pairs/cpsat", "cuts-unary/cpsat", "cuts-unary/highs"):
            assert METHODS["ksubset"][name](job).objective == least(job)


@pytest.mark.parametrize("problem", JOBS)
def test_one_row_of_a_formula_for_each(problem: str) -> None:
    job: Any = JOBS[problem]
    lines = formula_lines(job)
    first = 2 if problem == "sukp" else 3  # after the objective and the sum
    literals = [
        f"~z{i}" if problem == "sukp" else f"x{i}"
        for i in support_of(job).required(job)
    ]
    units = lines[first : first + len(literals)]
    assert units == [f"+1 {literal} >= 1 ;" for literal in literals]
    del lines[first : first + len(literals)]
    assert lines == formula_lines(_free(job))


def formula_lines(instance: Instance) -> list[str]:
    """Return the lines of a formula but for comments."""
    lines = "".join(opb_text(formula_of(instance))).splitlines()
    return [line for line in lines if not line.startswith("*")]


def _free(job: Any) -> Any:
    document = support_of(job).document_of(job)
    del document["required"]
    return problem_of(job).parse(document)


def test_a_proof_is_about_what_is_required(tmp_path: Path) -> None:
    """Of the cheaper instance that requires nothing it is refused."""
    job = ck.ksubset(ck.Mesh(5, 5), 6, required=[(0, 0), (4, 4)])
    path = tmp_path / "proof.xz"
    result = METHODS["ksubset"]["auto"](job)
    cited = prove_and_cite(job, result, path, seconds=30)
    assert cited.kept is not None
    assert cited.kept.kind == DNN
    assert cited.result.proof is not None
    assert cited.result.proof.grade is Grade.CHECKED
    assert check_proof_file(job, path).bound == result.objective
    with pytest.raises((InputError, Refused)):
        check_proof_file(_free(job), path)


@pytest.mark.parametrize("problem", ["procset", "sukp"])
def test_exact_proves_formulas_with_it(problem: str, tmp_path: Path) -> None:
    pytest.importorskip("exact")
    job = JOBS[problem]
    result = METHODS[problem]["auto"](job)
    cited = prove_and_cite(job, result, tmp_path / "proof", seconds=30)
    assert cited.kept is not None
    assert cited.kept.by == "Exact"


def test_reports_are_about_the_instance_itself() -> None:
    seen: list[Value] = []
    with progress.observed(lambda incumbent, bound: seen.append(incumbent)):
        METHODS["procset"]["auto"](JOBS["procset"])
        METHODS["sukp"]["auto"](JOBS["sukp"])
    assert seen == []
