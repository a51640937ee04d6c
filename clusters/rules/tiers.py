"""Rules that try one domain after another, each pod by pod: Volcano, KAI, Kubernetes.

What has to be together is a group of pods, in groups again as far as a rule knows it.
Each looks for a domain in which its parts and pods find places one after another, from
the lowest level that it may have; nothing that was placed is taken back for what comes
later in the same domain. All know anti-affinity: see `rooms.OpenNodes`. Spreading over
a number of domains is ignored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...formulations.cluster.constraints import Slices
from ...formulations.cluster.domains import DomainTree, NodeDevices
from ...formulations.cluster.forest import ANYWHERE, LOOSE, PieceForest
from ...formulations.cluster.job import MOST_DEVICES, GangJob, JobPlacement, Role
from ...instances import InputError, IntArray
from .rooms import OpenNodes


@dataclass(frozen=True)
class TierRule:
    """How a rule tries domains: all of the lowest level with places, if not nested."""

    nested: bool = False
    """It knows groups in groups, and takes the tightest domain with places."""
    one_level: bool = False
    """Each group, of any size, has one level; only a share of the domains is tried, and
    pods go to the emptiest nodes."""


VOLCANO, KAI, KUBERNETES = TierRule(), TierRule(True), TierRule(one_level=True)


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
        if isinstance(one, Slices) and not rule.one_level:
            pods = job.count(one.roles)
            if one.size < pods and pods % one.size:
                raise InputError("wants slices that divide the number of pods", "rule")
    search = _TierSearch(rule, tree)
    nodes: OpenNodes | None = OpenNodes(job, devices)
    for group in _groups(rule, job, tree):
        if nodes is not None:
            nodes = search.place(group, np.arange(len(tree.nodes)), nodes)
    return nodes.where if nodes else None


def _groups(rule: TierRule, job: GangJob, tree: DomainTree) -> Iterator[_TierGroup]:
    """Yield the groups that a rule knows."""
    forest = PieceForest(job, tree)
    roles = [role for role in job.roles for _ in range(role.count)]
    every = list(zip(forest.levels, forest.piece, strict=True))

    def nest(pods: Iterable[int], layer: int) -> tuple[list[Role], list[_TierGroup]]:
        """Return pods that are in no group, and the groups of the others."""
        if not 0 <= layer < len(every):
            return [roles[i] for i in pods], []
        level, piece = every[layer]
        by: dict[int, list[int]] = {}
        for i in pods:
            by.setdefault(int(piece[i]), []).append(i)
        loose, parts = nest(by.pop(LOOSE, []), layer - 1 if rule.nested else layer + 1)
        for some in by.values():
            inside, below = nest(some, layer - 1 if rule.nested else LOOSE)
            parts.append(_TierGroup(level, tuple(inside), tuple(below)))
        return loose, parts

    inside, parts = nest(range(len(roles)), len(every) - 1 if rule.nested else 0)
    if not rule.one_level:
        whole = [] if rule.nested else [level for level, x in every if not x.any()]
        yield _TierGroup(min(whole, default=ANYWHERE), tuple(inside), tuple(parts))
        return
    yield from parts
    if inside:
        yield _TierGroup(ANYWHERE, tuple(inside))


class _TierSearch:
    """The domains of a machine, and the rule that tries them."""

    def __init__(self, rule: TierRule, tree: DomainTree) -> None:
        self.rule, self.tree = rule, tree
        self.share = max(0.05, 1 - 0.9 * rule.one_level * len(tree.nodes) / 5000)

    def place(
        self, group: _TierGroup, inside: IntArray, nodes: OpenNodes
    ) -> OpenNodes | None:
        """Return the nodes with a group on some of them; None if it finds no domain."""
        top = len(self.tree.levels) - 1
        climbs = not self.rule.one_level and group.level >= 0
        for level in range(0 if climbs else group.level, min(group.level, top) + 1):
            at = self.tree.at(level)[inside]
            tier = [inside[at == v] for v in np.unique(at[at >= 0])]
            if self.rule.nested:
                tier.sort(key=lambda some: self._free_above(level, some[0], nodes))
            if found := self._try(group, tier, nodes):
                return found
        return self._try(group, [inside], nodes) if group.level == ANYWHERE else None

    def _try(
        self, group: _TierGroup, tier: list[IntArray], nodes: OpenNodes
    ) -> OpenNodes | None:
        found: list[tuple[float, OpenNodes]] = []
        for some in tier:
            then = self._fill(group, some, nodes)
            if then is None:
                continue
            left = np.maximum(then.free[some], 0).sum()
            whole = max(1, then.devices.whole[some].sum())
            found.append((float(left / whole), then))
            if self.rule.nested or len(found) >= self.share * len(tier):
                break
        return min(found, key=lambda one: one[0])[1] if found else None

    def _fill(
        self, group: _TierGroup, inside: IntArray, nodes: OpenNodes
    ) -> OpenNodes | None:
        """Place the parts of a group in a domain, and then its pods one by one."""
        counts = {x: n for x in nodes.job.roles if (n := _count(group, x))}
        if any(nodes.room(role, inside).sum() < n for role, n in counts.items()):
            return None
        if self.rule.nested and all(role.devices != 0 for role in counts):
            # KAI takes all pods for as large as the largest before it tries a domain
            sizes = {
                x: MOST_DEVICES if x.devices is None else x.devices for x in counts
            }
            most = max(sizes, key=sizes.__getitem__)
            if nodes.room(most, inside).sum() < sum(counts.values()):
                return None
        then: OpenNodes | None = nodes.copy()
        for part in group.parts:
            then = then and self.place(part, inside, then)
        if then is None:
            return None
        racks = self.tree.at(0)[inside] + 1
        room = np.bincount(racks, np.maximum(then.free[inside], 0))[racks]
        last = -1
        for role in group.pods:
            at = np.flatnonzero(then.room(role, inside) > 0)
            if not len(at):
                return None
            free = then.free[inside[at]]
            keys: list[npt.NDArray[np.float64] | IntArray] = [free, -room[at]]
            if self.rule.one_level:
                keys = [-free / np.maximum(then.devices.whole[inside[at]], 1)]
            elif not self.rule.nested:
                keys = [self._far(last, inside[at])]
            last = int(inside[at[np.lexsort(keys)[0]]])
            then.take(role, last)
        return then

    def _free_above(self, level: int, node: int, nodes: OpenNodes) -> list[int]:
        """Return what is free in the domains of a node, from the highest down."""
        found = []
        for x in range(len(self.tree.levels) - 1, level - 1, -1):
            at = self.tree.at(x)
            found.append(int(np.maximum(nodes.free[at == at[node]], 0).sum()))
        return found

    def _far(self, last: int, nodes: IntArray) -> IntArray:
        """Return how many levels up the domain is that nodes share with one."""
        far = np.zeros(len(nodes), dtype=np.int64)
        for level in range(-1, len(self.tree.levels)) if last >= 0 else ():
            at = self.tree.at(level)
            far += (at[nodes] != at[last]) | (at[last] < 0)
        return far


def _count(group: _TierGroup, role: Role) -> int:
    """Return how many pods of a role a group has in all."""
    own = sum(one == role for one in group.pods)
    return own + sum(_count(part, role) for part in group.parts)
