"""Random loads and slow definitions that tests of the wormhole engines share."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from closeknit.instances import Grid
from closeknit.network.engine import Engine
from closeknit.network.messages import Messages, messages

AnyEngine = TypeVar("AnyEngine", bound=Engine)
Rows = list[tuple[int, int, int]]
"""Messages: from where, to where, of how many flits."""
Numbers = npt.NDArray[np.int64] | int
NONE = np.empty(0, np.int64)


def deliver(engine: AnyEngine, load: Messages | Rows) -> AnyEngine:
    """Let an engine deliver all of a load; return it."""
    engine.add(load if isinstance(load, Messages) else messages(load))
    engine.finish()
    return engine


def plain(
    source: Numbers, target: Numbers, length: Numbers, release: Numbers
) -> Messages:
    """Make messages that wait for nothing; numbers stand for every message."""
    given = np.broadcast_arrays(source, target, length, release)
    a, b, c, d = (np.array(each, dtype=np.int64) for each in given)
    return Messages(a, b, c, d, NONE, NONE)


def drawn(
    topology: Grid, load: float, longest: int, cycles: int, seed: int
) -> Messages:
    """Draw uniform traffic of 1 to `longest` flits; every fifth waits for another."""
    n = prod(topology.shape)
    draw = np.random.default_rng(seed)
    m = max(1, int(draw.binomial(n * cycles, min(1.0, 2 * load / (longest + 1)))))
    after = np.flatnonzero(draw.random(m) < 0.2)
    after = after[after > 0]
    return Messages(
        draw.integers(0, n, m),
        draw.integers(0, n, m),
        draw.integers(1, longest + 1, m),
        draw.integers(0, cycles, m),
        draw.integers(0, after),
        after,
    )


def walk(
    topology: Grid, source: int, target: int, order: tuple[int, ...]
) -> list[tuple[int, int]]:
    """Return the links of a route as pairs of nodes, one hop after the other."""
    shape = topology.shape
    numbers = {site: i for i, site in enumerate(product(*map(range, shape)))}
    sites = list(numbers)
    here, goal = list(sites[source]), sites[target]
    even = sum(here) % 2 == 0
    hops = []
    for axis in order:
        side = shape[axis]
        ahead = (goal[axis] - here[axis]) % side
        if not topology.rings[axis]:
            step = 1 if goal[axis] > here[axis] else -1
        elif 2 * ahead == side:
            step = 1 if even else -1
        else:
            step = 1 if 2 * ahead < side else -1
        while here[axis] != goal[axis]:
            before = numbers[tuple(here)]
            here[axis] = (here[axis] + step) % side
            hops.append((before, numbers[tuple(here)]))
    return hops
