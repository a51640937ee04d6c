"""What must be chosen: the field ``required`` of instances of three problems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, TypeVar

from .errors import InputError

T = TypeVar("T", bound=Hashable)


def check_requirements(
    required: Sequence[T],
    choosable: Iterable[T],
    *,
    unless: str,
    show: Sequence[Any] | None = None,
) -> None:
    """Refuse what cannot be chosen, or is listed more often than it can be.

    ``unless`` is the message about the first; ``show`` has what the message shows of
    each. Raises InputError, which names the entry.
    """
    left = Counter(choosable) if required else Counter[T]()
    for i, one in enumerate(required):
        if not left[one]:
            problem = "listed twice" if one in required[:i] else unless
            raise InputError(problem, f"required[{i}]", show[i] if show else one)
        left[one] -= 1


def refuse_fewer(count: int, required: Sequence[Any], field: str) -> None:
    """Refuse to choose fewer than are required."""
    if count < len(required):
        must = f"must be at least the number of those required ({len(required)})"
        raise InputError(must, field, count)
