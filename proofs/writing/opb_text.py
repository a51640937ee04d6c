"""Writing formulas in the OPB format, as `proofs.checking.opb` reads them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..checking.rows import Formula, Row


def linear(terms: Mapping[int, int], names: Sequence[str]) -> str:
    """Write a sum: ``+2 x1 +3 ~x2``."""
    return " ".join(
        f"{a:+d} {'~' if x < 0 else ''}{names[abs(x) - 1]}" for x, a in terms.items()
    )


def row_text(row: Row, names: Sequence[str]) -> str:
    """Write a row: ``+2 x1 +3 ~x2 >= 3``."""
    return f"{linear(row.terms, names)} >= {row.degree}".lstrip()


def opb_text(formula: Formula, about: str = "") -> Iterator[str]:
    """Yield the lines of a formula, with a comment.

    There is an objective in any case, since a priced solution in a proof needs one; it
    has a term where there is a variable.
    """
    names, offset, unit = formula.names, formula.offset, formula.unit
    yield f"* #variable= {len(names)} #constraint= {len(formula.rows)}\n"
    for line in [about, *formula.meaning]:
        yield f"* {' '.join(line.split())}\n"
    if offset or unit != 1:
        sign = "-" if offset < 0 else "+"
        yield f"* cost = (objective {sign} {abs(offset)}) / {unit}\n"
    priced = {x: a for x, a in formula.objective.items() if a}
    if names and not priced:
        priced[1] = 0
    yield f"min: {linear(priced, names)} ;\n"
    for row in formula.rows:
        yield f"{row_text(row, names)} ;\n"
