"""Where tables are printed: a terminal, or a file or pipe with room for long lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

_WIDE = 220


def screen(wide: int = _WIDE) -> Console:
    """Return the console; for files and pipes, lines are so long if need be."""
    from rich.console import Console

    class Screen(Console):
        def on_broken_pipe(self) -> None:
            """Leave the exit status to the entry point; rich itself exits with 1."""
            raise

    found = Screen()
    return found if found.is_terminal else Screen(width=wide)
