"""Processors as cells, host by host, and below them the sets that a choice opened."""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import groupby
from math import ceil

from ...instances import ProcessorSet, ProcSet
from ...instances.value import cost_text
from .shapes import Label, Picture, Point, Rect, Shape, at, box, boxes, breadth, crop

_LARGEST_CELL = 20.0
_SMALLEST_CELL = 2.0
_TALLEST = 460
_MOST_SETS = 24
_LINE = 19
_LABEL = 9


def procset_picture(
    instance: ProcSet, chosen: Collection[int], accent: str, room: float
) -> Picture:
    """Draw one selection: hosts in order of their names, one cell per processor.

    Processors whose names are of the form ``host.cpu`` stand together by host.
    Below, the sets that the choice touches and that cost something and have more
    than one available member, most expensive first, each as a bar: chosen, free and
    busy members. Where nothing is chosen, all such sets.
    """
    cells = _cells(instance, frozenset(chosen), accent, room)
    bars = _bars(instance, frozenset(chosen), accent, room)
    shapes = [*cells.shapes, at(0, cells.height + 16, *bars.shapes)]
    return Picture(
        max(cells.width, bars.width), cells.height + 16 + bars.height, shapes, bars.note
    )


def _cells(
    instance: ProcSet, chosen: frozenset[int], accent: str, room: float
) -> Picture:
    hosts = _hosts(instance)
    width = max(len(members) for _, members in hosts)
    margin = min(max(breadth(name, _LABEL) for name, _ in hosts) + 12, 90)
    cell, across = _layout(len(hosts), width, room - margin)
    gap = _gap(cell, width)
    free = set(instance.available)
    runs: dict[str, list[list[Point]]] = {"ck-busy": [], "ck-free": [], accent: []}
    labels: list[Shape] = []
    for number, (name, members) in enumerate(hosts):
        row, column = divmod(number, across)
        x, y = margin + column * (width * cell + gap), row * (cell + gap)
        if column == 0 and (row == 0 or cell + gap >= _LABEL + 1 or row % 4 == 0):
            labels.append(
                Label(
                    *(margin - 6, y + cell / 2 + _LABEL / 3),
                    crop(name, margin - 8, _LABEL),
                    size=_LABEL,
                    anchor="end",
                    faint=True,
                )
            )
        side = cell - min(1.0, cell / 6)
        for place, i in enumerate(members):
            kind = accent if i in chosen else "ck-free" if i in free else "ck-busy"
            runs[kind].append(box(x + place * cell, y, side, side))
    shown = min(across, len(hosts))
    return Picture(
        margin + shown * (width * cell + gap) - gap,
        ceil(len(hosts) / across) * (cell + gap) - gap,
        [*labels, *boxes(runs)],
    )


def _hosts(instance: ProcSet) -> list[tuple[str, list[int]]]:
    """Group processors by host, both in the natural order of their names."""
    names = instance.processors
    split = [name.rpartition(".") for name in names]
    if not all(host and cpu for host, _, cpu in split):
        split = [(name, "", "") for name in names]
    order = sorted(
        range(len(names)), key=lambda i: (_natural(split[i][0]), _natural(split[i][2]))
    )
    return [
        (host, list(members))
        for host, members in groupby(order, key=lambda i: split[i][0])
    ]


def _natural(name: str) -> list[tuple[int, int, str]]:
    """Sort key under which n9 comes before n10."""
    return [
        (0, int(part), "") if part.isdecimal() else (1, 0, part)
        for part in re.split(r"(\d{1,18})", name)
        if part
    ]


def _layout(hosts: int, width: int, room: float) -> tuple[float, int]:
    """Return the largest cell that fits, and how many hosts stand side by side."""
    cell = _LARGEST_CELL
    while True:
        gap = _gap(cell, width)
        across = max(1, int((room + gap) // (width * cell + gap)))
        if across >= 8:  # whole rows of eight are easier to count
            across -= across % 8
        high = ceil(hosts / across) * (cell + gap)
        fits = high <= _TALLEST and width * cell <= room
        if fits or cell <= _SMALLEST_CELL:
            return cell, across
        cell = max(cell - 0.5, _SMALLEST_CELL)


def _gap(cell: float, width: int) -> float:
    return 0 if width == 1 else max(1.5, cell / 3)


def _bars(
    instance: ProcSet, chosen: frozenset[int], accent: str, room: float
) -> Picture:
    free = set(instance.available)
    opened = [
        one
        for one in instance.sets
        if any(one.cost)
        and not (chosen and chosen.isdisjoint(one.members))
        and sum(i in free for i in one.members) > 1
    ]
    opened.sort(key=lambda one: ([-price for price in one.cost], _natural(one.name)))
    if not opened:
        none = "no shared set opened" if chosen else "no shared set"
        return Picture(room, _LINE, [Label(0, 12, none, faint=True)])
    shown = opened[:_MOST_SETS]
    heading = f"shared sets{' opened' if chosen else ''}: {len(opened)}"
    parts: list[Shape] = [Label(0, 12, heading, size=12, bold=True)]
    names = min(max(breadth(one.name, 11) for one in shown), 0.3 * room)
    prices = min(max(breadth(cost_text(one.cost), 11) for one in shown), 0.25 * room)
    counts = breadth("0000 of 0000" if chosen else "0000 free of 0000", 10)
    left = names + prices + 24
    most = max(len(one.members) for one in shown)
    scale = max(room - left - counts - 8, 40) / most
    for number, one in enumerate(shown, start=1):
        y = number * _LINE + 12
        parts.append(Label(0, y, crop(one.name, names + 6, 11), size=11))
        price = crop(cost_text(one.cost), prices + 6, 11)
        parts.append(Label(names + 12, y, price, size=11, faint=True))
        parts += _bar(one, chosen, free, accent, left, y - 10, scale)
        taken = sum(i in (chosen or free) for i in one.members)
        end = left + scale * len(one.members) + 6
        count = f"{taken} {'' if chosen else 'free '}of {len(one.members)}"
        parts.append(Label(end, y, count, size=10, faint=True))
    more = len(opened) - len(shown)
    opens = "are opened and not drawn" if chosen else "are not drawn"
    note = f"{more} more shared sets {opens}" if more else ""
    return Picture(room, (len(shown) + 1) * _LINE, parts, note)


def _bar(
    one: ProcessorSet,
    chosen: frozenset[int],
    free: Collection[int],
    accent: str,
    x: float,
    y: float,
    scale: float,
) -> list[Shape]:
    taken = sum(i in chosen for i in one.members)
    idle = sum(i in free for i in one.members) - taken
    busy = len(one.members) - taken - idle
    lengths = {accent: taken, "ck-free": idle, "ck-busy": busy}
    parts: list[Shape] = []
    for kind, length in lengths.items():
        if length:
            wide = scale * length
            parts.append(Rect(kind=kind, x=x, y=y, width=wide, height=12, line=False))
            x += wide
    return parts
