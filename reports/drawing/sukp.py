"""A set-union knapsack: items across, elements down, a cell for each that is needed."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ...instances import Sukp
from .shapes import Label, Picture, Point, Rect, at, box, boxes

_LARGEST_CELL = 18.0
_TALLEST = 520.0
_BAR = 46.0
_GAP = 6.0
_LABEL = 9.0


def sukp_picture(
    instance: Sukp, chosen: Collection[int], accent: str, room: float
) -> Picture:
    """Draw one selection: columns of the items taken, rows of the elements paid for.

    Bars above are the profits of the items, bars to the right the weights of the
    elements, each to a scale of its own.
    """
    picked = set(chosen)
    paid = {e for j in picked for e in instance.items[j]}
    n, m = instance.n, len(instance.weights)
    left = _BAR + _GAP
    cell = min(_LARGEST_CELL, (room - left) / n, _TALLEST / max(m, 1))
    inset = min(1.0, cell / 6)
    runs: dict[str, list[list[Point]]] = {"ck-busy": [], accent: []}
    for j, elements in enumerate(instance.items):
        for e in elements:
            runs[accent if j in picked else "ck-busy"].append(
                box(j * cell, e * cell, cell - inset, cell - inset)
            )
    bars: dict[str, list[list[Point]]] = {"ck-busy": [], accent: []}
    for j, high in enumerate(_bar_lengths(instance.profits)):
        bars[accent if j in picked else "ck-busy"].append(
            box(j * cell, _BAR - high, cell - inset, high)
        )
    for e, wide in enumerate(_bar_lengths(instance.weights)):
        bars[accent if e in paid else "ck-busy"].append(
            box(n * cell + _GAP, left + e * cell, wide, cell - inset)
        )
    width, height = n * cell, m * cell
    ground = Rect(kind="ck-free", width=width, height=height, line=False)
    below = left + height + _LABEL
    return Picture(
        width + _GAP + _BAR,
        below + 4,
        [
            at(0, left, ground, *boxes(runs)),
            *boxes(bars),
            Label(width + _GAP, _BAR - 2, "profits", size=_LABEL, faint=True),
            Label(width + _GAP, below + 2, "weights", size=_LABEL, faint=True),
        ],
    )


def _bar_lengths(numbers: Sequence[int]) -> list[float]:
    """Turn numbers into lengths of bars; 0 has none."""
    most = max(numbers, default=0) or 1
    return [_BAR * (number / most) for number in numbers]
