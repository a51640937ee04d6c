"""Reaching: decide what *not* to take, one processor set at a time.

Drakenberg's SELECTPROCESSORSET (2012, Fig. 3) keeps, for every number j of
processors, one set to remove: a union of processor sets that has j available members.
From every row j it reaches larger sets: its union with each processor set. Row
|Pa| - r is removed, and the rest is the answer. The value of a removed set decides
which union a row keeps, and there the figure has two flaws:

- MAXCOSTSET prices a removed set by the processor sets that it *touches*. But its
  removal saves the sets that the answer no longer touches: the sets that it *covers*,
  of which no available member is left. That is what eq. (4) counts.
- The answer removes a union of exactly |Pa| - r processors. Where hosts have several
  processors and r is no multiple of them, there is no such union, or a poor one.

`reaching_printed` keeps both flaws. `reaching` prices by covered sets and removes the
best row up to |Pa| - r; surplus processors are then dropped, which costs nothing. On a
stream of jobs on the 256-node machine, |Pa| - r up to 12 nodes, the first is optimal in
25.5 % of the requests, the second in 99.1 %; with 8 cores a node and r no multiple of
8, the row of exactly |Pa| - r in 53.4 %, the best row in 97.6 %. See
``docs/science/procset-heuristics.md``, from ``benchmarks/bench_reaching.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from ...instances import IntArray, ProcessorSet, ProcSet
from ...solvers import DEFAULT, Limit, Result, Settings, answer
from ...solvers.running import clock
from ...solvers.running.answer import solve_prepaid
from ...solvers.running.limits import limits
from . import reaching_kernels as kernels
from .layout import layout_of

_WORK = 2**24
"""Sets counted between two checks of the clock, about 0.05 s."""


def reaching_printed(instance: ProcSet, /, settings: Settings = DEFAULT) -> Result:
    """Remove unions of processor sets, priced by what they touch, as printed.

    When no union has exactly |Pa| - r processors, or none was kept, nothing is
    removed: the answer is all available processors, as in the figure.

    Guarantee: none.
    Time: O((|Pa| - r) S), S the sum over all sets of their classes' memberships.
    Ties: chosen at random by the seed between unions of one size and price.
    Source: Drakenberg 2012, section 5, Fig. 3.
    """
    return _run(instance, settings, covers=False)


def reaching(instance: ProcSet, /, settings: Settings = DEFAULT) -> Result:
    """Remove unions of processor sets, priced by what their removal saves.

    Stopped early, it removes the best union found so far.

    Guarantee: none.
    Time: O((|Pa| - r) S), S the sum over all sets of their classes' memberships.
    Ties: chosen at random by the seed between unions of one size and price;
        between sizes, the larger; surplus processors go from the last.
    Source: Drakenberg 2012, Fig. 3, with prices as eq. (4) has them; see
        docs/science/procset-heuristics.md.
    """
    if instance.required:
        return solve_prepaid(reaching, instance, settings)
    return _run(instance, settings, covers=True)


class ReachingMachine:
    """The sets of a machine as arrays, prepared once for many requests.

    Parameters
    ----------
    processors
        Number of processors.
    sets
        Processor sets; their members are below that number.
    covers
        Whether unions are priced by the sets that they cover, and the best up to
        |Pa| - r is removed; or as printed.

    Examples
    --------
    >>> rack = ProcessorSet("rack", (0, 1), (5,))
    >>> far = ProcessorSet("far", (2, 3, 4), (7,))
    >>> machine = ReachingMachine(5, [rack, far])
    >>> machine.select(np.array([True, True, True, True, False]), 2).tolist()
    [0, 1]
    """

    def __init__(
        self,
        processors: int,
        sets: Sequence[ProcessorSet],
        *,
        covers: bool = True,
    ) -> None:
        self.layout = layout_of(processors, sets)
        self.covers = covers
        self.classes = len(self.layout.class_first) - 1
        self._full = np.empty(len(sets), dtype=np.int64)
        self._weight = np.empty(len(sets), dtype=np.int64)

    def select(
        self,
        available: npt.NDArray[np.bool_],
        request: int,
        seed: int = 0,
        stop: Callable[[], bool] = lambda: False,
    ) -> IntArray:
        """Choose at least as many available processors as requested.

        Parameters
        ----------
        available
            Whether each processor is available, shape (processors,).
        request
            At least 1, at most as many as are available.
        seed
            Random seed for ties.
        stop
            Called at intervals; when it returns True, the search ends.

        Returns
        -------
        numpy.ndarray
            Indices of processors, ascending; exactly as many as requested, except as
            printed.
        """
        home = self.layout.home
        count = np.bincount(home[available], minlength=self.classes)
        kernels.present_of(self.layout, count, self._full, self._weight)
        surplus = int(count.sum()) - request
        rows = surplus + 1
        bits = np.zeros((rows, self.classes + 63 >> 6), dtype=np.uint64)
        price = np.zeros((rows, self.layout.price.shape[1]), dtype=np.int64)
        held = np.zeros(rows, dtype=np.bool_)
        state = np.array([seed ^ 0x5DEECE66D, 0])
        row = -1
        while True:
            row = kernels.reach(
                self.layout, count, self._full, self._weight, self.covers,
                bits, price, held, row, state, _WORK,
            )  # fmt: skip
            if row >= surplus or stop():
                break
        size = self._best(price, held)
        kept = available
        if held[size]:
            union = np.unpackbits(bits[size].view(np.uint8), bitorder="little")
            kept = available & ~union.astype(np.bool_)[home]
        chosen = np.flatnonzero(kept)
        return chosen[:request] if self.covers else chosen

    def _best(self, price: IntArray, held: npt.NDArray[np.bool_]) -> int:
        """Return the row to remove: the last one, or the one of greatest value."""
        if not self.covers:
            return len(held) - 1
        rows = np.flatnonzero(held)
        if not len(rows):
            return 0
        return int(rows[np.lexsort((rows, *price[rows].T[::-1]))[-1]])


def _run(instance: ProcSet, settings: Settings, *, covers: bool) -> Result:
    start = clock.now()
    deadline = start + settings.time_limit
    machine = ReachingMachine(len(instance.processors), instance.sets, covers=covers)
    available = np.zeros(len(instance.processors), dtype=np.bool_)
    available[list(instance.available)] = True
    limit: Limit | None = None
    with limits(deadline) as watch:

        def stop() -> bool:
            nonlocal limit
            limit = watch.reached()
            return limit is not None

        chosen = machine.select(available, instance.request, settings.seed, stop)
    return answer(instance, chosen, start=start, limit=limit, seed=settings.seed)
