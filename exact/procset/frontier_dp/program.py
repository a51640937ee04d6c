"""The dynamic program for one request: in steps, within time and memory limits."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....solvers import Limit
from . import kernels, kernels_bounds, kernels_layers, layout
from .folding import Folding

Flags = npt.NDArray[np.bool_]
MOST_ENTRIES = 1 << 21
"""Sets of open sets, over all classes, up to which an instance is narrow enough."""
ROOM = 1 << 24
"""Table entries kept at once; beyond, backtracking recomputes the tables."""
MOST_BYTES = 1 << 30
"""Limit on the memory of the tables and of the layers kept."""
_WORK = 1 << 24
"""Table entries between two checks of the limits, about 0.02 s."""


class TooWide(Exception):
    """Too many shared sets are in progress at once; the message gives the number."""


class _Layer(NamedTuple):
    """The tables before one class, kept to restart from."""

    k: int
    at: layout.Ints
    low: layout.Ints
    high: layout.Ints
    pool: layout.Ints


class Program:
    """One request of a machine, with costs folded for it; see `RequestSolver.select`.

    With ``smaller``, all smaller requests are needed too, which rules out shortcuts. It
    stops after so many ``nodes``, counted in table entries.

    Raises
    ------
    TooWide
        If there are too many sets of open sets.
    """

    def __init__(
        self,
        static: layout.Static,
        folding: Folding,
        available: Flags,
        request: int,
        *,
        smaller: bool = False,
        nodes: int | None = None,
    ) -> None:
        self._static, self._available, self._request = static, available, request
        plan = kernels_layers.gather(static, available)
        self.width = int(plan.width)
        fine = plan.bits <= layout.MOST_BITS
        if fine:
            fine, layers = kernels_layers.grow(plan, MOST_ENTRIES)
        if not fine:
            raise TooWide(
                f"width {self.width}: more than {MOST_ENTRIES} sets of open sets"
            )
        self._plan, self._layers = plan, layers
        self._words = len(folding.words)
        if self._words > 1:
            kernels_layers.price_words(plan, layers)
        self._n = len(plan.size)
        self._entries = int(layers.begin[self._n + 1])
        self._need = -(-request // int(plan.unit))
        self._rest = kernels_bounds.remaining(plan)
        self._smaller, self._left = smaller, nodes
        if smaller:
            self._rest[:] = self._need
        self._spans = folding.spans
        self._lower, self._upper, self._generous = 0, layout.FAR, -1
        self._arcs = layout.Arcs(*kernels_bounds.plain(layers, self._need))
        self._bounded = (
            not smaller
            and self._entries * self._need >= kernels.PLAIN
            and folding.largest <= layout.CAREFUL
        )
        if self._bounded:
            value = np.empty(len(layers.mask), dtype=np.int64)
            found = kernels_bounds.multiplier(
                plan, layers, self._need, value, np.empty_like(value)
            )
            worth, self._lower, self._upper, self._generous = map(int, found)
            self._arcs = self._arcs._replace(worth=worth, value=value)
        self._base = self._lower
        self._priced = layers._replace(cost=layers.cost[:1])
        self._tables = self._blank(1 if self._bounded else self._words)
        self._kept: list[_Layer] = []
        self._taken: Flags | None = None
        self._least: list[int] | None = None

    @property
    def bound(self) -> list[int]:
        """Return the proved lower bound on every choice, in words."""
        if self._least is not None:
            return self._least
        return [self._lower] + [0] * (self._words - 1)

    def _blank(self, words: int) -> layout.Tables:
        room = max(min(self._entries * self._need, ROOM // words), 1)
        pool = np.empty((room, words), dtype=np.int64)
        return layout.Tables(*kernels.blank(self._entries, pool))

    def run(self, stopped: Callable[[], Limit | None]) -> Limit | None:
        """Find the least cost and the choice; return the limit that stopped it."""
        if why := self._search(stopped):
            return why
        found = [int(x) for x in self._tables.least]
        if len(found) < self._words:
            found = [*divmod(found[0], self._arcs.scale)]
        found[0] += self._base
        self._least = found
        return None if self._smaller else self._way_back(stopped)

    def _search(self, stopped: Callable[[], Limit | None]) -> Limit | None:
        """Find the least cost.

        Entries that exceed the lower bound by more than the cost known does are
        skipped. Of two words, the optimum of the first determines a gap for both
        together, which then fit into one; otherwise words are compared one by one.
        """
        if not self._bounded:
            return self._from_the_start(stopped)
        self._price(self._upper - self._base, 1)
        if (why := self._from_the_start(stopped)) or self._words == 1:
            return why
        least = int(self._tables.least[0])
        self._lower = self._base + least
        if self._words == 2 and (least + 1) * self._spans[1] < layout.FAR:
            self._priced = self._layers
            self._price(least, self._spans[1])
        else:
            self._base = 0
            self._tables = self._blank(self._words)
        return self._from_the_start(stopped)

    def _price(self, gap: int, scale: int) -> None:
        """Price steps by what they add to the bound, at most ``gap``."""
        worth, value = self._arcs.worth, self._arcs.value
        self._arcs = layout.Arcs(
            *kernels_bounds.reduce_costs(
                self._plan, self._priced, self._need, worth, value, gap, scale
            )
        )

    def _from_the_start(self, stopped: Callable[[], Limit | None]) -> Limit | None:
        kernels.restart(self._tables)
        self._kept.clear()
        self._keep()
        return self._sweep(self._n, stopped)

    def _way_back(self, stopped: Callable[[], Limit | None]) -> Limit | None:
        """Trace the least cost back through the tables, recomputing them."""
        taken = np.zeros(self._n, dtype=np.bool_)
        place = self._tables.place.copy()
        taken[place[0]] = True
        if len(self._tables.least) > 1:
            stay, go = np.zeros_like(self._layers.mask), self._layers.cost
            value = self._tables.least - go[:, place[1]]
        else:
            stay, go = self._arcs.stay, self._arcs.go.reshape(1, -1)
            value = place[3:].copy()
        while True:
            layer = self._kept.pop()
            kernels.trace(
                self._plan,
                self._layers,
                stay,
                go,
                self._tables,
                layer.k,
                place,
                value,
                taken,
            )
            if not self._kept:
                break
            self._restore(self._kept[-1])
            if why := self._sweep(layer.k, stopped, keep=False):
                return why
        self._taken = taken
        return None

    def _sweep(
        self,
        stop: int,
        stopped: Callable[[], Limit | None],
        *,
        keep: bool = True,
    ) -> Limit | None:
        """Sweep up to a class, keeping a layer whenever the pool is full."""
        while True:
            before = int(self._tables.state[1])
            end = self._step(stop)
            spent = int(self._tables.state[1]) - before
            if end == layout.DONE:
                return None
            if end == layout.FULL:
                if self._held() > MOST_BYTES:
                    return Limit.MEMORY
                if keep and self._tables.state[0] > self._kept[-1].k:
                    self._keep()
                    self._restore(self._kept[-1])
                else:
                    pool = self._tables.pool
                    longer = np.empty((2 * len(pool), pool.shape[1]), dtype=np.int64)
                    longer[: len(pool)] = pool
                    self._tables = self._tables._replace(pool=longer)
            if self._left is not None:
                self._left -= max(spent, 1)
                if self._left <= 0:
                    return Limit.NODES
            if why := stopped():
                return why

    def _step(self, stop: int) -> int:
        work = _WORK if self._left is None else min(_WORK, self._left)
        if len(self._tables.least) > 1:
            return int(
                kernels.sweep_words(
                    self._plan,
                    self._layers,
                    self._tables,
                    self._need,
                    self._rest,
                    stop,
                    work // 8,
                )
            )
        return int(
            kernels.sweep(
                self._plan,
                self._priced,
                self._arcs,
                self._tables,
                self._rest,
                stop,
                work,
            )
        )

    def _held(self) -> int:
        """Return the bytes that the tables would have after growing once more."""
        kept = sum(layer.pool.nbytes for layer in self._kept)
        return int(kept + 3 * self._tables.pool.nbytes)

    def _keep(self) -> None:
        """Keep a copy of the current layer."""
        tables = self._tables
        k, used = map(int, tables.state)
        own = slice(int(self._layers.begin[k]), int(self._layers.begin[k + 1]))
        filled = tables.low[own] <= tables.high[own]
        start = int(tables.at[own][filled].min()) if filled.any() else used
        self._kept.append(
            _Layer(
                k,
                tables.at[own] - start,
                tables.low[own].copy(),
                tables.high[own].copy(),
                tables.pool[start:used].copy(),
            )
        )

    def _restore(self, layer: _Layer) -> None:
        """Restart from a kept layer, at the beginning of the pool."""
        tables, k = self._tables, layer.k
        own = slice(int(self._layers.begin[k]), int(self._layers.begin[k + 1]))
        tables.at[own], tables.low[own], tables.high[own] = layer[1:4]
        tables.pool[: len(layer.pool)] = layer.pool
        tables.state[:] = k, len(layer.pool)

    def chosen(self) -> layout.Ints:
        """Return the optimum or, if stopped, a feasible choice, ascending."""
        taken = self._taken
        if taken is None:
            taken = np.ones(self._n, dtype=np.bool_)
            if self._generous >= 0:
                kernels_bounds.walk(self._plan, self._layers, self._generous, taken)
        found: layout.Ints = kernels.pick(
            self._static, self._available, self._plan, taken, self._request
        )
        return found

    def mincosts(self) -> list[list[int]]:
        """Return the least cost of every request from 1 on, in words.

        Requires ``smaller``, and `run` to have finished.
        """
        tables, unit = self._tables, int(self._plan.unit)
        last = int(self._layers.begin[self._n])
        at, low, high = (int(x[last]) for x in (tables.at, tables.low, tables.high))
        best = [int(x) for x in tables.least]
        by_units = [best]
        for t in range(self._need - 1, 0, -1):
            if low <= t <= high:
                best = min(best, [int(x) for x in tables.pool[at + t - low]])
            by_units.append(best)
        by_units.reverse()
        return [by_units[-(-q // unit) - 1] for q in range(1, self._request + 1)]
