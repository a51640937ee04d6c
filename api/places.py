"""Busy or free processors as people write them: names, coordinates, truth values."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from numbers import Integral
from typing import Any

import numpy as np

from ..instances import InputError, Topology
from ..instances.reading.json_types import to_json_types
from ..instances.support.networks import is_name, labels_of
from ..instances.topologies import Site


def places_of(network: Topology, given: Any, field: str) -> Any:
    """List processors as the file of an instance does.

    Parameters
    ----------
    network
        Where they are.
    given
        Names or numbers of nodes; coordinates, where a single one may be written with
        its brackets or without them; or a truth value for each processor of a grid or
        point, in the order in which the points were given, or for each node of a tree
        or graph. Anything else is left to the reader of the file.
    field
        For messages.

    Raises
    ------
    InputError
        For a name that is no processor, one that is given twice, and truth values of
        another shape.
    """
    if isinstance(given, Iterable) and not isinstance(given, str | bytes):
        given = given.tolist() if hasattr(given, "tolist") else list(given)
    if _is_mask(given):
        return network.listed(list(_sites_in_mask(network, given, field)))
    if network.on_nodes and isinstance(given, list):
        return _numbers(network, given, field)
    listed = to_json_types(given)
    if not isinstance(listed, list) or network.dimension != 1:
        return listed
    return [site if isinstance(site, list) else [site] for site in listed]


def _is_mask(given: Any) -> bool:
    while isinstance(given, list | tuple) and given:
        given = given[0]
    return isinstance(given, bool | np.bool_)


def _sites_in_mask(network: Topology, mask: Any, field: str) -> Iterator[Site]:
    """Give the processors that truth values mark."""
    sites: list[Site]
    if network.on_nodes:
        what, sites = "node", [(v,) for v in range(*network.size)]
    else:
        what = "point" if network.repeats else "processor"
        sites = [*network.in_given_order()]
    shapes = {(len(sites),), network.size}
    try:
        marks = np.array(mask)
    except ValueError:  # rows of several lengths
        marks = np.zeros(0)
    if marks.dtype != bool or marks.shape not in shapes:
        expected = " or ".join(str(shape) for shape in sorted(shapes))
        raise InputError(
            f"must be one truth value for each {what}, of shape {expected}",
            field,
            "mixed with others" if marks.dtype != bool else marks.shape,
        )
    return (sites[i] for i in np.flatnonzero(marks))


def _numbers(network: Topology, nodes: list[Any], field: str) -> list[int]:
    """Return the numbers of nodes that are given by name, by number, or as sites."""
    number: dict[Hashable, int] = {
        name: v for v, name in enumerate(labels_of(network) or ())
    }
    is_named = bool(network.graph and network.graph.originals)
    processors = {v for (v,) in network.locations()}
    found = dict[int, None]()
    for i, node in enumerate(nodes):
        is_site = isinstance(node, list | tuple) and len(node) == 1
        v = number.get(node) if is_name(node) or isinstance(node, Integral) else None
        if v is None:
            [v] = node if is_site else [None if is_named else node]
        if type(v) is not int or isinstance(node, bool) or v not in processors:
            problem = "is no node of the graph" if v is None else "no such processor"
        elif v in found:
            problem = "listed twice"
        else:
            found[v] = None
            continue
        raise InputError(problem, f"{field}[{i}]", node)
    return list(found)
