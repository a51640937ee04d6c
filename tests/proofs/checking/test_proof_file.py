"""Files of proofs: what they prove about instances, and hostile ones."""

import lzma
from pathlib import Path

import pytest

from closeknit.api.checking import check
from closeknit.cli.app import run
from closeknit.instances import (
    InputError,
    Instance,
    KSubset,
    Submesh,
    Sukp,
    Torus,
    write_instance,
)
from closeknit.instances.submesh import Resident
from closeknit.instances.value import Value
from closeknit.methods import METHODS
from closeknit.proofs.checking import Refused, check_proof_file, formula_of, proof_file
from closeknit.solvers import Settings, write_solution
from tests.forging.small_proofs import branching_proof, cheapest_assignment
from tests.oracles import optimum

KNAPSACK = Sukp("sack", (5, 4, 3), (3, 3, 3), ((0, 1), (1, 2), (2,)), 6)
"""Items 0 and 1 do not fit together; 1 and 2 do, and leave 5 out."""
Files = tuple[Path, Path, Path]
Capsys = pytest.CaptureFixture[str]
BETTER = Sukp("sack", (5, 4, 3), (3, 3, 3), ((0, 1), (1, 2), (2,)), 9)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    """An instance, its solution, and a proof of its optimality."""
    formula = formula_of(KNAPSACK)
    kept, used = {1, 2}, {1, 2}
    true = {j + 1 for j in range(3) if j not in kept} | {4 + e for e in used}
    instance, solution, proof = (
        tmp_path / name for name in ("sack.json", "solution.json", "proof.pbp.xz")
    )
    write_instance(KNAPSACK, instance)
    result = METHODS["sukp"]["bruteforce"](KNAPSACK, Settings())
    write_solution(KNAPSACK, "bruteforce", result, solution)
    text = "".join(branching_proof(formula, true))
    proof.write_bytes(lzma.compress(text.encode()))
    return instance, solution, proof


def test_checks_a_proof(files: Files, capsys: Capsys) -> None:
    instance, solution, proof = files
    assert check_proof_file(KNAPSACK, proof).bound == 5
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


def hostile(kind: str, proof: Path) -> bytes:
    """Return the content of a hostile file."""
    packed = proof.read_bytes()
    if kind == "cut off":
        return packed[: len(packed) // 2]
    if kind == "damaged":
        return packed[:60] + b"\xff" * 8 + packed[68:]
    if kind == "bomb":
        head = b"pseudo-Boolean proof version 3.0\n"
        return lzma.compress(head + b"* padding\n" * 400_000)
    if kind == "one line":
        return lzma.compress(b"pseudo-Boolean proof version 3.0\n" + b"1 " * 2**24)
    return {"empty": b"", "binary": bytes(range(256)) * 9, "text": b"hello\n"}[kind]


@pytest.mark.parametrize(
    "kind", ["cut off", "damaged", "bomb", "one line", "empty", "binary", "text"]
)
def test_hostile_files_are_one_line_and_status_2(
    kind: str,
    files: Files,
    tmp_path: Path,
    capsys: Capsys,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    instance, solution, proof = files
    monkeypatch.setattr(proof_file, "MOST_BYTES", 2**21)
    bad = tmp_path / "bad"
    bad.write_bytes(hostile(kind, proof))
    assert run(["check", str(instance), str(solution), "--proof", str(bad)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert "Traceback" not in captured.err


def test_a_file_that_is_not_there(files: Files) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        check_proof_file(KNAPSACK, files[2].with_name("none"))
