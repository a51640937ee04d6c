"""Tables of routes from files: to which neighbour a node passes a packet.

The first line is ``at,to,next``. Each other line names a node, a processor, and the
neighbour to which the node passes packets for that processor. Nodes are named as in the
file of the graph, or by their numbers where it has no names.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from ..instances import Graph, InputError
from ..instances.errors import in_file
from ..instances.reading.files import read_text
from .engine import Network
from .messages import Ints

HEADER = ("at", "to", "next")


def read_routes(path: str | Path, network: Network) -> Ints:
    """Read the routes of a graph.

    Parameters
    ----------
    path
        File in the form above.
    network
        A graph.

    Returns
    -------
    array
        The next node for a packet to each processor at each node, shape (processors,
        nodes); -1 where none is listed. Whether all pairs have a route is checked by
        the engine.

    Raises
    ------
    InputError
        If the network is no graph, or the file is not valid: one line with file, line,
        field and value.
    """
    if network.graph is None:
        raise InputError("are for graphs and dragonflies", "routes")
    with in_file(path):
        return parse_routes(read_text(path), network.graph)


def parse_routes(text: str, graph: Graph) -> Ints:
    """Read routes from text; see `read_routes`."""
    names = graph.names or tuple(map(str, range(graph.nodes)))
    number = {name: v for v, name in enumerate(names)}
    place = {v: p for p, v in enumerate(graph.processors)}
    near = {frozenset(edge[:2]) for edge in graph.edges}
    table = np.full((len(graph.processors), graph.nodes), -1, np.int64)
    rows = csv.reader(text.splitlines())
    if tuple(next(rows, ())) != HEADER:
        raise InputError(f"must be {','.join(HEADER)}", "line 1")
    for row in rows:
        line = f"line {rows.line_num}"
        if len(row) != len(HEADER):
            raise InputError("must have 3 fields", line, len(row))
        for field, name in zip(HEADER, row, strict=True):
            if name not in number:
                raise InputError("no such node", f"{line}: {field}", name)
        at, to, after = (number[name] for name in row)
        if to not in place:
            raise InputError("is no processor", f"{line}: to", row[1])
        if frozenset((at, after)) not in near:
            raise InputError(f"is no neighbour of {row[0]}", f"{line}: next", row[2])
        if table[place[to], at] >= 0:
            raise InputError("is listed twice", f"{line}: at, to", ",".join(row[:2]))
        table[place[to], at] = after
    return table
