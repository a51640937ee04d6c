"""A study as a page that needs nothing else, as Markdown, and as CSV files."""

from __future__ import annotations

import csv
import re
from html import escape
from io import StringIO
from pathlib import Path

from ...instances.files import folder, write_text
from ..ratios.csv_table import csv_text
from .document import Document, Section, Table, written
from .page_style import CSS

_NUMBER = re.compile(r"[-+−]?[\d., ]+ ?%?")


def write_study(study: Document, out: str | Path) -> Path:
    """Write ``report.html``, ``report.md`` and a CSV file for each table.

    Returns
    -------
    Path
        Of the page.

    Raises
    ------
    InputError
        When the folder cannot be written.
    """
    where = folder(out)
    for table in study.tables:
        write_text(where / f"{table.name}.csv", csv_of(table))
    write_text(where / "report.md", markdown_of(study))
    write_text(where / "report.html", html_of(study))
    return where / "report.html"


def csv_of(table: Table) -> str:
    """Write a table with all its digits."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head.lstrip("*") for head in table.columns)
    for row in table.rows:
        writer.writerow(_in_csv(cell) for cell in row)
    return text.getvalue()


def _in_csv(cell: object) -> object:
    if isinstance(cell, str) and not _NUMBER.fullmatch(cell):
        return csv_text(cell)
    return "" if cell is None else cell


def markdown_of(study: Document) -> str:
    """Write the text and the tables; pictures are on the page."""
    parts = [f"# {study.title}", f"{study.source}.", *study.lead]
    own = {id(t) for section in study.sections for t in section.tables}
    parts += [_markdown_table(t) for t in study.tables if id(t) not in own]
    for section in study.sections:
        parts += [f"## {section.title}", *section.text]
        parts += [_markdown_table(table) for table in section.tables]
    if study.notes:
        parts += ["## How it was run", "\n".join(f"- {note}" for note in study.notes)]
    return "\n\n".join(parts) + "\n"


def html_of(study: Document) -> str:
    """Write the page; the same study gives the same bytes."""
    own = {id(t) for section in study.sections for t in section.tables}
    body = "\n".join(
        [
            f"<header><h1>{escape(study.title)}</h1>",
            f'<p class="faint">{escape(study.source)}.</p></header>',
            "<main>",
            *(f"<p>{escape(text)}</p>" for text in study.lead),
            *(_html_table(t) for t in study.tables if id(t) not in own),
            *map(_html_section, study.sections),
            _html_notes(study),
            "</main>",
        ]
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width,initial-scale=1">\n'
        '<link rel="icon" href="data:,">\n'
        f"<title>{escape(study.title)}</title>\n"
        f"<style>\n{CSS}\n{_OWN}\n</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


_OWN = "td.short{white-space:nowrap}"
_SHORT = 24
"""Characters of text that is kept on one line."""


def _html_section(section: Section) -> str:
    parts = [f"<section><h2>{escape(section.title)}</h2>"]
    parts += [f"<p>{escape(text)}</p>" for text in section.text]
    for plot in section.plots:
        parts.append(
            f"<figure><figcaption><h3>{escape(plot.title)}</h3>"
            f"{escape(plot.caption)}</figcaption>\n{plot.svg}</figure>"
        )
    parts += [_html_table(table) for table in section.tables]
    return "\n".join([*parts, "</section>"])


def _html_notes(study: Document) -> str:
    if not study.notes:
        return ""
    items = "".join(f"<li>{escape(note)}</li>" for note in study.notes)
    return f"<section><h2>How it was run</h2><ul>{items}</ul></section>"


def _html_table(table: Table) -> str:
    left = [head.startswith("*") for head in table.columns]
    heads = "".join(
        f'<th class="l">{escape(head[1:])}</th>' if text else f"<th>{escape(head)}</th>"
        for head, text in zip(table.columns, left, strict=True)
    )
    rows = "".join(
        "<tr>"
        + "".join(
            f'<td class="{_classes(written(cell))}">{escape(written(cell))}</td>'
            if text
            else f"<td>{escape(written(cell))}</td>"
            for cell, text in zip(row, left, strict=True)
        )
        + "</tr>\n"
        for row in table.rows
    )
    return (
        f'<div class="wide"><table><caption>{escape(table.caption)}</caption>'
        f"<thead><tr>{heads}</tr></thead>\n<tbody>{rows}</tbody></table></div>"
    )


def _classes(text: str) -> str:
    return "l short" if len(text) <= _SHORT else "l"


def _markdown_table(table: Table) -> str:
    def line(cells: list[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    heads = [head.lstrip("*") for head in table.columns]
    marks = ["---" if head.startswith("*") else "---:" for head in table.columns]
    rows = [line([written(cell) for cell in row]) for row in table.rows]
    return "\n".join([f"{table.caption}:", "", line(heads), line(marks), *rows])
