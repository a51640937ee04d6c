"""Dynamic program over a ring: exact also where windows are not optimal.

Rotate a diameter by half a turn. With h of the chosen processors on its first side it
costs h (k - h), and w is the integral of that over the rotation: two nodes are on
different sides over an angle equal to their distance. Let a be the number chosen
on the first side at the beginning. The diameter meets every processor once; when
i of those met in the first half and j of those in the second are chosen, h is
a - i + j. So for each a the least cost up to every (i, j) follows from that one
processor earlier, and the answer is at (a, k - a).

A ring of C nodes is measured in half steps: diameters stand between the 2 C places
of a ring twice as fine, so that odd and even C are one case, and costs are doubled.

Most values of a need no such table. Relax the condition that i must become a by a
Lagrangian multiplier (charge) per chosen processor, refunded k times: for any charge,
the least cost up to every h bounds the optimum for a from below, in O(n) steps for
each h. The values of a that remain after a few charges are searched by bound.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ....heuristics.ksubset.one_axis import along, ring_of
from ....heuristics.ksubset.ring_window import best_window
from ....instances import InputError, KSubset
from ....solvers import DEFAULT, Grade, Limit, Proof, Result, Settings, answer
from ....solvers.running import clock
from ....solvers.running.limits import limits
from . import kernels as kernels

PROOF = Proof(Grade.ENUMERATED, "ring-dp")
MOST_BYTES = 2**30
"""Memory for recovering a choice; instances that could need more are refused."""
_CHARGES = 12
"""Charges tried before a table is filled."""
_WORK = 2**26
"""States processed between two checks of the limits, about 0.1 s."""


def ring_dp(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Find an optimum on a ring by rotating a diameter.

    Starts from the best window and searches only for lower costs. Stopped early, it
    returns the best choice so far and the Lagrangian bound.

    Guarantee: exact.
    Time: O(n k³), with at most n k³/6 states; O(n k²) where bounds suffice, which
        is the rule. Memory at most n k²/32 bytes.
    Ties: the window that starts lowest, unless something is cheaper.
    Source: derived for closeknit, see docs/science/theory.md.

    Raises
    ------
    InputError
        If recovering a choice could take more than 1 GiB.
    """
    start = clock.now()
    turn = _Turn(instance)
    if (room := turn.room(instance.k // 2)) > MOST_BYTES:
        raise InputError(
            f"k = {instance.k} of n = {instance.n} could need {room >> 20} MiB, "
            f"more than {MOST_BYTES >> 20}",
            "ring-dp",
        )
    deadline = start + settings.time_limit
    with limits(deadline) as watch:
        stopped = turn.run(watch.reached)
    return answer(
        instance,
        turn.chosen,
        start=start,
        bound=turn.bound,
        proof=PROOF,
        limit=stopped,
    )


class _Turn:
    """The processors in the order of the diameter, and the best choice so far."""

    def __init__(self, instance: KSubset) -> None:
        n, self.k = instance.n, instance.k
        at, side = along(instance), ring_of(instance)
        second = 2 * at >= side
        met = np.where(second, 2 * at - side, 2 * at)
        self.order = np.argsort(met, kind="stable")
        self.second = second[self.order].astype(np.uint8)
        ends = np.concatenate([[-1], met[self.order], [side - 1]])
        self.gap = np.diff(ends)
        halves = np.stack([self.second == 0, self.second == 1], axis=1)
        self.left = np.zeros((n + 1, 2), dtype=np.int64)
        self.left[:n] = np.cumsum(halves[::-1], axis=0)[::-1]
        first, price = best_window(instance)
        self.best = 2 * price
        least = max(0, self.k - int(self.left[0, 1]))
        most = min(self.k, int(self.left[0, 0]))
        self.below = dict.fromkeys(range(least, most + 1), 0)
        self.chosen = [i % n for i in range(first, first + self.k)]

    def room(self, a: int) -> int:
        """Bytes needed to recover a choice with a in the first half."""
        cells = (a + 1) * (self.k - a + 1)
        return cells * (len(self.order) // 8 + 1 + 8)

    @property
    def bound(self) -> int:
        """The best proved lower bound so far, in hops."""
        least = min(self.best, *self.below.values())
        return -(-least // 2)

    def run(self, limit: Callable[[], Limit | None]) -> Limit | None:
        """Try every number in the first half; return the limit that stopped it."""
        for a in self.below:
            if stopped := limit():
                return stopped
            self.below[a] = self._relax(a)
        for a in sorted(self.below, key=lambda a: (self.below[a], a)):
            if self.below[a] >= self.best:
                break
            if stopped := limit() or self._sweep(a, limit):
                return stopped
            self.below[a] = self.best
        return None

    def _relax(self, a: int) -> int:
        """Bound the cost with a in the first half; bisect for the best charge."""
        usual = self.best // self.k
        low, high = -2 * usual, 4 * usual  # starts at the usual charge
        bound = 0
        for _ in range(_CHARGES):
            charge = (low + high) // 2
            value, chosen = kernels.bound_turn(self.gap, self.second, a, self.k, charge)
            bound = max(bound, value)
            if bound >= self.best or chosen == self.k:
                break
            if chosen > self.k:
                low = charge
            else:
                high = charge
        return bound

    def _sweep(self, a: int, limit: Callable[[], Limit | None]) -> Limit | None:
        """Search for a lower cost with a in the first half."""
        n, b = len(self.order), self.k - a
        last = int(self.gap[n]) * a * b
        found = self.best
        taken = np.zeros((0, 1, 1), dtype=np.uint8)
        for again in (False, True):
            if again:  # a lower cost exists: repeat, to recover the choice
                taken = np.zeros((n // 8 + 1, a + 1, b + 1), dtype=np.uint8)
            table = np.full((a + 1, b + 1), kernels.FAR)
            table[0, 0] = 0
            chunk = max(1, _WORK // table.size)
            for begin in range(0, n, chunk):
                end = min(begin + chunk, n)
                least = kernels.sweep(
                    table,
                    self.gap,
                    self.second,
                    self.left,
                    a,
                    self.k,
                    begin,
                    end,
                    taken,
                )
                if least + last >= self.best:
                    return None
                if stopped := limit():
                    return stopped
            found = int(table[a, b]) + last
        self.best, self.chosen = found, self._recover(taken, a, b)
        return None

    def _recover(self, taken: kernels.Bytes, i: int, j: int) -> list[int]:
        """Trace the bits back from (i, j) after the last processor."""
        chosen = []
        for e in range(len(self.order) - 1, -1, -1):
            if taken[e // 8, i, j] >> (e % 8) & 1:
                chosen.append(int(self.order[e]))
                if self.second[e]:
                    j -= 1
                else:
                    i -= 1
        return chosen
