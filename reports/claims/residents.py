"""Claims about boxes in a mesh, and about the residents that make room for one."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import permutations, product
from random import Random

from ...instances import Submesh, check, cost
from ...instances.submesh import (
    Box,
    Placement,
    Resident,
    box_at,
    overlap,
    placement_of,
    sides,
)
from ...instances.submesh.plan import ORDERS, order_of, replay
from ...instances.value import ordered
from ...solvers import Settings, Status
from .claim import Claim, Outcome, Trial, Undecided, held, refuted
from .shrink import survey

SAMPLES, QUICK_SAMPLES = 1200, 300
MOST_MOVES, QUICK_MOVES = 6, 4
"""Cells of a side of the mesh, at most."""


def cells(shape: tuple[int, ...], box: Box) -> frozenset[tuple[int, ...]]:
    """List the processors of a box, taken round every axis."""
    d = len(shape)
    ranges = [range(box[a], box[d + a] + 1) for a in range(d)]
    return frozenset(
        tuple(x % side for x, side in zip(cell, shape, strict=True))
        for cell in product(*ranges)
    )


def boxes(shape: tuple[int, ...], size: tuple[int, ...], torus: bool) -> Iterator[Box]:
    """Yield the places of a box of this size."""
    if all(s <= side for s, side in zip(size, shape, strict=True)):
        ranges = [
            range(side if torus else side - s + 1)
            for s, side in zip(size, shape, strict=True)
        ]
        for place in product(*ranges):
            yield box_at(place, size)


def overlaps(trial: Trial) -> Outcome:
    """Compare the overlap of any two boxes with the processors that they share."""
    seen = 0
    shapes = [(4, 3), (2, 5), (1, 4)] if trial.quick else [(5, 4), (2, 6), (2, 2, 3)]
    for shape, torus in product(shapes, (False, True)):
        empty = Submesh("two", shape, (), (1,) * len(shape), torus=torus)
        sizes = product(*(range(1, side + 1) for side in shape))
        every = [
            (box, cells(shape, box))
            for size in sizes
            for box in boxes(shape, size, torus)
        ]
        for (one, here), (other, there) in product(every, repeat=2):
            seen += 1
            if overlap(empty, one, other) != bool(here & there):
                return refuted(
                    f"{one} and {other} share {len(here & there)} processors "
                    f"of {'x'.join(map(str, shape))}{', a torus' if torus else ''}",
                    seen,
                )
    return held("as the processors in common say", seen)


def crowded(seed: int, count: int, side: int) -> Iterator[Submesh]:
    """Yield small meshes of up to four residents, rarely with room for the request."""
    random = Random(f"closeknit residents {seed}")
    for number in range(count):
        shape = random.randint(3, side), random.randint(2, side)
        held: list[Box] = []
        taken: set[tuple[int, ...]] = set()
        for _ in range(random.randint(2, 9)):
            size = random.randint(1, 2), random.randint(1, 2)
            places = list(boxes(shape, size, torus=False))
            box = random.choice(places)
            if len(held) < 4 and taken.isdisjoint(cells(shape, box)):
                held.append(box)
                taken |= cells(shape, box)
        yield Submesh(
            f"crowded-{number}",
            shape,
            tuple(
                Resident(box, fixed=random.random() < 0.1, turns=random.random() < 0.3)
                for box in held
            ),
            (random.randint(2, shape[0]), random.randint(2, shape[1])),
            rotate=random.random() < 0.3,
            seed=seed,
        )


def least_migration(instance: Submesh) -> tuple[int, ...] | None:
    """Return the least cost of all placements, priced from the definition."""
    shape = instance.shape
    choices = []
    for size, turns, home in (
        (instance.request, instance.rotate, None),
        *((sides(one.box), one.turns, one) for one in instance.residents),
    ):
        several = set(permutations(size)) if turns else {size}
        places = [box for way in several for box in boxes(shape, way, torus=False)]
        if home is not None and home.fixed:
            places = [home.box]
        choices.append([(box, cells(shape, box)) for box in places])
    best: tuple[int, ...] | None = None
    waiting: list[tuple[tuple[Box, ...], frozenset[tuple[int, ...]]]]
    waiting = [((), frozenset())]
    while waiting:
        placed, taken = waiting.pop()
        if len(placed) < len(choices):
            for box, here in choices[len(placed)]:
                if taken.isdisjoint(here):
                    waiting.append(((*placed, box), taken | here))
            continue
        homes = [one.box for one in instance.residents]
        moves = tuple(
            (i, box)
            for i, (box, home) in enumerate(zip(placed[1:], homes, strict=True))
            if box != home
        )
        if best is not None and len(moves) > best[0]:
            continue
        paid = cost(instance, Placement(placed[0], moves).flat())
        if best is None or ordered(paid) < ordered(best):
            best = paid
    return best


def _wrong_migration(trial: Trial, instance: Submesh) -> str:
    settings = Settings(time_limit=trial.time_limit, seed=trial.seed)
    result = trial.others["submesh"]["migrate"](instance, settings)
    if result.status not in (Status.OPTIMAL, Status.INFEASIBLE):
        raise Undecided(f"migrate did not decide {instance.name}")
    least = least_migration(instance)
    if result.chosen is None:
        return "" if least is None else f"{least} is possible, migrate says nothing is"
    if wrong := check(instance, result.chosen):
        return f"migrate: {wrong[0]}"
    if result.objective != least:
        return f"migrate proves {result.objective}, enumeration {least}"
    placement = placement_of(instance, result.chosen)
    order = order_of(instance, placement)
    for way in ORDERS if order is None else ():
        if not _blocked_somewhere(instance, placement, slide=way == "sliding"):
            return f"moves can be made {way}, but are said not to"
    if order and replay(instance, placement.moves, slide=order == "sliding"):
        return "moves cannot be made in their order"
    return ""


def _blocked_somewhere(instance: Submesh, placement: Placement, *, slide: bool) -> bool:
    """Whether some move meets what is held then, processor by processor."""
    shape = instance.shape
    held = [cells(shape, one.box) for one in instance.residents]
    for i, box in placement.moves:
        here = cells(shape, box)
        for j, other in enumerate(held):
            if (j != i or not slide) and here & other:
                return True
        held[i] = here
    return False


def migrations(trial: Trial) -> Outcome:
    """Let all residents be anywhere, and compare the cheapest with what is proved."""
    count = QUICK_SAMPLES if trial.quick else SAMPLES
    side = QUICK_MOVES if trial.quick else MOST_MOVES - 1
    return survey(
        f"as by enumeration, seed {trial.seed}",
        (crowded(trial.seed, count, side), partial(_wrong_migration, trial)),
    )


RESIDENT_CLAIMS = (
    Claim(
        name="boxes-overlap-by-processors",
        statement="Two boxes of a mesh or torus overlap where they have a processor in "
        "common.",
        source="by definition",
        tested="every two boxes of 5x4, 2x6 and 2x2x3 (4x3, 2x5 and 1x4 if quick), as "
        "meshes and as tori",
        test=overlaps,
    ),
    Claim(
        name="submesh-migrate-is-exact",
        statement="Every answer that migrate proves optimal for submesh is optimal; "
        "every request that it proves infeasible is infeasible.",
        source="by definition of the problem",
        tested=f"{SAMPLES} meshes ({QUICK_SAMPLES} if quick) of sides up to "
        f"{MOST_MOVES - 1} ({QUICK_MOVES}) with up to four residents; every placement",
        test=migrations,
    ),
)
