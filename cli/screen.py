"""Where tables are printed: a terminal, or a file or pipe, 80 columns wide."""

from __future__ import annotations

import os
from collections.abc import Mapping
from textwrap import fill
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

WIDTH = 80
"""Columns of files and pipes, unless COLUMNS says otherwise."""


def table(*columns: str, right: str = "", title: str | None = None) -> Table:
    """Return a table that fits the screen: cells are wrapped at words.

    Columns are aligned on the right whose headings are in ``right``, parted by blanks.
    """
    from rich import box
    from rich.table import Table

    made = Table(
        title=title,
        title_justify="left",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        collapse_padding=True,
    )
    for name in columns:
        justify = "right" if name in right.split() else "left"
        made.add_column(name, justify=justify, overflow="fold")  # type: ignore[arg-type]
    return made


def wrapped(text: str, first: str = "", then: str | None = None) -> str:
    """Wrap a text at words, behind a beginning of its first and of its other lines."""
    return fill(
        text,
        WIDTH - 1,
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
    from rich.text import Text

    from ..instances.visible import visible

    class Screen(Console):
        """Shows names as they are: no markup in them, nothing that turns text."""

        def render_str(self, text: str, **options: Any) -> Text:
            return super().render_str(visible(text, lines=True), **options)

        def on_broken_pipe(self) -> None:
            """Leave the exit status to the entry point; rich itself exits with 1."""
            raise

    found = Screen(markup=False, emoji=False)
    if found.is_terminal:
        return found
    columns = os.environ.get("COLUMNS", "")
    wide = int(columns) if columns.isdecimal() else WIDTH
    return Screen(width=max(wide, 40), markup=False, emoji=False)
