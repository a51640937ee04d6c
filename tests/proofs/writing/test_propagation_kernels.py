"""The fast propagator finds what the plain one finds, step by step."""

from unittest import mock

from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.proofs.checking import Propagator
from closeknit.proofs.checking.rows import Row, normalise
from closeknit.proofs.writing import propagation_kernels
from closeknit.proofs.writing.propagation_kernels import FastPropagator
from closeknit.solvers.running.kernels import interpreted
from tests.forging.small_proofs import follows

LITERALS = st.integers(-8, 8).filter(bool)
CLAUSES = st.lists(LITERALS, min_size=1, max_size=5).map(
    lambda some: normalise([(1, x) for x in set(some)], 1)
)
ROWS = st.tuples(
    st.lists(st.tuples(st.integers(1, 4), LITERALS), max_size=5),
    st.integers(-1, 7),
    st.sampled_from((1, 1, 1, 2**57, 2**58, 2**62, 2**64, 10**600)),
    st.integers(-2, 2),
).map(lambda row: scaled(*row))
"""Rows; some with numbers that do not fit into 64 bits, or just do."""


def scaled(terms: list[tuple[int, int]], degree: int, by: int, more: int) -> Row:
    return normalise([(a * by, x) for a, x in terms], degree * by + more * (by > 1))


STEPS = st.one_of(
    st.tuples(st.just("enter"), CLAUSES | ROWS),
    st.tuples(st.just("enter"), CLAUSES | ROWS),
    st.tuples(st.just("remove"), st.integers(0, 60)),
    st.tuples(st.just("refuted"), st.lists(CLAUSES | ROWS, min_size=1, max_size=3)),
    st.tuples(st.just("closure"), st.sets(LITERALS, max_size=4)),
)


@given(st.lists(STEPS, max_size=60))
@settings(max_examples=200, deadline=None)
def test_the_fast_one_does_what_the_plain_one_does(
    steps: list[tuple[str, object]],
) -> None:
    both = Propagator(lambda work: None), FastPropagator(lambda work: None)
    rows: dict[int, Row] = {}
    with interpreted(), mock.patch.object(propagation_kernels, "_DEAD_TERMS", 0):
        for number, (_, what) in enumerate(steps, 1):
            if isinstance(what, Row):
                rows[number] = what
                for one in both:
                    one.enter(number, what)
            elif isinstance(what, int) and rows:
                number = sorted(rows)[what % len(rows)]
                row = rows.pop(number)
                for one in both:
                    one.remove(number, row)
            elif isinstance(what, list):
                plain, fast = (one.refuted(what) for one in both)
                assert plain == fast
            elif isinstance(what, set):
                literals_alone(*both, what)
            known = [one.closure(set()) for one in both]
            assert known == [follows([*rows.values()])] * 2


def literals_alone(plain: Propagator, fast: FastPropagator, literals: set[int]) -> None:
    """Compare what follows from literals, and which of them are needed."""

    def refuted(some: list[int]) -> bool:
        return plain.refuted([Row({x: 1}, 1) for x in some])

    after = fast.after(literals)
    assert (after is None) == refuted([*literals])
    if after is not None:
        found = plain.closure(literals)
        assert fast.closure(literals) == found
        assert {
            i // 2 * (-1 if i % 2 else 1) for i, true in enumerate(after) if true
        } == found
    else:
        needed = fast.minimise([*literals])
        assert refuted(needed)
        assert literals.issuperset(needed)
        assert not any(refuted([y for y in needed if y != x]) for x in needed)
