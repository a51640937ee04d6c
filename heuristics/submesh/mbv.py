"""Maximum boundary value: the free frame that touches most."""

from __future__ import annotations

import numpy as np

from ...instances.submesh import Box, box_at
from .frame_sliding import FrameSliding
from .mbv_kernels import AT_I, AT_J, BEST, GOES_ON, find_best

_ROWS = 64


class MaximumBoundaryValue(FrameSliding):
    """Take the free place that touches most: residents and edges of the mesh.

    MBV over the free frames that FS_f visits.

    Guarantee: exact if residents may not be moved; optimal whenever it finds a place.
    Time: O(Y * residents**2), by examining only places where the value can be greatest.
    Ties: the first by rows; as requested, then rotated.
    Source: Sharma and Pradhan 1993; Morgenstern 1994, section 2.3.
    """

    def _search(self, size: tuple[int, ...]) -> Box | None:
        x, y = size
        width, depth = self.shape
        state = np.array([0, depth, -1, -1, -1], dtype=np.int64)
        near = np.empty((self._count, 4), dtype=np.int64)
        number = np.empty(self._count, dtype=np.int64)
        why = GOES_ON
        while why == GOES_ON:
            why, steps = find_best(
                self._boxes,
                self._count,
                width,
                depth,
                x,
                y,
                state,
                near,
                number,
                _ROWS,
            )
            self.steps += steps
            if why == GOES_ON:
                self._look_at_the_clock()
        if state[BEST] < 0:
            return None
        return box_at([int(state[AT_I]), int(state[AT_J])], size)
