"""``closeknit/sukp`` files: reader, writer, digest. Items are numbered from 0."""

from __future__ import annotations

from typing import Any

from ..reading import fields
from ..reading.json_text import digest
from .instance import Sukp

FORMAT = "closeknit/sukp"
_read = fields.instance(
    FORMAT,
    {
        "profits": fields.integers,
        "weights": fields.integers,
        "items": fields.rows,
        "capacity": fields.integer,
    },
    {"required": fields.integers},
)


def parse_sukp(value: Any, *, default_name: str = "unnamed") -> Sukp:
    """Build an instance from parsed JSON.

    Raises InputError if it is invalid; names the field and the value.
    """
    return Sukp(**_read(value, default_name))


def sha256(instance: Sukp) -> str:
    """Return the digest of the definition, without name, source and seed."""
    return digest(FORMAT, definition_of(instance))


def chosen_of(instance: Sukp, selection: Any) -> tuple[int, ...]:
    """Return the items in a solution file.

    Raises InputError if it is not a list of different items.
    """
    return tuple(sorted(fields.indices(instance.n, "item")(selection, "selection")))


def definition_of(instance: Sukp) -> dict[str, Any]:
    """Return the fields of a file that count for its digest."""
    return {
        "profits": list(instance.profits),
        "weights": list(instance.weights),
        "items": [list(elements) for elements in instance.items],
        "capacity": instance.capacity,
        **({"required": list(instance.required)} if instance.required else {}),
    }
