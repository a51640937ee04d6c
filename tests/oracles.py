"""Optima by brute force: what the exact methods and the checkers are compared with.

Every oracle follows the definition of its problem and uses none of the code that it is
compared with, except for `cost`, `check` and the test whether two boxes overlap.
Reference implementations of a single method (its definition in plain Python) stand
in the test module of this method.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import combinations, permutations, product
from math import comb

import numpy as np
import numpy.typing as npt

from closeknit.instances import KSubset, ProcSet, Submesh, Sukp, arrays, check, cost
from closeknit.instances.submesh import (
    Box,
    Placement,
    box_at,
    final_boxes,
    overlap,
    sides,
)
from closeknit.instances.submesh.packing import Item, Packing, ways
from closeknit.network.mapping.instance import RankMapping
from closeknit.simulation.stream.jobs import StreamJob
from closeknit.simulation.stream.simulator import StartPolicy

Masks = npt.NDArray[np.int16]

# k-subsets


def optimum(instance: KSubset) -> int:
    """Least cost, by looking at every subset."""
    assert comb(instance.n, instance.k) <= 1000
    return min(
        cost(instance, s)
        for s in combinations(range(instance.n), instance.k)
        if not instance.required or not check(instance, s)
    )


def optimum_by_table(instance: KSubset) -> int:
    """Least cost, by looking at every subset, all at once in arrays."""
    k = instance.k
    sets = np.array(list(combinations(range(instance.n), k)))
    hops = arrays.hops(instance)
    pairs = combinations(range(k), 2)
    return int(
        min(sum((hops[sets[:, i], sets[:, j]] for i, j in pairs), 0 * sets[:, 0]))
    )


def cheaper_in_box(box: tuple[int, ...], k: int, below: int) -> bool:
    """Whether some k points of a box cost less than ``below``: every subset."""
    cells = list(product(*map(range, box)))

    def extend(chosen: list[tuple[int, ...]], start: int, paid: int) -> bool:
        if paid >= below:
            return False
        if len(chosen) == k:
            return True
        for i in range(start, len(cells) - (k - len(chosen)) + 1):
            added = sum(
                abs(a - b) for p in chosen for a, b in zip(p, cells[i], strict=True)
            )
            if extend([*chosen, cells[i]], i + 1, paid + added):
                return True
        return False

    return extend([], 0, 0)


def cheapest_stars(instance: KSubset) -> int:
    """Sum of the k least sums of the k least distances: twice the star bound."""
    k = instance.k
    each = sorted(sum(sorted(row)[:k]) for row in arrays.hops(instance).tolist())
    return sum(each[:k])


def failing_windows(side: int) -> int:
    """Count free sets and k for which no window is optimal, among all of a ring."""
    sets = 1 << side
    masks = np.arange(sets)
    price = np.zeros(sets, dtype=np.int16)
    size = np.zeros(sets, dtype=np.int16)
    inside = [(masks >> x & 1).astype(bool) for x in range(side)]
    for x in range(side):
        size += inside[x]
        for y in range(x):
            hops = min(x - y, side - x + y)
            price += np.int16(hops) * (inside[x] & inside[y])
    dear = np.int16(2**15 - 1)
    window: Masks = np.full((side + 1, sets), dear)
    for first in range(side):
        taken = np.zeros(sets, dtype=np.int64)
        count = np.zeros(sets, dtype=np.int64)
        for step in range(side):
            x = (first + step) % side
            taken += inside[x].astype(np.int64) << x
            count += inside[x]
            rows = np.flatnonzero(inside[x] & inside[first])
            at = (count[rows], rows)
            window[at] = np.minimum(window[at], price[taken[rows]])
    found = 0
    for k in range(1, side + 1):
        best: Masks = np.where(size == k, price, dear)
        for x in range(side):  # of a set with x, or of the same without
            pairs = best.reshape(-1, 2, 1 << x)
            np.minimum(pairs[:, 1], pairs[:, 0], out=pairs[:, 1])
        found += int((best < window[k])[size >= k].sum())
    return found


# Processor sets


def cheapest(instance: ProcSet) -> tuple[int, ...]:
    """Least cost vector, by looking at every choice of the request."""
    assert comb(instance.n, instance.request) <= 1000
    return min(
        cost(instance, s)
        for s in combinations(instance.available, instance.request)
        if not instance.required or not check(instance, s)
    )


def by_opened_sets(instance: ProcSet) -> tuple[int, ...]:
    """Least cost, by looking at every choice of sets to be open.

    Right where no processor is charged for itself: all that may be taken is taken.
    """
    best = None
    inside = [
        {s for s, one in enumerate(instance.sets) if i in one.members}
        for i in instance.available
    ]
    for choice in product((False, True), repeat=len(instance.sets)):
        opened = {s for s, chosen in enumerate(choice) if chosen}
        if sum(sets <= opened for sets in inside) >= instance.request:
            costs = [instance.sets[s].cost for s in opened]
            total = tuple(map(sum, zip((0,) * instance.levels, *costs, strict=True)))
            best = total if best is None else min(best, total)
    assert best is not None
    return best


# The set-union knapsack


def least_left_out(instance: Sukp) -> int:
    """Least profit left out, by looking at every set of items."""
    assert instance.n <= 12
    choices = (
        s
        for size in range(instance.n + 1)
        for s in combinations(range(instance.n), size)
    )
    return min(cost(instance, s) for s in choices if not check(instance, s))


# Submesh allocation


def packs(packing: Packing) -> bool:
    """Try every place of every item, one after the other, on sets of cells."""
    shape = packing.shape

    def cells(box: Box) -> frozenset[tuple[int, ...]]:
        d = packing.d
        spans = [
            [x % shape[a] for x in range(box[a], box[d + a] + 1)] for a in range(d)
        ]
        return frozenset(product(*spans))

    def choices(item: Item) -> list[frozenset[tuple[int, ...]]]:
        if item.at is not None:
            return [cells(item.at)]
        found = []
        for size in ways(packing, item):
            ranges = [
                range(side if packing.torus else side - s + 1)
                for s, side in zip(size, shape, strict=True)
            ]
            found += [cells(box_at(place, size)) for place in product(*ranges)]
        return list(dict.fromkeys(found))

    everything = sorted((choices(item) for item in packing.items), key=len)

    def rest(i: int, taken: frozenset[tuple[int, ...]]) -> bool:
        if i == len(everything):
            return True
        return any(
            not taken & one and rest(i + 1, taken | one) for one in everything[i]
        )

    return rest(0, frozenset(packing.blocked))


def boxes_of(instance: Submesh, size: tuple[int, ...], turns: bool) -> list[Box]:
    """Every box of a size that lies in the mesh."""
    found = []
    for way in sorted(set(permutations(size)) if turns else {size}):
        pairs = list(zip(way, instance.shape, strict=True))
        if any(s > side for s, side in pairs):
            continue
        ranges = [range(side if instance.torus else side - s + 1) for s, side in pairs]
        found += [box_at(place, way) for place in product(*ranges)]
    return found


def cheapest_placement(instance: Submesh) -> tuple[int, ...] | None:
    """Least cost of all placements of everything; None if there is none."""
    singles = [(*cell, *cell) for cell in instance.blocked]
    requests = boxes_of(instance, instance.request, instance.rotate)
    best: list[tuple[int, ...]] = []

    def clear(box: Box, placed: list[Box]) -> bool:
        return not any(overlap(instance, box, other) for other in placed)

    def place(i: int, placed: list[Box]) -> None:
        if i == len(instance.residents):
            for at in requests:
                if clear(at, placed + singles):
                    pairs = zip(instance.residents, placed, strict=True)
                    moved = [
                        (n, box) for n, (one, box) in enumerate(pairs) if box != one.box
                    ]
                    best.append(cost(instance, Placement(at, tuple(moved)).flat()))
                    return
            return
        one = instance.residents[i]
        options = [one.box]
        if instance.migrate and not one.fixed:
            options = boxes_of(instance, sides(one.box), one.turns)
        for box in options:
            if clear(box, placed + singles):
                place(i + 1, [*placed, box])

    place(0, [])
    return min(best, default=None)


def fewest_moves(
    instance: Submesh, placement: Placement, most: int, *, slide: bool
) -> int | None:
    """Least number of moves that lead there; None if more than ``most`` are needed."""
    ends = tuple(final_boxes(instance, placement))
    start = tuple(one.box for one in instance.residents)
    movers = [i for i, box in enumerate(start) if box != ends[i]]
    singles = [(*cell, *cell) for cell in instance.blocked]
    options = {
        i: [
            box
            for box in boxes_of(instance, sides(start[i]), instance.residents[i].turns)
            if not any(overlap(instance, box, single) for single in singles)
        ]
        for i in movers
    }
    known = {start: 0}
    queue = deque([start])
    while queue:
        now = queue.popleft()
        if now == ends:
            return known[now]
        if known[now] == most:
            continue
        for i in movers:
            others = [box for j, box in enumerate(now) if j != i or not slide]
            for box in options[i]:
                after = (*now[:i], box, *now[i + 1 :])
                if after not in known and not any(
                    overlap(instance, box, other) for other in others
                ):
                    known[after] = known[now] + 1
                    queue.append(after)
    return None


# Streams of jobs

PROCESSORS = 6
"""Of the machine that `start_times` simulates."""

Running = list[tuple[int, int, int]]
"""End, expected end, processors."""


def _idle(running: Running, then: int = -1) -> int:
    """Processors expected to be idle at a moment; by default those idle now."""
    return PROCESSORS - sum(k for _, due, k in running if due > then)


def start_times(jobs: list[StreamJob], policy: StartPolicy) -> dict[int, int]:
    """Simulate second by second, from the definition of the policies."""
    starts: dict[int, int] = {}
    running: Running = []
    waiting: list[StreamJob] = []
    now = 0
    while len(starts) < len(jobs):
        running = [entry for entry in running if entry[0] > now]
        waiting += [job for job in jobs if job.submit == now]
        moment, head = -1, None
        for job in list(waiting):
            there = [*running, (now + job.seconds, now + job.estimate, job.processors)]
            fits = _idle(there) >= 0
            # would the first still fit when it is expected to?
            if head is not None and _idle(there, moment) < head:
                fits = False
            if fits:
                starts[job.number] = now
                running = there
                waiting.remove(job)
            elif head is None:
                if policy is StartPolicy.FCFS:
                    break
                head = job.processors
                moment = min(t for t in range(1000) if _idle(running, t) >= head)
        now += 1
    return starts


def cheapest_order(mapping: RankMapping, begun: Sequence[int] = ()) -> int:
    """Price every order of ranks that begins in one way."""
    rest = set(range(mapping.ranks)) - set(begun)
    return min(mapping.cost((*begun, *more)) for more in permutations(rest))
