"""Meshes with I/O nodes along one side, as Mache, Lo and Garg 1999 simulate them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...instances import Grid, InputError, IntArray, Mesh
from ...instances.topologies import Topology
from ..messages import Ints

SIDES = ("west", "east", "north", "south")


@dataclass(frozen=True)
class IoSide:
    """A mesh of two axes, and a row or column of I/O nodes on one of its sides.

    Parameters
    ----------
    processors
        The mesh without the I/O nodes; its first axis runs from north to south.
    side
        One of `SIDES`.

    Raises
    ------
    InputError
        If the network is no mesh of two axes, or there is no such side.

    Examples
    --------
    >>> west = IoSide(Mesh(2, 3), "west")
    >>> west.network.shape, west.io.tolist(), west.nodes(np.arange(6)).tolist()
    ((2, 4), [0, 4], [1, 2, 3, 5, 6, 7])
    """

    processors: Topology
    side: str = "west"

    def __post_init__(self) -> None:
        mesh = self.processors
        if not mesh.is_plane:
            raise InputError("needs a mesh of two axes", "io-nodes", self.side)
        if self.side not in SIDES:
            raise InputError(
                f"must be one of {', '.join(SIDES)}", "io-nodes", self.side
            )

    @property
    def _shape(self) -> tuple[int, int]:
        rows, columns = self.processors.size
        return rows, columns

    @property
    def _axis(self) -> int:
        return int(self.side in ("west", "east"))

    @property
    def network(self) -> Grid:
        """The mesh with its I/O nodes."""
        rows, columns = self._shape
        return Mesh(rows, columns + 1) if self._axis else Mesh(rows + 1, columns)

    @property
    def io(self) -> Ints:
        """Numbers of the I/O nodes in the network, ascending."""
        shape = self.network.shape
        at = 0 if self.side in ("west", "north") else shape[self._axis] - 1
        numbers = np.arange(shape[0] * shape[1]).reshape(shape)
        return numbers[:, at] if self._axis else numbers[at]

    def nodes(self, processors: IntArray) -> Ints:
        """Return the numbers in the network of processors of the mesh."""
        row, column = np.divmod(processors, self._shape[1])
        row = row + (self.side == "north")
        column = column + (self.side == "west")
        found: Ints = row * self.network.shape[1] + column
        return found
