"""An instance, or one or two selections side by side, as a picture."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from hashlib import sha256 as digest

from ...instances import InputError, Instance, Value, check, cost
from ...instances.support import describe
from .problems import format_cost, labels_of
from .shapes import ACCENTS, Canvas, Label, Rect, Shape, at, breadth, crop

_MARGIN = 18
_BETWEEN = 34
_HEAD = 62
_NARROWEST = 300
_ALONE = 760
_BESIDE = 380


def draw(
    instance: Instance,
    selections: Mapping[str, Collection[int]],
    *,
    title: str = "",
) -> str:
    """Draw selections as a standalone SVG with title, costs and legend.

    Meshes and tori have the first coordinate downwards and the second to the
    right (further axes: layers), points the first to the right and the second
    upwards. With two selections, a dot marks what only one of them chose. Of
    processor sets, processors are drawn host by host, and the sets opened as bars. Of
    submeshes, the mesh is drawn before and after, with an arrow for every move; of
    knapsacks, items across and elements down.

    Parameters
    ----------
    instance
        Whose processors are chosen from.
    selections
        One or two choices (indices), by the name written above them.
    title
        First line; the name of the instance if left out.

    Raises
    ------
    InputError
        When a selection is not valid for the instance.
    ValueError
        When there is no selection, or more than two.

    Examples
    --------
    >>> from closeknit.instances import mesh
    >>> draw(mesh(2, 3, k=2), {"mm": [0, 1]})[:4]
    '<svg'
    """
    if not selections:
        raise ValueError("no selection; one or two can be drawn.")
    return drawing_of(instance, selections, title=title).svg


def drawing_of(
    instance: Instance,
    selections: Mapping[str, Collection[int]],
    *,
    title: str = "",
    remark: str = "",
) -> Canvas:
    """Return the drawing that `draw` writes as SVG, also one where nothing is chosen.

    A submesh request of which nothing is chosen is drawn next to the mesh, to scale;
    the remark is a line above the picture.

    Raises
    ------
    InputError
        When a selection is not valid for the instance.
    ValueError
        When there are more than two selections.
    """
    if len(selections) > len(ACCENTS):
        raise ValueError(f"{len(selections)} selections; one or two can be drawn.")
    for name, chosen in selections.items():
        if wrong := check(instance, chosen):
            raise InputError("; ".join(wrong), name)
    labels = labels_of(instance)
    costs = {
        name: _price(instance, cost(instance, chosen))
        for name, chosen in selections.items()
    }
    room = _ALONE if len(selections) <= 1 else _BESIDE
    shown = [
        labels.picture(instance, name, selections, accent, room)
        for name, accent in zip(selections or [""], ACCENTS, strict=False)
    ]
    narrowest = max(_NARROWEST / len(shown), breadth(remark, 13))
    column = max(max(p.width for p in shown), narrowest)
    shapes: list[Shape] = []
    top = _HEAD + (42 if selections else 26 if remark else 4)
    if remark:
        shapes.append(Label(_MARGIN, _HEAD + 14, remark, size=13, bold=True))
    for i, picture in enumerate(shown):
        shapes.append(at(_MARGIN + i * (column + _BETWEEN), top, *picture.shapes))
    for i, name in enumerate(selections):
        x = _MARGIN + i * (column + _BETWEEN)
        shapes.append(Label(x, _HEAD + 14, name, size=13, bold=True))
        shapes.append(Label(x, _HEAD + 31, costs[name], size=12))
    inner = column * len(shown) + _BETWEEN * (len(shown) - 1)
    y = top + max(p.height for p in shown) + 22
    y = _add_legend(shapes, instance, selections, inner, y)
    for note in sorted({p.note for p in shown if p.note}):
        shapes.append(Label(_MARGIN, y, note, size=10, faint=True))
        y += 15
    width, height = inner + 2 * _MARGIN, y + _MARGIN - 10
    title = title or instance.name
    about = describe(instance)
    spoken = "; ".join(f"{name}: {price}" for name, price in costs.items()) or remark
    return Canvas(
        width=width,
        height=height,
        title=title,
        description=f"{about}. {spoken}{'.' if spoken else ''}",
        mark=_mark(instance, selections),
        shapes=[
            Rect(kind="ck-page", width=width, height=height, rx=6),
            Label(_MARGIN, 28, crop(title, inner, 16), size=16, bold=True),
            Label(_MARGIN, 47, about, size=12, faint=True),
            *shapes,
        ],
    )


def _price(instance: Instance, value: Value) -> str:
    scale = labels_of(instance).scale(instance)
    shown = format_cost(instance, value)
    shown = shown if shown.startswith("profit") else f"cost {shown}"
    return shown + f" / {scale}" * (scale > 1)


def _add_legend(
    shapes: list[Shape],
    instance: Instance,
    selections: Mapping[str, Collection[int]],
    room: float,
    y: float,
) -> float:
    """Add the legend to the shapes; return where the next line goes."""
    labels = labels_of(instance)
    entries = labels.kinds(instance, selections)
    entries += [
        (accent, f"{labels.chosen} {name}")
        for accent, name in zip(ACCENTS, selections, strict=False)
    ]
    differ = len({frozenset(chosen) for chosen in selections.values()}) > 1
    if differ and labels.has_dots(instance):
        entries.append(("ck-dot", "dot: chosen only here"))
    x = 0.0
    for kind, label in entries:
        swatch = kind != "ck-dot"
        wide = breadth(label, 11) + (30 if swatch else 14)
        if x and x + wide > room:
            x, y = 0.0, y + 18
        left = _MARGIN + x
        if swatch:
            shapes.append(Rect(kind=kind, x=left, y=y - 9, width=10, height=10, rx=1.5))
        shapes.append(Label(left + 16 * swatch, y, label, size=11))
        x += wide
    return y + 20


def _mark(instance: Instance, selections: Mapping[str, Collection[int]]) -> str:
    """Return a prefix of ids that only equal pictures share."""
    content = repr((instance.name, describe(instance), sorted(selections.items())))
    return "ck" + digest(content.encode()).hexdigest()[:10]
