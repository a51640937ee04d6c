"""The links of a tree of switches: how much they carry, and what others send.

Above every domain there is one link each way: all its cables together, over which
packets spread evenly. Capacities and background are read from CSV files in Gbit/s and
kept in hundredths of a port's rate, rounded; a *port* is the link of a node.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation
from functools import cached_property
from typing import NoReturn

import numpy as np

from ...instances import InputError, IntArray
from ...instances.reading.files import read_text
from ..topologies import FabricKind, Hierarchy
from ..topologies.infiniband import MOST_LINKS, csv_rows
from ..topologies.switch_trees import SourceFile

UNIT = 100
"""Parts of a port's rate that capacities and background are rounded to."""
CAPACITY = ("a", "b", "capacity")
COUNTERS = ("a", "b", "gbit_ab", "gbit_ba")
MOST_RATE = Decimal(10**6)
"""Gbit/s of a line."""
_UP, _DOWN = 0, 1


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


def read_links(
    path: str, fabric: Hierarchy, port: Decimal | None
) -> tuple[TreeLinks, Decimal]:
    """Read the capacities of links, and the rate of a port in Gbit/s.

    The file is CSV with the columns ``a,b,capacity``: two names of the topology, the
    second of which is empty for what is above the first, and Gbit/s each way. Lines of
    the same pair are parallel cables and add up. A node with its switch is a port; the
    slowest of them is the rate, unless it is given.

    Raises
    ------
    InputError
        Names the file, the line and the value.
    """
    where = SourceFile(path)
    sums = [Decimal(0)] * len(fabric.parent)
    ports: dict[str, Decimal] = {}
    text = read_text(path)
    for line, link, (gbit,) in _lines(path, text, CAPACITY, fabric):
        if not gbit:
            where.fail(line, "must be positive", "capacity", str(gbit))
        if isinstance(link, str):
            ports[link] = ports.get(link, Decimal(0)) + gbit
        else:
            sums[link[0]] += gbit
    if port is None:
        if not ports:
            problem = "is needed: no line of --links is about a node"
            raise InputError(problem, "--port-rate")
        port = min(ports.values())
    _refuse_missing(where, fabric, {v for v, gbit in enumerate(sums) if gbit})
    capacity = np.array([_round(gbit, port) for gbit in sums], dtype=np.int64)
    if (none := np.flatnonzero(capacity[1:] == 0)).size:
        v = 1 + int(none[0])
        problem = f"is less than a hundredth of a port's rate, {port} Gbit/s"
        where.fail(0, problem, f"the link above {fabric.domains[v]}", str(sums[v]))
    capacity[0] = 1
    return TreeLinks(capacity), port


def read_counters(
    path: str, text: str, fabric: Hierarchy, links: TreeLinks, port: Decimal
) -> TreeLinks:
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
    where = SourceFile(path)
    sums = [[Decimal(0)] * len(fabric.parent) for _ in (_UP, _DOWN)]
    known: dict[int, int] = {}
    for line, link, pair in _lines(path, text, COUNTERS, fabric):
        if isinstance(link, str):
            continue
        v, reverse = link
        known[v] = line
        for way, gbit in zip((_UP, _DOWN), pair, strict=True):
            sums[way ^ reverse][v] += gbit
    _refuse_missing(where, fabric, known)
    busy = np.array([[_round(x, port) for x in way] for way in sums], dtype=np.int64)
    busy[:, 0] = 0
    if (over := np.argwhere(busy > links.capacity)).size:
        way, v = over[0].tolist()
        gbit, most = sums[way][v], Decimal(int(links.capacity[v])) * port / UNIT
        problem = f"is above the capacity, {most.normalize():f} Gbit/s"
        of = f"the link {'down to' if way else 'up from'} {fabric.domains[v]}"
        where.fail(known[v], problem, of, str(gbit))
    return TreeLinks(links.capacity, busy)


def _round(gbit: Decimal, port: Decimal) -> int:
    return int((UNIT * gbit / port).to_integral_value(ROUND_HALF_EVEN))


def _refuse_missing(
    where: SourceFile, fabric: Hierarchy, known: Mapping[int, int] | set[int]
) -> None:
    for v in range(1, len(fabric.parent)):
        if v not in known:
            where.fail(0, "has no line", "the link above", fabric.domains[v])


Link = str | tuple[int, bool]
"""A node, or the domain below a link and whether a line names its upper end first."""


def _lines(
    path: str, text: str, columns: tuple[str, ...], fabric: Hierarchy
) -> Iterator[tuple[int, Link, list[Decimal]]]:
    """Yield the lines of a file: number, link, and Gbit/s."""
    where, names = SourceFile(path), _Names(fabric)
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
        yield line, names.link(where, line, row[0], row[1]), rates


def _rate(where: SourceFile, line: int, column: str, cell: str) -> Decimal:
    gbit = rate_of(cell)
    if gbit is None:
        problem = f"must be Gbit/s, a number from 0 to {MOST_RATE}"
        where.fail(line, problem, column, cell)
    return gbit


def rate_of(text: str) -> Decimal | None:
    """Return a number of Gbit/s; None if it is none, or out of range."""
    try:
        gbit = Decimal(text)
    except InvalidOperation:
        return None
    return gbit if gbit.is_finite() and 0 <= gbit <= MOST_RATE else None


class _Names:
    """Which link two names stand for."""

    def __init__(self, fabric: Hierarchy) -> None:
        self.fabric = fabric
        self.merged = fabric.kind is FabricKind.GRAPH
        """Whether switches alike are one domain, ``a+b``; upper ones have no name."""
        self.nodes = {name: i for i, name in enumerate(fabric.nodes)}
        self.domains: dict[str, int] = {}
        self.twice: set[str] = set()
        for v, name in enumerate(fabric.domains):
            for one in name.split("+") if self.merged else [name]:
                if self.domains.setdefault(one, v) != v:
                    self.twice.add(one)

    def link(self, where: SourceFile, line: int, a: str, b: str) -> Link:
        """Return the link between two names; raise InputError if there is none."""
        for node, other in ((a, b), (b, a)):
            if node in self.nodes:
                home = int(self.fabric.home[self.nodes[node]])
                if self._domain(where, line, other) != home:
                    self._fail(where, line, a, b)
                return node
        below = self._domain(where, line, a)
        if not b and below:
            return below, False
        above = self._domain(where, line, b)
        for v, up, reverse in ((below, above, False), (above, below, True)):
            if v is None or v == 0:
                continue
            parent = int(self.fabric.parent[v])
            if up == parent or (up is None and self._is_unnamed(parent)):
                return v, reverse
        return self._fail(where, line, a, b)

    def _domain(self, where: SourceFile, line: int, name: str) -> int | None:
        if name in self.twice:
            where.fail(line, "is the name of two domains", "link", name)
        found = self.domains.get(name)
        if found is None and not self.merged:
            where.fail(line, "is not in the topology", "link", name)
        return found

    def _is_unnamed(self, v: int) -> bool:
        return self.merged and self.fabric.domains[v].startswith("upper-")

    def _fail(self, where: SourceFile, line: int, a: str, b: str) -> NoReturn:
        where.fail(line, "is no link of the topology", "link", f"{a},{b}")
