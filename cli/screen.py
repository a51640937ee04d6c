"""Where tables are printed: a terminal, or a file or pipe with room for long lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

_WIDE = 220


def screen(wide: int = _WIDE) -> Console:
    """Return the console; for files and pipes, lines are so long if need be."""
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
    return found if found.is_terminal else Screen(width=wide, markup=False, emoji=False)
