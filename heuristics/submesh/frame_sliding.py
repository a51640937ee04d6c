"""Frame sliding: candidates are tried one by one against the list of residents.

The list is linked, with the newest resident first, and a step is one resident visited;
with the oldest first, the steps differ more from those in the paper.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ...instances import IntArray as Ints
from ...instances.submesh import Box, box_at
from .allocator import SubmeshAllocator
from .frame_sliding_kernels import FOUND, GOES_ON, jump, scan_adaptively, slide

Kernel = Callable[[Ints, int, int, int, int, int, Ints, int], tuple[int, int]]

_BUDGET = 2**21
"""Steps between two checks of the clock, about 10 ms."""


def pad(values: Sequence[int], filler: int) -> Ints:
    """Return the values along three axes."""
    return np.array([*values, *(filler,) * (3 - len(values))], dtype=np.int64)


def in_three(box: Box) -> Ints:
    """Return the corners of a box along three axes."""
    d = len(box) // 2
    return np.concatenate([pad(box[:d], 0), pad(box[d:], 0)])


class FrameSliding(SubmeshAllocator):
    """The list of residents, as an array in the order of allocation."""

    def _set_up(self) -> None:
        self._shape = pad(self.shape, 1)
        self._boxes = np.zeros((16, 6), dtype=np.int64)
        self._count = 0

    def _take(self, box: Box) -> None:
        if self._count == len(self._boxes):
            self._boxes = np.concatenate([self._boxes, np.zeros_like(self._boxes)])
        self._boxes[self._count] = in_three(box)
        self._count += 1

    def _give(self, box: Box) -> None:
        rows = self._boxes[: self._count]
        n = int((rows == in_three(box)).all(axis=1).argmax())
        rows[n:-1] = rows[n + 1 :]
        self._count -= 1

    def _run(self, kernel: Callable[[], tuple[int, int]]) -> int:
        """Call a kernel until it is done, with a look at the clock in between."""
        while True:
            why, steps = kernel()
            self.steps += steps
            if why != GOES_ON:
                return why
            self._look_at_the_clock()


class EveryFrame(FrameSliding):
    """Slide a frame processor by processor, and take the first free place.

    FS_1: every frame of equation 1, row by row.

    Guarantee: exact if residents may not be moved; optimal whenever it finds a place.
    Time: O(XY * residents).
    Ties: the first by layers, rows, columns; as requested, then rotated.
    Source: Chuang and Tzeng 1994; Morgenstern 1994, equation 1.
    """

    def _search(self, size: tuple[int, ...]) -> Box | None:
        return self._slide(size, (1,) * len(size))

    def _slide(self, size: tuple[int, ...], stride: Sequence[int]) -> Box | None:
        where = np.zeros(3, dtype=np.int64)
        wanted, step = pad(size, 1), pad(stride, 1)
        boxes, count, shape, torus = self._boxes, self._count, self._shape, self.torus
        why = self._run(
            lambda: slide(boxes, count, shape, wanted, step, torus, where, _BUDGET)
        )
        return box_at(where[: len(size)].tolist(), size) if why == FOUND else None


class RestrictedFrames(EveryFrame):
    """Slide a frame in strides of its own sides, and take the first free place.

    FS_n: the frames of equation 2, whose corners are multiples of their sides.

    Guarantee: none; free places between the strides are passed over.
    Time: O(XY / xy * residents).
    Ties: the first by rows; as requested, then rotated.
    Source: Chuang and Tzeng 1994; Morgenstern 1994, equation 2.
    """

    def _search(self, size: tuple[int, ...]) -> Box | None:
        return self._slide(size, size)


class AdaptiveScan(FrameSliding):
    """Slide a frame, jumping behind the furthest resident in its way.

    AS. Figure 1 takes the furthest column of the conflicting submeshes (a, j, c, d);
    their second coordinate may be any, and j is a misprint for b.

    Guarantee: exact if residents may not be moved; optimal whenever it finds a place.
    Time: O(XY * residents) at worst; every frame is compared with all residents.
    Ties: the first by rows; as requested, then rotated.
    Source: Ding and Bhuyan 1993; Morgenstern 1994, Figure 1.
    """

    def _search(self, size: tuple[int, ...]) -> Box | None:
        return self._jump(size, scan_adaptively)

    def _jump(self, size: tuple[int, ...], kernel: Kernel) -> Box | None:
        x, y = size
        width, depth = self.shape
        where = np.array([0, 0, depth], dtype=np.int64)
        boxes, count = self._boxes, self._count
        why = self._run(
            lambda: kernel(boxes, count, width, depth, x, y, where, _BUDGET)
        )
        return box_at(where[:2].tolist(), size) if why == FOUND else None


class FastFrames(AdaptiveScan):
    """Slide a frame, jumping behind the first resident in its way.

    FS_f. A row without a free frame is followed by the first row below any resident
    that was in the way. Figure 2 has ``j < Y - y`` and ``i < X - x``, which would leave
    out the last row and the last column; equation 1 includes them, and so does this.

    Guarantee: exact if residents may not be moved; optimal whenever it finds a place.
    Time: O(XY * residents) at worst; usually a few residents per row.
    Ties: the first by rows; as requested, then rotated.
    Source: Morgenstern and Fouque 1994; Morgenstern 1994, Figure 2, with its two < read
    as <=, without which the last row and column would never be tried.
    """

    def _search(self, size: tuple[int, ...]) -> Box | None:
        return self._jump(size, jump)
