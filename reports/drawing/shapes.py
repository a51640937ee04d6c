"""What pictures are made of, and how it is written as SVG, for light and dark pages.

`rendering` paints the same shapes with matplotlib.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from html import escape

# Of each kind of shape, fill and stroke on a light page, then on a dark one. Okabe and
# Ito's blue and vermilion (sky blue and orange on dark) are the accents.
PALETTE = {
    "ck-page": ("#fff", "", "#14191f", ""),
    "ck-text": ("#1d2731", "", "#e3e8ee", ""),
    "ck-faint": ("#5c6975", "", "#98a5b3", ""),
    "ck-free": ("#e6ebf0", "#e6ebf0", "#2c3742", "#2c3742"),
    "ck-busy": ("#a3adb7", "#a3adb7", "#66737f", "#66737f"),
    "ck-a": ("#0072b2", "#0072b2", "#56b4e9", "#56b4e9"),
    "ck-b": ("#d55e00", "#d55e00", "#f0a202", "#f0a202"),
    "ck-dot": ("#fff", "#fff", "#14191f", "#14191f"),
    "ck-grid": ("none", "#fff", "none", "#14191f"),
    "ck-edge": ("none", "#7b8794", "none", "#8794a1"),
    "ck-arrow": ("none", "#1d2731", "none", "#e3e8ee"),
}
ACCENTS = ("ck-a", "ck-b")
"""Kinds of the first and the second selection."""


def _rules(offset: int) -> str:
    def rule(fill: str, stroke: str) -> str:
        return f"fill:{fill}" + f";stroke:{stroke}" * bool(stroke)

    return "".join(
        f".{kind}{{{rule(*colours[offset : offset + 2])}}}"
        for kind, colours in PALETTE.items()
    )


STYLE = (
    f"{_rules(0)}.ck-text,.ck-faint{{font-family:system-ui,-apple-system,'Segoe UI',"
    "Roboto,'Helvetica Neue',Arial,sans-serif}"
    f"@media screen and (prefers-color-scheme:dark){{{_rules(2)}}}"
)
"""The style sheet of every picture."""

Point = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """Strokes, each from point to point; closed ones are filled.

    ``width`` is that of the line, 0 for none.
    """

    kind: str
    strokes: Sequence[Sequence[Point]]
    closed: bool = False
    width: float = 1.0
    round: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Rect:
    """A rectangle, perhaps with round corners; ``line``: whether it has an edge."""

    kind: str
    x: float = 0.0
    y: float = 0.0
    width: float
    height: float
    rx: float = 0.0
    line: bool = True
    dashes: tuple[float, ...] = ()
    opacity: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Circle:
    """A circle; ``width`` is that of its edge."""

    kind: str
    x: float
    y: float
    r: float
    width: float = 1.0


@dataclass(frozen=True, slots=True)
class Label:
    """One line of text with its baseline at y."""

    x: float
    y: float
    content: str
    _: KW_ONLY
    size: float = 12
    anchor: str = "start"
    faint: bool = False
    bold: bool = False

    @property
    def kind(self) -> str:
        """The kind of shape that it is drawn as."""
        return "ck-faint" if self.faint else "ck-text"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeGroup:
    """Shapes moved to a place, and scaled before that."""

    x: float = 0.0
    y: float = 0.0
    scale: float = 1.0
    shapes: Sequence[Shape]


Shape = Lines | Rect | Circle | Label | ShapeGroup


@dataclass(frozen=True, slots=True)
class Picture:
    """Shapes and the room they take, in pixels."""

    width: float
    height: float
    shapes: Sequence[Shape]
    note: str = ""
    """What the picture does not show, for the caption."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Canvas:
    """A finished picture, of a size in pixels; shapes are painted in their order."""

    width: float
    height: float
    title: str
    description: str  # alternative text, as the title is
    mark: str  # prefix of ids; equal drawings may share it
    shapes: Sequence[Shape]

    @property
    def svg(self) -> str:
        """The drawing as standalone SVG."""
        wide, high = num(self.width), num(self.height)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" '
            f'width="{wide}" height="{high}" role="img" '
            f'aria-labelledby="{self.mark}-t {self.mark}-d">'
            f'<title id="{self.mark}-t">{escape(self.title)}</title>'
            f'<desc id="{self.mark}-d">{escape(self.description)}</desc>'
            f"<style>{STYLE}</style>{svg_of(self.shapes)}</svg>\n"
        )


def svg_of(shapes: Iterable[Shape]) -> str:
    """Write shapes as SVG elements.

    >>> svg_of([at(3, 4, Rect(kind="ck-free", width=2, height=1.5))])
    '<g transform="translate(3 4)"><rect class="ck-free" width="2" height="1.5"/></g>'
    """
    return "".join(map(_element, shapes))


def _element(shape: Shape) -> str:
    match shape:
        case ShapeGroup():
            moved = f"translate({num(shape.x)} {num(shape.y)})"
            parts = [moved] * bool(shape.x or shape.y or shape.scale == 1)
            parts += [f"scale({num(shape.scale)})"] * (shape.scale != 1)
            return f'<g transform="{" ".join(parts)}">{svg_of(shape.shapes)}</g>'
        case Rect():
            style = "" if shape.line else "stroke:none"
            dashes = " ".join(map(num, shape.dashes))
            return _tag(
                "rect",
                {
                    **{"class": shape.kind, "style": style},
                    **{"x": _unless(0, shape.x), "y": _unless(0, shape.y)},
                    **{"width": num(shape.width), "height": num(shape.height)},
                    **{"rx": _unless(0, shape.rx), "stroke-dasharray": dashes},
                    "stroke-opacity": _unless(1, shape.opacity),
                },
            )
        case Circle():
            place = {"cx": num(shape.x), "cy": num(shape.y), "r": num(shape.r)}
            return _tag("circle", {"class": shape.kind, **place, **_pen(shape.width)})
        case Lines():
            path = "".join(_stroke(one, shape.closed) for one in shape.strokes)
            cap = {"stroke-linecap": "round" if shape.round else ""}
            about = {"class": shape.kind, "d": path, **_pen(shape.width), **cap}
            return _tag("path", about)
    weight = ' font-weight="600"' if shape.bold else ""
    place_ = f' text-anchor="{shape.anchor}"' if shape.anchor != "start" else ""
    return (
        f'<text class="{shape.kind}" x="{num(shape.x)}" y="{num(shape.y)}" '
        f'font-size="{num(shape.size)}"{place_}{weight}>{escape(shape.content)}</text>'
    )


def _tag(name: str, attributes: dict[str, str]) -> str:
    written = "".join(f' {key}="{value}"' for key, value in attributes.items() if value)
    return f"<{name}{written}/>"


def _unless(default: float, length: float) -> str:
    return "" if length == default else num(length)


def _pen(width: float) -> dict[str, str]:
    if not width:
        return {"style": "stroke:none"}
    return {"stroke-width": _unless(1, width)}


def _stroke(points: Sequence[Point], closed: bool) -> str:
    """Write a stroke; level and upright lines by their lengths."""
    (x, y), *others = points
    parts = [f"M{num(x)} {num(y)}"]
    for to_x, to_y in others:
        if to_y == y:
            parts.append(f"h{num(to_x - x)}")
        elif to_x == x:
            parts.append(f"v{num(to_y - y)}")
        else:
            parts.append(f"L{num(to_x)} {num(to_y)}")
        x, y = to_x, to_y
    return "".join(parts) + "z" * closed


def at(x: float, y: float, *shapes: Shape, scale: float = 1.0) -> ShapeGroup:
    """Move shapes to a place."""
    return ShapeGroup(x=x, y=y, scale=scale, shapes=shapes)


def box(x: float, y: float, wide: float, high: float) -> list[Point]:
    """Return the corners of a rectangle, as one stroke of closed `Lines`."""
    return [(x, y), (x + wide, y), (x + wide, y + high), (x, y + high)]


def boxes(runs: dict[str, list[list[Point]]]) -> list[Shape]:
    """Fill rectangles without edges, one shape per kind."""
    return [
        Lines(kind=kind, strokes=run, closed=True, width=0)
        for kind, run in runs.items()
        if run
    ]


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


def crop(content: str, width: float, size: float = 12) -> str:
    """Shorten a text that would not fit a width."""
    room = int(width / breadth("x", size))
    return content if len(content) <= room else content[: max(1, room - 1)] + "…"
