"""Hostlists as schedulers write them: ``n[01-12,15],login1,r[1-2]n[1-3]``.

Unfolding and folding, the notation of Slurm. Written out because what stands on a
command line must be refused precisely: a name listed twice, a range of a billion.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import product
from math import prod

from .errors import InputError

MOST = 2**22
"""Names that one list may unfold to."""
_RANGE = re.compile(r"(\d{1,18})(?:-(\d{1,18}))?", re.ASCII)
_PLAIN = re.compile(r"[^\s,\[\]]+")


def unfold(text: str, *, field: str = "hostlist") -> list[str]:
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

    Raises
    ------
    InputError
        For brackets that do not pair, ranges that run backwards, nothing at all, or
        more than `MOST` names.

    Examples
    --------
    >>> unfold("n[08-10,3],login")
    ['n08', 'n09', 'n10', 'n3', 'login']
    >>> unfold("r[1-2]n[1-2]")
    ['r1n1', 'r1n2', 'r2n1', 'r2n2']
    """
    names: list[str] = []
    for item in _items(text, field):
        pieces = [_choices(part, field) for part in re.split(r"(\[[^\]]*\])", item)]
        if prod(map(len, pieces)) + len(names) > MOST:
            raise InputError(f"stands for more than {MOST} names", field=field)
        names += map("".join, product(*pieces))
    if not names:
        raise InputError("names nothing", field=field, value=text)
    return names


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
    item = ""
    inside = False
    for character in text + ",":
        if character in "[]":
            if inside == (character == "["):
                raise InputError("brackets do not pair", field=field, value=text)
            inside = not inside
        if not inside and (character == "," or character.isspace()):
            if item:
                yield item
            item = ""
        else:
            item += character
    if inside:
        raise InputError("brackets do not pair", field=field, value=text)


def _choices(part: str, field: str) -> list[str]:
    """Return what may stand in one part of a name."""
    if not part.startswith("["):
        return [part]
    found: list[str] = []
    for piece in part[1:-1].split(","):
        numbers = _RANGE.fullmatch(piece.strip())
        if numbers is None:
            raise InputError(
                "must be numbers and ranges such as 01-12", field=field, value=part
            )
        first, last = numbers.group(1), numbers.group(2) or numbers.group(1)
        low, high = int(first), int(last)
        if low > high:
            raise InputError("runs backwards", field=field, value=piece)
        if high - low >= MOST:
            raise InputError(f"stands for more than {MOST} names", field=field)
        found += [str(i).zfill(len(first)) for i in range(low, high + 1)]
    return found


def _folded(prefix: str, numbers: list[str]) -> Iterator[str]:
    """Write the names of one prefix, runs of one width as ranges."""
    if "" in numbers:
        yield prefix
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
