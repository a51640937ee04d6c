"""The type `Configuration`: queues, processors, groups, costs and constraints.

After the appendix of Drakenberg 2012. Files are read into this type;
`Configuration.instance` returns the problem to solve for one job.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from operator import add

from ...instances.errors import InputError
from ...instances.procset.instance import ProcessorSet, ProcSet
from ...instances.reading.suggestions import hint
from ...instances.value import LARGEST
from .conditions import Types
from .expression import Expression, MinCost, evaluate
from .findings import Diagnostics
from .sizes import heading, pick, refuse_sizes

MOST_PROCESSORS = 2**20
"""Maximal number of processors of a configuration."""

MOST_MEMBERS = 2**24
"""Maximal number of members of all groups together."""


@dataclass(frozen=True, slots=True)
class Group:
    """Processors that share a resource."""

    name: str
    """Unique in its configuration."""
    members: tuple[int, ...]
    """Indices of processors, ascending, at least one."""


@dataclass(frozen=True, slots=True)
class Price:
    """The cost of touching a group, for jobs of a queue."""

    queue: str
    group: str
    """Names of the queue and the group."""
    cost: tuple[int, ...]
    """A non-negative integer per level, the most important first."""


@dataclass(frozen=True, slots=True)
class CostBlock:
    """The prices for a range of job sizes."""

    sizes: tuple[int, int] | None
    """First and last number of processors requested; None for all other sizes."""
    prices: tuple[Price, ...]
    """At most one per queue and group; groups without a price cost nothing."""


@dataclass(frozen=True, slots=True)
class Constraint:
    """The condition on the cost of a selection under which a job starts."""

    sizes: tuple[int, int] | None
    """First and last number of processors requested; None for all other sizes."""
    expression: Expression
    """The condition."""
    queue: str | None = None
    """The queue it applies to; None for all queues without constraints of their own."""
    line: int = field(default=0, compare=False)
    """Its first line in the text; ignored in comparisons."""

    @property
    def text(self) -> str:
        """The condition in the configuration language."""
        return str(self.expression)

    @property
    def head(self) -> str:
        """The jobs it applies to, in the configuration language."""
        return (f"{self.queue}@" if self.queue else "") + heading(self.sizes)

    def needs(self, pes: int) -> tuple[int, ...]:
        """Return every n for which a job of ``pes`` may need ``MINCOST(n)``."""
        asked = {
            int(node.value) or pes
            for node in self.expression.nodes()
            if node.kind == "MINCOST"
        }
        return tuple(sorted(asked))

    def holds(self, cost: tuple[int, ...], pes: int, mincost: MinCost) -> bool:
        """Whether a selection of this cost satisfies the condition.

        Parameters
        ----------
        cost
            Cost of the selection, a number per level.
        pes
            Number of processors the job requests.
        mincost
            Returns the least cost of n processors when all processors of the queue are
            available, under the prices for this job; called only for `needs`.
        """
        return bool(evaluate(self.expression, cost, pes, mincost))


@dataclass(frozen=True)
class Configuration:
    """A machine as its scheduler sees it, with costs and constraints of selections.

    Raises
    ------
    InputError
        If the parts are inconsistent. (The reader of text finds the same errors and
        more, with their positions.)
    """

    name: str
    """Name of the configuration."""
    queues: tuple[str, ...]
    """Names of the queues."""
    hosts: tuple[str, ...]
    """Names of the hosts, in the order of their slots."""
    processors: tuple[str, ...]
    """Names of the processors, ``host.number``, in the order of the slots."""
    host_of: tuple[int, ...]
    """For each processor the index of its host."""
    through: tuple[tuple[int, ...], ...]
    """For each queue the indices of its processors, ascending."""
    groups: tuple[Group, ...]
    """At least one."""
    costs: tuple[CostBlock, ...]
    """Blocks with disjoint ranges of sizes; only the last may have no range. At least
    one price in all; all costs have the same number of levels."""
    constraints: tuple[Constraint, ...] = ()
    """The same for the constraints of each queue, and for those without a queue."""
    lookahead: int | None = None
    """Number of levels after which to insert one that prefers groups with few free
    processors left; None for no such level."""

    def __post_init__(self) -> None:
        for field_, names in (
            ("queues", self.queues),
            ("hosts", self.hosts),
            ("processors", self.processors),
            ("groups", tuple(group.name for group in self.groups)),
        ):
            if not names or len(set(names)) < len(names) or "" in names:
                raise InputError("must be names, all different", field_)
        if len(self.host_of) != len(self.processors) or not (
            min(self.host_of) >= 0 and max(self.host_of) < len(self.hosts)
        ):
            raise InputError("must name a host for each processor", "host_of")
        if len(self.through) != len(self.queues):
            raise InputError("must have one entry per queue", "through")
        for members in self.through:
            self._refuse_members(members, "through")
        for group in self.groups:
            if not group.members:
                raise InputError("is empty", f"groups.{group.name}")
            self._refuse_members(group.members, f"groups.{group.name}")
        self._refuse_costs()
        self._refuse_constraints()
        if self.lookahead is not None and not 0 <= self.lookahead <= self.levels:
            raise InputError(f"must be 0 to {self.levels}", "lookahead", self.lookahead)

    def _refuse_members(self, members: tuple[int, ...], field_: str) -> None:
        if members and (
            members[0] < 0
            or members[-1] >= len(self.processors)
            or any(a >= b for a, b in pairwise(members))
        ):
            raise InputError("must be indices of processors, ascending", field_)

    def _refuse_costs(self) -> None:
        refuse_sizes(tuple(block.sizes for block in self.costs), "costs")
        if not any(price.cost for block in self.costs for price in block.prices):
            raise InputError("there is no price", "costs")
        groups = {group.name for group in self.groups}
        for block in self.costs:
            pairs = {(price.queue, price.group) for price in block.prices}
            if len(pairs) < len(block.prices):
                raise InputError("a group is priced twice", "costs")
            for price in block.prices:
                if price.queue not in self.queues or price.group not in groups:
                    raise InputError("no such queue or group", "costs")
                if len(price.cost) != self.levels or min(price.cost) < 0:
                    raise InputError(
                        f"must be {self.levels} numbers, none negative",
                        f"costs.{price.queue}@{price.group}",
                        list(price.cost),
                    )
            totals: dict[str, tuple[int, ...]] = {}
            for price in block.prices:
                before = totals.get(price.queue, (0,) * self.levels)
                totals[price.queue] = tuple(map(add, before, price.cost))
            if any(max(total) >= LARGEST for total in totals.values()):
                raise InputError("sum up to 2^62 or more", "costs")

    def _refuse_constraints(self) -> None:
        for queue in (None, *self.queues):
            own = tuple(one.sizes for one in self.constraints if one.queue == queue)
            refuse_sizes(own, "constraints")
        findings = Diagnostics(self.name)
        for one in self.constraints:
            Types(self.levels, findings).condition(one.expression)
            if one.queue is not None and one.queue not in self.queues:
                raise InputError("no such queue", "constraints", one.queue)

        for error in findings.errors:
            raise InputError(error.problem, "constraints")

    @cached_property
    def levels(self) -> int:
        """Number of levels of every cost."""
        return next(len(p.cost) for block in self.costs for p in block.prices)

    @cached_property
    def index(self) -> dict[str, int]:
        """Index of each processor by name."""
        return {name: i for i, name in enumerate(self.processors)}

    @cached_property
    def processors_of(self) -> tuple[tuple[int, ...], ...]:
        """For each host the indices of its processors, ascending."""
        found: list[list[int]] = [[] for _ in self.hosts]
        for processor, host in enumerate(self.host_of):
            found[host].append(processor)
        return tuple(map(tuple, found))

    def usable(self, queue: str) -> tuple[int, ...]:
        """Return the indices of the processors available through a queue, ascending.

        Raises
        ------
        InputError
            If there is no such queue.
        """
        if queue not in self.queues:
            why = hint(queue, self.queues)
            raise InputError(f"no such queue ({why})", "queue", queue)
        return self.through[self.queues.index(queue)]

    def sets_for(self, queue: str, pes: int) -> tuple[ProcessorSet, ...]:
        """Return the priced sets for jobs of a queue and a size.

        Members are the processors of a group that the queue may use. Groups without a
        price or without such processors are omitted; if none remain, there is one set
        ``unpriced`` of all processors that costs nothing.

        Raises
        ------
        InputError
            If there is no such queue, or the size is below 1.
        """
        usable = self.usable(queue)
        if pes < 1:
            raise InputError("must be at least 1", "pes", pes)
        at = pick(tuple(block.sizes for block in self.costs), pes)
        if (queue, at) not in self._price_cache:
            prices = () if at is None else self.costs[at].prices
            found = self._sets(frozenset(usable), prices, queue)
            free = ProcessorSet("unpriced", usable, (0,) * self.levels)
            self._price_cache[queue, at] = found or (free,)
        return self._price_cache[queue, at]

    @cached_property
    def _price_cache(self) -> dict[tuple[str, int | None], tuple[ProcessorSet, ...]]:
        return {}

    @cached_property
    def _check_cache(self) -> dict[int, ProcSet]:
        return {}

    def _sets(
        self, usable: frozenset[int], priced: tuple[Price, ...], queue: str
    ) -> tuple[ProcessorSet, ...]:
        prices = {price.group: price.cost for price in priced if price.queue == queue}
        restricted = (
            (group.name, tuple(i for i in group.members if i in usable))
            for group in self.groups
            if group.name in prices
        )
        return tuple(
            ProcessorSet(name, members, prices[name])
            for name, members in restricted
            if members
        )

    def instance(
        self, queue: str, pes: int, available: Collection[int], name: str = ""
    ) -> ProcSet:
        """Return the problem of choosing processors for one job.

        Parameters
        ----------
        queue, pes
            The job's queue and number of processors.
        available
            Indices of free processors; those that the queue may not use are ignored.
        name
            Name of the instance; composed of the other arguments if empty.

        Raises
        ------
        InputError
            If there is no such queue or processor, or the size is below 1.
        """
        for i in available:
            if not 0 <= i < len(self.processors):
                raise InputError("no such processor", "available", i)
        free = frozenset(available)
        sets = self.sets_for(queue, pes)
        checked = self._check_cache.get(id(sets))  # kept as long as this configuration
        if checked is None:
            checked = ProcSet(self.name, self.processors, (), 1, sets)
            self._check_cache[id(sets)] = checked
        return checked.asking(
            name or f"{self.name}-{queue}-{pes}",
            [i for i in self.usable(queue) if i in free],
            pes,
        )

    def constraint_for(self, queue: str, pes: int) -> Constraint | None:
        """Return the constraint for jobs of a queue and a size, if any.

        The constraints of a queue apply to it alone; those without a queue apply to all
        queues that have none of their own.

        Raises
        ------
        InputError
            If there is no such queue.
        """
        self.usable(queue)
        own = [one for one in self.constraints if one.queue == queue]
        own = own or [one for one in self.constraints if one.queue is None]
        at = pick(tuple(one.sizes for one in own), pes)
        return None if at is None else own[at]
