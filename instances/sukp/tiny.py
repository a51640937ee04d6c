"""Tiny instances for compiling kernels, on which searches still branch."""

from __future__ import annotations

from collections.abc import Iterator

from .instance import Sukp

KINDS = (("items", 1),)
"""The only kind; machine code is the same for all instances."""


def compiled_for(instance: Sukp) -> tuple[str, int]:
    """Return what the machine code depends on: nothing."""
    return "items", 1


def tiny(structure: str, levels: int) -> Iterator[Sukp]:
    """Yield an instance with six items that share seven elements."""
    yield Sukp(
        name="tiny",
        profits=tuple(3 + i for i in range(6)),
        weights=tuple(2 + i % 3 for i in range(7)),
        items=tuple(tuple({i, (i * i + 1) % 7, (3 * i + 2) % 7}) for i in range(6)),
        capacity=11,
    )
