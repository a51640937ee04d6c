"""What the jobs send: four patterns, all of as many bytes a task."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache, partial

import numpy as np

from ...instances import IntArray
from ...network.messages import Messages
from ...network.workloads.causal import butterfly, mesh_exchange, n_to_n
from ...network.workloads.format import Builder, Workload
from .machines import PACKET

BYTES = 2**13
"""What a task sends, in the mean."""


def _ring(tasks: int, size: int) -> Workload:
    build = Builder(tasks)
    build.step((i, (i + 1) % tasks, size) for i in range(tasks))
    return build.workload("ring")


PATTERNS: Mapping[str, Callable[[int, int], Workload]] = {
    "all-to-all": n_to_n,
    "ring": _ring,
    "recursive doubling": butterfly,
    "halo": partial(mesh_exchange, axes=2),
}


@lru_cache
def messages(name: str, tasks: int) -> Messages:
    """Return the messages of a pattern between tasks, in phits; whole packets."""
    unit = 4 * PACKET
    mean = PATTERNS[name](tasks, unit).bytes / tasks
    return PATTERNS[name](tasks, unit * round(BYTES / mean)).to_messages()


@lru_cache
def phits(name: str, tasks: int) -> IntArray:
    """Return the phits from every task to every other, shape (tasks, tasks)."""
    found = messages(name, tasks)
    matrix = np.zeros((tasks, tasks), np.int64)
    np.add.at(matrix, (found.source, found.target), found.length)
    np.fill_diagonal(matrix, 0)  # joins of a task with itself
    return matrix
