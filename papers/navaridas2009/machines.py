"""The machines, workloads and placements of Navaridas et al. 2009."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

import numpy as np

from ...instances import Grid, InputError, Torus
from ...network.kary_tree import KaryTree
from ...network.processor_numbers import place_jobs
from ...network.workloads.table import TASKS, WORKLOADS

RANDOM = "random"
CONSECUTIVE, SHUFFLE = "consecutive", "shuffle"
ROW, COLUMN, QUADRANT = "row", "column", "quadrant"
SEEDS = 5
"""Permutations drawn for the random placement."""
RADIX = 4
"""Half of the ports of a switch of the fat-trees."""
NAMES = ("BT", "CG", "IS", "LU", "MG", "SP", "FT")
KERNELS = ("BI", "BU", "2M", "3M", "2W", "3W", "WF")
ALL = (*NAMES, *KERNELS)
_SHORT = "WF"
"""Has messages of four packets in the paper, which are never made shorter."""
_LEAST = 64
"""Bytes of a packet."""
_TORUS = (RANDOM, ROW, COLUMN, QUADRANT)
_TREE = (RANDOM, CONSECUTIVE, SHUFFLE)
_OURS: Mapping[str, tuple[str, ...]] = {
    "torus": ("mm-inc", "thrifty"),
    "fat-tree": ("mm-inc",),
}


@dataclass(frozen=True)
class FilledNetwork:
    """A network, and how many instances of a workload fill it.

    Parameters
    ----------
    topology
        ``torus`` or ``fat-tree``.
    side
        Nodes along each of the two axes of the torus of as many nodes.
    """

    topology: str
    side: int

    @property
    def is_torus(self) -> bool:
        """Whether it is a torus, and no fat-tree."""
        return self.topology == "torus"

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return self.side**2

    @property
    def instances(self) -> int:
        """Number of instances of 64 tasks."""
        return self.nodes // TASKS

    @property
    def shape(self) -> tuple[int, int]:
        """Sides of the torus, or half a switch's ports and levels of the tree."""
        if self.is_torus:
            return self.side, self.side
        levels = 1
        while RADIX**levels < self.nodes:
            levels += 1
        return RADIX, levels

    @property
    def network(self) -> Grid | KaryTree:
        """The network."""
        return Torus(*self.shape) if self.is_torus else KaryTree(*self.shape)

    @property
    def name(self) -> str:
        """Name, for headings."""
        a, b = self.shape
        if self.is_torus:
            return f"{a}x{b} torus"
        return f"{a}-ary {b}-tree"

    @property
    def of_paper(self) -> tuple[str, ...]:
        """The paper's placements; one instance has no quadrants."""
        names = _TORUS if self.is_torus else _TREE
        return tuple(n for n in names if n != QUADRANT or self.instances > 1)

    @property
    def ours(self) -> tuple[str, ...]:
        """Placements that the paper does not have."""
        return _OURS[self.topology]

    def places(self, placement: str, seed: int) -> list[tuple[int, ...]]:
        """Return the processor of every task, instance by instance.

        Parameters
        ----------
        placement
            ``random``, or an allocator, which is asked for every instance in turn. Of
            methods that choose sets, tasks are placed in the order of numbers.
        seed
            Of the first permutation.

        Returns
        -------
        list of tuple of int
            Several of ``random``, otherwise one.
        """
        if placement == RANDOM:
            return [
                tuple(np.random.default_rng(one).permutation(self.nodes).tolist())
                for one in range(seed, seed + SEEDS)
            ]
        sizes = [TASKS] * self.instances
        order = np.concatenate(place_jobs(self.network, placement, sizes, seed))
        return [tuple(order.tolist())]


SIDES = {8: 1, 16: 4, 32: 16}
"""Sides of the tori, and by what messages are divided in a run that is not full."""


def machines(shape: tuple[int, ...] | None) -> list[FilledNetwork]:
    """Return all machines, or those of as many nodes as a torus has.

    Raises
    ------
    InputError
        If the paper has no torus of these sides.
    """
    if shape is not None and shape not in {(side, side) for side in SIDES}:
        raise InputError(
            f"must be one of {', '.join(f'{side}x{side}' for side in SIDES)}",
            "shape",
            "x".join(map(str, shape)),
        )
    return [
        FilledNetwork(topology, side)
        for side in SIDES
        for topology in _OURS
        if shape is None or side**2 == prod(shape)
    ]


def message_bytes(workload: str, machine: FilledNetwork, *, full: bool) -> int:
    """Return the bytes of a workload's longest messages in a run."""
    size = WORKLOADS[workload].size
    if full or workload == _SHORT:
        return size
    return max(_LEAST, size // SIDES[machine.side])
