"""A document as one HTML file that needs nothing else."""

from __future__ import annotations

import re
from functools import cache
from html import escape
from importlib.resources import files
from urllib.parse import quote

from ...instances.escape_hidden import escape_hidden
from .document import (
    Cell,
    Document,
    ErrorText,
    File,
    Inline,
    Name,
    Note,
    Plot,
    Preformatted,
    Ref,
    Section,
    SectionLink,
    Shares,
    Strong,
    Table,
    Text,
    anchor,
    format_cell,
    inlines,
    is_bad,
    plain_text,
)
from .numbers import percent
from .page_style import CSS

_SHORT = 24
"""Text of at most so many characters is kept on one line."""


@cache
def _script() -> str:
    """Return the program by which tables sort, search and filter."""
    return files(__package__).joinpath("tables.js").read_text("utf-8")


def html_of(document: Document) -> str:
    """Write a document as a page; equal documents give equal bytes."""
    sections = document.all_sections
    parts = [f"<header>\n<h1>{escape(document.title)}</h1>"]
    if document.source:
        parts.append(f'<p class="faint">{_inside(document.source)}.</p>')
    first = [
        *(f'<p class="answer">{_inside(answer)}</p>' for answer in document.answers),
        *([_figure(document.picture, 2)] if document.picture is not None else ()),
    ]
    if document.verdict:
        bad = is_bad(document.verdict)
        text = f'<p class="finding{" bad" * bad}">{_inside(document.verdict)}</p>'
        first.insert(0 if bad or not document.answers else len(first), text)
    parts += first
    if document.tiles:
        tiles = "".join(
            f'<div class="tile"><b>{escape(count)}</b><span>{escape(of)}</span></div>'
            for count, of in document.tiles
        )
        parts.append(f'<div class="tiles">{tiles}</div>')
    if document.shares is not None:
        parts.append(_bar(document.shares))
    parts += ["</header>", "<main>", *map(_paragraph, document.lead)]
    if document.findings_table is not None:
        parts.append(_table(document.findings_table, 2))
    if len(nested := [one for one in sections if one.sections]) > 1:
        links = ", ".join(_inline(SectionLink(one.title)) for one in nested)
        parts.append(f'<p class="contents">Contents: {links}.</p>')
    parts += [_section(one, 2) for one in sections]
    body = "\n".join([*parts, "</main>"])
    if "<tbody>" in body:
        body += f"\n<script>\n{_script()}</script>"
    return escape_hidden(
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width,initial-scale=1">\n'
        '<link rel="icon" href="data:,">\n'
        f"<title>{escape(document.title)}: closeknit</title>\n"
        f"<style>\n{CSS}\n</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n",
        lines=True,
    )


def _bar(shares: Shares) -> str:
    bars, key = [], []
    for label, size, colour in shares.parts:
        tint = f"background:var(--{colour})"
        width = 100 * size / (shares.whole or 1)
        bars.append(f'<i style="width:{width:.3f}%;{tint}"></i>')
        share = percent(size, shares.whole)
        key.append(f'<li><i style="{tint}"></i>{escape(label)} {share}</li>')
    return (
        f'<div class="bar" role="img" aria-label="{escape(shares.label)}">'
        f'{"".join(bars)}</div>\n<ul class="key">{"".join(key)}</ul>'
    )


def _section(section: Section, rank: int) -> str:
    parts = [
        *map(_paragraph, section.text),
        *(_figure(plot, rank + 1) for plot in section.plots),
        *(_table(table, rank + 1) for table in section.tables),
    ]
    if section.items:
        items = "".join(f"<li>{_inside(item)}</li>" for item in section.items)
        parts.append(f"<ul>{items}</ul>")
    parts += map(_paragraph, section.after)
    parts += [_section(one, rank + 1) for one in section.sections]
    if section.folded:
        parts = ["<details><summary>Show</summary>", *parts, "</details>"]
    kind = ' class="part"' if section.sections else ""
    mark = f' id="{anchor(section.title)}"' if rank == 2 else ""
    head = f"<section{kind}{mark}><h{rank}>{escape(section.title)}</h{rank}>"
    return "\n".join([head, *parts, "</section>"])


def _paragraph(text: Text) -> str:
    if isinstance(text, Preformatted):
        return f"<pre>{escape(text)}</pre>"
    return f"<p>{_inside(text)}</p>"


def _inside(text: Text) -> str:
    return "".join(map(_inline, inlines(text)))


def _inline(piece: Inline) -> str:
    if isinstance(piece, Note):
        if piece.exact:
            return f'<small class="exact">{escape(piece.exact)}</small>'
        long = ' class="long"' * (len(piece.text) > _SHORT)
        return f"<small{long}>{_inside(piece.text)}</small>"
    if isinstance(piece, Ref):
        return f'<a href="#{escape(piece.to)}">{escape(piece.text)}</a>'
    if isinstance(piece, File):
        address = escape(quote(piece.path) + piece.query)
        return f'<a href="{address}">{escape(piece.text)}</a>'
    if isinstance(piece, Name):
        return escape(piece)
    if isinstance(piece, SectionLink):
        return f'<a href="#{anchor(piece)}">{escape(piece)}</a>'
    written = re.sub("`([^`]+)`", r"<code>\1</code>", escape(piece))
    if isinstance(piece, ErrorText):
        return f'<b class="bad">{written}</b>'
    return f"<b>{written}</b>" if isinstance(piece, Strong) else written


def _figure(plot: Plot, rank: int) -> str:
    return (
        f"<figure><figcaption><h{rank}>{escape(plot.title)}</h{rank}>"
        f"{escape(plot.caption)}</figcaption>\n"
        f'<div class="wide" tabindex="0">{plot.svg}</div></figure>'
    )


def _table(table: Table, rank: int) -> str:
    if table.pictures:
        return _cards(table, rank)
    left = [head.startswith("*") for head in table.columns]
    heads = "".join(
        f'<th scope="col"{kind}>{escape(head.lstrip("*"))}</th>'
        for head, kind in zip(
            table.columns, (' class="l"' * text for text in left), strict=True
        )
    )
    marks = table.marks or [""] * len(table.rows)
    under = table.under or [False] * len(table.rows)
    rows = "\n".join(
        f"<tr{_mark(mark)}{' class=under' * below}>"
        + "".join(map(_cell, row, left, (True, *[False] * len(left))))
        + "</tr>"
        for row, mark, below in zip(table.rows, marks, under, strict=True)
    )
    caption = f"<caption>{escape(table.caption)}</caption>" if table.caption else ""
    return (
        f'<div class="wide" tabindex="0"><table>{caption}'
        f"<thead><tr>{heads}</tr></thead>\n<tbody>{rows}</tbody></table></div>"
    )


def _mark(mark: str) -> str:
    return f' id="{escape(mark)}"' if mark else ""


def _cell(cell: Cell, left: bool, first: bool) -> str:
    pieces = inlines(format_cell(cell))
    inside = "".join(map(_inline, pieces))
    if first and isinstance(pieces[0], (Name, Ref)):
        return f'<th class="l" scope="row">{inside}</th>'
    if not left:
        return f"<td>{inside}</td>"
    length = sum(len(plain_text(piece)) for piece in pieces)
    return f'<td class="l{" short" * (length <= _SHORT)}">{inside}</td>'


def _cards(table: Table, rank: int) -> str:
    cards = []
    marks = table.marks or [""] * len(table.rows)
    for row, picture, mark in zip(table.rows, table.pictures, marks, strict=True):
        listed = "".join(
            f"<dt>{escape(head.lstrip('*'))}</dt><dd>{_inside(format_cell(cell))}</dd>"
            for head, cell in zip(table.columns[1:], row[1:], strict=True)
        )
        cards.append(
            f'<figure class="worst"{_mark(mark)}><figcaption><h{rank}>'
            f"{_inside(format_cell(row[0]))}</h{rank}><dl>{listed}</dl></figcaption>\n{picture}</figure>"
        )
    return "\n".join(cards)
