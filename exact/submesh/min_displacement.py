"""Minimum displacement of given residents that make room: best-first, with proof."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, count

from ...instances import Submesh
from ...instances.submesh import Box, Placement, box_at, corner, sides, ways_of

MOST_NODES = 20_000
"""Nodes after which a search stops: about a second."""
_MOST_ROOMS = 2_000


@dataclass(frozen=True, slots=True)
class Displacement:
    """The placement of least displacement, if there is one below the one given."""

    finished: bool  # whether it is optimal; otherwise nodes, time or rooms ran out
    placement: Placement | None = None
    nodes: int = 0


def min_displacement(
    instance: Submesh,
    moved: Sequence[int],
    below: int,
    *,
    node_limit: int = MOST_NODES,
    stop: Callable[[], bool] = lambda: False,
) -> Displacement:
    """Place these residents and the request, minimising the residents' displacement.

    The free space among the residents that stay is covered by the largest free boxes,
    its rooms. A node assigns to each item a room, or any, with bounds on its corner,
    and to some pairs a fixed order along some axis. Moving every resident to the
    nearest corner within bounds is a lower bound for the node; two that violate their
    fixed order add at least the missing distance along that axis. Where two items
    overlap, either one that may be in any room is assigned each room in turn, or the
    pair each fixed order. The node of least bound comes first.

    Parameters
    ----------
    instance
        A mesh, not a torus.
    moved
        Residents that may be anywhere; all of them count as moved.
    below
        Only a smaller displacement is searched for.
    node_limit, stop
        When to stop.

    Notes
    -----
    Guarantee: exact, if finished. Time: exponential at worst. Source: the relations are
    those of Onodera et al. 1991; rooms and bounds are derived for closeknit.
    """
    search = _Search(instance, moved)
    if search.rooms is None:
        return Displacement(False)
    queue: list[tuple[int, int, int, _Node]] = []
    order = count()

    def push(node: _Node | None, depth: int) -> None:
        if node is not None and (bound := search.bound(node)) < below:
            heapq.heappush(queue, (bound, -depth, next(order), node))

    push(search.root(), 0)
    nodes = 0
    while queue:
        if nodes == node_limit or stop():
            return Displacement(False, None, nodes)
        nodes += 1
        _, depth, _, node = heapq.heappop(queue)
        parts = search.branch(node)
        if parts is None:
            return Displacement(True, search.placement(node), nodes)
        for part in parts:
            push(part, 1 - depth)
    return Displacement(True, None, nodes)


Span = tuple[tuple[int, int], ...]
"""The least and the greatest coordinate of a lowest corner, axis by axis."""


@dataclass(frozen=True, slots=True)
class _Node:
    """A node of the search, for each item, residents first.

    ``spans`` has the range of its lowest corner, None for anywhere in any room;
    ``sizes`` its sides as rotated, without a span those in its nearest room; ``at`` the
    lowest corner nearest to where it was, for the request any. For (axis, i, j) in
    ``first``, item i ends before j begins along that axis.
    """

    spans: tuple[Span | None, ...]
    sizes: tuple[tuple[int, ...], ...]
    at: tuple[tuple[int, ...], ...]
    first: tuple[tuple[int, int, int], ...] = ()


class _Search:
    """Bounds and branching, with the data that all nodes share."""

    def __init__(self, instance: Submesh, moved: Sequence[int]) -> None:
        self.instance = instance
        self.moved = tuple(moved)
        self.d = instance.d
        still = set(range(len(instance.residents))) - set(moved)
        held = [instance.residents[i].box for i in sorted(still)]
        held += [(*cell, *cell) for cell in instance.blocked]
        self.rooms = rooms(instance.shape, held)
        self.homes = [corner(instance.residents[i].box) for i in moved]
        self.n = len(self.moved)
        if self.rooms is not None:
            self.choices = [self._choices(j) for j in range(self.n + 1)]

    def _choices(self, j: int) -> list[tuple[int, Span, tuple[int, ...]]]:
        """List spans and sizes of an item in every room, the nearest first."""
        instance = self.instance
        if j == self.n:
            several = ways_of(instance.shape, instance.request, instance.rotate)
        else:
            one = instance.residents[self.moved[j]]
            several = ways_of(instance.shape, sides(one.box), one.turns)
        assert self.rooms is not None
        found = []
        for room in self.rooms:
            for way in several:
                span = tuple(
                    (room[a], room[self.d + a] + 1 - way[a]) for a in range(self.d)
                )
                if all(low <= high for low, high in span):
                    far = self._displacement(j, self._nearest_corner(j, span))
                    found.append((far, span, way))
        return sorted(set(found))

    def _nearest_corner(self, j: int, span: Span) -> tuple[int, ...]:
        """Return the corner within a span that is nearest to where an item was."""
        if j == self.n:
            return tuple(low for low, _ in span)
        return tuple(
            min(max(x, low), high)
            for x, (low, high) in zip(self.homes[j], span, strict=True)
        )

    def _displacement(self, j: int, at: Sequence[int]) -> int:
        if j == self.n:
            return 0
        return sum(abs(x - y) for x, y in zip(at, self.homes[j], strict=True))

    def root(self) -> _Node | None:
        """Return the root node; None if an item fits in no room."""
        if not all(self.choices):
            return None
        firsts = [several[0] for several in self.choices]
        return _Node(
            (None,) * (self.n + 1),
            tuple(way for _, _, way in firsts),
            tuple(
                self._nearest_corner(j, span) for j, (_, span, _) in enumerate(firsts)
            ),
        )

    def bound(self, node: _Node) -> int:
        """Return a lower bound on the placements of a node."""
        way = sum(self._displacement(j, at) for j, at in enumerate(node.at))
        worst = [0] * self.d
        for axis, _, _, lack in self._unordered(node):
            worst[axis] = max(worst[axis], lack)
        return way + sum(worst)

    def _unordered(self, node: _Node) -> Iterator[tuple[int, int, int, int]]:
        """Yield axis, two residents with a fixed order, and the distance it lacks.

        Includes pairs whose order follows through a third item.
        """
        before: dict[int, list[tuple[int, int, int]]] = {}
        for axis, i, j in node.first:
            before.setdefault(axis, []).append((i, j, node.sizes[i][axis]))
        for axis, pairs in before.items():
            longer = [
                (i, k, one + other)
                for i, j, one in pairs
                for q, k, other in pairs
                if q == j
            ]
            for i, j, ahead in (*pairs, *longer):
                lack = node.at[i][axis] + ahead - node.at[j][axis]
                if lack > 0 and i < self.n and j < self.n:
                    yield axis, i, j, lack

    def branch(self, node: _Node) -> list[_Node | None] | None:
        """Divide a node into parts; None if it is a placement already."""
        worst = max(self._unordered(node), key=lambda one: one[3], default=None)
        if worst is not None:
            axis, i, _, lack = worst
            # Either i moves the whole distance, or j moves by at least 1.
            end = node.at[i][axis] - lack
            return [
                self._bounded(node, i, axis, high=end),
                self._bounded(node, i, axis, low=end + 1),
            ]
        pair = self._overlapping(node)
        if pair is None:
            return None
        i, j = pair
        for k in (j, i):
            if node.spans[k] is None:
                return [
                    self._within(node, k, span, way) for _, span, way in self.choices[k]
                ]
        return [
            self._with_order(node, axis, a, b)
            for axis in range(self.d)
            for a, b in ((i, j), (j, i))
        ]

    def _overlapping(self, node: _Node) -> tuple[int, int] | None:
        """Return two items that overlap, residents before the request."""
        for i, j in combinations(range(self.n + 1), 2):
            if all(
                node.at[i][a] < node.at[j][a] + node.sizes[j][a]
                and node.at[j][a] < node.at[i][a] + node.sizes[i][a]
                for a in range(self.d)
            ):
                return i, j
        return None

    def _within(
        self, node: _Node, j: int, span: Span, way: tuple[int, ...]
    ) -> _Node | None:
        spans, sizes = list(node.spans), list(node.sizes)
        spans[j], sizes[j] = span, way
        return self._propagated(replace(node, spans=tuple(spans), sizes=tuple(sizes)))

    def _bounded(
        self,
        node: _Node,
        j: int,
        axis: int,
        *,
        low: int | None = None,
        high: int | None = None,
    ) -> _Node | None:
        span = node.spans[j]
        assert span is not None
        least, most = span[axis]
        least = least if low is None else max(least, low)
        most = most if high is None else min(most, high)
        if least > most:
            return None
        narrow = (*span[:axis], (least, most), *span[axis + 1 :])
        return self._within(node, j, narrow, node.sizes[j])

    def _with_order(self, node: _Node, axis: int, i: int, j: int) -> _Node | None:
        if (axis, i, j) in node.first or (axis, j, i) in node.first:
            return None
        return self._propagated(replace(node, first=(*node.first, (axis, i, j))))

    def _propagated(self, node: _Node) -> _Node | None:
        """Narrow the spans by the fixed orders; None if one is empty."""
        spans = [None if s is None else list(s) for s in node.spans]
        changed = True
        while changed:
            changed = False
            for axis, i, j in node.first:
                one, other = spans[i], spans[j]
                assert one is not None
                assert other is not None
                length = node.sizes[i][axis]
                low = max(other[axis][0], one[axis][0] + length)
                high = min(one[axis][1], other[axis][1] - length)
                if low > other[axis][1] or high < one[axis][0]:
                    return None
                if low > other[axis][0]:
                    other[axis] = low, other[axis][1]
                    changed = True
                if high < one[axis][1]:
                    one[axis] = one[axis][0], high
                    changed = True
        kept = tuple(None if s is None else tuple(s) for s in spans)
        at = [
            node.at[j] if span is None else self._nearest_corner(j, span)
            for j, span in enumerate(kept)
        ]
        if kept[self.n] is not None:  # the request must not overlap residents
            where = list(at[self.n])
            for axis, i, j in node.first:
                if j == self.n:
                    where[axis] = max(where[axis], at[i][axis] + node.sizes[i][axis])
            at[self.n] = tuple(where)
        return replace(node, spans=kept, at=tuple(at))

    def placement(self, node: _Node) -> Placement:
        """Return the placement of a node that needs no branching."""
        *boxes, request = (
            box_at(at, size) for at, size in zip(node.at, node.sizes, strict=True)
        )
        return Placement(
            request,
            tuple(
                (i, box)
                for i, box in zip(self.moved, boxes, strict=True)
                if box != self.instance.residents[i].box
            ),
        )


def rooms(shape: Sequence[int], held: Sequence[Box]) -> list[Box] | None:
    """List the largest free boxes of a mesh; None if they are too many.

    >>> rooms((3, 3), [(1, 1, 1, 1)])
    [(0, 0, 0, 2), (0, 0, 2, 0), (0, 2, 2, 2), (2, 0, 2, 2)]
    """
    d = len(shape)
    found: list[Box] = [box_at((0,) * d, tuple(shape))]
    for box in held:
        cut = []
        kept = []
        for room in found:
            if any(room[a] > box[d + a] or box[a] > room[d + a] for a in range(d)):
                kept.append(room)
                continue
            for a in range(d):
                if room[a] < box[a]:
                    cut.append((*room[: d + a], box[a] - 1, *room[d + a + 1 :]))
                if box[d + a] < room[d + a]:
                    cut.append((*room[:a], box[d + a] + 1, *room[a + 1 :]))
        cut = [
            one
            for one in dict.fromkeys(cut)
            if not any(_inside(one, other, d) for other in kept)
            and not any(_inside(one, other, d) for other in cut if other != one)
        ]
        found = kept + cut
        if len(found) > _MOST_ROOMS:
            return None
    return sorted(found)


def _inside(one: Box, other: Box, d: int) -> bool:
    return all(other[a] <= one[a] and one[d + a] <= other[d + a] for a in range(d))
