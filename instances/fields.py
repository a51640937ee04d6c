"""Reading the fields of a JSON object, one complaint a line."""

from __future__ import annotations

from collections.abc import Collection
from decimal import Decimal
from typing import Any
from unicodedata import category

from .errors import InputError


def objects(value: Any, field: str) -> dict[str, Any]:
    """Return a JSON object as it is."""
    if not isinstance(value, dict):
        raise InputError("must be an object", field=field, value=value)
    return value


def lists(value: Any, field: str) -> list[Any]:
    """Return a JSON array as it is."""
    if not isinstance(value, list):
        raise InputError("must be a list", field=field, value=value)
    return value


def integer(value: Any, field: str) -> int:
    """Return a JSON integer; ``true`` and ``3.0`` are none."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError("must be an integer", field=field, value=value)
    return value


def number(value: Any, field: str) -> int | Decimal:
    """Return a JSON number, decimals exact; ``true`` is none."""
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise InputError("must be a number", field=field, value=value)
    return value


def string(value: Any, field: str) -> str:
    """Return a JSON string; one that cannot stand on a line of text is refused."""
    if not isinstance(value, str):
        raise InputError("must be a string", field=field, value=value)
    if any(category(character) in ("Cc", "Cs", "Zl", "Zp") for character in value):
        raise InputError(
            "must be text on one line, without control characters",
            field=field,
            value=value,
        )
    return value


def integers(value: Any, field: str) -> tuple[int, ...]:
    """Return a JSON array of integers."""
    items = lists(value, field)
    return tuple(integer(item, f"{field}[{i}]") for i, item in enumerate(items))


def optional_cost(value: Any, field: str) -> int | tuple[int, ...] | None:
    """Return a cost: an integer, a tuple of integers, or None if there is none."""
    if value is None:
        return None
    return integers(value, field) if isinstance(value, list) else integer(value, field)


def only(
    value: dict[str, Any], known: Collection[str], needed: Collection[str], where: str
) -> None:
    """Refuse fields that are not known, and the absence of those that are needed."""
    prefix = f"{where}." if where else ""
    for name in value:
        if name not in known:
            raise InputError(
                f"unknown field (known: {', '.join(known)})", field=f"{prefix}{name}"
            )
    for name in needed:
        if name not in value:
            raise InputError("is missing", field=f"{prefix}{name}")


def headed(value: Any, form: str) -> dict[str, Any]:
    """Return the object of a file after a look at its format and version."""
    document = objects(value, "document")
    only(document, document, ("format", "version"), "")
    if document["format"] != form:
        raise InputError(f"must be {form!r}", field="format", value=document["format"])
    if integer(document["version"], "version") != 1:
        raise InputError("must be 1", field="version", value=document["version"])
    return document
