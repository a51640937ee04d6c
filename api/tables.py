"""Tables of results: rows, as text, as HTML, and as data frames of pandas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from html import escape
from importlib import import_module
from typing import Any

from ..instances import InputError
from ..instances.visible import brief, visible
from ..reports.pages.numbers import decimal
from ..reports.ratios.scoring import ScoredRun
from ..solvers import Proof

_WIDEST = 48
"""Characters of a cell of text, at most."""


class Table(Sequence[Mapping[str, Any]]):
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

    def __init__(
        self, rows: Sequence[Mapping[str, Any]], shown: Sequence[str], title: str
    ) -> None:
        self.rows = [dict(row) for row in rows]
        self.title = title
        self._shown = [
            name for name in shown if any(row[name] not in (None, "") for row in rows)
        ]

    def __getitem__(self, at: Any) -> Any:
        return self.rows[at]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        return iter(self.rows)

    def __repr__(self) -> str:
        rows = "1 row" if len(self) == 1 else f"{len(self)} rows"
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

    def to_frame(self) -> Any:
        """Return a data frame of pandas with all columns.

        Exact fractions become floats; what they are exactly is in the column of the
        same name with ``_exact`` behind it.

        Raises
        ------
        InputError
            When pandas is not installed.
        """
        try:
            pandas = import_module("pandas")
        except ImportError:
            raise InputError(
                "needs pandas: pip install 'closeknit[pandas]'", field="to_frame"
            ) from None
        return pandas.DataFrame([_flat(row) for row in self.rows])


def record(one: ScoredRun) -> dict[str, Any]:
    """Return a run and what is known of its instance as a row of a table.

    ``ratio`` is cost over proved optimum: an exact fraction, or a tuple of one for each
    level of a lexicographic cost; None where no optimum is proved. ``bound`` and
    ``proof`` are the best that all runs on the instance prove together.
    """
    row, verdict = one.row, one.verdict
    ratios = one.ratios
    return {
        "instance": row.instance,
        "problem": row.problem,
        "n": row.n,
        "k": row.k,
        "method": row.method,
        "status": row.status,
        "cost": row.cost,
        "bound": verdict.bound,
        "optimum": verdict.optimum,
        "ratio": ratios if ratios is None or len(ratios) > 1 else ratios[0],
        "guarantee": one.guarantee,
        "seconds": row.seconds,
        "seed": row.seed,
        "proof": verdict.proof,
        "limit": row.limit,
        "selection": row.selection,
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
    flat: dict[str, Any] = {}
    for name, value in row.items():
        flat[name] = str(value) if isinstance(value, Proof) else value
        if name in ("ratio", "guarantee"):
            flat[name] = value
            if isinstance(value, tuple):
                flat[name] = tuple(map(float, value))
            elif value is not None:
                flat[name] = float(value)
            exact = value if isinstance(value, tuple) else (value,)
            flat[f"{name}_exact"] = (
                None if value is None else "; ".join(map(str, exact))
            )
    return flat


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, tuple):
        return ";".join(map(_text, value))
    if isinstance(value, Fraction):
        return decimal(value)
    if isinstance(value, float):
        return f"{value:.3f}"
    text = visible(str(value))
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"
