"""What the jobs send: kernels, skeletons, and measured communication."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ...instances import InputError, IntArray
from ...network.messages import Messages
from ...network.workloads.causal import wave_front
from ...network.workloads.format import Builder, Workload
from ...network.workloads.measured import read_traffic
from ...network.workloads.table import WORKLOADS
from .machines import SIZES

KERNELS = ("n-to-n", "2M", "3M", "2W", "WF", "CG", "FT")
MEASURED = "measured"
WAVES = 32
"""Wave fronts of WF here; the paper's have 286, over 64 tasks."""
_PACKET = 64
"""Bytes of a packet."""


@lru_cache(maxsize=64)
def made(name: str, tasks: int, budget: int, traffic: str | None) -> Workload:
    """Make a workload in which tasks send so many bytes each, in the mean.

    Messages keep their proportions; none is shorter than a packet, unless it is much
    shorter than the workload's longest.

    Parameters
    ----------
    name
        One of `KERNELS`, or `MEASURED`.
    tasks
        Number of tasks.
    budget
        Bytes.
    traffic
        File of measured communication; its ranks are divided evenly among the tasks,
        and what ranks of the same task say to each other is left out.

    Raises
    ------
    InputError
        If the file cannot be read, or has fewer ranks than there are tasks, or a
        number that tasks do not divide.
    """
    if name == MEASURED:
        assert traffic is not None
        return _from_measurement(traffic, tasks, budget)

    def make(size: int) -> Workload:
        if name == "WF":
            return wave_front(tasks, size, 2, WAVES)
        return WORKLOADS[name].make(tasks, size)

    trial = 2**16
    size = round(trial * budget * tasks / make(trial).bytes / _PACKET) * _PACKET
    return make(max(_PACKET, size))


def _from_measurement(path: str, tasks: int, budget: int) -> Workload:
    measured = read_traffic(path).at_least(1000)  # no set-up, no bookkeeping
    ranks = measured.tasks
    if ranks % tasks or ranks < 2 * max(SIZES):
        raise InputError(
            f"must have a multiple of {tasks} ranks, at least {2 * max(SIZES)}",
            file=path,
            field="ranks",
            value=ranks,
        )
    matrix = measured.matrix()
    per = ranks // tasks
    merged = matrix.reshape(tasks, per, tasks, per).sum(axis=(1, 3))
    np.fill_diagonal(merged, 0)
    if not merged.any():
        raise InputError("has no messages of 1000 bytes between tasks", file=path)
    share = budget * tasks / merged.sum()
    build = Builder(tasks)
    build.step(
        (int(u), int(v), max(_PACKET, round(share * int(merged[u, v]))))
        for u, v in np.argwhere(merged)
    )
    return build.workload(MEASURED)


@lru_cache(maxsize=64)
def messages(name: str, tasks: int, budget: int, traffic: str | None) -> Messages:
    """Return the messages between tasks, in phits."""
    return made(name, tasks, budget, traffic).to_messages()


@lru_cache(maxsize=64)
def phits(name: str, tasks: int, budget: int, traffic: str | None) -> IntArray:
    """Return the phits from every task to every other, shape (tasks, tasks)."""
    found = messages(name, tasks, budget, traffic)
    matrix = np.zeros((tasks, tasks), np.int64)
    np.add.at(matrix, (found.source, found.target), found.length)
    np.fill_diagonal(matrix, 0)
    return matrix
