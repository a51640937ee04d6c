"""Nodes as a rule fills them with the pods of a job, one by one."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...formulations.cluster.constraints import Apart, ApartFrom, Avoid, MostPods
from ...formulations.cluster.domains import MOST_ROOM, NodeDevices
from ...formulations.cluster.job import MOST_PODS, GangJob, JobPlacement, Role
from ...instances import IntArray

Nodes = IntArray | slice
EVERY = slice(None)


class OpenNodes:
    """What is free, what is barred to whom, and what was placed.

    Parameters
    ----------
    job, devices
        The job, which is not refused, and the machine.
    anti
        Whether pods keep away from others as Kubernetes's anti-affinity has it: from
        named jobs, from another role (Apart), and from pods alike (MostPods of one).
    """

    def __init__(self, job: GangJob, devices: NodeDevices, anti: bool = True) -> None:
        self.job, self.devices, self.anti = job, devices, anti
        self.free = devices.free.copy()
        self.used: npt.NDArray[np.bool_] = np.zeros(len(self.free), dtype=np.bool_)
        self.barred = {name: self.used.copy() for name in job.names}
        self.where: dict[str, list[int]] = {name: [] for name in job.names}
        tree = devices.tree
        for one in job.constraints:
            if isinstance(one, Avoid):
                self._bar(one.roles, np.isin(tree.nodes, [*one.nodes]))
            elif isinstance(one, ApartFrom) and anti:
                at = tree.at(tree.level_number(one.level))
                self._bar(one.roles, np.isin(at, [*one.closed_domains(tree)]))

    def _bar(self, roles: tuple[str, ...], nodes: npt.NDArray[np.bool_]) -> None:
        for name in roles:
            self.barred[name] |= nodes

    def copy(self) -> OpenNodes:
        """Return nodes that can be filled while these stay as they are."""
        found = object.__new__(OpenNodes)
        found.job, found.devices, found.anti = self.job, self.devices, self.anti
        found.free, found.used = self.free.copy(), self.used.copy()
        found.barred = {name: some.copy() for name, some in self.barred.items()}
        found.where = {name: [*some] for name, some in self.where.items()}
        return found

    def room(self, role: Role, nodes: Nodes = EVERY, less: int = 0) -> IntArray:
        """Return how many pods fit on nodes, each with less devices free."""
        free = self.free[nodes] - less
        if role.devices is None:
            alone = (free == self.devices.whole[nodes]) & ~self.used[nodes]
            found = alone.astype(np.int64)
        elif role.devices:
            found = np.maximum(free, 0) // role.devices
        else:
            found = np.where(free >= 0, MOST_ROOM, 0)
        return np.where(self.barred[role.name][nodes], 0, np.minimum(found, MOST_PODS))

    def take(self, role: Role, node: int) -> None:
        """Place the next pod of a role."""
        self.where[role.name].append(node)
        self.used[node] = True
        self.free[node] = -1 if role.devices is None else self.free[node] - role.devices
        for one in self.job.constraints if self.anti else ():
            if isinstance(one, Apart | MostPods) and role.name in one.roles:
                roles = one.roles
                if isinstance(one, Apart):
                    roles = tuple(name for name in roles if name != role.name)
                elif one.most > 1:
                    continue
                at = self.devices.tree.at(self.devices.tree.level_number(one.level))
                self._bar(roles, at == at[node])

    @property
    def placement(self) -> JobPlacement:
        """What was placed."""
        return {name: tuple(some) for name, some in self.where.items()}
