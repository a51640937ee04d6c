"""Why a job does not fit: constraints that clash, and how little would help.

A set of members of a job (counts of roles, constraints) clashes if no placement keeps
them all, whatever else is left out; it is irreducible if each of them left out makes
the others fit. Both are asked of a function, which may also not know.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
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
    job: GangJob, tree: DomainTree, fits: Fits, deadline: float = float("inf")
) -> Clash:
    """Return members of a job that does not fit which clash, the fewest found in time.

    First one after the other is left out, where the rest does not fit either; then all
    smaller sets are tried, the smallest first.

    Parameters
    ----------
    job
        The job.
    tree
        The domains.
    fits
        Decides; it is asked about relaxations and other values of constraints.
    deadline
        When to stop, on ``clock.now``.
    """
    asked: dict[frozenset[JobConstraint], bool | None] = {}
    undecided = False

    def decide(job: GangJob) -> bool | None:
        """Whether a job fits; it is noted if that is not known."""
        nonlocal undecided
        found = None if clock.now() > deadline else fits(job)
        undecided |= found is None
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
                break
        else:
            continue
        break
    alone = [keeps([x for x in found if x != one]) for one in found]
    helps = {}
    for one in found:
        changes: dict[str, Any] = {}
        for axis in one.axes(job, tree):
            value = _least_change(axis, tree, decide)
            if value is not None:
                changes[axis.what] = value
        if keeps([x for x in job.members if x != one]):
            changes["without"] = True
        helps[one] = changes
    limit = Limit.TIME if undecided else None
    return Clash(found, all(alone), smallest, helps, limit)


def _least_change(axis: GiveWay, tree: DomainTree, fits: Fits) -> Any | None:
    """Return the first value with which a job fits; None if there is none, or no time.

    Where all values behind one that fits do so, too, half of them are left out at once.
    """

    def helps(i: int) -> bool | None:
        job = axis.with_value(axis.values[i])
        try:
            job.refuse(tree)
        except InputError:
            return False
        return fits(job)

    count = len(axis.values)
    if not axis.steady:
        for i in range(count):
            if (found := helps(i)) is not False:
                return axis.values[i] if found else None
        return None
    first, end = 0, count
    while first < end:
        middle = (first + end) // 2
        found = helps(middle)
        if found is None:
            return None
        first, end = (first, middle) if found else (middle + 1, end)
    return axis.values[first] if first < count else None
