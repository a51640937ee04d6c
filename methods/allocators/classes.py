"""The table of allocators that have a class of their own.

Such an allocator keeps state, or accepts the shape of a job. It is also a method for
k-subsets, see ``allocator_as_method``. All other allocators are methods for k-subsets,
see ``allocators``.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ...heuristics.allocation.allocator import (
    AllocatorSpec,
    needs_a_grid,
    needs_a_plane,
    needs_a_tree,
)
from ...heuristics.allocation.curves import Curve
from ...heuristics.allocation.mbs import MBS
from ...heuristics.allocation.mc import MC
from ...heuristics.allocation.mc_elongated import MCElongated
from ...heuristics.allocation.paging import Paging
from ...heuristics.allocation.placements import PlacementRule, Quadrant
from ...heuristics.allocation.plas import PLAS
from ...heuristics.allocation.thrifty import Thrifty

STRATEGIES: Mapping[str, AllocatorSpec] = MappingProxyType(
    {
        **{
            f"{order}/{packing}": AllocatorSpec(
                Curve,
                needs_a_grid,
                arguments={"order": order, "packing": packing},
            )
            for order in ("hilbert", "snake", "row")
            for packing in ("first-fit", "best-fit", "sorted-free")
        },
        **{
            name: AllocatorSpec(
                Paging,
                needs_a_grid,
                arguments={"exponent": exponent},
            )
            for name, exponent in (("paging", 0), ("paging-1", 1))
        },
        **{
            order: AllocatorSpec(PlacementRule, refuses, arguments={"order": order})
            for order, refuses in (
                ("consecutive", needs_a_tree),
                ("shuffle", needs_a_tree),
                ("row", needs_a_grid),
                ("column", needs_a_grid),
            )
        },
        "quadrant": AllocatorSpec(Quadrant, needs_a_grid),
        **{
            name: AllocatorSpec(MC, needs_a_grid, arguments={"ties": ties})
            for name, ties in (("mc", "row"), ("mc/column-major", "column"))
        },
        "mc-elongated": AllocatorSpec(MCElongated, needs_a_plane),
        "plas": AllocatorSpec(PLAS, needs_a_plane),
        "mbs": AllocatorSpec(MBS, needs_a_grid),
        "thrifty": AllocatorSpec(Thrifty, needs_a_grid),
    }
)
"""Allocators with a class of their own, by the name used in reports."""
