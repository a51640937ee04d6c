"""The two-dimensional buddy system of Li and Cheng 1991: square blocks, four to one.

The mesh is a square whose side is a power of two; a block is split into four buddies,
which are merged when all are free. A request gets a block whose side is its own longer
side, rounded up to a power of two. The box returned is the requested part of the block,
at its lowest corner; the rest is lost while it is held. A mesh of another shape is part
of the least such square that contains it; blocks that extend beyond the mesh are never
free. Boxes passed to `hold` are cut into blocks.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator

from ...instances.submesh import Box, box_at, corner, sides
from .allocator import SubmeshAllocator

Block = tuple[int, int, int]
"""Order (a side of 2**order), and the lowest corner."""


class Buddy(SubmeshAllocator):
    """Give the request a square block whose side is a power of two.

    It is the first free block, by rows, of the least order that has one. Turning
    changes nothing, as blocks are square. Steps are nodes of the ordered lists of free
    blocks, one list per order.

    Guarantee: none; a place that is not in a free block is not found.
    Time: O(log max(X, Y)) lists of free blocks.
    Ties: the least block, then the first by rows.
    Source: Li and Cheng 1991; meshes of other shapes are cut into blocks.
    """

    def _set_up(self) -> None:
        self._top = (max(self.shape) - 1).bit_length()
        self._free: list[list[tuple[int, int]]] = [[] for _ in range(self._top + 1)]
        self._blocks: dict[Box, list[Block]] = {}
        width, depth = self.shape
        for block in self._cut((self._top, 0, 0), (0, 0, width - 1, depth - 1)):
            self._put(block)

    def _search(self, size: tuple[int, ...]) -> Box | None:
        for order in range((max(size) - 1).bit_length(), self._top + 1):
            if self._free[order]:
                self.steps += 1
                j, i = self._free[order][0]
                return box_at((i, j), size)
        return None

    def _allot(self, box: Box) -> None:
        order = (max(sides(box)) - 1).bit_length()
        i, j = corner(box)
        self._split_down_to((order, i, j))
        self._remove((order, i, j))
        self._blocks[box] = [(order, i, j)]

    def _take(self, box: Box) -> None:
        blocks = list(self._cut((self._top, 0, 0), box))
        for block in blocks:
            self._split_down_to(block)
            self._remove(block)
        self._blocks[box] = blocks

    def _give(self, box: Box) -> None:
        for block in self._blocks.pop(box):
            self._join(block)

    def _cut(self, block: Block, box: Box) -> Iterator[Block]:
        """Yield the largest blocks that lie in a box and fill it."""
        order, i, j = block
        end = (1 << order) - 1
        a, b, c, d = box
        if i > c or j > d or i + end < a or j + end < b:
            return
        if a <= i and b <= j and i + end <= c and j + end <= d:
            yield block
            return
        for quarter in _quarters(block):
            yield from self._cut(quarter, box)

    def _split_down_to(self, block: Block) -> None:
        """Split the free block in which this one lies until it is free itself."""
        order = over = block[0]
        while not self._is_free(_over(block, over)):
            over += 1
        while over > order:
            self._remove(_over(block, over))
            for quarter in _quarters(_over(block, over)):
                self._put(quarter)
            over -= 1

    def _join(self, block: Block) -> None:
        """Free a block, and merge it with its buddies."""
        while block[0] < self._top:
            whole = _over(block, block[0] + 1)
            others = [one for one in _quarters(whole) if one != block]
            if not all(self._is_free(one) for one in others):
                break
            for one in others:
                self._remove(one)
            block = whole
        self._put(block)

    def _place(self, block: Block) -> int:
        order, i, j = block
        return bisect_left(self._free[order], (j, i))

    def _is_free(self, block: Block) -> bool:
        order, i, j = block
        list_ = self._free[order]
        at = self._place(block)
        self.steps += min(at + 1, len(list_))
        return at < len(list_) and list_[at] == (j, i)

    def _remove(self, block: Block) -> None:
        at = self._place(block)
        self.steps += at + 1
        del self._free[block[0]][at]

    def _put(self, block: Block) -> None:
        order, i, j = block
        self.steps += self._place(block)
        insort(self._free[order], (j, i))


def _quarters(block: Block) -> list[Block]:
    order, i, j = block
    half = 1 << (order - 1)
    return [(order - 1, i + x, j + y) for y in (0, half) for x in (0, half)]


def _over(block: Block, order: int) -> Block:
    """Return the block of this order that contains a block."""
    _, i, j = block
    return order, i >> order << order, j >> order << order
