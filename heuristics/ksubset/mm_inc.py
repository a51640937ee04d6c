"""Exchange descent from the Manhattan median's choice to a local minimum."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from ...instances import KSubset, arrays
from ...instances.support.record import fill_up
from ...solvers import DEFAULT, Limit, Result, Settings, answer
from ...solvers.running import clock
from ...solvers.running.method import Run, stopped_result
from . import mm_inc_kernels as kernels
from .mm import mm, mm_all
from .stars import star_sums


def mm_inc(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Improve mm's answer by best exchanges until none helps.

    In every step, of all exchanges of a chosen p for a free q the one that lowers the
    pair sum most is carried out. Where processors are required, it starts from these
    and those nearest to all of them instead, and they are not exchanged.

    Guarantee: that of mm, and never above mm; none where processors are required.
    Time: O(n d + k m) per exchange, m ≤ n - k being the processors near enough to
        help; on a tree times the length of a path. Space O(n d).
    Ties: among equal exchanges the least p, then the least q, by coordinates.
    Source: Bender et al. 2008, section 5 (MM+Inc).
    """
    return _improve(instance, settings, _nearest if instance.required else mm)


def _nearest(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Choose the required processors, and those of least distance to all of them."""
    start = clock.now()
    required = instance.required_indices
    order = np.argsort(star_sums(instance, np.array(required)), kind="stable").tolist()
    return answer(instance, fill_up(required, order, instance.k), start=start)


def mm_inc_all(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Improve mm-all's answer by best exchanges until none helps.

    Otherwise like ``mm-inc``, and the same on points and trees.

    Guarantee: that of mm, and never above mm-all.
    Time: that of mm-all, and of mm-inc for an exchange.
    Ties: among equal exchanges the least p, then the least q, by coordinates.
    Source: Bender et al. 2008, section 5 (MM+Inc) and note to Table 1.
    """
    return _improve(instance, settings, mm_all)


def mm_inc_first(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Improve mm's answer by first exchanges until none helps.

    Exchanges of a chosen p for a free q are tried by p, then q, in order of
    coordinates; the first that lowers the pair sum is carried out, and the search
    starts again.

    Guarantee: that of mm, and never above mm.
    Time: O(n d + k m) per exchange, m ≤ n - k being the processors near enough to
        help; on a tree times the length of a path. Space O(n d).
    Ties: the order of the exchanges decides.
    Source: Bender et al. 2008, section 5 (MM+Inc).
    """
    return _improve(instance, settings, mm, first=True)


class Descent:
    """A descent that can be stopped between any two exchanges.

    It starts from a valid choice, by index, and carries out the best exchange that
    lowers the pair sum, or the first. Required processors stay.
    """

    def __init__(
        self, instance: KSubset, chosen: Collection[int], *, first: bool = False
    ) -> None:
        self.k, self.first = instance.k, first
        self.places = places(instance)
        start = np.array(sorted(chosen), dtype=np.int64)
        self.picked = np.zeros(instance.n, dtype=np.bool_)
        self.picked[start] = True
        self.star = star_sums(instance, start)
        self.required = np.array(instance.required_indices, dtype=np.int64)
        self.exchanges = 0

    @property
    def chosen(self) -> tuple[int, ...]:
        """The current choice."""
        return tuple(int(p) for p in np.flatnonzero(self.picked))

    def run(self, deadline: float | None = None) -> Limit | None:
        """Descend; return the limit that stopped it, None at a local minimum."""
        try:
            while deadline is None or clock.now() < deadline:
                self.star[self.required] = 0  # none is exchanged that costs nothing
                out, into, _ = kernels.find(
                    self.places, self.picked, self.star, self.k, self.first
                )
                if out < 0:
                    return None
                kernels.exchange(self.places, self.picked, self.star, out, into)
                self.exchanges += 1
        except KeyboardInterrupt:
            return Limit.INTERRUPT
        return Limit.TIME


def places(instance: KSubset) -> kernels.Places:
    """Convert an instance to the input of the kernels."""
    topology = instance.topology
    side = np.zeros(topology.dimension, dtype=np.int64)
    parent = weight = rank = np.zeros(0, dtype=np.int64)
    table = np.zeros((0, 0), dtype=np.int64)
    if topology.ring_lengths is not None:
        side[:] = topology.ring_lengths
    elif tree := topology.tree:
        parent = np.array(tree.parent, dtype=np.int64)
        weight = np.array(tree.weight, dtype=np.int64)
        rank = np.argsort(tree.order)
    else:
        table = arrays.hops(instance).copy()
    return kernels.Places(
        arrays.points(instance).copy(), side, parent, weight, rank, table
    )


def _improve(
    instance: KSubset, settings: Settings, median: Run, *, first: bool = False
) -> Result:
    start = clock.now()
    begin = median(instance, settings)
    assert begin.chosen is not None
    if begin.limit is not None:
        return answer(instance, begin.chosen, start=start, limit=begin.limit)
    descent = Descent(instance, begin.chosen, first=first)
    limit = descent.run(start + settings.time_limit)
    return answer(instance, descent.chosen, start=start, limit=limit)


def first_solution(instance: KSubset, settings: Settings) -> Result:
    """Return what mm-inc finds, or any choice if it is interrupted before that.

    A quarter of the time is left for bounds.
    """
    start = clock.now()
    try:
        return mm_inc(
            instance, replace(settings, time_limit=0.75 * settings.time_limit)
        )
    except KeyboardInterrupt:
        return stopped_result(instance, Limit.INTERRUPT, start=start)
