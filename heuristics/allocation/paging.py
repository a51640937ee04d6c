"""Paging: allocate squares of a fixed side, row by row.

Lo et al. cut a mesh into pages of 2^i x 2^i processors, which are allocated and
released as a whole: processors of its last page that a job does not use are lost while
it runs.
Decisions that they leave open:

- A page cut off by the edge of the machine has fewer processors. A job gets pages
  until they hold enough processors, not a number of pages computed from their side.
- Residents and defects may occupy part of a page. The idle processors of such a broken
  page are given only to a job for which the whole pages are not enough, again all of
  them and in order. So every job is served that requests no more
  processors than are idle.
- On machines with other than two dimensions, pages have that dimension.
- Of their scans there is the one by rows. Inside a page processors are taken by rows,
  too.
"""

from __future__ import annotations

from types import MappingProxyType

import numpy as np

from ...instances import IntArray, Topology
from .allocator import Allocation, Allocator


class Paging(Allocator):
    """Take the first idle pages of {exponent}, row by row.

    A job holds its pages as a whole. Broken pages come last.

    Guarantee: none.
    Time: O(n) for n processors, idle or not.
    Ties: none; the order of rows decides.
    Source: Lo et al. 1997, as in Mache et al. 1999, section 4.1; the rest is
    derived for closeknit.
    """

    WORDS = MappingProxyType(
        {
            "exponent": {
                0: "one processor",
                1: "2 x 2 processors",
            },
        }
    )

    def __init__(self, topology: Topology, *, seed: int = 0, exponent: int) -> None:
        super().__init__(topology, seed=seed)
        shape: tuple[int, ...] = topology.shape  # type: ignore[attr-defined]
        pages = tuple(-(-side // 2**exponent) for side in shape)
        cells = np.unravel_index(np.arange(len(self.places)), shape)
        corners = tuple(axis >> exponent for axis in cells)
        self._page: IntArray = np.ravel_multi_index(corners, pages)
        self._order = np.argsort(self._page, kind="stable")
        self._size = np.bincount(self._page)
        self._left = self._size.copy()

    def _choose(self, k: int, shape: tuple[int, ...] | None) -> Allocation:
        whole = np.flatnonzero(self._left == self._size)
        pages = self._enough(whole, k)
        given = self._idle_of(pages)
        if len(given) < k:
            broken = np.flatnonzero((self._left > 0) & (self._left < self._size))
            pages = self._enough(broken, k - len(given))
            given = np.concatenate([given, self._idle_of(pages)])
        return Allocation(given[:k], np.sort(given))

    def _enough(self, pages: IntArray, k: int) -> IntArray:
        """Return the first pages that have k idle processors, or all of them."""
        upto = np.cumsum(self._left[pages])
        return pages[: int(np.searchsorted(upto, k)) + 1]

    def _idle_of(self, pages: IntArray) -> IntArray:
        """Return the idle processors of some pages, page by page."""
        taken = np.zeros(len(self._size), dtype=np.bool_)
        taken[pages] = True
        return self._order[taken[self._page[self._order]] & self.idle[self._order]]

    def _take(self, numbers: IntArray) -> None:
        self._left -= np.bincount(self._page[numbers], minlength=len(self._size))

    def _give(self, numbers: IntArray) -> None:
        self._left += np.bincount(self._page[numbers], minlength=len(self._size))
