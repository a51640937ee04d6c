from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from closeknit.formulations.ksubset import cpsat as models
from closeknit.formulations.ksubset.strengthening import NONE, Strengthening
from closeknit.instances import InputError, KSubset, Points, Value, cost, mesh
from closeknit.methods import KSUBSET
from closeknit.solvers import (
    Grade,
    Limit,
    Proof,
    Settings,
    SolverError,
    Status,
    Ties,
    cpsat,
)
from closeknit.solvers.formulation import CpFormulation
from closeknit.solvers.running.progress import observed

from ..oracles import optimum
from ..strategies import half_full, seeded_ksubset

BUILDERS = (models.pairs, models.cuts_unary)


@pytest.mark.parametrize("builder", BUILDERS, ids=lambda b: str(b.__name__))
def test_finds_the_optimum_on_every_topology(
    builder: Callable[..., CpFormulation],
) -> None:
    for seed in range(90):
        instance = seeded_ksubset(seed)
        hint = tuple(range(instance.k)) if seed % 2 else None
        result = cpsat.solve(builder(instance, Strengthening(hint=hint)))
        assert result.objective == result.bound == optimum(instance)
        assert result.status is Status.OPTIMAL
        assert result.limit is None
        assert result.proof is not None
        assert result.proof.grade is Grade.SOLVER
        assert result.proof.by.startswith("cp-sat 9.")


@pytest.mark.parametrize("name", ["pairs", "cuts-unary"])
def test_registered_and_warm_started(name: str) -> None:
    instance = half_full(8, 7)
    result = KSUBSET[f"{name}/cpsat"](instance, Settings(time_limit=300))
    assert result.status is Status.OPTIMAL
    assert result.objective == KSUBSET["auto"](instance).objective


def test_no_solver_is_called_where_a_checked_bound_meets_the_hint(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def never(*arguments: object, **options: object) -> None:
        raise AssertionError("called")

    monkeypatch.setattr(cpsat, "solve", never)
    result = KSUBSET["cuts-unary/cpsat"](mesh(6, 6, k=8))
    assert result.status is Status.OPTIMAL
    assert result.proof == Proof(Grade.CHECKED, "town bound")
    with pytest.raises(AssertionError, match="called"):
        KSUBSET["cuts-unary/cpsat"](half_full(8, 7))


def test_time_limit_gives_incumbent_and_bound() -> None:
    instance = half_full(16, 24)
    result = KSUBSET["cuts-unary/cpsat"](instance, Settings(time_limit=1.0))
    assert result.status is Status.FEASIBLE
    assert result.limit is Limit.TIME
    assert result.bound is not None
    assert result.objective == cost(instance, result.chosen or ())


def test_no_time_at_all_gives_the_hint() -> None:
    known = Strengthening(
        hint=(0, 1, 2), bound=1, proof=Proof(Grade.CHECKED, "by hand")
    )
    model = models.pairs(half_full(8, 3), known)
    result = cpsat.solve(model, settings=Settings(time_limit=0.0))
    assert result.chosen == (0, 1, 2)
    assert result.limit is Limit.TIME
    assert result.bound is not None
    bare = cpsat.solve(
        models.pairs(half_full(12, 9), NONE), settings=Settings(time_limit=0)
    )
    assert bare.status is Status.UNKNOWN
    assert bare.chosen is None


def test_one_thread_and_one_seed_give_one_answer() -> None:
    settings = Settings(seed=5)
    first, second = (
        cpsat.solve(
            models.cuts_unary(half_full(8, 6), Strengthening()), settings=settings
        )
        for _ in range(2)
    )
    assert first.chosen == second.chosen
    assert first.seed == 5


def test_several_threads_agree_on_the_optimum() -> None:
    model = models.cuts_unary(half_full(8, 6), Strengthening())
    one = cpsat.solve(model, settings=Settings(threads=1))
    two = cpsat.solve(model, settings=Settings(threads=2))
    assert one.objective == two.objective


PROGRAM = """
import random
from closeknit.methods import KSUBSET
from closeknit.instances import KSubset, Mesh
from closeknit.solvers import Settings
import closeknit.solvers.cpsat as cpsat
places = list(Mesh((16, 16)).locations())
free = tuple(random.Random(1).sample(places, 128))
inner = cpsat._run
def run(*arguments):
    print("searching", flush=True)
    return inner(*arguments)
cpsat._run = run
result = KSUBSET["cuts-unary/cpsat"](
    KSubset("half", Mesh((16, 16)), free, 24), Settings(time_limit=300)
)
print(result.limit.value, result.chosen is not None, result.bound is not None)
"""


def test_interrupt_gives_incumbent_and_bound() -> None:
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True
    )
    assert program.stdout is not None
    assert program.stdout.readline() == "searching\n"
    time.sleep(0.5)
    program.send_signal(signal.SIGINT)
    out, _ = program.communicate(timeout=120)
    assert out.split() == ["interrupt", "True", "True"]
    assert program.returncode == 0


def test_a_rejected_model_is_an_error() -> None:
    model = models.pairs(mesh(3, k=2), NONE)
    model.model.proto.objective.vars.append(999)
    model.model.proto.objective.coeffs.append(1)
    with pytest.raises(SolverError, match=r"cp-sat .* rejects the model pairs"):
        cpsat.solve(model)


def test_a_wrong_solution_is_refused() -> None:
    model = replace(models.pairs(mesh(3, k=2), NONE), decode=lambda values: (0, 7))
    with pytest.raises(SolverError, match="wrong solution: no free processor 7"):
        cpsat.solve(model)


def test_a_bound_above_the_optimum_is_refused() -> None:
    dear = models.pairs(mesh(5, k=2), NONE)
    cheap = replace(dear, decode=lambda values: (0, 1))
    dear.model.add(dear.variables[0] + dear.variables[4] == 2)
    with pytest.raises(SolverError, match="claims at least 4, but a solution costs 1"):
        cpsat.solve(cheap)


def test_sums_that_overflow_are_an_error_not_a_wrong_answer() -> None:
    far = Points(tuple((i * 2**54,) for i in range(12)))
    instance = KSubset("far", far, far.coordinates, 2)
    result = cpsat.solve(models.cuts_unary(instance, NONE))
    assert result.objective == 2**54
    many = Points(tuple((i * 2**54,) for i in range(30)))
    model = models.pairs(KSubset("many", many, many.coordinates, 2), NONE)
    with pytest.raises(SolverError, match="rejects the model pairs"):
        cpsat.solve(model)


@pytest.mark.parametrize("missing", ["ortools", "pandas"])
def test_missing_ortools_says_what_to_install(missing: str) -> None:
    program = (
        "import sys\n"
        f"sys.modules[{missing!r}] = None\n"
        "from closeknit.methods import PROCSET\n"
        "from closeknit.instances.procset.generators import drakenberg_system\n"
        "from closeknit.solvers import SolverError\n"
        "try: PROCSET['classes/cpsat'](drakenberg_system(4))\n"
        "except SolverError as error: print(error)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True
    )
    said = f"cp-sat is not installed ({missing}): pip install ortools\n"
    assert ended.stdout == said


def test_highspy_in_the_same_process_is_refused_in_words() -> None:
    program = (
        "import highspy\n"
        "from closeknit.solvers import SolverError\n"
        "try: import closeknit.solvers.cpsat\n"
        "except SolverError as error: print(error)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True
    )
    assert "highspy is loaded in this process" in ended.stdout


def test_too_large_an_instance_and_other_ties_are_refused() -> None:
    with pytest.raises(InputError, match="needs a variable for each of 2096128 pairs"):
        KSUBSET["pairs/cpsat"](mesh(2048, k=1000))
    with pytest.raises(InputError, match="needs 67084290 entries"):
        KSUBSET["cuts-unary/highs"](mesh(8191, k=1000))
    with pytest.raises(InputError, match="breaks ties in one way only"):
        KSUBSET["cuts-unary/cpsat"](mesh(4, k=2), Settings(ties=Ties.BEST))


def test_what_is_found_is_reported_while_it_runs() -> None:
    job, spread = mesh(8, 8, k=16), tuple(range(0, 64, 4))
    model = models.cuts_unary(job, Strengthening(hint=spread))
    costs: list[int] = []
    bounds: list[int] = []

    def observe(incumbent: Value, bound: Value | None) -> None:
        assert isinstance(incumbent, int)
        costs.append(incumbent)
        if isinstance(bound, int):
            bounds.append(bound)

    with observed(observe):
        result = cpsat.solve(model, settings=Settings(time_limit=3))
    assert result.objective is not None
    assert result.bound is not None
    assert costs == sorted(costs, reverse=True)
    assert bounds == sorted(bounds)
    assert cost(job, spread) > costs[-1] >= result.objective  # type: ignore[operator]
    assert result.bound >= bounds[-1]  # type: ignore[operator]


def test_bounds_of_a_part_are_not_reported() -> None:
    hint = Strengthening(hint=tuple(range(30)))
    model = models.cuts_unary(mesh(10, 10, k=30), hint)
    seen: list[Value | None] = []
    with observed(lambda incumbent, bound: seen.append(bound)):
        cpsat.solve(model, settings=Settings(time_limit=1), part=True)
    assert set(seen) == {None}
