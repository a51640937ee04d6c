"""Numbers in text, with nouns that agree with them."""

from __future__ import annotations


def counted(number: int, what: str) -> str:
    """Return a number with its noun, which is given for one.

    >>> counted(1, "switch"), counted(2, "leaf switch"), counted(0, "node")
    ('1 switch', '2 leaf switches', '0 nodes')
    >>> counted(2, "branch"), counted(2, "entry"), counted(3, "box"), counted(2, "way")
    ('2 branches', '2 entries', '3 boxes', '2 ways')
    """
    return f"{number} {what if number == 1 else _plural(what)}"


def _plural(noun: str) -> str:
    if noun.endswith(("ch", "x", "s")):
        return f"{noun}es"
    if noun.endswith("y") and noun[-2] not in "aeou":
        return f"{noun[:-1]}ies"
    return f"{noun}s"
