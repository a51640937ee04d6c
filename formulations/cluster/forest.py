"""The pieces of a job, each of which has to be within one domain, as a forest.

A piece of a lower level lies in one domain of every level above, or in none, so that
pieces of a level that share pods with one of a lower level have to be in the same
domain, and so on: what then has to be together contains what does so below, or shares
no pod with it. Pieces that look alike are of one `PieceKind`; only how many of them are
in each domain matters, and of which kind the piece is that they are a part of.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ...instances import IntArray
from .constraints import InPieces
from .domains import DomainTree
from .job import GangJob, JobPlacement

LOOSE = -1
ANYWHERE = 2**30
"""The level of the job as a whole, which need not be within one domain."""


@dataclass
class PieceKind:
    """Pieces that look alike, parts of pieces that look alike; the first: the job."""

    level: int
    parent: int
    """The kind of the pieces of which these are parts."""
    per: int
    """How many are in each of those."""
    pieces: list[int]
    loose: dict[str, int] = field(default_factory=dict)
    """By role: how many pods of each are in no smaller piece."""
    children: list[int] = field(default_factory=list)
    """The kinds of their parts."""


class PieceForest:
    """What has to be together of a job.

    Parameters
    ----------
    job
        The job.
    tree
        The domains.
    """

    def __init__(self, job: GangJob, tree: DomainTree) -> None:
        self.job = job
        sizes = [role.count for role in job.roles]
        self.begin = dict(zip(job.names, np.cumsum([0, *sizes]).tolist(), strict=False))
        self.role_of = np.repeat(np.arange(len(sizes)), sizes)
        wanted = {x for one in job.constraints if not one.is_steady for x in one.roles}
        idle = [name in job.open_counts - wanted for name in job.names]
        self.absent = np.array(idle)[self.role_of]
        """Pods that need not be placed, nor help to keep anything: they are not."""
        pieces = [x.roles for x in job.constraints if isinstance(x, InPieces)]
        named = Counter(x for roles in pieces for x in roles)
        self.may_split = any(named[x] > 1 for x in job.open_counts & wanted)
        """Whether pieces are together by pods that need not be placed."""
        listed: dict[int, list[InPieces]] = {}
        for one in job.constraints:
            if isinstance(one, InPieces):
                listed.setdefault(tree.level_number(one.level), []).append(one)
        self.levels = sorted(listed)
        self.piece: list[IntArray] = []
        """By level: the piece of every pod, `LOOSE` where it is in none."""
        group = np.arange(job.pods)
        for level in self.levels:
            found = self._join(listed[level], group)
            self.piece.append(found)
            inside = found != LOOSE
            group = np.where(inside, found, group + (found.max() + 1))
            group = np.unique(group, return_inverse=True)[1]

    def placement(self, where: IntArray) -> JobPlacement:
        """Return a placement from the nodes of all pods, in the order of roles."""
        return {
            role.name: tuple(where[self.begin[role.name] :][: role.count].tolist())
            for role in self.job.roles
        }

    def _join(self, constraints: Sequence[InPieces], group: IntArray) -> IntArray:
        """Return the piece of every pod, given which pods are together already."""
        pods, labels, most = [], [], 0
        for one in constraints:
            for name in one.roles:
                first = self.begin[name]
                pods.append(np.arange(first, first + self.job.role(name).count))
            labels.append(one.labels(self.job) + most)
            most = int(labels[-1].max()) + 1
        at, piece = np.concatenate(pods), np.concatenate(labels)
        at, piece = at[~self.absent[at]], piece[~self.absent[at]]
        groups = int(group.max()) + 1
        pairs = (group[at], groups + piece)
        shape = (groups + most, groups + most)
        from scipy.sparse import coo_array  # which takes its time
        from scipy.sparse.csgraph import connected_components

        graph = coo_array((np.ones(len(at), dtype=np.int8), pairs), shape=shape)
        _, of = connected_components(graph, directed=False)
        touched = np.zeros(groups, dtype=np.bool_)
        touched[group[at]] = True
        found = np.where(touched[group], of[group], LOOSE)
        inside = np.flatnonzero(found != LOOSE)
        # numbered by their first pods
        _, first, number = np.unique(
            found[inside], return_index=True, return_inverse=True
        )
        rank = np.empty(len(first), dtype=np.int64)
        rank[np.argsort(first)] = np.arange(len(first))
        found[inside] = rank[number]
        return found.astype(np.int64)

    @cached_property
    def parts(self) -> list[list[int]]:
        """By piece: its largest parts; the first piece is the job itself."""
        return self._contents[0]

    @cached_property
    def loose(self) -> list[dict[int, list[int]]]:
        """By piece: the pods that are in no smaller piece, by role."""
        return self._contents[1]

    @cached_property
    def _contents(self) -> tuple[list[list[int]], list[dict[int, list[int]]]]:
        levels = [*self.piece, np.zeros(self.job.pods, dtype=np.int64)]
        counts = [int(one.max()) + 1 for one in levels]
        total = sum(counts)
        parts: list[list[int]] = [[] for _ in range(total)]
        loose: list[dict[int, list[int]]] = [{} for _ in range(total)]
        top = np.full(self.job.pods, LOOSE)
        roles, first = self.role_of.tolist(), total
        for found, count in zip(levels, counts, strict=True):
            first -= count
            inside = np.flatnonzero((found != LOOSE) & ~self.absent)
            seen: set[int] = set()
            for pod, here, sub in zip(
                inside.tolist(),
                (found[inside] + first).tolist(),
                top[inside].tolist(),
                strict=True,
            ):
                if sub == LOOSE:
                    loose[here].setdefault(roles[pod], []).append(pod)
                elif sub not in seen:
                    seen.add(sub)
                    parts[here].append(sub)
            top[inside] = found[inside] + first
        self._level_of = [
            level
            for level, count in zip(
                reversed([*self.levels, ANYWHERE]),
                reversed(counts),
                strict=True,
            )
            for _ in range(count)
        ]
        return parts, loose

    def mark(self, piece: int) -> int:
        """Return what tells a piece from others that look alike."""
        return 0

    @cached_property
    def kinds(self) -> list[PieceKind]:
        """The kinds of pieces, parents before their children."""
        parts, loose = self._contents
        looks: list[int] = [0] * len(parts)
        known: dict[object, int] = {}
        for i in range(len(parts) - 1, -1, -1):
            inside = Counter(looks[j] for j in parts[i])
            pods = tuple((role, len(some)) for role, some in loose[i].items())
            key = (
                self._level_of[i],
                tuple(sorted(inside.items())),
                sorted(pods),
                self.mark(i),
            )
            looks[i] = known.setdefault(str(key), len(known))
        found = [PieceKind(self._level_of[0], LOOSE, 1, [0])]
        for number, kind in enumerate(found):
            example = kind.pieces[0]
            names = self.job.names
            kind.loose = {names[r]: len(some) for r, some in loose[example].items()}
            by_look: dict[int, list[int]] = {}
            for i in kind.pieces:
                for j in parts[i]:
                    by_look.setdefault(looks[j], []).append(j)
            for pieces in by_look.values():
                kind.children.append(len(found))
                per = len(pieces) // len(kind.pieces)
                found.append(PieceKind(self._level_of[pieces[0]], number, per, pieces))
        return found
