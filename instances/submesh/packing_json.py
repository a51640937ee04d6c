"""Reader of orthogonal packing instances as JSON lines, one instance per line."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..reading import fields
from ..reading.files import read_text
from ..reading.parsing import parse_json
from .packing import Item, Packing

MOST_ITEMS = 100_000
"""Maximal number of items of an instance, counted with their demands."""
MOST_IN_FILE = 2**20
"""Maximal number of lines of a file, and of items in all lines."""


def read_packings(path: str | Path) -> list[Packing]:
    """Read all instances of a file; items are not turned.

    A line is an object with ``name``, ``bins`` (one list that begins with two sides)
    and ``items`` (lists that begin with two sides and the demand); further entries of
    these lists are ignored. Raises InputError if the file is invalid: one line with the
    file, the field and the value.
    """
    found: list[Packing] = []
    items = 0
    for number, line in enumerate(StringIO(read_text(path)), start=1):
        if not line.strip():
            continue
        try:
            found.append(_parse(parse_json(line), number))
            items += len(found[-1].items)
            if max(len(found), items) > MOST_IN_FILE:
                raise InputError(f"more than {MOST_IN_FILE} up to here", "items")
        except InputError as error:
            raise error.of_file(f"{path}:{number}") from None
    return found


def _parse(value: Any, number: int) -> Packing:
    document = fields.objects(value, "line")
    for field in ("bins", "items"):
        if field not in document:
            raise InputError("is missing", field)
    bins = fields.lists(document["bins"], "bins")
    if len(bins) != 1:
        raise InputError("must be one", "bins", len(bins))
    shape = _sides(bins[0], "bins[0]", 2)
    items: list[Item] = []
    for i, row in enumerate(fields.lists(document["items"], "items")):
        *size, demand = _sides(row, f"items[{i}]", 3)
        if demand < 0 or len(items) + demand > MOST_ITEMS:
            raise InputError(
                f"must be from 0 to {MOST_ITEMS} in all", f"items[{i}][2]", demand
            )
        items += [Item(tuple(size))] * demand
    name = fields.string(document.get("name", f"line {number}"), "name")
    return Packing(name, shape, tuple(items))


def _sides(value: Any, field: str, count: int) -> tuple[int, ...]:
    row = fields.lists(value, field)
    if len(row) < count:
        raise InputError(f"must begin with {count} integers", field, row)
    return tuple(fields.integer(x, f"{field}[{a}]") for a, x in enumerate(row[:count]))
