"""Claims about submeshes: first fits allocate alike, and residents make room."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations, product
from random import Random

import numpy as np

from ...heuristics.submesh.allocator import SubmeshAllocator
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
from ...instances.submesh.plan import ORDERS, replay
from ...instances.support.submesh import order_of
from ...instances.value import as_tuple
from ...methods.allocators.submesh import ALLOCATORS
from ...solvers import Settings, Status
from .ksubset.exactness import exact_claims
from .running.claim import Claim, Outcome, Trial, Undecided, failed, passed
from .running.shrink import outcome_of_failure

FIRST_FIT = ("fs-1", "fs-f", "as", "iss", "zhu-first-fit", "bitmap")
"""All of these promise the first place, row by row."""
STREAMS, QUICK_STREAMS = 150, 15
_REQUESTS = 40
SAMPLES, QUICK_SAMPLES = 1200, 300
SIDE, QUICK_SIDE = 5, 4
"""Cells of a side of the meshes with residents, at most."""


def boxes(
    shape: tuple[int, ...], size: tuple[int, ...], torus: bool = False
) -> Iterator[Box]:
    """Yield the places of a box of this size."""
    if all(s <= side for s, side in zip(size, shape, strict=True)):
        ranges = [
            range(side if torus else side - s + 1)
            for s, side in zip(size, shape, strict=True)
        ]
        for place in product(*ranges):
            yield box_at(place, size)


# First fits


Step = tuple[tuple[int, int], int | None]
"""A request; and first the n-th of those held, taken round, is given back."""


def _stream(random: Random) -> tuple[tuple[int, int], bool, list[Step]]:
    shape = (random.randint(1, 12), random.randint(1, 12))
    steps: list[Step] = []
    for _ in range(_REQUESTS):
        back = random.randrange(99) if random.random() < 0.45 else None
        steps.append(((random.randint(1, 6), random.randint(1, 6)), back))
    return shape, random.random() < 0.5, steps


def first_place(state: Submesh) -> Box | None:
    """Return the first free box, rows from row 0 on, the request as asked first."""
    turned = permutations(state.request) if state.rotate else [state.request]
    for size in dict.fromkeys(turned):
        for box in sorted(boxes(state.shape, size), key=lambda box: (box[1], box[0])):
            if not any(overlap(state, box, one.box) for one in state.residents):
                return box
    return None


def _play(
    mesh: SubmeshAllocator, steps: Sequence[Step]
) -> Iterator[tuple[Submesh, Box | None]]:
    """Play a stream; give the state before each request, and where it is put."""
    for number, (size, back) in enumerate(steps):
        if back is not None and mesh.held:
            mesh.release(mesh.held[back % len(mesh.held)])
        residents = tuple(map(Resident, mesh.held))
        state = Submesh(
            *(f"step-{number}", mesh.shape, residents, size),
            rotate=mesh.rotate,
            migrate=False,
        )
        yield state, mesh.allocate(size)


def agree(trial: Trial) -> Outcome:
    """Play random streams on every first fit, and look for the place by definition."""
    random = Random(f"closeknit submeshes {trial.seed}")
    count = QUICK_STREAMS if trial.quick else STREAMS
    requests = 0
    for _ in range(count):
        shape, rotate, steps = _stream(random)
        runs = [
            _play(ALLOCATORS[name](shape, rotate=rotate), steps) for name in FIRST_FIT
        ]
        for played in zip(*runs, strict=True):
            requests += 1
            state, _ = played[0]
            wanted = first_place(state)
            odd = [
                f"{name} {box}"
                for name, (_, box) in zip(FIRST_FIT, played, strict=True)
                if box != wanted
            ]
            if odd:
                why = f"{', '.join(odd)}, the first place is {wanted}"
                return outcome_of_failure(state, _find_misplacement, requests, why)
    return passed(
        f"{', '.join(FIRST_FIT)} take the same place, the first, in {count} "
        f"streams, seed {trial.seed}",
        requests,
    )


def _find_misplacement(state: Submesh) -> str:
    """Describe which allocator puts the request wrongly; "" if none does."""
    wanted = first_place(state)
    for name in FIRST_FIT:
        mesh = ALLOCATORS[name](state.shape, rotate=state.rotate)
        for one in state.residents:
            mesh.hold(one.box)
        if (box := mesh.find(state.request)) != wanted:
            return f"{name} takes {box}, the first place is {wanted}"
    return ""


# Residents


def cells(shape: tuple[int, ...], box: Box) -> frozenset[tuple[int, ...]]:
    """List the processors of a box, taken round every axis."""
    d = len(shape)
    ranges = [range(box[a], box[d + a] + 1) for a in range(d)]
    return frozenset(
        tuple(x % side for x, side in zip(cell, shape, strict=True))
        for cell in product(*ranges)
    )


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
                return failed(
                    f"{one} and {other} share {len(here & there)} processors "
                    f"of {'x'.join(map(str, shape))}{', a torus' if torus else ''}",
                    seen,
                )
    return passed("as the processors in common say", seen)


def draw_full_meshes(
    seed: int, count: int, side: int, odd: bool = False
) -> Iterator[Submesh]:
    """Yield small meshes of up to four residents, rarely with room for the request.

    Of odd ones most are tori, two in five have three axes, and up to three residents;
    on some up to two processors are blocked, on a few no resident may be moved.
    """
    random = Random(f"closeknit residents {seed}")
    for number in range(count):
        flat, torus = not odd or random.random() < 0.6, odd and random.random() < 0.7
        shape: tuple[int, ...] = random.randint(3, side), random.randint(2, side)
        shape = shape if flat else (random.randint(2, 3), random.randint(1, 3), 2)
        held: list[Box] = []
        taken: set[tuple[int, ...]] = set()
        for _ in range(random.randint(2, 9)):
            size = tuple(random.randint(1, min(2, s)) for s in shape)
            box = random.choice(list(boxes(shape, size, torus)))
            if len(held) < 3 + flat and taken.isdisjoint(cells(shape, box)):
                held.append(box)
                taken |= cells(shape, box)
        idle = sorted(set(np.ndindex(shape)) - taken)
        defects = min(len(idle), random.choice((0, 0, 1, 2))) if odd else 0
        yield Submesh(
            f"{'odd' if odd else 'crowded'}-{number}",
            shape,
            tuple(
                Resident(box, fixed=random.random() < 0.1, turns=random.random() < 0.3)
                for box in held
            ),
            tuple(random.randint(1 + flat, s) for s in shape),
            rotate=random.random() < 0.3,
            migrate=not odd or random.random() < 0.9,
            torus=torus,
            blocked=tuple(random.sample(idle, defects)),
            seed=seed,
        )


def _place_each(
    choices: Sequence[Sequence[tuple[Box, frozenset[tuple[int, ...]]]]],
    taken: frozenset[tuple[int, ...]] = frozenset(),
) -> Iterator[tuple[Box, ...]]:
    """Yield all ways to take one of each list of choices without an overlap."""
    if not choices:
        yield ()
        return
    for box, here in choices[0]:
        if taken.isdisjoint(here):
            for others in _place_each(choices[1:], taken | here):
                yield box, *others


def least_migration(instance: Submesh) -> tuple[int, ...] | None:
    """Return the least cost of all placements, priced from the definition."""
    shape = instance.shape
    choices = []
    for size, turns, home in (
        (instance.request, instance.rotate, None),
        *((sides(one.box), one.turns, one) for one in instance.residents),
    ):
        several = set(permutations(size)) if turns else {size}
        places = [box for way in several for box in boxes(shape, way, instance.torus)]
        if home is not None and (home.fixed or not instance.migrate):
            places = [home.box]
        choices.append([(box, cells(shape, box)) for box in places])
    best: tuple[int, ...] | None = None
    for request, *others in _place_each(choices, frozenset(instance.blocked)):
        homes = zip(others, instance.residents, strict=True)
        moves = tuple((i, box) for i, (box, one) in enumerate(homes) if box != one.box)
        if best is None or len(moves) <= best[0]:
            paid = cost(instance, Placement(request, moves).flat())
            if best is None or as_tuple(paid) < as_tuple(best):
                best = paid
    return best


def _wrong_migration(trial: Trial, method: str, instance: Submesh) -> str:
    settings = Settings(time_limit=trial.time_limit, seed=trial.seed)
    result = trial.others["submesh"][method](instance, settings)
    if result.status not in (Status.OPTIMAL, Status.INFEASIBLE):
        raise Undecided(f"{method} did not decide {instance.name}")
    least = least_migration(instance)
    if result.chosen is None:
        return "" if least is None else f"{least} is possible, {method} says nothing is"
    if wrong := check(instance, result.chosen):
        return f"{method}: {wrong[0]}"
    if result.objective != least:
        return f"{method} proves {result.objective}, enumeration {least}"
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


def _drawn(trial: Trial) -> Iterator[Submesh]:
    count = QUICK_SAMPLES if trial.quick else SAMPLES
    side = QUICK_SIDE if trial.quick else SIDE
    yield from draw_full_meshes(trial.seed, count, side)
    yield from draw_full_meshes(trial.seed, count // 2, side, odd=True)


SUBMESH_CLAIMS = (
    Claim(
        name="first-fits-agree",
        statement="FS_1, FS_f, AS and ISS allocate identically: the first free place, "
        "row by row. So do Zhu's first fit and our bitmap.",
        source="Morgenstern 1994, sections 2 and 3",
        tested=f"{STREAMS} random streams ({QUICK_STREAMS} if quick) of {_REQUESTS} "
        "requests, with boxes given back, on meshes up to 12x12, turned or not",
        test=agree,
    ),
    Claim(
        name="boxes-overlap-by-processors",
        statement="Two boxes of a mesh or torus overlap where they have a processor in "
        "common.",
        source="by definition",
        tested="every two boxes of 5x4, 2x6 and 2x2x3 (4x3, 2x5 and 1x4 if quick), as "
        "meshes and as tori",
        test=overlaps,
    ),
    *exact_claims(
        "submesh",
        _drawn,
        f"{SAMPLES} meshes ({QUICK_SAMPLES} if quick) of sides up to {SIDE} "
        f"({QUICK_SIDE}) with up to four residents, and half as many tori, meshes of "
        "three axes, and with defects; every placement, also where none is possible",
        _wrong_migration,
    ),
)
