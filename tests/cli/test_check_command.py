"""closeknit check: what holds, what was derived again, and whose word is taken."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from closeknit.cli.app import run
from closeknit.instances import Submesh, mesh, sha256, write_instance
from closeknit.instances.result import ACCEPTABLE
from closeknit.instances.submesh.instance import Resident
from closeknit.methods import METHODS
from closeknit.solvers import Grade, Proof, Result, Status, write_solution

CORNERS = mesh(4, 4, k=4)
"""The optimum is 8; the four corners cost 24."""
FALSE = {
    "format": "closeknit/solution",
    "version": 1,
    "instance": CORNERS.name,
    "sha256": sha256(CORNERS),
    "method": "cuts-bb",
    "status": "optimal",
    "objective": 24,
    "bound": 24,
    "proof": {"grade": "enumerated", "by": "cuts-bb"},
    "selection": [[0, 0], [0, 3], [3, 0], [3, 3]],
}
OPEN = "cost 24 holds; bound 24 not re-derived (enumerated: cuts-bb)"
HINT = "give --prove or --proof"
Capsys = pytest.CaptureFixture[str]


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """The instance, and where the solution will be."""
    write_instance(CORNERS, tmp_path / "job.json")
    return str(tmp_path / "job.json"), str(tmp_path / "s.json")


def check(files: tuple[str, str], *options: str, **change: Any) -> int:
    """Check the false optimum with other fields; those that are None are left out."""
    document = {k: v for k, v in (FALSE | change).items() if v is not None}
    Path(files[1]).write_text(json.dumps(document))
    return run(["check", *files, *options])


def by(grade: Grade) -> dict[str, str]:
    return {"grade": grade.value, "by": "cuts-bb"}


def test_a_bound_that_nothing_derived_does_not_hold(
    files: tuple[str, str], capsys: Capsys
) -> None:
    assert check(files) == 1
    assert capsys.readouterr().out == f"{files[1]}: {OPEN}: {HINT}\n"
    assert check(files, "--prove") == 1
    said = capsys.readouterr().out
    assert "bound: claims at least 24, but 8 is possible" in said


@pytest.mark.parametrize("grade", [one for one in Grade if one.value in ACCEPTABLE])
def test_exactly_the_accepted_grades_are_taken(
    grade: Grade, files: tuple[str, str], capsys: Capsys
) -> None:
    others = [word for word in ACCEPTABLE if word != grade.value]
    refused = [word for each in others for word in ("--accept", each)]
    assert check(files, *refused, proof=by(grade)) == 1
    capsys.readouterr()
    assert check(files, *refused, "--accept", grade.value, proof=by(grade)) == 0
    said = capsys.readouterr().out
    assert f"bound 24 not re-derived ({grade.value}: cuts-bb): accepted" in said
    assert "holds: optimal" not in said


@pytest.mark.parametrize(
    "word", ["checked", "Enumerated", "all", "", "enumerated,solver"]
)
def test_other_words_are_no_grades_to_accept(
    word: str, files: tuple[str, str], refusal: Callable[..., str]
) -> None:
    Path(files[1]).write_text(json.dumps(FALSE))
    assert "--accept" in refusal("check", *files, f"--accept={word}")


def test_accepting_a_word_takes_back_no_fault(files: tuple[str, str]) -> None:
    accept = [word for one in ACCEPTABLE for word in ("--accept", one)]
    assert check(files, *accept, objective=23, bound=23) == 1
    assert check(files, *accept, proof={"grade": "checked", "by": "moon bound"}) == 1
    assert check(files, *accept, "--prove") == 1


def test_a_bound_of_a_name_that_does_not_exist(
    files: tuple[str, str], capsys: Capsys
) -> None:
    for bound in (24, 8, 0):
        status = "optimal" if bound == 24 else "feasible"
        proof = {"grade": "checked", "by": "moon bound"}
        assert check(files, bound=bound, status=status, proof=proof) == 1
        said = capsys.readouterr().out
        assert "proof: there is no 'moon bound' for this instance" in said


def test_what_is_claimed_by_nobody_does_not_hold(
    files: tuple[str, str], capsys: Capsys
) -> None:
    """Without a selection, a cost or a bound was printed as holding."""
    alone: dict[str, Any] = {"selection": None, "status": "unknown"}
    assert check(files, **alone, proof=None) == 1
    assert check(files, **alone, objective=None, proof=None) == 1
    assert "status: unknown: A bound needs a proof" in capsys.readouterr().out
    assert check(files, **alone, objective=None) == 1
    assert capsys.readouterr().out.endswith(
        f"s.json: {OPEN.removeprefix('cost 24 holds; ')}: {HINT}\n"
    )
    assert check(files, **alone, objective=None, bound=None, proof=None) == 0


def test_a_solution_without_a_bound_claims_nothing_more(
    files: tuple[str, str], capsys: Capsys
) -> None:
    assert check(files, status="feasible", bound=None, proof=None) == 0
    assert capsys.readouterr().out == f"{files[1]}: holds: feasible, cost 24\n"


def test_no_cost_is_negative_whoever_says_so(files: tuple[str, str]) -> None:
    assert check(files, status="feasible", bound=0) == 0
    assert check(files, status="feasible", bound=-3) == 0
    assert check(files, status="feasible", bound=1) == 1
    nothing = {"grade": "checked", "by": "costs that are not negative"}
    assert check(files, status="feasible", bound=0, proof=nothing) == 0
    assert check(files, status="feasible", bound=1, proof=nothing) == 1


NO_BOUND = {"status": "feasible", "bound": None, "proof": None}
FEASIBLE = {"status": "feasible", "bound": 8}
BY_TOWNS = {**FEASIBLE, "proof": {"grade": "checked", "by": "town bound"}}
NOTHING = {**NO_BOUND, "status": "unknown", "objective": None, "selection": None}


@pytest.mark.parametrize(
    ("options", "change", "derived", "status"),
    [
        ([], {}, (True, False, False), 1),
        (["--accept", "enumerated"], {}, (True, False, False), 0),
        ([], FEASIBLE, (True, False, True), 1),
        ([], NO_BOUND, (True, None, True), 0),
        ([], BY_TOWNS, (True, True, True), 0),
        ([], {"objective": 23, "bound": 23}, (False, False, False), 1),
        (["--prove"], {}, (True, False, False), 1),
        (["--prove"], FEASIBLE, (True, True, True), 0),
        ([], NOTHING, (None, None, None), 0),
    ],
)
def test_json_says_what_was_derived(
    options: list[str],
    change: dict[str, Any],
    derived: tuple[bool | None, ...],
    status: int,
    files: tuple[str, str],
    capsys: Capsys,
) -> None:
    assert check(files, *options, "--json", "-", **change) == status
    found = json.loads(capsys.readouterr().out)  # and nothing else is printed
    assert tuple(found["derived"].values()) == derived
    assert list(found["derived"]) == ["cost", "bound", "status"]
    assert found["holds"] == (status == 0)
    assert found["accepted"] == ("--accept" in options)
    assert bool(found["lines"]) == (status == 1 or found["accepted"])


# Infeasibility

FULL = Submesh("full", (4, 4), (Resident((0, 0, 1, 3)),), (2, 3), migrate=False)
"""Two rows of four are free."""
NARROW = Submesh("narrow", (4, 4), (Resident((1, 1, 2, 2)),), (3, 3), migrate=False)
"""Nine processors of twelve are free in no square."""


def test_infeasibility_that_nothing_derived_does_not_hold(
    tmp_path: Path, capsys: Capsys
) -> None:
    files = str(tmp_path / "a.json"), str(tmp_path / "s.json")
    word = Result(status=Status.INFEASIBLE, proof=Proof(Grade.ENUMERATED, "fs-1"))
    for instance, is_true in ((NARROW, True), (FULL, False)):
        write_instance(instance, files[0])
        write_solution(instance, "fs-1", word, files[1])
        assert run(["check", *files]) == 1
        line = f"infeasibility not re-derived ({word.proof})"
        assert capsys.readouterr().out == f"{files[1]}: {line}: {HINT}\n"
        assert run(["check", *files, "--accept", "enumerated"]) == 0
        assert capsys.readouterr().out == f"{files[1]}: {line}: accepted\n"
        assert run(["check", *files, "--prove"]) == (not is_true)
        said = capsys.readouterr().out
        known = "proved again" if is_true else "status: infeasible, but 0; 0; 0 is"
        assert known in said


def test_infeasibility_by_a_proof_in_a_file_needs_that_file(
    tmp_path: Path, capsys: Capsys
) -> None:
    """A true one was refused, with its proof or without: it is no certificate."""
    files = str(tmp_path / "a.json"), str(tmp_path / "s.json")
    proof = str(tmp_path / "p.pbp")
    write_instance(NARROW, files[0])
    assert run(["solve", files[0], "--proof", proof, "--json", files[1]]) == 3
    assert "pseudo-Boolean proof" in Path(files[1]).read_text()
    capsys.readouterr()
    assert run(["check", *files, "--proof", proof]) == 0
    said = capsys.readouterr().out
    assert said == f"{files[1]}: holds: infeasible (checked: pseudo-Boolean proof)\n"
    assert run(["check", *files]) == 2
    assert "--proof: is needed to check this proof" in capsys.readouterr().err
    assert run(["check", *files, "--prove"]) == 0


def test_a_placement_that_moves_nothing_is_optimal_by_definition(
    tmp_path: Path,
) -> None:
    """Its proof named a bound that the checker did not know."""
    files = str(tmp_path / "a.json"), str(tmp_path / "s.json")
    write_instance(FULL, files[0])
    found = METHODS["submesh"]["as"](FULL)
    assert found.status is Status.OPTIMAL
    write_solution(FULL, "as", found, files[1])
    assert run(["check", *files]) == 0
