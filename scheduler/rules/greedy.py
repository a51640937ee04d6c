"""Greedy rules of job schedulers, written after their documentation.

Each takes a state and a number of segments, and returns nodes, or None if its rule
finds none. Here a node serves one job, as with Slurm's exclusive nodes: what the
documents call the capacity of a domain is its number of free nodes, or of segments that
fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from .state import State, nodes

Chosen = tuple[int, ...] | None


def _tightest(state: State, domains: Iterable[int]) -> int:
    """Return the domain with least room, of these with fewest free nodes."""
    return min(domains, key=lambda v: (state.room_below[v], state.below[v], v))


def _best_fit(state: State, parts: Iterable[int], k: int) -> dict[int, int] | None:
    """Fill the roomiest domains with nodes; the last is the tightest that does."""
    order = sorted(parts, key=lambda v: (-state.room[v], state.at[v], v))
    taken: dict[int, int] = {}
    for i, v in enumerate(order):
        if state.room[v] >= k:
            fits = [w for w in order[i:] if state.room[w] >= k]
            taken[min(fits, key=lambda w: (state.room[w], state.at[w], w))] = k
            return taken
        taken[v] = state.room[v]
        k -= state.room[v]
    return None


def slurm_tree(state: State, k: int, /) -> Chosen:
    """Take a lowest switch with enough free nodes, then its leaves by best fit.

    Guarantee: none.
    Time: O(n log n).
    Ties: the switch with fewest free nodes, then the first.
    Source: Slurm's Topology Guide, topology/tree, version 26.05.
    """
    fits = state.lowest(k)
    if not fits:
        return None
    taken = _best_fit(state, state.inside(_tightest(state, fits)), k)
    return None if taken is None else state.first(taken)


def slurm_block(state: State, k: int, /) -> Chosen:
    """Take a smallest group of blocks with room, then its blocks by best fit.

    Segments are placed whole, each within one block.

    Guarantee: none.
    Time: O(n log n).
    Ties: the group with least room, then the first.
    Source: Slurm's Topology Guide, topology/block, version 26.05.
    """
    return slurm_tree(state, k)


def _descend(
    state: State, k: int, ordered: Callable[[list[tuple[int, int, int]], int], None]
) -> Chosen:
    """Split k over the domains below a tightest lowest one, level by level.

    ``ordered`` sorts parts of room, free nodes and number in the order in which they
    are filled; it is called again with what is left before each is taken.
    """
    fits = state.lowest(k)
    if not fits:
        return None
    taken: dict[int, int] = {}
    waiting = [(_tightest(state, fits), k)]
    while waiting:
        v, left = waiting.pop()
        parts = [(state.room_below[w], state.below[w], w) for w in state.children[v]]
        if state.room[v]:
            parts.append((state.room[v], state.at[v], v))
        while left:
            ordered(parts, left)
            room, _, w = parts.pop(0)
            count = min(room, left)
            left -= count
            if w == v:
                taken[v] = count
            elif count:
                waiting.append((w, count))
    return state.first(taken)


def kueue_best_fit(state: State, k: int, /) -> Chosen:
    """Fill the roomiest domains at each level; the last is the tightest that does.

    Guarantee: none.
    Time: O(n log n) and one sort for each domain that is taken.
    Ties: fewest free nodes, then the first.
    Source: Kueue, KEP-2724, BestFit with slices, version 0.15.
    """

    def ordered(parts: list[tuple[int, int, int]], left: int) -> None:
        parts.sort(key=lambda p: (-p[0], p[1], p[2]))
        if parts[0][0] >= left:
            parts.sort(key=lambda p: (p[0] < left, *p))

    return _descend(state, k, ordered)


def kueue_least_free(state: State, k: int, /) -> Chosen:
    """Fill the domains with least room first, at each level.

    Guarantee: none.
    Time: O(n log n) and one sort for each domain that is taken.
    Ties: fewest free nodes, then the first.
    Source: Kueue, KEP-2724, LeastFreeCapacity with slices, version 0.15.
    """

    def ordered(parts: list[tuple[int, int, int]], left: int) -> None:
        parts.sort()

    return _descend(state, k, ordered)


def volcano_binpack(state: State, k: int, /) -> Chosen:
    """Take the busiest of the lowest domains with room, and fill its busiest leaves.

    Guarantee: none.
    Time: O(n log n).
    Ties: the first.
    Source: Volcano, network-topology-aware plugin, HyperNode binpacking, version 1.14.
    """
    fits = state.lowest(k)
    if not fits:
        return None
    top = min(fits, key=lambda v: (-state.busy_share[v], v))
    taken: dict[int, int] = {}
    for v in sorted(state.inside(top), key=lambda v: (-state.busy_share[v], v)):
        taken[v] = min(k, state.room[v])
        k -= taken[v]
    return state.first(taken)


def flux_low(state: State, k: int, /) -> Chosen:
    """Take the free nodes with the lowest numbers.

    Guarantee: none.
    Time: O(n).
    Ties: none.
    Source: Flux, Fluxion's match-policy low, flux-sched 0.48.
    """
    free = nodes(state)
    return tuple(free[:k].tolist()) if len(free) >= k else None


def flux_high(state: State, k: int, /) -> Chosen:
    """Take the free nodes with the highest numbers.

    Guarantee: none.
    Time: O(n).
    Ties: none.
    Source: Flux, Fluxion's match-policy high, flux-sched 0.48.
    """
    free = nodes(state)
    return tuple(free[-k:].tolist()) if len(free) >= k else None


@dataclass(frozen=True)
class Rule:
    """A rule, and whether it places segments whole."""

    choose: Callable[[State, int], Chosen]
    segments: bool = False


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "slurm-tree": Rule(slurm_tree),
        "slurm-block": Rule(slurm_block, segments=True),
        "kueue-best-fit": Rule(kueue_best_fit, segments=True),
        "kueue-least-free": Rule(kueue_least_free, segments=True),
        "volcano-binpack": Rule(volcano_binpack, segments=True),
        "flux-low": Rule(flux_low),
        "flux-high": Rule(flux_high),
    }
)
"""The rules by name."""
