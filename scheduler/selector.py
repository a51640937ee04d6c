"""What a job scheduler asks: which processors, at what cost, and may the job start."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from threading import Lock

import numpy as np

from ..exact.procset.machine import Flags, RequestSolver
from ..formulations.procset.set_classes import Cost
from ..instances import InputError, ProcessorSet, ProcSet
from ..methods.auto_procset import auto
from ..solvers import DEFAULT, Grade, Proof, Result, Settings, Status, answer, clock
from ..solvers.answer import too_much_asked
from ..solvers.limits import Limits, limits
from ..solvers.method import Method
from .config.model import Configuration, Constraint

_PROOF = Proof(Grade.ENUMERATED, "frontier-dp")


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The answer to one request.

    Parameters
    ----------
    instance
        The problem that was solved: processors, prices for this job, what is free.
    result
        The choice, its cost and bound; or that there is none.
    constraint
        What the cost must satisfy; None if the configuration asks nothing.
    holds
        Whether it does; None where there is no choice, or where ``MINCOST`` could not
        be had within the limits.
    mincost
        ``MINCOST(n)`` for every n that the constraint names, and for the request.
    """

    instance: ProcSet
    result: Result
    constraint: Constraint | None
    holds: bool | None
    mincost: dict[int, Cost]

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
    """Answers requests of one configuration, one after the other.

    A machine is prepared for every queue and range of sizes when it is first asked
    for, and the table of MINCOST the first time a constraint needs it. Where too many
    sets are in progress at once for the dynamic programme, ``auto`` answers, without
    looking ahead. Several threads may ask at once.

    Parameters
    ----------
    configuration
        Queues, groups, costs and constraints.
    method
        Answers every request in place of the dynamic programme, if given.
    """

    def __init__(
        self, configuration: Configuration, method: Method[ProcSet] | None = None
    ) -> None:
        self.configuration = configuration
        self._method = method
        # a machine keeps its tables between requests: one thread at a time
        self._lock = Lock()
        self._machines: dict[tuple[int, int | None], RequestSolver] = {}
        self._tables: dict[tuple[int, str], list[Cost]] = {}

    def prepare(self, settings: Settings = DEFAULT) -> None:
        """Answer a request of each queue and range of sizes: none is the first then.

        Parameters
        ----------
        settings
            Limits of each; what is not prepared by then is when it is needed.
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
            Where the job waits, and how many processors it asks for.
        free
            Indices of free processors, None if all are; those that the queue may not
            use do not count.
        settings
            The time limit is for all of it. At the limit the best choice so far comes
            back with its bound; without a proof of ``MINCOST`` it does not start.

        Raises
        ------
        InputError
            When there is no such queue or processor, or ``pes`` is below 1.
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
        if result.chosen is None:
            return Decision(
                instance=instance,
                result=result,
                constraint=constraint,
                holds=None,
                mincost={},
            )
        holds: bool | None = True
        if constraint is not None:
            assert isinstance(result.objective, tuple)
            if all(n in mincost for n in constraint.needs(pes)):
                holds = constraint.holds(result.objective, pes, mincost.__getitem__)
            else:
                holds = None
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
        if infeasible := too_much_asked(instance, start=start):
            return infeasible
        if self._method is not None:
            return self._method(instance, settings)
        flags = self._flags(instance.available)
        lookahead = self.configuration.lookahead
        with self._lock:
            machine = self._machine(instance.sets, lookahead)
            found = machine.select(flags, instance.request, watch.reached)
        if not found.exact and found.limit is None:  # too wide for the programme
            return auto(instance, _left(settings, watch))
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

    def _machine(
        self, sets: Sequence[ProcessorSet], lookahead: int | None
    ) -> RequestSolver:
        # sets are cached by the configuration, so that like requests share them
        key = (id(sets), lookahead)
        if key not in self._machines:
            self._machines[key] = RequestSolver(
                len(self.configuration.processors), sets, lookahead=lookahead
            )
        return self._machines[key]

    def _mincosts(
        self,
        queue: str,
        pes: int,
        wanted: set[int],
        settings: Settings,
        watch: Limits,
    ) -> dict[int, Cost]:
        """Price these requests on the idle machine, as far as they can be met there."""
        usable = self.configuration.usable(queue)
        sets = self.configuration.sets_for(queue, pes)
        wanted = {n for n in wanted if n <= len(usable)}
        key = (id(sets), queue)
        most = max(wanted, default=0)
        with self._lock:
            known = self._tables.get(key, [])
            if most > len(known):
                flags = self._flags(usable)
                machine = self._machine(sets, None)
                try:
                    known = machine.mincosts(flags, most, watch.reached)
                except InputError:  # too wide
                    known = []
                if known:
                    self._tables[key] = known
        if most > len(known):  # one by one, if they can be proved
            return self._proved(queue, pes, wanted, settings, watch)
        return {n: known[n - 1] for n in sorted(wanted)}

    def _proved(
        self,
        queue: str,
        pes: int,
        wanted: set[int],
        settings: Settings,
        watch: Limits,
    ) -> dict[int, Cost]:
        usable = self.configuration.usable(queue)
        idle = self.configuration.instance(queue, pes, usable)
        found: dict[int, Cost] = {}
        for n in sorted(wanted):
            if watch.reached():
                break
            result = auto(replace(idle, request=n), _left(settings, watch))
            if result.status is Status.OPTIMAL:
                assert isinstance(result.objective, tuple)
                found[n] = result.objective
        return found


def _left(settings: Settings, watch: Limits) -> Settings:
    """Return the settings with the time that is left: next to none after a limit."""
    left = 0.0 if watch.reached() else watch.deadline - clock.now()
    return replace(settings, time_limit=max(left, 0.001))
