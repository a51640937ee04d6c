"""Slurm without a tree, and options of jobs and the scheduler, re-implemented.

They follow the source of Slurm (``topology/common/eval_nodes.c`` of 2025, formerly in
select/cons_tres) for nodes of equal weight that serve one job at a time, without
required nodes. For such jobs the least loaded nodes (``LLN=YES``, ``CR_LLN``),
``bf_busy_nodes`` and ``--spread-job``, which switches the topology off, choose as
`flux_low`: all free nodes are equal to them.
"""

from __future__ import annotations

import numpy as np

from .slurm import slurm_tree
from .state import HierarchyState

Chosen = tuple[int, ...] | None


def slurm_flat(state: HierarchyState, k: int, /) -> Chosen:
    """Take the shortest run of successive free nodes with room, or the longest ones.

    A run is interrupted by any node that is not free. Where none has room for all that
    is missing, the longest is taken whole, and so on.

    Guarantee: none.
    Time: O(n + runs) for each run that is taken.
    Ties: the first run; its first nodes.
    Source: Slurm, topology/flat (formerly none, default), the source of 2025.
    """
    if int(np.count_nonzero(state.free)) < k:
        return None
    runs: list[list[int]] = [[]]
    for i in range(len(state.free)):
        if state.free[i]:
            runs[-1].append(i)
        elif runs[-1]:
            runs.append([])
    chosen: list[int] = []
    while len(chosen) < k:
        left = k - len(chosen)
        best = min(
            runs, key=lambda run: (0, len(run)) if len(run) >= left else (1, -len(run))
        )
        chosen += best[:left]
        runs.remove(best)
    return tuple(sorted(chosen))


def slurm_switches(state: HierarchyState, k: int, /) -> Chosen:
    """Take nodes as `slurm_tree`, on as few switches as the idle machine needs.

    That is ``--switches=N`` with the least N that makes sense, and no maximum wait:
    where topology/tree needs more switches the job waits.

    Guarantee: none; it finds nothing where more switches are needed.
    Time: that of `slurm_tree`.
    Ties: the first leaf.
    Source: Slurm, sbatch --switches, topology/tree, the source of 24.11.
    """
    chosen = slurm_tree(state, k)
    if chosen is None:
        return None
    sizes = sorted(map(len, state.layout.members), reverse=True)
    least, room = 0, 0
    while room < k:
        room += sizes[least]
        least += 1
    used = len(set(state.fabric.home[list(chosen)].tolist()))
    return chosen if used <= least else None
