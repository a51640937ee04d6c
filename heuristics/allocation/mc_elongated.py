"""MC-Elongated: whole columns, balanced round the middle, and shells round them."""

from __future__ import annotations

import numpy as np

from ...instances import IntArray
from .allocator import Allocation, Allocator
from .shells import Shells, grid_of


class MCElongated(Allocator):
    """Fill whole columns round the best one, then columns further out, middle first.

    There is one row per node for input and output. A job of k processors has one
    candidate per column, idle or not. Shell 0 consists of the floor(k / rows) whole
    columns centred on it, shell s of the columns s further left and right. A candidate
    takes the first k idle processors by shell; its cost is the sum of their shell
    numbers, and the candidate of least cost is chosen. Within a shell the processors
    nearest to the middle I/O link come first, which balances the job. Tasks go column
    by column, down the rows.

    Decisions that the source leaves open: of w columns, (w - 1) // 2 lie to the left of
    the centre, so that of two columns the left one is the centre. The source's
    definition has floor(k / 2 rows), but its worked example puts columns 5 and 6 round
    column 5, and its costs are obtained only in this way. A job of less than a column
    has its centre column as shell 0, as zero columns have no ring. On a mesh, columns
    beyond the edges are missing; on a torus they wrap round.

    Guarantee: none.
    Time: O(n + c s) for n processors in c columns and up to s shells.
    Ties: of candidates, the first column. Within a shell, at equal height from the
    middle, column, then above before below.
    Source: Mache et al. 1999, section 3.2, Figs. 6 to 8.
    """

    def costs(self, k: int) -> list[int]:
        """Return the costs of the candidates of all columns.

        There must be at least k idle processors.
        """
        shells, box = self._shells(k)
        columns = np.arange(shells.side[0], dtype=np.int64)[:, None]
        return [shells.scan(box, k, columns[i : i + 1])[0] for i in range(len(columns))]

    def _shells(self, k: int) -> tuple[Shells, IntArray]:
        grid = grid_of(self.topology)
        idle = np.count_nonzero(self.idle.reshape(grid.shape), axis=0)
        shells = Shells(idle.astype(np.int64), rings=grid.rings[1:])
        return shells, shells.box([max(1, k // grid.shape[0])])

    def _choose(self, k: int, shape: tuple[int, ...] | None) -> Allocation:
        rows, columns = grid_of(self.topology).shape
        shells, box = self._shells(k)
        _, centre = shells.scan(box, k, np.arange(columns, dtype=np.int64)[:, None])
        numbers = np.flatnonzero(self.idle)
        row, column = np.divmod(numbers, columns)
        shell = shells.beyond(box, np.array([centre]), column[:, None])[:, 0]
        order = np.lexsort((row, column, np.abs(2 * row - (rows - 1)), shell))
        used = numbers[order[:k]]
        return Allocation.of(used[np.lexsort((used, used % columns))])
