"""Nodes as a rule fills them with the pods of a job, one by one."""

from __future__ import annotations

from copy import copy

import numpy as np
import numpy.typing as npt

from ...formulations.cluster.constraints import Apart, ApartFrom, Avoid, MostPods
from ...formulations.cluster.domains import NodeDevices
from ...formulations.cluster.job import MOST_PODS, GangJob, Role
from ...instances import IntArray


class OpenNodes:
    """What is free, what is barred to whom, and what was placed.

    With ``anti``, pods keep away from others as Kubernetes's anti-affinity has it: from
    named jobs, from another role (Apart), and from pods alike (MostPods of one).
    """

    def __init__(self, job: GangJob, devices: NodeDevices, anti: bool = True) -> None:
        none: npt.NDArray[np.bool_] = np.zeros(len(devices.free), dtype=np.bool_)
        self.job, self.devices, self.anti = job, devices, anti
        self.free, self.used = devices.free.copy(), none.copy()
        self.barred = {name: none.copy() for name in job.names}
        self.where: dict[str, list[int]] = {name: [] for name in job.names}
        self.worth = 0.0  # of the domains of groups that were placed, in all
        tree = devices.tree
        for one in job.constraints:
            shut = none
            if isinstance(one, Avoid):
                shut = np.isin(tree.nodes, [*one.nodes])
            elif isinstance(one, ApartFrom) and anti:
                at = tree.at(tree.level_number(one.level))
                shut = np.isin(at, [*one.closed_domains(tree)])
            for name in one.roles:
                self.barred[name] |= shut

    def copy(self) -> OpenNodes:
        """Return nodes that can be filled while these stay as they are."""
        found = copy(self)
        found.free, found.used = self.free.copy(), self.used.copy()
        found.barred = {name: some.copy() for name, some in self.barred.items()}
        found.where = {name: [*some] for name, some in self.where.items()}
        return found

    def room(
        self, role: Role, nodes: IntArray | slice = slice(None), less: int = 0
    ) -> IntArray:
        """Return how many pods fit on nodes, each with less devices free."""
        free = self.free[nodes] - less
        found = np.where(free < 0, 0, MOST_PODS)
        if role.devices is None:
            found = (free == self.devices.whole[nodes]) & ~self.used[nodes]
        elif role.devices:
            found = np.maximum(free, 0) // role.devices
        return np.where(self.barred[role.name][nodes], 0, np.minimum(found, MOST_PODS))

    def take(self, role: Role, node: int) -> None:
        """Place the next pod of a role."""
        self.where[role.name].append(node)
        self.used[node] = True
        self.free[node] = -1 if role.devices is None else self.free[node] - role.devices
        for one in self.job.constraints if self.anti else ():
            if isinstance(one, Apart | MostPods) and role.name in one.roles:
                at = self.devices.tree.at(self.devices.tree.level_number(one.level))
                for name in one.roles:
                    other = name != role.name
                    if one.most == 1 if isinstance(one, MostPods) else other:
                        self.barred[name] |= at == at[node]
