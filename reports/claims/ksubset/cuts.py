"""Claims on which models and searches stand: distances are sums of cuts.

On graphs, which of them have cuts is compared with the definitions, and optima with
the cost of every choice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, partial
from itertools import combinations, product
from math import comb
from random import Random

import numpy as np

from ....instances import Graph, KSubset, arrays, cost
from ..running.claim import Claim, Outcome, Trial, failed, passed
from ..running.samples import draw_samples, least_cost
from ..running.shrink import survey

_NODES, _QUICK_NODES = 7, 5
_SOLVED_NODES, _QUICK_SOLVED_NODES = 6, 5
SAMPLES, QUICK_SAMPLES = 200, 40

Table = list[list[int]]


def cuts_are_distances(trial: Trial) -> Outcome:
    """Compare every distance of random instances with the cuts between the two."""
    instances = draw_samples(trial.seed, 100 if trial.quick else 1000)
    pairs = sum(comb(instance.n, 2) for instance in instances)
    return survey(
        f"{pairs} pairs and {len(instances)} sets agree, seed {trial.seed}",
        (instances, _disagreement),
    )


def _disagreement(instance: KSubset) -> str:
    """Name a pair or a set whose distances are not those of the cuts; "" if none."""
    topology, points = instance.topology, arrays.points(instance)
    cuts = arrays.cuts(instance)
    table = arrays.distances(topology, points[:, None], points[None]).tolist()
    weights, sides = cuts.weights.tolist(), cuts.sides.tolist()
    for i, j in combinations(range(instance.n), 2):
        hops = topology.distance(instance.free[i], instance.free[j])
        apart = _apart(weights, sides, i, j)
        if hops * cuts.denominator != apart or hops != table[i][j]:
            return (
                f"{instance.free[i]} and {instance.free[j]} are {hops} apart, "
                f"{table[i][j]} by arrays, {apart}/{cuts.denominator} by cuts"
            )
    k = instance.k
    chosen = Random(instance.n).sample(range(instance.n), k)
    counts = [sum(side[i] for i in chosen) for side in sides]
    total = sum(w * c * (k - c) for w, c in zip(weights, counts, strict=True))
    if total != cuts.denominator * cost(instance, chosen):
        return f"{sorted(chosen)} costs {cost(instance, chosen)}, not {total} by cuts"
    return ""


def _apart(
    weights: Sequence[int], sides: Sequence[Sequence[int]], i: int, j: int
) -> int:
    """Add up the weights of the cuts between two points."""
    return sum(w for w, side in zip(weights, sides, strict=True) if side[i] != side[j])


@cache
def atlas(most: int) -> tuple[Graph, ...]:
    """Return every connected graph of two to ``most`` nodes, at most seven."""
    from networkx import graph_atlas_g, is_connected

    return tuple(
        Graph.from_networkx(one)
        for one in graph_atlas_g()
        if 2 <= len(one) <= most and is_connected(one)
    )


def draw_graphs(seed: int, count: int) -> Iterator[Graph]:
    """Draw connected graphs of 4 to 10 nodes with links of one to three hops."""
    random = Random(f"closeknit graphs {seed}")
    for _ in range(count):
        nodes = random.randint(4, 10)
        longest = random.choice((1, 3))
        links = {(random.randrange(v), v) for v in range(1, nodes)}
        pairs = list(combinations(range(nodes), 2))
        links |= set(random.sample(pairs, random.randint(0, len(pairs) // 2)))
        edges = tuple((u, v, random.randint(1, longest)) for u, v in sorted(links))
        some = random.sample(range(nodes), random.randint(3, nodes))
        yield Graph(nodes, edges, tuple(some))


def all_distances(graph: Graph) -> Table:
    """Return all distances by Floyd and Warshall's algorithm."""
    from scipy.sparse.csgraph import floyd_warshall

    links = np.zeros((graph.nodes, graph.nodes))
    for u, v, length in graph.edges:
        links[u, v] = links[v, u] = length
    table: Table = floyd_warshall(links).astype(np.int64).tolist()
    return table


def like_a_tree(points: Sequence[int], far: Table) -> bool:
    """Check Buneman's condition on every four points, repeats among them."""
    return all(
        far[x][y] + far[z][t] <= max(far[x][z] + far[y][t], far[x][t] + far[y][z])
        for x, y, z, t in product(points, repeat=4)
    )


def partial_cube(graph: Graph, far: Table) -> bool:
    """Check Winkler's condition: bipartite, and the relation of edges transitive."""
    edges = [(u, v) for u, v, _ in graph.edges]
    if any((far[0][u] + far[0][v]) % 2 == 0 for u, v in edges):
        return False

    def related(e: tuple[int, int], f: tuple[int, int]) -> bool:
        (u, v), (x, y) = e, f
        return far[u][x] + far[v][y] != far[u][y] + far[v][x]

    near = {e: frozenset(f for f in edges if related(e, f)) for e in edges}
    return all(near[e] == near[f] for e in edges for f in near[e])


def _graphs(trial: Trial, most: int, seed: int) -> tuple[Graph, ...]:
    count = QUICK_SAMPLES if trial.quick else SAMPLES
    return (*atlas(most), *draw_graphs(seed, count))


def distances_and_cuts(trial: Trial) -> Outcome:
    """Compare distances and cuts of graphs with what their definitions say."""
    graphs = _graphs(trial, _QUICK_NODES if trial.quick else _NODES, trial.seed)
    by_cuts = 0
    for seen, graph in enumerate(graphs, 1):
        wrong, found = _compare_cuts(graph)
        by_cuts += found
        if wrong:
            free = tuple(graph.locations())
            at = KSubset("graph", graph, free, min(2, len(free)))
            return failed(wrong, seen, at)
    seen = len(graphs)
    return passed(
        f"{by_cuts} of {seen} have cuts, and they add up; seed {trial.seed}", seen
    )


def _compare_cuts(graph: Graph) -> tuple[str, bool]:
    """Say what is wrong with a graph, and whether cuts were found."""
    far = all_distances(graph)
    table = arrays.table(graph).tolist()
    for row, p in zip(table, graph.processors, strict=True):
        for v in range(graph.nodes):
            if not row[v] == far[p][v] == graph.distance((p,), (v,)):
                said = f"{row[v]} by arrays, {graph.distance((p,), (v,))} by walking"
                return f"{p} and {v} are {far[p][v]} apart, {said}", False
    embedding = graph.embedding
    if embedding != arrays.embedding(graph):
        return "other cuts are found in arrays", False
    tree = embedding is not None and embedding.is_tree
    if tree != like_a_tree(graph.processors, far):
        return f"the distances are taken for those of a tree: {tree}", False
    if embedding is None:
        equal = len({length for _, _, length in graph.edges}) == 1
        missed = equal and partial_cube(graph, far)
        return "a partial cube has no cuts" * missed, False
    free = tuple(graph.locations())
    cuts = arrays.cuts(KSubset("graph", graph, free, 1))
    sides, weights = cuts.sides.tolist(), cuts.weights.tolist()
    for i, j in combinations(range(len(free)), 2):
        apart = _apart(weights, sides, i, j)
        hops = far[graph.processors[i]][graph.processors[j]]
        if apart != hops * cuts.denominator:
            return f"{free[i]} and {free[j]}: {hops}, {apart} by cuts", True
    return "", True


def compare_routes(trial: Trial) -> Outcome:
    """Compare the exact routes and two heuristics with the cost of every choice."""
    most = _QUICK_SOLVED_NODES if trial.quick else _SOLVED_NODES
    instances = (
        KSubset(f"graph-{k}-of-{len(free)}", graph, free, k)
        for graph in _graphs(trial, most, trial.seed + 1)
        for free in [tuple(graph.locations())]
        for k in range(2, len(free))
    )
    return survey(
        f"as by enumeration on all connected graphs of up to {most} nodes and samples "
        f"of seed {trial.seed}",
        (instances, partial(_find_violation, trial)),
    )


def _find_violation(trial: Trial, instance: KSubset) -> str:
    """Say what is wrong on an instance; "" if nothing."""
    least = least_cost(instance)
    for method in ("auto", "distances-bb"):
        if (found := trial.optimum(instance, method)) != least:
            return f"{method} proves {found}, enumeration {least}"
    for method in ("mm-free", "mm"):
        paid = trial.pay(method, instance)
        if paid * instance.k > least * (2 * instance.k - 2):
            return f"{method} costs {paid}, more than 2 - 2/k times {least}"
    return ""


CUT_CLAIMS = (
    Claim(
        name="cuts-are-distances",
        statement="The distance of two processors is the weight of the cuts between "
        "them, and a set costs the sum of w c (k - c) over its cuts.",
        source="derived, docs/science/theory.md",
        tested="every pair of sampled meshes, tori, points and trees",
        test=cuts_are_distances,
    ),
    Claim(
        name="graph-cuts-are-distances",
        statement="Distances of a graph are its shortest paths; cuts are found "
        "wherever the distances are those of a tree or the graph is a partial cube, "
        "and add up to them.",
        source="Buneman 1971; Djokovic 1973; Winkler 1984",
        tested=f"every connected graph of up to {_NODES} nodes ({_QUICK_NODES} if "
        f"quick), and {SAMPLES} ({QUICK_SAMPLES}) weighted ones of up to 10 with some "
        "nodes processors, where only trees must be found; against Floyd and Warshall, "
        "the four-point condition and the relation of all pairs of edges",
        test=distances_and_cuts,
    ),
    Claim(
        name="graphs-are-solved-exactly",
        statement="On graphs auto and distances-bb prove the optimum, and mm-free and "
        "mm are within 2 - 2/k of it.",
        source="derived, docs/science/graphs.md; the factor is Krumke et al. 1997",
        tested=f"every connected graph of up to {_SOLVED_NODES} nodes "
        f"({_QUICK_SOLVED_NODES} if quick) and every k, and {SAMPLES} "
        f"({QUICK_SAMPLES}) weighted ones of up to 10; against the cost of every "
        "subset",
        test=compare_routes,
    ),
)
