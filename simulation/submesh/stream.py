"""Queues of submesh requests: sides and residence times from seeded streams.

Section 4.1 of Morgenstern 1994: all requests wait from the beginning, their sides and
residence times are drawn beforehand, and every method gets the same queue. Each side
has its own random number stream, and so have the residence times, so that a queue
does not depend on what is drawn from the other streams.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...instances import InputError

Ints = npt.NDArray[np.int64]

MOST_REQUESTS = 10**6
"""Limit on the requests of a queue."""
_LEAST_SHARE = 0.01
"""Required fraction of usable draws of a normal distribution."""


class BoxRequest(NamedTuple):
    """A request for a box over a period of time."""

    number: int  # position in the queue, from 0
    size: tuple[int, ...]  # sides of the box
    seconds: float  # residence time, above 0


@dataclass(frozen=True, slots=True)
class Uniform:
    """Sides uniform over the integers of a range, both ends included."""

    low: int
    high: int

    def __post_init__(self) -> None:
        if not 1 <= self.low <= self.high:
            raise InputError(
                "must run from at least 1 upwards", "sides", f"{self.low}:{self.high}"
            )

    def draw(self, rng: np.random.Generator, n: int, side: int) -> Ints:
        """Draw n sides of boxes; those longer than the mesh's are refused."""
        if self.high > side:
            raise InputError(
                f"must not be longer than the mesh ({side})", "sides", self.high
            )
        return rng.integers(self.low, self.high + 1, n, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Normal:
    """Sides normal, rounded to the nearest integer, redrawn if they do not fit.

    The paper does not specify the truncation; at mean 128 and deviation
    43 on sides of 256 about 3 draws in 1000 are drawn again.
    """

    mean: float
    deviation: float

    def __post_init__(self) -> None:
        good = isfinite(self.mean) and isfinite(self.deviation) and self.deviation > 0
        if not good:
            raise InputError(
                "must be a mean and a deviation above 0",
                "sides",
                f"{self.mean:g}:{self.deviation:g}",
            )

    def draw(self, rng: np.random.Generator, n: int, side: int) -> Ints:
        """Draw n sides of boxes."""
        found = np.empty(0, dtype=np.int64)
        drawn = 0
        while len(found) < n:
            more = np.rint(rng.normal(self.mean, self.deviation, n))
            drawn += n
            found = np.append(found, more[(more >= 1) & (more <= side)])
            if drawn >= 1000 and len(found) < _LEAST_SHARE * drawn:
                raise InputError(
                    f"hardly ever lie between 1 and the mesh's ({side})",
                    "sides",
                    f"{self.mean:g}:{self.deviation:g}",
                )
        return found[:n].astype(np.int64)


Sides = Uniform | Normal
"""How the sides of the boxes are distributed."""


def queue(
    shape: Sequence[int],
    n: int,
    sides: Sides,
    *,
    residence: tuple[float, float] = (5.0, 30.0),
    seed: int = 0,
) -> list[BoxRequest]:
    """Draw a queue of n requests for boxes, their sides alike along every axis.

    Residence times are uniform between a shortest and a longest. The random streams do
    not depend on n: with uniform sides, a shorter queue begins a longer one.

    Raises
    ------
    InputError
        For numbers out of range, and sides that do not fit the mesh.

    Examples
    --------
    >>> [one.size for one in queue((8, 8), 3, Uniform(1, 8), seed=1)]
    [(1, 8), (6, 4), (7, 2)]
    """
    if not 1 <= n <= MOST_REQUESTS:
        raise InputError(f"must be from 1 to {MOST_REQUESTS}", "requests", n)
    if seed < 0:
        raise InputError("must be at least 0", "seed", seed)
    shortest, longest = residence
    if not (isfinite(longest) and 0 < shortest <= longest):
        raise InputError(
            "must run from above 0 upwards", "residence", f"{shortest:g}:{longest:g}"
        )
    streams = np.random.SeedSequence(seed).spawn(len(shape) + 1)
    rngs = [np.random.default_rng(stream) for stream in streams]
    drawn = [
        sides.draw(rng, n, side).tolist()
        for rng, side in zip(rngs[:-1], shape, strict=True)
    ]
    seconds = rngs[-1].uniform(shortest, longest, n).tolist()
    return [
        BoxRequest(number, size, time)
        for number, (size, time) in enumerate(
            zip(zip(*drawn, strict=True), seconds, strict=True)
        )
    ]
