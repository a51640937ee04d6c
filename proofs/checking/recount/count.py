"""Certificates that slices of pods do not fit on a tree, checked by counting again.

A certificate lists the tree, the pods that each node has room for, and the sizes of
slices. It claims that so many pods, the last slice smaller, do not fit. Why the count
is right: the pods below a domain of a level with slices are whole slices, or with the
last slice that many and the rest, as slices of higher levels are whole ones of these;
and of each kind there are at most those of the parts added up, where one part alone has
the last slice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..statements import Refused

MOST = 2**40
"""Pods, and room for them, lie below."""
NODES = -1
"""The level of nodes."""


def most_pods(
    pods: int,
    sizes: dict[int, int],
    most: dict[int, int],
    parent: Sequence[int],
    height: Sequence[int],
    home: Sequence[int],
    room: Sequence[int],
    *,
    spend: Callable[[int], None] = lambda work: None,
) -> int:
    """Return at least how many pods fit, of those that a job of so many can have.

    Nodes outside of levels with slices or limits must have no room.
    """
    domains = len(parent)
    bit = {level: 1 << i for i, level in enumerate({*sizes, *most})}
    outside = [sum(bit.values())] * domains
    """Of each domain, the levels with slices or limits that it is in no domain of."""
    whole, gain = [0] * domains, [-MOST] * domains

    def close(level: int, total: int, more: int) -> tuple[int, int]:
        """Round down to whole slices, without the last and with it; below 0: no."""
        spend(len(sizes))
        size = max([n for x, n in sizes.items() if x <= level], default=1)
        rest = pods % size
        under = max([n for x, n in sizes.items() if x < level], default=1)
        last = total + more if pods % under else total
        limit = most.get(level, pods)
        without = min(total, limit) // size * size
        if not rest:
            return without, -MOST
        last = (min(last, limit) - rest) // size * size + rest
        return without, last if last > 0 else -MOST

    for v in range(domains):
        spend(1)
        above = outside[parent[v]] if v else outside[0]
        outside[v] = above & ~bit.get(height[v], 0)
    for v, here in zip(home, room, strict=True):
        if here and outside[v] & ~bit.get(NODES, 0):
            raise Refused("a node has room that is in no domain of some level")
        without, last = close(NODES, here, -MOST)
        whole[v] += without
        gain[v] = max(gain[v], last - without)
    for v in range(domains - 1, 0, -1):
        without, last = close(height[v], whole[v], gain[v])
        whole[parent[v]] += without
        gain[parent[v]] = max(gain[parent[v]], last - without)
    return max(close(height[0], whole[0], gain[0]))
