"""Where tables are printed: a terminal, or a file or pipe, 80 columns wide."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console, JustifyMethod
    from rich.text import Text

WIDTH = 80
"""Columns of files and pipes, unless COLUMNS says otherwise."""
_GAP = 2
"""Blanks between columns."""
_WORD = 22
"""Letters of a word that are not broken; the longest name of a method has 21."""


def print_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[str | Text]],
    *,
    right: Collection[str] = (),
    drop: Sequence[str] = (),
    title: str | None = None,
) -> None:
    """Print a table that fits the screen.

    Text is wrapped at words, headings too. Cells of the columns ``right`` are numbers,
    which are not broken: while the table is too wide, the columns ``drop`` are left
    out, the first of them first, and named below.
    """
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    rows = list(rows)
    console = screen()
    shown = list(range(len(columns)))
    numbers = [name in right for name in columns]
    least, most = [], []
    for i, name in enumerate(columns):
        cells = _widths((str(row[i]) for row in rows), number=numbers[i])
        widest = [*map(max, cells, _widths([name], number=False))]
        least.append(widest[0])
        most.append(widest[1])
    for name in drop:
        if sum(least[i] + _GAP for i in shown) - _GAP > console.width:
            shown = [i for i in shown if columns[i] != name]
    spare = console.width + _GAP - sum(least[i] + _GAP for i in shown)
    widths = dict(zip(range(len(columns)), least, strict=True))
    while spare < 0 and (
        texts := [i for i in shown if widths[i] > 1 and not numbers[i]]
    ):
        widths[max(texts, key=lambda i: widths[i])] -= 1  # its words are broken
        spare += 1
    spare = max(0, spare)
    for i in sorted(shown, key=lambda i: not numbers[i]):
        widths[i] += min(spare, most[i] - least[i])
        spare -= widths[i] - least[i]
    made = Table(
        title=title,
        title_justify="left",
        box=SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        collapse_padding=True,
    )
    for i in shown:
        side: JustifyMethod = "right" if numbers[i] else "left"
        made.add_column(columns[i], justify=side, overflow="fold", width=widths[i])
    for row in rows:
        made.add_row(*(row[i] for i in shown))
    console.print(made)
    if len(shown) < len(columns):
        names = ", ".join(name for i, name in enumerate(columns) if i not in shown)
        print(wrap_text(f"not shown, for lack of width: {names}", width=console.width))


def _widths(cells: Iterable[str], *, number: bool) -> tuple[int, int]:
    """Return the least width of a column, and that in which no line is wrapped."""
    from rich.cells import cell_len

    lines = [line for cell in cells for line in cell.split("\n")]
    if number:  # numbers and their units are not broken, levels stand one by one
        parts = [
            part for line in lines for part in line.replace("; ", ";\n").split("\n")
        ]
    else:
        parts = [word[:_WORD] for line in lines for word in line.split()]
    return max(map(cell_len, parts), default=0), max(map(cell_len, lines), default=0)


def wrap_text(
    text: str, first: str = "", then: str | None = None, width: int = WIDTH - 1
) -> str:
    """Wrap a text at words, with a prefix of its first and one of its other lines."""
    return fill(
        text,
        width,
        initial_indent=first,
        subsequent_indent=first if then is None else then,
        break_on_hyphens=False,
        break_long_words=False,
    )


def print_measures(measures: Mapping[str, float | bool | str | None]) -> None:
    """Print one measure on each line."""
    wide = max(map(len, measures))
    for name, value in measures.items():
        shown = "-" if value is None else str(value)
        if isinstance(value, bool):
            shown = "yes" if value else "no"
        elif isinstance(value, float):
            shown = f"{value:.2f}"
        print(f"{name:{wide}}  {shown}")


def screen() -> Console:
    """Return the console."""
    from rich.console import Console

    from ...instances.escape_hidden import escape_hidden

    class Screen(Console):
        """Shows names as they are: no markup in them, nothing that turns text.

        Lines end without blanks where they are no terminal's.
        """

        def render_str(self, text: str, **options: Any) -> Text:
            return super().render_str(escape_hidden(text, lines=True), **options)

        def print(self, *objects: Any, **options: Any) -> None:
            if self.is_terminal:
                super().print(*objects, **options)
                return
            with self.capture() as made:
                super().print(*objects, **options)
            print("\n".join(map(str.rstrip, made.get().split("\n"))), end="")

        def on_broken_pipe(self) -> None:
            """Leave the exit status to the entry point; rich itself exits with 1."""
            raise

    found = Screen(markup=False, emoji=False)
    if found.is_terminal:
        return found
    columns = os.environ.get("COLUMNS", "")
    wide = int(columns) if columns.isdecimal() else WIDTH
    return Screen(width=max(wide, 40), markup=False, emoji=False)
