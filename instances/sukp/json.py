"""``closeknit/sukp`` files: reader, writer, digest. Items are numbered from 0."""

from __future__ import annotations

from typing import Any

from ..reading import fields
from ..reading.json_text import digest
from .instance import Sukp

FORMAT = "closeknit/sukp"
_NEEDED = ("profits", "weights", "items", "capacity")
_KNOWN = ("format", "version", "name", *_NEEDED, "source", "seed", "required")


def parse_sukp(value: Any, *, default_name: str = "unnamed") -> Sukp:
    """Build an instance from parsed JSON.

    Raises InputError if it is invalid; names the field and the value.
    """
    document = fields.check_header(value, FORMAT)
    fields.only(document, _KNOWN, _NEEDED, "")
    return Sukp(
        **fields.origin(document, default_name),
        profits=fields.integers(document["profits"], "profits"),
        weights=fields.integers(document["weights"], "weights"),
        items=fields.rows(document["items"], "items"),
        capacity=fields.integer(document["capacity"], "capacity"),
        required=fields.integers(document.get("required", []), "required"),
    )


def sha256(instance: Sukp) -> str:
    """Return the digest of the definition, without name, source and seed."""
    return digest({"format": FORMAT, "version": 1, **definition_of(instance)})


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
