"""ck.check: objections to what is false, and to what nothing derived again."""

from __future__ import annotations

from pathlib import Path

import pytest

import closeknit as ck
from closeknit.instances import Sukp
from closeknit.proofs.checking.proof_file import CHECKERS

JOB = ck.ksubset(ck.Mesh(4, 4), k=4, busy=[(1, 1), (2, 2)])
SACK = Sukp("sack", (5, 4, 3), (3, 3, 3), ((0, 1), (1, 2), (2,)), 6)


def test_the_word_of_a_search_is_an_objection_unless_it_is_accepted() -> None:
    solution = ck.solve(JOB, method="cuts-bb")
    (line,) = ck.check(JOB, solution)
    cost = solution.cost
    assert line == (
        f"cost {cost} holds; bound {cost} not re-derived (enumerated: cuts-bb): "
        "give proof or accept"
    )
    assert ck.check(JOB, solution, accept="solver") == [line]
    assert ck.check(JOB, solution, accept="enumerated") == []
    assert ck.check(JOB, solution, accept=["solver", "enumerated"]) == []


@pytest.mark.parametrize(
    "accept", ["checked", "everything", ["enumerated", "moon"], ""]
)
def test_other_words_cannot_be_accepted(accept: str | list[str]) -> None:
    with pytest.raises(ck.InputError, match=r"^accept: must be one of enumerated"):
        ck.check(JOB, ck.solve(JOB), accept=accept)


def test_a_certificate_about_another_problem_is_refused(tmp_path: Path) -> None:
    """It was not read at all, and nothing was wrong."""
    solution, path = ck.solve(SACK), tmp_path / "c.xz"
    ck.solve(JOB, proof=path, proof_kind="certificate")
    with pytest.raises(ck.InputError, match=r"c\.xz: is a certificate: about ksubset"):
        ck.check(SACK, solution, proof=path)


def test_the_old_name_of_a_proof_is_told(tmp_path: Path) -> None:
    path = tmp_path / "c.xz"
    solution = ck.solve(JOB, proof=path)
    assert str(solution.proof) == "checked: certificate"
    with pytest.warns(DeprecationWarning, match="certificate= is now proof=") as told:
        assert ck.check(JOB, solution, certificate=path) == []
    assert [one.filename for one in told] == [__file__]
    with (
        pytest.warns(DeprecationWarning, match="certificate= is now proof="),
        pytest.raises(ck.InputError, match=r"^certificate: is the old name of proof"),
    ):
        ck.check(JOB, solution, certificate=path, proof=path)


def test_a_selection_takes_no_proof() -> None:
    """It claims nothing; a file that nobody reads must not seem to hold."""
    assert ck.check(JOB, [0, 1, 2, 3]) == []
    with pytest.raises(ck.InputError, match=r"^proof: is for a solution"):
        ck.check(JOB, [0, 1, 2, 3], proof="missing")


def test_a_proof_of_more_than_the_cost_is_an_objection(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Whatever is wrong then, nothing of it holds."""
    path = tmp_path / "c.xz"
    solution = ck.solve(JOB, proof=path)
    monkeypatch.setitem(CHECKERS, "certificate", lambda *_: (1000, 0))
    (line,) = ck.check(JOB, solution, proof=path)
    assert line == f"objective: is {solution.cost}, but {path} proves 1000"
