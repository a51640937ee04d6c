"""Pieces of hand-written SVG: text, lengths, one palette for light and dark."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

STYLE = (
    ".ck-page{fill:#fff}.ck-text{fill:#1d2731}.ck-faint{fill:#5c6975}"
    ".ck-text,.ck-faint{font-family:system-ui,-apple-system,'Segoe UI',Roboto,"
    "'Helvetica Neue',Arial,sans-serif}"
    ".ck-free{fill:#e6ebf0;stroke:#e6ebf0}.ck-busy{fill:#a3adb7;stroke:#a3adb7}"
    ".ck-a{fill:#0072b2;stroke:#0072b2}.ck-b{fill:#d55e00;stroke:#d55e00}"
    ".ck-grid{stroke:#fff;fill:none}.ck-dot{stroke:#fff;fill:#fff}"
    ".ck-edge{stroke:#7b8794;fill:none}.ck-arrow{stroke:#1d2731;fill:none}"
    ".ck-line{fill:none}"
    "@media screen and (prefers-color-scheme:dark){"
    ".ck-page{fill:#14191f}.ck-text{fill:#e3e8ee}.ck-faint{fill:#98a5b3}"
    ".ck-free{fill:#2c3742;stroke:#2c3742}.ck-busy{fill:#66737f;stroke:#66737f}"
    ".ck-a{fill:#56b4e9;stroke:#56b4e9}.ck-b{fill:#f0a202;stroke:#f0a202}"
    ".ck-grid{stroke:#14191f}.ck-dot{stroke:#14191f;fill:#14191f}"
    ".ck-edge{stroke:#8794a1}.ck-arrow{stroke:#e3e8ee}.ck-line{fill:none}}"
)
"""Okabe and Ito's blue and vermilion (sky blue and orange on dark)."""

ACCENTS = ("ck-a", "ck-b")
"""Classes of the first and the second selection."""


@dataclass(frozen=True, slots=True)
class Picture:
    """Markup and the room it takes, in pixels."""

    width: float
    height: float
    markup: str
    note: str = ""
    """What the picture does not show, for the caption."""


def text(
    x: float,
    y: float,
    content: str,
    *,
    size: float = 12,
    anchor: str = "start",
    faint: bool = False,
    bold: bool = False,
) -> str:
    """One line of text with its baseline at y."""
    weight = ' font-weight="600"' if bold else ""
    place = f' text-anchor="{anchor}"' if anchor != "start" else ""
    return (
        f'<text class="{"ck-faint" if faint else "ck-text"}" x="{num(x)}" '
        f'y="{num(y)}" font-size="{num(size)}"{place}{weight}>{escape(content)}</text>'
    )


def at(x: float, y: float, markup: str) -> str:
    """Move markup to a place."""
    return f'<g transform="translate({num(x)} {num(y)})">{markup}</g>'


def num(x: float) -> str:
    """Write a length with at most two decimals.

    >>> num(3.0), num(2.346), num(-0.001)
    ('3', '2.35', '0')
    """
    shown = f"{x:.2f}".rstrip("0").rstrip(".")
    return "0" if shown == "-0" else shown


def breadth(content: str, size: float = 12) -> float:
    """Estimate how wide a text is set; generous, fonts differ."""
    return 0.58 * size * len(content)


def cropped(content: str, width: float, size: float = 12) -> str:
    """Shorten a text that would not fit a width."""
    room = int(width / breadth("x", size))
    return content if len(content) <= room else content[: max(1, room - 1)] + "…"
