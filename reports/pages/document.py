"""A paper's table or figure beside ours: what a reproduction has to say."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..ratios.plots import Plot

Cell = str | int | float | None
"""What stands in a table; floats are written with as many digits as they deserve."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of numbers.

    Parameters
    ----------
    name
        Of its CSV file, without the ending.
    caption
        What it shows.
    columns
        Heads; text columns begin with ``*``.
    rows
        As many cells as heads each.
    """

    name: str
    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def __post_init__(self) -> None:
        assert all(len(row) == len(self.columns) for row in self.rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One statement of the paper, and what became of it.

    Parameters
    ----------
    claim
        What the paper says, in our words.
    paper, ours
        Its figure and ours.
    holds
        Whether it does; None where it is a matter of degree.
    criterion
        What is compared, how far off it may be, and how far it is; wherever it is
        said whether it holds.
    remark
        Why not, or how nearly.
    """

    claim: str
    paper: str
    ours: str
    holds: bool | None = None
    criterion: str = ""
    remark: str = ""

    def __post_init__(self) -> None:
        assert self.criterion or self.holds is None, self.claim


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Text, tables and pictures under one heading."""

    title: str
    text: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    plots: tuple[Plot, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A reproduction, ready to be printed.

    Parameters
    ----------
    name
        As the command line knows it.
    title
        What it is about.
    source
        Paper, section, figure.
    lead
        What came out, in a paragraph or two.
    findings
        The paper's statements, one by one.
    sections
        The rest.
    notes
        How it was run: stream, seeds, machine, what is ours and not the paper's.
    """

    name: str
    title: str
    source: str
    lead: tuple[str, ...]
    findings: tuple[Finding, ...] = ()
    sections: tuple[Section, ...] = ()
    notes: tuple[str, ...] = field(default=())

    @property
    def tables(self) -> tuple[Table, ...]:
        """All tables, that of the findings first."""
        own = tuple(table for section in self.sections for table in section.tables)
        if not self.findings:
            return own
        heads = ("*claim", "*paper", "*ours", "*holds", "*criterion", "*remark")
        rows = tuple(
            (f.claim, f.paper, f.ours, verdict(f.holds), f.criterion, f.remark)
            for f in self.findings
        )
        first = Table(
            name="findings",
            caption="What the paper says, and what we see",
            columns=heads,
            rows=rows,
        )
        return (first, *own)


def verdict(holds: bool | None) -> str:
    """Write whether a statement holds.

    >>> verdict(True), verdict(False), verdict(None)
    ('yes', 'no', '')
    """
    return {True: "yes", False: "no", None: ""}[holds]


def written(cell: Cell) -> str:
    """Write a cell for people.

    >>> written(12), written(1.8512345), written(0.000123), written(None)
    ('12', '1.85', '0.000123', '–')
    """
    if cell is None:
        return "–"
    if isinstance(cell, float):
        if cell and abs(cell) < 0.1:
            return f"{cell:.3g}"
        return f"{cell:.2f}" if abs(cell) < 100 else f"{cell:.1f}"
    return str(cell)
