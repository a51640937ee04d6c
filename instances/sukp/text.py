"""The text format of the set-union knapsack benchmark (He et al. 2018).

A line ``m=85 n=100 knapsack size=12180``, then, each under a heading, the profits of
the m items, the weights of the n elements, and an m x n matrix of zeros and ones whose
row i marks the elements of item i. Blank lines and line breaks are ignored.
"""

from __future__ import annotations

import re
from io import StringIO

from ..errors import InputError
from .instance import Sukp

_HEAD = re.compile(
    r"\s*m\s*=\s*(\d{1,9})\s+n\s*=\s*(\d{1,9})\s+knapsack\s+size\s*=\s*(\d{1,19})\s*$",
    re.I | re.ASCII | re.M,
)
_INTEGER = re.compile(r"[+-]?\d{1,19}", re.ASCII)
_MOST_CELLS = 2**22


def is_sukp_text(text: str) -> bool:
    """Whether a text begins like a benchmark file."""
    return re.match(r"\s*m\s*=", text, re.I) is not None


def parse_sukp_text(text: str, *, default_name: str = "unnamed") -> Sukp:
    """Build an instance from the text of a benchmark file.

    Raises InputError if it is invalid; names the part, the line and the value.
    """
    head = _HEAD.match(text)
    if head is None:
        line = text.strip().partition("\n")[0]
        raise InputError(
            "must be 'm=ITEMS n=ELEMENTS knapsack size=CAPACITY'", "line 1", line
        )
    m, n, capacity = (int(group) for group in head.groups())
    if max(m, n) > _MOST_CELLS:  # the matrix has no cells if the other is 0
        raise InputError(f"more than {_MOST_CELLS}", "m, n", f"{m}, {n}")
    if m * n > _MOST_CELLS:
        raise InputError(
            f"the matrix would have more than {_MOST_CELLS} cells", "m, n", f"{m}, {n}"
        )
    parts = _parts(text, head.end(), (m, n, m * n))
    profits, weights, cells = (tuple(numbers) for numbers in parts)
    return Sukp(
        name=default_name,
        profits=profits,
        weights=weights,
        items=tuple(tuple(e for e in range(n) if cells[i * n + e]) for i in range(m)),
        capacity=capacity,
    )


_HEADINGS = (
    r"the profit of \d+ items:?",
    r"the weight of \d+ elements:?",
    r"relation matrix:?",
)
_NAMES = ("profit", "weight", "matrix")


def _parts(text: str, begin: int, sizes: tuple[int, ...]) -> list[list[int]]:
    """Read the required number of integers under each heading."""
    found: list[list[int]] = [[], [], []]
    part = -1
    room = max(*sizes, 8) + 1  # enough for a heading, and for one number too many
    first = text.count("\n", 0, begin) + 1
    for number, line in enumerate(StringIO(text[begin:], newline="\n"), start=first):
        words = line.split(maxsplit=room)[:room]
        if not words:
            continue
        if part < 0 or not _INTEGER.fullmatch(words[0]):
            part += 1
            if part > 2 or not re.fullmatch(_HEADINGS[part], " ".join(words), re.I):
                wanted = f"the heading of {_NAMES[part]}" if part < 3 else "the end"
                raise InputError(f"must be {wanted}", f"line {number}", line.strip())
            continue
        found[part] += _numbers(words, _NAMES[part], number)
        if len(found[part]) > sizes[part]:
            raise InputError(
                f"more than {sizes[part]} numbers under {_NAMES[part]}",
                f"line {number}",
            )
    for name, numbers, size in zip(_NAMES, found, sizes, strict=True):
        if len(numbers) != size:
            raise InputError(f"must be {size} numbers", name, len(numbers))
    return found


def _numbers(words: list[str], name: str, line: int) -> list[int]:
    binary = name == "matrix"
    numbers = []
    for word in words:
        if not (word in ("0", "1") if binary else _INTEGER.fullmatch(word)):
            kind = "0 or 1" if binary else "an integer"
            raise InputError(f"must be {kind}", f"{name}, line {line}", word)
        numbers.append(int(word))
    return numbers
