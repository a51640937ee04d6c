"""An instance, or one or two selections side by side, as a picture."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from hashlib import sha256 as digest
from html import escape

from ...instances import (
    Graph,
    InputError,
    Instance,
    KSubset,
    Points,
    ProcSet,
    Submesh,
    Sukp,
    Tree,
    Value,
    check,
    cost,
    problem_of,
)
from ...instances.problems import described
from ...instances.submesh import final_boxes, placement_of
from ..ratios.labels import paid
from .graph import graph_picture
from .grid import grid_picture
from .points import points_picture
from .procset import procset_picture
from .submesh import KEPT, MOVED, state_picture, submesh_picture
from .sukp import sukp_picture
from .svg import ACCENTS, STYLE, Picture, at, breadth, cropped, num, text
from .tree import tree_picture

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
    if not 1 <= len(selections) <= len(ACCENTS):
        raise ValueError(f"{len(selections)} selections; one or two can be drawn.")
    return _sheet(instance, selections, title)


def draw_alone(instance: Instance, *, remark: str = "") -> str:
    """Draw an instance of which nothing is chosen yet, as `draw` does.

    A submesh request is drawn beside the mesh, to scale.

    Parameters
    ----------
    instance
        What is drawn.
    remark
        A line above the picture.

    Examples
    --------
    >>> from closeknit.instances import mesh
    >>> draw_alone(mesh(2, 3, k=2)).count("chosen")
    0
    """
    return _sheet(instance, {}, "", remark)


def _sheet(
    instance: Instance,
    selections: Mapping[str, Collection[int]],
    title: str,
    remark: str = "",
) -> str:
    for name, chosen in selections.items():
        if wrong := check(instance, chosen):
            raise InputError("; ".join(wrong), field=name)
    costs = {name: cost(instance, chosen) for name, chosen in selections.items()}
    shown = [
        _picture(instance, name, selections, accent)
        for name, accent in zip(selections or [""], ACCENTS, strict=False)
    ]
    narrowest = max(_NARROWEST / len(shown), breadth(remark, 13))
    column = max(max(p.width for p in shown), narrowest)
    parts = []
    top = _HEAD + (42 if selections else 26 if remark else 4)
    if remark:
        parts.append(text(_MARGIN, _HEAD + 14, remark, size=13, bold=True))
    for i, picture in enumerate(shown):
        parts.append(at(_MARGIN + i * (column + _BETWEEN), top, picture.markup))
    for i, name in enumerate(selections):
        x = _MARGIN + i * (column + _BETWEEN)
        parts.append(text(x, _HEAD + 14, name, size=13, bold=True))
        parts.append(text(x, _HEAD + 31, _price(instance, costs[name]), size=12))
    inner = column * len(shown) + _BETWEEN * (len(shown) - 1)
    y = top + max(p.height for p in shown) + 22
    legend, y = _legend(instance, selections, inner, y)
    for note in sorted({p.note for p in shown if p.note}):
        parts.append(text(_MARGIN, y, note, size=10, faint=True))
        y += 15
    width, height = inner + 2 * _MARGIN, y + _MARGIN - 10
    heading = cropped(title or instance.name, inner, 16)
    head = text(_MARGIN, 28, heading, size=16, bold=True)
    head += text(_MARGIN, 47, described(instance), size=12, faint=True)
    spoken = "; ".join(
        f"{name}: {_price(instance, costs[name])}" for name in selections
    )
    spoken = spoken or remark
    spoken += "." if spoken else ""
    mark = _mark(instance, selections)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {num(width)} '
        f'{num(height)}" width="{num(width)}" height="{num(height)}" role="img" '
        f'aria-labelledby="{mark}-t {mark}-d">'
        f'<title id="{mark}-t">{escape(title or instance.name)}</title>'
        f'<desc id="{mark}-d">{escape(described(instance))}. {escape(spoken)}</desc>'
        f"<style>{STYLE}</style>"
        f'<rect class="ck-page" width="{num(width)}" height="{num(height)}" rx="6"/>'
        f"{head}{''.join(parts)}{legend}</svg>\n"
    )


def _picture(
    instance: Instance,
    name: str,
    selections: Mapping[str, Collection[int]],
    accent: str,
) -> Picture:
    chosen = selections.get(name, ())
    room = _ALONE if len(selections) <= 1 else _BESIDE
    if isinstance(instance, ProcSet):
        return procset_picture(instance, chosen, accent, room)
    if isinstance(instance, Submesh):
        if not selections:
            return state_picture(instance, accent, room)
        return submesh_picture(instance, chosen, accent, room)
    if isinstance(instance, Sukp):
        return sukp_picture(instance, chosen, accent, room)
    if isinstance(instance.topology, Points):
        return points_picture(instance, chosen, accent)
    own = {instance.free[i] for i in chosen}
    if isinstance(instance.topology, Graph):
        return graph_picture(instance, {v for (v,) in own}, accent)
    if isinstance(instance.topology, Tree):
        return tree_picture(instance, {v for (v,) in own}, accent)
    others = {
        instance.free[i]
        for other, choice in selections.items()
        if other != name
        for i in choice
    }
    return grid_picture(instance, own, others, accent)


def _price(instance: Instance, price: Value) -> str:
    if isinstance(instance, Sukp):
        return paid(instance, price)
    if not isinstance(price, int):
        return f"cost {';'.join(map(str, price))}"
    scale = instance.topology.scale if isinstance(instance, KSubset) else 1
    shown = f"{price:,}".replace(",", "\u202f")
    return f"cost {shown}" + (f" / {scale}" if scale > 1 else "")


def _legend(
    instance: Instance,
    selections: Mapping[str, Collection[int]],
    room: float,
    y: float,
) -> tuple[str, float]:
    submesh = isinstance(instance, Submesh)
    entries = [("ck-free", "free")]
    if isinstance(instance, Sukp):
        entries = [
            ("ck-busy", "item and its elements" + ", not taken" * bool(selections))
        ]
    elif isinstance(instance, Submesh):
        entries += _kinds(instance, selections)
    elif problem_of(instance).features(instance).locations > instance.n:
        entries.append(("ck-busy", "busy"))
    if submesh and not selections:
        entries.append((ACCENTS[0], "request"))
    words = "request, by" if submesh else "chosen by"
    entries += [
        (accent, f"{words} {name}")
        for accent, name in zip(ACCENTS, selections, strict=False)
    ]
    grid = isinstance(instance, KSubset) and not isinstance(
        instance.topology, Points | Tree | Graph
    )
    if len({frozenset(c) for c in selections.values()}) > 1 and grid:
        entries.append(("ck-dot", "dot: chosen only here"))
    parts, x = [], 0.0
    for name, label in entries:
        swatch = name != "ck-dot"
        wide = breadth(label, 11) + (30 if swatch else 14)
        if x and x + wide > room:
            x, y = 0.0, y + 18
        if swatch:
            parts.append(
                f'<rect class="{name}" x="{num(_MARGIN + x)}" y="{num(y - 9)}" '
                'width="10" height="10" rx="1.5"/>'
            )
        left = _MARGIN + x + (16 if swatch else 0)
        parts.append(text(left, y, label, size=11))
        x += wide
    return "".join(parts), y + 20


def _kinds(
    instance: Submesh, selections: Mapping[str, Collection[int]]
) -> list[tuple[str, str]]:
    """Name the colours of boxes that are there."""
    before = [one.box for one in instance.residents]
    ends = [
        final_boxes(instance, placement_of(instance, tuple(chosen)))
        for chosen in selections.values()
    ]
    kinds = []
    if any(box in after for after in ends or [before] for box in before):
        kinds.append((KEPT, "resident"))
    if any(after != before for after in ends):
        kinds.append((MOVED, "resident that moves"))
    if instance.blocked:
        kinds.append(("ck-text", "defect"))
    return kinds


def _mark(instance: Instance, selections: Mapping[str, Collection[int]]) -> str:
    """Name for ids: equal pictures may share it, others never do."""
    content = repr((instance.name, described(instance), sorted(selections.items())))
    return "ck" + digest(content.encode()).hexdigest()[:10]
