"""A cluster as jobs of parts see it: its domains, and the devices of its nodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

import numpy as np

from ...formulations.cluster.domains import DomainTree, NodeDevices
from ...instances import InputError
from ..availability import Availability
from ..placement.program import Flags
from ..topologies import Fabric, Hierarchy


@lru_cache(maxsize=8)
def tree_of(fabric: Fabric) -> DomainTree:
    """Return the domains of a fabric; InputError if it is no tree."""
    if not isinstance(fabric, Hierarchy):
        problem = f"is for trees and blocks, not for {fabric.kinds}"
        raise InputError(problem, "job")
    return DomainTree(
        fabric.nodes,
        fabric.home,
        fabric.domains,
        fabric.parent,
        fabric.level,
        fabric.weight,
        fabric.levels,
    )


def whole_nodes(fabric: Fabric, free: Flags) -> NodeDevices:
    """Return the machine of jobs that take whole nodes: each is one device."""
    return NodeDevices(
        tree_of(fabric), np.where(free, 1, -1), np.ones(len(free), dtype=np.int64)
    )


def node_devices(
    fabric: Fabric, free: Flags, known: Availability, device: str
) -> NodeDevices:
    """Return the machine with the devices of its nodes, by what reports state.

    Parameters
    ----------
    fabric, free
        The nodes, and which of them no job holds.
    known
        What reports state. A node with jobs on it has the devices left that these do
        not use; if it is not stated how many they use, it has none.
    device
        The name of the devices; "" for the only ones that nodes have.

    Raises
    ------
    InputError
        If no node has such devices, or several kinds and none is named.
    """
    counts = {name: dict(kind.devices or ()) for name, kind in known.kinds.items()}
    device = _name_of(device, counts.values())
    whole = np.zeros(len(fabric.nodes), dtype=np.int64)
    left = np.full(len(fabric.nodes), -1)
    for i, name in enumerate(fabric.nodes):
        if name not in counts:
            continue
        whole[i] = have = _count(counts[name], device)
        if free[i]:
            left[i] = max(0, have)
        elif name in known.freeable | known.only_work and name in known.used:
            left[i] = max(0, have - _count(known.used[name], device))
            whole[i] += left[i] == have  # it is held all the same
    return NodeDevices(tree_of(fabric), left, np.maximum(whole, 0))


def _count(devices: Mapping[str, int], device: str) -> int:
    """Return how many there are: of Slurm's gres with all types."""
    return sum(n for name, n in devices.items() if device in _names(name))


def _names(name: str) -> tuple[str, ...]:
    """Return what a kind of devices may be called.

    >>> _names("gpu:a100"), _names("nvidia.com/gpu")
    (('gpu:a100', 'gpu', 'gpu'), ('nvidia.com/gpu', 'nvidia.com/gpu', 'gpu'))
    """
    kind = name.partition(":")[0]
    return name, kind, kind.rpartition("/")[2]


def _name_of(device: str, known: Iterable[Mapping[str, int]]) -> str:
    names = {name for devices in known for name in devices}
    kinds = sorted({_names(name)[1] for name in names})
    if not kinds:
        problem = "needs a report that counts devices, such as scontrol show nodes"
        raise InputError(f"{problem} --json", "devices")
    if device:
        if not any(device in _names(name) for name in names):
            problem = f"no node has such devices (there are: {', '.join(kinds)})"
            raise InputError(problem, "device", device)
        return device
    if len(kinds) > 1:
        problem = f"is needed: nodes have {', '.join(kinds)}"
        raise InputError(problem, "device")
    return kinds[0]
