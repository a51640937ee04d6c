"""Allocators that order the processors along a curve and pack jobs along it.

The orders of the processors, on boxes of any dimension:

- *row*: as they are numbered: the last axis runs fastest. In two dimensions that is
  row after row, in three plane after plane of constant first coordinate;
- *column*: the first axis runs fastest, then the second; of a placement only;
- *snake*: like *row*, but every other line, and in more dimensions every other plane,
  runs backwards, so that consecutive processors are neighbours;
- *hilbert*: see ``curves_hilbert``.

On a line, all four are the same order. On a torus the curve is that of the mesh: it has
two ends, and no run continues from the last processor to the first.
"""

from __future__ import annotations

from functools import lru_cache
from math import prod
from types import MappingProxyType

import numpy as np

from ...instances import IntArray, Topology
from . import curves_kernels as kernels
from .allocator import Allocation, Allocator
from .curves_hilbert import hilbert

_ELSE = "else the k of least span"


@lru_cache(maxsize=16)
def processors_along(order: str, shape: tuple[int, ...]) -> IntArray:
    """Return the numbers of all processors of a grid along a curve, read-only.

    Examples
    --------
    >>> processors_along("snake", (2, 3)).tolist()
    [0, 1, 2, 5, 4, 3]
    """
    numbers = np.arange(prod(shape), dtype=np.int64)
    if order == "hilbert":
        numbers = np.ravel_multi_index(tuple(hilbert(shape).T), shape)
    elif order == "column":
        numbers = numbers.reshape(shape).ravel(order="F")
    elif order == "snake":
        for axis in reversed(range(len(shape))):  # turn lines, then planes, …
            slices = numbers.reshape(-1, shape[axis], prod(shape[axis + 1 :])).copy()
            slices[:, 1::2] = slices[:, 1::2, ::-1]
            numbers = slices.ravel()
    numbers = numbers.astype(np.int64)
    numbers.setflags(write=False)
    return numbers


class Curve(Allocator):
    """Take {packing}, along {order}.

    Guarantee: none; Omega(N) times the least on N x N meshes, already for k = 2.
    Time: O(n) for n processors, idle or not.
    Ties: the first along the curve; of a longer run, its beginning.
    Source: Leung et al. 2002, as in Bender et al. 2008, sections 1 and 5; for the
    worst cases see docs/science/allocators.md.
    """

    WORDS = MappingProxyType(
        {
            "order": {
                "hilbert": "Hilbert's curve",
                "snake": "the rows, every other one backwards",
                "row": "the rows",
            },
            "packing": {
                "first-fit": f"the first run of k idle processors, {_ELSE}",
                "best-fit": f"k from the shortest sufficient run of idle ones, {_ELSE}",
                "sorted-free": "the first k idle processors",
            },
        }
    )

    def __init__(
        self, topology: Topology, *, seed: int = 0, order: str, packing: str
    ) -> None:
        super().__init__(topology, seed=seed)
        self.packing = packing
        self.order = processors_along(order, topology.shape)  # type: ignore[attr-defined]

    def _choose(self, k: int, shape: tuple[int, ...] | None) -> Allocation:
        start = 0
        if self.packing != "sorted-free":
            best = self.packing == "best-fit"
            start = kernels.find(self.idle, self.order, k, best)
        return Allocation.of(kernels.take(self.idle, self.order, start, k))
