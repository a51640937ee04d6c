"""The claim that first fits for submeshes allocate alike: Morgenstern 1994."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import permutations, product
from random import Random

from ...heuristics.submesh.allocator import SubmeshAllocator
from ...instances import InputError, Submesh
from ...instances.submesh import Box, Resident, box_at, overlap
from ...methods.submesh_allocators import ALLOCATORS
from .claim import Claim, Outcome, Trial, held, refuted
from .shrink import certainly, shrunk

FIRST_FIT = ("fs-1", "fs-f", "as", "iss", "zhu-first-fit", "bitmap")
"""All of these promise the first place, row by row."""
STREAMS, QUICK_STREAMS = 150, 15
_REQUESTS = 40


@dataclass(frozen=True, slots=True)
class _Step:
    """A request, or what is given back: the n-th of those held, taken round."""

    size: tuple[int, int]
    back: int | None


def _stream(random: Random) -> tuple[tuple[int, int], bool, list[_Step]]:
    shape = (random.randint(1, 12), random.randint(1, 12))
    steps = []
    for _ in range(_REQUESTS):
        back = random.randrange(99) if random.random() < 0.45 else None
        steps.append(_Step((random.randint(1, 6), random.randint(1, 6)), back))
    return shape, random.random() < 0.5, steps


def first_place(state: Submesh) -> Box | None:
    """Return the first free box, rows from row 0 on, the request as asked first."""
    turned = permutations(state.request) if state.rotate else [state.request]
    for size in dict.fromkeys(turned):
        ranges = [
            range(side - s + 1) for side, s in zip(state.shape, size, strict=True)
        ]
        for row, column in product(*reversed(ranges)):
            box = box_at((column, row), size)
            if not any(overlap(state, box, one.box) for one in state.residents):
                return box
    return None


def _played(
    mesh: SubmeshAllocator, steps: list[_Step]
) -> Iterator[tuple[Submesh, Box | None]]:
    """Play a stream; give the state before each request, and where it is put."""
    for number, step in enumerate(steps):
        if step.back is not None and mesh.held:
            mesh.release(mesh.held[step.back % len(mesh.held)])
        state = Submesh(
            f"step-{number}",
            mesh.shape,
            tuple(Resident(box) for box in mesh.held),
            step.size,
            rotate=mesh.rotate,
            migrate=False,
        )
        yield state, mesh.allocate(step.size)


def agree(trial: Trial) -> Outcome:
    """Play random streams on every first fit, and look for the place by definition."""
    random = Random(f"closeknit submeshes {trial.seed}")
    count = QUICK_STREAMS if trial.quick else STREAMS
    requests = 0
    for _ in range(count):
        shape, rotate, steps = _stream(random)
        runs = [
            _played(ALLOCATORS[name](shape, rotate=rotate), steps) for name in FIRST_FIT
        ]
        for played in zip(*runs, strict=True):
            requests += 1
            state, _ = played[0]
            wanted = first_place(state)
            found = {
                name: box for name, (_, box) in zip(FIRST_FIT, played, strict=True)
            }
            if set(found.values()) != {wanted}:
                return _broken(state, found, wanted, requests)
    return held(
        f"{', '.join(FIRST_FIT)} take the same place, the first, in {count} "
        f"streams, seed {trial.seed}",
        requests,
    )


def _broken(
    state: Submesh, found: Mapping[str, Box | None], wanted: Box | None, seen: int
) -> Outcome:
    """Shrink the state if a fresh allocator goes wrong on it too."""
    smallest = state
    said = f"{_odd(found, wanted)}, the first place is {wanted}"
    for wrong in (partial(_misplaced, name) for name in FIRST_FIT):
        if wrong(state):
            smallest = shrunk(state, partial(certainly, wrong))
            said = wrong(smallest)
            break
    return refuted(said, seen, smallest)


def _odd(found: Mapping[str, Box | None], wanted: Box | None) -> str:
    return ", ".join(f"{name} {box}" for name, box in found.items() if box != wanted)


def _misplaced(name: str, state: Submesh) -> str:
    """Describe where an allocator puts the request wrongly; "" if it does not."""
    try:
        mesh = ALLOCATORS[name](state.shape, rotate=state.rotate)
        for one in state.residents:
            mesh.hold(one.box)
        box = mesh.find(state.request)
    except InputError:
        return ""
    wanted = first_place(state)
    return "" if box == wanted else f"{name} takes {box}, the first place is {wanted}"


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
)
