"""Instances from what people write: lists, tuples, ranges, arrays of numpy.

Values are converted into what a file would hold and read by the reader of the file, so
that a fault is reported here as it is there: in one line, with field and value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..instances import (
    Graph,
    InputError,
    KSubset,
    ProcessorSet,
    ProcSet,
    Submesh,
    Sukp,
    Topology,
)
from ..instances.ksubset.json import FORMAT as KSUBSET_FORMAT
from ..instances.ksubset.json import parse_ksubset
from ..instances.procset.json import FORMAT as PROCSET_FORMAT
from ..instances.procset.json import parse_procset
from ..instances.reading.json_types import to_json_types
from ..instances.submesh import Resident
from ..instances.submesh.json import FORMAT as SUBMESH_FORMAT
from ..instances.submesh.json import parse_submesh
from ..instances.sukp.json import FORMAT as SUKP_FORMAT
from ..instances.sukp.json import parse_sukp
from ..instances.topologies import as_topology
from .places import places_of

if TYPE_CHECKING:
    import networkx


def ksubset(
    network: Topology | networkx.Graph,
    k: int,
    *,
    busy: Iterable[Any] | None = None,
    free: Iterable[Any] | None = None,
    required: Iterable[Any] = (),
    name: str = "unnamed",
    source: str = "",
    seed: int | None = None,
) -> KSubset:
    """Return the instance: choose k free processors lying close together.

    Parameters
    ----------
    network
        `Mesh`, `Torus`, `Tree`, `Points`, `Graph`, or a graph of networkx, whose nodes
        are processors unless an attribute ``processor`` states which are.
    k
        Number of processors to choose.
    busy, free
        The busy or the free processors, one of the two: coordinates; numbers of nodes
        of a tree; nodes of a graph of networkx as they are there; names or numbers of
        those of another graph. Or a truth value for each processor of a grid (in its
        shape, or row after row), for each point as given, or for each node of a tree
        or graph. All processors are free if both are left out.
    required
        Free processors that must be chosen, written as these.
    name, source, seed
        Name, where the instance comes from, seed of the generator that made it.

    Returns
    -------
    KSubset

    Raises
    ------
    InputError
        Naming the argument and the value that cannot be used.

    Examples
    --------
    >>> import closeknit as ck
    >>> ck.ksubset(ck.Mesh(8, 8), k=9, busy=[(0, 3), (1, 3)], name="job-17")
    <KSubset 'job-17': 8×8 mesh, 62 of 64 processors free, k = 9>
    >>> ck.ksubset(ck.Mesh(8, 8), k=9, busy=[(0, 8)])
    Traceback (most recent call last):
    closeknit.instances.errors.InputError: busy[0]: no such processor: [0, 8]
    """
    network = network_of(network)
    if notes := getattr(network, "notes", ()):
        source = "; ".join([*filter(None, [source]), *notes])
    document = _head(KSUBSET_FORMAT, name, source, seed) | {"k": to_json_types(k)}
    if busy is not None:
        document["busy"] = places_of(network, busy, "busy")
    if free is not None:
        document["free"] = places_of(network, free, "free")
    document["required"] = places_of(network, required, "required")
    return parse_ksubset(document | {"topology": network})


def is_network(thing: Any) -> bool:
    """Whether something is a topology, or meant as one: see `network_of`."""
    meant = hasattr(thing, "is_directed") or hasattr(thing, "tolist")
    return meant or isinstance(getattr(thing, "kind", None), str)


def network_of(thing: Any) -> Topology:
    """Return a topology, also for a graph of networkx.

    Raises InputError for anything else; for an array it states how to write points.
    """
    if hasattr(thing, "is_directed"):  # of networkx
        return Graph.from_networkx(thing)
    if hasattr(thing, "tolist"):  # of numpy
        raise InputError("is an array: write ck.Points(array, digits=3)", "network")
    if not is_network(thing):
        raise InputError("must be a topology such as Mesh(8, 8)", "network", thing)
    return as_topology(thing)


def procset(
    processors: Iterable[str],
    request: int,
    sets: Iterable[Any] | Mapping[str, Any],
    *,
    available: Iterable[str] | None = None,
    required: Iterable[str] = (),
    name: str = "unnamed",
    source: str = "",
    seed: int | None = None,
) -> ProcSet:
    """Return the instance: choose processors that touch the cheapest sets.

    Parameters
    ----------
    processors
        Names of all processors.
    request
        How many are needed.
    sets
        A set is a `ProcessorSet`, or its name, its members and its cost: as a tuple,
        or as an entry ``name: (members, cost)`` of a mapping. Members are names of
        processors; a cost is one integer for each level, the most important first, or
        an integer where there is one level.
    available
        Names of the available processors; all of them if left out.
    required
        Names of available processors that must be chosen.
    name, source, seed
        As in `ksubset`.

    Returns
    -------
    ProcSet

    Raises
    ------
    InputError
        Naming the argument and the value that cannot be used.

    Examples
    --------
    >>> import closeknit as ck
    >>> cards = {"card-1": (["a", "b"], 2), "card-2": (["c", "d"], 3)}
    >>> job = ck.procset(["a", "b", "c", "d"], 2, cards, available=["b", "c", "d"])
    >>> ck.solve(job).selection
    ['c', 'd']
    """
    names = to_json_types(processors)
    if isinstance(sets, Mapping):
        sets = [_name_and_parameters(key, value) for key, value in sets.items()]
    document = _head(PROCSET_FORMAT, name, source, seed) | {
        "processors": names,
        "request": to_json_types(request),
        "sets": [_set(one, i, names) for i, one in enumerate(sets)],
        "required": to_json_types(required),
    }
    if available is not None:
        document["available"] = to_json_types(available)
    return parse_procset(document)


def _name_and_parameters(name: Any, value: Any) -> Any:
    return (name, *value) if isinstance(value, tuple | list) else (name, value)


def _set(one: Any, place: int, names: Any) -> Any:
    """Return a set as its file holds it."""
    if isinstance(one, ProcessorSet):
        one = (one.name, [names[i] for i in one.members], one.cost)
    if isinstance(one, Mapping):
        return to_json_types(one)
    if not isinstance(one, Sequence) or isinstance(one, str) or len(one) != 3:
        raise InputError("must be a name, members and a cost", f"sets[{place}]", one)
    label, members, cost = map(to_json_types, one)
    if not isinstance(cost, list):
        cost = [cost]
    return {"name": label, "members": members, "cost": cost}


def sukp(
    profits: Iterable[int],
    weights: Iterable[int],
    items: Iterable[Iterable[int]],
    capacity: int,
    *,
    required: Iterable[int] = (),
    name: str = "unnamed",
    source: str = "",
    seed: int | None = None,
) -> Sukp:
    """Return the set-union knapsack: items of most profit whose elements fit together.

    Parameters
    ----------
    profits
        Of the items.
    weights
        Of the elements.
    items
        For each item the elements that it needs, by index, from 0.
    capacity
        What the elements of all chosen items may weigh together.
    required
        Items that must be chosen, by index.
    name, source, seed
        As in `ksubset`.

    Returns
    -------
    Sukp

    Raises
    ------
    InputError
        Naming the argument and the value that cannot be used.

    Examples
    --------
    >>> import closeknit as ck
    >>> job = ck.sukp([5, 4], [3, 3, 3], [(0, 1), (1, 2)], capacity=6)
    >>> ck.solve(job).selection
    [0]
    """
    return parse_sukp(
        _head(SUKP_FORMAT, name, source, seed)
        | {
            "profits": to_json_types(profits),
            "weights": to_json_types(weights),
            "items": to_json_types(items),
            "capacity": to_json_types(capacity),
            "required": to_json_types(required),
        }
    )


def submesh(
    mesh: Sequence[int] | Topology,
    request: Sequence[int],
    *,
    residents: Iterable[Any] = (),
    blocked: Iterable[Sequence[int]] = (),
    fixed: Iterable[int] = (),
    turns: Iterable[int] = (),
    rotate: bool = False,
    migrate: bool = True,
    torus: bool | None = None,
    name: str = "unnamed",
    source: str = "",
    seed: int | None = None,
) -> Submesh:
    """Return the instance: find room for a box, if need be by moving residents.

    Parameters
    ----------
    mesh
        Sides of the mesh, or a `Mesh` or `Torus`.
    request
        Sides of the box that is requested.
    residents
        Boxes that are held: a `Resident`, or the lowest and the highest corner, as one
        list of coordinates ``(0, 0, 3, 2)`` or as two ``((0, 0), (3, 2))``.
    blocked
        Coordinates of defect processors.
    fixed, turns
        Indices of residents that must stay where they are, and of those that may be
        turned when they are moved.
    rotate, migrate
        Whether the request may be turned, and whether residents may be moved.
    torus
        Whether boxes may wrap around every axis; that of ``mesh`` if left out.
    name, source, seed
        As in `ksubset`.

    Returns
    -------
    Submesh

    Raises
    ------
    InputError
        Naming the argument and the value that cannot be used.

    Examples
    --------
    >>> import closeknit as ck
    >>> job = ck.submesh((4, 4), (4, 2), residents=[((1, 1), (2, 2))])
    >>> ck.solve(job).cost
    (1, 4, 1)
    """
    rings = getattr(mesh, "rings", None)
    if rings is not None and any(rings) != all(rings):
        raise InputError("must be a mesh or a torus", "mesh", mesh)
    if rings is not None and torus is not None and torus != all(rings):
        raise InputError("is not what the given network has", "torus", torus)
    wraps = bool(rings and all(rings)) if torus is None else torus
    boxes = list(residents)
    resident = [(i, one) for i, one in enumerate(boxes) if isinstance(one, Resident)]
    document = _head(SUBMESH_FORMAT, name, source, seed) | {
        "mesh": to_json_types(getattr(mesh, "shape", mesh)),
        "request": to_json_types(request),
        "residents": [_box(one) for one in boxes],
        "fixed": _together(fixed, (i for i, one in resident if one.fixed)),
        "turns": _together(turns, (i for i, one in resident if one.turns)),
        "blocked": to_json_types(blocked),
        "rotate": rotate,
        "migrate": migrate,
        "torus": wraps,
    }
    return parse_submesh(document)


def _box(one: Any) -> Any:
    """Return the coordinates of a box in one list."""
    box = to_json_types(one.box if isinstance(one, Resident) else one)
    if (
        isinstance(box, list)
        and len(box) == 2
        and all(isinstance(c, list) for c in box)
    ):
        return [*box[0], *box[1]]
    return box


def _together(given: Iterable[int], own: Iterable[int]) -> Any:
    listed = to_json_types(given)
    return [*listed, *own] if isinstance(listed, list) else listed


def _head(form: str, name: str, source: str, seed: int | None) -> dict[str, Any]:
    """Return what a file of this form begins with."""
    head = {"format": form, "version": 1, "name": name, "source": source}
    head["seed"] = to_json_types(seed)
    return {key: value for key, value in head.items() if value is not None}
