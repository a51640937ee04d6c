"""Labels of Kubernetes nodes that are levels: known families, and unknown candidates.

A label that no family knows is a candidate if it could be a level: it has at least two
values, fewer than there are nodes with it, and the nodes of each value lie in one
domain of the level above.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence

import numpy as np

from ...instances import IntArray
from .switch_trees import first_of
from .tpu import POOL

HOSTNAME = "kubernetes.io/hostname"
CLIQUE = "nvidia.com/gpu.clique"
TPU_PARTITION = "cloud.google.com/gke-tpu-partition-"
TPU_TOPOLOGY = "cloud.google.com/gke-tpu-topology"
_LOW = (CLIQUE, f"{CLIQUE}-domain", f"cloud.google.com/{POOL}")
"""Levels where they nest among those of families, and no node of these is without them;
the second is made of the first, and node pools are levels of TPUs alone."""
FAMILIES: dict[str, tuple[str, ...]] = {
    "https://kubernetes.io/docs/reference/labels-annotations-taints/": (
        "topology.kubernetes.io/region",
        "topology.kubernetes.io/zone",
    ),
    "https://docs.aws.amazon.com/eks/latest/userguide/ml-workload-topology.html": (
        *(f"topology.k8s.aws/network-node-layer-{layer}" for layer in range(1, 5)),
    ),
    "https://github.com/oracle-quickstart/oci-hpc-oke: docs/using-rdma-network-"
    "locality-when-running-workloads-on-oke.md": (
        "oci.oraclecloud.com/rdma.hpc_island_id",
        "oci.oraclecloud.com/rdma.network_block_id",
        "oci.oraclecloud.com/rdma.local_block_id",
    ),
    "https://docs.nvidia.com/topograph/reference/node-labels-and-annotations": (
        "network.topology.nvidia.com/datacenter",
        "network.topology.nvidia.com/core",
        "network.topology.nvidia.com/spine",
        "network.topology.nvidia.com/leaf",
        "network.topology.nvidia.com/block",
        "network.topology.nvidia.com/accelerator",
    ),
    "https://docs.nvidia.com/topograph/v1.0.0/reference/node-labels-and-annotations": (
        *(f"fabric.topograph.run/tier-{tier}" for tier in range(8, -1, -1)),
        "accelerator.topograph.run/domain",
        "accelerator.topograph.run/sub-domain",
    ),
    "https://docs.cloud.google.com/kubernetes-engine/docs/how-to/use-gke-dynamic-"
    "slicing": (
        "cloud.google.com/gce-topology-block",
        *(f"{TPU_PARTITION}{x}-id" for x in ("4x4x4", "2x4x4", "2x2x4", "2x2x2")),
    ),
    "https://cloud.google.com/ai-hypercomputer/docs/workloads/schedule-gke-workloads-"
    "tas": (
        "cloud.google.com/gce-topology-block",
        "cloud.google.com/gce-topology-subblock",
        "cloud.google.com/gce-topology-host",
    ),
    "https://kueue.sigs.k8s.io/docs/tasks/run/topology_aware_scheduling/": (
        "cloud.provider.com/topology-block",
        "cloud.provider.com/topology-rack",
    ),
}
"""Labels from the top down, by the page that defines them; families in this order."""
_NO_LEVEL = re.compile(
    r"(?:beta\.)?kubernetes\.io/(?:os|arch|hostname)"
    r"|(?:beta|node)\.kubernetes\.io/instance-type|node-role\.kubernetes\.io/.*"
    r"|feature\.node\.kubernetes\.io/.*|nvidia\.com/(?!gpu\.clique).*"
    r"|cloud\.google\.com/(?:gke-tpu|gke-accelerator)-.*"
)
"""Well-known labels that say what a node is, not where it is."""
_MOST_ADDED = 8
"""Candidates that are tried together as levels."""

Labels = Mapping[str, Mapping[str, str]]
"""The labels of every node."""
_Values = tuple[IntArray, IntArray]
"""The numbers of the nodes that have a label, and those of its values there."""
_Domains = IntArray
"""The number of the domain of every node, -1 for nodes that have none."""


def known_levels(nodes: Labels) -> list[str]:
    """Return the labels of known families that nodes have, from the top down.

    A level of a later family that has the same domains as one of an earlier family is
    that one under another name, and left out.
    """
    known = {label for one in FAMILIES.values() for label in one}
    values = dict(_by_label(nodes, known))
    domains = {label: _domains([one], len(nodes))[0] for label, one in values.items()}
    chosen: list[str] = []
    networks: list[str] = []
    for family in FAMILIES.values():
        fresh = [
            label
            for label in family
            if label in values
            and not any(_alike(values[label], domains[one]) for one in networks)
        ]
        chosen += fresh
        if "topology.kubernetes.io/zone" not in family:
            networks += fresh
    parts = any(one.startswith(TPU_PARTITION) for one in chosen)
    pools = not parts and any(TPU_TOPOLOGY in own for own in nodes.values())
    low = [one for one in _LOW if pools or not one.endswith(POOL)]
    first = chosen or [x for x in low if any(own.get(x) for own in nodes.values())][:1]
    inside = [own for own in nodes.values() if all(own.get(one) for one in first)]
    low = [one for one in low if inside and all(own.get(one) for own in inside)]
    both = (*chosen, *low) if low else ()
    few = {str(i): {x: own[x] for x in both} for i, own in enumerate(inside)}
    chain = candidates(few, chosen)[1] if low else chosen
    return chain if set(chosen) <= set(chain) else chosen


def candidates(nodes: Labels, levels: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the unknown labels that could be levels, and the levels with them.

    Of two that are one level under two names, or do not nest, the second is left out of
    the levels.
    """
    values = dict(_by_label(nodes))
    none = np.zeros(0, dtype=np.int64)
    used = [values.pop(label, (none, none)) for label in levels]
    above = _domains(used, len(nodes))
    sizes = [np.count_nonzero(up >= 0) for up in above]
    found = []
    for label, one in values.items():
        there, numbers = one
        count = int(numbers.max()) + 1
        if not 2 <= count < len(there) or _NO_LEVEL.fullmatch(label):
            continue
        if len(there) in sizes and any(_alike(one, up) for up in above):
            continue  # another name of a level that is used
        top = above[0][there] if above else numbers
        if _within(numbers, top) or _within(top, numbers):
            found.append((count, label))
    chain = list(levels)
    for _, label in sorted(found)[:_MOST_ADDED]:
        there, numbers = values[label]
        domains = _domains(used, len(nodes))
        at = sum(1 for up in domains if _within(numbers, up[there]))
        if at == len(chain) or _within(domains[at][there], numbers):
            if not any(_alike(values[label], up) for up in domains):
                chain.insert(at, label)
                used.insert(at, values[label])
        elif chain == list(levels):  # across the levels below, which it would replace
            chain[at:], used[at:] = [label], [values[label]]
    return sorted(label for _, label in found), chain


def note_of(names: Sequence[str], chain: Sequence[str]) -> str:
    """Return the line that names candidates, with the ``--labels`` that would use them.

    >>> note_of(["a/row"], ["zone", "a/row"])
    'a/row could be a level and is not used (--labels zone,a/row)'
    """
    verb = "could be a level and is" if len(names) == 1 else "could be levels and are"
    return f"{first_of(names)} {verb} not used (--labels {','.join(chain)})"


def _by_label(
    nodes: Labels, wanted: Container[str] | None = None
) -> Iterator[tuple[str, _Values]]:
    found: dict[str, tuple[list[int], list[int], dict[str, int]]] = {}
    for i, own in enumerate(nodes.values()):
        for label, value in own.items():
            if value and (wanted is None or label in wanted):
                there, numbers, known = found.setdefault(label, ([], [], {}))
                there.append(i)
                numbers.append(known.setdefault(value, len(known)))
    for label, (there, numbers, _) in found.items():
        yield label, (np.array(there), np.array(numbers))


def _domains(levels: Sequence[_Values], count: int) -> list[_Domains]:
    """Return the domains of every level: of nodes with its label and all above."""
    found: list[_Domains] = []
    for there, numbers in levels:
        one = np.full(count, -1)
        one[there] = numbers
        if found:
            both = (one >= 0) & (found[-1] >= 0)
            pairs = found[-1][both] * (one.max() + 1) + one[both]
            one = np.full(count, -1)
            one[both] = np.unique(pairs, return_inverse=True)[1]
        found.append(one)
    return found


def _within(lower: _Domains, upper: _Domains) -> bool:
    """Whether every domain lies within one of the others, where nodes have both."""
    both = (lower >= 0) & (upper >= 0)
    pairs = lower[both] * (upper.max(initial=0) + 1) + upper[both]
    return len(np.unique(pairs)) == len(np.unique(lower[both]))


def _alike(values: _Values, domains: _Domains) -> bool:
    """Whether a label gives these domains to the same nodes, and to no others."""
    there, numbers = values
    other = domains[there]
    return (
        bool((other >= 0).all())
        and _within(numbers, other)
        and _within(other, numbers)
        and len(there) == np.count_nonzero(domains >= 0)
    )
