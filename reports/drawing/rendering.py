"""Drawings as files for papers and slides: PNG and PDF, painted by matplotlib."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.patches import BoxStyle, PathPatch
from matplotlib.path import Path
from matplotlib.transforms import Affine2D

from ..pages.plot_style import save
from .shapes import PALETTE, Canvas, Circle, Label, Lines, Rect, Shape, ShapeGroup

_POINTS = 72 / 96
"""Points per pixel."""
_DENSITY = 192
"""Dots per inch of a PNG: two for each pixel of the drawing."""
_ENDS = {"start": "left", "middle": "center", "end": "right"}
_GO, _LINE, _CLOSE = (int(code) for code in (Path.MOVETO, Path.LINETO, Path.CLOSEPOLY))
_LOOK: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "text.parse_math": False,
}
_Place = tuple[float, float, float]
"""Scale and shift by which lengths of a group become pixels."""


def render(drawing: Canvas, form: str) -> bytes:
    """Paint a drawing in its light colours; equal drawings give equal bytes.

    The form is ``png`` (two dots per pixel) or ``pdf``.
    """
    with mpl.rc_context(_LOOK):
        figure = Figure(figsize=(drawing.width / 96, drawing.height / 96))
        paint(figure.add_axes((0, 0, 1, 1)), drawing)
        buffer = BytesIO()
        date: dict[str, Any] = {"CreationDate": None} if form == "pdf" else {}
        save(figure, buffer, format=form, dpi=_DENSITY, metadata=date)
    return buffer.getvalue()


def paint(axes: Any, drawing: Canvas) -> None:
    """Paint a drawing on matplotlib axes, as large as fits and in the middle.

    Lines and text are scaled with the rest, for the size that the axes have now.
    """
    room, inches = axes.get_position(), axes.figure.get_size_inches()
    wide, high = room.width * inches[0] * 96, room.height * inches[1] * 96
    scale = min(wide / drawing.width, high / drawing.height)
    if abs(scale - 1) < 1e-9:  # a figure of the drawing's own size
        scale, wide, high = 1.0, drawing.width, drawing.height
    left, top = (wide - scale * drawing.width) / 2, (high - scale * drawing.height) / 2
    axes.set_axis_off()
    axes.set_xlim(0, wide)
    axes.set_ylim(high, 0)
    for order, (shape, place) in enumerate(_flat(drawing.shapes, (scale, left, top))):
        if isinstance(shape, Label):
            _write(axes, shape, place, order)
        else:
            _patch(axes, shape, place, order)


def _flat(shapes: Iterable[Shape], place: _Place) -> Iterator[tuple[Any, _Place]]:
    """Yield shapes that are no groups, each with its place."""
    scale, x, y = place
    for shape in shapes:
        if isinstance(shape, ShapeGroup):
            inner = (scale * shape.scale, x + scale * shape.x, y + scale * shape.y)
            yield from _flat(shape.shapes, inner)
        else:
            yield shape, place


def _patch(axes: Any, shape: Lines | Rect | Circle, place: _Place, order: int) -> None:
    scale, x, y = place
    fill, stroke, *_ = PALETTE[shape.kind]
    dashes: tuple[float, ...] = ()
    opacity = 1.0
    if isinstance(shape, Rect):
        dashes, opacity, pen = shape.dashes, shape.opacity, float(shape.line)
    else:
        pen = shape.width
    width = pen * scale * _POINTS if stroke else 0.0
    axes.add_patch(
        PathPatch(
            _outline(shape).transformed(Affine2D().scale(scale).translate(x, y)),
            facecolor=fill,
            edgecolor=(stroke, opacity) if width else "none",
            linewidth=width,
            linestyle=(0, [d * _POINTS / width for d in dashes]) if dashes else "-",
            capstyle="round" if isinstance(shape, Lines) and shape.round else "butt",
            joinstyle="miter",
            zorder=order,
            clip_on=False,
        )
    )


def _outline(shape: Lines | Rect | Circle) -> Path:
    if isinstance(shape, Circle):
        return Path.circle((shape.x, shape.y), shape.r)
    if isinstance(shape, Rect):
        r = min(shape.rx, shape.width / 2, shape.height / 2)
        style = BoxStyle.Round(0, r) if r else BoxStyle.Square(0)
        return style(shape.x, shape.y, shape.width, shape.height, 1.0)
    places: list[tuple[float, float]] = []
    codes: list[int] = []
    for stroke in shape.strokes:
        places += [*stroke, stroke[0]] if shape.closed else stroke
        codes += [_GO, *[_LINE] * (len(stroke) - 1), *[_CLOSE] * shape.closed]
    return Path(places, codes)


def _write(axes: Any, label: Label, place: _Place, order: int) -> None:
    scale, x, y = place
    axes.text(
        x + scale * label.x,
        y + scale * label.y,
        label.content,
        fontsize=label.size * scale * _POINTS,
        color=PALETTE[label.kind][0],
        fontweight="bold" if label.bold else "normal",
        horizontalalignment=_ENDS[label.anchor],
        verticalalignment="baseline",
        zorder=order,
    )
