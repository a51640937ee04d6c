"""The search by learning is right, and the checker derives its refutations."""

import io
from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.proofs.checking import Formula, Refused, check_proof
from closeknit.proofs.writing import learning
from closeknit.proofs.writing.learning import Learner
from closeknit.proofs.writing.proof_log import ProofLog
from closeknit.proofs.writing.propagation_kernels import FastPropagator
from closeknit.solvers.running import kernels

LITERALS = st.integers(-7, 7).filter(bool)
ROWS = st.tuples(
    st.lists(st.tuples(st.integers(1, 4), LITERALS), max_size=5), st.integers(-1, 6)
)


def formula_of(rows: list[tuple[list[tuple[int, int]], int]], count: int) -> Formula:
    formula = Formula()
    for v in range(1, count + 1):
        formula.variable(f"x{v}")
    for terms, degree in rows:
        formula.at_least(terms, degree)
    return formula


def has_solution(formula: Formula) -> bool:
    for values in product((0, 1), repeat=len(formula.names)):
        true = {v if one else -v for v, one in enumerate(values, 1)}
        if all(
            sum(a for x, a in row.terms.items() if x in true) >= row.degree
            for row in formula.rows
        ):
            return True
    return False


def refutation(formula: Formula) -> str | None:
    """Return a proof that there is no solution, or None if there is one."""
    learner = Learner(len(formula.names), formula.rows)
    if not learner.refute(lambda: None):
        return None
    text = io.StringIO()
    log = ProofLog(formula, text)
    log.infeasible(learner.write(log))
    return text.getvalue()


@given(st.lists(ROWS, max_size=24))
@settings(max_examples=150, deadline=None)
def test_refutes_what_has_no_solution(
    rows: list[tuple[list[tuple[int, int]], int]],
) -> None:
    formula = formula_of(rows, 7)
    with kernels.interpreted():
        proof = refutation(formula)
    assert (proof is None) == has_solution(formula)
    if proof is not None:
        assert check_proof(formula, proof.splitlines(True)).bound is None


def pigeons(count: int, holes: int) -> Formula:
    """Put pigeons into holes: two of the same hole by clauses, so it is hard."""
    formula = Formula()
    x = [[formula.variable(f"x{i}_{j}") for j in range(holes)] for i in range(count)]
    for row in x:
        formula.clause(*row)
    for j in range(holes):
        for one, other in combinations(x, 2):
            formula.clause(-one[j], -other[j])
    return formula


def test_long_searches_forget_clauses_and_grow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(learning, "_KEPT", 50)
    formula = pigeons(6, 5)
    proof = refutation(formula)
    assert proof is not None
    assert proof.count("\nrup") > 50
    assert proof.count("\ndel") > 20
    lines = proof.splitlines(True)
    assert check_proof(formula, lines, None, FastPropagator).bound is None
    assert refutation(pigeons(5, 5)) is None
    with pytest.raises(Refused):
        check_proof(formula, lines[:2] + lines[-40:], None, FastPropagator)


def test_the_search_ends_when_it_is_told_to() -> None:
    def enough() -> None:
        raise TimeoutError

    with pytest.raises(TimeoutError):
        Learner(2, pigeons(2, 1).rows[:2]).refute(enough)
