"""Why a job does not fit: constraints that clash, and how little would help.

A set of members of a job (counts of roles, constraints) clashes if no placement keeps
them all, whatever else is left out; it is irreducible if each of them left out makes
the others fit. Both are asked of a function, which may also not know.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain, combinations
from typing import Any

from ...instances import InputError
from ...solvers import Limit
from ...solvers.running import clock
from .domains import DomainTree
from .job import GangJob, GiveWay, JobConstraint

Fits = Callable[[GangJob], bool | None]
"""Whether a job fits; None if that was not decided in time."""


@dataclass(frozen=True)
class Clash:
    """Members of a job that no placement keeps together."""

    members: tuple[JobConstraint, ...]
    irreducible: bool
    """Whether it was decided for each that the others fit without it."""
    smallest: bool
    """Whether it was decided that no smaller set clashes."""
    helps: Mapping[JobConstraint, Mapping[str, Any]] = field(default_factory=dict)
    """By member: what of it, changed to which value, makes the whole job fit, the least
    change that does; ``without``: it is left out altogether."""
    limit: Limit | None = None
    """What ended the search before all was decided: more might help."""


def find_clash(
    job: GangJob,
    trees: Sequence[DomainTree],
    fits: Fits,
    deadline: float = float("inf"),
) -> Clash:
    """Return members of a job that does not fit which clash, the fewest found in time.

    First one after the other is left out, where the rest does not fit either; then all
    smaller sets are tried, the smallest first.

    Parameters
    ----------
    job
        The job.
    trees
        The domains, of each part of the machine.
    fits
        Decides; it is asked about relaxations and other values of constraints.
    deadline
        When to stop, on ``clock.now``.
    """
    asked: dict[frozenset[JobConstraint], bool | None] = {}
    late = False

    def is_late() -> bool:
        nonlocal late
        late |= clock.now() > deadline
        return late

    def decide(job: GangJob) -> bool | None:
        """Whether a job fits; None after the deadline, too."""
        found = None if is_late() else fits(job)
        if found is None:
            is_late()
        return found

    def keeps(members: Sequence[JobConstraint]) -> bool | None:
        """Whether some members fit together."""
        key = frozenset(members)
        if key not in asked:
            if any(found and key <= other for other, found in asked.items()):
                return True
            asked[key] = decide(job.without(*(x for x in job.members if x not in key)))
        return asked[key]

    left = list(job.members)
    for one in reversed(job.members):
        rest = [x for x in left if x != one]
        if keeps(rest) is False:
            left = rest
    found, smallest = tuple(left), True
    for size in range(1, len(left)):
        for some in combinations(job.members, size):
            outcome = keeps(some)
            smallest &= outcome is not None
            if outcome is False:
                found = some
            if outcome is False or is_late():
                smallest &= outcome is False or not late
                break
        else:
            continue
        break
    alone = [keeps([x for x in found if x != one]) for one in found]
    helps = {}
    for one in found:
        changes: dict[str, Any] = {}
        axes: dict[str, GiveWay] = {}
        for axis in chain.from_iterable(one.axes(job, tree) for tree in trees):
            known = axes.setdefault(axis.what, axis)
            if len(known.values) < len(axis.values):
                axes[axis.what] = axis
        for axis in axes.values():
            value = _least_change(axis, trees, decide)
            if value is not None:
                changes[axis.what] = value
        if keeps([x for x in job.members if x != one]):
            changes["without"] = True
        helps[one] = changes
    limit = Limit.TIME if late else None
    return Clash(found, all(alone), smallest, helps, limit)


def _least_change(axis: GiveWay, trees: Sequence[DomainTree], fits: Fits) -> Any | None:
    """Return the first value with which a job fits; None if there is none, or no time.

    Where all values behind one that fits do so, too, half of them are left out at once;
    values with which the job contradicts itself are not among them.
    """

    def is_possible(value: Any) -> bool:
        job = axis.with_value(value)
        for tree in trees:
            with suppress(InputError):
                job.refuse(tree)
                return True
        return False

    values: Sequence[Any] = axis.values
    if not axis.steady:
        for value in filter(is_possible, values):
            if (found := fits(axis.with_value(value))) is not False:
                return value if found else None
        return None
    first, end = 0, len(values)
    while first < end:
        middle = (first + end) // 2
        if not is_possible(values[middle]):
            values = [value for value in values[first:end] if is_possible(value)]
            first, end = 0, len(values)
            continue
        found = fits(axis.with_value(values[middle]))
        if found is None:
            return None
        first, end = (first, middle) if found else (middle + 1, end)
    return values[first] if first < len(values) else None
