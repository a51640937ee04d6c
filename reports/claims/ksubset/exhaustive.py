"""Claims tested on every set of free processors of a small network, and every k."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial

import numpy as np

from ....heuristics.ksubset.guarantees import rho
from ....instances import Grid, KSubset, Mesh, Torus
from ....solvers import Ties
from ...adversary.kernels import Costs, Ints, prices, sizes
from ..running.claim import Claim, Outcome, Trial, failed, passed
from ..running.shrink import describe, outcome_of_failure
from . import exhaustive_kernels as kernels
from .exhaustive_kernels import Table


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """All sets of free processors of a network, and what k of them cost at least.

    ``sites`` and ``hops`` are those of its processors, by the number of their bit;
    ``price``, ``count`` and ``least`` of every set: its cost, its size, and the least
    cost of k of it.
    """

    topology: Grid
    sites: Ints
    hops: Ints
    price: Costs
    count: Ints
    least: Table

    @property
    def cells(self) -> int:
        """Number of processors, some 20 at most."""
        return len(self.sites)

    @property
    def pairs(self) -> int:
        """Number of instances: sets with every k from 1 on."""
        return self.cells << (self.cells - 1)

    @property
    def shape(self) -> str:
        """The sides, such as 4x3."""
        return "x".join(map(str, self.topology.shape))

    def instance(self, members: int, k: int) -> KSubset:
        """Return a set and k as an instance."""
        sites = enumerate(self.sites.tolist())
        free = tuple(tuple(site) for i, site in sites if members >> i & 1)
        name = f"{self.topology.kind}-{self.shape}-{members}-k{k}"
        return KSubset(name, self.topology, free, k)


@lru_cache(maxsize=1)  # 90 MB for 20 processors
def network(topology: Grid) -> Network:
    """Price every set of free processors of a network."""
    sites = np.array(list(topology.locations()), dtype=np.int64)
    ways = abs(sites[:, None] - sites[None])
    rings = np.array(topology.ring_lengths)
    ways = np.where(rings, np.minimum(ways, rings - ways), ways)
    hops = ways.sum(axis=2)
    price, count = prices(hops), sizes(len(sites))
    least = kernels.optima(price, count, len(sites))
    return Network(topology, sites, hops, price, count, least)


def _cheapest(net: Network, slabs: Callable[[int], Ints]) -> Table:
    """Return the cheapest of all centres where each of its slabs has a processor."""
    paid = np.full_like(net.least, 32767)
    worst = np.zeros_like(paid)
    for centre in range(net.cells):
        kernels.dearest(net.hops[centre], net.price, net.count, worst)
        kernels.take_cheapest(worst, slabs(centre), net.count, net.cells, paid)
    return paid


def medians(net: Network) -> Table:
    """Return what the Manhattan median pays: the cheapest of all intersections."""
    bits = 1 << np.arange(net.cells)
    return _cheapest(net, lambda centre: bits @ (net.sites == net.sites[centre]))


def free_centres(net: Network) -> Table:
    """Return what GenAlg pays: the cheapest of all free centres."""
    return _cheapest(net, lambda centre: np.array([1 << centre]))


def shells(net: Network) -> Table:
    """Return what MC1x1 pays: the costliest of the least sums of shell numbers."""
    nearest, paid = np.full_like(net.least, 32767), np.zeros_like(net.least)
    worst = np.zeros_like(paid)
    for centre in range(net.cells):
        away = abs(net.sites - net.sites[centre]).max(axis=1)
        kernels.dearest(away, net.price, net.count, worst)
        kernels.take_nearest(away, worst, net.count, net.cells, centre, nearest, paid)
    return paid


@dataclass(frozen=True, slots=True)
class _Bound:
    """A heuristic, the table of what it pays, and its bound."""

    method: str
    pays: Callable[[Network], Table]
    limit: Callable[[int, int], Fraction]
    ties: Ties
    topologies: tuple[Grid, ...]
    quick: tuple[Grid, ...]

    def broken(self, trial: Trial, instance: KSubset) -> str:
        """Describe how the method itself breaks the bound on an instance; "" if not."""
        limit = self.limit(instance.k, instance.topology.dimension)
        paid = trial.pay(self.method, instance, self.ties)
        least = trial.optimum(instance)
        if paid <= limit * least:
            return ""
        return f"{self.method} costs {paid}, above {limit} times the optimum {least}"

    def differs(self, trial: Trial, instance: KSubset, paid: int, least: int) -> str:
        """Run the method and the exact route on the worst set; they must agree."""
        if why := describe(partial(self.broken, trial), instance):
            return why
        found = trial.pay(self.method, instance, self.ties)
        proved = trial.optimum(instance)
        if proved != least:
            return f"{trial.exact} proves {proved}, enumeration {least}"
        if found > paid or (found < paid and self.ties is Ties.WORST):
            return f"{self.method} costs {found}, {paid} under the worst ties"
        return ""


def _test(bound: _Bound, trial: Trial) -> Outcome:
    """Look at the worst of all sets for every k, by tables and by the method."""
    seen, said = 0, []
    for topology in bound.quick if trial.quick else bound.topologies:
        net = network(topology)
        found = kernels.worst_by_k(bound.pays(net), net.least, net.count, net.cells)
        seen += net.pairs
        attained, worst = [], Fraction(1)
        for k, (members, paid, least) in enumerate(found.tolist()[2:], 2):
            limit = bound.limit(k, topology.dimension)
            instance = net.instance(members, k)
            if paid > limit * least:
                result = f"{paid}, above {limit} times the optimum {least} (k = {k})"
                return failed(result, seen, instance)
            worst = max(worst, Fraction(paid, least))
            if limit > 1 and paid == limit * least:
                attained.append(str(k))
            if why := bound.differs(trial, instance, paid, least):
                return outcome_of_failure(
                    instance, partial(bound.broken, trial), seen, why
                )
        reached = f", reached for k = {', '.join(attained)}" if attained else ""
        said.append(f"{net.shape} {topology.kind} {worst}{reached}")
    return passed(f"never above; worst ratio: {'; '.join(said)}", seen)


def _star(k: int) -> Fraction:
    return max(Fraction(1), 2 - Fraction(2, k))


def _windows(trial: Trial) -> Outcome:
    """Hold windows on lines and rings against the least of every set."""
    line, longest = (12, 14) if trial.quick else (20, 20)
    seen = 0
    kinds: list[tuple[Grid, str]] = [(Mesh((line,)), "line-window")]
    kinds += [(Torus((side,)), "ring-window") for side in range(3, longest + 1)]
    for topology, method in kinds:
        net = network(topology)
        best = kernels.windows(net.hops, method == "ring-window", net.cells)
        seen += net.pairs
        wrong = np.argwhere(best != net.least)
        places = wrong if len(wrong) else _some(net, trial)
        for members, k in places.tolist():
            instance = net.instance(members, k)
            least = int(net.least[members, k])
            routes = {method: trial.pay(method, instance)}
            for route in ("auto", "ring-dp") if method == "ring-window" else ("auto",):
                routes[route] = trial.optimum(instance, route)
            for route, value in routes.items():
                if value != least or len(wrong):
                    return failed(
                        f"{route} {value}, enumeration {least}, best window "
                        f"{best[members, k]} (k = {k})",
                        seen,
                        instance,
                    )
    return passed(
        f"a window is optimal: line of {line}, rings of 3 to {longest}; methods "
        "agree on samples of each",
        seen,
    )


def _some(net: Network, trial: Trial) -> Ints:
    """Return a few sets with k, for the methods to be run on."""
    rng = np.random.default_rng((trial.seed, net.cells))
    members = rng.integers(3, 1 << net.cells, 10 if trial.quick else 40)
    k = rng.integers(1, np.maximum(net.count[members], 2))
    return np.column_stack([members, k])[net.count[members] >= k]


_RHO = (Mesh((4, 4)), Mesh((5, 4)), Mesh((16,)), Mesh((3, 3, 2)))
_SMALL = (Mesh((4, 4)), Mesh((12,)), Mesh((3, 2, 2)))
_OTHER = (Mesh((5, 4)), Mesh((16,)), Mesh((4, 2, 2)))

EXHAUSTIVE_CLAIMS = (
    Claim(
        name="rho-exhaustively",
        statement="Under the worst ties mm costs at most rho_k(d) optima.",
        source="Bender et al. 2008, Theorem 2; finite k derived, "
        "docs/science/theory.md",
        tested="every set of free processors with every k of the meshes 4x4, 5x4, 16 "
        "and 3x3x2 (4x4, 12 and 3x2x2 if quick), by tables over all sets; mm itself on "
        "the worst for every k",
        test=partial(_test, _Bound("mm", medians, rho, Ties.WORST, _RHO, _SMALL)),
    ),
    Claim(
        name="bender-theorem-3",
        statement="Under the worst ties mc1x1 costs at most (2 - 2/k) d optima.",
        source="Bender et al. 2008, Theorem 3",
        tested="every set of free processors with every k of the meshes 5x4, 16 and "
        "4x2x2 (4x4, 12 and 3x2x2 if quick), by tables; mc1x1 itself on the worst",
        test=partial(
            _test,
            _Bound(
                "mc1x1", shells, lambda k, d: _star(k) * d, Ties.LEX, _OTHER, _SMALL
            ),
        ),
    ),
    Claim(
        name="genalg-exhaustively",
        statement="Under the worst ties mm-free (GenAlg) costs at most 2 - 2/k optima.",
        source="Krumke et al. 1997, quoted by Bender et al. 2008, section 2",
        tested="every set of free processors with every k of the meshes 5x4, 16 and "
        "4x2x2 and the torus 4x4 (4x4, 12, 3x2x2 and 4x3 if quick), by tables; mm-free "
        "itself on the worst",
        test=partial(
            _test,
            _Bound(
                *("mm-free", free_centres, lambda k, d: _star(k), Ties.LEX),
                *((*_OTHER, Torus((4, 4))), (*_SMALL, Torus((4, 3)))),
            ),
        ),
    ),
    Claim(
        name="windows-are-optimal",
        statement="k consecutive free processors are optimal on a line, and on rings "
        "of at most 20 nodes.",
        source="Bender et al. 2008, section 1 (Leung et al. 2003); rings derived, "
        "docs/science/theory.md",
        tested="every set of free processors with every k of a line of 20 and rings of "
        "3 to 20 (line of 12, rings to 14 if quick); line-window, ring-window, ring-dp "
        "and auto on samples of each",
        test=_windows,
    ),
)
