"""Nodes that nothing distinguishes, for a job of parts, and how pods share a node."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from ...instances import IntArray
from ...instances.arrays.graphs import BoolArray
from .constraints import ApartFrom, AtLevel, Avoid, Require
from .domains import NODE, NOWHERE, NodeDevices
from .job import GangJob, Role

MOST_PATTERNS = 512
"""Ways to share a node, beyond which nodes are looked at one by one."""


class NodeCells:
    """The nodes that a job can use, in cells of nodes that are alike to it.

    Parameters
    ----------
    job, devices
        The job, and the machine.
    unlike
        A number for every node; nodes with different ones are not alike.
    """

    def __init__(
        self, job: GangJob, devices: NodeDevices, unlike: IntArray | None = None
    ) -> None:
        tree = devices.tree
        usable = [usable_nodes(job, name, devices) for name in job.names]
        self.room: dict[str, IntArray] = {}
        """By role: how many of its pods every node has room for."""
        several = np.zeros(len(tree.nodes), dtype=np.int64)
        for role, here in zip(job.roles, usable, strict=True):
            room = np.minimum(devices.room_for(role.devices), role.count)
            self.room[role.name] = np.where(here, room, 0)
            several += np.minimum(self.room[role.name], 2)
        pairs = any(p.kind in ("hops", "fragmentation") for p in job.objective)
        levels = [x.level for x in job.constraints if isinstance(x, AtLevel)]
        levels += [x.level for x in job.objective if x.level]
        self.by_node = any(tree.level_number(x) == NODE for x in levels)
        """Whether every node is a cell of its own."""
        self.by_node |= bool(pairs and (several > 1).any())
        self.by_node |= _has_many_patterns(job.roles, devices)
        alone = np.zeros(len(tree.nodes), dtype=np.int64)
        numbers = np.arange(1, len(tree.nodes) + 1)
        for one in job.constraints:
            if isinstance(one, Require):
                alone[tree.numbers(one.nodes)] = numbers[tree.numbers(one.nodes)]
        alone = numbers if self.by_node else alone
        some = np.flatnonzero(several)
        keys = [tree.home, devices.free, devices.whole, *usable, alone]
        rows = np.stack(keys if unlike is None else [*keys, unlike])
        _, first, of = np.unique(
            rows[:, some], axis=1, return_index=True, return_inverse=True
        )
        self.example = some[first]
        """A node of every cell."""
        order = np.argsort(of, kind="stable")
        ends = np.cumsum(np.bincount(of, minlength=len(first)))[:-1]
        self.members = [m.tolist() for m in np.split(some[order], ends) if len(m)]
        """The nodes of every cell."""
        self.at = {
            level: tree.at(level)[self.example]
            for level in (NODE, *range(len(tree.levels)))
        }
        """By level: the domain of every cell."""
        self.place = tree.order[tree.home[self.example]].tolist()
        """The order in which cells get their ranks."""


def usable_nodes(job: GangJob, role: str, devices: NodeDevices) -> BoolArray:
    """Return which nodes the constraints leave to a role, as flags."""
    tree, usable = devices.tree, devices.free >= 0
    for one in job.constraints:
        if role not in one.roles:
            continue
        if isinstance(one, AtLevel):
            at = tree.at(tree.level_number(one.level))
            usable &= at != NOWHERE
            if isinstance(one, ApartFrom):
                usable &= ~np.isin(at, [*one.closed_domains(tree)])
        elif isinstance(one, Avoid):
            usable[tree.numbers(one.nodes)] = False
    return usable


def _has_many_patterns(roles: Sequence[Role], devices: NodeDevices) -> bool:
    asks = tuple(sorted({role.devices for role in roles if role.devices}))
    return len(asks) > 1 and any(
        len(patterns(asks, free)) > MOST_PATTERNS
        for free in np.unique(devices.free).tolist()
    )


@cache
def patterns(asks: tuple[int, ...], free: int) -> list[tuple[int, ...]]:
    """Return how many pods of each size share a node so that no more fits.

    Not all ways if there are more than `MOST_PATTERNS`.

    >>> patterns((2, 3), 6)
    [(3, 0), (1, 1), (0, 2)]
    """
    if not asks:
        return [()]
    if len(asks) == 1:
        return [(free // asks[0],)]
    found: list[tuple[int, ...]] = []
    rest, last = asks[:-1], asks[-1]
    for n in range(free // last + 1):
        for way in patterns(rest, free - n * last):
            left = free - n * last - sum(a * b for a, b in zip(way, rest, strict=True))
            if left < last:
                found.append((*way, n))
        if len(found) > MOST_PATTERNS:
            break
    return found
