"""MBS, the multiple buddy strategy: square blocks with powers of two as sides."""

from __future__ import annotations

from bisect import insort

import numpy as np

from ...instances import IntArray, Topology
from .allocator import Allocation, Allocator, Flags
from .shells import grid_of


class MBS(Allocator):
    """Compose a job of square blocks whose sides are powers of two.

    The machine is cut into the largest squares at multiples of their own sides (cubes
    in three dimensions, and so on). Such a block splits into four buddies of half the
    side, which are merged again when all four are idle. The size k of a job is written
    in base 4, which gives d_i blocks of side 2^i, with as many of the largest as are
    needed. From the largest size down, a job takes the first idle block of that size;
    if there is none, the first block of the next larger size is split as often as
    necessary; if there is none either, the job takes four blocks of half the side. It
    gets exactly k processors, whenever that many are idle. Tasks are placed block by
    block in the order in which blocks are taken, and along the rows within each.

    Four idle buddies are always merged, so the idle blocks are the largest squares of
    the cut that are entirely idle: the set of idle processors is the whole state, also
    where single processors are held. Decisions that the source leaves open: of several
    blocks of a size the first by coordinates is taken; machines may have any shape,
    where the source cuts up rectangles; in d dimensions the base is 2^d, where others
    cut layers of squares; links round a torus are not used.

    Attributes
    ----------
    cuts
        Blocks of side 2^i that lie in the machine along every axis, for every i.

    Guarantee: none.
    Time: O(n + k log n) for n processors.
    Ties: coordinates of the first cell of a block.
    Source: Lo et al. 1997, as in Mache et al. 1999, sections 3.2.3 and 4.1.
    """

    def __init__(self, topology: Topology, *, seed: int = 0) -> None:
        super().__init__(topology, seed=seed)
        self._grid = grid_of(topology).shape
        largest = min(self._grid).bit_length() - 1
        self.cuts = [tuple(a >> i for a in self._grid) for i in range(largest + 1)]

    def blocks(self) -> list[IntArray]:
        """Return the idle blocks, by the binary logarithm of their sides.

        A block of side 2^i is given by the coordinates of its first cell, divided by
        2^i, as a number in the grid of the i-th of ``cuts``.
        """
        idle: list[Flags] = [self.idle.reshape(self._grid)]
        for cut in self.cuts[1:]:
            small = idle[-1][tuple(slice(2 * a) for a in cut)]
            halves = small.reshape([n for a in cut for n in (a, 2)])
            whole: Flags = np.all(halves, axis=tuple(range(1, 2 * len(cut), 2)))
            idle.append(whole)
        found = []
        for i, whole in enumerate(idle):
            alone = whole
            if i + 1 < len(idle):
                within = idle[i + 1]
                for axis in range(within.ndim):
                    within = within.repeat(2, axis=axis)
                alone = whole.copy()
                alone[tuple(slice(a) for a in within.shape)] &= ~within
            found.append(np.flatnonzero(alone))
        return found

    def _choose(self, k: int, shape: tuple[int, ...] | None) -> Allocation:
        buddies = 2 ** len(self._grid)
        idle: list[list[int]] = [list(map(int, found)) for found in self.blocks()]
        wanted = 0
        parts = []
        for i in reversed(range(len(idle))):
            digit, k = divmod(k, buddies**i)
            wanted = wanted * buddies + digit
            taken: list[int] = []
            while len(taken) < wanted and (idle[i] or self._split(idle, i)):
                missing = wanted - len(taken)
                taken += idle[i][:missing]
                del idle[i][:missing]
            wanted -= len(taken)
            parts.append(self._cells(i, taken))
        return Allocation.of(np.concatenate(parts))

    def _split(self, idle: list[list[int]], i: int) -> bool:
        """Split a larger block into buddies of side 2^i; False if there is none."""
        larger = next((j for j in range(i + 1, len(idle)) if idle[j]), None)
        if larger is None:
            return False
        block = idle[larger].pop(0)
        for j in reversed(range(i, larger)):
            first = np.array(np.unravel_index(block, self.cuts[j + 1])) * 2
            halves = np.indices((2,) * len(self._grid)).reshape(len(first), -1)
            buddies = np.ravel_multi_index(tuple(first[:, None] + halves), self.cuts[j])
            block, *others = map(int, buddies)
            for other in others if j > i else (block, *others):
                insort(idle[j], other)
        return True

    def _cells(self, i: int, blocks: list[int]) -> IntArray:
        """Return the processors of blocks of side 2^i, block by block."""
        numbers = np.array(blocks, dtype=np.int64)
        first = np.stack(np.unravel_index(numbers, self.cuts[i])) << i
        within = np.indices((1 << i,) * len(self._grid)).reshape(len(first), -1)
        at = first[:, :, None] + within[:, None, :]
        cells: IntArray = np.ravel_multi_index(tuple(at), self._grid).ravel()
        return cells
