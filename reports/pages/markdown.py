"""A document as Markdown: text and tables; plots are in the HTML only."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import quote

from ...instances.escape_hidden import escape_hidden
from .document import (
    Cell,
    Document,
    File,
    Inline,
    Name,
    Note,
    Preformatted,
    Ref,
    Section,
    SectionLink,
    Strong,
    Table,
    Text,
    anchor,
    format_cell,
    inlines,
)
from .numbers import percent


def markdown_of(document: Document) -> str:
    """Write a document as Markdown; equal documents give equal bytes."""
    parts = [f"# {plain(document.title)}"]
    if document.source:
        parts.append(f"{_text(document.source)}.")
    if document.answers:
        parts.append("\n".join(f"- {_text(answer)}" for answer in document.answers))
    parts += map(_text, document.lead)
    if shares := document.shares:
        listed = "; ".join(
            f"{label} {percent(size, shares.whole)}" for label, size, _ in shares.parts
        )
        parts.append(f"{shares.label}: {listed}.")
    if document.verdict:
        whole = isinstance(document.verdict, str)
        parts.append(_text(Strong(document.verdict) if whole else document.verdict))
    if document.findings_table is not None:
        parts.append(_table(document.findings_table))
    for section in document.all_sections:
        parts += _section(section, "##")
    return escape_hidden("\n\n".join(parts) + "\n", lines=True)


def code(text: str) -> str:
    r"""Write the text of others as code: no link, no HTML; it fits a cell of a table.

    >>> code("[a](http://b) | <i>"), code("a `b`")
    ('`[a](http://b) \\| <i>`', '`` a `b` ``')
    """
    bare = escape_hidden(" ".join(text.split()))
    # A bar after a backslash could not be distinguished from one that ends the cell.
    bare = bare.replace("\\|", "\\u007c").replace("|", "\\|")
    longest = max((len(run) for run in re.findall("`+", bare)), default=0)
    fence = "`" * (longest + 1)
    room = " " if not bare or "`" in (bare[0], bare[-1]) else ""
    return f"{fence}{room}{bare}{room}{fence}"


def plain(text: str) -> str:
    r"""Write our own words: on one line, and nothing but code in them is markup.

    >>> plain("a <  b * `c < d`")
    'a \\< b \\* `c < d`'
    """
    pieces = " ".join(text.split()).split("`")
    if len(pieces) % 2 == 0:
        return code(text)
    for i in range(0, len(pieces), 2):
        pieces[i] = pieces[i].replace("<", "\\<").replace("*", "\\*")
    return "`".join(pieces)


def _inline(piece: Inline) -> str:
    if isinstance(piece, Note):
        return f" ({plain(piece.text)})"
    if isinstance(piece, Ref):
        return _inline(piece.text)
    if isinstance(piece, Name):
        return code(piece)
    if isinstance(piece, File):
        return f"[{plain(piece.text)}]({quote(piece.path)}{piece.query})"
    if isinstance(piece, SectionLink):
        return f"[{plain(piece)}](#{anchor(piece)})"
    return f"**{plain(piece)}**" if isinstance(piece, Strong) else _keep_spaces(piece)


def _keep_spaces(text: str) -> str:
    """Keep the spaces around a piece of a sentence."""
    before = " " if text[:1].isspace() else ""
    return before + plain(text) + (" " if text.strip() and text[-1].isspace() else "")


def _text(text: Text) -> str:
    if isinstance(text, Preformatted):
        return f"```\n{text}\n```"
    return "".join(map(_inline, inlines(text)))


def _section(section: Section, mark: str) -> Iterable[str]:
    parts = [*map(_text, section.text), *map(_table, section.tables)]
    if section.items:
        parts.append("\n".join(f"- {_text(item)}" for item in section.items))
    parts += map(_text, section.after)
    for one in section.sections:
        parts += _section(one, f"{mark}#")
    return [f"{mark} {plain(section.title)}", *parts] if parts else []


def _table(table: Table) -> str:
    marks = ["---" if head.startswith("*") else "---:" for head in table.columns]
    heads = [head.lstrip("*") for head in table.columns]
    lines = [_line(one) for one in (heads, marks, *table.rows)]
    head = [f"{plain(table.caption)}:", ""] if table.caption else []
    return "\n".join([*head, *lines])


def _line(cells: Iterable[Cell]) -> str:
    return "| " + " | ".join(map(_cell, cells)) + " |"


def _cell(cell: Cell) -> str:
    """Write a cell; bars in code have been escaped already."""
    pieces = inlines(format_cell(cell))
    return "".join(
        _inline(one)
        if isinstance(one, (Name, Ref))
        else _inline(one).replace("|", "\\|")
        for one in pieces
    )
