"""Pods that are alike lost their nodes: others by counting, where that is enough.

All that survives stays, so that no fewer pods are placed anew. What a lost pod has to
be together with says in which domain it stays; these domains nest, so that any free
nodes will do, from the lowest up. New domains are opened only when no used one has
room; the answer counts only if each level has no more than a bound on them says.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...instances import IntArray
from .domains import NOWHERE, NodeDevices
from .forest import ANYWHERE, LOOSE, PieceForest
from .job import GangJob, JobPlacement
from .tree import tree_job

Groups = list[tuple[int, int, list[int]]]
"""Lost pods by the domain in which each has to be: level, domain, pods."""


def refill(
    job: GangJob,
    old: JobPlacement,
    own: Mapping[int, int],
    now: NodeDevices,
    forest: PieceForest,
) -> tuple[JobPlacement, tuple[int, ...]] | None:
    """Return a placement, and its numbers, which are the least; None: not decided.

    Parameters
    ----------
    job
        Its objective is domains by level, from the lowest up.
    old
        Where pods are; -1 for those that lost their nodes.
    own
        Devices of the job, by node.
    now
        Devices that are free, those of its surviving pods among them.
    forest
        Its pieces.
    """
    tree, free = now.tree, now.free.copy()
    for node, n in own.items():
        free[node] -= n if free[node] >= 0 else 0
    ask = tree_job(job, NodeDevices(tree, free, now.whole), forest)
    where = np.concatenate([np.array(old[name]) for name in job.names])
    groups = _pin(where, forest, now)
    if ask is None or ask.most or groups is None or job.open_counts:
        return None
    room, used = ask.room.copy(), where[where >= 0]
    levels = [tree.level_number(part.level) for part in job.objective]
    least = [_least_domains(tree.at(x), used, room, groups, now) for x in levels]
    for level, v, pods in groups:
        here = np.arange(len(room)) if level == ANYWHERE else tree.at(level) == v
        inside = np.zeros(len(room), dtype=np.bool_)
        inside[here] = True
        left = list(pods)
        while left:
            at = _next_leaf(room, inside, where[where >= 0], len(left), now)
            if at is None:
                return None
            for node in at:
                some, left = left[: room[node]], left[int(room[node]) :]
                where[some] = node
                room[node] -= len(some)
                if not left:
                    break
    begin = forest.begin
    placed = {
        role.name: tuple(where[begin[role.name] :][: role.count].tolist())
        for role in job.roles
    }
    numbers = job.value(placed, now)
    if numbers != tuple(least) or job.violations(placed, now):
        return None
    return placed, numbers


def _pin(where: IntArray, forest: PieceForest, now: NodeDevices) -> Groups | None:
    """Say where each lost pod has to be; None if a whole piece was lost."""
    lost = np.flatnonzero(where < 0)
    found: dict[int, tuple[int, int]] = {}
    for level, piece in zip(forest.levels, forest.piece, strict=True):
        at = now.tree.at(level)
        for pod in lost.tolist():
            if pod in found or piece[pod] == LOOSE:
                continue
            others = where[(piece == piece[pod]) & (where >= 0)]
            if not len(others):
                return None
            found[pod] = level, int(at[others[0]])
    groups: dict[tuple[int, int], list[int]] = {}
    for pod in lost.tolist():
        groups.setdefault(found.get(pod, (ANYWHERE, 0)), []).append(pod)
    return [(*key, pods) for key, pods in sorted(groups.items())]


def _least_domains(
    at: IntArray, used: IntArray, room: IntArray, groups: Groups, now: NodeDevices
) -> int:
    """Return how many domains of a level are used at least."""
    base = np.unique(at[used])
    base = base[base != NOWHERE]
    more = 0
    ready = np.isin(at, base) | (at == NOWHERE)
    for level, v, _ in groups:
        inside = np.ones(len(at), dtype=np.bool_)
        if level != ANYWHERE:
            inside = now.tree.at(level) == v
        need = 0
        for low, u, pods in groups:
            if low < level or (low, u) == (level, v):
                first = np.flatnonzero(now.tree.at(low) == u) if low < ANYWHERE else []
                if level == ANYWHERE or (len(first) and inside[first[0]]):
                    need += len(pods)
        need -= int(room[inside & ready].sum())
        if need > 0:
            new = np.flatnonzero(inside & ~ready)
            sizes = np.sort(np.bincount(at[new], room[new]))[::-1]
            more = max(more, int(np.searchsorted(np.cumsum(sizes), need)) + 1)
    return len(base) + more


def _next_leaf(
    room: IntArray, inside: IntArray, used: IntArray, need: int, now: NodeDevices
) -> list[int] | None:
    """Return the nodes with room in one lowest domain, the best one; None: none."""
    tree = now.tree
    nodes = np.flatnonzero(inside & (room > 0))
    if not len(nodes):
        return None
    leaf = tree.home[nodes]
    leaves, of = np.unique(leaf, return_inverse=True)
    sizes = np.minimum(np.bincount(of, room[nodes]), need)
    first = nodes[np.unique(of, return_index=True)[1]]
    new = [
        ~np.isin(at[first], at[used]) & (at[first] != NOWHERE)
        for at in map(tree.at, range(len(tree.levels)))
    ]
    best = np.lexsort((*reversed(new[1:]), -sizes, new[0]))[0]  # the last counts first
    found: list[int] = nodes[of == best].tolist()
    return found
