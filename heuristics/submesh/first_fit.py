"""The first free box that is found, from the definition."""

from __future__ import annotations

from itertools import permutations, product
from time import perf_counter

from ...instances import Submesh
from ...instances.submesh import box_at, overlap
from ...solvers import (
    DEFAULT,
    Grade,
    Proof,
    Result,
    Settings,
    Status,
    answer,
)

_PROOF = Proof(Grade.ENUMERATED, "first-fit")


def first_fit(instance: Submesh, /, settings: Settings = DEFAULT) -> Result:
    """Look at every place, row by row, and take the first that is free.

    Nobody is moved. Where nobody may be, finding nothing is a proof that there is
    nothing; a place that is found costs nothing, and is optimal.

    Guarantee: exact if residents may not be moved; optimal whenever it finds a place.
    Time: O(processors * residents).
    Ties: the last axis first, as written; then turned.
    Source: the definition; the candidate set of Morgenstern 1994, equation 1.
    """
    start = perf_counter()
    held = [one.box for one in instance.residents]
    held += [(*cell, *cell) for cell in instance.blocked]
    turned = permutations(instance.request) if instance.rotate else [instance.request]
    for size in dict.fromkeys(turned):
        for place in _places(instance, tuple(size)):
            box = box_at(place, size)
            if not any(overlap(instance, box, other) for other in held):
                return answer(instance, box, start=start, bound=(0, 0, 0), proof=_PROOF)
        if perf_counter() - start > settings.time_limit:
            break
    if instance.migrate:
        return answer(instance, None, start=start)
    return Result(
        status=Status.INFEASIBLE, proof=_PROOF, seconds=perf_counter() - start
    )


def _places(instance: Submesh, size: tuple[int, ...]) -> list[tuple[int, ...]]:
    """List lowest corners: rows from the top, each from the left, as the paper does."""
    ranges = [
        range(side if instance.torus and s <= side else side - s + 1)
        for side, s in zip(instance.shape, size, strict=True)
    ]
    return [place[::-1] for place in product(*reversed(ranges))]
