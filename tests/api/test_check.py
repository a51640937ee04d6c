"""ck.check: objections to what is false, and to what nothing derived again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import closeknit as ck
from closeknit.api import checking
from closeknit.instances import Sukp, problem_of

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
    solution = ck.solve(SACK)
    for path in (tmp_path / "none.xz", __file__):
        with pytest.raises(ck.InputError, match="is for ksubset files only"):
            ck.check(SACK, solution, certificate=path)


def test_a_selection_claims_nothing() -> None:
    assert ck.check(JOB, [0, 1, 2, 3]) == []


@pytest.mark.parametrize("what", ["certificate", "proof"])
def test_a_selection_takes_no_proof(what: str) -> None:
    """A file that nobody reads must not seem to hold."""
    with pytest.raises(ck.InputError, match=f"^{what}: is for a solution"):
        ck.check(JOB, [0, 1, 2, 3], **{what: "missing"})


def test_a_proof_of_more_than_the_cost_is_an_objection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever is wrong then, nothing of it holds."""
    solution = ck.solve(JOB, method="cuts-bb")
    proving = replace(problem_of(JOB), follow_certificate=lambda *_, **__: 1000)
    monkeypatch.setattr(checking, "problem_of", lambda _: proving)
    (line,) = ck.check(JOB, solution, certificate="any")
    assert line == f"objective: is {solution.cost}, but the certificate proves 1000"
