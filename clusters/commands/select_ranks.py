"""``closeknit select --topology ... --map PATTERN``: ranks in order on chosen nodes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...instances.errors import InputError
from ...instances.words import with_noun
from ...methods.interpreted_or_compiled import in_tiers
from ...network.workloads.communication import traffic_of
from ...network.workloads.measured import read_traffic
from ...solvers import Settings
from ..placement import NodeSelector, Placement
from ..ranks import order_on
from .cluster import naming_options


def add_to(
    shown: dict[str, Any],
    pattern: str,
    selector: NodeSelector,
    placement: Placement,
    settings: Settings,
) -> None:
    """Add the nodes in the order of the ranks to an answer, and how good that is."""
    nodes = placement.chosen
    with naming_options():
        traffic = traffic_of(pattern, len(nodes))
    if traffic is None:
        if not Path(pattern).exists():
            problem = (
                "must be ring, halo2d[:AxB], halo3d[:AxBxC], all-to-all or a file of "
                "traffic that exists"
            )
            raise InputError(problem, "--map", pattern)
        traffic = read_traffic(pattern, len(nodes)).matrix()
    fabric = selector.cluster.fabrics[placement.fabric]
    found, plain = in_tiers(
        lambda how: order_on(fabric, nodes, traffic, how),
        lambda one: one[0].limit,
        size=len(nodes),
        settings=settings,
    )
    shown["ranks"] = [fabric.nodes[nodes[i]] for i in found.chosen or ()]
    shown["map"] = {
        "pattern": pattern,
        "cost": found.objective,
        "unordered": plain,
        "bound": found.bound,
        "status": found.status.value,
        "proof": str(found.proof) if found.proof else None,
        "limit": found.limit.value if found.limit else None,
    }


def print_map(shown: dict[str, Any]) -> None:
    """Print the order of the ranks and what it costs."""
    found = shown["map"]
    known = f", {found['proof']}" if found["proof"] else ""
    bound = "" if found["bound"] is None else f", bound {found['bound']}"
    print(f"  ranks       {','.join(shown['ranks'])}")
    print(
        f"  map         {found['pattern']}: {with_noun(found['cost'], 'hop')}, "
        f"{found['unordered']} in the order of the topology{bound} "
        f"({found['status']}{known})"
    )
