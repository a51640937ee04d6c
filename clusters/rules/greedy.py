"""The greedy rules of schedulers, by name.

Each takes a state and a number of segments, and returns nodes, or None if its rule
finds none. Here a node serves one job, as with Slurm's exclusive nodes: what the
documents call the capacity of a domain is its number of free nodes, or of segments that
fit. They are written again after the behaviour of the sources that are named.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from .flux import flux_high, flux_locality, flux_low
from .kueue import kueue_balanced, kueue_best_fit, kueue_least_free
from .slurm import slurm_block, slurm_tree
from .slurm_order import slurm_flat, slurm_switches
from .state import HierarchyState
from .volcano import volcano_binpack


@dataclass(frozen=True)
class Rule:
    """A rule, and whether it places segments whole."""

    choose: Callable[[HierarchyState, int], tuple[int, ...] | None]
    segments: bool = False
    anywhere: bool = False
    """Whether it sees the numbers of nodes only, so that any network will do."""


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "slurm-tree": Rule(slurm_tree),
        "slurm-block": Rule(slurm_block, segments=True),
        "kueue-best-fit": Rule(kueue_best_fit, segments=True),
        "kueue-balanced": Rule(kueue_balanced, segments=True),
        "kueue-least-free": Rule(kueue_least_free, segments=True),
        "volcano-binpack": Rule(volcano_binpack, segments=True),
        "slurm-flat": Rule(slurm_flat, anywhere=True),
        "slurm-spread": Rule(flux_low, anywhere=True),
        "slurm-switches": Rule(slurm_switches),
        "flux-low": Rule(flux_low, anywhere=True),
        "flux-high": Rule(flux_high, anywhere=True),
        "flux-locality": Rule(flux_locality, anywhere=True),
    }
)
"""The rules by name."""
