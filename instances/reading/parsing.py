"""Strict and bounded parsing of JSON.

Repeated keys, NaN, too many values and too deep nesting are refused; decimals stay
exact. docs/internals/formats.md states the limits.
"""

from __future__ import annotations

import json
import re
import sys
from decimal import Decimal, InvalidOperation
from itertools import accumulate
from pathlib import Path
from typing import Any

from ..errors import InputError

MOST_VALUES = 2**21
"""Maximal number of values (numbers, strings, lists, objects) of a JSON document."""
MOST_DEPTH = 64
"""Maximal nesting depth of a JSON document."""
_OBJECT = re.compile(r'^[ \t]*\{[ \t]*(?:"|\r?$)', re.MULTILINE)
"""How a line looks that begins an object; YAML may have such lines, too."""
_STRING = r'"(?:[^"\\]++|\\.)*+"?'
"""A string, or one that never ends, up to the end: nothing is looked at twice."""


def parse_json(text: str, *, file: str | Path = "") -> Any:
    """Parse JSON; decimals become `Decimal`, so that no digit is lost.

    Raises InputError if the text is malformed, contains a repeated key, NaN or
    infinity, or exceeds the limits on values and depth.
    """
    # Every value but the first follows one of these; strings may add to the count.
    if sum(map(text.count, ",[{:")) >= MOST_VALUES:
        raise InputError(f"has more than {MOST_VALUES} values", file=file)
    if _depth(text) > MOST_DEPTH:
        raise InputError("not usable JSON: nested too deeply", file=file)
    try:
        return json.loads(text, **strict(file, text))
    except json.JSONDecodeError as error:
        refuse_text_before_json(text, file=file)
        raise InputError(
            f"not JSON: {error.msg} (line {error.lineno}, column {error.colno})",
            file=file,
        ) from None
    except InputError:
        raise
    except ValueError:
        most = sys.get_int_max_str_digits()
        problem = f"not usable JSON: an integer has more than {most} digits"
        raise InputError(problem, file=file) from None


def refuse_text_before_json(text: str, *, file: str | Path = "") -> None:
    """Raise InputError for text before a JSON object, such as the warning of a command.

    The object may be cut off. Nothing is raised for a text that begins with a bracket
    or has no line that begins an object.
    """
    if text.lstrip()[:1] not in ("", "{", "[") and _OBJECT.search(text):
        first = text.lstrip().partition("\n")[0]
        problem = "has text before the JSON, in its first line"
        raise InputError(problem, value=first, file=file)


def strict(file: str | Path = "", text: str = "") -> dict[str, Any]:
    """Return what makes ``json`` refuse repeated keys and NaN, and keep all digits.

    Where the text is given, NaN is reported with its line.
    """

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            seen: set[str] = set()
            for key, _ in pairs:
                if key in seen:
                    raise InputError("given twice", key, file=file)
                seen.add(key)
        return found

    def refuse(constant: str) -> Any:
        problem = f"{constant} is not a number that can be used"
        for found in re.finditer(_STRING + "|-?Infinity|NaN", text, re.S):
            if found.group() == constant:
                line = text.count("\n", 0, found.start()) + 1
                problem += f" (line {line})"
                break
        raise InputError(problem, file=file)

    def decimal(digits: str) -> Decimal:
        try:
            return Decimal(digits)
        except InvalidOperation:
            raise InputError(
                "not a number that can be used", value=digits, file=file
            ) from None

    return {
        "parse_float": decimal,
        "parse_constant": refuse,
        "object_pairs_hook": unique,
    }


def _depth(text: str) -> int:
    """Return the nesting depth of brackets outside strings."""
    if text.count("[") + text.count("{") <= MOST_DEPTH:
        return 0
    brackets = re.sub(_STRING + r'|[^][{}"]+', "", text, flags=re.S)
    steps = (1 if one in "[{" else -1 for one in brackets)
    return max(accumulate(steps), default=0)
