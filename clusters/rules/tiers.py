"""Rules that try one domain after another, each pod by pod: Volcano, KAI, Kubernetes.

What has to be together is a group of pods, in groups again as far as a rule knows it.
Each looks for a domain in which its parts and pods find places one after another, from
the lowest level that it may have; nothing that was placed is taken back for what comes
later in the same domain. All know anti-affinity: see `rooms.OpenNodes`. Spreading over
a number of domains is ignored.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
import numpy.typing as npt

from ...formulations.cluster.constraints import Slices
from ...formulations.cluster.domains import DomainTree, NodeDevices
from ...formulations.cluster.forest import ANYWHERE, LOOSE, PieceForest
from ...formulations.cluster.job import GangJob, JobPlacement, Role
from ...instances import InputError, IntArray
from .rooms import OpenNodes


class Depth(Enum):
    """Which groups within groups a rule knows."""

    ALL = "groups in groups"
    TWO = "the job, and the innermost groups"
    ONE = "the innermost groups"


@dataclass(frozen=True)
class TierRule:
    """How a rule goes through domains.

    Parameters
    ----------
    depth
        The groups that it knows.
    divides
        Whether slices have to divide the number of pods.
    climbs
        Whether a group starts at the lowest level, and takes higher ones if need be.
    tightest
        Whether it takes the first domain with places, the tightest first; else all of
        a level are tried, and that is taken which is fullest then.
    """

    depth: Depth
    divides: bool = True
    climbs: bool = True
    tightest: bool = False
    samples: bool = False
    """Whether it stops when a share of the domains has places."""
    spreads: bool = False
    """Whether a pod goes to the emptiest node; else near the one before it."""


VOLCANO = TierRule(Depth.TWO)
KAI = TierRule(Depth.ALL, tightest=True)
KUBERNETES = TierRule(
    Depth.ONE, divides=False, climbs=False, samples=True, spreads=True
)


@dataclass(frozen=True)
class _TierGroup:
    """Pods, by their roles, that have to be in one domain of a level."""

    level: int
    pods: tuple[Role, ...]
    parts: tuple[_TierGroup, ...] = ()


def by_tiers(rule: TierRule, job: GangJob, devices: NodeDevices) -> JobPlacement | None:
    """Place a job by a rule that tries domains.

    Guarantee: none.
    Time: O(pods n) for every domain that is tried.
    Ties: the first, where the schedulers draw lots.
    Source: Volcano 1.14 (hard, by default up to the highest tier, one subGroupPolicy);
    KAI-Scheduler of 2026 (required and preferred levels, subgroups); Kubernetes,
    KEP-5732 (beta; that the share falls evenly with the nodes is our reading).

    Raises
    ------
    InputError
        If slices have to divide the number of pods and do not.
    """
    tree = devices.tree
    for one in job.constraints:
        if isinstance(one, Slices) and rule.divides:
            pods = job.count(one.roles)
            if one.size < pods and pods % one.size:
                raise InputError("wants slices that divide the number of pods", "rule")
    search = _TierSearch(rule, tree)
    nodes: OpenNodes | None = OpenNodes(job, devices)
    for group in _groups(rule.depth, job, tree):
        if nodes is not None:
            nodes = search.place(group, np.arange(len(tree.nodes)), nodes)
    return nodes.placement if nodes else None


def _groups(depth: Depth, job: GangJob, tree: DomainTree) -> Iterator[_TierGroup]:
    """Yield the groups that a rule knows, in the order of their first pods."""
    forest = PieceForest(job, tree)
    roles = [role for role in job.roles for _ in range(role.count)]

    def nest(pods: Sequence[int], layers: range) -> tuple[list[Role], list[_TierGroup]]:
        """Return pods that are in no group, and the groups of the others."""
        if not layers:
            return [roles[i] for i in pods], []
        layer, loose, parts = layers[-1], [], []
        if depth is not Depth.ALL:
            layer = layers[0]  # from the innermost out, and only the first
        by: dict[int, list[int]] = {}
        for i in pods:
            by.setdefault(int(forest.piece[layer][i]), []).append(i)
        for piece, some in by.items():
            out, rest = layers[:-1], layers[1:]
            if piece == LOOSE or depth is Depth.ALL:
                inside, below = nest(some, out if depth is Depth.ALL else rest)
            else:
                inside, below = [roles[i] for i in some], []
            if piece == LOOSE:
                loose += inside
                parts += below
            else:
                level = forest.levels[layer]
                parts.append(_TierGroup(level, tuple(inside), tuple(below)))
        return loose, parts

    inside, parts = nest(range(len(roles)), range(len(forest.levels)))
    if depth is Depth.ONE:
        yield from parts
        if inside:
            yield _TierGroup(ANYWHERE, tuple(inside))
        return
    whole = [
        level
        for level, piece in zip(forest.levels, forest.piece, strict=True)
        if not piece.any()
    ]
    top = whole[0] if whole and depth is Depth.TWO else ANYWHERE
    yield _TierGroup(top, tuple(inside), tuple(parts))


class _TierSearch:
    """The domains of a machine, and the rule that tries them."""

    def __init__(self, rule: TierRule, tree: DomainTree) -> None:
        self.rule, self.tree = rule, tree
        self.share = 1.0
        if rule.samples:
            self.share = max(0.05, 1 - 0.9 * len(tree.nodes) / 5000)

    def place(
        self, group: _TierGroup, inside: IntArray, nodes: OpenNodes
    ) -> OpenNodes | None:
        """Return the nodes with a group on some of them; None if it finds no domain."""
        for tier in self._tiers(group.level, inside):
            found: list[tuple[float, OpenNodes]] = []
            if self.rule.tightest:
                tier.sort(key=lambda some: int(np.maximum(nodes.free[some], 0).sum()))
            for some in tier:
                then = self._fill(group, some, nodes)
                if then is None:
                    continue
                if self.rule.tightest:
                    return then
                left = np.maximum(then.free[some], 0).sum()
                whole = max(1, then.devices.whole[some].sum())
                found.append((float(left / whole), then))
                if len(found) >= self.share * len(tier):
                    break
            if found:
                return min(found, key=lambda one: one[0])[1]
        return None

    def _tiers(self, level: int, inside: IntArray) -> Iterator[list[IntArray]]:
        """Yield the domains that a group may have, level by level."""
        top = len(self.tree.levels) - 1
        levels = [*range(min(level, top) + 1)] if self.rule.climbs else [level]
        for x in levels or [level]:
            if x == ANYWHERE:
                break
            at = self.tree.at(x)[inside]
            yield [inside[at == v] for v in np.unique(at[at >= 0])]
        if level == ANYWHERE:
            yield [inside]

    def _fill(
        self, group: _TierGroup, inside: IntArray, nodes: OpenNodes
    ) -> OpenNodes | None:
        """Place the parts of a group in a domain, and then its pods one by one."""
        job, tree = nodes.job, self.tree
        for role in job.roles:
            count = _count(group, role)
            if count and nodes.room(role, inside).sum() < count:
                return None
        then: OpenNodes | None = nodes.copy()
        for part in group.parts:
            then = then and self.place(part, inside, then)
        if then is None:
            return None
        racks = tree.at(0)[inside]
        free = np.maximum(then.free[inside], 0)
        roomy = np.bincount(racks + 1, free)[racks + 1]
        last = -1
        for role in group.pods:
            can = then.room(role, inside) > 0
            if not can.any():
                return None
            free = then.free[inside]
            order: list[IntArray | npt.NDArray[np.float64]]
            if self.rule.spreads:
                order = [-free / np.maximum(then.devices.whole[inside], 1)]
            elif self.rule.tightest:
                order = [-roomy, free]
            else:
                order = [self._far(last, inside)]
            best = np.flatnonzero(can)
            for key in order:
                best = best[key[best] == key[best].min()]
            last = int(inside[best[0]])
            then.take(role, last)
        return then

    def _far(self, last: int, inside: IntArray) -> IntArray:
        """Return how many levels up the domain is that nodes share with one."""
        far = np.zeros(len(inside), dtype=np.int64)
        for level in range(-1, len(self.tree.levels)) if last >= 0 else ():
            at = self.tree.at(level)
            far += (at[inside] != at[last]) | (at[last] < 0)
        return far


def _count(group: _TierGroup, role: Role) -> int:
    """Return how many pods of a role a group has in all."""
    own = sum(one == role for one in group.pods)
    return own + sum(_count(part, role) for part in group.parts)
