"""First fit over a bitmap: 64 processors per word, with running ands of rows."""

from __future__ import annotations

import numpy as np

from ...instances.submesh import Box, box_at
from .allocator import SubmeshAllocator
from .bitmap_kernels import mark, search
from .frame_sliding import in_three, pad


class Bitmap(SubmeshAllocator):
    """Look for the first free place in a bitmap, 64 processors at a time.

    It returns what FS_1 returns, on two or three axes, mesh or torus; steps are words
    read. Each row is read twice in a search, whatever the depth of the request: the
    ands of y rows come from those of blocks of y rows. Free stretches of x processors
    are found in log2 x shifts.

    Guarantee: exact if residents may not be moved; optimal whenever it finds a place.
    Time: O(XY log(x) / 64); with a third axis Z, O(XYZ (z + log(x)) / 64).
    Ties: the first by layers, rows, columns; as requested, then rotated.
    Source: derived for closeknit; running ands over blocks of rows, as van Herk 1992
    and Gil and Werman 1993 take running maxima.
    """

    def _set_up(self) -> None:
        self._shape = pad(self.shape, 1)
        width, depth, layers = (int(side) for side in self._shape)
        words = ((2 if self.torus else 1) * width + 63) // 64
        self._bits = np.zeros((layers, depth, words), dtype=np.uint64)
        self._after = np.zeros((depth, words), dtype=np.uint64)
        self._upto = np.zeros((3, words), dtype=np.uint64)
        whole = np.concatenate([np.zeros(3, dtype=np.int64), self._shape - 1])
        mark(self._bits, self._shape, whole, self.torus, True)

    def _search(self, size: tuple[int, ...]) -> Box | None:
        i, j, k, steps = search(
            self._bits,
            self._shape,
            pad(size, 1),
            self.torus,
            self._after,
            self._upto,
        )
        self.steps += steps
        return None if i < 0 else box_at((i, j, k)[: len(size)], size)

    def _take(self, box: Box) -> None:
        self._mark(box, free=False)

    def _give(self, box: Box) -> None:
        self._mark(box, free=True)

    def _mark(self, box: Box, *, free: bool) -> None:
        self.steps += mark(self._bits, self._shape, in_three(box), self.torus, free)
