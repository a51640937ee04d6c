"""A comparison of two stores as a document, short enough for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...instances.value import cost_text
from ...instances.words import with_noun
from ..campaigns.rows import Row
from ..pages.document import Document, Inline, Name, Section, Table, Text
from .comparison import Change, StoreComparison, impossible, outcome

_SHOWN = 50
"""Changes of a kind that are listed; the others are counted."""


def comparison_document(found: StoreComparison, first: str, second: str) -> Document:
    """Build the document; ``first`` and ``second`` name the stores."""
    worse = [change for change in found.changes if not change.better]
    better = [change for change in found.changes if change.better]
    sections = [
        _list_changes("Worse in B", worse),
        *_list_unmatched_runs("Missing in B", found.missing),
        _list_changes("Better in B", better),
    ]
    if found.contradictions:
        sections.insert(0, _list_contradictions(found))
    return Document(
        name="comparison",
        title="Two stores compared",
        source=(
            *("A: ", Name(first), ", ", *_made_by(found.before)),
            *("; B: ", Name(second), ", ", *_made_by(found.after)),
        ),
        lead=(f"{with_noun(len(found.contradictions), 'contradiction')}.",),
        sections=tuple(sections),
    )


def _made_by(rows: Sequence[Row]) -> tuple[Inline, ...]:
    return (
        *("closeknit ", *_names(row.version for row in rows)),
        *(" on ", *_names(row.machine for row in rows)),
        *(" (", *_names(row.solvers for row in rows if row.solvers), ")"),
    )


def _names(values: Iterable[str]) -> tuple[Inline, ...]:
    names = [Name(value) for value in sorted(set(values))]
    pieces = [piece for name in names for piece in ("; ", name)]
    return tuple(pieces[1:]) or ("nothing",)


def _list_contradictions(found: StoreComparison) -> Section:
    rows = tuple(
        (
            Name(c.proved.instance),
            (
                Name(c.proved.method),
                " no solution ("
                if impossible(c.proved)
                else f" at least {cost_text(c.proved.bound)} (",
                Name(str(c.proved.proof)),
                ")",
            ),
            (Name(c.found.method), f" {cost_text(c.found.cost)}"),
        )
        for c in found.contradictions
    )
    columns = ("*instance", "*proved", "*found")
    table = Table(columns=columns, rows=rows)
    return Section(title="Contradicted proofs", tables=(table,))


def _list_changes(title: str, changes: Sequence[Change]) -> Section:
    if not changes:
        return Section(title=title, text=("Nothing.",))
    rows = tuple(
        (
            Name(change.before.instance),
            Name(change.before.method),
            *(change.before.repeat, change.what),
            *(Name(change.old), Name(change.new)),
        )
        for change in changes[:_SHOWN]
    )
    columns = ("*instance", "*method", "repeat", "*what", "*A", "*B")
    table = Table(columns=columns, rows=rows)
    left = len(changes) - _SHOWN
    after: tuple[Text, ...] = (f"and {left} more.",) * (left > 0)
    return Section(title=title, tables=(table,), after=after)


def _list_unmatched_runs(title: str, rows: Sequence[Row]) -> tuple[Section, ...]:
    """List runs of one store only; nothing if there are none."""
    if not rows:
        return ()
    table = Table(
        columns=("*instance", "*method", "repeat", "seed", "limit", "*outcome"),
        rows=tuple(
            (
                *(Name(row.instance), Name(row.method), row.repeat, row.seed),
                *(f"{row.time_limit:g} s", Name(outcome(row))),
            )
            for row in rows[:_SHOWN]
        ),
    )
    left = len(rows) - _SHOWN
    after: tuple[Text, ...] = (f"and {left} more.",) * (left > 0)
    return (Section(title=title, tables=(table,), after=after),)
