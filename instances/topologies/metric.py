"""Networks that are known by their distances alone.

Those of users' own classes; tables of distances; and networks whose hops have prices.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from operator import attrgetter
from random import Random
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..reading import fields
from ..reading.json_types import to_json_types
from ..value import LARGEST
from .topology import PARSERS, Node, OnNodes, Site, Topology, reads

MOST_SITES = 2**16
MOST_PAIRS = 10**6
"""Pairs of sites whose distances are all looked at; of more, so many are drawn."""
MOST_ROWS = 4096
"""Rows of a table."""
MOST_HOPS = 4096
"""Largest distance that may be priced."""
_MOST_LOOKED_AT = 2048
"""Processors up to which the largest distance is looked for, pair by pair."""


class Metric(Topology):
    """A network of a foreign class, priced by its own ``distance``, pair by pair.

    Nothing else of it is used: it has no cuts and no axes, so methods that need these
    refuse it, and it has no file.

    Parameters
    ----------
    given
        Has ``kind``, ``locations()`` and ``distance(p, q)``, as `Topology` states, and
        ``scale`` if that is not 1.

    Raises
    ------
    InputError
        If a distance is not a whole number of at least 0, if it is not 0 between a
        site and itself, or if two sites are not as far apart one way as the other; it
        names the pair. Of more than 10^6 pairs, so many are drawn.
    """

    is_metric = False  # not known; `arrays.is_metric` looks at the distances

    def __init__(self, given: Any) -> None:
        self.given = given
        self.scale = int(getattr(given, "scale", 1))
        found = islice(given.locations(), MOST_SITES + 1)
        self._in_given_order = [_site(site) for site in found]
        self._sites = sorted(self._in_given_order)
        if not 1 <= len(self._sites) <= MOST_SITES:
            problem = f"must have between 1 and {MOST_SITES} processors"
            raise InputError(problem, "topology", len(self._sites))
        if len({len(site) for site in self._sites}) > 1:
            raise InputError("has sites of different dimensions", "topology")
        self.repeats = len(set(self._sites)) < len(self._sites)
        self._known: dict[tuple[Site, Site], int] = {}
        self._check_distances()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Metric) and self.given == other.given

    def __hash__(self) -> int:
        return hash((self.kind, len(self._sites)))

    def __repr__(self) -> str:
        return f"Metric({self.given!r})"

    @property
    def kind(self) -> str:
        """The kind that the given network states, or the name of its class."""
        return str(getattr(self.given, "kind", type(self.given).__name__.lower()))

    @property
    def dimension(self) -> int:
        """Number of coordinates of a site."""
        return len(self._sites[0])

    @property
    def processors_in_all(self) -> int:
        """Number of processors, free or busy."""
        return len(self._sites)

    def locations(self) -> Iterator[Site]:
        """All sites, in lexicographic order, with repeats."""
        return iter(self._sites)

    def in_given_order(self) -> Iterator[Site]:
        """All sites as they were given."""
        return iter(self._in_given_order)

    def identity(self) -> dict[str, Any]:
        """Return its sites and all distances, which no file has."""
        if len(self._sites) ** 2 > 2 * MOST_PAIRS:
            return self.document()
        pairs = combinations(self._sites, 2)
        lengths = [self.distance(p, q) for p, q in pairs]
        return {"kind": self.kind, "sites": self.listed(self._sites), "hops": lengths}

    def distance(self, p: Site, q: Site) -> int:
        """Return what the given network answers, kept for pairs that were checked."""
        key = (p, q) if p <= q else (q, p)
        found = self._known.get(key)
        return self._measure(*key) if found is None else found

    def _measure(self, p: Site, q: Site) -> int:
        length = to_json_types(self.given.distance(p, q))
        if type(length) is not int:
            raise _refuse("is no whole number", p, q, length)
        if not 0 <= length < LARGEST:
            raise _refuse("must lie between 0 and 2^62", p, q, length)
        return length

    def _check_distances(self) -> None:
        sites = list(dict.fromkeys(self._sites))
        for site in sites:
            if there := self._measure(site, site):
                raise _refuse("must be 0", site, site, there)
        n = len(sites)
        pairs: Iterable[tuple[Site, ...]] = combinations(sites, 2)
        if n * (n - 1) // 2 > MOST_PAIRS:
            random = Random(0)
            pairs = (tuple(random.sample(sites, 2)) for _ in range(MOST_PAIRS))
        for p, q in pairs:
            there, back = self._measure(p, q), self._measure(q, p)
            if there != back:
                raise _refuse(f"is {there}, and {back} the other way", p, q)
            self._known[(p, q) if p <= q else (q, p)] = there


def _site(given: Any) -> Site:
    """Return a site as a tuple of integers."""
    numbers = to_json_types(given)
    if not isinstance(numbers, list) or not {*map(type, numbers)} <= {int}:
        raise InputError("has a site that is no tuple of integers", "topology", given)
    return tuple(numbers)


def _refuse(problem: str, p: Site, q: Site, *value: object) -> InputError:
    return InputError(f"the distance of {p} and {q} {problem}", "topology", *value)


def as_topology(network: Any) -> Topology:
    """Return a network of ours as it is, and any other as a `Metric`.

    What a class of users claims beyond distances is not relied on, also where it is
    derived from `Topology`.
    """
    package = type(network).__module__.partition(".")[0]
    ours = isinstance(network, Topology) and package == __name__.partition(".")[0]
    return network if ours else Metric(network)


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

    described = property(
        lambda self: f"{self.network.described}, hops priced",
        doc="The network in a few words.",
    )

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
    *("dimension", "repeats", "size", "processors_in_all", "labels", "names"),
    *("locations", "in_given_order", "listed", "parse_sites"),
):  # all else is as in the network
    setattr(Priced, _name, property(attrgetter(f"network.{_name}")))


def parse_prices(network: dict[str, Any]) -> Priced:
    """Read a network with a ``price``, whose kind is known."""
    rest = {name: one for name, one in network.items() if name != "price"}
    return Priced(PARSERS[rest["kind"]](rest), network["price"])
