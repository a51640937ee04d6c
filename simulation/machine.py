"""A machine under an allocator, and the problems that jobs pose to it."""

from __future__ import annotations

from itertools import compress

from ..heuristics.allocation.allocator import Flags
from ..instances import KSubset, Site, Topology
from ..methods import KSUBSET
from ..methods.allocators.table import allocator
from ..methods.old_names import require_known


class Machine:
    """A network, free at first, and an allocator chosen by name.

    The allocator's seed increases by 1 per job, as some methods are randomized.
    """

    def __init__(self, network: Topology, name: str) -> None:
        require_known(name, KSUBSET, "allocator", problems=["ksubset"])
        self.network = network
        self.allocator = allocator(name, network, seed=1)

    @property
    def places(self) -> tuple[Site, ...]:
        """Sites of the processors, by number."""
        return self.allocator.places

    @property
    def free(self) -> int:
        """Number of free processors."""
        return self.allocator.free

    def problem(
        self, idle: Flags, size: int, name: str = "job", source: str = ""
    ) -> KSubset:
        """Return the problem posed by a job of this size, given idle processors."""
        free = tuple(compress(self.places, idle))
        return KSubset(name, self.network, free, size, source=source)
