"""The greedy rules of schedulers, by name.

Each takes a state and a number of segments, and returns nodes, or None if its rule
finds none. Here a node serves one job, as with Slurm's exclusive nodes: what the
documents call the capacity of a domain is its number of free nodes, or of segments that
fit. They are written again after the behaviour of the sources that are named.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType

from .flux import flux_high, flux_locality, flux_low
from .kueue import kueue_balanced, kueue_best_fit, kueue_least_free
from .slurm import slurm_block, slurm_tree
from .slurm_order import (
    slurm_flat,
    slurm_hilbert,
    slurm_switches,
)
from .state import HierarchyState
from .volcano import volcano_binpack


class Sees(Enum):
    """What a rule looks at."""

    SWITCHES = "networks with leaf switches"
    ORDER = "all networks"
    """Nodes one after another: it ignores how they are connected."""
    GRID = "meshes and tori of up to three dimensions"


@dataclass(frozen=True)
class Rule:
    """A rule, whether it places segments whole, and what networks it knows."""

    choose: Callable[[HierarchyState, int], tuple[int, ...] | None]
    segments: bool = False
    sees: Sees = Sees.SWITCHES


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "slurm-tree": Rule(slurm_tree),
        "slurm-block": Rule(slurm_block, segments=True),
        "kueue-best-fit": Rule(kueue_best_fit, segments=True),
        "kueue-balanced": Rule(kueue_balanced, segments=True),
        "kueue-least-free": Rule(kueue_least_free, segments=True),
        "volcano-binpack": Rule(volcano_binpack, segments=True),
        "slurm-flat": Rule(slurm_flat, sees=Sees.ORDER),
        "slurm-hilbert": Rule(slurm_hilbert, sees=Sees.GRID),
        "slurm-spread": Rule(flux_low, sees=Sees.ORDER),
        "slurm-switches": Rule(slurm_switches),
        "flux-low": Rule(flux_low, sees=Sees.ORDER),
        "flux-high": Rule(flux_high, sees=Sees.ORDER),
        "flux-locality": Rule(flux_locality, sees=Sees.ORDER),
    }
)
"""The rules by name."""
