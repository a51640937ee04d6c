"""States of a mesh in which a request must wait although enough processors are free."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import product
from math import prod

from ..errors import InputError
from ..reading.numbers import positive
from . import Box, Resident, Submesh, box_at, overlap, sides

_MOST_REQUESTS = 20_000
_RESIDENCE = 5, 30
"""Range of the uniform residence time in seconds: Morgenstern 1994, section 4.1."""


def waiting_state(
    shape: Sequence[int],
    least: int,
    most: int,
    seed: int,
    *,
    after: int = 50,
    torus: bool = False,
    rotate: bool = False,
) -> Submesh:
    """Simulate a queue of requests until one finds no free box; return that state.

    Requests are served in order, each at the first free place, row by row; a request
    that finds none waits for the next departure. The state returned is the first in
    which a request waits although enough processors are free. Sides of requests are
    uniform from ``least`` to ``most``, but at most those of the mesh. ``after``
    requests must be served before. Only the waiting request may be turned. Raises
    InputError if an argument is out of range, or no such state is found.

    Examples
    --------
    >>> one = waiting_state((16, 16), 1, 8, seed=1)
    >>> one.name, prod(one.request) <= one.free
    ('waiting-16x16-sides1to8-s1', True)
    """
    if len(shape) not in (2, 3):
        raise InputError("must have two or three sides", "shape", list(shape))
    empty = Submesh("empty", tuple(shape), (), (1,) * len(shape), torus=torus)
    positive(least=least, most=most)
    if most < least:
        raise InputError("must not be below the least", "most", most)
    draw = random.Random(seed)
    held: list[tuple[float, Box]] = []
    now = 0.0
    free = empty.size
    for served in range(_MOST_REQUESTS):
        size = tuple(draw.randint(min(least, s), min(most, s)) for s in shape)
        stays = draw.uniform(*_RESIDENCE)
        while (box := _first(empty, [b for _, b in held], size)) is None:
            if served >= after and prod(size) <= free:
                kind = "torus-" if torus else ""
                written = "x".join(map(str, shape))
                return Submesh(
                    f"waiting-{kind}{written}-sides{least}to{most}"
                    f"{'-turns' if rotate else ''}-s{seed}",
                    empty.shape,
                    tuple(Resident(b) for _, b in held),
                    size,
                    rotate=rotate,
                    torus=torus,
                    source=f"first come first served by first fit, {after} before",
                    seed=seed,
                )
            now, left = min(held)
            held.remove((now, left))
            free += prod(sides(left))
        held.append((now + stays, box))
        free -= prod(size)
    raise InputError(f"no request waits among {_MOST_REQUESTS}", "most", most)


def _first(empty: Submesh, held: Sequence[Box], size: Sequence[int]) -> Box | None:
    """Return the first free box next to others, in order of the last axis first."""
    d = empty.d
    axes = []
    for a, (s, side) in enumerate(zip(size, empty.shape, strict=True)):
        ends = {0, *((box[d + a] + 1) % side for box in held)}
        axes.append(sorted(x for x in ends if empty.torus or x + s <= side))
    for place in product(*reversed(axes)):
        box = box_at(place[::-1], size)
        if not any(overlap(empty, box, other) for other in held):
            return box
    return None
