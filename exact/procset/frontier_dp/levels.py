"""Large requests, level by level: multipliers first, then the dynamic program.

Folded into one integer, a cost has a weak bound: a gap of a third of a line card at
the first level exceeds all that the lower levels can contribute. So each level gets a
bound of its own, with multipliers for the levels above, which are already optimal.
See docs/science/procset.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ....heuristics.procset.layout import ragged
from . import kernels_layers, kernels_levels, layout
from . import order as frontier_order
from .folding import Folding

Flags = npt.NDArray[np.bool_]
LARGE = 1 << 20
"""Available classes times request from which this pays off."""
MOST_ENTRIES = 1 << 19
"""Sets of open sets, summed over all groups, up to which this is tried."""
ROOM = 1 << 21
"""Limit on the number of table entries."""


class Levels:
    """A machine whose classes are grouped by the shared sets that contain them.

    Made from the class of each processor, and the sets that contain each class.
    """

    def __init__(self, home: layout.Ints, incidence: Sequence[Sequence[int]]) -> None:
        lies_in = Counter(s for sets in incidence for s in sets)
        shared = sorted(s for s, classes in lies_in.items() if classes > 1)
        name = {s: number for number, s in enumerate(shared)}
        alike: dict[tuple[int, ...], list[int]] = {}
        for c, sets in enumerate(incidence):
            own = tuple(name[s] for s in sets if s in name)
            alike.setdefault(own, []).append(c)
        _, sequence = frontier_order.ordered(list(alike))
        self._shared = np.array(shared, dtype=np.int64)
        self._first, order = ragged([list(alike.values())[g] for g in sequence])
        position = np.argsort(order)
        self._home = position[home]
        self._own = [
            (int(position[c]), s)
            for c, sets in enumerate(incidence)
            for s in sets
            if s not in name
        ]
        group = np.searchsorted(self._first, self._home, side="right") - 1
        self._rows = (
            group,
            np.searchsorted(np.sort(group), np.arange(len(sequence) + 1)),
            np.argsort(group, kind="stable"),
            *ragged([list(alike)[g] for g in sequence]),
        )
        self._folded: dict[int, tuple[layout.Static, layout.Ints, layout.Ints]] = {}

    def _costs(
        self, folding: Folding
    ) -> tuple[layout.Static, layout.Ints, layout.Ints]:
        """Return the costs of shared sets and the private costs of classes."""
        if folding.request not in self._folded:
            own = np.zeros(
                (2, len(folding.words), int(self._first[-1])), dtype=np.int64
            )
            for c, s in self._own:
                own[0, :, c] += folding.base[:, s]
                own[1, :, c] += folding.ahead[:, s]
            static = layout.Static(
                *self._rows,
                np.ascontiguousarray(folding.base[:, self._shared]),
                np.ascontiguousarray(folding.ahead[:, self._shared]),
            )
            self._folded[folding.request] = static, own[0], own[1]
        return self._folded[folding.request]

    def select(
        self, folding: Folding, available: Flags, request: int
    ) -> tuple[list[int], npt.NDArray[np.int64]] | None:
        """Return the least cost, in words, and the choice; None if not found."""
        static, base, ahead = self._costs(folding)
        plan = kernels_layers.gather(static, available)
        if plan.bits > layout.MOST_BITS:
            return None
        fine, layers = kernels_layers.grow(plan, MOST_ENTRIES)
        if not fine:
            return None
        if len(folding.words) > 1:
            kernels_layers.price_words(plan, layers)
        word, weight, radix = _levels(folding)
        state, cost, taken = kernels_levels.solve(
            layers.begin,
            layers.skip,
            layers.take,
            layers.cost,
            plan.which,
            self._first,
            self._home,
            available,
            base,
            ahead,
            word,
            weight,
            radix,
            request,
            ROOM,
        )
        if state != kernels_levels.FOUND:
            return None
        chosen = np.flatnonzero(available & (taken[self._home] > 0))
        if len(chosen) > request:
            order = np.argsort(self._home[chosen], kind="stable")
            chosen = np.sort(chosen[order[:request]])
        return [int(x) for x in cost], chosen


def _levels(folding: Folding) -> tuple[layout.Ints, layout.Ints, layout.Ints]:
    """Return the word, weight in the word, and radix of each level."""
    rows = []
    for w, (_, _, one) in enumerate(folding.words):
        above = folding.spans[w]
        for weight in one.weights:
            rows.append((w, weight, above // weight))
            above = weight
    word, weights, radix = np.array(rows, dtype=np.int64).T.copy()
    return word, weights, radix
