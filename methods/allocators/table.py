"""Every allocator by its name: those with a class of their own, and all methods.

Any method for k-subsets is an allocator that considers only which processors are
idle, see ``method_as_allocator``. Parts add further allocators.
"""

from __future__ import annotations

from ...extensions import INSTALLED, load
from ...heuristics.allocation.allocator import Allocator
from ...instances import Topology
from .. import KSUBSET
from ..old_names import require_known
from .classes import STRATEGIES as STRATEGIES
from .of_method import MethodAsAllocator


def names() -> list[str]:
    """Return the names of all allocators."""
    return [
        *KSUBSET,
        *(name for part in INSTALLED.values() for name in part.allocators),
    ]


def allocator(name: str, topology: Topology, *, seed: int = 0) -> Allocator:
    """Create an allocator by name, for an idle network.

    Raises
    ------
    InputError
        If there is none of that name, or it does not support this network.
    """
    if name in STRATEGIES:
        return STRATEGIES[name](topology, seed=seed)
    for part in INSTALLED.values():
        if name in part.allocators:
            made: Allocator = load(part.allocators[name])(topology, seed=seed)
            return made
    require_known(name, names(), "allocator", "allocator", ["ksubset"])
    return MethodAsAllocator(topology, KSUBSET[name], seed=seed)
