"""Where tables are printed: a terminal, or a file or pipe with room for long lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

_WIDE = 220


def screen() -> Console:
    """Return the console; for files and pipes, lines are as long as they need be."""
    from rich.console import Console

    found = Console()
    return found if found.is_terminal else Console(width=_WIDE)
