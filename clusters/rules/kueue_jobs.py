"""Kueue's rules for jobs of parts: by counting what fits, level by level.

They follow KEP-2724 and the source of September 2026 for a Topology that goes down to
host names. A role is a PodSet, and all are placed one after another. Known are a
required level, slices at up to three levels of a number of pods that they divide, and
leaders with the pods of one role; a role without a required level prefers the lowest
one, or that of its slices. More is ignored: spreading, roles that are apart or together
without a leader.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ...formulations.cluster.constraints import Groups, Slices
from ...formulations.cluster.domains import DomainTree, NodeDevices
from ...formulations.cluster.job import GangJob, JobPlacement, Role
from ...instances import InputError, IntArray
from .kueue import Room, balance, fill_in_order
from .rooms import OpenNodes

_MOST_LAYERS = 3
_NEVER = 2**40


@dataclass(frozen=True)
class _Ask:
    """Pods of a role, perhaps with a leader; levels: 0 the nodes, 1 the lowest."""

    role: Role
    count: int
    required: int | None = None
    layers: tuple[tuple[int, int], ...] = ()
    """Levels and sizes of slices, the outermost first."""
    leader: Role | None = None


@lru_cache(maxsize=8)
def _levels_of(tree: DomainTree) -> tuple[IntArray, list[IntArray]]:
    """Return the nodes in the order of their names from the root, and what is above.

    Domains are numbered in that order, too: of each of a level that of the next one.
    Nodes that are in no domain of some level are left out.
    """
    at = np.array([tree.at(level) for level in range(len(tree.levels))])
    full = np.flatnonzero(np.all(at >= 0, axis=0)).tolist()
    paths = {(*(tree.names[v] for v in at[::-1, i]), tree.nodes[i]): i for i in full}
    keys, up = sorted(paths), []
    nodes = np.array([paths[key] for key in keys], dtype=np.int64)
    for _ in at:
        number = {x: i for i, x in enumerate(dict.fromkeys(key[:-1] for key in keys))}
        up.append(np.array([number[key[:-1]] for key in keys], dtype=np.int64))
        keys = list(number)
    return nodes, up


def kueue_job(
    job: GangJob, devices: NodeDevices, *, tightest: bool = False, even: bool = False
) -> JobPlacement | None:
    """Place a job as `kueue_best_fit`, with the tightest first or evenly if so asked.

    Both are for roles that require no level; evenly shared ones prefer that above their
    slices.

    Guarantee: none.
    Time: O(nodes log nodes) for every role or group.
    Ties: fewest pods that fit, then names.
    Source: Kueue, source of 2026, KEP-2724.

    Raises
    ------
    InputError
        For a job that Kueue refuses: slices that do not divide a role or are of several
        roles, or groups without a leader of one pod.
    """
    nodes = OpenNodes(job, devices, anti=False)
    for ask in _asks(job, devices.tree):
        found = _Counts(ask, nodes, tightest).assign(even)
        if found is None:
            return None
        at, leader = found
        if ask.leader:
            nodes.take(ask.leader, leader)
        for node, n in at:
            for _ in range(n):
                nodes.take(ask.role, node)
    return nodes.where


def _asks(job: GangJob, tree: DomainTree) -> Iterator[_Ask]:
    need: dict[str, int] = {}
    layers: dict[str, list[tuple[int, int]]] = {name: [] for name in job.names}
    led: dict[str, list[_Ask]] = {}
    for one in job.constraints:
        if not isinstance(one, Slices | Groups):
            continue
        level = tree.level_number(one.level) + 1
        sizes = [job.role(name).count for name in one.roles]
        pods, first = sum(sizes), sizes[0]
        if isinstance(one, Slices) and one.size < pods:
            if len(sizes) > 1 or pods % one.size:
                problem = "knows no slices of several roles, nor a smaller last one"
                raise InputError(problem, "rule")
            layers[one.roles[0]].append((level, one.size))
            continue
        if isinstance(one, Groups):
            sizes = [*one.sizes]
        if len(sizes) == 2 and 1 in sizes:
            (_, head), (size, rest) = sorted(zip(sizes, one.roles, strict=True))
            leader, role = job.role(head), job.role(rest)
            groups = -(-first // sizes[0])
            left = [role.count - size * i for i in range(groups)]
            pairs = [_Ask(role, min(size, n), level, (), leader) for n in left]
            led |= {one.roles[0]: pairs, one.roles[1]: []}
        elif isinstance(one, Groups):
            raise InputError("has groups of a leader and one role only", "rule")
        else:
            need |= {x: min(level, need.get(x, level)) for x in one.roles}
    for role in job.roles:
        top = need.get(role.name)
        some = sorted(x for x in layers[role.name] if top is None or x[0] < top)[::-1]
        if len(some) > _MOST_LAYERS:
            raise InputError(f"knows slices at {_MOST_LAYERS} levels", "rule")
        yield from led.get(role.name, [_Ask(role, role.count, top, tuple(some))])


class _Counts:
    """What fits of an ask in every domain, from the nodes up, in units of a level."""

    def __init__(self, ask: _Ask, nodes: OpenNodes, tightest: bool) -> None:
        self.tightest = tightest and ask.required is None
        order, self.up = _levels_of(nodes.devices.tree)
        sizes, self.ask, self.node = dict(ask.layers), ask, order.tolist()
        bottom = max(sizes, default=0)
        """The level of the outermost slices; below it domains are filled apart."""
        pods, loss = nodes.room(ask.role)[order], np.zeros_like(order)
        if ask.leader:
            less = ask.leader.devices
            after = pods * 0 if less is None else nodes.room(ask.role, less=less)[order]
            loss = np.where(nodes.room(ask.leader)[order] > 0, pods - after, _NEVER)
        self.bottom, self.pods, self.loss = bottom, [pods], [loss]
        self.unit = [sizes.get(0, 1)]
        self.units = [pods // self.unit[0]]
        for level, up in enumerate(self.up, 1):
            n = int(up.max(initial=-1)) + 1
            whole = self.units[-1] * self.unit[-1] if level <= bottom else pods
            pods = _sums(up, whole, n)
            self.unit.append(sizes.get(min(level, bottom), 1))
            inner = level <= bottom
            units = pods // self.unit[-1] if inner else _sums(up, self.units[-1], n)
            loss = np.full(n, _NEVER)
            np.minimum.at(loss, up, self.loss[-1])
            self.pods.append(pods)
            self.units.append(units)
            self.loss.append(loss)

    def assign(self, even: bool) -> tuple[list[tuple[int, int]], int] | None:
        """Return nodes with their numbers of pods, and that of the leader, if any."""
        even = even and self.ask.required is None and len(self.ask.layers) < 2
        even = even and self.bottom < len(self.up)
        found = self._share_evenly() if even else None
        found = found or self._search(self.bottom + even)
        if found is None:
            return None
        level, taken = found
        lead = min(taken)
        while level:
            parts = [([v], n) for v, n in taken.items()]
            if level > self.bottom:
                parts = [([*taken], sum(taken.values()))]
            level -= 1
            taken = {}
            for some, n in parts:
                at = np.flatnonzero(np.isin(self.up[level], some)).tolist()
                k, pool = n // self.unit[level], self._pool(level, at)
                spare = sum(x.units for x in pool) - k
                if spare < 0:
                    return None
                if self.ask.leader:
                    head = self._head(level, pool, k, spare)
                    if head is None:
                        return None
                    lead, taken[head.domain] = head.domain, min(k, head.units)
                    k -= taken[lead]
                    pool = [x for x in pool if x.domain != lead]
                taken |= self._fill(level, pool, k)
        return [(self.node[v], n) for v, n in sorted(taken.items())], self.node[lead]

    def _fill(self, level: int, pool: list[Room], k: int) -> dict[int, int]:
        """Return the pods of domains that are filled in an order."""
        units = fill_in_order(pool, k, best_fit=not self.tightest) if k else {}
        return {v: n * self.unit[level] for v, n in units.items()}

    def _head(self, level: int, order: list[Room], k: int, spare: int) -> Room | None:
        """Return the domain of the leader, with the room that is left next to it.

        It is the first that costs no more than is spare; if that has room for all, the
        tightest that has.
        """
        loss: list[int] = self.loss[level].tolist()
        left = [x._replace(units=x.units - loss[x.domain]) for x in order]
        fits = [x for x in left if loss[x.domain] <= spare]
        if not fits or fits[0].units < k:
            return next(iter(fits), None)
        enough = [x for x in left if x.units >= k]
        return min(enough, key=lambda x: (x.units, x != fits[0]))

    def _search(self, preferred: int) -> tuple[int, dict[int, int]] | None:
        """Return the level at which domains are chosen, and the pods of each.

        What requires no level prefers one that is no node; with the tightest first it
        is chosen among the nodes, or with slices at the highest level.
        """
        level = self.ask.required
        if level is None:
            level = max(preferred, 1)
        if self.tightest:
            level = len(self.up) if self.bottom else 0
        while True:
            k = self.ask.count // self.unit[level]
            pool = self._pool(level, leader=self.ask.leader is not None)
            if fits := [x for x in pool if x.units >= k]:
                return level, {min(fits).domain: self.ask.count}
            if self.ask.required is not None:
                return None
            if self.tightest or level == len(self.up):
                enough = sum(x.units for x in pool) >= k
                return (level, self._fill(level, pool, k)) if enough else None
            level += 1

    def _share_evenly(self) -> tuple[int, dict[int, int]] | None:
        """Return how the domains of slices, or nodes, share a job that is balanced."""
        level, unit, up = self.bottom, self.unit[self.bottom], self.up[self.bottom]
        above = self.up[level + 1] if level + 1 < len(self.up) else np.unique(up) * 0
        pool = self._pool(level)
        groups: dict[int, list[list[Room]]] = {}
        for v, group in enumerate(above.tolist()):
            groups.setdefault(group, []).append([x for x in pool if up[x.domain] == v])
        taken = balance(groups.values(), self.ask.count // unit, unit)
        return (level, {v: n * unit for v, n in taken.items()}) if taken else None

    def _pool(
        self, level: int, at: Iterable[int] | None = None, leader: bool = False
    ) -> list[Room]:
        """Return the room of domains in the order in which they are filled.

        That is what they have next to the leader, if so asked. Within slices Kueue
        counts no slices, so that the least room comes first.
        """
        pods, units = self.pods[level], self.units[level]
        if leader:
            pods = units = units - self.loss[level]
        every = range(len(pods)) if at is None else at
        pool = [Room(int(units[v]), int(pods[v]), v, v) for v in every if units[v] >= 0]
        sign = 0 if level < self.bottom else 1 if self.tightest else -1
        return sorted(pool, key=lambda x: (sign * x.units, *x[1:]))


def _sums(up: IntArray, values: IntArray, n: int) -> IntArray:
    found: IntArray = np.bincount(up, values, n).astype(np.int64)
    return found
