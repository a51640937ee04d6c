"""Selection of processors for a job, its cost, and whether the job may start."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from threading import Lock

import numpy as np

from ..exact.procset.incremental_selector import Flags, RequestSolver
from ..formulations.procset.set_classes import Cost
from ..instances import InputError, ProcessorSet, ProcSet
from ..methods.procset.auto import auto
from ..solvers import DEFAULT, Grade, Proof, Result, Settings, Status, answer
from ..solvers.running import clock
from ..solvers.running.answer import infeasible_by_count
from ..solvers.running.limits import Limits, limits
from ..solvers.running.method import Method
from .config.model import Configuration, Constraint

_PROOF = Proof(Grade.ENUMERATED, "frontier-dp")


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The answer to one request."""

    instance: ProcSet
    """The problem that was solved: processors, prices for this job, free processors."""
    result: Result
    """The choice, its cost and bound; infeasible if there is no choice."""
    constraint: Constraint | None
    """The constraint on the cost; None if the configuration has none."""
    holds: bool | None
    """Whether the constraint holds; None if there is no choice, or if ``MINCOST`` was
    not computed within the limits."""
    mincost: dict[int, Cost]
    """``MINCOST(n)`` for every n in the constraint, and for the request."""

    @property
    def starts(self) -> bool:
        """Whether the job should start."""
        return bool(self.holds)

    @property
    def processors(self) -> list[str]:
        """Names of the chosen processors."""
        chosen = self.result.chosen or ()
        return [self.instance.processors[i] for i in chosen]


class Selector:
    """Selects processors for the requests of one configuration; thread-safe.

    Solvers are prepared per queue and range of sizes at their first use, tables of
    MINCOST when a constraint first needs them. If too many sets overlap for the dynamic
    program, ``auto`` solves the request, without lookahead.

    Parameters
    ----------
    configuration
        Queues, groups, costs and constraints.
    method
        Solves every request in place of the dynamic program, if given.
    """

    def __init__(
        self, configuration: Configuration, method: Method[ProcSet] | None = None
    ) -> None:
        self.configuration = configuration
        self._method = method
        # Solvers keep tables between requests: one thread at a time may use them.
        self._lock = Lock()
        self._solvers: dict[tuple[int, int | None], RequestSolver] = {}
        self._tables: dict[tuple[int, str], list[Cost]] = {}

    def prepare(self, settings: Settings = DEFAULT) -> None:
        """Solve a request of each queue and range of sizes, to make later ones fast.

        Parameters
        ----------
        settings
            Limits of each request.
        """
        for queue in self.configuration.queues:
            for block in self.configuration.costs:
                self.select(queue, block.sizes[0] if block.sizes else 1, None, settings)

    def select(
        self,
        queue: str,
        pes: int,
        free: Collection[int] | None = None,
        settings: Settings = DEFAULT,
    ) -> Decision:
        """Choose processors for a job.

        Parameters
        ----------
        queue, pes
            The job's queue and number of processors.
        free
            Indices of free processors, None if all are free; those that the queue may
            not use are ignored.
        settings
            The time limit covers the whole call. At the limit the best choice so far is
            returned with its bound; the job does not start if ``MINCOST`` is unproved.

        Raises
        ------
        InputError
            If there is no such queue or processor, or ``pes`` is below 1.
        """
        start = clock.now()
        configuration = self.configuration
        free = range(len(configuration.processors)) if free is None else free
        instance = configuration.instance(queue, pes, free)
        constraint = configuration.constraint_for(queue, pes)
        wanted = {pes, *(constraint.needs(pes) if constraint else ())}
        mincost: dict[int, Cost] = {}
        with limits(start + settings.time_limit) as watch:
            result = self._solve(instance, settings, start, watch)
            if result.chosen is not None:
                mincost = self._mincosts(queue, pes, wanted, settings, watch)
        holds: bool | None = None
        if isinstance(result.objective, tuple):
            if constraint is None:
                holds = True
            elif all(n in mincost for n in constraint.needs(pes)):
                holds = constraint.holds(result.objective, pes, mincost.__getitem__)
        return Decision(
            instance=instance,
            result=result,
            constraint=constraint,
            holds=holds,
            mincost=mincost,
        )

    def _solve(
        self, instance: ProcSet, settings: Settings, start: float, watch: Limits
    ) -> Result:
        if infeasible := infeasible_by_count(instance, start=start):
            return infeasible
        if self._method is not None:
            return self._method(instance, settings)
        flags = self._flags(instance.available)
        lookahead = self.configuration.lookahead
        with self._lock:
            solver = self._solver(instance.sets, lookahead)
            found = solver.select(flags, instance.request, watch.reached)
        if not found.exact and found.limit is None:  # too wide for the dynamic program
            return auto(instance, _remaining(settings, watch))
        return answer(
            instance,
            found.chosen.tolist(),
            start=start,
            bound=(found.bound or found.cost) if lookahead is None else None,
            proof=_PROOF if lookahead is None else None,
            limit=found.limit,
        )

    def _flags(self, processors: Sequence[int]) -> Flags:
        flags = np.zeros(len(self.configuration.processors), dtype=np.bool_)
        flags[list(processors)] = True
        return flags

    def _solver(
        self, sets: Sequence[ProcessorSet], lookahead: int | None
    ) -> RequestSolver:
        # The configuration caches sets: similar requests share them and their id.
        key = (id(sets), lookahead)
        if key not in self._solvers:
            self._solvers[key] = RequestSolver(
                len(self.configuration.processors), sets, lookahead=lookahead
            )
        return self._solvers[key]

    def _mincosts(
        self,
        queue: str,
        pes: int,
        wanted: set[int],
        settings: Settings,
        watch: Limits,
    ) -> dict[int, Cost]:
        """Return MINCOST of the wanted sizes that do not exceed the idle machine.

        One by one where there is no table: of those that are proved within the limits.
        """
        usable = self.configuration.usable(queue)
        sets = self.configuration.sets_for(queue, pes)
        wanted = {n for n in wanted if n <= len(usable)}
        key = (id(sets), queue)
        most = max(wanted, default=0)
        with self._lock:
            known = self._tables.get(key, [])
            if most > len(known):
                flags = self._flags(usable)
                solver = self._solver(sets, None)
                try:
                    known = solver.mincosts(flags, most, watch.reached)
                except InputError:  # too wide for the dynamic program
                    known = []
                if known:
                    self._tables[key] = known
        if most <= len(known):
            return {n: known[n - 1] for n in sorted(wanted)}
        idle = self.configuration.instance(queue, pes, usable)
        found: dict[int, Cost] = {}
        for n in sorted(wanted):
            if watch.reached():
                break
            result = auto(replace(idle, request=n), _remaining(settings, watch))
            if result.status is Status.OPTIMAL:
                assert isinstance(result.objective, tuple)
                found[n] = result.objective
        return found


def _remaining(settings: Settings, watch: Limits) -> Settings:
    """Return the settings with the remaining time, 1 ms once a limit is reached."""
    left = 0.0 if watch.reached() else watch.deadline - clock.now()
    return replace(settings, time_limit=max(left, 0.001))
