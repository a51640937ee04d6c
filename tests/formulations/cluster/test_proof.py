"""Proofs that a job does not fit: true ones are accepted, forged ones are not."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ortools.sat.python import cp_model

from closeknit.cli.app import run
from closeknit.formulations.cluster import proof
from closeknit.formulations.cluster.answer import decide
from closeknit.formulations.cluster.constraints import Apart, MostPods, Slices, within
from closeknit.formulations.cluster.forest import PieceForest
from closeknit.formulations.cluster.job import GangJob, Role
from closeknit.formulations.cluster.model import JobModel
from closeknit.formulations.cluster.proof import NoFitProof, prove_no_fit
from closeknit.formulations.cluster.tree import tree_job
from closeknit.instances import InputError
from closeknit.proofs.checking import CheckLimits, Refused
from closeknit.proofs.checking.recount.count import most_pods
from closeknit.proofs.checking.recount.file import check_recount
from closeknit.proofs.checking.statements import TooLong
from closeknit.proofs.writing.learning import Learner
from closeknit.solvers import Limit, SolverError

from .parts import (
    CONSTRAINTS,
    alike_job,
    even_machine,
    has_placement,
    is_sound,
    random_job,
    random_machine,
)


@given(st.integers(0, 2**32))
@settings(deadline=None, max_examples=60)
def test_the_formula_has_a_solution_where_there_is_a_placement(seed: int) -> None:
    chance = random.Random(seed)
    devices = random_machine(chance, chance.randrange(2, 5), 3)
    kinds = tuple(chance.sample(CONSTRAINTS, 2))
    job = random_job(chance, devices, kinds, 3)
    formula = proof.formula_of_model(JobModel(job, devices).model)
    refuted = Learner(len(formula.names), formula.rows).refute(lambda: None)
    assert refuted is not has_placement(job, devices)


@given(st.integers(0, 2**32))
@settings(deadline=None, max_examples=100)
def test_a_recount_finds_what_counting_does(seed: int) -> None:
    chance = random.Random(seed)
    devices = random_machine(chance, chance.randrange(2, 7), 4)
    tree = devices.tree
    while not is_sound(job := alike_job(chance, devices, 6), tree):
        pass
    ask = tree_job(job, devices, PieceForest(job, tree))
    assert ask is not None
    arrays = (tree.parent, tree.height, tree.home, ask.room)
    found = most_pods(
        ask.pods, dict(ask.sizes), dict(ask.most), *(one.tolist() for one in arrays)
    )
    assert (found >= ask.pods) is has_placement(job, devices)


SLICES = (Slices("L0", ("a",), 4), Slices("L1", ("a",), 8), MostPods("L1", ("a",), 9))


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    job = GangJob((Role("a", 31),), SLICES)
    found = prove_no_fit(
        job, even_machine(4, 2, 5, busy=(0, 1, 2)), str(tmp_path / "p"), 9
    )
    assert isinstance(found, NoFitProof)
    assert found.kind == proof.RECOUNT
    [name] = found.files
    return Path(name)


def test_a_certificate_of_counting_is_checked(
    certificate: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check_recount(certificate) == (31, 24)
    assert run(["check", str(certificate)]) == 0
    assert "31 pods do not fit: the slices take 24" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["--prove"], "--prove"),
        (["--accept", "solver"], "--accept"),
        (["--proof", "p.xz"], "--proof"),
        (["solution.json"], "SOLUTION"),
    ],
)
def test_what_is_of_no_use_for_a_recount_is_refused(
    words: list[str],
    name: str,
    certificate: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["check", str(certificate), *words]) == 2
    problem = f"{name}: is not for certificates of counting"
    assert capsys.readouterr().err == f"closeknit: {problem}\n"


FORGERIES: list[tuple[Callable[[dict[str, Any]], None], type[Exception], str]] = [
    (lambda x: x.update(pods=23), Refused, "there is room for"),
    (lambda x: x.update(pods=0), InputError, "pods: must lie between 1"),
    (lambda x: x.update(sizes=[]), Refused, "there is room for"),
    (lambda x: x.update(sizes=[[0, 4], [1, 6]]), InputError, "multiple of those below"),
    (lambda x: x.update(sizes=[[1, 8], [0, 4]]), InputError, "levels from below"),
    (lambda x: x["room"].__setitem__(3, 9), Refused, "there is room for"),
    (lambda x: x["room"].pop(), InputError, "room: must have 40 entries, not 39"),
    (lambda x: x["home"].__setitem__(0, 99), InputError, "home.0.: no such domain: 99"),
    (lambda x: x["parent"].__setitem__(1, 1), InputError, "be higher"),
    (lambda x: x["parent"].__setitem__(0, 0), InputError, "begin with the root"),
    (lambda x: x["height"].__setitem__(1, 0), InputError, "be higher"),
    (lambda x: x["home"].__setitem__(5, 0), Refused, "is in no domain of some level"),
    (lambda x: x.update(more=1), InputError, "more: unknown field"),
    (lambda x: x.update(version=2), InputError, "version: must be 1"),
]


@pytest.mark.parametrize(("forge", "kind", "problem"), FORGERIES)
def test_a_forged_certificate_is_refused(
    forge: Callable[[dict[str, Any]], None],
    kind: type[Exception],
    problem: str,
    certificate: Path,
) -> None:
    value = json.loads(certificate.read_text("utf-8"))
    forge(value)
    certificate.write_text(json.dumps(value), "utf-8")
    with pytest.raises(kind, match=problem):
        check_recount(certificate)
    assert run(["check", str(certificate)]) == (1 if kind is Refused else 2)


def test_a_certificate_of_many_levels_ends_at_once(tmp_path: Path) -> None:
    """And a large one at the time limit; neither takes much memory."""
    n = 6000
    head = {"format": "closeknit/recount", "version": 1, "pods": 1}
    tree = {"parent": [*range(-1, n - 1)], "height": [*range(n - 1, -1, -1)]}
    nodes = {"home": [n - 1], "room": [0]}
    sizes = [[i, 1] for i in range(n)]
    path = tmp_path / "a.recount.json"
    path.write_text(json.dumps({**head, "sizes": sizes, "most": [], **tree, **nodes}))
    with pytest.raises(InputError, match="sizes: must be at most 64 levels, not 6000"):
        check_recount(path)
    value = {**head, "sizes": sizes[:64], "most": [], **tree, **nodes}
    path.write_text(json.dumps(value))
    with pytest.raises(TooLong, match="takes more than 0 s to check"):
        check_recount(path, CheckLimits(seconds=0, now=itertools.count().__next__))
    assert check_recount(path) == (1, 0)


@pytest.mark.parametrize("values", [*itertools.product((0, 1), repeat=3)])
def test_clauses_that_literals_enforce_are_rows(values: tuple[int, ...]) -> None:
    """An implication, a negated literal: a formula has the solutions of its model."""
    model = cp_model.CpModel()
    a, b, c = (model.new_bool_var(name) for name in "abc")
    model.add_implication(a, b)
    model.add_bool_or(~b, c)
    for variable, value in zip((a, b, c), values, strict=True):
        model.add(variable == value)
    fits = (not values[0] or values[1]) and (not values[1] or values[2])
    formula = proof.formula_of_model(model)
    refuted = Learner(len(formula.names), formula.rows).refute(lambda: None)
    assert refuted is not bool(fits)


@pytest.mark.parametrize("signs", [*itertools.product((True, False), repeat=2)])
def test_rows_that_literals_enforce_hold_only_then(signs: tuple[bool, bool]) -> None:
    """For all numbers and literals a formula has the solutions of its model."""
    for values in itertools.product((0, 1), (0, 1), range(1, 4), range(3)):
        model = cp_model.CpModel()
        flags = [model.new_bool_var(name) for name in "ab"]
        x, y = model.new_int_var(1, 3, "x"), model.new_int_var(0, 2, "y")
        enforced = [
            flag if sign else ~flag for flag, sign in zip(flags, signs, strict=True)
        ]
        model.add(2 * x - 3 * y == 1).only_enforce_if(*enforced)
        for variable, value in zip((*flags, x, y), values, strict=True):
            model.add(variable == value)
        is_on = all(
            bool(value) is sign for value, sign in zip(values, signs, strict=False)
        )
        fits = not is_on or 2 * values[2] - 3 * values[3] == 1
        formula = proof.formula_of_model(model)
        refuted = Learner(len(formula.names), formula.rows).refute(lambda: None)
        assert refuted is not fits


@pytest.mark.parametrize("exact", [True, False])
def test_a_model_is_refuted_by_a_pseudo_boolean_proof(
    exact: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By Exact, and by the own search where that is not installed."""
    if exact and find_spec("exact") is None:
        pytest.skip("Exact is not installed")
    if not exact:
        monkeypatch.setattr(proof, "find_spec", lambda name: None)
    roles = (Role("a", 5), Role("b", 5))
    apart = (Apart("L0", ("a", "b")), within("L1", ("a", "b")))
    job = GangJob(roles, apart)
    found = prove_no_fit(job, even_machine(2, 3, 4), str(tmp_path / "p"), 9)
    assert isinstance(found, NoFitProof)
    assert found.kind == proof.LOG
    formula, log = found.files
    assert run(["check", formula, "--proof", log]) == 0
    text = Path(formula).read_text("ascii").replace(">= ", ">= -", 1)
    Path(formula).write_text(text.replace(" -0 ", " 0 "), "ascii")
    assert run(["check", formula, "--proof", log]) != 0


def test_a_job_that_fits_has_no_proof_that_it_does_not(tmp_path: Path) -> None:
    roles = (Role("a", 4), Role("b", 4))
    job = GangJob(roles, (Apart("L0", ("a", "b")),))
    devices = even_machine(2, 3, 4)
    assert decide(job, devices).fits
    with pytest.raises(SolverError, match="solution"):
        prove_no_fit(job, devices, str(tmp_path / "p"), 9)
    assert not [*tmp_path.iterdir()]


def test_nothing_stays_of_a_proof_that_took_too_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proof, "find_spec", lambda name: None)
    roles = (Role("a", 5), Role("b", 5))
    job = GangJob(roles, (Apart("L0", ("a", "b")), within("L1", ("a", "b"))))
    found = prove_no_fit(job, even_machine(2, 3, 4), str(tmp_path / "p"), 0)
    assert found is Limit.TIME
    assert not [*tmp_path.iterdir()]
