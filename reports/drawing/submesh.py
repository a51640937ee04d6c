"""A mesh with its residents, before and after a request: who moves where."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product
from math import hypot

from ...instances import Submesh
from ...instances.submesh import Box, corner, final_boxes, placement_of, sides
from .shapes import ACCENTS, Label, Lines, Picture, Point, Rect, Shape, at, breadth

_LARGEST_CELL = 22.0
_TALLEST = 560.0
_BETWEEN = 26.0
_CAPTION = 18.0
_LABEL = 9.0
_HEAD = 6.0

_PINNED = "outlined residents must stay"

KEPT, MOVED = "ck-busy", "ck-b"
"""Classes of residents that stay and of those that move."""


def submesh_picture(
    instance: Submesh, chosen: Collection[int], accent: str, room: float
) -> Picture:
    """Draw a placement: before with arrows, and after; one panel if no resident moves.

    The first coordinate runs to the right and the second downwards, as in the paper
    of Morgenstern 1994; further coordinates are layers, side by side. If nothing is
    chosen, the request is drawn next to the mesh, to scale.
    """
    if not chosen:
        return _alone(instance, accent, room)
    placement = placement_of(instance, tuple(chosen))
    before = [one.box for one in instance.residents]
    after = final_boxes(instance, placement)
    moved = {i for i, box in enumerate(after) if box != before[i]}
    layers = _layers(instance)
    cell = _cell(instance, layers if instance.d == 3 else 1 + bool(moved), room)
    last = _panels(instance, after, moved, cell, (placement.at, accent))
    if not moved:
        return last
    first = _panels(instance, before, moved, cell)
    flat = layers == 1
    arrows = _arrows(instance, before, placement.moves, cell) if flat else []
    notes = ["arrows are drawn in two dimensions only"] * (not flat)
    notes += [_PINNED] * any(one.fixed for one in instance.residents)
    x, y = first.width + _BETWEEN, 0.0
    if not flat:
        x, y = 0.0, first.height + _CAPTION + _BETWEEN / 2
    tail = Label(0, 11, "after", size=11, faint=True)
    shapes: list[Shape] = [
        Label(0, 11, "before", size=11, faint=True),
        at(0, _CAPTION, *first.shapes, *arrows),
        at(x, y, tail, at(0, _CAPTION, *last.shapes)),
    ]
    return Picture(x + last.width, y + last.height + _CAPTION, shapes, "; ".join(notes))


def submesh_kinds(
    instance: Submesh, selections: Mapping[str, Collection[int]]
) -> list[tuple[str, str]]:
    """List the kinds of boxes that are drawn, apart from granted requests."""
    before = [one.box for one in instance.residents]
    ends = [
        final_boxes(instance, placement_of(instance, tuple(chosen)))
        for chosen in selections.values()
    ]
    kinds = [("ck-free", "free")]
    if any(box in after for after in ends or [before] for box in before):
        kinds.append((KEPT, "resident"))
    if any(after != before for after in ends):
        kinds.append((MOVED, "resident that moves"))
    if instance.blocked:
        kinds.append(("ck-text", "defect"))
    if not selections:
        kinds.append((ACCENTS[0], "request"))
    return kinds


def _alone(instance: Submesh, accent: str, room: float) -> Picture:
    """Draw the residents where they are, and the request next to them, to scale."""
    wide, high = instance.request[:2]
    beside = max(wide, 4 * _LABEL / _LARGEST_CELL) / instance.shape[0]
    cell = _cell(instance, _layers(instance) + beside, room)
    boxes = [one.box for one in instance.residents]
    panels = _panels(instance, boxes, (), cell)
    written = "x".join(map(str, instance.request))
    notes = ["the request may be turned"] * instance.rotate
    notes += ["residents must not be moved"] * (not instance.migrate)
    notes += [_PINNED] * any(one.fixed for one in instance.residents)
    request = _block(0, _CAPTION, wide * cell, high * cell, cell, accent)
    label = Label(0, 11, written, size=11, faint=True)
    left = panels.width + _BETWEEN
    return Picture(
        left + max(wide * cell, breadth(written, 11)),
        max(panels.height, _CAPTION + high * cell),
        [*panels.shapes, at(left, 0, label, request)],
        "; ".join(notes),
    )


def _layers(instance: Submesh) -> int:
    return instance.shape[2] if instance.d == 3 else 1


def _cell(instance: Submesh, beside: float, room: float) -> float:
    """Return the side of a processor where so many meshes lie side by side."""
    wide = (room - _BETWEEN * (beside - 1)) / beside
    fits = min(wide / instance.shape[0], _TALLEST / instance.shape[1])
    return max(1.0, min(_LARGEST_CELL, fits))


def _panels(
    instance: Submesh,
    boxes: Sequence[Box],
    moved: Collection[int],
    cell: float,
    request: tuple[Box, str] | None = None,
) -> Picture:
    """Draw all layers side by side."""
    width, height = (side * cell for side in instance.shape[:2])
    layers = _layers(instance)
    shown = []
    for layer in range(layers):
        parts: list[Shape] = [Rect(kind="ck-free", width=width, height=height)]
        for i, box in enumerate(boxes):
            kind = MOVED if i in moved else KEPT
            parts += _draw_box(instance, box, layer, cell, kind, str(i))
            if instance.residents[i].fixed:
                parts += _outline(instance, box, layer, cell)
        if request is not None:
            parts += _draw_box(instance, request[0], layer, cell, request[1], "")
        for single in instance.blocked:
            box = (*single, *single)
            parts += _draw_box(instance, box, layer, cell, "ck-text", "")
        shown.append(at(layer * (width + _BETWEEN), 0, *parts))
    return Picture(layers * width + (layers - 1) * _BETWEEN, height, shown)


def _draw_box(
    instance: Submesh, box: Box, layer: int, cell: float, kind: str, label: str
) -> Iterator[Shape]:
    """Draw the parts of a box that lie in a layer; on a torus there may be several."""
    for low, length in _parts(instance, box, layer):
        x, y, wide, high = (z * cell for z in (*low, *length))
        yield _block(x, y, wide, high, cell, kind)
        if label and wide > _LABEL * (len(label) + 0.5) and high > _LABEL + 3:
            yield Label(x + 0.35 * _LABEL, y + 1.25 * _LABEL, label, size=_LABEL)


def _block(
    x: float, y: float, wide: float, high: float, cell: float, kind: str
) -> Rect:
    """Return a box with a gap around it and round corners."""
    gap = min(1.0, cell / 6)
    return Rect(
        kind=kind,
        x=x + gap / 2,
        y=y + gap / 2,
        width=wide - gap,
        height=high - gap,
        rx=min(2.0, cell / 4),
        line=False,
    )


def _outline(instance: Submesh, box: Box, layer: int, cell: float) -> Iterator[Shape]:
    """Draw the outline of a resident that must stay."""
    for low, length in _parts(instance, box, layer):
        x, y, wide, high = (z * cell for z in (*low, *length))
        inner = max(wide - 4, 0.5), max(high - 4, 0.5)
        yield Rect(kind="ck-edge", x=x + 2, y=y + 2, width=inner[0], height=inner[1])


def _parts(
    instance: Submesh, box: Box, layer: int
) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Cut a box where it wraps round; corners and sides in the plane of a layer."""
    cuts = []
    for low, length, side in zip(corner(box), sides(box), instance.shape, strict=True):
        inside = min(length, side - low)
        pieces = [(low, inside)]
        if length > inside:
            pieces.append((0, length - inside))
        cuts.append(pieces)
    if instance.d == 3 and not any(z <= layer < z + n for z, n in cuts[2]):
        return []
    return [((x, y), (w, h)) for (x, w), (y, h) in product(*cuts[:2])]


def _arrows(
    instance: Submesh,
    boxes: Sequence[Box],
    moves: Sequence[tuple[int, Box]],
    cell: float,
) -> list[Shape]:
    """Draw every move from middle to middle, in order."""
    now = list(boxes)
    shapes: list[Shape] = []
    for i, box in moves:
        x, y = _middle(instance, now[i], cell)
        to_x, to_y = _middle(instance, box, cell)
        now[i] = box
        far = hypot(to_x - x, to_y - y)
        if far < 1:
            continue
        u, v = _HEAD * (to_x - x) / far, _HEAD * (to_y - y) / far
        strokes: list[list[Point]] = [
            [(x, y), (to_x, to_y)],
            [(to_x - u - v / 2, to_y - v + u / 2), (to_x, to_y)],
            [(to_x - u + v / 2, to_y - v - u / 2), (to_x, to_y)],
        ]
        shapes.append(Lines(kind="ck-grid", strokes=strokes, width=4))
        shapes.append(Lines(kind="ck-arrow", strokes=strokes, width=1.6))
    return shapes


def _middle(instance: Submesh, box: Box, cell: float) -> tuple[float, float]:
    """Return the middle of a box; on a torus, brought back into the mesh."""
    x, y = (
        ((low + length / 2) % side) * cell
        for low, length, side in zip(
            corner(box)[:2], sides(box)[:2], instance.shape[:2], strict=True
        )
    )
    return x, y
