"""Fragmented machines: what arriving and departing jobs leave free."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import ceil

import numpy as np

from ..heuristics.allocation.allocator import Allocation
from ..instances import InputError, KSubset
from ..instances.ksubset.generators import (
    generator,
    network_of,
    network_text,
    share_text,
)
from .machine import Machine

SIZES = ("exponential", "uniform")
"""Distributions of job sizes, by the name used in options."""

_TURNOVERS = 10


def fragment(
    shape: Sequence[int],
    k: int,
    seed: int,
    *,
    utilisation: Fraction = Fraction(3, 4),
    mean_size: int = 8,
    sizes: str = "exponential",
    jobs: int | None = None,
    allocator: str = "mm",
    kind: str = "mesh",
) -> KSubset:
    """Run random jobs under an allocator; return what is free at the end.

    The machine is kept at its target: the next job of an endless queue starts as
    soon as it fits below the target utilisation, otherwise one running job ends,
    each equally likely (memoryless run times). It starts empty and stops after
    ``jobs`` jobs; by default once ten times the processors in use have been
    allocated, so that nothing is left of the first, orderly filling.

    Parameters
    ----------
    shape
        Sides of the mesh or torus, fan-outs of the tree.
    k
        Processors to choose at the end.
    seed
        Random seed, at least 0.
    utilisation
        Largest share of the processors in use, between 0 and 1.
    mean_size
        Approximate mean job size in processors: sizes are rounded, at least 1, and
        cut off at the target.
    sizes
        ``exponential``, or ``uniform`` between 1 and 2·mean - 1.
    jobs
        Jobs to start before stopping.
    allocator
        Method that places the jobs.
    kind
        ``mesh``, ``torus`` or ``tree``.

    Raises
    ------
    InputError
        For invalid values, in particular if k exceeds the free count.

    Notes
    -----
    Time: one run of the allocator per job.
    """
    machine = Machine(network_of(kind, shape), allocator)
    if not 0 < utilisation < 1:
        raise InputError("must lie between 0 and 1", "utilisation", str(utilisation))
    target = int(utilisation * len(machine.places))
    if target < 1:
        raise InputError("leaves no processor to use", "utilisation", str(utilisation))
    draw = generator(seed)
    size = _sizes(sizes, mean_size, target, draw)
    if jobs is None:
        jobs = ceil(Fraction(_TURNOVERS * target, mean_size))
    if jobs < 1:
        raise InputError("must be at least 1", "jobs", jobs)
    hands_out = machine.allocator
    running: list[Allocation] = []
    for _ in range(jobs):
        wanted = size()
        grant = None
        while grant is None:
            if len(machine.places) - machine.free + wanted <= target:
                grant = hands_out.allocate(wanted)
            if grant is None:
                if not running:
                    raise InputError(
                        f"does not serve {wanted} processors of the idle machine",
                        allocator,
                    )
                hands_out.release(running.pop(int(draw.integers(len(running)))))
        running.append(grant)
    at = network_text(kind, shape)
    offered = machine.problem(hands_out.idle, 1)
    return KSubset(
        f"{at}-fragmented-{share_text(utilisation)}"
        f"-{allocator.replace('/', '-')}-k{k}-s{seed}",  # the name of its file, too
        offered.topology,
        offered.free,
        k,
        source=(
            f"fragmented: {at}, {jobs} jobs under {allocator}, {sizes} sizes of mean "
            f"{mean_size}, utilisation up to {utilisation}"
        ),
        seed=seed,
    )


def _sizes(
    kind: str, mean: int, most: int, draw: np.random.Generator
) -> Callable[[], int]:
    if not 1 <= mean <= most:
        raise InputError(
            f"must lie between 1 and the processors in use ({most})", "mean_size", mean
        )
    if kind == "exponential":
        return lambda: max(1, min(most, round(draw.exponential(mean))))
    if kind == "uniform":
        return lambda: min(most, int(draw.integers(1, 2 * mean)))
    raise InputError(f"must be {' or '.join(SIZES)}", "sizes", kind)
