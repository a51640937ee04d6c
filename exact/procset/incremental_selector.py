"""A solver for many requests on one machine, prepared once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...formulations.procset.set_classes import Cost
from ...heuristics.procset.layout import alike, concatenate
from ...heuristics.procset.reaching import ReachingMachine
from ...instances import InputError, ProcessorSet
from ...solvers import Limit
from .frontier_dp import kernels, kernels_layers, layout
from .frontier_dp import order as frontier_order
from .frontier_dp.folding import Folding, folding_of, prices_of
from .frontier_dp.program import MOST_ENTRIES, ROOM, Program, TooWide

Flags = npt.NDArray[np.bool_]
_FIRST_ROOM = 1 << 17
"""Table entries kept between requests; larger requests allocate more."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The answer to a request.

    Parameters
    ----------
    chosen
        Indices of exactly as many processors as requested, ascending.
    cost
        Cost of the sets that they touch, level by level, without the level that
        ``lookahead`` inserts.
    exact
        Whether no choice is better, also at that level.
    bound
        Lower bound on the cost of every choice if a limit ended the search.
    limit
        The limit; None if the search finished, or did not start.
    """

    chosen: npt.NDArray[np.int64]
    cost: Cost
    exact: bool
    bound: Cost | None = None
    limit: Limit | None = None


class RequestSolver:
    """A machine's processors and sets, prepared to serve requests repeatedly.

    Tables are reused between requests, so it is not thread-safe.

    Parameters
    ----------
    n_processors
        Number of processors, available or not.
    sets
        Sets and their costs: at least one, all costs of equal length, as in `ProcSet`.
    order
        Order of the classes: ``given`` or ``greedy``; ``auto`` takes the one of least
        predicted work.
    lookahead
        If given, every choice counts, below the first ``lookahead`` levels, the
        available processors of the opened sets that cost something at these levels;
        see `lookahead_instance`.

    Raises
    ------
    InputError
        If ``order`` or ``lookahead`` is invalid.

    Examples
    --------
    >>> sets = (ProcessorSet("left", (0, 1), (2,)), ProcessorSet("right", (2,), (1,)))
    >>> machine = RequestSolver(3, sets)
    >>> everything = np.array([True, True, True])
    >>> found = machine.select(everything, 1)
    >>> found.chosen.tolist(), found.cost, found.exact
    ([2], (1,), True)
    >>> machine.mincosts(everything, 3)
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
        self.sets = tuple(sets)
        levels = len(self.sets[0].cost)
        if order != "auto" and order not in frontier_order.ORDERS:
            raise InputError(
                f"must be auto or one of {', '.join(frontier_order.ORDERS)}",
                "order",
                order,
            )
        if lookahead is not None:
            refuse_lookahead(lookahead, levels)
        priced = [one for one in self.sets if any(one.cost)]
        home, self._incidence = alike(n_processors, priced)
        self.order, sequence = frontier_order.choose_order(self._incidence, order)
        """Name of the order used."""
        home = np.argsort(sequence)[home]
        self._classes = (
            home,
            np.searchsorted(np.sort(home), np.arange(len(sequence) + 1)),
            np.argsort(home, kind="stable"),
            *concatenate([self._incidence[c] for c in sequence]),
        )
        self._prices = prices_of(
            [one.cost for one in priced],
            [len(one.members) for one in priced],
            lookahead,
        )
        self._levels = levels + (lookahead is not None)
        self._folded: dict[int, tuple[layout.Static, Folding]] = {}
        self._reaching: ReachingMachine | None = None
        self._pool = np.empty((_FIRST_ROOM, 1), dtype=np.int64)
        every = self._fold(n_processors)
        self._every = every if len(every[1].words) == 1 else None

    def _fold(self, request: int) -> tuple[layout.Static, Folding]:
        """Fold costs for requests up to this number."""
        folding = folding_of(self._prices, self._incidence, self._levels, request)
        return layout.Static(*self._classes, folding.base, folding.ahead), folding

    def _folding(self, request: int) -> tuple[layout.Static, Folding]:
        """Return costs folded into one word if possible, or if requests are small."""
        if self._every:
            return self._every
        upto = min(1 << (request - 1).bit_length(), self.n_processors)
        if upto not in self._folded:
            self._folded[upto] = self._fold(upto)
        return self._folded[upto]

    def width(self, available: Flags) -> int:
        """Return how many shared sets are in progress at once, at most.

        It is known before a run, and falls with the number available.
        """
        self._refuse(available)
        return int(kernels_layers.gather(self._folding(1)[0], available).width)

    def select(
        self,
        available: Flags,
        request: int,
        stopped: Callable[[], Limit | None] = lambda: None,
    ) -> Selection:
        """Choose exactly ``request`` available processors at least cost.

        Where too many sets are in progress at once, falls back on `reaching`.

        Parameters
        ----------
        available
            Whether each processor is available.
        request
            Number of processors to choose, at least 1.
        stopped
            Returns the limit reached, if any; called between steps of a long search.

        Raises
        ------
        InputError
            If fewer are available.
        """
        self._refuse(available, request)
        static, folding = self._folding(request)
        if len(folding.words) == 1:
            while True:
                least, chosen = kernels.select(
                    static,
                    available,
                    request,
                    MOST_ENTRIES,
                    self._pool,
                    folding.largest,
                )
                if least >= 0:
                    return Selection(chosen, folding.unfold([least]), True)
                if least == kernels.WIDE:
                    return self._reach(available, request)
                if len(self._pool) >= ROOM:
                    break
                room = min(8 * len(self._pool), ROOM)
                self._pool = np.empty((room, 1), dtype=np.int64)
        try:
            program = self.program(available, request)
        except TooWide:
            return self._reach(available, request)
        limit = program.run(stopped)
        bound, chosen = folding.unfold(program.bound), program.chosen()
        if limit is None:
            return Selection(chosen, bound, True)
        cost = self._cost(chosen.tolist())
        return Selection(chosen, cost, cost == bound, bound, limit)

    def program(
        self,
        available: Flags,
        request: int,
        *,
        smaller: bool = False,
        nodes: int | None = None,
    ) -> Program:
        """Prepare to solve one request in steps; see `Program`.

        Raises
        ------
        TooWide
            If too many sets are in progress at once.
        """
        return Program(
            *self._folding(request), available, request, smaller=smaller, nodes=nodes
        )

    def unfold(self, words: Sequence[int], request: int) -> Cost:
        """Convert words of a program for this request to a cost."""
        return self._folding(request)[1].unfold(words)

    def mincosts(
        self,
        available: Flags,
        up_to: int,
        stopped: Callable[[], Limit | None] = lambda: None,
    ) -> list[Cost]:
        """Return the least cost of every request from 1 to ``up_to``, in one sweep.

        With lookahead, these are the costs of the choices of `select`. The list is
        empty if ``stopped`` returns a limit.

        Raises
        ------
        InputError
            If fewer are available, or too many sets are in progress at once.
        """
        self._refuse(available, up_to)
        try:
            program = self.program(available, up_to, smaller=True)
        except TooWide as wide:
            raise InputError(str(wide), "mincosts") from wide
        if program.run(stopped):
            return []
        _, folding = self._folding(up_to)
        return [folding.unfold(words) for words in program.mincosts()]

    def _reach(self, available: Flags, request: int) -> Selection:
        if self._reaching is None:
            self._reaching = ReachingMachine(self.n_processors, self.sets)
        chosen = np.asarray(self._reaching.select(available, request))
        return Selection(chosen, self._cost(chosen.tolist()), False)

    def _cost(self, chosen: Collection[int]) -> Cost:
        touched = [
            one.cost for one in self.sets if not {*chosen}.isdisjoint(one.members)
        ]
        zero = (0,) * len(self.sets[0].cost)
        return tuple(map(sum, zip(zero, *touched, strict=True)))

    def _refuse(self, available: Flags, request: int = 1) -> None:
        if available.shape != (self.n_processors,):
            raise InputError(
                f"must have {self.n_processors} entries, one per processor",
                "available",
                len(available),
            )
        if request < 1:
            raise InputError("must be at least 1", "request", request)
        if request > 1 and request > (there := int(np.count_nonzero(available))):
            raise InputError(
                f"only {there} processors are available", "request", request
            )
        if not available.any():
            raise InputError("must hold for at least one processor", "available")


def refuse_lookahead(after: int, levels: int) -> None:
    """Raise InputError unless 1 <= after <= levels."""
    if not 1 <= after <= levels:
        raise InputError(
            f"must lie between 1 and the number of levels, {levels}", "lookahead", after
        )
