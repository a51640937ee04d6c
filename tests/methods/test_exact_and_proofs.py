"""Answers of Exact, and the one way to an answer with a proof."""

from dataclasses import replace
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from closeknit.instances import (
    Graph,
    Instance,
    KSubset,
    Submesh,
    Sukp,
    mesh,
    problem_of,
)
from closeknit.instances.extras import install
from closeknit.instances.result import LOGGED
from closeknit.instances.submesh import Resident
from closeknit.methods import KSUBSET, METHODS, SUKP, models_exact, proofs
from closeknit.methods.proofs import prove_and_cite
from closeknit.proofs.checking import Proved
from closeknit.proofs.checking.folder import BY_DEFINITION
from closeknit.proofs.checking.kinds import CERTIFICATE, LOG
from closeknit.proofs.writing import exact_log
from closeknit.proofs.writing.exact_log import ExactOutcome
from closeknit.proofs.writing.proof_log import ProofLog
from closeknit.solvers import Grade, Limit, Result, Settings, SolverError, Status

SACK = Sukp("sack", (5, 4, 3), (3, 3, 3), ((0, 1), (1, 2), (2,)), 6)
FULL = Submesh("full", (4, 4), (Resident((1, 1, 2, 2)),), (4, 3))
FREE = Submesh("free", (3, 3), (), (2, 2))
SQUARE = mesh(4, 4, k=5)


def answered(instance: Instance, seconds: float = 20.0) -> Result:
    return METHODS[problem_of(instance).name]["auto"](
        instance, Settings(time_limit=seconds)
    )


@pytest.mark.parametrize(
    ("instance", "kind"),
    [(SQUARE, CERTIFICATE), (SACK, LOG), (FULL, BY_DEFINITION), (FREE, BY_DEFINITION)],
)
def test_the_cheapest_proof_is_kept(
    instance: Instance, kind: str, tmp_path: Path
) -> None:
    path = tmp_path / "proof"
    found = prove_and_cite(instance, answered(instance), path, seconds=20)
    assert found.why == ""
    assert found.kept is not None
    assert found.kept.kind == kind
    assert found.result.proof is not None
    assert found.result.proof.grade is Grade.CHECKED
    assert path.exists() == (kind != BY_DEFINITION)
    assert found.kept.size == (path.stat().st_size if path.exists() else 0)


def test_a_search_of_our_own_comes_before_exact(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sack = Sukp("sack", (5, 4), (3, 3), ((0,), (1,)), 3)

    def prover(instance: Sukp, chosen: object, log: ProofLog) -> bool:
        z1, y0 = 2, 3
        log.solution([z1, y0])
        both = log.combine([(5, 2), (4, 3), (1, 4)])  # 5 y0 + 4 y1 >= 6
        first = log.clause([y0], [both])
        log.optimal(log.clause([], [both, first, 1]), 4)
        return True

    monkeypatch.setattr(proofs, "solve_by_exact", None)
    monkeypatch.setitem(proofs.PROVERS, "sukp", (lambda *a: False, prover))
    found = prove_and_cite(sack, answered(sack), tmp_path / "proof", seconds=20)
    assert found.kept is not None
    assert found.kept.by != "Exact"


def test_without_exact_there_may_be_no_proof(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proofs, "find_spec", lambda name: None)
    monkeypatch.setitem(proofs.PROVERS, "sukp", ())
    before = answered(SACK)
    found = prove_and_cite(SACK, before, tmp_path / "proof", seconds=20)
    assert found.result == before
    assert found.kept is None
    assert install("proofs") in found.why


def test_what_exact_finds_beats_a_worse_answer(tmp_path: Path) -> None:
    rough = SUKP["sukp-bb"](SACK, Settings(node_limit=1))
    rough = replace(rough, status=Status.FEASIBLE, chosen=(1,), objective=8)
    rough = replace(rough, bound=None, proof=None)
    found = prove_and_cite(SACK, rough, tmp_path / "proof", seconds=20)
    assert found.kept is not None
    assert (found.result.status, found.result.objective) == (Status.OPTIMAL, 5)
    lying = replace(rough, chosen=(0, 1, 2), objective=0)
    with pytest.raises(SolverError, match="more than a solution costs"):
        prove_and_cite(SACK, lying, tmp_path / "proof", seconds=20, kinds=(LOG,))


def test_certificates_need_cuts_and_an_optimum(tmp_path: Path) -> None:
    edges = tuple((i, j, 1) for i in (0, 1) for j in (2, 3, 4))
    instance = KSubset(
        "bipartite", Graph(5, edges, (0, 1, 2, 3, 4)), ((0,), (1,), (2,), (3,), (4,)), 3
    )
    kinds = (CERTIFICATE,)
    found = prove_and_cite(
        instance, answered(instance), tmp_path / "p", seconds=5, kinds=kinds
    )
    assert found.kept is None
    assert "none is written" in found.why
    rough = KSUBSET["random"](SQUARE, Settings())
    found = prove_and_cite(SQUARE, rough, tmp_path / "p", seconds=5, kinds=kinds)
    assert "not proved optimal" in found.why


def test_exact_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(exact_log, "version", missing)
    with pytest.raises(SolverError, match=r"pip install .*\[proofs\]"):
        SUKP["opb/exact"](SACK)


def solved(monkeypatch: pytest.MonkeyPatch, answer: ExactOutcome) -> None:
    monkeypatch.setattr(models_exact, "solve_by_exact", lambda *_, **__: answer)


def test_a_check_that_is_stopped_is_the_word_of_a_solver(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    solved(monkeypatch, ExactOutcome(True, (1, 2), Limit.TIME))
    result = SUKP["opb/exact"](SACK)
    assert result.status is Status.OPTIMAL
    assert result.proof is not None
    assert result.proof.grade is Grade.SOLVER
    assert "check of its proof was stopped" in caplog.text


def test_what_exact_has_when_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    solved(monkeypatch, ExactOutcome(False, (1,), Limit.TIME))
    result = SUKP["opb/exact"](SACK)
    assert (result.status, result.objective) == (Status.FEASIBLE, 8)
    assert (result.bound, result.limit) == (None, Limit.TIME)


@pytest.mark.parametrize(
    "answer",
    [
        ExactOutcome(True, (1,), Proved(5, 1, 1)),
        ExactOutcome(True, None, Proved(5, 1, 1)),
        ExactOutcome(True, (1, 2), Proved(None, 1, 1)),
        ExactOutcome(True, (1, 2), Proved(6, 1, 1)),
    ],
)
def test_an_answer_that_its_log_contradicts(
    answer: ExactOutcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    solved(monkeypatch, answer)
    if answer.chosen == (1,):  # a bound below is no contradiction, but no proof either
        assert SUKP["opb/exact"](SACK).status is Status.FEASIBLE
        return
    with pytest.raises(SolverError):
        SUKP["opb/exact"](SACK)


def test_one_log_serves_all_problems() -> None:
    for instance in (SQUARE, SACK, FULL, FREE):
        result = METHODS[problem_of(instance).name]["opb/exact"](instance)
        assert result.objective == answered(instance).objective
        assert result.proof == LOGGED
