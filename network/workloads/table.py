"""All workloads by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from ...instances import InputError
from . import skeletons as npb
from .causal import (
    WAVES,
    all_to_all,
    binary_tree,
    bipartite_io,
    butterfly,
    mesh_exchange,
    n_to_n,
    wave_front,
)
from .format import Workload

TASKS = 64
"""Tasks of the workloads of Navaridas, Pascual and Miguel-Alonso 2009."""
_LONG = 2**16


class WorkloadKind(NamedTuple):
    """A kind of workload.

    Parameters
    ----------
    name, description
        What it is called, and what it does, on one line.
    make
        Function of the number of tasks and the bytes of its (longest) messages.
    size
        Bytes by default: 64 kB, or of skeletons those of class A on 64 tasks.
    """

    name: str
    description: str
    make: Callable[[int, int], Workload]
    size: int


WORKLOADS: dict[str, WorkloadKind] = {
    kind.name: kind
    for kind in (
        WorkloadKind("BI", "reduction along a binary tree", binary_tree, _LONG),
        WorkloadKind("BU", "butterfly: exchange across every bit", butterfly, _LONG),
        WorkloadKind(
            "2M",
            "all neighbours in a square at once",
            partial(mesh_exchange, axes=2),
            _LONG,
        ),
        WorkloadKind(
            "3M",
            "all neighbours in a cube at once",
            partial(mesh_exchange, axes=3),
            _LONG,
        ),
        WorkloadKind(
            "2W", "wave front in a square", partial(wave_front, axes=2), _LONG
        ),
        WorkloadKind("3W", "wave front in a cube", partial(wave_front, axes=3), _LONG),
        WorkloadKind(
            "WF",
            f"waterfall: {WAVES} wave fronts in a square",
            partial(wave_front, axes=2, waves=WAVES),
            256,
        ),
        WorkloadKind("n-to-n", "everyone to everyone at once", n_to_n, _LONG),
        WorkloadKind(
            "all-to-all", "everyone to everyone, one by one", all_to_all, _LONG
        ),
        WorkloadKind(
            "io", "everyone to every I/O node, one by one", bipartite_io, _LONG
        ),
        WorkloadKind("BT", "skeleton of block tridiagonal", npb.bt, 35840),
        WorkloadKind("CG", "skeleton of conjugate gradient", npb.cg, 14000),
        WorkloadKind("IS", "skeleton of integer sort", npb.integer_sort, 8192),
        WorkloadKind("LU", "skeleton of lower-upper", npb.lu, 40960),
        WorkloadKind("MG", "skeleton of multigrid", npb.mg, 32768),
        WorkloadKind("SP", "skeleton of scalar pentadiagonal", npb.sp, 35840),
        WorkloadKind("FT", "skeleton of Fourier transform", npb.ft, 32768),
    )
}


def workload(
    name: str, tasks: int = TASKS, size: int | None = None, io: int = 0
) -> Workload:
    """Make a workload by its name.

    Parameters
    ----------
    name
        See `WORKLOADS`.
    tasks
        Number of tasks; I/O nodes come on top.
    size
        Bytes of the longest messages, by default those of its kind.
    io
        I/O nodes of ``io``; 0 for as many as it takes by default.

    Raises
    ------
    InputError
        If there is no such workload, or none of so many tasks.

    Examples
    --------
    >>> len(workload("2M"))
    224
    """
    kind = WORKLOADS.get(name)
    if kind is None:
        raise InputError(f"must be one of {', '.join(WORKLOADS)}", "workload", name)
    size = kind.size if size is None else size
    if io and kind.make is not bipartite_io:
        raise InputError("has no I/O nodes", "workload", name)
    return bipartite_io(tasks, size, io) if io else kind.make(tasks, size)
