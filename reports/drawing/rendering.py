"""The drawings of `drawing.draw` as files for papers and slides: PNG and PDF.

matplotlib paints the SVG that is written here and nowhere else: rectangles, circles,
paths of straight lines, and text, moved and scaled alike along both axes, in the light
colours of `svg.STYLE`. Anything else is refused, so that no picture lacks a part.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping
from io import BytesIO
from typing import Any, NamedTuple

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.transforms import Affine2D

from .svg import STYLE

_SPACE = "{http://www.w3.org/2000/svg}"
_POINTS = 72 / 96
"""Of a pixel."""
_INCH = 96
"""Pixels of a drawing in an inch."""
_DENSITY = 192
"""Dots an inch of a PNG: two for each pixel of the drawing."""
_SILENT = {"title", "desc", "style"}
_ENDS = {"start": "left", "middle": "center", "end": "right"}
_GO, _LINE, _BEND, _CLOSE = (
    int(code) for code in (Path.MOVETO, Path.LINETO, Path.CURVE3, Path.CLOSEPOLY)
)
_CODES = {"M": _GO, "z": _CLOSE, "Z": _CLOSE}
_LOOK: dict[Any, Any] = {
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "text.parse_math": False,
}


class _Frame(NamedTuple):
    """How lengths of a group become pixels: times a scale, plus a shift."""

    scale: float = 1.0
    x: float = 0.0
    y: float = 0.0


def rendered(drawing: str, form: str) -> bytes:
    """Paint a drawing; the same drawing gives the same bytes.

    Parameters
    ----------
    drawing
        What `drawing.draw` returned.
    form
        ``png`` (two dots a pixel) or ``pdf``.

    Raises
    ------
    ValueError
        For SVG that no drawing of ours is made of.
    """
    wide, high = size_of(drawing)
    with mpl.rc_context(_LOOK):
        figure = Figure(figsize=(wide / _INCH, high / _INCH))
        paint_on(figure.add_axes((0, 0, 1, 1)), drawing)
        buffer = BytesIO()
        date: dict[str, Any] = {"CreationDate": None} if form == "pdf" else {}
        figure.savefig(buffer, format=form, dpi=_DENSITY, metadata=date)
    return buffer.getvalue()


def size_of(drawing: str) -> tuple[float, float]:
    """Return the width and the height of a drawing, in pixels."""
    root = ET.fromstring(drawing)
    return float(root.get("width", "")), float(root.get("height", ""))


def paint_on(axes: Any, drawing: str) -> None:
    """Paint a drawing on axes of matplotlib, as large as fits and in the middle.

    Lines and text are scaled with the rest, for the size that the axes have now.

    Raises
    ------
    ValueError
        For SVG that no drawing of ours is made of.
    """
    root = ET.fromstring(drawing)
    wide, high = size_of(drawing)
    room = axes.get_position()
    inches = axes.figure.get_size_inches()
    broad, tall = room.width * inches[0] * _INCH, room.height * inches[1] * _INCH
    scale = min(broad / wide, tall / high)
    if abs(scale - 1) < 1e-9:  # a figure of the drawing's own size
        scale, broad, tall = 1.0, wide, high
    frame = _Frame(scale, (broad - scale * wide) / 2, (tall - scale * high) / 2)
    rules = _rules()
    with mpl.rc_context(_LOOK):
        axes.set_axis_off()
        axes.set_xlim(0, broad)
        axes.set_ylim(tall, 0)
        for order, (element, place) in enumerate(_elements(root, frame)):
            look = rules.get(element.get("class", ""), {}) | _own(element)
            if element.tag == f"{_SPACE}text":
                _write(axes, element, place, look, order)
            else:
                _paint(axes, element, place, look, order)


def _rules() -> dict[str, dict[str, str]]:
    """Read the light half of the style: properties by class."""
    found: dict[str, dict[str, str]] = {}
    light = STYLE.partition("@media")[0]
    for names, body in re.findall(r"([^{}]+)\{([^}]*)\}", light):
        for name in names.split(","):
            found.setdefault(name.removeprefix("."), {}).update(_declared(body))
    return found


def _declared(body: str) -> dict[str, str]:
    pairs = (one.partition(":") for one in body.split(";") if one)
    return {name.strip(): value.strip() for name, _, value in pairs}


def _own(element: ET.Element) -> dict[str, str]:
    """Return what an element says of its own looks."""
    said = {name: value for name, value in element.items() if name.startswith("stroke")}
    return said | _declared(element.get("style", ""))


def _elements(group: ET.Element, frame: _Frame) -> Iterator[tuple[ET.Element, _Frame]]:
    """List what is to be painted, in order, each with its frame."""
    for element in group:
        name = element.tag.removeprefix(_SPACE)
        if name == "g":
            yield from _elements(element, _moved(frame, element.get("transform", "")))
        elif name in ("rect", "circle", "path", "text"):
            yield element, frame
        elif name not in _SILENT:
            raise ValueError(f"<{name}> is not painted here.")


def _moved(frame: _Frame, transform: str) -> _Frame:
    scale, x, y = frame
    for name, inside in re.findall(r"(\w+)\(([^)]*)\)", transform):
        numbers = [float(each) for each in inside.split()]
        if name == "translate" and len(numbers) == 2:
            x, y = x + scale * numbers[0], y + scale * numbers[1]
        elif name == "scale" and len(numbers) == 1:
            scale *= numbers[0]
        else:
            raise ValueError(f"{name}({inside}) is not painted here.")
    return _Frame(scale, x, y)


def _paint(
    axes: Any, element: ET.Element, frame: _Frame, look: Mapping[str, str], order: int
) -> None:
    """Paint a rectangle, a circle or a path."""
    fill, stroke = look.get("fill", "#000"), look.get("stroke", "none")
    dash = [float(part) for part in look.get("stroke-dasharray", "").split()]
    width = float(look.get("stroke-width", 1)) * frame.scale * _POINTS
    place = Affine2D().scale(frame.scale).translate(frame.x, frame.y)
    axes.add_patch(
        PathPatch(
            _outline(element).transformed(place),
            facecolor=fill,
            edgecolor=_tinted(stroke, look),
            linewidth=0 if stroke == "none" else width,
            linestyle=(0, [d * _POINTS / width for d in dash]) if dash else "-",
            capstyle=look.get("stroke-linecap", "butt"),
            joinstyle="miter",
            zorder=order,
            clip_on=False,
        )
    )


def _tinted(stroke: str, look: Mapping[str, str]) -> Any:
    if stroke == "none":
        return stroke
    return stroke, float(look.get("stroke-opacity", 1))


def _outline(element: ET.Element) -> Path:
    if element.tag == f"{_SPACE}circle":
        x, y, r = (_number(element, name) for name in ("cx", "cy", "r"))
        return Path.circle((x, y), r)
    if element.tag == f"{_SPACE}rect":
        x, y, w, h, r = (
            _number(element, name) for name in ("x", "y", "width", "height", "rx")
        )
        if r:
            return _rounded(x, y, w, h, min(r, w / 2, h / 2))
        return Path(
            [(x, y), (x + w, y), (x + w, y + h), (x, y + h), (x, y)], closed=True
        )
    return _lines(element.get("d", ""))


def _rounded(x: float, y: float, w: float, h: float, r: float) -> Path:
    ends = [
        ((x + r, y), (x + w - r, y), (x + w, y), (x + w, y + r)),
        ((x + w, y + r), (x + w, y + h - r), (x + w, y + h), (x + w - r, y + h)),
        ((x + w - r, y + h), (x + r, y + h), (x, y + h), (x, y + h - r)),
        ((x, y + h - r), (x, y + r), (x, y), (x + r, y)),
    ]
    places = [ends[0][0]]
    codes = [_GO]
    for _, straight, bend, end in ends:
        places += [straight, bend, end]
        codes += [_LINE, _BEND, _BEND]
    return Path([*places, places[0]], [*codes, _CLOSE])


def _lines(commands: str) -> Path:
    """Follow a path of straight lines."""
    places: list[tuple[float, float]] = []
    codes: list[int] = []
    x = y = 0.0
    first = (x, y)
    for letter, inside in re.findall(r"([A-Za-z])([^A-Za-z]*)", commands):
        numbers = [float(each) for each in inside.split()]
        if letter in "ML" and len(numbers) == 2:
            x, y = numbers
        elif letter in "hv" and len(numbers) == 1:
            x, y = (x + numbers[0], y) if letter == "h" else (x, y + numbers[0])
        elif letter in "HV" and len(numbers) == 1:
            x, y = (numbers[0], y) if letter == "H" else (x, numbers[0])
        elif letter in "zZ" and not numbers:
            x, y = first
        else:
            raise ValueError(f"{letter}{inside} is not painted here.")
        if letter == "M":
            first = (x, y)
        places.append((x, y))
        codes.append(_CODES.get(letter, _LINE))
    return Path(places, codes) if places else Path([(0.0, 0.0)])


def _number(element: ET.Element, name: str) -> float:
    return float(element.get(name, 0))


def _write(
    axes: Any, element: ET.Element, frame: _Frame, look: Mapping[str, str], order: int
) -> None:
    """Write a line of text, its baseline where it says."""
    axes.text(
        frame.x + frame.scale * _number(element, "x"),
        frame.y + frame.scale * _number(element, "y"),
        element.text or "",
        fontsize=float(element.get("font-size", 12)) * frame.scale * _POINTS,
        color=look.get("fill", "#000"),
        fontweight="bold" if "font-weight" in element.attrib else "normal",
        horizontalalignment=_ENDS[element.get("text-anchor", "start")],
        verticalalignment="baseline",
        zorder=order,
    )
