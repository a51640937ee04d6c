"""Jobs of pods that are alike, in slices, by counting from the bottom up.

Below a domain there is room for some full slices of the lowest level, and for more or
fewer if the last, smaller slice is there, too. At a level with slices only whole ones
count: numbers of pods are multiples of the size or, with the last slice of all levels,
that and the rest. Each smaller number of that kind is possible, so that the two largest
ones are all that a domain has to hand up. Time: O(nodes + domains).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...instances import IntArray
from .cells import usable_nodes
from .constraints import ApartFrom, Avoid, InPieces, MostPods
from .domains import NODE, NOWHERE, DomainTree, NodeDevices
from .forest import PieceForest
from .job import ABSENT, GangJob, JobPlacement

_NONE = -(2**40)
"""Of what cannot be; sums of it stay below zero."""


@dataclass(frozen=True, eq=False)
class TreeJob:
    """So many pods that are alike; pieces and limits of domains by level."""

    pods: int
    room: IntArray
    """Pods that every node has room for."""
    sizes: Mapping[int, int]
    """Sizes of slices, each a multiple of those of lower levels."""
    most: Mapping[int, int]
    """The most pods in a domain."""

    def unit(self, level: int) -> tuple[int, int]:
        """Return of which size pods come in multiples there, and the rest."""
        size = max((n for x, n in self.sizes.items() if x <= level), default=1)
        return size, self.pods % size


def tree_job(job: GangJob, devices: NodeDevices, forest: PieceForest) -> TreeJob | None:
    """Return a job whose pods are all alike to its constraints; None if they are not.

    Where all counts are left out, that is a job without pods.
    """
    tree, every = devices.tree, {*job.names}
    counted = (InPieces, MostPods, ApartFrom, Avoid)
    if (
        len({role.devices for role in job.roles}) > 1
        or not all(
            isinstance(x, counted) and {*x.roles} == every for x in job.constraints
        )
        or job.open_counts not in (frozenset(), every)
    ):
        return None
    if job.open_counts:
        return TreeJob(0, np.zeros(len(tree.nodes), dtype=np.int64), {}, {})
    sizes: dict[int, int] = {}
    below = 1
    for level, piece in zip(forest.levels, forest.piece, strict=True):
        counts = np.bincount(piece)
        size = int(counts.max())
        if len(counts) == 1:
            size = -(-size // below) * below
        elif size % below or np.count_nonzero(counts < size) > 1:
            return None
        sizes[level] = below = size
    most: dict[int, int] = {}
    for one in job.constraints:
        if isinstance(one, MostPods):
            level = tree.level_number(one.level)
            most[level] = min(one.most, most.get(level, one.most))
    room = np.minimum(devices.room_for(job.roles[0].devices), job.pods)
    usable = usable_nodes(job, job.names[0], devices)
    return TreeJob(job.pods, np.where(usable, room, 0), sizes, most)


class Counting:
    """How many pods there is room for below every domain.

    Parameters
    ----------
    tree
        The domains.
    job
        What is asked for.
    """

    def __init__(self, tree: DomainTree, job: TreeJob) -> None:
        self.tree, self.job = tree, job
        domains = len(tree.parent)
        full, last = self._close(NODE, job.room, np.full(len(job.room), _NONE))
        self.of_nodes = full, last
        total = np.bincount(tree.home, full, domains).astype(np.int64)
        more = np.full(domains, _NONE)
        np.maximum.at(more, tree.home, last - full)
        self.full, self.last = np.zeros((2, domains), dtype=np.int64)
        for some in (*reversed(tree.downwards), np.zeros(1, dtype=np.int64)):
            heights = tree.height[some]
            for level in np.unique(heights).tolist():
                here = some[heights == level]
                found = self._close(level, total[here], more[here])
                self.full[here], self.last[here] = found
            up = tree.parent[some]
            if some[0]:
                np.add.at(total, up, self.full[some])
                np.maximum.at(more, up, self.last[some] - self.full[some])

    def _close(
        self, level: int, total: IntArray, more: IntArray
    ) -> tuple[IntArray, IntArray]:
        """Return the most pods of domains, without the last slice and with it.

        ``total`` is without it, and it brings so many ``more``.
        """
        size, rest = self.job.unit(level)
        with_last = total + more if self.job.unit(level - 1)[1] else total
        most = self.job.most.get(level, self.job.pods)
        full = np.minimum(total, most) // size * size
        if not rest:
            return full, np.full(len(total), _NONE)
        last = (np.minimum(with_last, most) - rest) // size * size + rest
        return full, np.where(last > 0, last, _NONE)

    @cached_property
    def fits(self) -> bool:
        """Whether there is room for all pods."""
        return self.most >= self.job.pods

    @property
    def most(self) -> int:
        """The most pods of this kind: full slices, and the last one."""
        rest = self.job.unit(int(self.tree.height[0]))[1]
        return int((self.last if rest else self.full)[0])

    def counts(self) -> IntArray:
        """Return pods by node of a placement; there is one."""
        tree, found = self.tree, np.zeros(len(self.tree.nodes), dtype=np.int64)
        inner = _listed_by(tree.parent, len(tree.parent), first=1)
        nodes = _listed_by(tree.home, len(tree.parent))
        rest = self.job.unit(int(tree.height[0]))[1]
        waiting = [(0, self.job.pods, rest > 0)] if self.job.pods else []
        full, last = self.full.tolist(), self.last.tolist()
        full_of, last_of = (one.tolist() for one in self.of_nodes)
        while waiting:
            v, left, with_last = waiting.pop()
            rest = with_last and self.job.unit(int(tree.height[v]) - 1)[1]
            items = [(full[u], last[u], u, True) for u in inner[v]]
            items += [(full_of[i], last_of[i], i, False) for i in nodes[v]]
            first = max(items, key=lambda x: x[1] - x[0]) if rest else None
            items.sort(key=lambda x: (x is not first, -x[0]))
            for item in items:
                take = min(left, item[1] if item is first else item[0])
                if take <= 0:
                    break
                left -= take
                if item[3]:
                    waiting.append((item[2], take, item is first))
                else:
                    found[item[2]] = take
        return found


def in_ranks(
    job: GangJob, tree: DomainTree, forest: PieceForest, ask: TreeJob, counts: IntArray
) -> JobPlacement:
    """Return the placement of pods that are alike, given how many are on each node.

    The ranks in a domain follow each other: domains come depth first, those with the
    last slices behind the others.
    """
    if not ask.pods:
        return {role.name: (ABSENT,) * role.count for role in job.roles}
    used = np.flatnonzero(counts)
    behind = np.zeros(len(used), dtype=np.int64)
    above = {
        level: np.unique(tree.at(level)[used], return_inverse=True)
        for level in (NODE, *range(len(tree.levels)))
    }
    broken = np.zeros(len(used), dtype=np.bool_)
    for level, (domains, of) in above.items():
        if level in ask.sizes:
            inside = np.bincount(of, counts[used], len(domains)).astype(np.int64)
            broken |= (inside % ask.sizes[level] > 0)[of]
        flag = np.zeros(len(domains), dtype=np.bool_)
        np.logical_or.at(flag, of, broken)
        behind += flag[of] & (domains[of] != NOWHERE)
        broken = flag[of] & (domains[of] != NOWHERE) | broken
    order = np.lexsort((tree.order[tree.home[used]], behind))
    nodes = np.repeat(used[order], counts[used[order]])
    keys = [np.arange(job.pods)]
    for piece in forest.piece:
        inside = np.bincount(piece)
        keys += [piece, inside[piece] < inside.max()]  # the smaller one is the last
    pods = np.lexsort(keys)
    where = np.empty(job.pods, dtype=np.int64)
    where[pods] = nodes
    return forest.placement(where)


def _listed_by(key: IntArray, count: int, first: int = 0) -> list[list[int]]:
    found: list[list[int]] = [[] for _ in range(count)]
    for i, v in enumerate(key[first:].tolist(), first):
        found[v].append(i)
    return found
