"""Every operation on rows of up to three variables, against all assignments.

The margin of a row in an assignment is its sum less its degree; it is obeyed where
that is not negative. Most operations change margins in a way that can be computed.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from types import SimpleNamespace
from typing import Any

import pytest

from closeknit.proofs.checking import (
    CheckLimits,
    Formula,
    Propagator,
    Refused,
    TooLong,
    check_proof,
)
from closeknit.proofs.checking.combination import Combination
from closeknit.proofs.checking.propagation import refuted_by
from closeknit.proofs.checking.rows import (
    Row,
    add,
    add_to,
    divide,
    negate,
    normalise,
    saturate,
    substitute,
    times,
)
from closeknit.proofs.writing.opb_text import row_text
from tests.forging.forged_steps import Shown, verdict
from tests.forging.small_proofs import by_both, follows

NAMES = ("a", "b", "c")
ASSIGNMENTS = [*product((0, 1), repeat=3)]
COEFFICIENTS = [*product(range(-3, 4), repeat=3)]
DEGREES = range(-2, 11)
LITERALS = (1, -1, 2, -2, 3, -3)


def row_of(coefficients: tuple[int, ...], degree: int) -> Row:
    """Return a row; negative coefficients are those of negations."""
    terms = {(v if a > 0 else -v): abs(a) for v, a in enumerate(coefficients, 1) if a}
    return Row(terms, degree)


ROWS = [row_of(each, degree) for each in COEFFICIENTS for degree in DEGREES]


def value(literal: int, assignment: tuple[int, ...]) -> int:
    one = assignment[abs(literal) - 1]
    return one if literal > 0 else 1 - one


def margins(row: Row) -> list[int]:
    assert all(a > 0 for a in row.terms.values())
    assert all(-x not in row.terms for x in row.terms)
    return [
        sum(a * value(x, each) for x, a in row.terms.items()) - row.degree
        for each in ASSIGNMENTS
    ]


def models(row: Row) -> set[int]:
    return {i for i, margin in enumerate(margins(row)) if margin >= 0}


def test_pairs_are_normalised() -> None:
    """Any sum of three terms, of the same variable or not, keeps its margins."""
    terms = [*product((-3, -1, 0, 2), (1, -1, 2, -2))]
    for three in product(terms, terms, terms[::3]):
        for degree in (-1, 2):
            row = normalise(three, degree)
            expected = [
                sum(a * value(x, each) for a, x in three) - degree
                for each in ASSIGNMENTS
            ]
            assert margins(row) == expected


def test_a_negation_holds_exactly_where_the_row_does_not() -> None:
    for row in ROWS:
        assert margins(negate(row)) == [-1 - margin for margin in margins(row)]


def test_multiples() -> None:
    for row in ROWS:
        for factor in (1, 2, 5):
            assert margins(times(row, factor)) == [m * factor for m in margins(row)]


def test_divisions_round_up() -> None:
    for row in ROWS:
        for by in (1, 2, 3, 4):
            found = divide(row, by)
            assert models(row) <= models(found)
            assert found.terms == {x: (a + by - 1) // by for x, a in row.terms.items()}
            assert by * (found.degree - 1) < row.degree <= by * found.degree


def test_saturation_changes_no_solution() -> None:
    for row in ROWS:
        found = saturate(row)
        assert models(found) == models(row)
        assert found.degree == row.degree
        assert max(found.terms.values(), default=0) <= max(row.degree, 0)
        assert found.terms == {x: min(a, row.degree) for x, a in found.terms.items()}


def test_sums_add_margins() -> None:
    """All pairs of rows, each with a degree of its own, and a factor."""
    rows = [row_of(each, i % 12 - 1) for i, each in enumerate(COEFFICIENTS)]
    known = [margins(row) for row in rows]
    for large, above in zip(rows, known, strict=True):
        for small, below in zip(rows, known, strict=True):
            factor = 1 + (large.degree + small.degree) % 3
            copy = Row(dict(large.terms), large.degree)
            assert add_to(copy, times(small, factor)) is copy
            assert margins(copy) == [
                m + factor * n for m, n in zip(above, below, strict=True)
            ]
    assert known == [margins(row) for row in rows]


def test_a_sum_changes_neither_row() -> None:
    one, other = Row({1: 2, -2: 1}, 1), Row({-1: 3, 3: 1}, 2)
    found = add(one, other)
    assert (found.terms, found.degree) == ({-1: 1, -2: 1, 3: 1}, 1)
    assert (one.terms, one.degree) == ({1: 2, -2: 1}, 1)
    assert (other.terms, other.degree) == ({-1: 3, 3: 1}, 2)


def test_substitutions() -> None:
    """A row after a witness of two variables is the row where the witness leads."""
    images: list[int | bool | None] = [None, False, True, *LITERALS]
    for one, other in product(images, images):
        pairs = ((1, one), (2, other))
        witness = {v: image for v, image in pairs if image is not None}
        leads = []
        for each in ASSIGNMENTS:
            after = [*each]
            for v, image in witness.items():
                after[v - 1] = (
                    int(image)
                    if image in (True, False) and isinstance(image, bool)
                    else value(image, each)
                )
            leads.append(ASSIGNMENTS.index(tuple(after)))
        for coefficients in COEFFICIENTS:
            row = row_of(coefficients, 2)
            before = margins(row)
            assert margins(substitute(row, witness)) == [before[i] for i in leads]


def stored(formula: Formula, steps: list[str]) -> dict[int, Row]:
    """Return the rows that a checker has after some steps; none if it refuses one."""
    rows: dict[int, Row] = {}

    def lines() -> Iterator[str]:
        yield "pseudo-Boolean proof version 2.0\n"
        yield from (f"{step}\n" for step in steps)
        rows.update(Shown.last.store.rows)

    verdict(formula, lines())
    return rows


def formula_of_rows(rows: list[Row]) -> Formula:
    return Formula([*NAMES], [Row(dict(row.terms), row.degree) for row in rows])


def test_weakening_takes_a_variable_off() -> None:
    """By its largest share, so that every solution is kept."""
    rows = [row_of(each, 3) for each in COEFFICIENTS]
    steps = [f"pol {n} {x} w" for n in range(1, len(rows) + 1) for x in NAMES]
    after = stored(formula_of_rows(rows), [f"f {len(rows)}", *steps])
    number = len(rows)
    for row in rows:
        for v in (1, 2, 3):
            number += 1
            share = row.terms.get(v, 0) + row.terms.get(-v, 0)
            left = {x: a for x, a in row.terms.items() if abs(x) != v}
            assert (after[number].terms, after[number].degree) == (left, 3 - share)


def test_combinations_are_those_of_the_operations() -> None:
    """Reverse Polish notation, all operators, on every row of the formula."""
    rows = [row_of(each, 1 + i % 4) for i, each in enumerate(COEFFICIENTS)]
    every = range(1, len(rows) + 1)
    steps = [f"pol {n} 2 * {n % 343 + 1} + 3 d s ~b 2 * +" for n in every]
    after = stored(formula_of_rows(rows), [f"f {len(rows)}", *steps])
    for n in every:
        found = add_to(times(rows[n - 1], 2), rows[n % 343])
        found = add_to(saturate(divide(found, 3)), Row({-2: 2}, 0))
        made = after[len(rows) + n]
        assert (made.terms, made.degree) == (found.terms, found.degree)
        kept = after[n]
        assert (kept.terms, kept.degree) == (rows[n - 1].terms, rows[n - 1].degree)


def test_rows_are_read_as_they_are_written() -> None:
    """An equality is accepted for the row, refused where one number is another."""
    rows = [row for row in ROWS if row.degree in (-1, 2)]
    steps = [f"e {row_text(row, NAMES)} ; {n}" for n, row in enumerate(rows, 1)]
    assert stored(formula_of_rows(rows), [f"f {len(rows)}", *steps])
    for row in rows[::37]:
        others = [Row(row.terms, row.degree + 1)]
        others += [
            Row({**row.terms, x: a + 1}, row.degree) for x, a in row.terms.items()
        ]
        for text in (row_text(other, NAMES) for other in others):
            with pytest.raises(Refused, match="the row is another"):
                check_proof(
                    formula_of_rows([row]),
                    ["pseudo-Boolean proof version 2.0\n", "f 1\n", f"e {text} ; 1\n"],
                )


@by_both
def test_what_propagation_refutes_has_no_solution(
    propagator: type[Propagator],
) -> None:
    """All pairs of rows of two variables; a third of two is found by no one alone."""
    rows = [
        row_of((a, b, 0), degree)
        for a, b in product(range(-2, 3), repeat=2)
        for degree in range(1, abs(a) + abs(b) + 2)
    ]
    count = 0
    for one in rows:
        store = propagator(lambda work: None)
        store.enter(1, one)
        for other in rows:
            none = not models(one) & models(other)
            said = store.refuted([other])
            assert none or not said
            assert said == (follows([one, other]) is None)
            assert none or not refuted_by([one, other], lambda work: None)
            count += said
    assert count > len(rows) ** 2 / 4


def test_a_row_contradicts_its_negation_wherever_it_stands() -> None:
    """Propagation alone does not see it of, say, two of three; their sum does."""
    any_row = row_of((1, 1, 1), 0)
    for row in ROWS:
        for others in ([row], [any_row, row], [row, any_row]):
            assert refuted_by([negate(row), *others], lambda work: None)


def combination(most: int) -> Combination:
    rows = {"1": row_of((1, 1, 1), 1), "@one": row_of((1, 1, 1), 1)}
    literals = {"a": 1, "~a": -1}
    store: Any = SimpleNamespace(
        row=rows.__getitem__,
        literal=literals.__getitem__,
        spend=lambda work: None,
        limits=CheckLimits(stack=most),
    )
    return Combination(store)


def test_sums_take_the_room_of_their_largest_number() -> None:
    """Also where it stands in the operand of which a copy was made."""
    factor = str(2**300)
    words = ["1", factor, "*", "~a", factor, "*", "+"]  # leaves b and c, times factor
    row = combination(20).evaluate(words)
    assert (row.terms, row.degree) == ({2: 2**300, 3: 2**300}, 0)
    with pytest.raises(TooLong):
        combination(19).evaluate(words)


@pytest.mark.parametrize("factor", ["@one", "0", "-1"])
def test_factors_are_numbers(factor: str) -> None:
    with pytest.raises(Refused, match="needs a factor of at least 1"):
        combination(10).evaluate(["1", factor, "*"])


WITNESSES = [
    "".join(f" {v} {image}" for v, image in zip("ab", both, strict=True) if image)
    for both in product(("", "0", "1", "a", "~a", "b", "~b"), repeat=2)
]
CLAUSES = [row_of((a, b, 0), 1) for a, b in product((-1, 0, 1), repeat=2)]


def test_witnesses_of_two_variables() -> None:
    """A row is added only if the witness leads to what obeys all rows, for no more."""
    prices = [(0, 0), (1, 0), (1, 1), (1, -1), (-1, 2)]
    accepted = followed = 0
    formulas = [[], *([row] for row in CLAUSES[1:]), [CLAUSES[2], CLAUSES[7]]]
    for rows, price, row in product(formulas, prices, CLAUSES[1:]):
        formula = formula_of_rows(rows)
        for v, a in enumerate(price, 1):
            formula.charge(a, v)
        obeyed = [i for i in range(8) if all(i in models(each) for each in rows)]
        for witness in WITNESSES:
            text = f"red {row_text(row, NAMES)} ;{witness}"
            after = stored(formula, [f"f {len(rows)}", text])
            valid = True
            words = witness.split()
            leads = dict(zip(words[::2], words[1::2], strict=True))
            for i in obeyed:
                if i in models(row):
                    continue
                each = ASSIGNMENTS[i]
                image = tuple(_image(leads.get(name, name), each) for name in NAMES)
                there = ASSIGNMENTS.index(image)
                dearer = sum(
                    a * (x - y) for a, x, y in zip(price, image, each, strict=False)
                )
                valid &= there in obeyed and there in models(row) and dearer <= 0
            if after:
                assert valid, (text, rows, price)
            accepted += bool(after)
            followed += valid
    assert accepted > 0.9 * followed


def _image(word: str, assignment: tuple[int, ...]) -> int:
    if word in "01":
        return int(word)
    one = assignment[NAMES.index(word.removeprefix("~"))]
    return 1 - one if word.startswith("~") else one
