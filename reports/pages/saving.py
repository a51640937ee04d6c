"""Saving of matplotlib figures."""

from __future__ import annotations

import warnings
from typing import Any

from matplotlib.figure import Figure


def save(figure: Figure, buffer: Any, **options: Any) -> None:
    """Save a figure without warnings about characters that its font lacks.

    Names come from files of others; a page sets its own fonts.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore", message="Glyph .* missing", category=UserWarning
        )
        figure.savefig(buffer, **options)
