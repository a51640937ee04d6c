"""Moves in sequence, each into space that is free at that moment."""

from __future__ import annotations

from collections.abc import Iterable

from . import Box, Submesh, overlap

ORDERS = ("copying", "sliding")
"""Ways to make moves in sequence, the more restrictive first; see `replay`."""


def replay(
    instance: Submesh, moves: Iterable[tuple[int, Box]], *, slide: bool = False
) -> list[str]:
    """List the overlaps that occur when moves are made in this order, one at a time.

    A resident is copied to its new box while it holds the old one, so the new box must
    not overlap any box held at that moment, including its own old one. A resident that
    can be suspended may slide: its own processors then count as free.

    Examples
    --------
    >>> from closeknit.instances.submesh import Resident
    >>> one = Submesh("one", (4, 1), (Resident((0, 0, 1, 0)),), (1, 1))
    >>> replay(one, [(0, (1, 0, 2, 0))])
    ['moves[0]: residents[0] would overlap where it is itself']
    >>> replay(one, [(0, (1, 0, 2, 0))], slide=True)
    []
    """
    boxes = [one.box for one in instance.residents]
    singles = [(*cell, *cell) for cell in instance.blocked]
    wrong = []
    for n, (i, box) in enumerate(moves):
        where = f"moves[{n}]: residents[{i}] would overlap"
        if any(overlap(instance, box, single) for single in singles):
            wrong.append(f"{where} a blocked processor")
        for j, other in enumerate(boxes):
            if (i != j or not slide) and overlap(instance, box, other):
                whom = "where it is itself" if i == j else f"residents[{j}]"
                wrong.append(f"{where} {whom}")
        boxes[i] = box
    return wrong
