"""What sets of processors put on every link, for each network and routing.

A unit of traffic from one processor to another flows over links; where a routing draws
or adapts, it is split evenly at every node among the links that packets may take there.
Links between a processor and its only switch are left out: they carry the same whatever
processors are chosen. The conventions are those of the simulators: of two ways round a
ring of equal length the parity of the sender's coordinates decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from heapq import heappop, heappush

from ...instances import InputError
from ...instances.topologies.shortest_paths import Neighbours, lengths_from
from ..engine import Network
from ..kary_tree import KaryTree

GRID_ROUTINGS = ("adaptive", "dimension-order")
TREE_ROUTINGS = ("adaptive",)
ROUTINGS = ("minimal", "drawn", "d-mod-k", "valiant", "table")
"""Of graphs and trees: of shortest ways the one by the lowest neighbours; all; the one
whose number among all is that of the target, modulo how many there are; over any
switch; as listed."""
FIXED = ("dimension-order", "minimal", "d-mod-k", "table")
"""Routings with one way from each processor to each other."""
_Steps = Mapping[int, tuple[int, ...]]


def routings_of(network: Network) -> tuple[str, ...]:
    """Return the routings of a network, the usual one first."""
    if network.grid:
        return GRID_ROUTINGS
    return TREE_ROUTINGS if isinstance(network, KaryTree) else ROUTINGS


class Routes:
    """Where packets go on, from the definition of each routing, in plain Python.

    Parameters
    ----------
    network
        Processors are numbered in the order of its ``locations``.
    routing
        One of `routings_of`; "" for the first of them.
    table
        For ``table``: for each processor the neighbour to which each node passes
        packets to it, or -1.

    Attributes
    ----------
    links
        The two ends of every link between switches, or between processors that are
        switches; cells of grids are numbered in lexicographic order.
    stop
        Node of each processor: its only switch, or the processor itself.

    Raises
    ------
    InputError
        If the routing is not one of the network's.
    """

    def __init__(
        self,
        network: Network,
        routing: str = "",
        table: Sequence[Sequence[int]] | None = None,
    ) -> None:
        self._near, home = _nodes(network)
        known = routings_of(network)
        self.routing = routing or known[0]
        if self.routing not in known or (self.routing == "table") != (
            table is not None
        ):
            raise InputError(f"must be one of {', '.join(known)}", "routing", routing)
        self.network, self.table = network, table
        self._sites = list(network.locations()) if network.grid else []
        _check_table(table, len(home), len(self._near))
        single = {v for v in home if not network.grid and len(self._near[v]) == 1}
        hosts = {v for v in single if self._near[v][0][0] not in single}
        self.stop = tuple(self._near[v][0][0] if v in hosts else v for v in home)
        self._hosts = hosts
        self.links = tuple(
            (u, v)
            for u, near in enumerate(self._near)
            for v, _ in near
            if not {u, v} & hosts
        )
        self._number = {link: e for e, link in enumerate(self.links)}
        self._switches = [v for v in range(len(self._near)) if v not in hosts]
        self._far: dict[int, Sequence[int]] = {}
        self._kept: dict[tuple[int, int, int], dict[int, Fraction]] = {}
        self._ways: dict[tuple[int, ...], tuple[_Steps, Sequence[int]]] = {}

    @property
    def is_fixed(self) -> bool:
        """Whether there is one way from each processor to each other."""
        return self.routing in FIXED

    @cached_property
    def alike(self) -> tuple[int, ...]:
        """For each processor the first one to and from which all go the same ways."""
        if self.routing in ("d-mod-k", "table"):
            return tuple(range(len(self.stop)))
        first: dict[int, int] = {}
        return tuple(first.setdefault(v, p) for p, v in enumerate(self.stop))

    @cached_property
    def middles(self) -> tuple[int, ...]:
        """Nodes over one of which, drawn, packets go; none but for ``valiant``."""
        if self.routing != "valiant":
            return ()
        return tuple(self._switches)

    def is_odd(self, processor: int) -> int:
        """Return 1 for senders that go downwards round half a ring."""
        return sum(self._sites[processor]) % 2 if self._sites else 0

    def steps(self, goal: int, processor: int = -1, odd: int = 0) -> _Steps:
        """Return the links that packets to a node may take next, for every node.

        Parameters
        ----------
        goal
            The node.
        processor
            The processor behind it, where routes depend on that.
        odd
            See `is_odd`.
        """
        found = {}
        away = self.away(goal)
        for here in self._switches:
            if here == goal:
                continue
            if self.table is not None:
                ways = [int(self.table[processor][here])]
            elif self._sites:
                ways = self._on_grid(here, goal, odd)
            else:
                near, last = self._near[here], away[here]
                ways = [v for v, far in near if away[v] + far == last > 0]
            if self.routing == "minimal":
                ways = ways[:1]
            elif self.routing == "d-mod-k":
                ways = ways and [ways[processor % len(ways)]]
            links = ((here, v) for v in ways)
            found[here] = tuple(self._number[e] for e in links if e in self._number)
        return found

    def away(self, goal: int) -> Sequence[int]:
        """Return how far nodes are from one: packets only come nearer."""
        if goal not in self._far:
            if self._sites:
                there, distance = self._sites[goal], self.network.distance
                self._far[goal] = [distance(site, there) for site in self._sites]
            else:
                self._far[goal] = lengths_from(goal, self._near)
        return self._far[goal]

    def _on_grid(self, here: int, goal: int, odd: int) -> list[int]:
        grid = self.network.grid
        assert grid
        ways, stride = [], len(self._sites)
        for side, ring, x, y in zip(
            grid.shape, grid.rings, self._sites[here], self._sites[goal], strict=True
        ):
            stride //= side
            if x == y:
                continue
            ahead = (y - x) % side
            up = y > x
            if ring and side > 2:
                up = 2 * ahead < side + (1 - odd)
            ways.append(here + stride * ((x + (1 if up else -1)) % side - x))
            if self.routing == "dimension-order":
                break
        return ways

    def pair(self, source: int, target: int) -> Mapping[int, Fraction]:
        """Return what a unit from a processor to another puts on each link.

        Raises InputError if a table leads nowhere.
        """
        start, goal = self.stop[source], self.stop[target]
        by = target if self.routing in ("d-mod-k", "table") else -1
        key = start, goal, by
        if key not in self._kept:
            if not self.middles:
                one = {start: Fraction(1)}
                flow = self._flow(one, goal, by, self.is_odd(source))
            else:
                flow = {}
                for middle in self.middles:
                    for here, there in ((start, middle), (middle, goal)):
                        for e, part in self._flow({here: Fraction(1)}, there).items():
                            flow[e] = flow.get(e, Fraction(0)) + part
                flow = {e: part / len(self.middles) for e, part in flow.items()}
            self._kept[key] = flow
        return self._kept[key]

    def carry(self, sent: Iterable[tuple[int, int, int]]) -> dict[int, Fraction]:
        """Return what links carry if processors send units to others: from, to, units.

        What goes the same ways to a node is followed together, but with ``table``,
        whose ways need not come nearer, and ``valiant``.
        """
        together: dict[tuple[int, int, int], dict[int, Fraction]] = {}
        parts: list[Mapping[int, Fraction]] = []
        for source, target, units in sent:
            if self.middles or self.table is not None:
                one = self.pair(source, target)
                parts.append({e: units * part for e, part in one.items()})
                continue
            by = target if self.routing == "d-mod-k" else -1
            start, key = self.stop[source], (self.stop[target], by)
            some = together.setdefault((*key, self.is_odd(source)), {})
            some[start] = some.get(start, Fraction(0)) + units
        parts += [self._flow(some, *key) for key, some in together.items()]
        found: dict[int, Fraction] = {}
        for one in parts:
            for e, part in one.items():
                found[e] = found.get(e, Fraction(0)) + part
        return found

    def _flow(
        self, starts: Mapping[int, Fraction], goal: int, by: int = -1, odd: int = 0
    ) -> dict[int, Fraction]:
        key = goal, by, odd
        if key not in self._ways:
            self._ways[key] = self.steps(*key), self.away(goal)
        steps, away = self._ways[key]
        there, found = dict(starts), dict[int, Fraction]()
        waiting = sorted((-away[start], start) for start in starts)
        while waiting:
            _, here = heappop(waiting)
            if here == goal:
                continue
            if not steps[here] or len(found) > len(self.links):
                raise InputError("leads nowhere", f"table[{by}][{here}]")
            part = there.pop(here) / len(steps[here])
            for e in steps[here]:
                v = self.links[e][1]
                if v not in there:
                    heappush(waiting, (-away[v], v))
                if e in found:
                    raise InputError("leads round in a circle", f"table[{by}][{here}]")
                found[e] = part
                there[v] = there.get(v, Fraction(0)) + part
        return found


def _check_table(
    table: Sequence[Sequence[int]] | None, processors: int, nodes: int
) -> None:
    if table is None:
        return
    if len(table) != processors:
        problem = f"must have {processors} rows, one per processor"
        raise InputError(problem, "table", len(table))
    for p, row in enumerate(table):
        if len(row) != nodes:
            problem = f"must have {nodes} entries, one per node"
            raise InputError(problem, f"table[{p}]", len(row))
        if bad := [v for v in row if not -1 <= v < nodes]:
            raise InputError("no such node", f"table[{p}]", int(bad[0]))


def _nodes(network: Network) -> tuple[Neighbours, Sequence[int]]:
    """Return the neighbours of all nodes with lengths, and the processors' nodes."""
    if graph := network.graph:
        return graph.neighbours, graph.processors
    if network.grid:
        cells = list(network.locations())
        number = {cell: v for v, cell in enumerate(cells)}
        pairs = [(number[c], number[d]) for c in cells for d in _beside(c, network)]
        return _around(len(cells), pairs), range(len(cells))
    if isinstance(network, KaryTree):
        k, n, p, width = network.k, network.n, network.processors, network.width
        pairs = []
        for level in range(n - 1):
            for w in range(width):
                plain = w - w // k**level % k * k**level
                above = p + (level + 1) * width + plain
                here = p + level * width + w
                pairs += [(here, above + port * k**level) for port in range(k)]
        return _around(p + n * width, pairs), [p + i // k for i in range(p)]
    if tree := network.tree:
        pairs = [(v, up) for v, up in enumerate(tree.parent) if up >= 0]
        return _around(tree.nodes, pairs), tree.processors
    raise InputError("has no links", "topology", network.kind)


def _around(nodes: int, pairs: Iterable[tuple[int, int]]) -> Neighbours:
    near: list[set[int]] = [set() for _ in range(nodes)]
    for u, v in pairs:
        near[u].add(v)
        near[v].add(u)
    return tuple(tuple((v, 1) for v in sorted(some)) for some in near)


def _beside(cell: tuple[int, ...], network: Network) -> Iterator[tuple[int, ...]]:
    assert network.grid
    for axis, (side, ring) in enumerate(
        zip(network.grid.shape, network.grid.rings, strict=True)
    ):
        for x in (cell[axis] - 1, cell[axis] + 1):
            if 0 <= x < side or (ring and side > 2):
                yield (*cell[:axis], x % side, *cell[axis + 1 :])
