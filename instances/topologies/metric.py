"""Tables of distances, and networks whose hops have prices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..reading import fields
from ..reading.json_types import to_json_types
from ..value import LARGEST
from .topology import PARSERS, OnNodes, Site, Topology, as_topology, reads

MOST_SITES = 2**16
MOST_ROWS = 4096
"""Rows of a table."""
MOST_HOPS = 4096
"""Largest distance that may be priced."""
_MOST_LOOKED_AT = 2048
"""Processors up to which the largest distance is looked for, pair by pair."""


@dataclass(frozen=True, repr=False)
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

    @property
    def nodes(self) -> int:  # type: ignore[override]
        """Number of nodes."""
        return len(self.rows)

    @property
    def processors(self) -> tuple[int, ...]:  # type: ignore[override]
        """All nodes."""
        return tuple(range(self.nodes))

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
        if (count := network.processors_in_all) > MOST_SITES:
            raise InputError(f"is for at most {MOST_SITES} processors", where, count)
        sites = list(network.locations())
        most = network.spread(sites)
        if len(prices) <= most and len(sites) <= _MOST_LOOKED_AT:
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
    def together(self) -> int:  # type: ignore[override]
        """The price of no hops."""
        return self.price[0]

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


for _name in (
    *("dimension", "repeats", "size", "processors_in_all", "on_nodes", "names"),
    *("locations", "in_given_order", "listed", "parse_sites"),
):  # all else is as in the network
    setattr(Priced, _name, property(attrgetter(f"network.{_name}")))


def parse_prices(network: dict[str, Any]) -> Priced:
    """Read a network with a ``price``, whose kind is known."""
    rest = {name: one for name, one in network.items() if name != "price"}
    return Priced(PARSERS[rest["kind"]](rest), network["price"])
