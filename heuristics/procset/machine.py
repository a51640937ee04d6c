"""A machine that answers one request after the other: prepared once, then fast."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import numpy.typing as npt

from ...formulations.set_classes import Cost, Radix, fits, radix_of
from ...instances import InputError, ProcessorSet
from . import frontier_kernels as kernels
from . import frontier_order

Flags = npt.NDArray[np.bool_]
MOST_ENTRIES = 1 << 22
"""Sets of open sets, over all classes, up to which a machine is narrow enough."""
ROOM = 1 << 25
"""Table entries kept at once; beyond, some are computed a second time."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The answer to a request.

    Parameters
    ----------
    chosen
        Indices of exactly as many processors as requested, ascending.
    cost
        What the sets that they touch cost, from the highest level down; without the
        level that ``lookahead`` inserts.
    exact
        Whether no choice is better.
    """

    chosen: npt.NDArray[np.int64]
    cost: Cost
    exact: bool


class Machine:
    """Processors and the sets they form, prepared to select some again and again.

    Parameters
    ----------
    n_processors
        How many there are, available or not.
    sets
        What touching them costs; as in `ProcSet`, all costs of one length.
    order
        ``given``, ``greedy``, ``cuthill-mckee`` or ``spectral``; ``auto`` takes the
        one of least predicted work.
    lookahead
        If given, every selection counts, below the first ``lookahead`` levels, the
        available processors of the opened sets that cost something at these levels;
        see `lookahead_instance`.

    Raises
    ------
    InputError
        For an order or a lookahead that there is not.

    Examples
    --------
    >>> sets = (ProcessorSet("left", (0, 1), (2,)), ProcessorSet("right", (2,), (1,)))
    >>> machine = Machine(3, sets)
    >>> found = machine.select(np.array([True, True, True]), 1)
    >>> found.chosen.tolist(), found.cost, found.exact
    ([2], (1,), True)
    >>> machine.mincosts(np.array([True, True, True]), 3)
    [(1,), (2,), (3,)]
    """

    def __init__(
        self,
        n_processors: int,
        sets: Sequence[ProcessorSet],
        *,
        order: str = "auto",
        lookahead: int | None = None,
    ) -> None:
        self.n_processors = n_processors
        self.levels = len(sets[0].cost)
        self.lookahead = lookahead
        if order != "auto" and order not in frontier_order.ORDERS:
            raise InputError(
                f"must be auto or one of {', '.join(frontier_order.ORDERS)}",
                field="order",
                value=order,
            )
        if lookahead is not None and not 1 <= lookahead <= self.levels:
            raise InputError(
                f"must lie between 1 and the number of levels, {self.levels}",
                field="lookahead",
                value=lookahead,
            )
        priced = [one for one in sets if any(one.cost)]
        base, ahead = self._fold(priced)
        inside: list[list[int]] = [[] for _ in range(n_processors)]
        for number, one in enumerate(priced):
            for i in one.members:
                inside[i].append(number)
        alike: dict[tuple[int, ...], list[int]] = {}
        for i, numbers in enumerate(inside):
            alike.setdefault(tuple(numbers), []).append(i)
        incidence, members = list(alike), list(alike.values())
        self.order, sequence = frontier_order.ordered(incidence, order)
        incidence = [incidence[c] for c in sequence]
        members = [members[c] for c in sequence]
        home = np.empty(n_processors, dtype=np.int64)
        for c, own in enumerate(members):
            home[own] = c
        self._static = kernels.Static(
            home, *_rows(members), *_rows(incidence), base, ahead
        )

    def _fold(
        self, priced: Sequence[ProcessorSet]
    ) -> tuple[kernels.Ints, kernels.Ints]:
        """Fold costs into as few words as hold them; what is fixed, and by member."""
        costs = [one.cost for one in priced]
        after = self.lookahead
        if after is not None:
            counted = [any(cost[:after]) for cost in costs]
            costs = [
                (*cost[:after], len(one.members) * (1 if yes else 0), *cost[after:])
                for cost, one, yes in zip(costs, priced, counted, strict=True)
            ]
            # availability decides what is counted: its unit is 1
            costs.append(tuple(int(x == after) for x in range(self.levels + 1)))
        levels = self.levels + (after is not None)
        self.words = _words(costs, levels)
        base = np.zeros((len(self.words), len(priced)), dtype=np.int64)
        ahead = np.zeros_like(base)
        for w, (first, last, radix) in enumerate(self.words):
            for s, _ in enumerate(priced):
                cost = list(costs[s])
                if after is not None and counted[s]:
                    cost[after] = 0
                    if first <= after < last:
                        ahead[w, s] = radix.weights[after - first]
                base[w, s] = radix.fold(tuple(cost[first:last]))
        return base, ahead

    def unfold(self, folded: Sequence[int]) -> Cost:
        """Return the cost of one integer a word, without the level of lookahead."""
        levels: list[int] = []
        for value, (_, _, radix) in zip(folded, self.words, strict=True):
            levels += radix.unfold(int(value))
        if self.lookahead is not None:
            del levels[self.lookahead]
        return tuple(levels)

    def width(self, available: Flags) -> int:
        """Return how many shared sets are in progress at once, at most.

        Known beforehand, in the order of this machine; less is available, less wide.
        """
        return int(kernels.gather(self._static, available).width)

    def select(self, available: Flags, request: int) -> Selection:
        """Choose the available processors of least cost, exactly as many as asked for.

        Parameters
        ----------
        available
            Of each processor: whether it is.
        request
            How many are wanted, at least 1.

        Raises
        ------
        InputError
            When fewer are available, or too many sets are in progress at once.
        """
        self._refuse(available, request)
        value, chosen = kernels.select(
            self._static, available, request, MOST_ENTRIES, ROOM
        )
        return Selection(chosen, self.unfold([value]), True)

    def mincosts(self, available: Flags, up_to: int) -> list[Cost]:
        """Return the least cost of every request from 1 to ``up_to``, in one sweep."""
        raise NotImplementedError

    def _refuse(self, available: Flags, request: int) -> None:
        if available.shape != (self.n_processors,):
            raise InputError(
                f"must say so of {self.n_processors} processors",
                field="available",
                value=len(available),
            )
        if request < 1:
            raise InputError("must be at least 1", field="request", value=request)
        if request > (there := int(np.count_nonzero(available))):
            raise InputError(
                f"only {there} processors are available", field="request", value=request
            )


Words = tuple[tuple[int, int, Radix], ...]
"""First level, level after the last, and folding of each word."""


def _words(costs: Sequence[Cost], levels: int) -> Words:
    """Share levels out to words, as many to each as fit into it."""
    words: list[tuple[int, int, Radix]] = []
    first = 0
    for last in range(1, levels + 1):
        part = [cost[first:last] for cost in costs]
        radix = radix_of(part, last - first)
        if not fits(part, radix):
            first = last - 1
            part = [cost[first:last] for cost in costs]
            radix = radix_of(part, 1)
        else:
            words = words[:-1] if words and words[-1][0] == first else words
        words.append((first, last, radix))
    return tuple(words)


def _rows(rows: Sequence[Sequence[int]]) -> tuple[kernels.Ints, kernels.Ints]:
    """Return where rows begin, and all rows in one."""
    begin = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    flat = [x for row in rows for x in row]
    return begin.astype(np.int64), cast(kernels.Ints, np.array(flat, dtype=np.int64))
