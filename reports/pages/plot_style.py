"""Style of plots: the colours of the page, axes of times, SVG."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from hashlib import sha256
from html import escape
from io import StringIO
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .document import Plot

# Colours that stand for the page's own, which are put in afterwards.
INK, FAINT, RULE, CLOUD = "#010101", "#020202", "#030303", "#040404"
A, B = "#050505", "#060606"
_NAMES = {
    INK: "ink",
    FAINT: "faint",
    RULE: "rule",
    CLOUD: "cloud",
    A: "a",
    B: "b",
}
STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "closeknit",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9,
    "axes.edgecolor": RULE,
    "axes.labelcolor": FAINT,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.8,
    "text.color": INK,
    "xtick.color": RULE,
    "ytick.color": RULE,
    "xtick.labelcolor": FAINT,
    "ytick.labelcolor": FAINT,
    "grid.color": RULE,
    "grid.linewidth": 0.5,
    "path.simplify": False,
}
_NARROW = 460
"""Plots of less than so many points are shown whole on a telephone."""


in_style = mpl.rc_context(STYLE)
"""Decorator of a function that draws and returns a plot."""


def sheet(width: float, height: float) -> tuple[Figure, Axes]:
    """Return a figure of one panel; its sides are in inches."""
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.add_subplot()


def sheets(
    width: float, height: float, rows: int, columns: int, **shared: Any
) -> tuple[Figure, Any]:
    """Return a figure and its panels; ``shared`` is passed to `Figure.subplots`."""
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots(rows, columns, **shared)


def as_plot(figure: Figure, title: str, caption: str, spoken: str = "") -> Plot:
    """Return a figure as a plot; ``spoken`` describes it if the title does not."""
    return Plot(title, caption, as_svg(figure, spoken or title))


def named_rows(axes: Axes, names: Sequence[str]) -> None:
    """Name the rows of a plot, the first on top."""
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(axis="y", length=0, labelcolor=INK)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.grid(axis="x")


def time_label(value: float, _: object) -> str:
    """Write a tick of an axis of seconds."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size * 0.999:
            return f"{value / size:g} {unit}"
    return ""


def as_svg(figure: Figure, spoken: str) -> str:
    """Return the figure as SVG to be put into a page.

    The same figure gives the same bytes. Colours become the page's variables,
    fonts the page's, ids are made unique among the figures of a page.
    """
    buffer = StringIO()
    save(
        figure,
        buffer,
        format="svg",
        transparent=True,
        dpi=200,
        metadata={"Date": None, "Creator": None, "Format": None, "Type": None},
    )
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.S)
    text = re.sub(r"<style.*?</style>\s*", "", text, flags=re.S)  # for all of a page
    text = re.sub(r"<!--.*?-->\s*", "", text, flags=re.S)
    text = re.sub(r'(?<= d=")[^"]*', lambda path: short_path(path[0]), text)
    mark = "p" + sha256(spoken.encode() + text.encode()).hexdigest()[:8]
    text = re.sub(r'\bid="', f'id="{mark}-', text)
    text = text.replace("url(#", f"url(#{mark}-").replace('href="#', f'href="#{mark}-')
    for colour, name in _NAMES.items():
        text = text.replace(colour, f"var(--{name})")
    text = re.sub(r"font-family: [^;\"]+", "font-family: inherit", text)
    text = re.sub(r"font: ([^;\"]*?px) [^;\"]+", r"font: \1 var(--sans)", text)
    frame = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', text)
    assert frame is not None
    narrow = " narrow" * (float(frame[1]) < _NARROW)
    head = (
        f'<svg class="plot{narrow}" viewBox="0 0 {frame[1]} {frame[2]}" role="img" '
        f'aria-labelledby="{mark}-t" xmlns="http://www.w3.org/2000/svg" '
        'xmlns:xlink="http://www.w3.org/1999/xlink">'
        f'<title id="{mark}-t">{escape(spoken)}</title>'
    )
    return head + text[text.index(">") + 1 :].rstrip()


def short_path(path: str) -> str:
    r"""Write a path of SVG in few characters: to a hundredth of a point.

    >>> short_path("M 81.726178 457.6 \nL 81.726178 457.6 \nL 9.001 -7.25")
    'M81.73 457.6h0L9 -7.25'
    """
    path = re.sub(r"\d+\.\d{3,}", lambda it: f"{round(float(it[0]), 2):g}", path)
    path = re.sub(r"\s*([A-Za-z])\s*", r"\1", path)
    return re.sub(r"M([^MLhz]+)L\1(?=[MLhz]|$)", r"M\1h0", path)


def save(figure: Figure, buffer: Any, **options: Any) -> None:
    """Save a figure without warnings about characters that its font lacks.

    Names come from files of others; a page sets its own fonts.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore", message="Glyph .* missing", category=UserWarning
        )
        figure.savefig(buffer, **options)
