"""Numbers in text, with nouns that agree with them."""

from __future__ import annotations


def with_noun(number: int, what: str) -> str:
    """Return a number with its noun, which is given for one.

    >>> with_noun(1, "switch"), with_noun(2, "leaf switch"), with_noun(0, "node")
    ('1 switch', '2 leaf switches', '0 nodes')
    >>> with_noun(2, "branch"), with_noun(2, "entry"), with_noun(3, "box")
    ('2 branches', '2 entries', '3 boxes')
    >>> with_noun(2, "way")
    '2 ways'
    """
    return f"{number} {what if number == 1 else _plural(what)}"


def _plural(noun: str) -> str:
    if noun.endswith(("ch", "x", "s")):
        return f"{noun}es"
    if noun.endswith("y") and noun[-2] not in "aeou":
        return f"{noun[:-1]}ies"
    return f"{noun}s"
