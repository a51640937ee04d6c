"""Tables of results: rows, as text, as HTML, and as data frames of pandas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, overload

from ..instances import InputError, Value
from ..instances.escape_hidden import brief, escape_hidden
from ..instances.extras import install
from ..instances.support import names_of
from ..instances.words import with_noun
from ..reports.pages.numbers import Ratio, decimal
from ..reports.ratios.scoring import ScoredRun
from ..solvers import Proof

_WIDEST = 48
"""Characters of a cell of text, at most."""


if TYPE_CHECKING:
    import pandas
    from typing_extensions import TypeVar as TypeVarWithDefault

    RowT = TypeVarWithDefault("RowT", bound=Mapping[str, Any], default=Any)
else:
    RowT = TypeVar("RowT")


class Table(Sequence[RowT]):
    """Rows with named columns.

    ``print`` shows the columns that matter most; ``rows`` holds all, as dictionaries.

    Parameters
    ----------
    rows
        Dictionaries with the same keys.
    shown
        Columns of the text and of the HTML, in order.
    title
        What the table is about.
    """

    def __init__(self, rows: Sequence[RowT], shown: Sequence[str], title: str) -> None:
        self.rows = list(rows)
        self.title = title
        self._shown = [
            name for name in shown if any(row[name] not in (None, "") for row in rows)
        ]

    @overload
    def __getitem__(self, at: int) -> RowT: ...
    @overload
    def __getitem__(self, at: slice) -> list[RowT]: ...
    def __getitem__(self, at: int | slice) -> RowT | list[RowT]:
        return self.rows[at]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[RowT]:
        return iter(self.rows)

    def __repr__(self) -> str:
        rows = with_noun(len(self), "row")
        return brief(type(self).__name__, f"{self.title}; {rows}; print() shows them")

    def __str__(self) -> str:
        cells = [[_text(row[name]) for name in self._shown] for row in self.rows]
        lines = [list(self._shown), *cells]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        right = [self._is_number(name) for name in self._shown]
        return "\n".join(
            "  ".join(
                cell.rjust(width) if aligned else cell.ljust(width)
                for cell, width, aligned in zip(line, widths, right, strict=True)
            ).rstrip()
            for line in lines
        )

    def _is_number(self, name: str) -> bool:
        values = [row[name] for row in self.rows if row[name] is not None]
        return all(isinstance(value, int | float | Fraction) for value in values)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(name)}</th>" for name in self._shown)
        body = "".join(
            "<tr>"
            + "".join(f"<td>{escape(_text(row[name]))}</td>" for name in self._shown)
            + "</tr>"
            for row in self.rows
        )
        caption = f"<caption>{escape(self.title)}</caption>"
        return (
            f"<table>{caption}<thead><tr>{head}</tr></thead>"
            f"<tbody>{body}</tbody></table>"
        )

    def to_frame(self) -> pandas.DataFrame:
        """Return a data frame of pandas with all columns.

        Runs are indexed by instance and method; their first columns are cost, bound,
        ratio, grade (of the proof) and seconds. Exact fractions become floats; what
        they are exactly is in the column of the same name with ``_exact`` behind it.

        Raises
        ------
        InputError
            When pandas is not installed.
        """
        try:
            import_module("pandas")
        except ImportError:
            problem = f"needs pandas: {install('pandas')}"
            raise InputError(problem, "to_frame") from None
        from .frames import frame_of

        return frame_of([_flat(row) for row in self.rows])


class RunRow(TypedDict):
    """A row of a run: what came of a method on an instance, and what is known of it.

    ``ratio`` is cost over proved optimum: an exact fraction, or a tuple of one for each
    level of a lexicographic cost; None where no optimum is proved. ``bound`` and
    ``proof``, and its ``grade``, are the best that all runs on the instance prove
    together. ``selection`` is that of `Solution`, ``chosen`` the same as indices.
    """

    instance: str
    method: str
    cost: Value | None
    bound: Value | None
    ratio: Ratio | tuple[Ratio, ...] | None
    grade: str | None
    seconds: float | None
    problem: str
    n: int
    k: int
    status: str
    optimum: Value | None
    guarantee: Fraction | None
    seed: int
    proof: Proof | None
    limit: str | None
    selection: Any
    chosen: tuple[int, ...] | None
    error: str
    proof_bytes: int | None
    proof_seconds: float | None


def record(one: ScoredRun) -> RunRow:
    """Return a run and what is known of its instance as a row of a table."""
    row, verdict = one.row, one.verdict
    ratios, selection = one.ratios, None
    if row.selection is not None:
        selection = names_of(verdict.instance, row.selection)
    return {
        "instance": row.instance,
        "method": row.method,
        "cost": row.cost,
        "bound": verdict.bound,
        "ratio": ratios if ratios is None or len(ratios) > 1 else ratios[0],
        "grade": verdict.proof.grade.value if verdict.proof else None,
        "seconds": row.seconds,
        "problem": row.problem,
        "n": row.n,
        "k": row.k,
        "status": row.status,
        "optimum": verdict.optimum,
        "guarantee": one.guarantee,
        "seed": row.seed,
        "proof": verdict.proof,
        "limit": row.limit,
        "selection": selection,
        "chosen": row.selection,
        "error": row.error,
        "proof_bytes": verdict.kept.size if verdict.kept else None,
        "proof_seconds": verdict.kept.checking if verdict.kept else None,
    }


SHOWN = (
    *("instance", "method", "status", "cost", "ratio", "guarantee", "seconds"),
    *("proof", "error"),
)
"""Columns of runs that are shown."""


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of numbers and text; what is exact stands at its end."""
    flat, exact = dict(row), {}
    for name, value in row.items():
        if isinstance(value, Proof):
            flat[name] = str(value)
        elif name in ("ratio", "guarantee"):
            each = value if isinstance(value, tuple) else (value,)
            exact[f"{name}_exact"] = (
                None if value is None else "; ".join(map(str, each))
            )
            if isinstance(value, tuple):
                flat[name] = tuple(map(float, value))
            elif value is not None:
                flat[name] = float(value)
    return flat | exact


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, tuple):
        return ";".join(map(_text, value))
    if isinstance(value, Fraction):
        return decimal(value)
    if isinstance(value, float):
        return f"{value:.3f}"
    text = escape_hidden(str(value))
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"
