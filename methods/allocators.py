"""Every allocator by its name: strategies of the papers, and all methods for k-subsets.

A strategy that keeps a state of its own, or may be asked for a shape, is a class with
an entry in `STRATEGIES`; it is also a method for k-subsets, by ``deciding``. Any method
for k-subsets is an allocator that looks at nothing but what is idle, by ``choosing``.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ..heuristics.allocation.allocator import (
    Allocator,
    AllocatorSpec,
    needs_a_grid,
    needs_a_plane,
    needs_a_tree,
)
from ..instances import InputError, Topology
from ..instances.suggestions import hint

STRATEGIES: Mapping[str, AllocatorSpec] = MappingProxyType(
    {
        **{
            f"{order}/{packing}": AllocatorSpec(
                "curves:Curve",
                needs_a_grid,
                arguments={"order": order, "packing": packing},
            )
            for order in ("hilbert", "snake", "row", "column")
            for packing in ("first-fit", "best-fit", "sorted-free")
        },
        **{
            name: AllocatorSpec(
                "paging:Paging",
                needs_a_grid,
                arguments={"exponent": exponent, "scan": scan},
            )
            for name, exponent, scan in (
                ("paging", 0, "row"),
                ("paging/shuffled", 0, "shuffled"),
                ("paging-1", 1, "row"),
                ("paging-1/snake", 1, "snake"),
                ("paging-1/shuffled", 1, "shuffled"),
                ("paging-2", 2, "row"),
                ("paging-2/snake", 2, "snake"),
                ("paging-2/shuffled", 2, "shuffled"),
            )
        },
        **{
            order: AllocatorSpec(
                "placements:Placement", refuses, arguments={"order": order}
            )
            for order, refuses in (
                ("consecutive", needs_a_tree),
                ("shuffle", needs_a_tree),
                ("row", needs_a_grid),
                ("column", needs_a_grid),
            )
        },
        "quadrant": AllocatorSpec("placements:Quadrant", needs_a_grid),
        "mc": AllocatorSpec("mc:MC", needs_a_grid),
        "mc-elongated": AllocatorSpec("mc_elongated:MCElongated", needs_a_plane),
        "plas": AllocatorSpec("plas:PLAS", needs_a_plane),
        "mbs": AllocatorSpec("mbs:MBS", needs_a_grid),
        "thrifty": AllocatorSpec("thrifty:Thrifty", needs_a_grid),
    }
)
"""Strategies with a class of their own, by the name used in reports."""


def names() -> list[str]:
    """Return the names of everything that can hand out processors."""
    from . import KSUBSET

    return list(KSUBSET)


def allocator(name: str, topology: Topology, *, seed: int = 0) -> Allocator:
    """Make an allocator by name, for an idle network.

    Raises
    ------
    InputError
        When there is none of that name, or it is not for this network.
    """
    from . import KSUBSET

    if name in STRATEGIES:
        return STRATEGIES[name](topology, seed=seed)
    if name not in KSUBSET:
        raise InputError(
            f"no such allocator ({hint(name, names())})",
            field="allocator",
            value=name,
        )
    from .method_as_allocator import MethodAsAllocator

    return MethodAsAllocator(topology, KSUBSET[name], seed=seed)
