"""The rules of Kueue's topology-aware scheduling, re-implemented.

They follow KEP-2724 and the source of Kueue (``tas_flavor_snapshot.go`` and
``tas_balanced_placement.go`` as of 2026) for one pod a node and a Topology that
ends at the switches or racks, which the job prefers. Where a Topology goes down to host
names the same racks are taken, but hosts in the order of their names from all of them.
Capacity is counted in segments ("slices"); ties go by free nodes, then by the names of
domains as texts. `kueue_jobs` has the same rules for jobs of parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .state import HierarchyState

Chosen = tuple[int, ...] | None


class Room(NamedTuple):
    """What a domain has room for, in the order in which ties go."""

    units: int
    """Slices, or pods where there are none."""
    pods: int
    rank: int
    domain: int


def kueue_best_fit(state: HierarchyState, k: int, /) -> Chosen:
    """Fill the roomiest domains; the last is the tightest that does.

    The job gets a lowest domain with room, the tightest one. At each level below, all
    domains below those taken are filled together, whatever their parents have taken.

    Guarantee: none.
    Time: O(domains log domains).
    Ties: fewest free nodes, then names.
    Source: Kueue, source of 2026, KEP-2724, BestFit.
    """
    fits = state.lowest(k)
    if not fits:
        return None
    children, rank = state.layout.children, state.layout.rank

    def room(v: int, units: int) -> Room:
        return Room(units, state.below[v], rank[v], v)

    top = min(room(v, state.room_below[v]) for v in fits).domain
    taken: dict[int, int] = {}
    waiting = [top]
    while waiting:
        pool = [room(w, state.room_below[w]) for v in waiting for w in children[v]]
        own = [v for v in (*taken, *waiting) if state.room[v]]
        split = fill_roomiest([*pool, *(room(v, state.room[v]) for v in own)], k)
        taken = {v: count for v, count in split.items() if v in own}
        waiting = [v for v in split if v not in own]
    return state.first({v: count * state.size for v, count in taken.items()})


def fill_roomiest(pool: Iterable[Room], k: int) -> dict[int, int]:
    """Take domains with room from the roomiest down; the last as tight as can be."""
    return fill_in_order(sorted(pool, key=lambda one: (-one.units, *one[1:])), k)


def fill_in_order(
    order: Sequence[Room], k: int, *, best_fit: bool = True
) -> dict[int, int]:
    """Take domains with room in an order; the last as tight as can be, if so asked."""
    taken: dict[int, int] = {}
    for i, one in enumerate(order):
        if one.units >= k:
            fits = [x for x in order[i:] if x.units >= k] if best_fit else [one]
            taken[min(fits, key=lambda x: x.units).domain] = k
            return taken
        taken[one.domain] = one.units
        k -= one.units
    raise AssertionError("the pool has less room than what is above it")


def kueue_least_free(state: HierarchyState, k: int, /) -> Chosen:
    """Take the tightest switch with room, or fill those with least room first.

    Levels above the switches play no part.

    Guarantee: none.
    Time: O(leaves log leaves).
    Ties: fewest free nodes, then names.
    Source: Kueue, source of 2026, KEP-2724, LeastFreeCapacity, profile mixed.
    """
    if state.room_below[0] < k:
        return None
    taken = fill_tightest(_leaf_rooms(state), k)
    return state.first({v: count * state.size for v, count in taken.items()})


def fill_tightest(pool: Iterable[Room], k: int) -> dict[int, int]:
    """Take the tightest domain with room, or those with least room first."""
    order = sorted(pool)
    single = next((one.domain for one in order if one.units >= k), None)
    return fill_in_order(order, k, best_fit=False) if single is None else {single: k}


def _leaf_rooms(state: HierarchyState) -> list[Room]:
    rank = state.layout.rank
    return [Room(state.room[v], state.at[v], rank[v], v) for v in state.layout.leaves]


def kueue_balanced(state: HierarchyState, k: int, /) -> Chosen:
    """Share a job evenly over as few switches below one domain as filling needs.

    Below each domain above the switches, filling from the roomiest down tells how many
    switches are needed, and how many segments each can have at least. The domain where
    that is most is taken, and of its switches with so much room as many, with least
    free nodes in all; each gets that share, and the roomiest what is left. Where no
    domain has room for all, or this finds nothing, it is `kueue_best_fit`.

    Guarantee: none.
    Time: O(leaves count k) for a job on count switches.
    Ties: fewer switches, then names.
    Source: Kueue, source of 2026, feature gate TASBalancedPlacement.
    """
    rank = state.layout.rank
    groups: dict[int, list[Room]] = {}
    for one in sorted(_leaf_rooms(state), key=lambda one: one.rank):
        groups.setdefault(state.layout.parent[one.domain], []).append(one)
    ordered = sorted(groups, key=lambda v: rank[v] if v >= 0 else -1)
    taken = balance([[[x] for x in groups[up]] for up in ordered], k, state.size)
    if taken is None:
        return kueue_best_fit(state, k)
    return state.first({v: count * state.size for v, count in taken.items()})


def balance(
    groups: Iterable[Sequence[Sequence[Room]]], k: int, size: int
) -> dict[int, int] | None:
    """Share units of a size evenly over parts of few domains of one group, or none."""
    best: list[list[Room]] = []
    share = fewest = 0
    for group in groups:
        used = _fill_first([one.units for parts in group for one in parts], k)
        if not used:
            continue
        least = min(k // len(used), used[-1])
        if least < max(share, 1):
            continue
        pruned = [[one for one in parts if one.units >= least] for parts in group]
        count = len(_fill_first([sum(x.units for x in parts) for parts in pruned], k))
        if count and (least > share or count < fewest):
            best, share, fewest = [parts for parts in pruned if parts], least, count
    whole = [
        Room(sum(x.units for x in some), sum(x.pods for x in some), some[0].rank, i)
        for i, some in enumerate(best)
    ]
    few = _tightest_set(whole, k * size, fewest) if share else None
    if few is None:
        return None
    inside = sorted((x for one in few for x in best[one.domain]), key=lambda x: x.rank)
    count = len(_fill_first([one.units for one in inside], k))
    chosen = _tightest_set(inside, k * size, count)
    if chosen is None or k < len(chosen) * share:
        return None
    left = k - len(chosen) * share
    taken = {}
    for one in sorted(chosen, key=lambda one: (-one.units, *one[1:])):
        more = min(one.units - share, left)
        taken[one.domain] = share + more
        left -= more
    return None if left else taken


def _fill_first(rooms: Sequence[int], k: int) -> list[int]:
    """Return the rooms that are used when the roomiest are filled first, or none."""
    used: list[int] = []
    for room in sorted(rooms, reverse=True):
        if k <= 0:
            break
        used.append(room)
        k -= room
    return used if k <= 0 else []


def _tightest_set(
    leaves: Sequence[Room], pods: int, count: int
) -> tuple[Room, ...] | None:
    """Return so many domains with enough room for pods and as little as can be."""
    sets: list[dict[int, tuple[Room, ...]]] = [{} for _ in range(count + 1)]
    sets[0][pods] = ()
    for one in leaves:
        for i in range(count, 0, -1):
            for left in sorted(sets[i - 1]):
                if left > 0:
                    sets[i].setdefault(left - one.pods, (*sets[i - 1][left], one))
    full = [left for left in sets[count] if left <= 0]
    return sets[count][max(full)] if full else None
