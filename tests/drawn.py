"""What a picture of a mesh shows, read back from its SVG cell by cell."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

from closeknit.instances import Submesh
from closeknit.instances.submesh import Box

SPACE = "{http://www.w3.org/2000/svg}"
Cell = tuple[int, ...]


@dataclass(frozen=True)
class Panel:
    """One layer of a mesh as it is drawn.

    Attributes
    ----------
    cells
        How often each cell is painted in each class.
    beyond
        Class, width and height, in cells, of what is drawn beside the mesh.
    outlines
        Outlined rectangles, as the sets of cells that they surround.
    """

    cells: dict[str, Counter[Cell]] = field(default_factory=dict)
    beyond: list[tuple[str, float, float]] = field(default_factory=list)
    outlines: list[frozenset[Cell]] = field(default_factory=list)


def rectangles(
    node: ET.Element, x: float = 0.0, y: float = 0.0
) -> Iterator[tuple[ET.Element, float, float]]:
    """Yield rectangles in order, each with its corner in the whole picture."""
    if moved := node.get("transform"):
        by = moved.removeprefix("translate(").removesuffix(")").split()
        x, y = x + float(by[0]), y + float(by[1])
    if node.tag == f"{SPACE}rect":
        yield node, x + float(node.get("x", "0")), y + float(node.get("y", "0"))
    for child in node:
        yield from rectangles(child, x, y)


def panels(picture: str, instance: Submesh) -> list[Panel]:
    """Read what is painted in every layer of every mesh, in order.

    A cell counts as painted where at least half of it is covered.
    """
    found: list[Panel] = []
    left = top = side = 0.0
    for one, x, y in rectangles(ET.fromstring(picture)):
        kind = one.get("class", "")
        wide, high = float(one.get("width", "0")), float(one.get("height", "0"))
        if kind == "ck-page" or (wide == high == 10 and one.get("rx") == "1.5"):
            continue  # the page, and the swatches of the legend
        if kind == "ck-free":
            left, top, side = x, y, wide / instance.shape[0]
            assert round(high / side, 3) == instance.shape[1]
            found.append(Panel())
            continue
        a, b = round((x - left) / side), round((y - top) / side)
        across, down = round((x + wide - left) / side), round((y + high - top) / side)
        cells = frozenset(product(range(a, across), range(b, down)))
        if a >= instance.shape[0]:
            found[-1].beyond.append((kind, wide / side, high / side))
        elif kind == "ck-edge":
            found[-1].outlines.append(cells)
        else:
            assert cells, f"{kind} is too small to be seen"
            found[-1].cells.setdefault(kind, Counter()).update(cells)
    return found


def cells_of(instance: Submesh, boxes: list[Box], layer: int) -> Counter[Cell]:
    """Return the cells of boxes that lie in a layer, by the definition of a box."""
    found: Counter[Cell] = Counter()
    for box in boxes:
        d = instance.d
        spans = [
            [x % instance.shape[a] for x in range(box[a], box[d + a] + 1)]
            for a in range(d)
        ]
        if d < 3 or layer in spans[2]:
            found.update(product(spans[0], spans[1]))
    return found


def arrows(picture: str) -> int:
    """Count the arrows."""
    paths = ET.fromstring(picture).iter(f"{SPACE}path")
    return sum(one.get("class") == "ck-arrow" for one in paths)
