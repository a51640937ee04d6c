"""4ISS with lookahead: of the places nearest an edge, the one that leaves most room.

4ISS places the longer side of a request as close to an edge as possible, and takes the
first place along that line. There are other places on the same line, and on the
opposite one: at either end of every gap. Each is scored by what would fit afterwards:
how many of the sizes up to the longest sides of the residents have a free place, now
and, with greater weight, on average after one resident has left, because the queue is
tried again after a departure. With more residents than `FEW` that takes too long, and
the place that touches most is taken.
"""

from __future__ import annotations

import numpy as np

from ...instances import IntArray as Ints
from ...instances.submesh import Box, box_at
from .iss_arrays import ArrayFourWayScan
from .snug_kernels import snuggest

FEW = 12
"""Number of boxes up to which departures are considered."""
WEIGHT = 16.0
"""Weight of sizes that fit after a departure, relative to those that fit now."""


class Snug(ArrayFourWayScan):
    """Of the places nearest an edge, take the one after which most sizes would fit.

    Guarantee: exact if residents may not be moved; optimal whenever it finds a place.
    Time: that of 4iss, and O(residents**4) with few residents, O(residents**2) with
    more than `heuristics.submesh.snug.FEW`.
    Ties: the top or the left before the bottom or the right, then the first along the
    line; as requested, then rotated.
    Source: derived for closeknit from Morgenstern 1994, section 3.2; see
    ``heuristics.submesh.snug``.
    """

    def _set_up(self) -> None:
        super()._set_up()
        self._boxes = np.zeros((16, 4), dtype=np.int64)
        self._rows: dict[Box, int] = {}
        self._order: list[Box] = []

    def _search(self, size: tuple[int, ...]) -> Box | None:
        box = super()._search(size)
        if box is None or not self._rows:
            return box
        axis = 1 if size[0] >= size[1] else 0
        distance = min(box[axis], self.shape[axis] - size[axis] - box[axis])
        turn = slice(None) if axis == 1 else slice(None, None, -1)
        boxes = self._boxes if axis == 1 else self._boxes[:, [1, 0, 3, 2]].copy("C")
        place = snuggest(
            boxes,
            len(self._rows),
            np.array(size[turn], dtype=np.int64),
            np.array(self.shape[turn], dtype=np.int64),
            self._longest(size)[turn].copy(),
            distance,
            FEW,
            WEIGHT,
        )
        return box_at(place[turn], size)

    def _longest(self, size: tuple[int, ...]) -> Ints:
        """Return the longest sides of the residents and of a request."""
        boxes = self._boxes[: len(self._order)]
        longest = np.maximum((boxes[:, 2:] - boxes[:, :2]).max(axis=0) + 1, size)
        return np.full(2, longest.max()) if self.rotate else longest

    def _take(self, box: Box) -> None:
        super()._take(box)
        n = len(self._order)
        if n + 1 >= len(self._boxes):
            self._boxes = np.concatenate([self._boxes, np.zeros_like(self._boxes)])
        self._boxes[n] = box
        self._rows[box] = n
        self._order.append(box)

    def _give(self, box: Box) -> None:
        super()._give(box)
        row, last = self._rows.pop(box), self._order.pop()
        if last != box:
            self._order[row] = last
            self._boxes[row] = last
            self._rows[last] = row
