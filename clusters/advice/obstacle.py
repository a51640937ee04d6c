"""What is stated about a request that does not fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...solvers import Limit, Status
from ..placement import Placement

Holders = Mapping[str, Mapping[str, None]]
"""The jobs that hold a node."""


def is_free(placement: Placement) -> bool:
    """Whether nothing of a choice would have to be free that is not."""
    return placement.objective is not None and placement.objective[0] == 0


@dataclass(frozen=True)
class JobsToEnd:
    """The fewest jobs whose nodes suffice."""

    jobs: tuple[str, ...] | None
    """None if all of them do not suffice, or nothing was found in time."""
    nodes: int = 0
    """How many nodes they hold in the part of the cluster that the job gets."""
    bound: int | None = None
    """Proved: fewer jobs will not do. None if no number of jobs does."""
    by: str = ""
    limit: Limit | None = None


@dataclass(frozen=True)
class Reason:
    """Why a request does not fit, and what would help."""

    placement: Placement
    """With the fewest busy nodes; infeasible if it never fits, whatever is free."""
    busy: tuple[str, ...] = ()
    """The busy nodes among the chosen ones."""
    jobs: JobsToEnd | None = None
    """None where no report states which jobs hold nodes."""
    most: int = 0
    """The largest job with the same constraints that fits; of slices, in cubes."""
    changes: tuple[tuple[str, ...], ...] = ()
    """The smallest sets of constraints without which it fits: ``segment``,
    ``require``, ``exclude``, ``partition``, ``constraint`` or the name of a level."""
    values: Mapping[str, int] = field(default_factory=dict)
    """Of ``segment`` and levels: the largest number with which it fits."""
    limit: Limit | None = None
    """What ended the search for changes early."""
    cubes: int | None = None
    """Of slices of whole cubes: the fewest that would have to be free."""

    @property
    def stopped(self) -> Limit | None:
        """What ended any part of the search early."""
        return self.limit or (self.jobs.limit if self.jobs else None)

    @property
    def fits(self) -> bool:
        """Whether the request fits as things are."""
        return is_free(self.placement)

    @property
    def never(self) -> bool:
        """Whether it would not even fit if all nodes were free.

        What would help is then stated about the empty cluster.
        """
        return self.placement.status is Status.INFEASIBLE
