"""``closeknit/contention`` files: reader, writer, digest."""

from __future__ import annotations

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


def sha256(instance: Contention) -> str:
    """Return the digest of the definition, without name, source and seed."""
    return digest(
        FORMAT,
        {
            "topology": instance.topology.identity(),
            "free": instance.topology.listed(instance.free),
            "k": instance.k,
            **definition_of(instance),
        },
    )


def chosen_of(instance: Contention, selection: Any) -> tuple[int, ...]:
    """Return the processors in a solution file."""
    return ksubset_json.chosen_of(instance.job, selection)


def definition_of(instance: Contention) -> dict[str, Any]:
    """Return the fields of a file that are not those of its job."""
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
