"""``closeknit/ksubset`` files: reader, writer, digest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from ..errors import InputError, in_file
from ..reading import fields
from ..reading.files import read_text, stem
from ..reading.json_text import digest
from ..reading.parsing import parse_json
from ..topologies import PARSERS, Site, Topology, is_name, parse_prices
from .instance import KSubset

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


def document_of(instance: KSubset) -> dict[str, Any]:
    """Return the JSON object of an instance.

    It contains the shorter of ``busy`` and ``free``, or neither if all are free.
    """
    topology = instance.topology
    definition: dict[str, Any] = {"topology": topology.document()}
    if topology.names:
        definition["topology"]["names"] = list(topology.names)
    places = Counter(instance.topology.locations())
    free = Counter(instance.free)
    busy = sorted((places - free).elements())
    if busy and len(busy) <= instance.n:
        definition["busy"] = instance.topology.listed(busy)
    elif busy:
        definition["free"] = instance.topology.listed(instance.free)
    definition["k"] = instance.k
    definition |= _requirements(instance)
    return fields.document(FORMAT, instance, definition)


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
        **_requirements(instance),
    }
    return digest(FORMAT, definition)


def _requirements(instance: KSubset) -> dict[str, Any]:
    """Return the field ``required`` of a file, if there is one."""
    listed = instance.topology.listed(instance.required)
    return {"required": listed} if listed else {}


def selection_of(instance: KSubset, chosen: Collection[int]) -> list[Any]:
    """Return the selection of the chosen processors for solution files."""
    return instance.topology.listed([instance.free[i] for i in sorted(chosen)])


def names_of(instance: KSubset, chosen: Collection[int]) -> list[Any]:
    """Return what users call the chosen processors; see `KSubset.names`."""
    if instance.topology.labels is not None:
        return [instance.names[i] for i in sorted(chosen)]
    return selection_of(instance, chosen)


def chosen_by_names(instance: KSubset, listed: Collection[Any]) -> list[int] | None:
    """Return the indices of processors that are listed by name, in their order.

    Returns None where nothing is named: on networks without names, and for indices and
    sites. Raises InputError for a name that is no free processor, and for one that is
    listed twice.
    """
    labels = instance.topology.labels
    if labels is None or not any(map(is_name, listed)):
        return None
    index = {name: i for i, name in enumerate(instance.names)}
    known, chosen = set(labels), dict[int, None]()
    for place, name in enumerate(listed):
        at = f"selection[{place}]"
        if not is_name(name) or name not in known:
            raise InputError("no such node", at, name)
        if name not in index:
            raise InputError("not a free processor", at, name)
        if index[name] in chosen:
            raise InputError("chosen twice", at, name)
        chosen[index[name]] = None
    return list(chosen)


def locate(instance: KSubset, listed: Any) -> list[Any] | None:
    """Return coordinates or nodes as solution files list them; None for anything else.

    On a tree or graph a site is ``[node]`` for users, and the bare number in files.
    """
    if not isinstance(listed, list) or set(map(type, listed)) != {list}:
        return None
    if instance.topology.labels is not None:
        return [site[0] if len(site) == 1 else site for site in listed]
    return listed


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
    return instance.indices_of(sites)


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
