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
