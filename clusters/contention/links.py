"""The links of a network: how much they carry, and what others send.

In a tree there is one link each way above every domain: all its cables together, over
which packets spread evenly. Capacities and background are read from CSV files in Gbit/s
and kept in hundredths of a port's rate, rounded; a *port* is the link of a node.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation
from functools import cached_property
from typing import NoReturn

import numpy as np

from ...instances import InputError, IntArray
from ...instances.reading.files import read_text
from ...network.contention.instance import MOST_CAPACITY
from ...network.loads import Routes
from ..topologies import Fabric, FabricKind, Hierarchy, Space
from ..topologies.infiniband import MOST_LINKS, csv_rows
from ..topologies.switch_trees import SourceFile

UNIT = 100
"""Parts of a port's rate that capacities and background are rounded to."""
CAPACITY = ("a", "b", "capacity")
COUNTERS = ("a", "b", "gbit_ab", "gbit_ba")
MOST_RATE = Decimal(10**6)
"""Gbit/s of a line."""
Wires = dict[tuple[int, int], int]
"""A number in `UNIT` parts of a port's rate, by the ends of a directed link; in a tree
those are domains."""


@dataclass(frozen=True, eq=False)
class TreeLinks:
    """The links above the domains of a hierarchy.

    Parameters
    ----------
    capacity
        Of the link above every domain, the same up and down, in `UNIT` parts of a
        port's rate; that of the root counts for nothing.
    background
        What others send up and down these links, in the same unit, shape (2, domains);
        None if it is not known.
    """

    capacity: IntArray
    background: IntArray | None = None

    @cached_property
    def busy(self) -> IntArray:
        """What others send, as far as it is known."""
        if self.background is None:
            return np.zeros((2, len(self.capacity)), dtype=np.int64)
        return self.background

    @classmethod
    def of(cls, fabric: Hierarchy, capacity: Wires, busy: Wires | None) -> TreeLinks:
        """Return those with given numbers."""
        ups = [(v, int(up)) for v, up in enumerate(fabric.parent)][1:]
        whole = np.array([1, *(capacity[link] for link in ups)], dtype=np.int64)
        if busy is None:
            return cls(whole)
        sent = [[0, *(busy[link] for link in ups)], [0, *(busy[v, u] for u, v in ups)]]
        return cls(whole, np.array(sent, dtype=np.int64))


def read_links(
    path: str | None, fabric: Fabric, cables: Cables, port: Decimal | None
) -> tuple[Wires, Decimal]:
    """Read the capacities of links, and the rate of a port in Gbit/s.

    The file is CSV with the columns ``a,b,capacity``: two names of the topology, the
    second of which is empty for what is above the first, and Gbit/s each way. Lines of
    the same pair are parallel cables and add up. A node with its switch is a port; the
    slowest of them is the rate, unless it is given. Without a file, ``cables`` are what
    the topology states; where it states none, links of a grid are as wide as a port.

    Raises
    ------
    InputError
        Names the file, the line and the value.
    """
    where, names = SourceFile(path or "--topology"), names_of(fabric)
    if path is not None:
        cables = (
            (line, a, b, gbit)
            for line, a, b, (gbit,) in _lines(where, read_text(path), CAPACITY)
        )
    sums: dict[tuple[int, int], Decimal] = {}
    ports: dict[str, Decimal] = {}
    for line, a, b, gbit in cables:
        if not gbit:
            where.fail(line, "must be positive", "capacity", str(gbit))
        link = names.link(where, line, a, b)
        if isinstance(link, str):
            if link:
                ports[link] = ports.get(link, Decimal(0)) + gbit
        else:
            for way in (link, link[::-1]):
                sums[way] = sums.get(way, Decimal(0)) + gbit
    if path is None and not sums and not ports:
        if isinstance(fabric, Hierarchy):
            raise InputError("needs --links", "--objective")
        return dict.fromkeys(names.links, UNIT), port or Decimal(1)
    if port is None:
        if not ports:
            problem = "is needed: no line of --links is about a node"
            raise InputError(problem, "--port-rate")
        port = min(ports.values())
    names.refuse_missing(where, sums)
    capacity = {link: _round(sums.get(link, port), port) for link in names.links}
    for link, whole in capacity.items():
        if not whole:
            problem = f"is less than a hundredth of a port's rate, {port} Gbit/s"
            where.fail(0, problem, names.text(link), str(sums[link]))
        if whole > MOST_CAPACITY:
            problem = f"is too much for a port's rate of {port} Gbit/s"
            where.fail(0, problem, names.text(link), str(sums[link]))
    return capacity, port


Cables = Iterable[tuple[int, str, str, Decimal]]
"""Lines of a topology, two names, and Gbit/s each way."""


def read_counters(
    path: str, text: str, fabric: Fabric, capacity: Wires, port: Decimal
) -> Wires:
    """Read what others send: counters of ports over a window, in Gbit/s.

    The file is CSV with the columns ``a,b,gbit_ab,gbit_ba``; parallel cables add up.
    Lines about nodes are left out: what their own links carry is the same whatever is
    chosen.

    Raises
    ------
    InputError
        Names the file, the line and the value; also if a link has no line, or sends
        more than it can.
    """
    where, names = SourceFile(path), names_of(fabric)
    sums: dict[tuple[int, int], Decimal] = {}
    known: dict[tuple[int, int], int] = {}
    for line, a, b, pair in _lines(where, text, COUNTERS):
        link = names.link(where, line, a, b)
        if isinstance(link, str):
            continue
        for way, gbit in zip((link, link[::-1]), pair, strict=True):
            known[way] = line
            sums[way] = sums.get(way, Decimal(0)) + gbit
    names.refuse_missing(where, sums)
    busy = {link: _round(sums.get(link, Decimal(0)), port) for link in names.links}
    for link, sent in busy.items():
        if sent > capacity[link]:
            most = Decimal(capacity[link]) * port / UNIT
            problem = f"is above the capacity, {most.normalize():f} Gbit/s"
            where.fail(known[link], problem, names.text(link), str(sums[link]))
    return busy


def _round(gbit: Decimal, port: Decimal) -> int:
    if gbit > MOST_CAPACITY * port:  # the quotient might be no Decimal
        return MOST_CAPACITY + 1
    return int((UNIT * gbit / port).to_integral_value(ROUND_HALF_EVEN))


def _lines(
    where: SourceFile, text: str, columns: tuple[str, ...]
) -> Iterator[tuple[int, str, str, list[Decimal]]]:
    """Yield the lines of a file: number, two names, and Gbit/s."""
    rows = csv_rows(text, where)
    lines = (x for x in text.splitlines() if x.strip() and x.lstrip()[0] != "#")
    head = next(lines, "")
    if tuple(x.strip() for x in head.split(",")) != columns:
        where.fail(1, f"must be {','.join(columns)}", "the first line", head)
    for count, (line, row) in enumerate(rows):
        if len(row) != len(columns):
            problem = f"must have {len(columns)} cells"
            where.fail(line, problem, "line", ",".join(row))
        if count >= MOST_LINKS:
            where.fail(line, f"has more than {MOST_LINKS} lines")
        rates = [
            _rate(where, line, column, cell)
            for column, cell in zip(columns[2:], row[2:], strict=True)
        ]
        yield line, row[0], row[1], rates


def _rate(where: SourceFile, line: int, column: str, cell: str) -> Decimal:
    gbit = rate_of(cell)
    if gbit is None:
        problem = f"must be Gbit/s, a number from 0 to {MOST_RATE}"
        where.fail(line, problem, column, cell)
    return gbit


def rate_of(text: str) -> Decimal | None:
    """Return a number of Gbit/s; None if it is none, or out of range."""
    try:
        gbit = Decimal(text if text.isascii() and "_" not in text else "")
    except InvalidOperation:
        return None
    return gbit if gbit.is_finite() and 0 <= gbit <= MOST_RATE else None


def names_of(fabric: Fabric) -> LinkNames:
    """Return which links the names of a network stand for."""
    return TreeNames(fabric) if isinstance(fabric, Hierarchy) else SpaceNames(fabric)


class LinkNames(ABC):
    """Which link two names stand for.

    Attributes
    ----------
    links
        The ends of all links, each way.
    homes
        The switch of each node, or the node itself.
    """

    links: Sequence[tuple[int, int]]
    homes: Sequence[int]

    @abstractmethod
    def link(
        self, where: SourceFile, line: int, a: str, b: str
    ) -> str | tuple[int, int]:
        """Return a node, whose own link is meant, or the ends of the link from a to b.

        "" stands for those of switches without nodes, and between spines.

        Raises InputError if there is none.
        """

    @abstractmethod
    def text(self, link: tuple[int, int]) -> str:
        """Return what a directed link is called; "" if its ends have no names."""

    def refuse_missing(
        self, where: SourceFile, known: Collection[tuple[int, int]]
    ) -> None:
        """Raise InputError if a link has no line."""
        for link in self.links:
            if link not in known and (text := self.text(link)):
                where.fail(0, "has no line", text)

    def _fail(self, where: SourceFile, line: int, a: str, b: str) -> NoReturn:
        where.fail(line, "is no link of the topology", "link", f"{a},{b}")


class SpaceNames(LinkNames):
    """Those of a grid or graph; cells without a node have no names."""

    def __init__(self, fabric: Space) -> None:
        topology = fabric.topology
        routes = Routes(topology)
        self.links, self.homes = routes.links, routes.stop
        self._known = set(routes.links)
        number = {site: p for p, site in enumerate(topology.locations())}
        sites = zip(fabric.nodes, fabric.sites, strict=True)
        graph = topology.graph
        self.node = {name: site[0] if graph else number[site] for name, site in sites}
        self._stop = {
            node: routes.stop[number[(node,)] if graph else node]
            for node in self.node.values()
        }
        self._names = {v: name for name, v in self.node.items()}
        if graph and graph.names:
            self._names = dict(enumerate(graph.names)) | self._names
        self._number = {name: v for v, name in self._names.items()}

    def link(
        self, where: SourceFile, line: int, a: str, b: str
    ) -> str | tuple[int, int]:
        """Return a node, or the ends of a link."""
        for name in (a, b):
            if name not in self._number:
                where.fail(line, "is not in the topology", "link", name)
        u, v = self._number[a], self._number[b]
        if (u, v) in self._known:
            return u, v
        for node, other in ((u, v), (v, u)):
            if self._stop.get(node) == other:
                return self._names[node]
        return self._fail(where, line, a, b)

    def text(self, link: tuple[int, int]) -> str:
        """Return what a directed link is called."""
        names = [self._names.get(v) for v in link]
        return "" if None in names else f"the link {names[0]},{names[1]}"


class TreeNames(LinkNames):
    """Those of a hierarchy."""

    def __init__(self, fabric: Hierarchy) -> None:
        ups = [(v, int(up)) for v, up in enumerate(fabric.parent)][1:]
        self.links = [*ups, *((up, v) for v, up in ups)]
        self.fabric, self.homes = fabric, fabric.home.tolist()
        self.merged = fabric.kind is FabricKind.GRAPH
        """Whether switches alike are one domain, ``a+b``; upper ones have no name."""
        self.nodes = {name: i for i, name in enumerate(fabric.nodes)}
        self.domains: dict[str, int] = {}
        self.twice: set[str] = set()
        for v, name in enumerate(fabric.domains):
            for one in name.split("+") if self.merged else [name]:
                if self.domains.setdefault(one, v) != v:
                    self.twice.add(one)

    def text(self, link: tuple[int, int]) -> str:
        """Return what a directed link is called."""
        u, v = link
        up = u > 0 and int(self.fabric.parent[u]) == v
        name = self.fabric.domains[u if up else v]
        return f"the link {'up from' if up else 'down to'} {name}"

    def link(
        self, where: SourceFile, line: int, a: str, b: str
    ) -> str | tuple[int, int]:
        """Return a node, or the ends of a link."""
        for node, other in ((a, b), (b, a)):
            if node in self.nodes:
                home = int(self.fabric.home[self.nodes[node]])
                if self._domain(where, line, other) != home:
                    self._fail(where, line, a, b)
                return node
        below = self._domain(where, line, a)
        if not b and below:
            return below, int(self.fabric.parent[below])
        above = self._domain(where, line, b)
        apart = {a, b} & self.fabric.others
        if apart and (apart == {a, b} or not self.merged):
            return ""
        for v, up, reverse in ((below, above, False), (above, below, True)):
            if v is None or v == 0:
                continue
            parent = int(self.fabric.parent[v])
            if up == parent or (up is None and self._is_unnamed(parent)):
                return (parent, v) if reverse else (v, parent)
        return self._fail(where, line, a, b)

    def _domain(self, where: SourceFile, line: int, name: str) -> int | None:
        if name in self.twice:
            where.fail(line, "is the name of two domains", "link", name)
        found = self.domains.get(name)
        if found is None and name not in self.fabric.others:
            where.fail(line, "is not in the topology", "link", name)
        return found

    def _is_unnamed(self, v: int) -> bool:
        return self.merged and self.fabric.domains[v].startswith("upper-")
