"""What is asked for: how many nodes, which are free, and what a good choice is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Protocol

from ...instances import InputError
from ...solvers import Limit, Settings, Status
from ..topologies import Fabric, Hierarchy, Space
from ..topologies.tpu import Slice, plan_slice

MOST_K = 2**20
"""Maximal number of nodes of a job."""


class Objective(Enum):
    """What is minimised, part after part."""

    HOPS = "hops"
    """The sum of the hops between all pairs of nodes."""
    SWITCHES = "switches"
    """Leaf switches with a node of the job, then hops."""
    SPREAD = "spread"
    """The level of the lowest domain with the whole job, then switches, then hops; on
    other networks the hops between the two nodes farthest apart, then hops."""
    BLOCKS = "blocks"
    """Blocks with a node of the job, then how far free nodes get scattered over blocks
    (see `measures.scattering`), then hops."""
    FRAGMENTATION = "fragmentation"
    """How far free nodes get scattered over all domains, then hops."""
    LINKS = "links"
    """How far the busiest link that the job uses is used, then hops."""
    CONTENTION = "contention"
    """What the job adds to a power of what links are used; see `LinkWish`."""
    THRIFTY = "thrifty"
    """Hops of the job and, with a weight, of the nodes that stay free; see `thrift`."""

    @property
    def parts(self) -> tuple[str, ...]:
        """Names of the numbers that are compared, in order, on trees and blocks."""
        return _PARTS[self]

    def parts_on(self, fabric: Fabric) -> tuple[str, ...]:
        """Return these names for a fabric; elsewhere spread is the diameter."""
        return self.parts_of(2) if isinstance(fabric, Space) else self.parts

    def parts_of(self, cost: int) -> tuple[str, ...]:
        """Return these names for a cost of so many numbers."""
        elsewhere = self is Objective.SPREAD and cost == 2
        return ("diameter", "hops") if elsewhere else self.parts


_PARTS = {
    Objective.HOPS: ("hops",),
    Objective.SWITCHES: ("switches", "hops"),
    Objective.SPREAD: ("level", "switches", "hops"),
    Objective.BLOCKS: ("blocks", "scattering", "hops"),
    Objective.FRAGMENTATION: ("scattering", "hops"),
    Objective.LINKS: ("load", "hops"),
    Objective.CONTENTION: ("contention",),
    Objective.THRIFTY: ("thrift",),
}


OF_LINKS = (Objective.LINKS, Objective.CONTENTION)
"""Objectives that need to know links."""
NO_LINKS = tuple(one for one in Objective if one not in OF_LINKS)
"""All others."""


class LinkSearch(Protocol):
    """Chooses nodes by the links of their network."""

    def solve(
        self,
        chooser: Any,
        request: Request,
        free: Any,
        start: float,
        settings: Settings,
    ) -> Placement:
        """Choose k of the free nodes."""

    def cost(self, fabric: Any, chosen: Any) -> tuple[int, ...]:
        """Price a choice from the definition."""

    def busiest(self, fabric: Any, chosen: Any) -> tuple[str, Fraction, Fraction]:
        """Return the busiest used link of a choice, how far it is used, and by others.

        The name is "" if no link is used.
        """

    def part_of(self, cost: int, k: int) -> Fraction:
        """Return the first number of a cost as what it stands for."""


@dataclass(frozen=True)
class Request:
    """A job that waits.

    Parameters
    ----------
    k
        Number of nodes.
    objective
        What a good choice is.
    segment
        Nodes come in groups of so many, each within one domain of the lowest level.
    levels
        The same for other levels: groups of so many nodes, each within one domain of
        the level.
    require
        Nodes that must be chosen.
    slice
        The k nodes are this slice of TPUs.
    links
        What it wants of links, for such objectives only; None for what holds for all
        requests to the cluster.
    """

    k: int
    objective: Objective = Objective.SWITCHES
    segment: int = 1
    levels: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    require: frozenset[str] = frozenset()
    slice: Slice | None = None
    links: LinkSearch | None = None

    def __post_init__(self) -> None:
        if self.links is not None and self.objective not in OF_LINKS:
            raise InputError("is not about links", "objective", self.objective.value)
        if self.links is not None and not self.is_plain:
            problem = "cannot be given with groups, slices or required nodes"
            raise InputError(problem, "objective", self.objective.value)
        if self.slice and (self.segment > 1 or self.levels):
            problem = "cannot be given with a slice"
            raise InputError(problem, "segment" if self.segment > 1 else "levels")
        for name, value in (("k", self.k), ("segment", self.segment)):
            if value < 1:
                raise InputError("must be at least 1", name, value)
        levels = [(f"levels.{name}", size) for name, size in self.levels.items()]
        for name, size in (("segment", self.segment), *levels):
            if size < 1 or self.k % size:
                raise InputError(f"must divide k ({self.k})", name, size)

    @property
    def is_plain(self) -> bool:
        """Whether any k free nodes will do."""
        groups = self.segment > 1 or self.levels or self.slice
        return not groups and not self.require

    @property
    def size(self) -> int:
        """Nodes of a group at one leaf switch of a network that is no tree."""
        return max(self.segment, *self.levels.values(), 1)

    def sizes(self, fabric: Hierarchy) -> dict[int, int]:
        """Return the sizes of groups by level, each a multiple of those below.

        Raises InputError if a level is unknown, or sizes do not nest.
        """
        if self.slice:
            plan = plan_slice(fabric, self.slice)
            return {plan.level: plan.size, plan.whole: self.k}
        found = {0: self.segment} if self.segment > 1 else {}
        for name, size in self.levels.items():
            if name not in fabric.levels:
                problem = f"no such level (there are: {', '.join(fabric.levels)})"
                raise InputError(problem, "levels", name)
            level = fabric.levels.index(name)
            if found.get(level, size) != size:
                raise InputError("contradicts the segment", "levels", name)
            found[level] = size
        below, sizes = 1, dict(sorted(found.items()))
        for level, size in sizes.items():
            if size % below:
                problem = f"must be a multiple of the size below, {below}"
                raise InputError(problem, f"levels.{fabric.levels[level]}", size)
            below = size
        return sizes


def levels_of(text: str | None) -> dict[str, int]:
    """Return the sizes of groups by level that ``--levels`` gives.

    >>> levels_of("rack=4,block=16")
    {'rack': 4, 'block': 16}
    """
    levels: dict[str, int] = {}
    for part in text.split(",") if text else ():
        name, equals, size = part.strip().partition("=")
        if not equals or not size.isdecimal() or len(size) > 7 or not name:
            raise InputError("must be LEVEL=N,...", "--levels", part)
        if name in levels:
            raise InputError("is given twice", "--levels", name)
        levels[name] = int(size)
    return levels


@dataclass(frozen=True)
class Placement:
    """The nodes that were chosen, and what is known of them."""

    status: Status
    fabric: int = 0
    chosen: tuple[int, ...] = ()
    """Numbers of the nodes in their fabric, in its order."""
    objective: tuple[int, ...] | None = None
    bound: tuple[int, ...] | None = None
    """Proved: no choice is better than this."""
    by: str = ""
    """What vouches for the bound."""
    limit: Limit | None = None
    seconds: float = 0.0
