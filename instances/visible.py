"""Text of others, made fit to be shown: what hides or turns text is written out."""

from __future__ import annotations

import re

# Controls, separators of lines, lone surrogates, marks that turn the direction of
# writing, and characters without width.
_HIDDEN = (
    r"\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069"
    r"\ud800-\udfff\ufeff"
)
_ANY = re.compile(f"[{_HIDDEN}]")
_ANY_BUT_LINES = re.compile(f"(?!\n)[{_HIDDEN}]")
_BRIEF = 180
"""Characters of what stands for an object, at most."""
_WRITTEN = re.compile(r"\\u([0-9a-f]{4})")
_EITHER = re.compile(r"\\\\|\\u([0-9a-f]{4})")


def visible(text: str, *, lines: bool = False) -> str:
    r"""Write control characters, and those that turn text around, as ``\u202e``.

    Parameters
    ----------
    text
        From a file, a path, a name.
    lines
        Whether it may have several lines: newlines are kept.

    Examples
    --------
    >>> visible("a" + chr(0x202E) + "b"), visible("Zürich-7")
    ('a\\u202eb', 'Zürich-7')
    """
    pattern = _ANY_BUT_LINES if lines else _ANY
    return pattern.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def brief(kind: str, text: str, name: str = "") -> str:
    """Write what stands for an object in a debugger or a notebook, on one short line.

    >>> brief("KSubset", "2×2 mesh", "job-17"), len(brief("Tree", "x" * 900))
    ("<KSubset 'job-17': 2×2 mesh>", 180)
    """
    head = f"<{kind} {visible(name)[:60]!r}: " if name else f"<{kind} "
    shown = visible(text)
    room = _BRIEF - len(head) - 1
    return f"{head}{shown if len(shown) <= room else f'{shown[: room - 1]}…'}>"


def spelled(text: str) -> str:
    """Do the same so that `unspelled` gives the text back, whatever it is."""
    if not (_ANY.search(text) or _WRITTEN.search(text)):
        return text
    return visible(text.replace("\\", "\\\\"))


def unspelled(text: str) -> str:
    """Return the text of which `spelled` made this."""
    if not _WRITTEN.search(text):
        return text
    return _EITHER.sub(lambda f: chr(int(f[1], 16)) if f[1] else "\\", text)
