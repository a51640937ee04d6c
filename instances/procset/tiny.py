"""Tiny instances for compiling kernels, on which searches still branch."""

from __future__ import annotations

from collections.abc import Iterator

from .instance import ProcessorSet, ProcSet

KINDS = (("sets", 1), ("sets", 5))
"""Numbers of levels that `closeknit warm` compiles for."""

_MOST_LEVELS = 5
"""Number of levels from which the machine code is the same."""


def compiled_for(instance: ProcSet) -> tuple[str, int]:
    """Return the structure and levels that the machine code depends on."""
    return "sets", min(instance.levels, _MOST_LEVELS)


def tiny(structure: str, levels: int) -> Iterator[ProcSet]:
    """Yield nested sets, crossing sets, and sets with costs too large for one word."""
    names = tuple("abcdefghijkl")
    for crossing, unit in ((False, 1), (True, 1), (True, 10**8)):
        sets = [
            ProcessorSet(
                f"s{size}.{first}",
                tuple((first + i) % 12 for i in range(size)),
                tuple((first + size + level) % 5 * unit for level in range(levels)),
            )
            for size, step in ((2, 2), (4, 4), (6, 5 if crossing else 6))
            for first in range(0, 12, step)
        ]
        yield ProcSet("tiny", names, tuple(range(12)), 7, tuple(sets))
