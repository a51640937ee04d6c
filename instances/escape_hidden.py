"""Safe display of untrusted text: hidden and direction-changing characters escaped."""

from __future__ import annotations

import re

# Control characters, line separators, lone surrogates, marks that change the writing
# direction, and characters without width.
_HIDDEN = (
    r"\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069"
    r"\ud800-\udfff\ufeff"
)
_ANY = re.compile(f"[{_HIDDEN}]")
_ANY_BUT_LINES = re.compile(f"(?!\n)[{_HIDDEN}]")
_BRIEF = 180
"""Maximal length of an object's representation."""


def escape_hidden(text: str, *, lines: bool = False) -> str:
    r"""Escape control characters and direction marks in the form ``\u202e``.

    Newlines are kept if ``lines``.

    Examples
    --------
    >>> escape_hidden("a" + chr(0x202E) + "b"), escape_hidden("Zürich-7")
    ('a\\u202eb', 'Zürich-7')
    """
    pattern = _ANY_BUT_LINES if lines else _ANY
    return pattern.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def brief(kind: str, text: str, name: str = "") -> str:
    """Return the representation of an object, on one short line.

    >>> brief("KSubset", "2×2 mesh", "job-17"), len(brief("Tree", "x" * 900))
    ("<KSubset 'job-17': 2×2 mesh>", 180)
    """
    head = f"<{kind} {escape_hidden(name)[:60]!r}: " if name else f"<{kind} "
    shown = escape_hidden(text)
    room = _BRIEF - len(head) - 1
    return f"{head}{shown if len(shown) <= room else f'{shown[: room - 1]}…'}>"
