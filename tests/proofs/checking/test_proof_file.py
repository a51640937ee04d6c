"""Files of proofs: what they prove about instances, and hostile ones."""

import lzma
from dataclasses import replace
from pathlib import Path

import pytest

from closeknit.api.checking import check
from closeknit.cli.app import run
from closeknit.instances import (
    InputError,
    Instance,
    KSubset,
    Submesh,
    Torus,
    write_instance,
)
from closeknit.instances.submesh import Resident
from closeknit.instances.value import Value
from closeknit.methods import METHODS
from closeknit.proofs.checking import Refused, check_proof_file, formula_of
from closeknit.solvers import Settings, write_solution
from tests.forging.small_proofs import SACK, branching_proof, cheapest_assignment
from tests.oracles import optimum

Files = tuple[Path, Path, Path]
Capsys = pytest.CaptureFixture[str]
BETTER = replace(SACK, capacity=9)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    """An instance, its solution, and a proof of its optimality."""
    instance, solution, proof = (
        tmp_path / name for name in ("sack.json", "solution.json", "proof.pbp.xz")
    )
    write_instance(SACK, instance)
    result = METHODS["sukp"]["bruteforce"](SACK, Settings())
    write_solution(SACK, "bruteforce", result, solution)
    text = "".join(branching_proof(formula_of(SACK), {1, 5, 6}))
    proof.write_bytes(lzma.compress(text.encode()))
    return instance, solution, proof


def test_checks_a_proof(files: Files, capsys: Capsys) -> None:
    instance, solution, proof = files
    assert check_proof_file(SACK, proof).bound == 5
    assert check(instance, solution, proof=proof) == []
    for options in ([], ["--plain"]):
        args = ["check", str(instance), str(solution), "--proof", str(proof), *options]
        assert run(args) == 0
    assert "holds: optimal, cost 5, bound 5" in capsys.readouterr().out


MOVED = Submesh("moved", (3, 1), (Resident((1, 0, 1, 0)),), (2, 1))
"""The resident in the middle moves one step, for a request of two."""
PACKED = Submesh("packed", (4, 1), (Resident((2, 0, 2, 0)),), (1, 1))
RING = KSubset("ring", Torus((5,)), tuple((i,) for i in range(5)), 3)
"""Its formula counts half hops."""


@pytest.mark.parametrize(
    ("instance", "least"),
    [(MOVED, (1, 1, 1)), (PACKED, (0, 0, 0)), (RING, optimum(RING))],
)
def test_bounds_are_those_of_the_instance(
    instance: Instance, least: Value, tmp_path: Path
) -> None:
    """The objective of a formula has an offset and a unit, which cost nothing."""
    formula = formula_of(instance)
    assert formula.offset or formula.unit != 1
    chosen = cheapest_assignment(formula)
    assert chosen is not None
    text = "".join(branching_proof(formula, chosen))
    (tmp_path / "proof.pbp").write_text(text)
    assert check_proof_file(instance, tmp_path / "proof.pbp").bound == least


def test_a_bound_between_two_costs_proves_the_higher_one(tmp_path: Path) -> None:
    """Seven half hops at least are four hops."""
    formula = formula_of(RING)
    text = "".join(branching_proof(formula, cheapest_assignment(formula)))
    assert "BOUNDS 8 :" in text
    (tmp_path / "proof.pbp").write_text(text.replace("BOUNDS 8 :", "BOUNDS 7 :"))
    assert check_proof_file(RING, tmp_path / "proof.pbp").bound == 4


def test_a_proof_about_another_instance_proves_nothing(files: Files) -> None:
    with pytest.raises(Refused):
        check_proof_file(BETTER, files[2])


def test_a_wrong_proof_is_one_line_and_status_1(
    files: Files, capsys: Capsys, tmp_path: Path
) -> None:
    instance, solution, proof = files
    text = lzma.decompress(proof.read_bytes()).decode()
    wrong = tmp_path / "wrong.pbp"
    wrong.write_text(text.replace("BOUNDS 5", "BOUNDS 6"))
    assert run(["check", str(instance), str(solution), "--proof", str(wrong)]) == 1
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    assert "there is a solution of 5" in out


def test_a_weaker_proof_does_not_do(files: Files, tmp_path: Path) -> None:
    instance, solution, _ = files
    weak = tmp_path / "weak.pbp"
    weak.write_text(
        "pseudo-Boolean proof version 3.0\nconclusion BOUNDS 0 INF;\nend p;\n"
    )
    found = check(instance, solution, proof=weak)
    assert found == [f"bound: is 5, but {weak} proves 0"]


def test_a_file_that_is_not_there(files: Files) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        check_proof_file(SACK, files[2].with_name("none"))
