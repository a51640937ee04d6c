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
            "available": sorted(names_of(instance, instance.available)),
            "request": instance.request,
            "sets": sorted(
                [sorted(names_of(instance, one.members)), list(one.cost)]
                for one in instance.sets
            ),
            **requirements(instance, sorted),
        }
    )


def requirements(
    instance: ProcSet, order: Callable[[list[str]], list[str]] = list
) -> dict[str, Any]:
    """Return the field ``required`` of a file, if there is one."""
    names = order(names_of(instance, instance.required))
    return {"required": names} if names else {}


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


def names_of(instance: ProcSet, indices: Collection[int]) -> list[str]:
    """Return the names of processors, in the order of their indices here."""
    return [instance.processors[i] for i in indices]


def _indices(value: Any, field: str, index: Mapping[str, int]) -> tuple[int, ...]:
    found = []
    for i, name in enumerate(fields.strings(value, field)):
        if name not in index:
            raise InputError("no such processor", f"{field}[{i}]", name)
        found.append(index[name])
    return tuple(found)
