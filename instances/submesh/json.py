"""``closeknit/submesh`` files: reader, writer, digest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import InputError
from ..reading import fields
from ..reading.json_text import digest
from . import Placement, Resident, Submesh, check, placement_of
from .plan import ORDERS, order_of, replay

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


def document_of(instance: Submesh) -> dict[str, Any]:
    """Return the JSON object of an instance."""
    definition = _definition(instance)
    for field in ("fixed", "turns", "blocked", "torus"):
        if not definition[field]:
            del definition[field]
    return fields.document(FORMAT, instance, definition)


def sha256(instance: Submesh) -> str:
    """Return the digest of the definition, without name, source and seed.

    The order of residents counts, as solutions refer to them by index.
    """
    return digest(FORMAT, _definition(instance))


def selection_of(instance: Submesh, chosen: Sequence[int]) -> dict[str, Any]:
    """Return the selection of a placement for solution files.

    It states whether the moves can be made in this order, see `plan.replay`.
    """
    placement = placement_of(instance, chosen)
    order = order_of(instance, placement) if placement.moves else None
    return {
        "at": list(placement.at),
        "moves": [{"resident": i, "to": list(box)} for i, box in placement.moves],
        **({} if order is None else {"order": order}),
    }


def locate(instance: Submesh, listed: Any) -> dict[str, Any] | None:
    """Return a placement in the form of solution files; None for anything else."""
    return listed if isinstance(listed, dict) else None


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


def _definition(instance: Submesh) -> dict[str, Any]:
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
