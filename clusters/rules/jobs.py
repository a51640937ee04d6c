"""The rules of schedulers for jobs of parts, by name, and what they would preempt.

Each takes a job and a machine and returns a placement, or None if it finds none; it
raises InputError for a job that its scheduler refuses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from types import MappingProxyType

import numpy as np

from ...formulations.cluster.changes.change import OngoingJob, RunningState
from ...formulations.cluster.constraints import Slices
from ...formulations.cluster.domains import DomainTree, NodeDevices
from ...formulations.cluster.job import GangJob, JobPlacement
from ...instances import InputError
from ..topologies.fabric import FabricKind, Hierarchy
from .kueue_jobs import kueue_job
from .rooms import OpenNodes
from .slurm import slurm_block
from .state import HierarchyState
from .tiers import KAI, KUBERNETES, VOLCANO, by_tiers

JobRule = Callable[[GangJob, NodeDevices], JobPlacement | None]


def slurm_segments(job: GangJob, devices: NodeDevices) -> JobPlacement | None:
    """Place each role as a component of a job by `slurm_block`, with ``--segment``.

    The segment is the slice of a role at the lowest level; all else is ignored.

    Guarantee: none.
    Time: O(blocks) for each block that is taken.
    Ties: the last group and the last block.
    Source: Slurm, topology/block, the source of 2026 (26.05).

    Raises
    ------
    InputError
        If pods take less than a node, or segments do not divide their number.
    """
    nodes, fabric = OpenNodes(job, devices, anti=False), _blocks(devices.tree)
    for role in job.roles:
        if role.devices is not None:
            raise InputError("is for jobs of whole nodes", "rule")
        own, low = (role.name,), devices.tree.levels[0]
        some = (x for x in job.constraints if isinstance(x, Slices) and x.roles == own)
        sizes = [x.size for x in some if x.level == low and x.size < role.count]
        segment = sizes[0] if sizes else 1
        if role.count % segment:
            raise InputError("wants segments that divide the number of nodes", "rule")
        state = HierarchyState(fabric, nodes.room(role) > 0, segment)
        for node in slurm_block(state, role.count // segment) or ():
            nodes.take(role, node)
        if len(nodes.where[role.name]) < role.count:
            return None
    return nodes.where


@lru_cache(maxsize=8)
def _blocks(tree: DomainTree) -> Hierarchy:
    """Return a tree as blocks, in groups where these are powers of two of blocks."""
    sizes: list[int] = []
    for level in range(len(tree.levels)):
        at = tree.at(level)
        size, *others = {*np.bincount(at[at >= 0]).tolist()} - {0} or {0, 1}
        times = size / (sizes[0] if sizes else max(size, 1))
        if others or times not in (1, 2, 4, 8, 16, 32, 64, 128, 256):
            break
        sizes.append(size)
    return Hierarchy(
        *(FabricKind.BLOCKS, tree.nodes, tree.home, tree.names, tree.parent),
        *(tree.weight, tree.levels, tuple(sizes)),
    )


JOB_RULES: Mapping[str, JobRule] = MappingProxyType(
    {
        "kueue-best-fit": kueue_job,
        "kueue-least-free": partial(kueue_job, tightest=True),
        "kueue-balanced": partial(kueue_job, even=True),
        "kubernetes-5732": partial(by_tiers, KUBERNETES),
        "volcano-hard": partial(by_tiers, VOLCANO),
        "kai": partial(by_tiers, KAI),
        "slurm-segment": slurm_segments,
    }
)
"""The rules by name."""


def preempt_by_rule(
    rule: JobRule, job: GangJob, state: RunningState
) -> list[OngoingJob] | None:
    """Return the jobs that end for a job to be placed, as Kueue looks for them.

    Jobs go one by one, those of the lowest priority first, of these those that lose
    least, until the rule finds a place; then each but the last one stays after all if
    the rule does so all the same, the last that went first.

    Guarantee: none.
    Time: two decisions for every job that is tried.
    Ties: names.
    Source: Kueue, source of 2026, preemption within a ClusterQueue.
    """
    order = [x for x in state.jobs if x.endable]
    order.sort(key=lambda x: (x.priority, x.lost, x.name))
    gone: list[OngoingJob] = []
    while rule(job, state.without(gone)) is None:
        if len(gone) == len(order):
            return None
        gone.append(order[len(gone)])
    for one in gone[-2::-1]:
        others = [x for x in gone if x is not one]
        if rule(job, state.without(others)) is not None:
            gone = others
    return gone
