"""Medians, quadratic costs and margins: the models beyond the plain encodings."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from closeknit.cli.app import run
from closeknit.exact.ksubset.medians import by_medians
from closeknit.formulations.ksubset import catalogue
from closeknit.formulations.ksubset.cpsat import cuts_median
from closeknit.formulations.ksubset.flows import with_margins
from closeknit.formulations.ksubset.medians import PROOF, Medians
from closeknit.formulations.ksubset.mip import margins
from closeknit.formulations.ksubset.quadratic import cuts_quadratic
from closeknit.formulations.ksubset.strengthening import NONE, Strengthening
from closeknit.instances import (
    InputError,
    KSubset,
    Mesh,
    Points,
    Tree,
    arrays,
    cost,
    mesh,
    write_ksubset,
)
from closeknit.methods import KSUBSET
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
from closeknit.solvers import quadratic as data
from closeknit.solvers.formulation import QuadraticFormulation
from closeknit.solvers.running import clock, interrupt
from closeknit.solvers.running.tolerances import rounded_up

from ...oracles import optimum
from ...paths import TESTS
from ...strategies import SYMMETRIC, half_full, seeded_ksubset, whole_torus

MEDIAN = KSUBSET["cuts-median/cpsat"]
QUADRATIC = KSUBSET["cuts-quadratic/scip"]
BACKENDS = ("highs", "scip", "cbc")
CUBE = mesh(2, 2, 2, k=3)
TREE = KSubset(
    "tree", Tree((-1, 0, 0, 1), (0, 1, 1, 1), (0, 1, 2, 3)), ((0,), (1,), (3,)), 2
)
TORUS = whole_torus(4, 3, k=5)
FAR = KSubset("far", far := Points(((0,), (9**9,), (9**10,))), far.coordinates, 2)


def searched(
    instance: KSubset, strengthening: Strengthening, **settings: Any
) -> Result:
    how = Settings(**settings)
    return by_medians(instance, strengthening, settings=how, start=clock.now())


WITH_LINES = [
    instance
    for instance in (
        *SYMMETRIC,
        *(seeded_ksubset(seed, most=10) for seed in range(150)),
    )
    if not MEDIAN.refuses or not MEDIAN.refuses(instance)
]


# Medians


def choices(instance: KSubset) -> list[tuple[int, ...]]:
    return list(combinations(range(instance.n), instance.k))


@pytest.mark.parametrize("instance", WITH_LINES[::2], ids=lambda i: str(i.name))
def test_medians_and_their_boxes_lose_no_optimum(instance: KSubset) -> None:
    medians, least = Medians(instance), optimum(instance)
    listed = dict((m, bound) for bound, m in medians.by_bound())
    assert list(listed.values()) == sorted(listed.values())
    found = False
    boxes = {m: medians.box(m, least + 1) for m in listed}
    for chosen in choices(instance):
        w, median = cost(instance, chosen), medians.of(chosen)
        if median in listed:
            assert listed[median] <= w
        if w > least or median not in listed:
            continue
        box = boxes[median]
        assert box is not None
        assert box.bound <= w
        assert set(box.inside) <= set(chosen)
        assert not set(box.outside) & set(chosen)
        counts = arrays.cuts(instance).sides[:, list(chosen)].sum(axis=1).tolist()
        for (low, high), c in zip(box.ranges, counts, strict=True):
            assert low <= c <= high
        found = found or all(row[list(chosen)].sum() <= 0 for row in box.rows)
    assert found, "symmetry left no optimum"


def test_medians_lie_in_the_middle() -> None:
    instance = mesh(5, 4, k=4)
    half_k = instance.k // 2
    for chosen in choices(instance):
        for a, m in enumerate(Medians(instance).of(chosen)):
            place = arrays.cuts(instance).position[list(chosen), a]
            assert (place < m).sum() <= half_k
            assert (place > m).sum() <= half_k


def test_a_box_in_which_nothing_is_cheaper_is_none() -> None:
    medians = Medians(mesh(4, 4, k=4))
    assert medians.box((1, 1), 9) is not None
    assert medians.box((1, 1), 6) is None
    most = Medians(mesh(4, 4, k=14))
    assert most.box((1, 1), 10**6) is not None
    assert most.box((3, 3), 10**6) is None  # too few lie on or beyond it


def test_full_meshes_have_few_medians() -> None:
    assert len(Medians(mesh(8, 8, k=25))) == 64
    listed = [m for _, m in Medians(mesh(8, 8, k=25)).by_bound()]
    assert all(x <= y <= 3 for x, y in listed)
    assert listed[0] == (3, 3)


@pytest.mark.parametrize("nesting", [True, False])
def test_medians_find_the_optimum(nesting: bool) -> None:
    grades = Counter[Grade]()
    small = WITH_LINES if nesting else WITH_LINES[::3]
    for instance in (*small, *(half_full(5, 4 + seed % 5, seed) for seed in range(20))):
        # Without a hint it starts from the first k processors.
        result = searched(instance, Strengthening(nesting=nesting))
        assert result.objective == result.bound == optimum(instance), instance
        assert result.limit is None
        assert result.proof is not None
        grades[result.proof.grade] += 1
    assert grades[Grade.SOLVER] > 5
    assert grades[Grade.ENUMERATED] > 5


def test_medians_agree_with_the_search_beyond_brute_force() -> None:
    for seed in range(2):
        instance = half_full(9, 12, seed)
        result = MEDIAN(instance)
        assert result.status is Status.OPTIMAL
        assert result.objective == KSUBSET["auto"](instance).objective


def test_one_median_is_a_model_of_what_has_it() -> None:
    instance = half_full(5, 5, 4)
    medians = Medians(instance)
    for bound, median in medians.by_bound():
        box = medians.box(median, 1000)
        if box is None:
            continue
        assert not box.rows
        result = cpsat.solve(cuts_median(instance, box, 1000))
        costs = [
            cost(instance, s) for s in choices(instance) if medians.of(s) == median
        ]
        assert result.objective == result.bound == min(costs)
        assert bound <= min(costs)
        none = cpsat.solve(cuts_median(instance, box, min(costs)))
        assert (none.chosen, none.bound) == (None, min(costs))
        assert none.limit is None


def test_medians_share_the_time_limit_and_keep_a_valid_bound() -> None:
    instance = half_full(10, 16, 3)
    best = searched(instance, Strengthening()).objective
    assert isinstance(best, int)
    bounds = []
    for limit in (0.0, 0.1, 0.3):
        result = searched(instance, Strengthening(), time_limit=limit)
        assert isinstance(result.bound, int)
        assert result.bound <= best <= cost(instance, result.chosen or ())
        assert result.limit is Limit.TIME or result.status is Status.OPTIMAL
        bounds.append(result.bound)
    least = Medians(instance).by_bound()[0][0]
    assert min(bounds) >= least > 0


@pytest.mark.parametrize("stop_at", range(1, 12))
def test_bounds_are_valid_wherever_medians_stop(
    stop_at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    instance = half_full(6, 7, 5)
    least = KSUBSET["auto"](instance).objective
    calls = 0
    solve = cpsat.solve

    def cut_short(
        model: Any, *, settings: Settings, start: float, part: bool
    ) -> Result:
        nonlocal calls
        calls += 1
        if calls >= stop_at:
            settings = Settings(time_limit=0.0)
        return solve(model, settings=settings, start=start, part=part)

    monkeypatch.setattr(cpsat, "solve", cut_short)
    result = searched(instance, Strengthening())
    assert isinstance(result.bound, int)
    assert isinstance(least, int)
    assert result.bound <= least <= cost(instance, result.chosen or ())
    if calls < stop_at:
        assert result.bound == least
    else:
        assert calls == stop_at, "went on past the limit"


def test_a_bound_known_beforehand_stands_for_medians() -> None:
    proof = Proof(Grade.CHECKED, "by hand")
    instance = half_full(10, 16, 3)
    above = Medians(instance).by_bound()[0][0] + 1
    known = Strengthening(hint=tuple(range(16)), bound=above, proof=proof)
    result = searched(instance, known, time_limit=0.0)
    assert result.bound == above
    assert result.proof == proof
    assert result.limit is Limit.TIME


def test_medians_close_by_their_own_arithmetic_where_that_will_do() -> None:
    instance = KSubset("two", Mesh((1, 9)), ((0, 0), (0, 1), (0, 7), (0, 8)), 2)
    result = searched(instance, Strengthening(hint=(0, 1)))
    assert (result.objective, result.proof) == (1, PROOF)


def test_one_thread_and_one_seed_give_one_answer() -> None:
    instance = half_full(8, 9, 2)
    for settings in (Settings(), Settings(seed=3)):
        first, second = (MEDIAN(instance, settings).chosen for _ in range(2))
        assert first == second


PROGRAM = """
import random
from closeknit.solvers.running import clock
from closeknit.formulations.ksubset.strengthening import Strengthening
from closeknit.exact.ksubset.medians import by_medians
from closeknit.instances import KSubset, Mesh
from closeknit.solvers import Settings, cpsat
places = list(Mesh((20, 20)).locations())
free = tuple(random.Random(1).sample(places, 200))
instance = KSubset("large", Mesh((20, 20)), free, 60)
solve = cpsat.solve
def told(*arguments, **options):
    print("go", flush=True)
    return solve(*arguments, **options)
cpsat.solve = told
result = by_medians(
    instance, Strengthening(), settings=Settings(time_limit=300), start=clock.now()
)
print(result.limit.value, result.bound > 0, len(result.chosen), flush=True)
"""


def test_interrupt_gives_choice_and_bound(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    program = subprocess.Popen(
        [sys.executable, str(file)], stdout=subprocess.PIPE, text=True
    )
    assert program.stdout is not None
    assert program.stdout.readline() == "go\n"
    threading.Event().wait(0.3)
    program.send_signal(signal.SIGINT)
    out, _ = program.communicate(timeout=60)
    assert out.split()[-3:] == ["interrupt", "True", "60"]
    assert program.returncode == 0


# Margins


@pytest.mark.parametrize("seed", range(40))
def test_margins_are_met_by_a_choice(seed: int) -> None:
    pick = random.Random(seed)
    n = pick.randint(1, 14)
    row = np.array([pick.randrange(4) for _ in range(n)])
    column = np.array([pick.randrange(3) for _ in range(n)])
    chosen = pick.sample(range(n), pick.randint(1, n))
    rows = np.bincount(row[chosen], minlength=4).tolist()
    columns = np.bincount(column[chosen], minlength=3).tolist()
    found = list(with_margins(row, column, rows, columns))
    assert len(set(found)) == len(chosen)
    assert np.bincount(row[found], minlength=4).tolist() == rows
    assert np.bincount(column[found], minlength=3).tolist() == columns


def test_margins_that_fit_no_choice_leave_it_short() -> None:
    row, column = np.array([0, 1]), np.array([0, 1])
    assert len(with_margins(row, column, [1, 0], [0, 1])) < 1


FLAT = [
    instance
    for instance in (seeded_ksubset(seed, most=10) for seed in range(120))
    if not catalogue.MIP["margins"].refuses(instance)
    and instance.k >= 3
    and instance.n - instance.k >= 2
]
"""Rings, tori, meshes and points of one or two axes."""


@pytest.mark.parametrize("backend", BACKENDS)
def test_margins_find_the_optimum(backend: str) -> None:
    nth = BACKENDS.index(backend)
    for instance in FLAT[nth::6][:4]:
        strengthening = Strengthening(hint=tuple(range(instance.k))) if nth else NONE
        result = mip.solve(margins(instance, strengthening), backend)
        assert result.objective == result.bound == optimum(instance), instance
        assert result.limit is None


def test_margins_keep_symmetry_and_repeated_points() -> None:
    for instance in (SYMMETRIC[0], SYMMETRIC[4], SYMMETRIC[8]):
        result = mip.solve(margins(instance, Strengthening()), "highs")
        assert result.objective == result.bound == optimum(instance)


def test_only_margins_and_steps_are_integers() -> None:
    instance = mesh(4, 5, k=6)
    model = margins(instance, NONE).model
    integers = {v.name[0] for v in model.variables() if v.cat == "Integer"}
    assert integers == {"m", "b"}
    assert sum(v.name.startswith("m") for v in model.variables()) == 4 + 5
    assert sum(v.name.startswith("x") for v in model.variables()) == instance.n


def test_wrong_margins_are_found_out() -> None:
    model = margins(mesh(2, 2, k=2), NONE)
    assert model.decode([1, 1, 0, 2]) == (1, 3)
    assert len(model.decode([2, 0, 2, 0])) < 2


# The quadratic


@pytest.mark.parametrize("kind", range(6))
def test_the_quadratic_finds_the_optimum(kind: int) -> None:
    """Mesh, torus even and odd, points with and without repeats, tree."""
    instance = next(
        i
        for seed in range(kind, 600, 6)
        if (i := seeded_ksubset(seed, most=9)).n >= 7 and 3 <= i.k <= i.n - 2
    )
    strengthening = NONE if kind % 2 else Strengthening(hint=tuple(range(instance.k)))
    result = mip.solve(cuts_quadratic(instance, strengthening), "scip")
    assert result.objective == result.bound == optimum(instance)
    assert result.limit is None
    assert result.proof is not None
    assert result.proof.grade is Grade.SOLVER
    assert result.proof.by.startswith("scip ")


@pytest.mark.parametrize("instance", SYMMETRIC[2:6:3], ids=lambda i: str(i.name))
def test_the_quadratic_keeps_an_optimum_of_symmetric_instances(
    instance: KSubset,
) -> None:
    result = mip.solve(cuts_quadratic(instance, Strengthening()), "scip")
    assert result.objective == result.bound == optimum(instance)


def test_the_quadratic_is_what_was_meant() -> None:
    """Every choice meets all rows, at its cost; nothing else about it is free."""
    for seed in range(0, 36, 5):
        instance = seeded_ksubset(seed, most=7)
        for strengthening in (NONE, Strengthening(symmetry=False)):
            formulation = cuts_quadratic(instance, strengthening)
            model = formulation.model
            for chosen in choices(instance):
                hinted = Strengthening(
                    hint=chosen, symmetry=False, nesting=strengthening.nesting
                )
                start = [v[3] for v in cuts_quadratic(instance, hinted).model.variables]
                for (_, low, high, _, _), value in zip(
                    model.variables, start, strict=True
                ):
                    assert low <= value <= high
                for terms, least, most in model.rows:
                    total = sum(weight * start[i] for i, weight in terms)
                    assert least is None or least <= total
                    assert most is None or total <= most
                for z, c, k in model.squares:
                    assert start[z] == start[c] * (k - start[c])
                paid = sum(weight * start[i] for i, weight in model.prices)
                assert paid == formulation.unit * cost(instance, chosen)


def test_the_quadratic_survives_its_file(tmp_path: Path) -> None:
    model = cuts_quadratic(
        mesh(3, 3, k=4), Strengthening(hint=(0, 1, 2, 3), bound=6)
    ).model
    model.write(tmp_path / "model.json")
    assert json.dumps(vars_of(data.read(tmp_path / "model.json"))) == json.dumps(
        vars_of(model)
    )


def vars_of(model: data.QuadraticModel) -> list[Any]:
    return [model.variables, model.rows, model.squares, model.prices]


def test_tolerances_are_taken_off_the_bound_of_the_quadratic() -> None:
    formulation = cuts_quadratic(mesh(8, 8, k=20), NONE)
    assert isinstance(formulation, QuadraticFormulation)
    assert formulation.slack == pytest.approx(14 * (100 + 20 + 1) * 1e-6)
    assert rounded_up(7.5, 1, 0.6) == 7
    assert rounded_up(7.5, 1) == 8


def test_the_quadratic_keeps_choice_and_bound_at_a_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(interrupt, "GRACE", 30.0)
    instance = half_full(16, 40)
    result = QUADRATIC(instance, Settings(time_limit=2.0))
    assert result.limit is Limit.TIME
    assert isinstance(result.bound, int)
    assert result.bound <= cost(instance, result.chosen or ())
    starred = KSUBSET["mm-inc"](instance).objective
    assert isinstance(starred, int)
    assert cost(instance, result.chosen or ()) <= starred


def test_the_quadratic_gives_one_answer_for_one_seed() -> None:
    first, second = (
        mip.solve(cuts_quadratic(mesh(4, 4, k=6), NONE), "scip") for _ in range(2)
    )
    assert first.chosen == second.chosen


def test_without_pyscipopt_the_quadratic_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = "raise ModuleNotFoundError('No module', name='pyscipopt')"
    (tmp_path / "pyscipopt.py").write_text(missing)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(SolverError) as error:
        mip.solve(cuts_quadratic(mesh(3, 3, k=4), NONE), "scip")
    expected = "scip is not installed (pyscipopt): pip install pyscipopt"
    assert str(error.value) == expected


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("leave", "scip crashed: ended with status 7 and no answer: something"),
        ("garbage", "scip returned a malformed answer"),
        ("too_few", "returned a wrong solution: 0 processors chosen"),
    ],
)
def test_misbehaviour_on_the_quadratic_is_an_error(
    name: str, complaint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fakes = {"scip": f"fake_backends:{name}"}
    monkeypatch.setattr(mip, "QUADRATIC", fakes)
    monkeypatch.setenv("PYTHONPATH", str(TESTS / "faults"))
    with pytest.raises(SolverError, match=complaint):
        mip.solve(cuts_quadratic(mesh(6, k=3), NONE), "scip")


# The table and the command


def test_all_three_are_registered() -> None:
    names = {"cuts-median/cpsat", "cuts-quadratic/scip"}
    names |= {f"margins/{backend}" for backend in BACKENDS}
    assert names <= set(KSUBSET)
    for name in names:
        assert KSUBSET[name].exact
        assert KSUBSET[name].doc_entry("Source")


@pytest.mark.parametrize(
    ("name", "instance", "why"),
    [
        ("margins/highs", CUBE, "at most two axes"),
        ("margins/cbc", TREE, "at most two axes"),
        ("cuts-median/cpsat", TREE, "rings, trees and graphs have no median lines"),
        ("cuts-median/cpsat", TORUS, "rings, trees and graphs have no median lines"),
        ("cuts-quadratic/scip", FAR, "tolerances of SCIP could hide a hop"),
    ],
)
def test_what_they_are_not_for_is_refused_in_a_line(
    name: str, instance: KSubset, why: str
) -> None:
    with pytest.raises(InputError, match=why) as error:
        KSUBSET[name](instance)
    assert "\n" not in str(error.value)


def test_too_many_medians_are_refused() -> None:
    sites = tuple((x, -x % 1009) for x in range(0, 100_000, 150))
    points = Points(sites)
    many = KSubset("many", points, points.coordinates, 5)
    with pytest.raises(InputError, match="too many median positions"):
        MEDIAN(many)


def test_a_builder_refuses_as_the_method_does() -> None:
    with pytest.raises(InputError, match="at most two axes"):
        catalogue.MIP["margins"].build(CUBE, NONE)


@pytest.mark.parametrize(
    ("formulation", "why"),
    [
        ("cuts-median", "a series of models, one per median"),
        ("cuts-quadratic", "is not linear"),
    ],
)
@pytest.mark.parametrize("form", ["lp", "mps", "cpsat"])
def test_what_cannot_be_exported_says_why(
    formulation: str, why: str, form: str, tmp_path: Path, capsys: Any
) -> None:
    file = tmp_path / "instance.json"
    write_ksubset(mesh(3, 3, k=3), file)
    command = ["export", str(file), "--to", form, "--formulation", formulation]
    assert run(command) == 2
    line = capsys.readouterr().err
    assert why in line
    assert line.count("\n") == 1


def test_margins_of_a_cube_are_not_exported(tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "instance.json"
    write_ksubset(CUBE, file)
    command = ["export", str(file), "--to", "lp", "--formulation", "margins"]
    assert run(command) == 2
    assert "at most two axes" in capsys.readouterr().err


def test_the_program_runs_them(tmp_path: Path) -> None:
    file = tmp_path / "instance.json"
    write_ksubset(half_full(6, 5), file)
    least = KSUBSET["auto"](half_full(6, 5)).objective
    ended = subprocess.run(
        [
            *(sys.executable, "-m", "closeknit", "solve", str(file)),
            *("--method", "cuts-quadratic/scip", "--json", "-"),
        ],
        capture_output=True,
        text=True,
        env={**os.environ},
    )
    assert json.loads(ended.stdout)["objective"] == least
