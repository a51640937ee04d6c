"""Slurm without a tree, and options of jobs and the scheduler, re-implemented.

They follow the source of Slurm (``topology/common/eval_nodes.c`` of 2025, formerly in
select/cons_tres; ``topology/3d_torus`` of 22.05, which still has it) for nodes of equal
weight that serve one job at a time, without required nodes. For such jobs the
least loaded nodes (``LLN=YES``, ``CR_LLN``), ``bf_busy_nodes`` and ``--spread-job``,
which switches the topology off, choose as `flux_low`: all free nodes are equal to them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .slurm import slurm_tree
from .state import HierarchyState

Chosen = tuple[int, ...] | None
_BITS = 5
"""Bits of a coordinate in Slurm's curve, which is that of a cube of 32."""


def slurm_flat(state: HierarchyState, k: int, /) -> Chosen:
    """Take the shortest run of successive free nodes with room, or the longest ones.

    A run is interrupted by any node that is not free. Where none has room for all that
    is missing, the longest is taken whole, and so on.

    Guarantee: none.
    Time: O(n + runs) for each run that is taken.
    Ties: the first run; its first nodes.
    Source: Slurm, topology/flat (formerly none, default), the source of 2025.
    """
    return _by_runs(state, range(len(state.free)), k)


def slurm_hilbert(state: HierarchyState, k: int, /) -> Chosen:
    """Take runs as `slurm_flat`, of nodes in the order of a Hilbert curve.

    The curve fills a cube of 32, or the next power of two for longer sides.

    Guarantee: none.
    Time: O(n log n).
    Ties: the first run on the curve; its first nodes.
    Source: Slurm, topology/3d_torus, the source of 22.05.
    """
    assert state.space is not None
    sites = np.array(state.space.sites, dtype=np.int64)
    bits = max(_BITS, int(sites.max(initial=0)).bit_length())
    keys = [hilbert_key([*site, 0, 0][:3], bits) for site in sites.tolist()]
    return _by_runs(state, sorted(range(len(keys)), key=keys.__getitem__), k)


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


def _by_runs(state: HierarchyState, order: Sequence[int], k: int) -> Chosen:
    """Take runs of free nodes in some order."""
    if int(np.count_nonzero(state.free)) < k:
        return None
    runs: list[list[int]] = [[]]
    for i in order:
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


def hilbert_key(point: Sequence[int], bits: int) -> int:
    """Return the place of a cell on the Hilbert curve of a cube of side 2**bits.

    From the highest bit down, the halves that the curve has passed are turned into the
    position of the first one; the bits that are left are the place in Gray code.

    >>> [hilbert_key(cell, 1) for cell in ((0, 0), (0, 1), (1, 1), (1, 0))]
    [0, 1, 2, 3]
    """
    x = list(point)
    for level in range(bits - 1, 0, -1):
        bit, low = 1 << level, (1 << level) - 1
        for axis in range(len(x)):
            if x[axis] & bit:
                x[0] ^= low
            else:
                swapped = (x[0] ^ x[axis]) & low
                x[0] ^= swapped
                x[axis] ^= swapped
    key, parity = 0, 0
    for level in range(bits - 1, -1, -1):
        for value in x:
            parity ^= value >> level & 1
            key = key << 1 | parity
    return key
