"""Hostlists in the notation of Slurm: ``n[01-12,15],login1,r[1-2]n[1-3]``.

`unfold` lists the names of a hostlist, `fold` abbreviates names to one. Input comes
from command lines, so sizes are bounded and error messages name the faulty part.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from math import prod

from ..instances.errors import InputError

MOST = 2**22
"""Default for the greatest number of names in one list."""
LONGEST = 512
"""Maximal number of characters of a name, without its brackets."""
MOST_BRACKETS = 8
"""Maximal number of brackets in one name."""
_ITEM = re.compile(r"(?:[^\s,\[\]]++|\[[^\[\]]*+\])++")
_SEPARATORS = re.compile(r"[\s,]*+")
_PARTS = re.compile(r"(\[[^\]]*\])")
_PIECE = re.compile(r"[\[,]([^,\]]*+)")
_RANGE = re.compile(r"(\d{1,18})(?:-(\d{1,18}))?", re.ASCII)

_DIGITS = 18
"""Most digits of a number."""

_Range = tuple[int, range]
"""Width to which numbers are padded with zeros, and the numbers."""


def unfold(text: str, *, field: str = "hostlist", most: int = MOST) -> list[str]:
    """Return the names in a hostlist, in its order.

    Items are separated by commas or white space. Numbers are padded to the width of the
    first number of their range. Several brackets in one name stand for all
    combinations, the last bracket varying fastest.

    Parameters
    ----------
    text
        The hostlist.
    field
        Name of the field in error messages.
    most
        Maximal number of names.

    Raises
    ------
    InputError
        If brackets do not match, a range is descending, the list is empty or has more
        than `most` names, or a name is longer than `LONGEST` or has more than
        `MOST_BRACKETS` brackets.

    Examples
    --------
    >>> unfold("n[08-10,3],login")
    ['n08', 'n09', 'n10', 'n3', 'login']
    >>> unfold("r[1-2]n[1-2]")
    ['r1n1', 'r1n2', 'r2n1', 'r2n2']
    """
    return list(names(text, field=field, most=most))


def names(text: str, *, field: str = "hostlist", most: int = MOST) -> Iterator[str]:
    """Iterate over the names of `unfold`; errors are raised before the first name."""
    items: list[list[str | list[_Range]]] = []
    count = 0
    for item in _items(text, field):
        parts = _PARTS.split(item, MOST_BRACKETS + 1)
        if len(parts) > 2 * MOST_BRACKETS + 1:
            raise InputError(
                f"must have at most {MOST_BRACKETS} brackets in a name", field, item
            )
        if sum(map(len, parts[::2])) > LONGEST:
            raise InputError(
                f"must have names of at most {LONGEST} characters", field, item
            )
        pieces: list[str | list[_Range]] = [
            _ranges(part, field, most) if i % 2 else part
            for i, part in enumerate(parts)
        ]
        count += prod(_count(piece) for piece in pieces if isinstance(piece, list))
        if count > most:
            raise _too_many(field, most)
        items.append(pieces)
    if not items:
        raise InputError("is empty", field, text)
    return (name for pieces in items for name in _combinations(pieces))


def fold(names: Iterable[str]) -> str:
    """Return a hostlist of names, with the numbers of a prefix in one bracket.

    Prefixes keep the order of their first occurrence; the numbers of each are sorted.

    >>> fold(["n08", "n09", "n10", "n3", "login"])
    'n[3,08-10],login'
    >>> fold(["n1.2", "n1.1"])
    'n1.[1-2]'
    """
    grouped: dict[str, list[str]] = {}
    for name in names:
        end = max(len(name.rstrip("0123456789")), len(name) - _DIGITS)
        grouped.setdefault(name[:end], []).append(name[end:])
    return ",".join(
        piece for prefix, numbers in grouped.items() for piece in _fold(prefix, numbers)
    )


def fold_in_order(names: Iterable[str]) -> str:
    """Return a hostlist that unfolds to names in their order.

    >>> fold_in_order(["n1", "n3", "n4", "n2", "m2", "m3"])
    'n[1,3-4],n2,m[2-3]'
    """
    runs: list[list[str]] = []
    last = ("", -1)
    for name in names:
        prefix = name.rstrip("0123456789")
        number = int(name[len(prefix) :][-_DIGITS:] or -1)
        if last[0] != prefix or number <= last[1] or not runs:
            runs.append([])
        runs[-1].append(name)
        last = prefix, number
    return ",".join(map(fold, runs))


def first_repeated(names: Iterable[str]) -> str:
    """Return the first name that repeats an earlier one, or an empty text."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return ""


def _items(text: str, field: str) -> Iterator[str]:
    """Split the list at commas and white space outside brackets."""
    at = _end(_SEPARATORS, text, 0)
    while at < len(text):
        item = _ITEM.match(text, at)
        if item is None:
            raise InputError("brackets do not match", field, text)
        yield item.group()
        at = _end(_SEPARATORS, text, item.end())


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


def _ranges(part: str, field: str, most: int) -> list[_Range]:
    """Parse the ranges of a bracket, at most `most` numbers."""
    found: list[_Range] = []
    count = 0
    for match in _PIECE.finditer(part):
        piece = match.group(1)
        numbers = _RANGE.fullmatch(piece.strip())
        if numbers is None:
            raise InputError("must be numbers and ranges such as 01-12", field, part)
        first, last = numbers.group(1), numbers.group(2) or numbers.group(1)
        low, high = int(first), int(last)
        if low > high:
            raise InputError("is a descending range", field, piece)
        count += high - low + 1
        if count > most:
            raise _too_many(field, most)
        found.append((len(first), range(low, high + 1)))
    return found


def _too_many(field: str, most: int) -> InputError:
    return InputError(f"has more than {most} names", field)


def _count(ranges: list[_Range]) -> int:
    return sum(len(numbers) for _, numbers in ranges)


def _combinations(pieces: Sequence[str | list[_Range]]) -> Iterator[str]:
    """Return the names of one item, its last bracket varying fastest."""
    choices = (
        [piece]
        if isinstance(piece, str)
        else [str(i).zfill(width) for width, numbers in piece for i in numbers]
        for piece in pieces
    )
    return map("".join, product(*choices))


def _fold(prefix: str, numbers: list[str]) -> Iterator[str]:
    """Fold the numbers of one prefix; runs of equal width become ranges."""
    yield from [prefix] * numbers.count("")
    digits = sorted((n for n in numbers if n), key=lambda n: (len(n), n))
    if len(digits) == 1:
        yield prefix + digits[0]
    elif digits:
        yield f"{prefix}[{','.join(_runs(digits))}]"


def _runs(digits: list[str]) -> Iterator[str]:
    """Write sorted numbers as ranges that unfold to the same numbers."""
    first = last = ""
    value = 0
    for number in digits:
        after, value = value + 1, int(number)
        if first and value == after and len(number) == max(len(first), len(str(value))):
            last = number
            continue
        if first:
            yield first if first == last else f"{first}-{last}"
        first = last = number
    yield first if first == last else f"{first}-{last}"
