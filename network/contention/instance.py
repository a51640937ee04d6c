"""The contention problem: processors whose traffic adds least to links in use.

Every task of a job sends to others as a matrix of traffic states; the task that sends
or receives most does so at the rate of a port. Tasks are placed on the chosen
processors in the order of these. A link carries what its routing puts on it, rounded up
to whole parts of a port's rate, next to what others send.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import permutations
from math import ceil, lcm
from typing import NamedTuple

import numpy as np

from ...instances.arrays import IntArray
from ...instances.errors import InputError
from ...instances.ksubset import instance as ksubset
from ...instances.ksubset.instance import KSubset
from ...instances.problems import PartInstance
from ...instances.reading.numbers import between
from ...instances.topologies import Site, Topology
from ...instances.value import LARGEST, Value
from ..loads import LoadTable, Routes

MOST_UNIT, MOST_CAPACITY, MOST_POWER = 10**9, 10**12, 8
MOST_COMMON = 2**40
"""Exclusive bound of the least common multiple of capacities."""
MOST_RESERVE = 2**10
PURPOSES = {"job": (4, 0), "stream": (2, 1)}
"""Power, and times `usual_reserve`, for one job, and for an allocator in a stream."""


class Link(NamedTuple):
    """A directed link: its ends, and what it can carry and carries for others."""

    a: int
    b: int
    capacity: int
    busy: int = 0


@dataclass(frozen=True, repr=False)
class Contention(PartInstance):
    """Free processors, how many to choose, and the links between them.

    Parameters
    ----------
    job
        The network, free processors and k; requires none of them.
    routing, table
        See `Routes`.
    traffic
        Units from one task to another: triples of two tasks and an amount, each pair
        once; none for one unit from everyone to everyone.
    unit
        Parts of a port's rate, in which all loads and capacities are; 0 for 100 times
        what the busiest task sends, so that loads of fixed routes are not rounded.
    links
        Links by the numbers of nodes (cells of a grid in lexicographic order). Those
        that are not listed carry a port's rate, and are not used by others.
    power
        Of contention, the sum over links of ((b + L)/c + r)^p - (b/c + r)^p for the
        load L of the job, b of others, the capacity c and a reserve r; or 0 for the
        busiest link that the job uses, max (b + L)/c, and then hops.
    reserve
        Ports that each link is thought to carry more, for each port of its capacity.
    name, source, seed
        Those of the job, if left out.

    Raises
    ------
    InputError
        If a link does not exist, a number is out of range, or something is required.

    Notes
    -----
    Costs are integers: capacities are replaced by their least common multiple.
    """

    job: KSubset
    routing: str = ""
    table: tuple[tuple[int, ...], ...] | None = None
    traffic: tuple[tuple[int, int, int], ...] = ()
    unit: int = 0
    links: tuple[Link, ...] = ()
    power: int = 0
    reserve: int = 0
    routes: Routes = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        def put(name: str, value: object) -> None:
            object.__setattr__(self, name, value)

        if self.job.required:
            raise InputError("is not supported for contention", "required")
        if self.name:
            own = replace(self.job, name=self.name, source=self.source, seed=self.seed)
            put("job", own)
        for name in ("name", "source", "seed"):
            put(name, getattr(self.job, name))
        put("routes", Routes(self.topology, self.routing, self.table))
        put("routing", self.routes.routing)
        between(self.power, 0, MOST_POWER, "power")
        between(self.reserve, 0, MOST_RESERVE if self.power else 0, "reserve")
        seen = set()
        for i, (s, t, amount) in enumerate(self.traffic):
            where = f"traffic[{i}]"
            if not (0 <= s < self.k and 0 <= t < self.k and s != t):
                raise InputError("must be two different tasks", where, [s, t])
            between(amount, 1, MOST_UNIT, where)
            if (s, t) in seen:
                raise InputError("listed twice", where, [s, t])
            seen.add((s, t))
        put("traffic", tuple(sorted(self.traffic)))
        put("unit", self.unit or 100 * self.busiest)
        between(self.unit, 1, MOST_UNIT, "unit")
        put("links", tuple(sorted(Link(*one) for one in self.links)))
        number = {ends: e for e, ends in enumerate(self.routes.links)}
        found = [Link(*ends, self.unit) for ends in self.routes.links]
        for i, one in enumerate(self.links):
            where = f"links[{i}]"
            if one[:2] not in number:
                raise InputError("is no link of the network", where, list(one[:2]))
            if i and self.links[i - 1][:2] == one[:2]:
                raise InputError("listed twice", where, list(one[:2]))
            between(one.capacity, 1, MOST_CAPACITY, f"{where}.capacity")
            between(one.busy, 0, MOST_CAPACITY, f"{where}.busy")
            found[number[one[:2]]] = one
        put("_wires", tuple(found))
        if self.common >= MOST_COMMON:
            raise InputError("have no small common multiple", "links.capacity")

    @property
    def topology(self) -> Topology:
        """The network."""
        return self.job.topology

    @property
    def free(self) -> tuple[Site, ...]:
        """Sites of the free processors, ascending."""
        return self.job.free

    @property
    def n(self) -> int:
        """Number of free processors."""
        return self.job.n

    @property
    def k(self) -> int:
        """Number of processors to choose."""
        return self.job.k

    @property
    def wires(self) -> tuple[Link, ...]:
        """All links, in the order of those of the routes."""
        return self._wires  # type: ignore[attr-defined,no-any-return]

    @cached_property
    def common(self) -> int:
        """Least common multiple of capacities; of such parts costs are made."""
        return lcm(*{one.capacity for one in self.wires})

    @cached_property
    def before(self) -> tuple[int, ...]:
        """What links carry without the job, with the reserve, as `wires` are listed."""
        return tuple(one.busy + one.capacity * self.reserve for one in self.wires)

    @property
    def alike(self) -> bool:
        """Whether everyone sends the same to everyone."""
        return not self.traffic

    @cached_property
    def busiest(self) -> int:
        """Units that the task sends or receives that does so most; at least 1."""
        if not self.traffic:
            return max(1, self.k - 1)
        sums = [[0] * self.k, [0] * self.k]
        for s, t, amount in self.traffic:
            sums[0][s] += amount
            sums[1][t] += amount
        return max(max(one) for one in sums)

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """Numbers of the free processors among all."""
        number = {site: p for p, site in enumerate(self.topology.locations())}
        return tuple(number[site] for site in self.free)

    @cached_property
    def load_table(self) -> LoadTable:
        """Loads of all pairs of free processors."""
        return LoadTable(self.routes, self.numbers)

    def units(self) -> IntArray:
        """Return the traffic as a matrix, shape (k, k)."""
        found = 1 - np.eye(self.k, dtype=np.int64)
        if self.traffic:
            found[:] = 0
            for s, t, amount in self.traffic:
                found[s, t] = amount
        return found


def usual_reserve(
    homes: Iterable[int], widths: Mapping[tuple[int, int], Fraction | float]
) -> int:
    """Return what is kept on a link for jobs to come: ports for each port of its width.

    As many as there are processors to a port's width of the links from their switches
    to others, rounded up: one on grids, the taper of a fat-tree.

    Parameters
    ----------
    homes
        The switch of each processor, or the processor itself.
    widths
        Of the links between switches, in ports, by their two ends; floats stand for
        the decimals that they were rounded from.
    """
    number = Counter(homes)
    own = (wide for (start, _), wide in widths.items() if start in number)
    width = sum(x if isinstance(x, Fraction) else Fraction(str(x)) for x in own)
    return min(MOST_RESERVE, max(1, ceil(number.total() / width))) if width else 1


def check(instance: Contention, chosen: Collection[int]) -> list[str]:
    """List the errors of a choice of free processors, by index."""
    return ksubset.check(instance.job, chosen)


def loads(instance: Contention, chosen: Collection[int]) -> dict[int, int]:
    """Return what the job puts on the links that it uses, in units, from the routes.

    >>> from ...instances import Mesh, mesh
    >>> loads(Contention(mesh(3, k=3), unit=100), [0, 1, 2])
    {0: 100, 1: 100, 2: 100, 3: 100}
    """
    routes = instance.routes
    placed = [routes.alike[instance.numbers[i]] for i in sorted(chosen)]
    sent = Counter[tuple[int, int]]()  # by processors that stand for those alike
    for s, t, amount in instance.traffic or ((s, t, 1) for s, t in _pairs(instance.k)):
        sent[placed[s], placed[t]] += amount
    sums = routes.carry((p, q, amount) for (p, q), amount in sent.items())
    whole = {e: instance.unit * x / instance.busiest for e, x in sorted(sums.items())}
    return {e: -(-x.numerator // x.denominator) for e, x in whole.items()}


def _pairs(k: int) -> Iterator[tuple[int, int]]:
    return permutations(range(k), 2)


def cost(instance: Contention, chosen: Collection[int]) -> Value:
    """Price a choice from the definition, in plain Python.

    Returns
    -------
    int or tuple of int
        The contention, in parts of `Contention.common` to the power; or how much of the
        busiest used link's capacity is used, in parts of it, and the pair sum.
    """
    found = loads(instance, chosen)
    power = instance.power
    parts: list[tuple[int, int]] = []
    for e, load in found.items():
        factor = instance.common // instance.wires[e].capacity
        before = factor * instance.before[e]
        parts.append((before, before + factor * load))
    if power:
        return sum(int(after**power - before**power) for before, after in parts)
    busiest = max((after for _, after in parts), default=0)
    return busiest, ksubset.cost(instance.job, chosen)


def dearest(instance: Contention) -> tuple[int, ...]:
    """Return an upper bound on every level of the costs; see `Problem`."""
    return 0, LARGEST
