"""What must be chosen: the field ``required`` of instances of three problems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .errors import InputError


def refuse_fewer(count: int, required: Sequence[Any], field: str) -> None:
    """Refuse to choose fewer than are required."""
    if count < len(required):
        must = f"must be at least the number of those required ({len(required)})"
        raise InputError(must, field, count)
