"""Look-up of names in tables, with suggestions for unknown ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from itertools import islice
from typing import TypeVar

from ..errors import InputError

Entry = TypeVar("Entry")
_SHOWN = 20
"""Maximal number of names in a hint."""


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return the most similar known name, ignoring case; "" if none is similar.

    >>> suggestion("MM-Incc", ["mm", "mm-inc", "random"]), suggestion("x", ["mm"])
    ('mm-inc', '')
    """
    by_lower: dict[str, str] = {}
    for one in known:
        by_lower.setdefault(one.lower(), one)
    close = get_close_matches(name.lower(), by_lower, n=1)
    return by_lower[close[0]] if close else ""


def hint(name: str, known: Iterable[str]) -> str:
    """Return a hint for an unknown name.

    >>> hint("mm-incc", ["mm", "mm-inc"]), hint("x", ["mm", "mm-inc"])
    ('did you mean mm-inc?', 'known: mm, mm-inc')
    """
    names = list(known)
    if close := suggestion(name, names):
        return f"did you mean {close}?"
    more = ["..."] * (len(names) > _SHOWN)
    return f"known: {', '.join([*islice(names, _SHOWN), *more])}"


def entry_named(name: str, table: Mapping[str, Entry], field: str, what: str) -> Entry:
    """Return the entry of a table.

    Raises
    ------
    InputError
        If there is no entry of this name; includes a suggestion.
    """
    if name in table:
        return table[name]
    raise InputError(f"no such {what} ({hint(name, table)})", field, name)
