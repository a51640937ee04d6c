"""``closeknit/procset`` files: reader, writer, digest."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from ..errors import InputError
from ..reading import fields
from ..reading.json_text import digest
from .instance import ProcessorSet, ProcSet

FORMAT = "closeknit/procset"
_NEEDED = ("processors", "request", "sets")
_KNOWN = (
    "format",
    "version",
    "name",
    *_NEEDED,
    "available",
    "source",
    "seed",
    "required",
)
_SET = ("name", "members", "cost")


def parse_procset(value: Any, *, default_name: str = "unnamed") -> ProcSet:
    """Build an instance from parsed JSON.

    Raises InputError if it is invalid; names the field and the value.
    """
    document = fields.check_header(value, FORMAT)
    fields.only(document, _KNOWN, _NEEDED, "")
    processors = fields.strings(document["processors"], "processors")
    index = {name: i for i, name in enumerate(processors)}
    available = tuple(range(len(processors)))
    if "available" in document:
        available = _indices(document["available"], "available", index)
    sets = []
    for i, entry in enumerate(fields.lists(document["sets"], "sets")):
        where = f"sets[{i}]"
        fields.only(fields.objects(entry, where), _SET, _SET, where)
        sets.append(
            ProcessorSet(
                fields.string(entry["name"], f"{where}.name"),
                _indices(entry["members"], f"{where}.members", index),
                fields.integers(entry["cost"], f"{where}.cost"),
            )
        )
    return ProcSet(
        **fields.origin(document, default_name),
        processors=processors,
        available=available,
        request=fields.integer(document["request"], "request"),
        sets=tuple(sets),
        required=_indices(document.get("required", []), "required", index),
    )


def document_of(instance: ProcSet) -> dict[str, Any]:
    """Return the JSON object of an instance."""
    definition: dict[str, Any] = {"processors": list(instance.processors)}
    if instance.n < len(instance.processors):
        definition["available"] = _names(instance, instance.available)
    definition["request"] = instance.request
    definition["sets"] = [
        {
            "name": one.name,
            "members": _names(instance, one.members),
            "cost": list(one.cost),
        }
        for one in instance.sets
    ]
    definition |= _requirements(instance)
    return fields.document(FORMAT, instance, definition)


def sha256(instance: ProcSet) -> str:
    """Return the digest of sets, costs, available and required processors, request.

    Name, source, seed, the names of sets, and the order of processors and sets do not
    count.
    """
    return digest(
        {
            "format": FORMAT,
            "version": 1,
            "processors": sorted(instance.processors),
            "available": sorted(_names(instance, instance.available)),
            "request": instance.request,
            "sets": sorted(
                [sorted(_names(instance, one.members)), list(one.cost)]
                for one in instance.sets
            ),
            **_requirements(instance, sorted),
        }
    )


def _requirements(
    instance: ProcSet, order: Callable[[list[str]], list[str]] = list
) -> dict[str, Any]:
    """Return the field ``required`` of a file, if there is one."""
    names = order(_names(instance, instance.required))
    return {"required": names} if names else {}


def selection_of(instance: ProcSet, chosen: Collection[int]) -> list[str]:
    """Return the names of the chosen processors, for solution files."""
    return _names(instance, sorted(chosen))


def locate(instance: ProcSet, listed: Any) -> list[str] | None:
    """Return names of processors as they are; None for anything else."""
    names = isinstance(listed, list) and set(map(type, listed)) == {str}
    return listed if names else None


def chosen_of(instance: ProcSet, selection: Any) -> tuple[int, ...]:
    """Return the indices of the processors in a solution file.

    Raises InputError if a processor does not exist, or is listed twice.
    """
    chosen = _indices(selection, "selection", instance.index)
    seen: set[int] = set()
    for i, index in enumerate(chosen):
        if index in seen:
            raise InputError("chosen twice", f"selection[{i}]", selection[i])
        seen.add(index)
    return tuple(sorted(chosen))


def _names(instance: ProcSet, indices: Collection[int]) -> list[str]:
    return [instance.processors[i] for i in indices]


def _indices(value: Any, field: str, index: Mapping[str, int]) -> tuple[int, ...]:
    found = []
    for i, name in enumerate(fields.strings(value, field)):
        if name not in index:
            raise InputError("no such processor", f"{field}[{i}]", name)
        found.append(index[name])
    return tuple(found)
