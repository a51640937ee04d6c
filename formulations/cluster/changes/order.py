"""The order of moves: every step takes devices that are free at that moment.

A job is copied to its new nodes before it leaves the old ones. One whose nodes no other
job waits for is moved at once; the others are tried in all orders, depth first. Where
no order is possible, a job is first parked on spare nodes: as few jobs as possible, up
to two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ....instances import IntArray
from ....solvers import SolverError
from ..domains import NodeDevices

_MOST_STATES = 20_000
_MOST_PARKED = 2


@dataclass(frozen=True)
class Move:
    """Pods of a running job leave nodes for others, all at once."""

    job: str
    sources: tuple[int, ...]
    targets: tuple[int, ...]
    devices: tuple[int, ...]
    """Of each pod, where it was and where it comes."""
    arrives: tuple[int, ...]
    parked: bool = False
    """Whether it goes to spare nodes, to be moved again."""


_Event = tuple[int, Counter[int] | None]
"""A move that goes to its end, or to these spare nodes, by place."""


def in_order(
    moves: Sequence[Move],
    devices: NodeDevices,
    kind: IntArray | None = None,
    place: IntArray | None = None,
) -> tuple[Move, ...] | None:
    """Return moves in an order in which each goes to devices that are free then.

    Parameters
    ----------
    moves
        One of each job.
    devices
        The machine before.
    kind
        Of every node: a job is parked on nodes of the same kind; None: all are alike.
    place
        Nodes with the same number may stand for each other as targets, where moves are
        of whole nodes; None: none may.

    Returns
    -------
    tuple of Move
        None if no order was found with two jobs parked and 20 000 states.

    Raises
    ------
    SolverError
        If a step is not possible.
    """
    whole, free = devices.whole, np.maximum(devices.free, 0)
    wholly = all(
        (whole[[*one.sources, *one.targets]] == [*one.devices, *one.arrives]).all()
        for one in moves
    )
    if wholly:  # nodes are counted
        free = (free == whole).astype(np.int64)
    if place is None or not wholly:
        place = np.arange(len(whole))
    kinds = np.zeros_like(whole) if kind is None else kind
    search = _Search(
        [_by_place(place, one.sources, one.devices, wholly) for one in moves],
        [_by_place(place, one.targets, one.arrives, wholly) for one in moves],
        {*place[devices.free < 0].tolist()},
        dict(zip(place.tolist(), kinds.tolist(), strict=True)),
    )
    some = np.flatnonzero(free).tolist()
    left = _by_place(place, some, free[some].tolist())
    for parks in range(_MOST_PARKED * wholly + 1):
        if (events := search.order(left, parks)) is not None:
            named = [moves[j] for j, _ in events]
            if wholly:
                named = _name_nodes(moves, events, devices, place)
            _replay(named, devices)
            return tuple(named)
    return None


def _by_place(
    place: IntArray, nodes: Sequence[int], devices: Sequence[int], wholly: bool = False
) -> Counter[int]:
    found = Counter[int]()
    for i, n in zip(nodes, devices, strict=True):
        found[int(place[i])] += 1 if wholly else n
    return found


@dataclass
class _Search:
    """A search for an order, given what every move gives and takes, by place."""

    gives: list[Counter[int]]
    takes: list[Counter[int]]
    closed: set[int]
    """Places that are of no use to others when a job has left them."""
    kind: dict[int, int]

    def order(self, free: Counter[int], parks: int) -> list[_Event] | None:
        """Return the events with at most so many jobs parked at a time, or None."""
        seen: set[tuple[frozenset[int], tuple[int, ...]]] = set()
        stack: list[
            tuple[Counter[int], frozenset[int], dict[int, Counter[int]], list[_Event]]
        ] = [(free, frozenset(range(len(self.takes))), {}, [])]
        while stack and len(seen) < _MOST_STATES:
            free, left, parked, events = stack.pop()
            if not left:
                return events
            key = (left, tuple(sorted(parked)))
            if key in seen:
                continue
            seen.add(key)
            for j, spare in reversed([*self._next(free, left, parked, parks)]):
                after, still = free.copy(), dict(parked)
                gives = still.pop(j, self.gives[j])
                after.subtract(self.takes[j] if spare is None else spare)
                after.update({v: n for v, n in gives.items() if v not in self.closed})
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
        parks: int,
    ) -> Iterator[_Event]:
        """Yield the moves that are possible now; one only if it cannot do harm."""
        wanted = sum((self.takes[j] for j in left), Counter[int]())
        possible: list[_Event] = []
        for j in sorted(left):
            takes = self.takes[j]
            if any(free[v] < n for v, n in takes.items()):
                continue
            if all(free[v] >= wanted[v] for v in takes):
                yield j, None
                return
            possible.append((j, None))
        yield from possible
        if len(parked) < parks:
            for j in sorted(left - {*parked}, key=lambda j: self.takes[j].total()):
                if (spare := self._spare(free, wanted, j)) is not None:
                    yield j, spare

    def _spare(
        self, free: Counter[int], wanted: Counter[int], j: int
    ) -> Counter[int] | None:
        """Return free nodes for a job, where fewest are wanted by others."""
        found, parts = Counter[int](), Counter[int]()
        for v, n in self.gives[j].items():
            parts[self.kind[v]] += n
        for v in sorted(free, key=lambda v: (wanted[v] - free[v], v)):
            some = min(free[v], parts[self.kind[v]])
            if some > 0:
                found[v] = some
                parts[self.kind[v]] -= some
        return None if +parts else found


def _name_nodes(
    moves: Sequence[Move],
    events: Sequence[_Event],
    devices: NodeDevices,
    place: IntArray,
) -> list[Move]:
    """Return the steps with nodes that are free then."""
    free: dict[int, list[int]] = {}
    for i in np.flatnonzero(devices.free == devices.whole).tolist():
        free.setdefault(int(place[i]), []).append(i)
    at = {j: (move.sources, move.devices) for j, move in enumerate(moves)}
    found = []
    for j, spare in events:
        move, sources = moves[j], at[j]
        takes = spare or _by_place(place, move.targets, move.arrives, wholly=True)
        targets = [free[v].pop(0) for v, n in sorted(takes.items()) for _ in range(n)]
        at[j] = tuple(targets), tuple(devices.whole[targets].tolist())
        for i in sources[0]:
            if devices.free[i] >= 0:
                free.setdefault(int(place[i]), []).append(i)
        ends = (*sources, *at[j])
        found.append(
            Move(move.job, ends[0], ends[2], ends[1], ends[3], spare is not None)
        )
    return found


def _replay(moves: Sequence[Move], devices: NodeDevices) -> None:
    """Carry out the steps; raise SolverError if one is not possible."""
    free = np.maximum(devices.free, 0).tolist()
    for move in moves:
        for i, n in zip(move.targets, move.arrives, strict=True):
            free[i] -= n
            if free[i] < 0:
                raise SolverError(f"job {move.job} cannot be moved as planned")
        for i, n in zip(move.sources, move.devices, strict=True):
            free[i] += n if devices.free[i] >= 0 else 0
