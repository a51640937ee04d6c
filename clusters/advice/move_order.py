"""The order of moves: every step takes nodes that are free at that moment.

A job is copied to its new nodes before it leaves the old ones. One whose nodes no other
job waits for is moved at once; the others are tried in all orders, depth first. Where
no order is possible, a job is first parked on spare nodes: as few jobs as possible, up
to two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...solvers import SolverError
from .layout import ClusterLayout

_MOST_STATES = 20_000
_MOST_PARKED = 2
Counts = Sequence[dict[int, int]]


@dataclass(frozen=True)
class JobMove:
    """A job goes from some nodes to as many others."""

    job: str
    sources: tuple[str, ...]
    targets: tuple[str, ...]
    parked: bool = False
    """Whether it goes to spare nodes, to be moved again."""


@dataclass(frozen=True)
class _Change:
    """What a job gives and takes, by leaf."""

    gives: Counter[int]
    takes: Counter[int]


def steps(layout: ClusterLayout, after: Counts) -> tuple[JobMove, ...] | None:
    """Return the moves in an order that is possible.

    Parameters
    ----------
    layout
        Where the jobs are.
    after
        How many nodes each job has on each leaf in the end.

    Returns
    -------
    tuple of Step
        None if no order was found with two jobs parked and 20 000 states.
    """
    changes: dict[int, _Change] = {}
    for j, (job, counts) in enumerate(zip(layout.jobs, after, strict=True)):
        before = Counter({v: len(nodes) for v, nodes in job.nodes.items()})
        gives, takes = before - Counter(counts), Counter(counts) - before
        if takes:
            changes[j] = _Change(gives, takes)
    free = Counter({v: len(nodes) for v, nodes in enumerate(layout.free)})
    for parked in range(_MOST_PARKED + 1):
        order = _Search(layout, changes, parked).order(free)
        if order is not None:
            found = _name_steps(layout, after, changes, order)
            _replay(layout, after, found)
            return found
    return None


_Event = tuple[int, Counter[int] | None]
"""A job that goes to its end, or to these spare nodes."""


class _Search:
    """A search for an order with at most so many jobs parked."""

    def __init__(
        self, layout: ClusterLayout, changes: dict[int, _Change], parked: int
    ) -> None:
        self.layout, self.changes, self.parked = layout, changes, parked
        self.seen: set[tuple[frozenset[int], tuple[int, ...]]] = set()

    def order(self, free: Counter[int]) -> list[_Event] | None:
        """Return the events, or None."""
        closed = self.layout.closed
        stack: list[
            tuple[Counter[int], frozenset[int], dict[int, Counter[int]], list[_Event]]
        ] = [(free, frozenset(self.changes), {}, [])]
        while stack and len(self.seen) < _MOST_STATES:
            free, left, parked, events = stack.pop()
            if not left:
                return events
            key = (left, tuple(sorted(parked)))
            if key in self.seen:
                continue
            self.seen.add(key)
            for j, spare in reversed(list(self._next(free, left, parked))):
                after, still = free.copy(), dict(parked)
                gives = still.pop(j, self.changes[j].gives)
                after.subtract(self.changes[j].takes if spare is None else spare)
                after.update({v: n for v, n in gives.items() if not closed[v]})
                if spare is not None:
                    still[j] = spare
                rest = left - {j} if spare is None else left
                stack.append((after, rest, still, [*events, (j, spare)]))
        return None

    def _next(
        self,
        free: Counter[int],
        left: frozenset[int],
        parked: dict[int, Counter[int]],
    ) -> Iterator[_Event]:
        """Return the moves that are possible now; one only if it cannot do harm."""
        possible: list[_Event] = []
        for j in sorted(left):
            takes = self.changes[j].takes
            if any(free[v] < n for v, n in takes.items()):
                continue
            others = Counter[int]()
            for other in left - {j}:
                others += self.changes[other].takes
            if all(free[v] - n >= others[v] for v, n in takes.items()):
                yield j, None
                return
            possible.append((j, None))
        yield from possible
        if len(parked) >= self.parked:
            return
        for j in sorted(
            left - set(parked), key=lambda j: self.changes[j].takes.total()
        ):
            spare = self._spare(free, left, j)
            if spare is not None:
                yield j, spare

    def _spare(
        self, free: Counter[int], left: frozenset[int], j: int
    ) -> Counter[int] | None:
        """Return free nodes for a job, where fewest are wanted by others."""
        change = self.changes[j]
        wanted = Counter[int]()
        for other in left:
            wanted += self.changes[other].takes
        found = Counter[int]()
        parts: Counter[int] = Counter()
        for v, n in change.gives.items():
            parts[self.layout.part[v]] += n
        for v in sorted(free, key=lambda v: (wanted[v] - free[v], v)):
            some = min(free[v], parts[self.layout.part[v]])
            if some > 0:
                found[v] = some
                parts[self.layout.part[v]] -= some
        return None if +parts else found


def _name_steps(
    layout: ClusterLayout,
    after: Counts,
    changes: dict[int, _Change],
    order: list[_Event],
) -> tuple[JobMove, ...]:
    """Return the steps with the names of nodes, from counts."""
    free = [list(nodes) for nodes in layout.free]
    away: dict[int, list[tuple[int, str]]] = {}
    for j, change in changes.items():
        nodes = layout.jobs[j].nodes
        away[j] = [(v, name) for v, n in change.gives.items() for name in nodes[v][-n:]]
    found = []
    for j, spare in order:
        takes = changes[j].takes if spare is None else spare
        targets = [
            (v, free[v].pop(0)) for v, n in sorted(takes.items()) for _ in range(n)
        ]
        sources, away[j] = away[j], targets
        for v, name in sources:
            free[v].append(name)
        found.append(
            JobMove(
                layout.jobs[j].name,
                tuple(name for _, name in sources),
                tuple(name for _, name in targets),
                spare is not None,
            )
        )
    return tuple(found)


def _replay(layout: ClusterLayout, after: Counts, found: Sequence[JobMove]) -> None:
    """Carry out the steps; raise SolverError if one is not possible or leads astray."""
    leaf_of = {name: v for v, nodes in enumerate(layout.free) for name in nodes}
    free = set(leaf_of)
    held: dict[str, set[str]] = {}
    for job in layout.jobs:
        held[job.name] = {name for nodes in job.nodes.values() for name in nodes}
        leaf_of |= {name: v for v, nodes in job.nodes.items() for name in nodes}
    for step in found:
        targets, sources = set(step.targets), set(step.sources)
        possible = targets <= free and sources <= held[step.job]
        if not possible or len(targets) != len(sources):
            raise SolverError(f"job {step.job} cannot be moved as planned")
        free = (free - targets) | sources
        held[step.job] = (held[step.job] - sources) | targets
    for job, counts in zip(layout.jobs, after, strict=True):
        if Counter(leaf_of[name] for name in held[job.name]) != Counter(counts):
            raise SolverError(f"job {job.name} does not end where it was planned to")
