"""Reading the fields of JSON objects, with one-line errors, and writing them.

A *shape* decodes a value of parsed JSON into a typed one, or raises InputError with the
field and the value: `integer` is one, and `record`, `row`, `many` make one of others.
What a checker follows is decoded so once, before anything looks at it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import (
    Callable,
    Collection,
    Hashable,
    Iterable,
    Mapping,
    Sequence,
)
from decimal import Decimal
from typing import Any, TypeVar

from ..errors import InputError
from ..escape_hidden import escape_hidden
from . import numbers

T = TypeVar("T")
H = TypeVar("H", bound=Hashable)
N = TypeVar("N", int, int | Decimal)
_UNFIT = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Control characters, surrogates, and line or paragraph separators."""
Shape = Callable[[Any, str], T]
"""Takes a value and the name of its field."""


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
    if type(value) is not int:
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
    if set(map(type, items)) <= {int}:  # of which bool is none
        return tuple(items)
    return tuple(integer(item, f"{field}[{i}]") for i, item in enumerate(items))


def many(shape: Shape[T]) -> Shape[tuple[T, ...]]:
    """Return the shape of a JSON array of any number of values of one shape."""

    def decode(value: Any, field: str) -> tuple[T, ...]:
        items = lists(value, field)
        return tuple(shape(item, f"{field}[{i}]") for i, item in enumerate(items))

    return decode


rows = many(integers)
"""A JSON array of arrays of integers."""
strings = many(string)
"""A JSON array of strings."""


def row(*shapes: Shape[Any]) -> Shape[tuple[Any, ...]]:
    """Return the shape of a JSON array with exactly one value of each given shape."""

    def decode(value: Any, field: str) -> tuple[Any, ...]:
        items = lists(value, field)
        if len(items) != len(shapes):
            raise InputError(f"must be a list of {len(shapes)}", field, value)
        each = enumerate(zip(shapes, items, strict=True))
        return tuple(shape(item, f"{field}[{i}]") for i, (shape, item) in each)

    return decode


def exactly(count: int, low: int, high: int) -> Shape[tuple[int, ...]]:
    """Return the shape of a list of so many integers in a range; as `row`, but fast.

    >>> exactly(2, 0, 7)([5, 8], "counts")
    Traceback (most recent call last):
    closeknit.instances.errors.InputError: counts[1]: must lie between 0 and 7, not 8
    """

    def decode(value: Any, field: str) -> tuple[int, ...]:
        found = integers(value, field)
        if len(found) == count and _fit(found, low, high):
            return found
        return row(*[between(low, high)] * count)(value, field)

    return decode


def index(count: int, what: str) -> Shape[int]:
    """Return the shape of an integer from 0 to ``count`` - 1, the number of ``what``.

    >>> index(3, "cut")(2, "cut")
    2
    >>> index(3, "cut")(-1, "cut")
    Traceback (most recent call last):
    closeknit.instances.errors.InputError: cut: no such cut: -1
    """

    def decode(value: Any, field: str) -> int:
        if not 0 <= integer(value, field) < count:
            raise InputError(f"no such {what}", field, value)
        return int(value)

    return decode


def between(low: int, high: int, shape: Shape[N] = integer) -> Shape[N]:
    """Return the shape of a number in a range, both ends included."""

    def decode(value: Any, field: str) -> N:
        found = shape(value, field)
        numbers.between(found, low, high, field)
        return found

    return decode


seconds = between(0, 10**9, number)
"""A time in seconds."""


def within(count: int, what: str) -> Shape[tuple[int, ...]]:
    """Return the shape of a list of such integers; as `many` of `index`, but fast."""
    slowly = many(index(count, what))

    def decode(value: Any, field: str) -> tuple[int, ...]:
        items = lists(value, field)
        return tuple(items) if _fit(items, 0, count - 1) else slowly(items, field)

    return decode


def columns(*counts: tuple[int, str]) -> Shape[tuple[tuple[int, ...], ...]]:
    """Return the shape of rows of such integers, decoded to columns.

    As `many` of `row` of `index`, but fast.

    >>> columns((3, "cut"), (9, "count"))([[0, 8], [2, 7]], "rows")
    ((0, 2), (8, 7))
    """
    slowly = many(row(*(index(*one) for one in counts)))
    width = len(counts)

    def decode(value: Any, field: str) -> tuple[tuple[int, ...], ...]:
        rows = lists(value, field)
        if not rows:
            return ((),) * width
        if set(map(type, rows)) == {list} and set(map(len, rows)) == {width}:
            found = tuple(zip(*rows, strict=True))
            if all(_fit(one, 0, counts[i][0] - 1) for i, one in enumerate(found)):
                return found
        return tuple(zip(*slowly(rows, field), strict=True))

    return decode


def _fit(numbers: Sequence[Any], low: int, high: int) -> bool:
    """Whether all are integers in a range; of these, bool is none."""
    if not set(map(type, numbers)) <= {int}:
        return False
    return not numbers or low <= min(numbers) <= max(numbers) <= high


def indices(count: int, what: str) -> Shape[tuple[int, ...]]:
    """Return the shape of a list of such integers, all of them different.

    >>> indices(3, "cut")([2, 0], "cuts")
    (2, 0)
    >>> indices(3, "cut")([2, 0, 2], "cuts")
    Traceback (most recent call last):
    closeknit.instances.errors.InputError: cuts[2]: given twice: 2
    """
    each = within(count, what)

    def decode(value: Any, field: str) -> tuple[int, ...]:
        return distinct(each(value, field), field)

    return decode


def distinct(found: tuple[H, ...], field: str) -> tuple[H, ...]:
    """Refuse values that are given twice."""
    if len(set(found)) < len(found):
        refuse_others(found, set(found), field, unless="", twice="given twice")
    return found


def refuse_others(
    listed: Sequence[H],
    available: Iterable[H],
    field: str,
    *,
    unless: str,
    twice: str = "listed twice",
    show: Callable[[H], Any] = lambda one: one,
) -> None:
    """Refuse what is not available, or is listed more often than it is.

    ``unless`` and ``twice`` are the messages about the two; ``show`` returns what they
    show of a value.
    """
    left = Counter(available) if listed else Counter[H]()
    for i, one in enumerate(listed):
        if not left[one]:
            problem = twice if one in listed[:i] else unless
            raise InputError(problem, f"{field}[{i}]", show(one))
        left[one] -= 1


def one_of(*known: str) -> Shape[str]:
    """Return the shape of a string that is one of the given ones."""

    def decode(value: Any, field: str) -> str:
        if string(value, field) not in known:
            raise InputError(f"must be one of {', '.join(known)}", field, value)
        return str(value)

    return decode


def cost(value: Any, field: str) -> int | tuple[int, ...]:
    """Return a cost: an integer, or a tuple of one or more integers."""
    if value == []:
        raise InputError("must not be empty", field, value)
    return integers(value, field) if isinstance(value, list) else integer(value, field)


def record(
    needed: Mapping[str, Shape[Any]], optional: Mapping[str, Shape[Any]] | None = None
) -> Shape[dict[str, Any]]:
    """Return the shape of a JSON object with these fields, and no others.

    What is optional is left out of the decoded one, too.
    """
    shapes = {**needed, **(optional or {})}

    def decode(value: Any, field: str) -> dict[str, Any]:
        given = objects(value, field)
        only(given, shapes, needed, field)
        prefix = f"{field}." if field else ""
        return {name: shapes[name](each, prefix + name) for name, each in given.items()}

    return decode


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


def check_header(value: Any, form: str) -> dict[str, Any]:
    """Return the object of a file, after checking its format and version."""
    document = objects(value, "document")
    only(document, document, ("format", "version"), "")
    if document["format"] != form:
        raise InputError(f"must be {form!r}", "format", document["format"])
    if integer(document["version"], "version") != 1:
        raise InputError("must be 1", "version", document["version"])
    return document


def file(
    form: str,
    needed: Mapping[str, Shape[Any]],
    optional: Mapping[str, Shape[Any]] | None = None,
) -> Callable[[Any], dict[str, Any]]:
    """Return the shape of a file of a format, whose fields are named from the top."""
    head = {"format": string, "version": integer}
    body = record({**head, **needed}, optional)
    return lambda value: body(check_header(value, form), "")


def instance(
    form: str,
    needed: Mapping[str, Shape[Any]],
    optional: Mapping[str, Shape[Any]],
) -> Callable[[Any, str], dict[str, Any]]:
    """Return the shape of the file of an instance, which takes a name for want of one.

    The shape of a `file` with name, source and seed; decoded to what the constructor of
    the instance takes, if its parameters are named as the fields.
    """
    needed = {"name": _name, **needed}
    read = file(
        form, needed, {"source": _visible, "seed": _integer_or_none, **optional}
    )

    def decode(value: Any, default_name: str) -> dict[str, Any]:
        found = read({"name": default_name, **objects(value, "document")})
        del found["format"], found["version"]
        return found

    return decode


def anything(value: Any, field: str) -> Any:
    """Leave a value to be decoded by whoever knows more."""
    return value


def _visible(value: Any, field: str) -> str:
    return escape_hidden(string(value, field))


def _name(value: Any, field: str) -> str:
    if not (name := _visible(value, field)):
        raise InputError("must not be empty", field)
    return name


def _integer_or_none(value: Any, field: str) -> int | None:
    return None if value is None else integer(value, field)
