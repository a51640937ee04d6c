"""What networks and their nodes are called, and what Python shows for a network."""

from __future__ import annotations

from collections.abc import Hashable
from numbers import Integral
from typing import Any

from ..escape_hidden import brief
from ..topologies import Node, Site, Topology
from ..words import with_noun


def is_name(thing: object) -> bool:
    """Whether something can be what users call a node, and is no index and no site."""
    try:
        hash(thing)
    except TypeError:
        return False
    if isinstance(thing, Node):
        return True
    is_site = isinstance(thing, tuple) and len(thing) == 1
    return not isinstance(thing, Integral) and not is_site


def labels_of(network: Topology) -> tuple[Hashable, ...] | None:
    """Return what users call the nodes, if sites are numbers of nodes; else None.

    Nodes are called as networkx has them, else by name or number. Numbers are a `Node`.
    Names that two nodes share tell neither, and a tuple of one number is how a site is
    written, so then the nodes are called by number.
    """
    if not network.on_nodes:
        return None
    graph = drawn_as(network).graph
    given: tuple[Any, ...] = (graph.originals or graph.names) if graph else ()
    found = [Node(v) if isinstance(v, Integral) else v for v in given]
    [nodes] = network.size
    if len(set(found)) < nodes or not all(map(is_name, found)):
        return tuple(map(Node, range(nodes)))
    return tuple(found)


def names_of(network: Topology, sites: tuple[Site, ...]) -> tuple[Hashable, ...]:
    """Return what users call the processors at some sites, see `KSubset.names`."""
    labels = labels_of(network)
    if labels is not None:
        return tuple(labels[v] for (v,) in sites)
    return sites if network.scale == 1 else tuple(map(tuple, network.listed(sites)))


def drawn_as(network: Topology) -> Topology:
    """Return the network of which pictures show the links."""
    return network.prices[0] if network.prices else network


def describe_network(network: Topology) -> str:
    """Return a network in a few words, as in ``8×4 mesh``."""
    if network.prices:
        return f"{describe_network(network.prices[0])}, hops priced"
    if network.grid:
        sides = "×".join(map(str, network.size))
        rings = network.grid.rings
        if len({*rings}) == 1:
            return f"{sides} {network.kind}"
        axes = " and ".join(str(i + 1) for i, ring in enumerate(rings) if ring)
        return f"{sides} grid with rings on axis {axes}"
    if network.is_flat:
        points = with_noun(network.processors_in_all, "point")
        return f"{points} in {network.dimension}-D"
    what = "node" if network.on_nodes else "processor"
    return f"{network.kind} of {network.size[0]} {what}s"


def with_article(network: Topology) -> str:
    """Return the kind of a network with an article, as in ``a mesh``."""
    is_plural = network.is_flat and not network.grid
    return network.kind if is_plural else f"a {network.kind}"


def shown(network: Any) -> str:
    """Return what Python shows for a network; for one of users, what it shows for all.

    >>> from closeknit.instances import Grid, Tree
    >>> Grid((4, 3), (True, False)), Tree((-1, 0), (0, 1), (1,))
    (Grid((4, 3), rings=(True, False)), <Tree 2 nodes, 1 processor>)
    """
    kind = type(network).__name__
    if network.grid:
        rings = network.grid.rings
        more = f", rings={rings}" * (len({*rings}) > 1)
        return f"{network.kind.capitalize()}({network.size}{more})"
    if network.graph or network.tree:
        parts = [with_noun(network.size[0], "node")]
        parts += [with_noun(len(network.edges), "edge")] if network.graph else []
        parts += [with_noun(network.processors_in_all, "processor")]
        return brief(kind, ", ".join(parts))
    if network.table:
        return f"{kind}({describe_network(network)})"
    if network.is_flat:
        units = f", in units of 1/{network.scale}" * (network.scale > 1)
        return brief(kind, describe_network(network) + units)
    return object.__repr__(network)
