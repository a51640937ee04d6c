"""Jobs that ran: when, on which nodes, and what they had asked for."""

from __future__ import annotations

from dataclasses import dataclass

from ...instances import InputError
from .decisions import Wish

MOST_RECORDS = 10**6
"""Maximal number of jobs of a report."""


@dataclass(frozen=True, slots=True)
class NodeGroup:
    """Nodes that were chosen at once: those of a job, or of one of its sets of pods."""

    name: str
    wish: Wish
    nodes: str = ""
    """A hostlist."""
    domains: tuple[tuple[str, int], ...] = ()
    """Instead of nodes: how many nodes of which domains of the topology."""
    uneven: bool = False
    """Whether pods share nodes so that groups of pods are no groups of nodes."""


@dataclass(frozen=True, slots=True)
class Record:
    """A job that started.

    Times are in seconds since the epoch.
    """

    where: str
    parts: tuple[NodeGroup, ...]
    submit: int
    start: int
    end: int | None
    """None if it is running."""
    limit: int | None = None
    """Seconds that it was allowed to run."""

    def __post_init__(self) -> None:
        if self.end is not None and self.end < self.start:
            problem = f"must not be before the start ({self.start})"
            raise InputError(problem, "end", self.end)
