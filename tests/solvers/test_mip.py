from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from closeknit.formulations.ksubset import mip as mip_models
from closeknit.formulations.ksubset.strengthening import NONE, Strengthening
from closeknit.instances import KSubset, Mesh, Points, Value, cost, mesh
from closeknit.methods import KSUBSET
from closeknit.solvers import (
    Grade,
    Limit,
    Proof,
    Result,
    Settings,
    SolverError,
    Status,
    mip,
)
from closeknit.solvers.formulation import MipFormulation
from closeknit.solvers.mip_backends import cbc_bound
from closeknit.solvers.running import interrupt
from closeknit.solvers.running.progress import observed
from closeknit.solvers.running.tolerances import round_up

from ..oracles import optimum
from ..paths import TESTS
from ..strategies import seeded_ksubset

FAKES = TESTS / "faults"
LINE = mesh(6, k=3)
"""Three of six in a row: any three neighbours are best and cost 4."""
KNOWN = Strengthening(hint=(0, 2, 4), bound=2, proof=Proof(Grade.CHECKED, "by hand"))


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(interrupt, "GRACE", 0.3)
    monkeypatch.setenv("PYTHONPATH", str(FAKES))
    monkeypatch.setenv("FAKE_PIDS", str(tmp_path / "pids"))
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))


def fake(
    name: str,
    monkeypatch: pytest.MonkeyPatch,
    *,
    strengthening: Strengthening = NONE,
    settings: Settings | None = None,
    instance: KSubset = LINE,
) -> Result:
    backends = {**mip.BACKENDS, "fake": f"fake_backends:{name}"}
    monkeypatch.setattr(mip, "BACKENDS", backends)
    model = mip_models.pairs(instance, strengthening)
    return mip.solve(model, "fake", settings=settings or Settings(time_limit=20))


def alive(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def gone(pids: Path) -> bool:
    for _ in range(100):
        if not any(alive(int(pid)) for pid in pids.read_text().split()):
            return True
        time.sleep(0.05)
    return False


def nothing_left(tmp_path: Path) -> bool:
    return not list((tmp_path / "scratch").iterdir())


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("leave", "fake crashed: ended with status 7 and no answer: something"),
        ("segfault", "fake crashed: was ended by SIGSEGV"),
        ("garbage", "fake returned a malformed answer"),
        ("no_status", "fake returned a malformed answer"),
        ("letters", "fake returned a malformed answer"),
        ("too_few", "fake returned a wrong solution: 0 processors chosen, not 3"),
        ("bound_too_high", "claims at least 1000000, but a solution costs 4"),
        ("infeasible", "fake finds pairs infeasible"),
        ("confused", "fake failed on pairs: error: lost its way"),
        ("highs_without_values", "fake failed on pairs: error: Not Set"),
        ("needs_a_module", "fake is not installed (a_module_that_nobody_has): pip"),
        ("no_such_function", "fake crashed"),
    ],
)
def test_misbehaviour_is_an_error_that_names_the_solver(
    name: str, complaint: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(SolverError) as error:
        fake(name, monkeypatch)
    assert complaint in str(error.value)
    assert "\n" not in str(error.value)
    assert nothing_left(tmp_path)


def test_a_hung_solver_is_killed_with_all_it_started(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    result = fake("hang", monkeypatch, settings=Settings(time_limit=2.5))
    assert (result.status, result.limit) == (Status.UNKNOWN, Limit.TIME)
    assert gone(tmp_path / "pids")
    assert nothing_left(tmp_path)


def test_what_a_killed_solver_had_found_is_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    result = fake("hang_with_progress", monkeypatch, settings=Settings(time_limit=2.5))
    assert (result.objective, result.bound) == (4, 2)
    assert result.limit is Limit.TIME
    assert result.status is Status.FEASIBLE
    assert gone(tmp_path / "pids")
    assert nothing_left(tmp_path)


def test_what_is_found_is_reported_while_the_solver_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[tuple[Value, Value | None]] = []
    with observed(lambda incumbent, bound: seen.append((incumbent, bound))):
        fake("hang_with_progress", monkeypatch, settings=Settings(time_limit=2.5))
    assert seen == [(4, 2)]


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="counts by /proc")
def test_memory_is_limited(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    settings = Settings(time_limit=60, memory_mb=200)
    result = fake("eat", monkeypatch, strengthening=KNOWN, settings=settings)
    assert result.limit is Limit.MEMORY
    assert (result.objective, result.bound) == (8, 2)
    assert nothing_left(tmp_path)


def test_memory_that_ran_out_in_a_crash_is_a_limit_only_if_there_is_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limited = Settings(time_limit=20, memory_mb=500)
    result = fake("eat_and_abort", monkeypatch, strengthening=KNOWN, settings=limited)
    assert result.limit is Limit.MEMORY
    with pytest.raises(SolverError, match="SIGABRT: terminate called"):
        fake("eat_and_abort", monkeypatch, strengthening=KNOWN)


def test_floats_are_rounded_with_care(monkeypatch: pytest.MonkeyPatch) -> None:
    result = fake("almost", monkeypatch)
    # 3.0000001 may be 3 in truth: no proof of 4.
    assert (result.objective, result.bound, result.limit) == (4, 3, Limit.TIME)
    assert result.proof == Proof(Grade.SOLVER, "fake 1")


def test_the_better_of_hint_and_answer_and_of_both_bounds_is_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known = Strengthening(
        hint=(1, 2, 3), bound=4, proof=Proof(Grade.CHECKED, "by hand")
    )
    result = fake("almost", monkeypatch, strengthening=known)
    assert result.status is Status.OPTIMAL
    assert result.proof == known.proof
    assert result.limit is None


@pytest.mark.parametrize(
    ("bound", "unit", "expected"),
    [
        (7.0, 1, 7),
        (7.0004, 1, 7),
        (7.01, 1, 8),
        (7.0, 2, 4),
        (-5.0, 1, 0),
        (None, 1, None),
        (float("inf"), 1, None),
        (1e12 + 0.5, 1, 10**12 - 999),
    ],
)
def test_bounds_are_lowered_before_they_are_rounded_up(
    bound: float | None, unit: int, expected: int | None
) -> None:
    assert round_up(bound, unit) == expected


PROGRAM = """
import sys
from closeknit.formulations.ksubset import mip as ksubset_mip
from closeknit.formulations.ksubset.strengthening import Strengthening
from closeknit.instances import mesh
from closeknit.solvers import Settings, mip
if __name__ == "__main__":
    mip.BACKENDS["fake"] = "fake_backends:hang_with_progress"
    model = ksubset_mip.pairs(mesh(6, k=3), Strengthening(hint=(0, 2, 4)))
    result = mip.solve(model, "fake", settings=Settings(time_limit=300))
    print(result.limit.value, result.objective, result.bound, flush=True)
"""


def started(tmp_path: Path) -> subprocess.Popen[str]:
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    program = subprocess.Popen(
        [sys.executable, str(file)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path / "scratch")},
    )
    pids = tmp_path / "pids"
    while not pids.exists() or len(pids.read_text().split()) < 2:
        assert program.poll() is None
        time.sleep(0.02)
    return program


def test_interrupt_gives_what_was_found(tmp_path: Path) -> None:
    program = started(tmp_path)
    program.send_signal(signal.SIGINT)
    out, _ = program.communicate(timeout=120)
    assert out.split() == ["interrupt", "4", "2"]
    assert gone(tmp_path / "pids")
    assert nothing_left(tmp_path)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_solver_does_not_outlive_the_program(tmp_path: Path, how: int) -> None:
    program = started(tmp_path)
    program.send_signal(how)
    program.communicate(timeout=120)
    assert gone(tmp_path / "pids")
    assert nothing_left(tmp_path)


def test_a_missing_backend_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = "raise ModuleNotFoundError('No module', name='highspy')"
    (tmp_path / "highspy.py").write_text(missing)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(SolverError) as error:
        mip.solve(mip_models.pairs(LINE, NONE), "highs")
    expected = "highs is not installed (highspy): pip install highspy"
    assert str(error.value) == expected


def test_missing_cbc_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import pulp\n"
        "pulp.PULP_CBC_CMD.available = pulp.COIN_CMD.available = lambda self: False\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(SolverError, match="cbc is not installed"):
        mip.solve(mip_models.pairs(LINE, NONE), "cbc")


def test_distances_too_large_for_floats_are_refused() -> None:
    far = Points(((0,), (2**55,), (2**56,)))
    instance = KSubset("far", far, far.coordinates, 2)
    with pytest.raises(SolverError, match="too large for a solver that computes in fl"):
        mip.solve(mip_models.pairs(instance, NONE), "highs")


def test_the_bound_is_read_from_a_log_of_cbc() -> None:
    log = (
        "Cbc0010I After 100 nodes, 5 on tree, 421 best solution, "
        "best possible 318 (1.5)\n"
        "Cbc0010I After 200 nodes, 5 on tree, 1e+50 best solution, "
        "best possible 3.2e+02 (2.0)\n\nResult - Stopped on time limit\n\n"
        "Objective value:                421.00000000\n"
        "Lower bound:                    319.500\n"
    )
    assert cbc_bound(log) == 320
    assert cbc_bound("nothing yet") is None


INSTANCES = tuple(
    next(
        instance
        for seed in range(kind, 600, 6)
        if (instance := seeded_ksubset(seed, most=9)).n >= 7
        and 3 <= instance.k <= instance.n - 2
    )
    for kind in (0, 1, 2, 4, 5)  # tori (even and odd), a mesh, points, a tree
)
BACKENDS = ("highs", "cbc")
BUILDERS = (
    mip_models.pairs,
    mip_models.rlt,
    mip_models.cuts_unary,
)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("builder", BUILDERS, ids=lambda b: str(b.__name__))
def test_every_model_and_backend_finds_the_optimum(
    builder: Callable[..., MipFormulation],
    backend: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(interrupt, "GRACE", 60.0)
    nth = len(BUILDERS) * BACKENDS.index(backend) + BUILDERS.index(builder)
    instance = INSTANCES[nth % len(INSTANCES)]
    strengthening = NONE if nth % 2 else Strengthening(hint=tuple(range(instance.k)))
    result = mip.solve(builder(instance, strengthening), backend)
    assert result.objective == result.bound == optimum(instance)
    assert result.limit is None
    assert result.proof is not None
    assert result.proof.grade is Grade.SOLVER
    assert result.proof.by.startswith(f"{backend} ")


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("builder", BUILDERS, ids=lambda b: str(b.__name__))
def test_every_model_and_backend_on_every_topology(
    builder: Callable[..., MipFormulation], backend: str
) -> None:
    for instance in INSTANCES:
        for strengthening in (
            NONE,
            Strengthening(),
            Strengthening(hint=tuple(range(instance.k))),
        ):
            result = mip.solve(builder(instance, strengthening), backend)
            assert result.objective == result.bound == optimum(instance)


@pytest.mark.parametrize("backend", BACKENDS)
def test_one_processor_costs_nothing(backend: str) -> None:
    result = mip.solve(mip_models.cuts_unary(mesh(2, 2, k=1), NONE), backend)
    assert (result.objective, result.bound) == (0, 0)


@pytest.mark.parametrize("backend", BACKENDS)
def test_time_limit_gives_incumbent_and_bound(
    backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interrupt, "GRACE", 30.0)
    free = random.Random(1).sample(list(Mesh((12, 12)).locations()), 72)
    instance = KSubset("half", Mesh((12, 12)), tuple(free), 16)
    result = KSUBSET[f"cuts-unary/{backend}"](instance, Settings(time_limit=2.0))
    assert result.limit is Limit.TIME
    assert result.objective is not None
    assert result.bound is not None
    assert result.objective == cost(instance, result.chosen or ())


def test_one_thread_and_one_seed_give_one_answer() -> None:
    first, second = (
        mip.solve(mip_models.cuts_unary(mesh(4, 4, k=6), NONE), "highs")
        for _ in range(2)
    )
    assert first.chosen == second.chosen


def test_ortools_and_highs_serve_one_program() -> None:
    program = (
        "from closeknit.methods import KSUBSET\n"
        "from closeknit.instances import mesh\n"
        "import sys\n"
        "i = mesh(4, 4, k=7)\n"
        "names = ['pairs/highs', 'cuts-unary/cpsat', 'cuts-unary/highs']\n"
        "print([KSUBSET[n](i).objective for n in names], 'highspy' in sys.modules)\n"
        "import highspy\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True
    )
    assert ended.stdout.split() == [*json.dumps([38] * 3).split(), "False"]
