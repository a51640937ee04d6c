"""``closeknit/ksubset`` files: reader, writer, digest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import InputError, in_file
from ..reading import fields
from ..reading.files import read_text, stem
from ..reading.json_text import digest
from ..reading.parsing import parse_json
from ..topologies import PARSERS, Site, Topology, parse_prices
from .instance import KSubset

FORMAT = "closeknit/ksubset"
_FIELDS = ("format", "version", "name", "topology", "busy", "free", "k", "source")
_KNOWN = (*_FIELDS, "seed", "required")


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
    """Build an instance from parsed JSON (decimals as `Decimal`)."""
    document = fields.check_header(value, FORMAT)
    fields.only(document, _KNOWN, ("topology", "k"), "")
    topology = parse_topology(fields.objects(document["topology"], "topology"))
    return on_topology(topology, document, default_name=default_name)


def on_topology(
    topology: Topology, document: Mapping[str, Any], *, default_name: str = "unnamed"
) -> KSubset:
    """Build an instance on a network from the other fields of its file.

    These are ``k``; ``busy`` or ``free``; ``required``; ``name``, ``source`` and
    ``seed``. Raises InputError if it is invalid; names the field and the value.
    """
    if "busy" in document and "free" in document:
        raise InputError("give busy or free, not both", "busy")
    if "free" in document:
        free = topology.parse_sites(document["free"], "free")
    elif "busy" in document:
        busy = topology.parse_sites(document["busy"], "busy")
        free = _without(topology, busy, "busy")
    else:
        free = list(topology.locations())
    if not free:
        raise InputError("no processor is free", "topology")
    return KSubset(
        **fields.origin(document, default_name),
        topology=topology,
        free=tuple(free),
        k=fields.integer(document["k"], "k"),
        required=tuple(topology.parse_sites(document.get("required", []), "required")),
    )


def sha256(instance: KSubset) -> str:
    """Return the digest of topology, free and required processors, and k.

    Name, source, seed and the order of lists in the file do not count.

    >>> from closeknit.instances import mesh
    >>> sha256(mesh(2, 2, k=2))[:16]
    'b7e7f6834d6b5e94'
    """
    canonical = {
        "format": FORMAT,
        "version": 1,
        "topology": instance.topology.identity(),
        "free": instance.topology.listed(instance.free),
        "k": instance.k,
        **requirements(instance),
    }
    return digest(canonical)


def requirements(instance: KSubset) -> dict[str, Any]:
    """Return the field ``required`` of a file, if there is one."""
    listed = instance.topology.listed(instance.required)
    return {"required": listed} if listed else {}


def chosen_of(instance: KSubset, selection: Any) -> tuple[int, ...]:
    """Return the indices of the processors in a solution file.

    Raises InputError if a processor is not free, or is listed more often than it is
    free.
    """
    at: dict[Site, list[int]] = {}
    for i in reversed(range(instance.n)):
        at.setdefault(instance.free[i], []).append(i)
    chosen = []
    for i, site in enumerate(instance.topology.parse_sites(selection, "selection")):
        left = at.get(site)
        if not left:
            problem = "not a free processor" if left is None else "chosen twice"
            raise InputError(problem, f"selection[{i}]", list(site))
        chosen.append(left.pop())
    return tuple(sorted(chosen))


def parse_topology(value: dict[str, Any]) -> Topology:
    """Build a network from the object ``topology`` of a file."""
    kind = value.get("kind")
    if not isinstance(kind, str) or kind not in PARSERS:
        *most, last = sorted(PARSERS)
        problem = f"must be {', '.join(most)} or {last}"
        raise InputError(problem, "topology.kind", kind)
    return parse_prices(value) if "price" in value else PARSERS[kind](value)


def _without(topology: Topology, busy: list[Site], field: str) -> list[Site]:
    """Return the locations that are not busy; counts only busy ones, to save memory."""
    open_ = Counter(busy)
    free = []
    for site in topology.locations():
        if open_.get(site):
            open_[site] -= 1
        else:
            free.append(site)
    found = Counter(busy) - open_
    for i, site in enumerate(busy):
        if not found[site]:
            problem = "listed twice" if site in found else "no such processor"
            raise InputError(problem, f"{field}[{i}]", list(site))
        found[site] -= 1
    return free
