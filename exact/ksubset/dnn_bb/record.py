"""Record a branch and bound on semidefinite matrices as a certificate.

The search runs again, from the objective that is to be proved, and notes for every
node the integer matrices that close it, in the format of ``proofs.checking.dnn``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ....instances import KSubset
from ....instances.reading.files import MOST_BYTES
from ....proofs.checking.dnn import matrices
from ....proofs.writing.bound_arrays import NodeArrays
from ....solvers import Limit, SolverError
from ....solvers.blas import blas_threads
from ....solvers.running.limits import limits
from .relaxation import Dual
from .search import MOST_LISTED, DnnSearch, Node

MOST_CHARACTERS = MOST_BYTES - 2**20
"""Size of the text beyond which a proof is not recorded: none could read it."""
_FEWEST = 2
"""Choices of a node up to which all are always priced: two elements have no bound."""
_LARGE, _PATIENCE = 200, 5
"""Elements from which on so many looks at a bound that is high enough are taken before
long numbers may show it; of fewer, more triangles outweigh shorter numbers."""


def record(
    instance: KSubset,
    objective: int,
    chosen: tuple[int, ...],
    deadline: float,
    listed: int = MOST_LISTED,
) -> list[Any] | Limit:
    """Prove that nothing costs less than ``objective``; return the lines of the nodes.

    The limit instead, if one is reached before they are complete: ``deadline`` is a
    value of ``clock.now()``. ``chosen`` is any solution; up to ``listed`` choices of a
    node are priced one by one.

    Raises
    ------
    SolverError
        If there is a cheaper choice; states its cost.
    """
    search = _Recorder(instance, objective, chosen)
    search.listed = listed
    with limits(deadline) as watch, blas_threads(1):
        while search.unfinished():
            if limit := watch.reached():
                return limit
            search.step()
            if search.size > MOST_CHARACTERS or search.priced > matrices.MOST_LISTED:
                return Limit.NODES
    return [*_lines(search.root)]


class _Recorder(DnnSearch):
    """A search that closes nodes only by what a checker accepts, too."""

    def __init__(
        self, instance: KSubset, objective: int, chosen: tuple[int, ...]
    ) -> None:
        super().__init__(instance, chosen)
        self.best = objective
        self.size = self.priced = self._coarse = 0

    def unfinished(self) -> bool:
        """Whether nodes wait."""
        return bool(self._waiting) or self._node is not None

    def step(self) -> None:
        """Take a node, or look at its bound once more."""
        if self._ascent is not None:
            self._look()
        else:
            self._take()

    def offer(self, chosen: Iterable[int], cost: int) -> None:
        """Refuse what is cheaper than the objective."""
        if cost < self.best:
            raise SolverError(f"a choice costs {cost}")

    def _round(self, node: Node, ascent: Any) -> None:
        """Look for no solutions."""

    def _list(self, node: Node, r: int) -> None:
        """Price few choices of a node once half of what a checker prices is used."""
        self.priced += matrices.listing(len(node.chosen), len(node.left), r)
        if 2 * self.priced > matrices.MOST_LISTED:
            self.listed = _FEWEST
        super()._list(node, r)

    def _may_end(self, node: Node, dual: Dual | None) -> bool:
        return False

    def _arrays(self, node: Node, dual: Dual) -> NodeArrays:
        doubled = self.hops[np.ix_(node.left, node.left)].astype(np.int64)
        doubled[np.diag_indices_from(doubled)] = 2 * self.own(node)
        r, some = self.k - len(node.chosen), dual.triangles
        return NodeArrays(doubled, r, node.left, dual.u, dual.z, some, dual.weights)

    def _accepts(self, node: Node, dual: Dual) -> bool:
        gap = self.best - 1 - self.price(node)
        self._coarse += 1
        coarse = len(node.left) >= _LARGE and self._coarse <= _PATIENCE
        lines = self._arrays(node, dual).bound_lines(gap, coarse)
        if lines is None:
            return False
        self._note(node, lines)
        return True

    def _end(self, node: Node) -> None:
        self._coarse = 0
        super()._end(node)

    def _note(self, node: Node, lines: list[Any], below: Sequence[Node] = ()) -> None:
        node.steps += [lines, *below]
        self.size += sum(len(str(line)) for line in lines)

    def _leave_out(
        self,
        node: Node,
        dual: Dual,
        shift: float,
        out: npt.NDArray[np.bool_],
    ) -> npt.NDArray[np.bool_]:
        places = np.flatnonzero(out).tolist()
        gap = self.best - 1 - self.price(node)
        arrays = self._arrays(node, dual)
        lines, shown = arrays.out_lines(gap, shift, places)
        found = np.zeros(len(out), dtype=bool)
        if shown:
            found[shown] = True
            self._note(node, lines)
        return found


def _lines(root: Node) -> Iterator[Any]:
    """Yield the lines of a node and of the nodes below it, in preorder."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        for step in node.steps:
            if isinstance(step, Node):
                waiting.append(node.steps[-1])
                waiting.append(node.steps[-2])
                break
            yield from step
