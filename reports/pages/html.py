"""A document as one HTML file that needs nothing else."""

from __future__ import annotations

import re
from html import escape

from ...instances.visible import visible
from .document import (
    Bad,
    Cell,
    Document,
    Inline,
    Link,
    Name,
    Plot,
    Preformatted,
    Section,
    Shares,
    Small,
    Strong,
    Table,
    Text,
    anchor,
    inlines,
    shown,
)
from .numbers import percent
from .page_style import CSS

_SHORT = 24
"""Text of at most so many characters is kept on one line."""


def html_of(document: Document) -> str:
    """Write a document as a page; equal documents give equal bytes."""
    sections = document.whole
    parts = [f"<header>\n<h1>{escape(document.title)}</h1>"]
    if document.source:
        parts.append(f'<p class="faint">{_inside(document.source)}.</p>')
    if document.tiles:
        tiles = "".join(
            f'<div class="tile"><b>{escape(count)}</b><span>{escape(of)}</span></div>'
            for count, of in document.tiles
        )
        parts.append(f'<div class="tiles">{tiles}</div>')
    if document.shares is not None:
        parts.append(_bar(document.shares))
    if document.verdict:
        bad = " bad" if isinstance(document.verdict, Bad) else ""
        parts.append(f'<p class="finding{bad}">{_inside(str(document.verdict))}</p>')
    parts += ["</header>", "<main>", *map(_paragraph, document.lead)]
    if document.findings_table is not None:
        parts.append(_table(document.findings_table, 2))
    if len(nested := [one for one in sections if one.sections]) > 1:
        links = ", ".join(_inline(Link(one.title)) for one in nested)
        parts.append(f'<p class="contents">Contents: {links}.</p>')
    parts += [_section(one, 2) for one in sections]
    body = "\n".join([*parts, "</main>"])
    return visible(
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
    if isinstance(piece, Small):
        title = f' title="{escape(piece.exact)}"' if piece.exact else ""
        return f"<small{title}>{_inside(piece.text)}</small>"
    if isinstance(piece, Name):
        return escape(piece)
    if isinstance(piece, Link):
        return f'<a href="#{anchor(piece)}">{escape(piece)}</a>'
    written = re.sub("`([^`]+)`", r"<code>\1</code>", escape(piece))
    if isinstance(piece, Bad):
        return f'<b class="bad">{written}</b>'
    return f"<b>{written}</b>" if isinstance(piece, Strong) else written


def _figure(plot: Plot, rank: int) -> str:
    return (
        f"<figure><figcaption><h{rank}>{escape(plot.title)}</h{rank}>"
        f"{escape(plot.caption)}</figcaption>\n{plot.svg}</figure>"
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
    rows = "\n".join(
        "<tr>" + "".join(map(_cell, row, left, (True, *[False] * len(left)))) + "</tr>"
        for row in table.rows
    )
    caption = f"<caption>{escape(table.caption)}</caption>" if table.caption else ""
    return (
        f'<div class="wide"><table>{caption}<thead><tr>{heads}</tr></thead>\n'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _cell(cell: Cell, left: bool, first: bool) -> str:
    pieces = inlines(shown(cell))
    inside = "".join(map(_inline, pieces))
    if first and isinstance(pieces[0], Name):
        return f'<th class="l" scope="row">{inside}</th>'
    if not left:
        return f"<td>{inside}</td>"
    length = sum(len(p.text if isinstance(p, Small) else p) for p in pieces)
    return f'<td class="l{" short" * (length <= _SHORT)}">{inside}</td>'


def _cards(table: Table, rank: int) -> str:
    cards = []
    for row, picture in zip(table.rows, table.pictures, strict=True):
        listed = "".join(
            f"<dt>{escape(head.lstrip('*'))}</dt><dd>{_inside(shown(cell))}</dd>"
            for head, cell in zip(table.columns[1:], row[1:], strict=True)
        )
        cards.append(
            f'<figure class="worst"><figcaption><h{rank}>{_inside(shown(row[0]))}'
            f"</h{rank}><dl>{listed}</dl></figcaption>\n{picture}</figure>"
        )
    return "\n".join(cards)
