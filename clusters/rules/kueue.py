"""The rules of Kueue's topology-aware scheduling, re-implemented.

They follow KEP-2724 and the source of Kueue (``tas_flavor_snapshot.go`` and
``tas_balanced_placement.go`` as of 2026) for one pod a node and a Topology that
ends at the switches or racks, which the job prefers. Where a Topology goes down to host
names the same racks are taken, but hosts in the order of their names from all of them.
Capacity is counted in segments ("slices"); ties go by free nodes, then by the names of
domains as texts.
"""

from __future__ import annotations

from collections.abc import Sequence

from .state import HierarchyState

Chosen = tuple[int, ...] | None


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
    top = min(fits, key=lambda v: (state.room_below[v], state.below[v], rank[v]))
    taken: dict[int, int] = {}
    waiting = [top]
    while waiting:
        pool = [(w, state.room_below[w]) for v in waiting for w in children[v]]
        own = [(v, state.room[v]) for v in (*taken, *waiting) if state.room[v]]
        split = _best_fit(state, [*pool, *own], k)
        above = {v for v, _ in own}
        taken = {v: count for v, count in split.items() if v in above}
        waiting = [v for v in split if v not in above]
    return state.first({v: count * state.size for v, count in taken.items()})


def _best_fit(
    state: HierarchyState, pool: Sequence[tuple[int, int]], k: int
) -> dict[int, int]:
    """Take domains with room from the roomiest down; the last as tight as can be."""
    rank, below = state.layout.rank, state.below
    order = sorted(pool, key=lambda p: (-p[1], below[p[0]], rank[p[0]]))
    taken: dict[int, int] = {}
    for i, (v, room) in enumerate(order):
        if room >= k:
            last = min((p for p in order[i:] if p[1] >= k), key=lambda p: p[1])
            taken[last[0]] = k
            return taken
        taken[v] = room
        k -= room
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
    rank, room = state.layout.rank, state.room
    order = sorted(state.layout.leaves, key=lambda v: (room[v], state.at[v], rank[v]))
    single = next((v for v in order if room[v] >= k), None)
    if single is not None:
        return state.first({single: k * state.size})
    taken: dict[int, int] = {}
    for v in order:
        taken[v] = min(k, room[v]) * state.size
        k -= min(k, room[v])
    return state.first(taken)


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
    rank, room = state.layout.rank, state.room
    groups: dict[int, list[int]] = {}
    for v in sorted(state.layout.leaves, key=rank.__getitem__):
        groups.setdefault(state.layout.parent[v], []).append(v)
    best, share, fewest = [], 0, 0
    for up in sorted(groups, key=lambda v: rank[v] if v >= 0 else -1):
        used = _fill_roomiest([room[v] for v in groups[up]], k)
        if not used:
            continue
        least = min(k // len(used), used[-1])
        if least < max(share, 1):
            continue
        pruned = [v for v in groups[up] if room[v] >= least]
        count = len(_fill_roomiest([room[v] for v in pruned], k))
        if count and (least > share or count < fewest):
            best, share, fewest = pruned, least, count
    taken = _balance(state, best, k, share, fewest) if share else None
    if taken is None:
        return kueue_best_fit(state, k)
    return state.first({v: count * state.size for v, count in taken.items()})


def _fill_roomiest(rooms: Sequence[int], k: int) -> list[int]:
    """Return the rooms that are used when the roomiest are filled first, or none."""
    used: list[int] = []
    for room in sorted(rooms, reverse=True):
        if k <= 0:
            break
        used.append(room)
        k -= room
    return used if k <= 0 else []


def _balance(
    state: HierarchyState, leaves: Sequence[int], k: int, share: int, count: int
) -> dict[int, int] | None:
    """Give each of so many leaves its share, and the roomiest what is left."""
    chosen = _tightest_set(state, leaves, k * state.size, count)
    if chosen is None or k < len(chosen) * share:
        return None
    rank, room = state.layout.rank, state.room
    left = k - len(chosen) * share
    taken = {}
    for v in sorted(chosen, key=lambda v: (-room[v], state.at[v], rank[v])):
        more = min(room[v] - share, left)
        taken[v] = share + more
        left -= more
    return None if left else taken


def _tightest_set(
    state: HierarchyState, leaves: Sequence[int], nodes: int, count: int
) -> tuple[int, ...] | None:
    """Return so many leaves with enough free nodes and as few as can be."""
    sets: list[dict[int, tuple[int, ...]]] = [{} for _ in range(count + 1)]
    sets[0][nodes] = ()
    for v in leaves:
        for i in range(count, 0, -1):
            for left in sorted(sets[i - 1]):
                if left > 0:
                    after = left - state.at[v]
                    sets[i].setdefault(after, (*sets[i - 1][left], v))
    full = [left for left in sets[count] if left <= 0]
    return sets[count][max(full)] if full else None
