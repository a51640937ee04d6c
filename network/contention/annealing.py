"""Processors that load links little, by annealing over exchanges.

The busiest link has plateaus on which a search stalls, so the sum of the eighth powers
of what the used links carry stands for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

import numpy as np
import numpy.typing as npt

from ...instances import IntArray
from ..loads import NONE, LoadTable, busiest_of, coarsen
from . import annealing_kernels as kernels

SMOOTH = 8
"""Power whose sum stands for the busiest link."""
STEPS = 2500
"""Exchanges that are tried from each start."""
_HOT, _COLD = 0.5, 5e-4
"""Temperatures at first and at last, in parts of the cost of the start for each task: a
task accounts for about two."""
_ALIKE = 1e-9
"""Costs that differ by such a part do so by rounding."""


class Annealing:
    """A search on one network.

    Parameters
    ----------
    table
        Loads of all pairs.
    capacity
        Of every link, in ports.
    """

    def __init__(self, table: LoadTable, capacity: Sequence[float]) -> None:
        self.table = table
        self.capacity = np.asarray(capacity, np.float64)

    def choose(
        self,
        starts: Sequence[IntArray],
        free: IntArray,
        *,
        background: npt.ArrayLike,
        power: int = 0,
        reserve: int = 0,
        traffic: IntArray | None = None,
        seed: int = 0,
        steps: int = STEPS,
    ) -> IntArray:
        """Return the best processors found, ascending; none worse than any start.

        Parameters
        ----------
        starts
            Sets to begin with, by number; of choices alike the first's is returned.
        free
            All processors that may be taken.
        background
            What others send over each link, in ports.
        power, reserve
            Of contention, and ports thought to be sent more for each of a capacity; 0
            for the busiest link.
        traffic
            Units from each task to each other, which are in the order of processors;
            None for one each. The task that sends or receives most does so at the rate
            of its port.
        seed, steps
            Of the draws; exchanges from each start.
        """
        table = self.table
        k = len(starts[0])
        units = 1 - np.eye(k, dtype=np.int64) if traffic is None else traffic
        units = coarsen(units, table.whole)
        before = np.asarray(background) / self.capacity + reserve
        unit = 1.0 / (table.whole * busiest_of(units) * self.capacity)
        wires = kernels.Wires(
            *(table.first, table.link, table.amount, table.row, table.column),
            *(before, unit, power or SMOOTH, not power),
        )
        pairs = pairs_of(units, traffic is None)
        found, least = NONE, inf
        for number, start in enumerate(starts):
            places = np.sort(np.asarray(start, np.int64))
            others = np.setdiff1d(free, places)
            best = places.copy()
            load = table.of(places.tolist(), units)
            state = np.array([1 + (seed + 7919 * number) % 2147483646])
            tried = steps if len(others) else 0
            heat = _HOT / k, _COLD / k
            kernels.anneal(
                *(wires, pairs, places, others, load, best, tried, *heat, state)
            )
            best.sort()
            cost = float(kernels.total(wires, table.of(best.tolist(), units)))
            if cost < least * (1 - _ALIKE):
                found, least = best, cost
        return found


def pairs_of(units: IntArray, alike: bool) -> kernels.Pairs:
    """Return the pairs of tasks that send, from what each sends to each."""
    source, target = (some.copy() for some in np.nonzero(units))
    tasks = np.concatenate([source, target])
    pair = np.tile(np.arange(len(source)), 2)
    order = np.argsort(tasks, kind="stable")
    first = np.concatenate([[0], np.cumsum(np.bincount(tasks, minlength=len(units)))])
    amount = units[source, target].astype(np.int64)
    return kernels.Pairs(source, target, amount, first, pair[order], alike)
