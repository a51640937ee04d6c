"""Rows of a pseudo-Boolean formula: sums of literals that are at least a degree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

Terms = Mapping[int, int]
"""From literals to coefficients. Literal v > 0 is variable v, -v its negation."""


class Row:
    """A normalised row: the sum of ``terms`` is at least ``degree``.

    All coefficients are positive, and no variable occurs twice.
    """

    __slots__ = ("degree", "terms")

    def __init__(self, terms: dict[int, int], degree: int) -> None:
        self.terms, self.degree = terms, degree


def normalised(terms: Iterable[tuple[int, int]], degree: int) -> Row:
    """Return the row of (coefficient, literal) pairs in normalised form.

    >>> row = normalised([(2, 1), (-3, 2), (1, -1)], 1)
    >>> row.terms, row.degree
    ({1: 1, -2: 3}, 3)
    """
    found: dict[int, int] = {}
    for coefficient, literal in terms:
        if literal < 0:  # a ~x = a - a x
            coefficient, degree, literal = -coefficient, degree - coefficient, -literal
        found[literal] = found.get(literal, 0) + coefficient
    row: dict[int, int] = {}
    for variable, coefficient in found.items():
        if coefficient > 0:
            row[variable] = coefficient
        elif coefficient < 0:
            row[-variable] = -coefficient
            degree -= coefficient
    return Row(row, degree)


def negated(row: Row) -> Row:
    """Return the row that holds exactly where another does not."""
    total = sum(row.terms.values())
    return Row({-x: a for x, a in row.terms.items()}, total - row.degree + 1)


def added(large: Row, small: Row) -> Row:
    """Add two rows."""
    return add_to(Row(dict(large.terms), large.degree), small)


def add_to(large: Row, small: Row) -> Row:
    """Add a row to another, which is changed and returned."""
    terms = large.terms
    large.degree += small.degree
    for x, a in small.terms.items():
        if (other := terms.pop(-x, 0)) > a:  # x + ~x = 1
            terms[-x] = other - a
        elif a > other:
            terms[x] = terms.get(x, 0) + a - other
        large.degree -= min(a, other)
    return large


def mapped(row: Row, witness: dict[int, int | bool]) -> Row:
    """Substitute variables in a row."""
    terms, degree = [], row.degree
    for x, a in row.terms.items():
        image = witness.get(abs(x), abs(x))
        if isinstance(image, bool):
            degree -= a if image == (x > 0) else 0
        else:
            terms.append((a, image if x > 0 else -image))
    return normalised(terms, degree)


def linear(terms: Terms, names: Sequence[str]) -> str:
    """Write a sum: ``+2 x1 +3 ~x2``."""
    return " ".join(
        f"{a:+d} {'~' if x < 0 else ''}{names[abs(x) - 1]}" for x, a in terms.items()
    )


def row_text(row: Row, names: Sequence[str]) -> str:
    """Write a row: ``+2 x1 +3 ~x2 >= 3``."""
    return f"{linear(row.terms, names)} >= {row.degree}".lstrip()
