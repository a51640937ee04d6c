"""Claims tested on every set of free processors of a small network, and every k."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial

import numpy as np
import numpy.typing as npt

from ...heuristics.ksubset.guarantees import rho
from ...instances import KSubset, Mesh, Torus
from ...solvers import Ties
from .claim import Claim, Outcome, Trial, Untrue, held, refuted
from .shrink import certainly, shrunk

Ints = npt.NDArray[np.int64]
Table = npt.NDArray[np.int16]


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """All sets of free processors of a network, and what k of them cost at least.

    Parameters
    ----------
    topology
        A mesh or torus of some 20 processors at most.
    sites, hops
        Of its processors, by the number of their bit.
    price, count, least
        Of every set: its cost, its size, and the least cost of k of it.
    """

    topology: Mesh | Torus
    sites: Ints
    hops: Ints
    price: Table
    count: Ints
    least: Table

    @property
    def cells(self) -> int:
        """Number of processors."""
        return len(self.sites)

    @property
    def pairs(self) -> int:
        """Number of instances: sets with every k from 1 on."""
        return self.cells << (self.cells - 1)

    def instance(self, members: int, k: int) -> KSubset:
        """Return a set and k as an instance."""
        free = tuple(
            tuple(site)
            for i, site in enumerate(self.sites.tolist())
            if members >> i & 1
        )
        shape = "x".join(map(str, self.topology.shape))
        name = f"{self.topology.kind}-{shape}-{members}-k{k}"
        return KSubset(name, self.topology, free, k)


@lru_cache(maxsize=1)  # 90 MB for 20 processors
def network(topology: Mesh | Torus) -> Network:
    """Price every set of free processors of a network."""
    from . import exhaustive_kernels as kernels

    sites = np.array(list(topology.locations()), dtype=np.int64)
    axes = [
        [abs(a - b), side - abs(a - b)] if isinstance(topology, Torus) else [abs(a - b)]
        for side, a, b in zip(
            topology.shape,
            np.moveaxis(sites[:, None], -1, 0),
            np.moveaxis(sites[None], -1, 0),
            strict=True,
        )
    ]
    hops = sum(np.minimum.reduce(np.broadcast_arrays(*ways)) for ways in axes)
    assert isinstance(hops, np.ndarray)
    price, count = kernels.prices(hops), kernels.sizes(len(sites))
    least = kernels.optima(price, count, len(sites))
    return Network(topology, sites, hops, price, count, least)


def medians(net: Network) -> Table:
    """Return what the Manhattan median pays: the cheapest of all intersections."""
    from . import exhaustive_kernels as kernels

    paid = np.full_like(net.least, 32767)
    worst = np.zeros_like(paid)
    for centre in range(net.cells):
        kernels.dearest(net.hops[centre], net.price, net.count, worst)
        shared = net.sites == net.sites[centre]
        slabs = (shared * (1 << np.arange(net.cells))[:, None]).sum(axis=0)
        kernels.take_cheapest(worst, slabs, net.count, net.cells, paid)
    return paid


def free_centres(net: Network) -> Table:
    """Return what GenAlg pays: the cheapest of all free centres."""
    from . import exhaustive_kernels as kernels

    paid = np.full_like(net.least, 32767)
    worst = np.zeros_like(paid)
    for centre in range(net.cells):
        kernels.dearest(net.hops[centre], net.price, net.count, worst)
        slabs = np.array([1 << centre])
        kernels.take_cheapest(worst, slabs, net.count, net.cells, paid)
    return paid


def shells(net: Network) -> Table:
    """Return what MC1x1 pays: the dearest of the least sums of shell numbers."""
    from . import exhaustive_kernels as kernels

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
    topologies: tuple[Mesh | Torus, ...]
    quick: tuple[Mesh | Torus, ...]

    def broken(self, trial: Trial, instance: KSubset) -> str:
        """Describe how the method itself breaks the bound on an instance; "" if not."""
        limit = self.limit(instance.k, instance.topology.dimension)
        try:
            paid = trial.pay(self.method, instance, self.ties)
            least = trial.optimum(instance)
        except Untrue as error:
            return str(error)
        if paid <= limit * least:
            return ""
        return f"{self.method} costs {paid}, above {limit} times the optimum {least}"


def _test(bound: _Bound, trial: Trial) -> Outcome:
    """Look at the worst of all sets for every k, by tables and by the method."""
    from .exhaustive_kernels import worst_by_k

    seen, said = 0, []
    for topology in bound.quick if trial.quick else bound.topologies:
        net = network(topology)
        found = worst_by_k(bound.pays(net), net.least, net.count, net.cells)
        seen += net.pairs
        attained, worst = [], Fraction(1)
        for k in range(2, net.cells + 1):
            members, paid, least = (int(value) for value in found[k])
            limit = bound.limit(k, topology.dimension)
            instance = net.instance(members, k)
            if paid > limit * least:
                result = f"{paid}, above {limit} times the optimum {least} (k = {k})"
                return refuted(result, seen, instance)
            worst = max(worst, Fraction(paid, least))
            if limit > 1 and paid == limit * least:
                attained.append(str(k))
            if broken := _differs(bound, trial, instance, paid, least):
                return _shrunk(bound, trial, instance, broken, seen)
        shape = "x".join(map(str, topology.shape))
        reached = f", reached for k = {', '.join(attained)}" if attained else ""
        said.append(f"{shape} {topology.kind} {worst}{reached}")
    return held(f"never above; worst ratio: {'; '.join(said)}", seen)


def _differs(
    bound: _Bound, trial: Trial, instance: KSubset, paid: int, least: int
) -> str:
    """Run the method and the exact route on the worst set; they must agree."""
    if broken := bound.broken(trial, instance):
        return broken
    found = trial.pay(bound.method, instance, bound.ties)
    proved = trial.optimum(instance)
    if proved != least:
        return f"{trial.exact} proves {proved}, enumeration {least}"
    if found > paid or (found < paid and bound.ties is Ties.WORST):
        return f"{bound.method} costs {found}, {paid} under the worst ties"
    return ""


def _shrunk(
    bound: _Bound, trial: Trial, instance: KSubset, why: str, seen: int
) -> Outcome:
    fails = partial(certainly, partial(bound.broken, trial))
    smallest = shrunk(instance, fails) if fails(instance) else instance
    result = bound.broken(trial, smallest) or why
    return refuted(result, seen, smallest)


def _star(k: int, d: int) -> Fraction:
    return max(Fraction(1), 2 - Fraction(2, k))


def _windows(trial: Trial) -> Outcome:
    """Hold windows on lines and rings against the least of every set."""
    from .exhaustive_kernels import windows

    line, longest = (12, 14) if trial.quick else (20, 20)
    seen = 0
    kinds: list[tuple[Mesh | Torus, str]] = [(Mesh((line,)), "line-window")]
    kinds += [(Torus((side,)), "ring-window") for side in range(3, longest + 1)]
    for topology, method in kinds:
        net = network(topology)
        best = windows(net.hops, method == "ring-window", net.cells)
        seen += net.pairs
        wrong = np.argwhere(best != net.least)
        places = wrong if len(wrong) else _some(net, trial)
        for members, k in places.tolist():
            instance = net.instance(members, k)
            least = int(net.least[members, k])
            found = trial.pay(method, instance)
            routes = {"auto": trial.optimum(instance)}
            if method == "ring-window":
                routes["ring-dp"] = trial.optimum(instance, "ring-dp")
            routes[method] = found
            for route, value in routes.items():
                if value != least or len(wrong):
                    return refuted(
                        f"{route} {value}, enumeration {least}, best window "
                        f"{best[members, k]} (k = {k})",
                        seen,
                        instance,
                    )
    return held(
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
        source="Bender et al. 2008, Theorem 2; finite k derived, docs/theory.md",
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
                "mc1x1",
                shells,
                lambda k, d: max(Fraction(1), _star(k, d) * d),
                Ties.LEX,
                _OTHER,
                _SMALL,
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
                "mm-free",
                free_centres,
                _star,
                Ties.LEX,
                (*_OTHER, Torus((4, 4))),
                (*_SMALL, Torus((4, 3))),
            ),
        ),
    ),
    Claim(
        name="windows-are-optimal",
        statement="k consecutive free processors are optimal on a line, and on rings "
        "of at most 20 nodes.",
        source="Bender et al. 2008, section 1 (Leung et al. 2003); rings derived, "
        "docs/theory.md",
        tested="every set of free processors with every k of a line of 20 and rings of "
        "3 to 20 (line of 12, rings to 14 if quick); line-window, ring-window, ring-dp "
        "and auto on samples of each",
        test=_windows,
    ),
)
