"""Branch and bound over the orders of a job's ranks.

Depth first, from the order that annealing finds. A node is a partial order, bounded by
Gilmore and Lawler; the reduced costs of the bound's assignment bound its children, and
choose what is branched on: the rank, or the processor, whose children's bounds are
greatest. Of children that a symmetry of the machine (or of the traffic) takes to each
other, leaving everything placed where it is, one is searched. Bounds are rounded up to
multiples of what divides all costs.
"""

from __future__ import annotations

import numpy as np

from ....exact.search import SteppableSearch
from ....instances import InputError
from ....solvers import DEFAULT, Grade, Proof, Result, Settings
from ....solvers.running import clock
from ..heuristics.annealing import annealing
from ..instance import RankMapping
from ..models.answer import mapping_result
from ..models.gilmore_lawler import matrices_of, room_for
from . import kernels

MOST_RANKS = 64
"""Far above what can be proved: the search of larger ones would only take time."""
SEARCHED = Proof(Grade.ENUMERATED, "mapping-bb")


def exact(mapping: RankMapping, /, settings: Settings = DEFAULT) -> Result:
    """Search all orders, cut off by the Gilmore-Lawler bound.

    At a limit the best order and the least bound of what is left are returned.

    Guarantee: optimal if it ends.
    Time: O(n^3) per node, and n! nodes at worst.
    Ties: none.
    Source: Gilmore 1962, Lawler 1963; branching as in Mautor and Roucairol 1994.

    Raises
    ------
    InputError
        If there are more than 64 ranks.
    """
    start = clock.now()
    if mapping.ranks > MOST_RANKS:
        raise InputError(
            f"exact takes at most {MOST_RANKS} ranks, not {mapping.ranks}; annealing "
            "takes more",
            "method",
        )
    found = annealing(mapping, settings)
    assert found.chosen is not None
    search = MappingSearch(mapping, found.chosen)
    limit = search.run(start + settings.time_limit, settings.node_limit)
    return mapping_result(
        mapping,
        search.chosen,
        start=start,
        bound=search.bound,
        proof=SEARCHED,
        limit=limit,
        seed=settings.seed,
        nodes=search.nodes,
    )


class MappingSearch(SteppableSearch):
    """The search of one instance of at most 64 ranks, from an order of them."""

    def __init__(self, mapping: RankMapping, order: tuple[int, ...]) -> None:
        n = mapping.ranks
        self.mapping = mapping
        self._given = matrices_of(mapping)
        self._room = room_for(n)

        def row() -> kernels.Ints:
            return np.zeros(n, np.int64)

        self._stack = kernels.Stack(
            by_rank=row(),
            item=row(),
            size=row(),
            next=row(),
            child=np.zeros((n, n), np.int64),
            least=np.zeros((n, n), np.int64),
        )
        self._state = kernels.MappingState(
            tally=np.zeros(4, np.int64),
            place=row() - 1,
            holder=row() - 1,
            best=np.array(order, np.int64),
            image=row(),
            source=row(),
            points=row(),
            at=row(),
            kept=row(),
            bounds=row(),
        )
        self.best, self.nodes = mapping.cost(order), 0
        tally = self._state.tally
        tally[kernels.BEST] = 2 * self.best
        fixed = self._given, mapping.unit, self._room, self._stack, self._state
        tally[kernels.DONE] = not kernels.expand(*fixed)

    @property
    def chosen(self) -> tuple[int, ...]:
        """Processors of the ranks in the best order so far."""
        return tuple(self._state.best.tolist())

    @property
    def bound(self) -> int:
        """The least of the bounds of what is left, and the best cost."""
        if not self._unfinished():
            return self.best
        depth = int(self._state.tally[kernels.DEPTH])
        stack = self._stack
        left = [
            int(stack.least[d, stack.next[d]])
            for d in range(depth + 1)
            if stack.next[d] < stack.size[d]
        ]
        return min(2 * self.best, *left) // 2 if left else self.best

    def _unfinished(self) -> bool:
        return not self._state.tally[kernels.DONE]

    def _step(self, budget: int) -> None:
        state = self._state
        fixed = self._given, self.mapping.unit, self._room, self._stack, state
        kernels.search(*fixed, budget)
        self.best = int(state.tally[kernels.BEST]) // 2
        self.nodes = int(state.tally[kernels.NODES])
