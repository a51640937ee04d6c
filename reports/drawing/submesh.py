"""A mesh with its residents, before and after a request: who moves where."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import product
from math import hypot

from ...instances import Submesh
from ...instances.submesh import Box, corner, final_boxes, placement_of, sides
from .svg import Picture, at, breadth, num, text

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
    """Draw a placement: before with arrows, and after; one panel if nobody moves.

    The first coordinate runs to the right and the second downwards, as in the paper
    of Morgenstern 1994; further coordinates are layers, side by side.

    Parameters
    ----------
    instance
        The mesh and its residents.
    chosen
        The placement, as integers.
    accent
        Class of the request.
    room
        Width to be used, in pixels.
    """
    placement = placement_of(instance, tuple(chosen))
    before = [one.box for one in instance.residents]
    after = final_boxes(instance, placement)
    moved = {i for i, box in enumerate(after) if box != before[i]}
    layers = _layers(instance)
    cell = _cell(instance, layers if instance.d == 3 else 1 + bool(moved), room)
    last = _panels(instance, after, moved, cell, (placement.at, accent))
    if not moved:
        return last
    first = _panels(instance, before, moved, cell, None)
    arrows = _arrows(instance, before, placement.moves, cell) if layers == 1 else ""
    notes = ["arrows are drawn in two dimensions only"] * (layers > 1)
    notes += [_PINNED] * any(one.fixed for one in instance.residents)
    note = "; ".join(notes)
    head = text(0, 11, "before", size=11, faint=True)
    tail = text(0, 11, "after", size=11, faint=True)
    first = Picture(
        first.width,
        first.height + _CAPTION,
        head + at(0, _CAPTION, first.markup + arrows),
    )
    shown = tail + at(0, _CAPTION, last.markup)
    high = last.height + _CAPTION
    if layers > 1:
        return Picture(
            first.width,
            first.height + _BETWEEN / 2 + high,
            first.markup + at(0, first.height + _BETWEEN / 2, shown),
            note,
        )
    return Picture(
        first.width + _BETWEEN + last.width,
        high,
        first.markup + at(first.width + _BETWEEN, 0, shown),
        note,
    )


def state_picture(instance: Submesh, accent: str, room: float) -> Picture:
    """Draw the residents where they are, and the request beside them, to scale.

    Parameters
    ----------
    instance, accent, room
        As for `submesh_picture`.
    """
    wide, high = instance.request[:2]
    beside = max(wide, 4 * _LABEL / _LARGEST_CELL) / instance.shape[0]
    cell = _cell(instance, _layers(instance) + beside, room)
    boxes = [one.box for one in instance.residents]
    panels = _panels(instance, boxes, (), cell, None)
    written = "x".join(map(str, instance.request))
    notes = ["the request may be turned"] * instance.rotate
    notes += ["nobody may be moved"] * (not instance.migrate)
    notes += [_PINNED] * any(one.fixed for one in instance.residents)
    gap = min(1.0, cell / 6)
    request = text(0, 11, written, size=11, faint=True) + (
        f'<rect class="{accent}" style="stroke:none" x="{num(gap / 2)}" '
        f'y="{num(_CAPTION + gap / 2)}" width="{num(wide * cell - gap)}" '
        f'height="{num(high * cell - gap)}" rx="{num(min(2.0, cell / 4))}"/>'
    )
    left = panels.width + _BETWEEN
    return Picture(
        left + max(wide * cell, breadth(written, 11)),
        max(panels.height, _CAPTION + high * cell),
        panels.markup + at(left, 0, request),
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
    request: tuple[Box, str] | None,
) -> Picture:
    """Draw all layers side by side."""
    width, height = (side * cell for side in instance.shape[:2])
    layers = _layers(instance)
    shown = []
    for layer in range(layers):
        parts = [f'<rect class="ck-free" width="{num(width)}" height="{num(height)}"/>']
        for i, box in enumerate(boxes):
            kind = MOVED if i in moved else KEPT
            parts += _boxed(instance, box, layer, cell, kind, str(i))
            if instance.residents[i].fixed:
                parts += _pinned(instance, box, layer, cell)
        if request is not None:
            parts += _boxed(instance, request[0], layer, cell, request[1], "")
        for single in instance.blocked:
            box = (*single, *single)
            parts += _boxed(instance, box, layer, cell, "ck-text", "")
        shown.append(at(layer * (width + _BETWEEN), 0, "".join(parts)))
    return Picture(layers * width + (layers - 1) * _BETWEEN, height, "".join(shown))


def _boxed(
    instance: Submesh, box: Box, layer: int, cell: float, kind: str, label: str
) -> Iterator[str]:
    """Draw the parts of a box that lie in a layer; round a torus there are several."""
    gap = min(1.0, cell / 6)
    for low, length in _parts(instance, box, layer):
        x, y, wide, high = (z * cell for z in (*low, *length))
        yield (
            f'<rect class="{kind}" style="stroke:none" x="{num(x + gap / 2)}" '
            f'y="{num(y + gap / 2)}" width="{num(wide - gap)}" '
            f'height="{num(high - gap)}" rx="{num(min(2.0, cell / 4))}"/>'
        )
        if label and wide > _LABEL * (len(label) + 0.5) and high > _LABEL + 3:
            yield text(
                *(x + 0.35 * _LABEL, y + 1.25 * _LABEL),
                label,
                size=_LABEL,
            )


def _pinned(instance: Submesh, box: Box, layer: int, cell: float) -> Iterator[str]:
    """Draw the outline of a resident that must stay."""
    for low, length in _parts(instance, box, layer):
        x, y, wide, high = (z * cell for z in (*low, *length))
        yield (
            f'<rect class="ck-edge" x="{num(x + 2)}" y="{num(y + 2)}" '
            f'width="{num(max(wide - 4, 0.5))}" height="{num(max(high - 4, 0.5))}"/>'
        )


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
) -> str:
    """Draw every move from middle to middle, in order."""
    now = list(boxes)
    lines = []
    for i, box in moves:
        x, y = _middle(instance, now[i], cell)
        to_x, to_y = _middle(instance, box, cell)
        now[i] = box
        far = hypot(to_x - x, to_y - y)
        if far < 1:
            continue
        u, v = (to_x - x) / far, (to_y - y) / far
        path = (
            f"M{num(x)} {num(y)}L{num(to_x)} {num(to_y)}"
            f"M{num(to_x - _HEAD * (u + v / 2))} {num(to_y - _HEAD * (v - u / 2))}"
            f"L{num(to_x)} {num(to_y)}"
            f"L{num(to_x - _HEAD * (u - v / 2))} {num(to_y - _HEAD * (v + u / 2))}"
        )
        lines.append(
            f'<path class="ck-grid" style="stroke-width:4" d="{path}"/>'
            f'<path class="ck-arrow" style="stroke-width:1.6" d="{path}"/>'
        )
    return "".join(lines)


def _middle(instance: Submesh, box: Box, cell: float) -> tuple[float, float]:
    """Return the middle of a box; on a torus, brought back into the mesh."""
    x, y = (
        ((low + length / 2) % side) * cell
        for low, length, side in zip(
            corner(box)[:2], sides(box)[:2], instance.shape[:2], strict=True
        )
    )
    return x, y
