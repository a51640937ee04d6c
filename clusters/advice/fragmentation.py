"""How large a job still fits within one domain of each level, in how many groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...instances import IntArray
from ..placement import NodeSelector
from ..placement.domains import Domains, domains_of
from ..placement.node_classes import Alike
from ..placement.program import Flags
from ..placement.space import SpaceChooser
from .free_capacity import choosers_of


@dataclass(frozen=True)
class LevelRoom:
    """What is free in the domains of one level."""

    level: str
    domains: int
    """Domains with nodes that the job may use."""
    size: int
    """Nodes of the largest one."""
    whole: int
    """Those of which all these nodes are free."""
    largest: int
    """Most free nodes in one domain: the largest job that fits in one."""
    possible: int
    """The same if the free nodes were together: all of them, or the largest domain."""
    groups: Mapping[int, int]
    """By size, how many groups of so many free nodes there are, each in one domain."""
    largest_in_groups: Mapping[int, int]
    """By size, the largest job of such groups; it runs in one connected part."""


def rooms(
    selector: NodeSelector,
    free: Sequence[Flags],
    sizes: Sequence[int],
    usable: Sequence[Flags] | None = None,
) -> list[LevelRoom]:
    """Return what is free, level by level from the lowest up.

    Only nodes count that a job may use at all, free or not; by default all. Levels of
    the same name in several parts without a connection count as one. Of a graph the
    levels are its leaf switches and all of it, of a mesh or torus the planes across
    each axis and all of it.
    """
    usable = selector.free() if usable is None else usable
    names: dict[str, list[_Part]] = {}
    for part, chooser in enumerate(selector.choosers):
        if isinstance(chooser, SpaceChooser):
            for one in domains_of(chooser.alike):
                names.setdefault(one.level, []).append(
                    _of_domains(chooser.alike, one, free[part], usable[part], sizes)
                )
    for part, chooser in enumerate(choosers_of(selector)):
        fabric = chooser.fabric
        home, domains = fabric.home, len(fabric.parent)
        every = fabric.below(np.bincount(home[usable[part]], minlength=domains))
        left = fabric.below(np.bincount(home[free[part]], minlength=domains))
        for level, name in enumerate(fabric.levels):
            at = np.flatnonzero((fabric.level == level) & (every > 0))
            groups = {size: int((left[at] // size).sum()) for size in sizes}
            count = int(np.count_nonzero(free[part]))
            names.setdefault(name, []).append(_Part(every[at], left[at], groups, count))
    found = []
    for name, parts in names.items():
        every = np.concatenate([one.every for one in parts])
        left = np.concatenate([one.left for one in parts])
        together = [min(one.free, int(one.every.max(initial=0))) for one in parts]
        found.append(
            LevelRoom(
                name,
                len(every),
                int(every.max(initial=0)),
                int((every == left).sum()),
                int(left.max(initial=0)),
                max(together),
                {size: sum(one.groups[size] for one in parts) for size in sizes},
                {size: size * max(one.groups[size] for one in parts) for size in sizes},
            )
        )
    return found


@dataclass(frozen=True)
class _Part:
    every: IntArray
    left: IntArray
    groups: Mapping[int, int]
    free: int


def _of_domains(
    alike: Alike, domains: Domains, free: Flags, usable: Flags, sizes: Sequence[int]
) -> _Part:
    """Count what is free in the domains of a network that is no tree."""
    left = domains.counts(free)
    groups = {size: int((left // size).sum()) for size in sizes}
    if not domains.apart:
        from .grouping import largest_groups

        groups = {size: largest_groups(alike, size, free) for size in sizes}
    every = domains.counts(usable)
    there = every > 0
    return _Part(every[there], left[there], groups, int(np.count_nonzero(free)))


def usual_sizes(found: Sequence[LevelRoom]) -> list[int]:
    """Return the powers of two up to the largest domain of the lowest level."""
    return [2**i for i in range(1, found[0].size.bit_length())]
