"""The processor-set problem: choose r processors that touch the cheapest sets.

The processor-set selection problem of Drakenberg 2012, section 3.2: processors share
line cards, switches and power lines. Each such set has a cost vector. The cost of a
choice is the sum of the vectors of all sets it touches, compared lexicographically.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

from ..errors import InputError
from ..extended import Extended
from ..reading.fields import refuse_others
from ..reading.numbers import at_least
from ..value import LARGEST
from ..words import with_noun


@dataclass(frozen=True, slots=True)
class ProcessorSet:
    """Processors that share a resource, and the cost of touching it.

    Parameters
    ----------
    name
        Unique in its instance.
    members
        Indices of processors, at least one; sorted on construction.
    cost
        A non-negative integer per level, the most important first.
    """

    name: str
    members: tuple[int, ...]
    cost: tuple[int, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "members", tuple(sorted(self.members)))


@dataclass(frozen=True, repr=False)
class ProcSet(Extended):
    """Processors, those available, the sets they form, and a request.

    Parameters
    ----------
    name
        Unique among the instances of a report.
    processors
        Names of the processors, all different. A choice lists indices into this.
    available
        Indices of the available processors; sorted on construction.
    request
        Number of processors to choose, r ≥ 1. A request for more than are available is
        proved infeasible.
    sets
        At least one, with cost vectors of one length.
    source
        Description of its origin.
    seed
        Seed of its generator; None if it was not generated.
    required
        Indices of available processors that every choice must contain, at most as many
        as requested; sorted on construction.

    Raises
    ------
    InputError
        If names are repeated, members or available processors do not exist or are
        repeated, a required processor is not available, a set is empty, costs are
        negative, differ in length or could overflow, or the request is below 1.
    """

    name: str
    processors: tuple[str, ...]
    available: tuple[int, ...]
    request: int
    sets: tuple[ProcessorSet, ...]
    source: str = ""
    seed: int | None = None
    required: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "available", tuple(sorted(self.available)))
        if not self.processors:
            raise InputError("must not be empty", "processors")
        _refuse_repeated(self.processors, "processors")
        self._refuse_request()
        if not self.sets:
            raise InputError("must not be empty", "sets")
        _refuse_repeated(tuple(one.name for one in self.sets), "sets", ".name")
        for i, one in enumerate(self.sets):
            self._refuse_set(one, f"sets[{i}]")
        for level, total in enumerate(self.total):
            if total >= LARGEST:
                raise InputError(
                    f"costs of level {level + 1} sum up to 2^62 or more", "sets"
                )

    def asking(self, name: str, available: Collection[int], request: int) -> ProcSet:
        """Return the instance with another name, request and available processors.

        The sets are not checked again, so that requests to large machines are fast.

        Parameters
        ----------
        name
            Name of the new instance.
        available
            Indices of the available processors.
        request
            Number of processors to choose.

        Raises
        ------
        InputError
            If a processor does not exist or is listed twice, or the request is below 1.
        """
        other: ProcSet = object.__new__(ProcSet)
        other.__dict__.update(self.__dict__)
        other.__dict__.update(
            name=name, available=tuple(sorted(available)), request=request
        )
        other._refuse_request()
        return other

    def _refuse_request(self) -> None:
        self._refuse_strangers(self.available, "available")
        at_least(self.request, 1, "request")
        known = range(len(self.processors))
        refuse_others(
            *(self.required, self.available, "required"),
            unless="not an available processor",
            show=lambda i: self.processors[i] if i in known else i,
        )
        must = "the number of those required"
        at_least(self.request, len(self.required), "request", must)
        object.__setattr__(self, "required", tuple(sorted(self.required)))

    def _refuse_strangers(self, indices: tuple[int, ...], field: str) -> None:
        previous = -1
        for index in indices:
            if not 0 <= index < len(self.processors):
                raise InputError("no such processor", field, index)
            if index == previous:
                raise InputError("listed twice", field, self.processors[index])
            previous = index

    def _refuse_set(self, one: ProcessorSet, field: str) -> None:
        if not one.members:
            raise InputError("is empty", f"{field}.members")
        self._refuse_strangers(one.members, f"{field}.members")
        if not one.cost or len(one.cost) != self.levels:
            raise InputError(
                f"must have {max(self.levels, 1)} levels, as the first set has",
                f"{field}.cost",
                list(one.cost),
            )
        if min(one.cost) < 0:
            raise InputError("must not be negative", f"{field}.cost", list(one.cost))

    @property
    def n(self) -> int:
        """Number of available processors."""
        return len(self.available)

    @property
    def levels(self) -> int:
        """Number of levels of every cost vector."""
        return len(self.sets[0].cost)

    @property
    def total(self) -> tuple[int, ...]:
        """Cost of touching every set, an upper bound at every level."""
        return tuple(map(sum, zip(*(one.cost for one in self.sets), strict=True)))

    @cached_property
    def index(self) -> dict[str, int]:
        """Index of each processor by name."""
        return {name: i for i, name in enumerate(self.processors)}


def _refuse_repeated(names: tuple[str, ...], field: str, part: str = "") -> None:
    seen: set[str] = set()
    for i, name in enumerate(names):
        if not name:
            raise InputError("must not be empty", f"{field}[{i}]{part}")
        if name in seen:
            raise InputError("given twice", f"{field}[{i}]{part}", name)
        seen.add(name)


def check(instance: ProcSet, chosen: Collection[int]) -> list[str]:
    """List the errors of a choice of processors, by index.

    Choosing more than requested is valid.

    >>> pair = ProcessorSet("both", (0, 1), (1,))
    >>> check(ProcSet("two", ("a", "b"), (0,), 1, (pair,)), [1])
    ['b is not available']
    """
    wrong = [
        f"no processor {i}" for i in chosen if not 0 <= i < len(instance.processors)
    ]
    free = set(instance.available)
    wrong += [
        f"{instance.processors[i]} is not available"
        for i in chosen
        if 0 <= i < len(instance.processors) and i not in free
    ]
    if len(set(chosen)) < len(chosen):
        wrong.append("a processor is chosen twice")
    if len(set(chosen)) < instance.request:
        number = with_noun(len(set(chosen)), "processor")
        wrong.append(f"{number} chosen, not {instance.request}")
    wrong += [
        f"required processor {instance.processors[i]} is not chosen"
        for i in sorted(set(instance.required) - set(chosen))
    ]
    return wrong


def cost(instance: ProcSet, chosen: Collection[int]) -> tuple[int, ...]:
    """Sum of the cost vectors of all sets that a choice touches, level by level.

    Follows the definition (Drakenberg 2012, eq. 1); shares no code with the models and
    heuristics that it checks.

    >>> pair = ProcessorSet("both", (0, 1), (1, 0))
    >>> single = ProcessorSet("a", (0,), (0, 3))
    >>> two = ProcSet("two", ("a", "b"), (0, 1), 1, (pair, single))
    >>> cost(two, [0]), cost(two, [1])
    ((1, 3), (1, 0))
    """
    picked = set(chosen)
    total = [0] * instance.levels
    for one in instance.sets:
        if any(i in picked for i in one.members):
            for level, price in enumerate(one.cost):
                total[level] += price
    return tuple(total)


def unsolvable(instance: ProcSet) -> str | None:
    """Return why there is no valid choice, or None if there is one.

    >>> pair = ProcessorSet("both", (0, 1), (1,))
    >>> unsolvable(ProcSet("two", ("a", "b"), (0,), 2, (pair,)))
    '2 processors requested, 1 available'
    """
    if instance.request > instance.n:
        number = with_noun(instance.request, "processor")
        return f"{number} requested, {instance.n} available"
    return None
