"""Labels of Kubernetes nodes that are levels: known families, and unknown candidates.

A label that no family knows is a candidate if it could be a level: it has at least two
values, fewer than there are nodes with it, and the nodes of each value lie in one
domain of the level above.
"""

from __future__ import annotations

import re
from collections.abc import Container, Hashable, Mapping, Sequence

from .forest import first_of

HOSTNAME = "kubernetes.io/hostname"
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
    r"|feature\.node\.kubernetes\.io/.*|nvidia\.com/(?!gpu\.clique$).*"
)
"""Well-known labels that say what a node is, not where it is."""
_MOST_ADDED = 8
"""Candidates that are tried together as levels."""

Labels = Mapping[str, Mapping[str, str]]
"""The labels of every node."""
_Domains = dict[str, Hashable]
"""The domain of every node that has one."""


def known_levels(nodes: Labels) -> list[str]:
    """Return the labels of known families that nodes have, from the top down.

    A level of a later family that has the same domains as one of an earlier family is
    that one under another name, and left out.
    """
    values = _by_label(nodes, {label for one in FAMILIES.values() for label in one})
    chosen: list[str] = []
    networks: list[str] = []
    for family in FAMILIES.values():
        fresh = [
            label
            for label in family
            if label in values
            and not any(_alike(values[label], values[one]) for one in networks)
        ]
        chosen += fresh
        if "topology.kubernetes.io/zone" not in family:
            networks += fresh
    return chosen


def candidates(nodes: Labels, levels: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the unknown labels that could be levels, and the levels with them.

    Of two that are one level under two names, or do not nest, the second is left out of
    the levels.
    """
    values = _by_label(nodes)
    above = [_domains(nodes, levels[: i + 1]) for i in range(len(levels))]
    found = []
    for label in values.keys() - set(levels):
        one = values[label]
        count = len(set(one.values()))
        if not 2 <= count < len(one) or _NO_LEVEL.fullmatch(label):
            continue
        if any(_alike(one, up) for up in above):
            continue  # another name of a level that is used
        if (above and _within(one, above[0])) or not above or _within(above[0], one):
            found.append((count, label))
    chain = list(levels)
    for _, label in sorted(found)[:_MOST_ADDED]:
        one = values[label]
        domains = [_domains(nodes, chain[: i + 1]) for i in range(len(chain))]
        at = sum(1 for up in domains if _within(one, up))
        if at == len(chain) or _within(domains[at], one):
            if not any(_alike(one, up) for up in domains):
                chain.insert(at, label)
        elif chain == list(levels):  # across the levels below, which it would replace
            chain[at:] = [label]
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
) -> dict[str, _Domains]:
    """Return the nodes that have each label, with its value."""
    values: dict[str, _Domains] = {}
    for node, own in nodes.items():
        for label, value in own.items():
            if value and (wanted is None or label in wanted):
                values.setdefault(label, {})[node] = value
    return values


def _domains(nodes: Labels, levels: Sequence[str]) -> _Domains:
    """Return the domain of every node that has all of some labels."""
    return {
        node: tuple(own[label] for label in levels)
        for node, own in nodes.items()
        if all(own.get(label) for label in levels)
    }


def _within(lower: _Domains, upper: _Domains) -> bool:
    """Whether every domain lies within one of the others, where nodes have both."""
    fewer = lower if len(lower) < len(upper) else upper
    both = {(lower[x], upper[x]) for x in fewer if x in lower and x in upper}
    return len(both) == len({low for low, _ in both})


def _alike(one: _Domains, other: _Domains) -> bool:
    """Whether the same nodes have the same domains."""
    return one.keys() == other.keys() and _within(one, other) and _within(other, one)
