"""``closeknit/ksubset`` files: reader, writer, digest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..errors import InputError, in_file
from ..reading import fields
from ..reading.files import read_text, stem
from ..reading.json_text import digest
from ..reading.parsing import parse_json
from ..topologies import PARSERS, Site, Topology, parse_prices
from .instance import KSubset, indices_of

FORMAT = "closeknit/ksubset"


def read_ksubset(path: str | Path) -> KSubset:
    """Read an instance file.

    Parameters
    ----------
    path
        The file; ``-`` is standard input.

    Raises
    ------
    InputError
        If it is invalid: one line with the file, the field and the value.
    """
    with in_file(path):
        document = parse_json(read_text(path), file=path)
        return parse_ksubset(document, default_name=stem(path))


def parse_ksubset(value: Any, *, default_name: str = "unnamed") -> KSubset:
    """Build an instance from parsed JSON (decimals as `Decimal`).

    Its ``topology`` may be a network, too. Raises InputError if it is invalid; names
    the field and the value.
    """
    found = _read(value, default_name)
    topology = found["topology"]
    if "busy" in found and "free" in found:
        raise InputError("give busy or free, not both", "busy")
    for field in ("busy", "free", "required"):
        if field in found:
            found[field] = tuple(topology.parse_sites(found[field], field))
    if "free" not in found:
        found["free"] = _without(topology, found.pop("busy", ()))
    if not found["free"]:
        raise InputError("no processor is free", "topology")
    return KSubset(**found)


def sha256(instance: KSubset) -> str:
    """Return the digest of topology, free and required processors, and k.

    Name, source, seed and the order of lists in the file do not count.

    >>> from closeknit.instances import mesh
    >>> sha256(mesh(2, 2, k=2))[:16]
    'b7e7f6834d6b5e94'
    """
    definition = {
        "topology": instance.topology.identity(),
        "free": instance.topology.listed(instance.free),
        "k": instance.k,
        **requirements(instance),
    }
    return digest(FORMAT, definition)


def requirements(instance: KSubset) -> dict[str, Any]:
    """Return the field ``required`` of a file, if there is one."""
    listed = instance.topology.listed(instance.required)
    return {"required": listed} if listed else {}


def chosen_of(instance: KSubset, selection: Any) -> tuple[int, ...]:
    """Return the indices of the processors in a solution file.

    Raises InputError if a processor is not free, or is listed more often than it is
    free.
    """
    sites = instance.topology.parse_sites(selection, "selection")
    fields.refuse_others(
        *(sites, instance.free, "selection"),
        unless="not a free processor",
        twice="chosen twice",
        show=list,
    )
    return indices_of(instance, sites)


def parse_topology(value: Any, field: str = "topology") -> Topology:
    """Build a network from the object ``topology`` of a file; or return one."""
    if isinstance(value, Topology):
        return value
    kind = fields.objects(value, field).get("kind")
    if not isinstance(kind, str) or kind not in PARSERS:
        *most, last = sorted(PARSERS)
        problem = f"must be {', '.join(most)} or {last}"
        raise InputError(problem, f"{field}.kind", kind)
    return parse_prices(value) if "price" in value else PARSERS[kind](value)


_read = fields.instance(
    FORMAT,
    {"topology": parse_topology, "k": fields.integer},
    dict.fromkeys(("busy", "free", "required"), fields.anything),
)


def _without(topology: Topology, busy: Sequence[Site]) -> tuple[Site, ...]:
    """Return the locations that are not busy; counts only busy ones, to save memory."""
    left = Counter(busy)
    free = []
    for site in topology.locations():
        if left.get(site):
            left[site] -= 1
        else:
            free.append(site)
    found = (Counter(busy) - left).elements()
    fields.refuse_others(busy, found, "busy", unless="no such processor", show=list)
    return tuple(free)
