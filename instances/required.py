"""What must be chosen: the field ``required`` of instances of three problems."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from .errors import InputError


def refuse_fewer(count: int, required: Sequence[Any], field: str) -> None:
    """Refuse to choose fewer than are required."""
    if count < len(required):
        must = f"must be at least the number of those required ({len(required)})"
        raise InputError(must, field, count)


def fill_up(
    required: Collection[int], others: Iterable[int], most: int
) -> tuple[int, ...]:
    """Return those required and the first of the others, in all at most so many.

    >>> fill_up((4,), range(9), 3)
    (0, 1, 4)
    """
    chosen = dict.fromkeys(required)
    for one in others:
        if len(chosen) >= most:
            break
        chosen.setdefault(one)
    return tuple(sorted(chosen))
