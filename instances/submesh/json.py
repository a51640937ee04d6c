"""``closeknit/submesh`` files: reader, writer, digest."""

from __future__ import annotations

from typing import Any

from ..errors import InputError
from ..reading import fields
from ..reading.json_text import digest
from . import Placement, Resident, Submesh, check
from .plan import ORDERS, replay

FORMAT = "closeknit/submesh"


def _flag(value: Any, field: str) -> bool:
    if not isinstance(value, bool):
        raise InputError("must be true or false", field, value)
    return value


_read = fields.instance(
    FORMAT,
    {"mesh": fields.integers, "residents": fields.rows, "request": fields.integers},
    {
        "rotate": _flag,
        "migrate": _flag,
        "torus": _flag,
        "fixed": fields.lists,
        "turns": fields.lists,
        "blocked": fields.rows,
    },
)


def parse_submesh(value: Any, *, default_name: str = "unnamed") -> Submesh:
    """Build an instance from parsed JSON.

    Raises InputError if it is invalid; names the field and the value.
    """
    found = _read(value, default_name)
    boxes = found.pop("residents")
    numbers = fields.within(len(boxes), "resident")
    fixed, turns = (
        set(numbers(found.pop(field, []), field)) for field in ("fixed", "turns")
    )
    residents = (Resident(box, i in fixed, i in turns) for i, box in enumerate(boxes))
    return Submesh(shape=found.pop("mesh"), residents=tuple(residents), **found)


def sha256(instance: Submesh) -> str:
    """Return the digest of the definition, without name, source and seed.

    The order of residents counts, as solutions refer to them by index.
    """
    return digest(FORMAT, definition_of(instance))


def chosen_of(instance: Submesh, selection: Any) -> tuple[int, ...]:
    """Return the integers of the placement in a solution file.

    Raises InputError if it is not a placement, or its moves cannot be made in the
    claimed order. Validity is left to ``check``.
    """
    box = fields.row(*[fields.integer] * (2 * instance.d))
    move = fields.record({"resident": fields.integer, "to": box})
    optional = {"moves": fields.many(move), "order": fields.one_of(*ORDERS)}
    document = fields.record({"at": box}, optional)(selection, "selection")
    moves = tuple((one["resident"], one["to"]) for one in document.get("moves", ()))
    placement = Placement(document["at"], moves)
    if "order" in document:
        _check_order(instance, placement, document["order"])
    return placement.flat()


def _check_order(instance: Submesh, placement: Placement, order: str) -> None:
    """Refuse moves that cannot be made in the claimed order."""
    if check(instance, placement.flat()):
        return  # its errors are reported by the caller's check
    if wrong := replay(instance, placement.moves, slide=order == "sliding"):
        raise InputError(f"does not hold: {wrong[0]}", "selection.order", order)


def definition_of(instance: Submesh) -> dict[str, Any]:
    """Return the fields of a file that count for its digest, all of them."""
    numbered = list(enumerate(instance.residents))
    return {
        "mesh": list(instance.shape),
        "residents": [list(one.box) for one in instance.residents],
        "request": list(instance.request),
        "rotate": instance.rotate,
        "migrate": instance.migrate,
        "torus": instance.torus,
        "fixed": [i for i, one in numbered if one.fixed],
        "turns": [i for i, one in numbered if one.turns],
        "blocked": [list(cell) for cell in instance.blocked],
    }
