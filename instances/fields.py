"""Reading the fields of JSON objects, with one-line errors, and writing them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from decimal import Decimal
from typing import Any, Protocol, TypedDict

from .errors import InputError
from .visible import visible

_UNFIT = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Control characters, surrogates, and line or paragraph separators."""


def objects(value: Any, field: str) -> dict[str, Any]:
    """Return a value that must be a JSON object."""
    if not isinstance(value, dict):
        raise InputError("must be an object", field, value)
    return value


def lists(value: Any, field: str) -> list[Any]:
    """Return a value that must be a JSON array."""
    if not isinstance(value, list):
        raise InputError("must be a list", field, value)
    return value


def integer(value: Any, field: str) -> int:
    """Return a value that must be a JSON integer; ``true`` and ``3.0`` are refused."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError("must be an integer", field, value)
    return value


def number(value: Any, field: str) -> int | Decimal:
    """Return a value that must be a JSON number; ``true`` is refused."""
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise InputError("must be a number", field, value)
    return value


def string(value: Any, field: str) -> str:
    """Return a value that must be a JSON string without control characters."""
    if not isinstance(value, str):
        raise InputError("must be a string", field, value)
    if not value.isprintable() and _UNFIT.search(value):  # isprintable is fast
        raise InputError(
            "must be text on one line, without control characters", field, value
        )
    return value


def integers(value: Any, field: str) -> tuple[int, ...]:
    """Return a JSON array of integers."""
    items = lists(value, field)
    return tuple(integer(item, f"{field}[{i}]") for i, item in enumerate(items))


def rows(value: Any, field: str) -> list[tuple[int, ...]]:
    """Return a JSON array of arrays of integers."""
    items = lists(value, field)
    return [integers(row, f"{field}[{i}]") for i, row in enumerate(items)]


def strings(value: Any, field: str) -> tuple[str, ...]:
    """Return a JSON array of strings."""
    items = lists(value, field)
    return tuple(string(item, f"{field}[{i}]") for i, item in enumerate(items))


def optional_cost(value: Any, field: str) -> int | tuple[int, ...] | None:
    """Return a cost: an integer, a tuple of integers, or None if there is none."""
    if value is None:
        return None
    return integers(value, field) if isinstance(value, list) else integer(value, field)


def only(
    value: dict[str, Any], known: Collection[str], needed: Collection[str], where: str
) -> None:
    """Refuse unknown fields and missing required ones."""
    prefix = f"{where}." if where else ""
    for name in value:
        if name not in known:
            raise InputError(
                f"unknown field (known: {', '.join(known)})", f"{prefix}{name}"
            )
    for name in needed:
        if name not in value:
            raise InputError("is missing", f"{prefix}{name}")


def headed(value: Any, form: str) -> dict[str, Any]:
    """Return the object of a file, after checking its format and version."""
    document = objects(value, "document")
    only(document, document, ("format", "version"), "")
    if document["format"] != form:
        raise InputError(f"must be {form!r}", "format", document["format"])
    if integer(document["version"], "version") != 1:
        raise InputError("must be 1", "version", document["version"])
    return document


class Named(Protocol):
    """An instance of any problem: name and origin."""

    @property
    def name(self) -> str:
        """Unique among the instances of a report."""

    @property
    def source(self) -> str:
        """Description of its origin; may be empty."""

    @property
    def seed(self) -> int | None:
        """Seed of its generator; None if it was not generated."""


class Origin(TypedDict):
    """Name and origin as keyword arguments."""

    name: str
    source: str
    seed: int | None


def origin(document: Mapping[str, Any], default_name: str) -> Origin:
    """Return the name, source and seed in a file, without hidden characters."""
    name = string(document.get("name", default_name), "name")
    if not name:
        raise InputError("must not be empty", "name")
    seed = document.get("seed")
    return Origin(
        name=visible(name),
        source=visible(string(document.get("source", ""), "source")),
        seed=None if seed is None else integer(seed, "seed"),
    )


def document(form: str, named: Named, definition: Mapping[str, Any]) -> dict[str, Any]:
    """Return the object of a file; source and seed are omitted if there are none."""
    return {
        "format": form,
        "version": 1,
        "name": named.name,
        **definition,
        **({"source": named.source} if named.source else {}),
        **({} if named.seed is None else {"seed": named.seed}),
    }
