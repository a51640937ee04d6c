"""Hostlists as schedulers write them: ``n[01-12,15],login1,r[1-2]n[1-3]``.

Unfolding and folding, the notation of Slurm. Written out because what stands on a
command line must be refused precisely: a name listed twice, a range of a billion.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from math import prod

from ..instances.errors import InputError

MOST = 2**22
"""Names that one list may unfold to, unless told otherwise."""
LONGEST = 512
"""Characters of a name, its brackets apart."""
MOST_BRACKETS = 8
"""Brackets in one name."""
_ITEM = re.compile(r"(?:[^\s,\[\]]++|\[[^\[\]]*+\])++")
_BETWEEN = re.compile(r"[\s,]*+")
_PARTS = re.compile(r"(\[[^\]]*\])")
_PIECE = re.compile(r"[\[,]([^,\]]*+)")
_RANGE = re.compile(r"(\d{1,18})(?:-(\d{1,18}))?", re.ASCII)

_Range = tuple[int, range]
"""Numbers and the width that they are written in."""


def unfold(text: str, *, field: str = "hostlist", most: int = MOST) -> list[str]:
    """Return the names that a hostlist stands for, in its order.

    Items are parted by commas or white space. Numbers keep the width of the first of
    their range. Several brackets in one name go through all combinations, the last
    one fastest.

    Parameters
    ----------
    text
        The list.
    field
        What a complaint calls it.
    most
        How many names it may stand for.

    Raises
    ------
    InputError
        For brackets that do not pair, ranges that run backwards, nothing at all, more
        than `most` names, a name longer than `LONGEST` or with more than
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
    """Do what `unfold` does, one name at a time.

    All that can be wrong is found, and the names are counted, before the first is
    written.
    """
    items: list[list[str | list[_Range]]] = []
    count = 0
    for item in _items(text, field):
        parts = _PARTS.split(item, MOST_BRACKETS + 1)
        if len(parts) > 2 * MOST_BRACKETS + 1:
            raise InputError(
                f"must have at most {MOST_BRACKETS} brackets in a name",
                field=field,
                value=item,
            )
        if sum(map(len, parts[::2])) > LONGEST:
            raise InputError(
                f"must have names of at most {LONGEST} characters",
                field=field,
                value=item,
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
        raise InputError("names nothing", field=field, value=text)
    return (name for pieces in items for name in _written(pieces))


def fold(names: Iterable[str]) -> str:
    """Return a hostlist for names, numbers of one prefix put together.

    Names keep their order as far as prefixes differ; within a prefix they are sorted.

    >>> fold(["n08", "n09", "n10", "n3", "login"])
    'n[3,08-10],login'
    >>> fold(["n1.2", "n1.1"])
    'n1.[1-2]'
    """
    grouped: dict[str, list[str]] = {}
    for name in names:
        digits = re.search(r"\d{1,18}$", name, re.ASCII)
        prefix = name[: digits.start()] if digits else name
        grouped.setdefault(prefix, []).append(digits.group() if digits else "")
    return ",".join(
        piece
        for prefix, numbers in grouped.items()
        for piece in _folded(prefix, numbers)
    )


def _items(text: str, field: str) -> Iterator[str]:
    """Part the list at commas and white space that stand in no bracket."""
    at = _end(_BETWEEN, text, 0)
    while at < len(text):
        item = _ITEM.match(text, at)
        if item is None:
            raise InputError("brackets do not pair", field=field, value=text)
        yield item.group()
        at = _end(_BETWEEN, text, item.end())


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


def _ranges(part: str, field: str, most: int) -> list[_Range]:
    """Return what a bracket stands for, no more than `most` numbers."""
    found: list[_Range] = []
    count = 0
    for match in _PIECE.finditer(part):
        piece = match.group(1)
        numbers = _RANGE.fullmatch(piece.strip())
        if numbers is None:
            raise InputError(
                "must be numbers and ranges such as 01-12", field=field, value=part
            )
        first, last = numbers.group(1), numbers.group(2) or numbers.group(1)
        low, high = int(first), int(last)
        if low > high:
            raise InputError("runs backwards", field=field, value=piece)
        count += high - low + 1
        if count > most:
            raise _too_many(field, most)
        found.append((len(first), range(low, high + 1)))
    return found


def _too_many(field: str, most: int) -> InputError:
    return InputError(f"stands for more than {most} names", field=field)


def _count(ranges: list[_Range]) -> int:
    return sum(len(numbers) for _, numbers in ranges)


def _written(pieces: Sequence[str | list[_Range]]) -> Iterator[str]:
    """Write the names of one item, its last bracket fastest."""
    if not pieces:
        yield ""
        return
    first, rest = pieces[0], pieces[1:]
    if isinstance(first, str):
        yield from (first + name for name in _written(rest))
        return
    for width, numbers in first:
        for i in numbers:
            written = str(i).zfill(width)
            yield from (written + name for name in _written(rest))


def _folded(prefix: str, numbers: list[str]) -> Iterator[str]:
    """Write the names of one prefix, runs of one width as ranges."""
    yield from [prefix] * numbers.count("")
    digits = sorted((n for n in numbers if n), key=lambda n: (len(n), n))
    if len(digits) == 1:
        yield prefix + digits[0]
    elif digits:
        yield f"{prefix}[{','.join(_runs(digits))}]"


def _runs(digits: list[str]) -> Iterator[str]:
    """Write sorted numbers as ranges that unfold to just these."""
    run: list[str] = []
    for number in [*digits, ""]:
        follows = bool(run and number) and number == str(int(run[-1]) + 1).zfill(
            len(run[0])
        )
        if run and not follows:
            yield run[0] if len(run) == 1 else f"{run[0]}-{run[-1]}"
            run = []
        run.append(number)
