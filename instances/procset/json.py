"""``closeknit/procset`` files: reader, writer, digest."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from ..errors import InputError
from ..reading import fields
from ..reading.json_text import digest
from .instance import ProcessorSet, ProcSet

FORMAT = "closeknit/procset"
_SET = {
    "name": fields.string,
    "members": fields.strings,
    "cost": fields.integers,
}
_read = fields.instance(
    FORMAT,
    {
        "processors": fields.strings,
        "request": fields.integer,
        "sets": fields.many(fields.record(_SET)),
    },
    {"available": fields.strings, "required": fields.strings},
)


def parse_procset(value: Any, *, default_name: str = "unnamed") -> ProcSet:
    """Build an instance from parsed JSON.

    Raises InputError if it is invalid; names the field and the value.
    """
    found = _read(value, default_name)
    processors = found["processors"]
    index = {name: i for i, name in enumerate(processors)}
    for field, default in (("available", processors), ("required", ())):
        found[field] = _indices(found.get(field, default), field, index)
    for i, one in enumerate(found["sets"]):
        one["members"] = _indices(one["members"], f"sets[{i}].members", index)
    return ProcSet(**found | {"sets": tuple(ProcessorSet(**x) for x in found["sets"])})


def sha256(instance: ProcSet) -> str:
    """Return the digest of sets, costs, available and required processors, request.

    Name, source, seed, the names of sets, and the order of processors and sets do not
    count.
    """
    return digest(
        FORMAT,
        {
            "processors": sorted(instance.processors),
            "available": sorted(names_of(instance, instance.available)),
            "request": instance.request,
            "sets": sorted(
                [sorted(names_of(instance, one.members)), list(one.cost)]
                for one in instance.sets
            ),
            **requirements(instance, sorted),
        },
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
    names = fields.strings(selection, "selection")
    fields.refuse_others(
        *(names, instance.processors, "selection"),
        unless="no such processor",
        twice="chosen twice",
    )
    return tuple(sorted(instance.index[name] for name in names))


def names_of(instance: ProcSet, indices: Collection[int]) -> list[str]:
    """Return the names of processors, in the order of their indices here."""
    return [instance.processors[i] for i in indices]


def _indices(
    names: Collection[str], field: str, index: Mapping[str, int]
) -> tuple[int, ...]:
    found = []
    for i, name in enumerate(names):
        if name not in index:
            raise InputError("no such processor", f"{field}[{i}]", name)
        found.append(index[name])
    return tuple(found)
