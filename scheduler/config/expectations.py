"""Descriptions of what the parser expected, for error messages."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from importlib.resources import files

from .source import Word

_PARTS = {
    "_QUEUES": "queues",
    "_SLOTS": "slots",
    "_GROUPS": "groups",
    "_COSTS": "costs",
    "_CONSTRAINTS": "constraints",
    "_OPTIONS": "options",
}

_OPERANDS = frozenset(
    ("INT", "DECIMAL", "COST", "TRUE", "FALSE", "MINCOST", "CEIL", "FLOOR")
) | {"LSQB", "_LPAR", "MINUS"}
_COMPARISONS = frozenset(["LEX", "LE", "LT", "GE", "GT", "NE", "_EQUAL"])
_OPERATORS = frozenset(["_PLUS", "MINUS", "_TIMES", "OVER"])

GRAMMAR = files(__package__).joinpath("grammar.lark").read_text(encoding="utf-8")
_NAMED = {
    "NAME": "a name",
    "PROCESSOR": "a processor",
    "INT": "an integer",
    "DECIMAL": "a decimal",
    "_RANGE": '".."',
    **{terminal: f'"{part}:"' for terminal, part in _PARTS.items()},
}
_TERMINAL = re.compile(r'^(\w+)[.\d]*: (?:"(.+)"|/([\w-]*))', re.MULTILINE)
WORDS = {
    name: _NAMED.get(name, f'"{text or word}"')
    for name, text, word in _TERMINAL.findall(GRAMMAR.partition("COMMENT:")[0])
} | {"$END": "the end of the file"}
"""Every terminal of the grammar, in its order, in which messages list them."""

_LONGEST = 30


def expectation(
    accepted: Collection[str], open_terminals: Sequence[str], before: str
) -> str:
    """Describe the terminals that the grammar allows at a position.

    ``open_terminals`` were read so far in constructs that are not complete; ``before``
    is the terminal just before.

    >>> expectation({"_COMMA", "_RSQB"}, ["_COSTS", "LSQB"], "INT")
    '"," or "]"'
    """
    left = set(accepted)
    found = []
    if left >= _OPERANDS:
        left -= _OPERANDS | {"PES", "NOT"}
        found.append("a value")
    if left >= _COMPARISONS:
        left -= _COMPARISONS
        found.append("a comparison")
    if left >= _OPERATORS:
        left -= _OPERATORS
        found.append("an operator")
    if "NAME" in left:
        left -= {"NAME", "PROCESSOR"}
        found.append(_describe_name(open_terminals, before))
    found += [word for terminal, word in WORDS.items() if terminal in left]
    return " or ".join(filter(None, (", ".join(found[:-1]), found[-1])))


def _describe_name(open_terminals: Sequence[str], before: str) -> str:
    part = next((t for t in reversed(open_terminals) if t in _PARTS), "")
    match _PARTS.get(part), before:
        case ("slots", "LSQB" | "_RANGE"):
            return "the name of a host"
        case ("groups", _) if "_LBRACE" in open_terminals:
            return "a host or processor"
        case ("groups", _):
            return "the name of a group"
        case ("costs", "_AT"):
            return "the name of a group"
    return "the name of a queue"


def quote(text: str) -> str:
    r"""Quote text from a file, abbreviated and without control characters.

    >>> print(quote("}"), quote("n" * 40), quote(chr(27)))
    "}" "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnn..." '\x1b'
    """
    if not text.isprintable():
        return repr(text[:_LONGEST])
    return f'"{text[:_LONGEST]}{"..." if len(text) > _LONGEST else ""}"'


def abbreviate(word: Word) -> str:
    """Return the text of a word, abbreviated to 60 characters."""
    return word.text if len(word.text) <= 60 else f"{word.text[:57]}..."
