"""How large a job still fits within one domain of each level, in how many groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..placement import NodeSelector
from ..placement.program import Flags
from .rooms import choosers_of


@dataclass(frozen=True)
class LevelRoom:
    """What is free in the domains of one level."""

    level: str
    domains: int
    """Domains with nodes."""
    size: int
    """Nodes of the largest one."""
    whole: int
    """Those without a busy node."""
    largest: int
    """Most free nodes in one domain: the largest job that fits in one."""
    possible: int
    """The same if the free nodes were together: all of them, or the largest domain."""
    groups: Mapping[int, int]
    """By size, how many groups of so many free nodes there are, each in one domain."""
    largest_in_groups: Mapping[int, int]
    """By size, the largest job of such groups; it runs in one connected part."""


def rooms(
    selector: NodeSelector, free: Sequence[Flags], sizes: Sequence[int]
) -> list[LevelRoom]:
    """Return what is free, level by level from the lowest up.

    Levels of the same name in several parts without a connection count as one.
    """
    names: dict[str, list[tuple[int, np.ndarray, np.ndarray]]] = {}
    for part, chooser in enumerate(choosers_of(selector)):
        fabric = chooser.fabric
        home, domains = fabric.home, len(fabric.parent)
        every = fabric.below(fabric.has_nodes)
        left = fabric.below(np.bincount(home[free[part]], minlength=domains))
        for level, name in enumerate(fabric.levels):
            at = np.flatnonzero((fabric.level == level) & (every > 0))
            names.setdefault(name, []).append((part, every[at], left[at]))
    found = []
    for name, parts in names.items():
        every = np.concatenate([one for _, one, _ in parts])
        left = np.concatenate([one for _, _, one in parts])
        groups = {
            size: [int((one // size).sum()) for *_, one in parts] for size in sizes
        }
        together = [
            min(int(np.count_nonzero(free[part])), int(one.max(initial=0)))
            for part, one, _ in parts
        ]
        found.append(
            LevelRoom(
                name,
                len(every),
                int(every.max(initial=0)),
                int((every == left).sum()),
                int(left.max(initial=0)),
                max(together),
                {size: sum(counts) for size, counts in groups.items()},
                {size: size * max(counts) for size, counts in groups.items()},
            )
        )
    return found


def usual_sizes(found: Sequence[LevelRoom]) -> list[int]:
    """Return the powers of two up to the largest domain of the lowest level."""
    return [2**i for i in range(1, found[0].size.bit_length())]


def prometheus(found: Sequence[LevelRoom], free: int, nodes: int) -> str:
    """Write gauges in the text format of Prometheus.

    >>> room = LevelRoom("rack", 2, 4, 1, 4, 4, {2: 3}, {2: 6})
    >>> print(prometheus([room], 6, 8).splitlines()[-1])
    closeknit_groups{level="rack",size="2"} 3
    """

    def gauge(name: str, says: str, values: Iterator[tuple[str, int]]) -> Iterator[str]:
        yield f"# HELP closeknit_{name} {says}"
        yield f"# TYPE closeknit_{name} gauge"
        for labels, value in values:
            yield f"closeknit_{name}{{{labels}}} {value}"

    def by_level(what: str) -> Iterator[tuple[str, int]]:
        return ((f'level="{_escaped(r.level)}"', getattr(r, what)) for r in found)

    states = (('state="free"', free), ('state="busy"', nodes - free))
    groups = (
        (f'level="{_escaped(r.level)}",size="{size}"', count)
        for r in found
        for size, count in r.groups.items()
    )
    lines = [
        *gauge("nodes", "Nodes by state.", iter(states)),
        *gauge("domains", "Domains with nodes.", by_level("domains")),
        *gauge("free_domains", "Domains without a busy node.", by_level("whole")),
        *gauge(
            "largest_job_nodes",
            "Free nodes in the best domain of a level.",
            by_level("largest"),
        ),
        *gauge(
            "largest_job_nodes_unfragmented",
            "The same if all free nodes were together.",
            by_level("possible"),
        ),
        *gauge("groups", "Groups of free nodes, each within one domain.", groups),
    ]
    return "\n".join(lines) + "\n"


def _escaped(label: str) -> str:
    return label.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
