"""Close and re-open: a local search over the sets that a selection opens.

Once a set is opened, all of its processors may be used at no further cost; so a
selection is priced, and changed, by the sets that it opens. Starting from
`reaching`:

- *close* an opened set, or two shared ones: all of their processors are dropped and
  banned for this move; then sets are re-opened, the cheapest per processor first, until
  there are enough processors again;
- *open* a set as a whole;

and after either, *peel*: drop what is not needed, the set that saves most first. The
first move that lowers the cost is made, until no move does. Then some opened sets are
closed at random, and the search starts again from there; the best of all selections is
returned.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ...instances import IntArray, ProcSet
from ...solvers import DEFAULT, Limit, Result, Settings, answer
from ...solvers.running import clock
from ...solvers.running.limits import limits
from . import local_search_kernels as kernels
from .layout import Layout
from .local_search_kernels import Ground
from .reaching import ReachingMachine
from .reaching_kernels import present_of

Flags = npt.NDArray[np.bool_]

RESTARTS = 20
"""Number of restarts."""
MOST_OPENED = 60
"""Shared sets opened by the first choice, up to which pairs of them are closed."""
_WORK = 2**21
"""Classes visited between two checks of the clock, about 0.02 s."""


def local_search(instance: ProcSet, /, settings: Settings = DEFAULT) -> Result:
    """Close and re-open sets until no move improves; restart twenty times.

    The node limit counts moves tried. Stopped early, it returns the best so far.

    Guarantee: none; never worse than reaching with the same seed.
    Time: no bound known; a move takes O(sets x their classes) for each set re-opened.
    Ties: the first move that improves, in a random order; surplus
        processors go from the last.
    Source: derived for closeknit.
    """
    start = clock.now()
    n = len(instance.processors)
    machine = ReachingMachine(n, instance.sets)
    available = np.zeros(n, dtype=np.bool_)
    available[list(instance.available)] = True
    with limits(start + settings.time_limit, settings.node_limit) as watch:
        limit: Limit | None = None

        def stopped(tried: int = 0) -> bool:
            nonlocal limit
            limit = watch.reached(tried)
            return limit is not None

        chosen = machine.select(available, instance.request, settings.seed, stopped)
        if limit is None:
            search = _Search(machine.layout, available, chosen, instance.request)
            search.run(settings, stopped)
            kept = search.best[machine.layout.home] & available
            chosen = np.flatnonzero(kept)[: instance.request]
    return answer(instance, chosen, start=start, limit=limit, seed=settings.seed)


class _Search:
    """The best selection so far: whether each class is taken; and its cost."""

    def __init__(
        self, layout: Layout, available: Flags, chosen: IntArray, request: int
    ) -> None:
        classes, sets = len(layout.class_first) - 1, len(layout.set_first) - 1
        count = np.bincount(layout.home[available], minlength=classes)
        full, weight = np.empty(sets, np.int64), np.empty(sets, np.int64)
        present_of(layout, count, full, weight)
        deep = layout.price.shape[1]
        shared = np.flatnonzero(full > 1)
        self.best = np.bincount(layout.home[chosen], minlength=classes) > 0
        self.best |= (count > 0) & (np.diff(layout.class_first) == 0)  # they are free
        self.hits = np.zeros(sets, dtype=np.int64)
        inside = self.best[layout.set_class]
        of = np.repeat(np.arange(sets), np.diff(layout.set_first))
        np.add.at(self.hits, of, inside)
        self.ground = Ground(
            layout=layout,
            free=count,
            value=layout.price @ np.array([2.0 ** (-62 * w) for w in range(deep)]),
            shared=shared,
            moves=np.flatnonzero(full),
            request=request,
            pairs=bool(np.count_nonzero(self.hits[shared]) <= MOST_OPENED),
        )
        self.price = np.empty(deep, dtype=np.int64)
        kernels.price_of(layout, self.hits, self.price)
        self.state = np.zeros(4, dtype=np.int64)

    def run(self, settings: Settings, stopped: Callable[[int], bool]) -> None:
        """Descend, then restart with some opened sets closed."""
        random = np.random.default_rng(settings.seed)
        ground = self.ground._replace(
            shared=random.permutation(self.ground.shared),
            moves=random.permutation(self.ground.moves),
        )
        most = -1 if settings.node_limit is None else settings.node_limit
        for start in range(RESTARTS + 1):
            taken, hits, price = self.best.copy(), self.hits.copy(), self.price.copy()
            if start:
                opened = ground.moves[hits[ground.moves] > 0]
                few = random.permutation(opened)[: random.integers(2, 5)]
                if not kernels.close_some(ground, taken, hits, few, self.state):
                    continue
                kernels.price_of(ground.layout, hits, price)
            self.state[kernels.SINCE] = 0
            while True:
                ended = kernels.descend(
                    ground, taken, hits, price, self.state, most, _WORK
                )
                if price.tolist() < self.price.tolist():
                    self.best, self.hits = taken.copy(), hits.copy()
                    self.price = price.copy()
                if not ended and stopped(int(self.state[kernels.TRIED])):
                    return
                if ended:
                    break
