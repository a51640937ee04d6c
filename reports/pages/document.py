"""The one model of every page: sections of text, tables and plots.

Ratio reports, comparisons, claims, the frontier, streams and
reproductions each build a `Document`; `html`, `markdown` and `csv_tables` write it.

Plain strings are this package's own words: text between backquotes is code, and
nothing else in them is markup. Whatever a file, a solver or a user named is a `Name`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass


class Name(str):
    """Text that others chose: code in Markdown, never a formula in CSV."""

    __slots__ = ()


class Strong(str):
    """Text to be emphasised."""

    __slots__ = ()


class ErrorText(Strong):
    """Text that reports something wrong."""

    __slots__ = ()


class SectionLink(str):
    """The title of a section of the same document, as a link to it."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Ref:
    """A name or a number as a link to the row, card or section marked with ``to``."""

    text: str
    to: str


@dataclass(frozen=True, slots=True)
class File:
    """A description of a file next to the page, as a link to it."""

    text: str
    path: str  # relative to the page
    query: str = ""  # what the file is asked, with the mark before it


class Preformatted(str):
    """Lines to be shown as they are, in place of a paragraph."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Note:
    """A remark below a number; with ``exact``, that value, shown on demand."""

    text: str
    exact: str = ""


Inline = str | Note | Ref | File
Text = Inline | tuple[Inline, ...]
"""One paragraph, item or cell."""
Cell = Text | int | float | None
"""One cell of a table; floats are written with as many digits as they deserve."""


@dataclass(frozen=True, slots=True)
class Plot:
    """A picture as SVG (or a block of HTML), with its heading and caption."""

    title: str
    caption: str
    svg: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of cells.

    With pictures, a page shows each row as a card: the first cell is its heading, the
    others are listed by their heads.
    """

    name: str = ""  # of its CSV file, without the ending; "" for none
    caption: str = ""  # what it shows; "" for none
    columns: Sequence[str]  # heads; those of text columns begin with ``*``
    rows: Sequence[Sequence[Cell]]  # as many cells as heads each
    pictures: Sequence[str] = ()  # one SVG picture per row, or nothing
    marks: Sequence[str] = ()  # by which each row, or card, is linked to, or nothing
    under: Sequence[bool] = ()  # which rows a page folds under the last that is not

    @classmethod
    def of(cls, name: str, caption: str, rows: Iterable[Mapping[str, Cell]]) -> Table:
        """Make a table of at least one row; each gives its cells by their heads."""
        (heads, first), *others = ((tuple(row), tuple(row.values())) for row in rows)
        assert all(head == heads for head, _ in others)
        cells = (first, *(row for _, row in others))
        return cls(name=name, caption=caption, columns=heads, rows=cells)

    def __post_init__(self) -> None:
        assert all(len(row) == len(self.columns) for row in self.rows)
        assert not self.pictures or len(self.pictures) == len(self.rows)
        assert not self.marks or len(self.marks) == len(self.rows)
        assert not self.under or len(self.under) == len(self.rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One statement of a paper, and the verdict on it."""

    claim: str  # what the paper says, in our words
    paper: str  # the paper's figure
    ours: str  # our figure
    holds: bool | None = None  # None where it is a matter of degree
    criterion: str = ""  # what is compared, by how much it differs; given with `holds`
    remark: str = ""  # why the statement does not hold, or how nearly it does

    def __post_init__(self) -> None:
        assert self.criterion or self.holds is None, self.claim


def all_hold(outcomes: Iterable[bool | None]) -> bool | None:
    """Whether all statements hold: False if one does not, None if one is open.

    >>> all_hold([True, True]), all_hold([True, None]), all_hold([None, False])
    (True, None, False)
    """
    found = set(outcomes)
    return False if False in found else None if None in found else True


def judge(signs: Iterable[int]) -> bool | None:
    """Whether all differences have the stated sign; None where one may be chance.

    >>> judge([1, 1]), judge([1, 0]), judge([1, 0, -1])
    (True, None, False)
    """
    return all_hold({1: True, 0: None, -1: False}[sign] for sign in signs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Text, plots, tables, a list and subsections under one heading.

    If several sections have subsections, the page begins with links to them.
    """

    title: str
    text: tuple[Text, ...] = ()  # paragraphs above everything else
    plots: tuple[Plot, ...] = ()  # appear in HTML only
    tables: tuple[Table, ...] = ()
    items: tuple[Text, ...] = ()  # a bulleted list below the tables
    after: tuple[Text, ...] = ()  # paragraphs below the list
    sections: tuple[Section, ...] = ()
    folded: bool = False  # whether HTML hides the contents until the reader asks


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """Parts of a whole, drawn as one bar with a key."""

    label: str  # what is divided
    whole: int  # its size
    parts: tuple[tuple[str, int, str], ...]
    """Name, size, and colour (a variable of `page_style`) of every part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A report, ready to be written."""

    name: str  # as the command line knows it
    title: str  # the heading of the page
    source: Text = ""  # a paper's figure, or what was run; without the full stop
    lead: tuple[Text, ...] = ()  # what was found, in a paragraph or two
    tiles: tuple[tuple[str, str], ...] = ()  # figures to be seen first (HTML only)
    shares: Shares | None = None  # how the rows divide
    verdict: Text = ""  # on top if it has an `ErrorText`, else below
    answers: tuple[Text, ...] = ()  # sentences that answer the title
    picture: Plot | None = None  # what is to be seen first (HTML only)
    findings: tuple[Finding, ...] = ()  # statements of a paper, one by one
    sections: tuple[Section, ...] = ()  # everything else
    notes: tuple[str, ...] = ()
    """How it was run: stream, seeds, machine, and where we depart from the paper."""

    @property
    def all_sections(self) -> tuple[Section, ...]:
        """All sections, those made of notes included."""
        if not self.notes:
            return self.sections
        return (*self.sections, Section(title="How it was run", items=self.notes))

    @property
    def findings_table(self) -> Table | None:
        """The findings as a table; None if there are none."""
        if not self.findings:
            return None
        answers = {True: "yes", False: "no", None: ""}
        named = ("*claim", "*paper", "*ours", "*holds", "*criterion", "*remark")
        rows = [
            (f.claim, f.paper, f.ours, answers[f.holds], f.criterion, f.remark)
            for f in self.findings
        ]
        used = [at for at in range(len(named)) if any(row[at] for row in rows)]
        asked = "What the paper says" if 1 in used else "What was asked"
        return Table(
            name="findings",
            caption=f"{asked}, and what we see",
            columns=tuple(named[at] for at in used),
            rows=tuple(tuple(row[at] for at in used) for row in rows),
        )

    @property
    def tables(self) -> tuple[Table, ...]:
        """All tables in order, that of the findings first."""

        def within(section: Section) -> tuple[Table, ...]:
            below = (table for one in section.sections for table in within(one))
            return (*section.tables, *below)

        own = tuple(table for section in self.sections for table in within(section))
        first = self.findings_table
        return own if first is None else (first, *own)


def anchor(title: str) -> str:
    """Return the fragment by which a section is found, as GitHub derives it.

    >>> anchor("Not tested"), anchor("theorem-1.5")
    ('not-tested', 'theorem-15')
    """
    return re.sub(r"[^\w\s-]", "", title.lower()).replace(" ", "-")


def is_bad(text: Text) -> bool:
    """Whether a text reports something wrong."""
    return any(isinstance(piece, ErrorText) for piece in inlines(text))


def plain_text(piece: Inline) -> str:
    """Return the words of a piece of text, without their style.

    >>> [plain_text(one) for one in (Ref(Name("mm"), "worst-mm"), Note("7/4"), "1.75")]
    ['mm', '7/4', '1.75']
    """
    return str(piece) if isinstance(piece, str) else piece.text


def inlines(text: Text) -> tuple[Inline, ...]:
    """Return the pieces of a text."""
    return text if isinstance(text, tuple) else (text,)


def format_cell(cell: Cell) -> Text:
    """Return a cell as text for people.

    >>> [format_cell(one) for one in (12, 1.8512345, 0.000123, None)]
    ['12', '1.85', '0.000123', '–']
    """
    if cell is None:
        return "–"
    if isinstance(cell, float):
        if cell and abs(cell) < 0.1:
            return f"{cell:.3g}"
        return f"{cell:.2f}" if abs(cell) < 100 else f"{cell:.1f}"
    return str(cell) if isinstance(cell, int) else cell
