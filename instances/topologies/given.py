"""Networks whose distances are given: as a table, or by a price of each hop count."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..reading import fields
from ..reading.json_types import to_json_types
from ..value import LARGEST
from .metric import as_topology
from .topology import PARSERS, Node, OnNodes, Site, Topology, reads

MOST_ROWS = 4096
MOST_HOPS = 4096
"""Largest distance that may be priced."""
MOST_PRICED = 2**16
"""Processors of a network whose hops are priced."""
_MOST_SITES = 2048
"""Processors up to which the largest distance is looked for, pair by pair."""


@dataclass(frozen=True)
class Distances(OnNodes):
    """Nodes whose distances are the entries of a table; any, if the same both ways.

    Parameters
    ----------
    rows
        Row i has the distances from node i to all nodes, in their order: integers from
        0 to 2^62, 0 to itself. An array of numpy will do.

    Raises
    ------
    InputError
        For the first entry that is none of these, or not the same both ways.

    Examples
    --------
    >>> Distances([[0, 5, 1], [5, 0, 1], [1, 1, 0]]).distance((0,), (1,))
    5
    """

    rows: tuple[tuple[int, ...], ...]

    if TYPE_CHECKING:

        def __init__(self, rows: Sequence[Sequence[int]]) -> None: ...

    kind = "table"
    is_metric = False  # not known; `arrays.is_metric` looks at the distances

    def __post_init__(self) -> None:
        where = "topology.distance"
        given = fields.lists(to_json_types(self.rows), where)
        n = len(given)
        if not 1 <= n <= MOST_ROWS:
            raise InputError(f"must have 1 to {MOST_ROWS} rows", where, n)
        rows = tuple(
            fields.integers(row, f"{where}[{i}]") for i, row in enumerate(given)
        )
        for i, row in enumerate(rows):
            if len(row) != n:
                problem = f"must have {n} entries, one a row"
                raise InputError(problem, f"{where}[{i}]", len(row))
            if min(row) < 0 or max(row) >= LARGEST:
                at = next(j for j, x in enumerate(row) if not 0 <= x < LARGEST)
                problem = "must lie between 0 and 2^62"
                raise InputError(problem, f"{where}[{i}][{at}]", row[at])
            if row[i]:
                raise InputError("must be 0", f"{where}[{i}][{i}]", row[i])
        for i, (row, column) in enumerate(
            zip(rows, zip(*rows, strict=True), strict=True)
        ):
            if row != column:
                at = next(j for j in range(n) if row[j] != column[j])
                problem = f"must be {column[at]}, as the other way"
                raise InputError(problem, f"{where}[{i}][{at}]", row[at])
        object.__setattr__(self, "rows", rows)

    def __repr__(self) -> str:
        return f"Distances({self.described})"

    @property
    def processors(self) -> tuple[int, ...]:  # type: ignore[override]
        """All nodes."""
        return tuple(range(len(self.rows)))

    @property
    def labels(self) -> tuple[Hashable, ...]:
        """The numbers of the nodes."""
        return tuple(map(Node, self.processors))

    @property
    def table(self) -> tuple[tuple[int, ...], ...]:
        """The rows."""
        return self.rows

    def distance(self, p: Site, q: Site) -> int:
        """Return the entry."""
        return self.rows[p[0]][q[0]]

    def spread(self, sites: Sequence[Site]) -> int:
        """Return the greatest entry of the table."""
        return max(map(max, self.rows))

    def document(self) -> dict[str, Any]:
        """Return its object in files."""
        return {"kind": self.kind, "distance": [list(row) for row in self.rows]}


@reads("table")
def _parse_table(network: dict[str, Any]) -> Distances:
    fields.only(network, ("kind", "distance"), ("distance",), "topology")
    return Distances(network["distance"])


@dataclass(frozen=True)
class Priced(Topology):
    """A network in which the distance of two processors is the price of their hops.

    Grey patterns and spreading over fault domains are choices of least price where far
    is cheap.

    Parameters
    ----------
    network
        Of any other kind; its distances are integers of at most 4096.
    price
        The price of each number of hops: of 0 (two processors at one place), of 1, and
        so on up to the greatest distance. Integers from 0 to 2^62.

    Raises
    ------
    InputError
        If the prices do not reach the greatest distance, or one is no such integer.

    Examples
    --------
    >>> from closeknit.instances.topologies import Mesh
    >>> Priced(Mesh(4), (0, 9, 4, 1)).distance((0,), (3,))
    1
    """

    network: Topology
    price: tuple[int, ...]

    is_metric = False  # not known; `arrays.is_metric` looks at the distances

    def __post_init__(self) -> None:
        where = "topology.price"
        network = as_topology(self.network)
        prices = fields.integers(to_json_types(self.price), where)
        object.__setattr__(self, "network", network)
        object.__setattr__(self, "price", prices)
        for i, one in enumerate(prices):
            if not 0 <= one < LARGEST:
                raise InputError("must lie between 0 and 2^62", f"{where}[{i}]", one)
        if network.table is not None or network.prices is not None:
            raise InputError("is for networks with hops", where, network.kind)
        if network.scale != 1:
            raise InputError("is for distances that are integers", where)
        if (count := network.processors_in_all) > MOST_PRICED:
            raise InputError(f"is for at most {MOST_PRICED} processors", where, count)
        sites = list(network.locations())
        most = network.spread(sites)
        if len(prices) <= most and len(sites) <= _MOST_SITES:
            pairs = combinations(sites, 2)
            most = max((network.distance(p, q) for p, q in pairs), default=0)
        if most > MOST_HOPS:
            problem = f"is for distances of at most {MOST_HOPS}"
            raise InputError(problem, where, f"up to {most}")
        if len(prices) <= most:
            problem = f"must have {most + 1} entries, for distances up to {most}"
            raise InputError(problem, where, len(prices))

    @property
    def kind(self) -> str:
        """The kind of the network, and that its hops are priced."""
        return f"priced {self.network.kind}"

    @property
    def prices(self) -> tuple[Topology, tuple[int, ...]]:
        """The network and the prices."""
        return self.network, self.price

    @property
    def drawn_as(self) -> Topology:
        """The network."""
        return self.network

    @property
    def together(self) -> int:  # type: ignore[override]
        """The price of no hops."""
        return self.price[0]

    @property
    def dimension(self) -> int:
        """Number of coordinates of a site."""
        return self.network.dimension

    @property
    def repeats(self) -> bool:  # type: ignore[override]
        """Whether several processors may have the same site."""
        return self.network.repeats

    @property
    def size(self) -> tuple[int, ...]:
        """That of the network."""
        return self.network.size

    @property
    def processors_in_all(self) -> int:
        """Number of processors, free or busy."""
        return self.network.processors_in_all

    @property
    def described(self) -> str:
        """The network in a few words."""
        return f"{self.network.described}, hops priced"

    @property
    def labels(self) -> tuple[Hashable, ...] | None:
        """What users call the nodes."""
        return self.network.labels

    @property
    def names(self) -> tuple[str, ...]:  # type: ignore[override]
        """Names of the nodes in files."""
        return self.network.names

    def locations(self) -> Iterator[Site]:
        """All locations, in lexicographic order, with repeats."""
        return self.network.locations()

    def in_given_order(self) -> Iterator[Site]:
        """All locations as users gave them."""
        return self.network.in_given_order()

    def distance(self, p: Site, q: Site) -> int:
        """Return the price of the hops."""
        return self.price[self.network.distance(p, q)]

    def spread(self, sites: Sequence[Site]) -> int:
        """Return the highest price."""
        return max(self.price)

    def document(self) -> dict[str, Any]:
        """Return its object in files."""
        return {**self.network.document(), "price": list(self.price)}

    def identity(self) -> dict[str, Any]:
        """Return what equal networks have in common."""
        return {**self.network.identity(), "price": list(self.price)}

    def listed(self, sites: Sequence[Site]) -> list[Any]:
        """Return sites as in files."""
        return self.network.listed(sites)

    def parse_sites(self, value: Any, field: str) -> list[Site]:
        """Return the sites that a file lists."""
        return self.network.parse_sites(value, field)


def parse_priced(network: dict[str, Any]) -> Priced:
    """Read a network with a ``price``, whose kind is known."""
    rest = {name: one for name, one in network.items() if name != "price"}
    return Priced(PARSERS[rest["kind"]](rest), network["price"])
