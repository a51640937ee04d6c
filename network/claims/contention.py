"""Claims about choices by links on any network, against all choices."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations
from random import Random

from ...instances import KSubset, Mesh, Torus, Tree, cost
from ...instances.ksubset.graph_generators import dragonfly_network, fat_tree_network
from ...instances.value import as_tuple
from ...methods import METHODS
from ...reports.claims.running.claim import Claim, Outcome, Trial, failed, passed
from ...solvers import Settings
from ..contention.bounds import STARS, TREE, derive_bound
from ..contention.decisions import Decisions, crossings_of, refuses_decisions
from ..contention.instance import PURPOSES, Contention, Link
from ..contention.search import link_bb
from ..loads import routings_of
from ..workloads.communication import units_of

SAMPLES, QUICK_SAMPLES = 200, 100
ANNEALED, QUICK_ANNEALED = 50, 8
GRAPHS, QUICK_GRAPHS = 200, 20
_NETWORKS = (
    *(Mesh(4, 3), Torus(4, 3), Mesh(2, 2, 2), Torus(6)),
    *(dragonfly_network(2, 1, 1), fat_tree_network(4)),
    *(Tree((-1, 0, 0, 1, 1, 2, 2, 2, 1), (0, *[1] * 8), (3, 4, 5, 6, 7, 8)),) * 2,
)
_SETTINGS = Settings(time_limit=60)


def draw_contention(random: Random, *, power: int | None = None) -> Contention:
    """Draw an instance small enough to look at all choices."""
    network = random.choice(_NETWORKS)
    sites = list(network.locations())
    n = random.randint(3, min(8, len(sites)))
    free = tuple(random.sample(sites, n))
    k = random.randint(1, min(n, 5))
    others = [(1, 0), (3, 2)]
    purpose = random.choice([(0, 0), *PURPOSES.values(), random.choice(others)])
    if power is not None:
        purpose = power, 0
    routing = random.choice([x for x in routings_of(network) if x != "table"])
    pattern = random.choice(["all-to-all", "all-to-all", "ring", "recursive-doubling"])
    traffic = tuple(units_of(pattern, k))
    job = KSubset("drawn", network, free, k)
    unit = random.choice((0, 0, 1))  # with 1 many choices load links alike
    plain = Contention(job, routing, None, traffic, unit, (), *purpose)
    capacity: dict[frozenset[int], float] = {}
    links = []
    for a, b in plain.routes.links:
        both = frozenset((a, b))
        capacity.setdefault(both, random.choice((0.5, 1, 1, 2)))
        busy = random.choice((0, 0, random.randint(0, plain.unit)))
        whole = max(1, int(plain.unit * capacity[both]))
        links.append(Link(a, b, whole, busy))
    return Contention(job, routing, None, traffic, unit, tuple(links), *purpose)


def _bound_above(instance: Contention, paid: tuple[int, ...]) -> str:
    """Return which bound that `closeknit check` derives is above a cost, if any is."""
    for by in (STARS, TREE):
        bound = derive_bound(instance, by)
        if bound is not None and as_tuple(bound) > paid:
            return f"{by} {bound}"
    return ""


def _find_fault(
    instance: Contention, costs: dict[tuple[int, ...], tuple[int, ...]]
) -> str:
    """Return what bounds, a search from the worst choice, or decisions get wrong."""
    from ...solvers import cpsat

    least, worst = min(costs.values()), max(costs, key=costs.__getitem__)
    if high := _bound_above(instance, least):
        return high
    found = link_bb(instance, _SETTINGS, first=worst, rounds=0).objective or 0
    if as_tuple(found) != least:
        return f"link-bb {found}"
    if refuses_decisions(instance):
        return ""
    ways, highest = Decisions(instance, crossings_of(instance)), costs[worst][0]
    values = {busiest for busiest, _ in costs.values()} - {highest}
    if lost := values.difference(ways.values(-1, highest)):
        return f"never tried {min(lost)}"
    for most in range(max(0, least[0] - 1), least[0] + 1):
        decided = cpsat.decide(*ways.model(most), settings=_SETTINGS)
        if decided.impossible != (most < least[0]):
            return f"wrong at {most}"
    return ""


def exact_in_order(trial: Trial) -> Outcome:
    """Compare the busiest link, then hops, with all choices."""
    random = Random(f"closeknit lexicographic {trial.seed}")
    auto = METHODS["contention"]["auto"]
    for seen in range(1, 1 + (QUICK_SAMPLES if trial.quick else SAMPLES)):
        instance = draw_contention(random, power=0)
        found = auto(instance, _SETTINGS).objective
        assert found is not None
        choices = combinations(range(instance.n), instance.k)
        costs = {some: as_tuple(cost(instance, some)) for some in choices}
        if as_tuple(found) != (least := min(costs.values())):
            return failed(f"{instance}: {found}, not {least}", seen)
        if fault := _find_fault(instance, costs):
            return failed(f"{instance}: {fault}, not {least}", seen)
    return passed("no other choice is better", seen)


def never_below(trial: Trial) -> Outcome:
    """Compare annealing with bounds and proofs of all methods."""
    random = Random(f"closeknit annealing {trial.seed}")
    table = METHODS["contention"]
    for seen in range(1, 1 + (QUICK_ANNEALED if trial.quick else ANNEALED)):
        instance = draw_contention(random)
        annealed = table["anneal"](instance, _SETTINGS).objective
        assert annealed is not None
        if high := _bound_above(instance, as_tuple(annealed)):
            return failed(f"{instance}: {high} over {annealed}", seen)
        for name, method in table.items():
            if method.refusal(instance):
                continue
            result = method(instance, _SETTINGS)
            bound = result.bound
            if bound is not None and as_tuple(bound) > as_tuple(annealed):
                return failed(f"{instance}: {name} {bound} over {annealed}", seen)
    return passed("annealing is nowhere below a bound", seen)


def _graphs(trial: Trial) -> Iterator[tuple[int, set[frozenset[int]]]]:
    random = Random(f"closeknit reductions {trial.seed}")
    for _ in range(QUICK_GRAPHS if trial.quick else GRAPHS):
        n = random.randint(2, 5)
        pairs = map(frozenset, combinations(range(n), 2))
        yield n, {pair for pair in pairs if random.random() < 0.5}


def _reduce(trial: Trial, make: object) -> Outcome:
    """Compare independent sets of graphs with choices that use no hot link."""
    assert callable(make)
    seen = 0
    for n, edges in _graphs(trial):
        for k in range(2, n + 1):
            instance, hot = make(n, edges, k)
            for some in combinations(range(n), k):
                seen += 1
                pairs = map(frozenset, combinations(some, 2))
                busiest = as_tuple(cost(instance, some))[0]
                free = edges.isdisjoint(pairs)
                if free != (busiest < hot * instance.common // instance.unit):
                    return failed(f"{sorted(map(sorted, edges))}: {some}", seen)
    return passed("a choice avoids hot links if and only if it is independent", seen)


def on_a_mesh(n: int, edges: set[frozenset[int]], k: int) -> tuple[Contention, int]:
    """Put vertex i at (i, i, i); what i sends to j alone passes x = j, z = i."""
    job = KSubset("reduced", Mesh(n, n, n), tuple((i, i, i) for i in range(n)), k)
    plain = Contention(job, "dimension-order")
    hot = 100 * plain.unit
    links = []
    for i, j in permutations(range(n), 2):
        if frozenset((i, j)) in edges:
            step = 1 if j > i else -1
            a, b = ((j * n + y) * n + i for y in (i, i + step))
            links.append(Link(a, b, plain.unit, hot))
    return Contention(job, "dimension-order", links=tuple(links)), hot


def on_a_dragonfly(
    n: int, edges: set[frozenset[int]], k: int
) -> tuple[Contention, int]:
    """Take one host in each group; the link of two groups is hot for an edge."""
    graph = dragonfly_network(n, 1, 1)  # n + 1 groups of n routers
    hosts = [graph.processors[g * n] for g in range(n)]
    job = KSubset("reduced", graph, tuple((v,) for v in hosts), k)
    plain = Contention(job, "minimal")
    hot = 100 * plain.unit
    links = [
        Link(a, b, plain.unit, hot)
        for a, b in plain.routes.links
        if a // n != b // n and frozenset((a // n, b // n)) in edges
    ]
    return Contention(job, "minimal", links=tuple(links)), hot


_SOURCE = "derived, docs/papers/hops-or-seconds.md"
CONTENTION_CLAIMS = (
    Claim(
        name="lexicographic-exact",
        statement="No choice uses its busiest link less than that of auto, or so much "
        "and has fewer hops.",
        source=_SOURCE,
        tested=f"{SAMPLES} networks ({QUICK_SAMPLES} if quick), routings and patterns; "
        "all choices; bounds, searches from the worst choice, and decisions",
        test=exact_in_order,
    ),
    Claim(
        name="annealing-never-below-proof",
        statement="Annealing finds no choice below a bound of any method.",
        source=_SOURCE,
        tested=f"{ANNEALED} networks ({QUICK_ANNEALED} if quick), routings, patterns; "
        "the busiest link, one job, a stream",
        test=never_below,
    ),
    Claim(
        name="links-hard-on-meshes",
        statement="With background a 3-D mesh with dimension order decides whether a "
        "graph has k independent vertices: no factor can be guaranteed.",
        source=_SOURCE,
        tested=f"{GRAPHS} graphs ({QUICK_GRAPHS} if quick), all sets of vertices",
        test=lambda trial: _reduce(trial, on_a_mesh),
    ),
    Claim(
        name="links-hard-on-dragonflies",
        statement="So does a dragonfly, with one host in each group.",
        source=_SOURCE,
        tested=f"{GRAPHS} graphs ({QUICK_GRAPHS} if quick), all sets of vertices",
        test=lambda trial: _reduce(trial, on_a_dragonfly),
    ),
)
