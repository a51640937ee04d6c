"""Claims about networks on which a distance may be longer than the way round it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations
from random import Random

from ....formulations.ksubset.bounds.bounds import compute_bound
from ....instances import Distances, KSubset, Mesh, Priced, Topology, Torus
from ....instances.ksubset.lower_bounds import AXIS, STAR, TOWN
from ....methods import KSUBSET
from ....solvers import Settings
from ..running.claim import Claim, Outcome, Trial
from ..running.samples import least_cost
from ..running.shrink import survey

SAMPLES, QUICK_SAMPLES = 1200, 120
_MOST_NODES = 7


def _table(random: Random, n: int, *, closed: bool) -> Distances:
    """Draw distances; replace them by those of shortest ways if ``closed``."""
    far = random.choice((1, 3, 20))
    rows = [[0] * n for _ in range(n)]
    for i, j in combinations(range(n), 2):
        rows[i][j] = rows[j][i] = random.randint(0, far)
    for via in range(n) if closed else ():
        for i in range(n):
            rows[i] = [
                min(x, rows[i][via] + y)
                for x, y in zip(rows[i], rows[via], strict=True)
            ]
    return Distances(rows)


def _drawn(trial: Trial) -> Iterator[KSubset]:
    random = Random(trial.seed)
    for i in range(QUICK_SAMPLES if trial.quick else SAMPLES):
        network: Topology
        if i % 3 < 2:
            network = _table(random, random.randint(3, _MOST_NODES), closed=i % 3 == 1)
        else:
            grid = random.choice((Mesh(2, 3), Torus(6), Torus(2, 3)))
            prices = (0, *(random.randint(0, 9) for _ in range(3)))
            network = Priced(grid, prices)
        places = tuple(network.locations())
        yield KSubset("drawn", network, places, random.randint(2, len(places)))


def _obeys(topology: Topology) -> bool:
    """Whether no distance is longer than a way over a third place."""
    d = topology.distance
    return all(
        d(p, r) <= d(p, q) + d(q, r)
        for p, q, r in permutations(topology.locations(), 3)
    )


def _untrue(instance: KSubset) -> str:
    """Name a factor that is not proven or not kept, or a bound that is too high."""
    holds, best = _obeys(instance.topology), least_cost(instance)
    for name, method in KSUBSET.items():
        for factor, why in method.bounds(instance)[:1]:
            if not holds:
                return f"{name} promises {factor} ({why}) where the triangle fails"
            paid = method(instance, Settings()).objective
            if not isinstance(paid, int) or paid > factor * best:
                return f"{name} costs {paid}, above {factor} times {best}"
    for by in (STAR, AXIS, TOWN):
        bound = compute_bound(instance, by)
        if bound is not None and bound > best:
            return f"the bound {by} is {bound}, the optimum {best}"
    return ""


def needs_metric(trial: Trial) -> Outcome:
    """Look at the factors and bounds on tables and on hops with prices."""
    said = f"none that the triangle inequality is missing for, seed {trial.seed}"
    return survey(said, (_drawn(trial), _untrue))


TRIANGLE_CLAIMS = (
    Claim(
        name="needs-metric-holds",
        statement="Where a distance is longer than the way over a third processor no "
        "method states a factor; elsewhere those stated are kept; no lower bound is "
        "above the optimum.",
        source="derived, docs/internals/formats.md; the factors: Krumke et al. 1997",
        tested=f"{SAMPLES} ({QUICK_SAMPLES} if quick) drawn tables, tables of shortest "
        f"ways and grids with prices, of up to {_MOST_NODES} processors",
        test=needs_metric,
    ),
)
