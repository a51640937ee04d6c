"""``closeknit/contention`` files: reader, writer, digest."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ...instances.ksubset import json as ksubset_json
from ...instances.ksubset.json import parse_ksubset
from ...instances.reading import fields
from ...instances.reading.json_text import digest
from .instance import MOST_CAPACITY, MOST_POWER, MOST_UNIT, Contention, Link

FORMAT = "closeknit/contention"
_OF_JOB = ("name", "topology", "busy", "free", "k", "source", "seed")
_number = fields.between(0, MOST_CAPACITY)
_OWN: dict[str, fields.Shape[Any]] = {
    "routing": fields.string,
    "table": fields.rows,
    "traffic": fields.many(fields.row(*[fields.integer] * 3)),
    "unit": fields.between(1, MOST_UNIT),
    "links": fields.many(fields.row(fields.integer, fields.integer, *[_number] * 2)),
    "power": fields.between(0, MOST_POWER),
    "reserve": fields.integer,
}


def parse_contention(value: Any, *, default_name: str = "unnamed") -> Contention:
    """Build an instance from parsed JSON.

    Raises InputError if it is invalid; names the field and the value.
    """
    document = fields.check_header(value, FORMAT)
    fields.only(document, ("format", "version", *_OF_JOB, *_OWN), ("topology", "k"), "")
    job = {name: each for name, each in document.items() if name not in _OWN}
    job["format"] = ksubset_json.FORMAT
    own: dict[str, Any] = {
        name: shape(document[name], name)
        for name, shape in _OWN.items()
        if name in document
    }
    own["links"] = tuple(Link(*one) for one in own.get("links", ()))
    return Contention(parse_ksubset(job, default_name=default_name), **own)


def document_of(instance: Contention) -> dict[str, Any]:
    """Return the JSON object of an instance."""
    job = ksubset_json.document_of(instance.job)
    return {**job, "format": FORMAT, **_definition(instance)}


def sha256(instance: Contention) -> str:
    """Return the digest of the definition, without name, source and seed."""
    return digest(
        FORMAT,
        {
            "topology": instance.topology.identity(),
            "free": instance.topology.listed(instance.free),
            "k": instance.k,
            **_definition(instance),
        },
    )


def selection_of(instance: Contention, chosen: Collection[int]) -> list[Any]:
    """Return the selection of the chosen processors for solution files."""
    return ksubset_json.selection_of(instance.job, chosen)


def names_of(instance: Contention, chosen: Collection[int]) -> list[Any]:
    """Return what users call the chosen processors."""
    return ksubset_json.names_of(instance.job, chosen)


def chosen_of(instance: Contention, selection: Any) -> tuple[int, ...]:
    """Return the processors in a solution file."""
    return ksubset_json.chosen_of(instance.job, selection)


def locate(instance: Contention, listed: Any) -> Any:
    """Return locations that a method lists in the form of solution files."""
    return ksubset_json.locate(instance.job, listed)


def chosen_by_names(instance: Contention, listed: Any) -> list[int] | None:
    """Return the indices of processors that are listed by name."""
    return ksubset_json.chosen_by_names(instance.job, listed)


def _definition(instance: Contention) -> dict[str, Any]:
    found: dict[str, Any] = {"routing": instance.routing, "unit": instance.unit}
    if instance.table is not None:
        found["table"] = [list(row) for row in instance.table]
    if instance.traffic:
        found["traffic"] = [list(one) for one in instance.traffic]
    usual = (instance.unit, 0)
    if links := [list(one) for one in instance.links if one[2:] != usual]:
        found["links"] = links
    found["power"] = instance.power
    if instance.reserve:
        found["reserve"] = instance.reserve
    return found
