"""Claims that exact routes are exact, also at sizes where code takes another way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations, product
from random import Random
from typing import Any, cast

from ...exact.ksubset.cuts_bb import search as cuts_bb
from ...exact.sukp.sukp_bb import search as sukp_bb
from ...instances import KSubset, Mesh, Site, Sukp, Topology, Torus, Tree, check, cost
from ...instances.ksubset.graph_generators import random_regular
from ...instances.ksubset.worst_cases import ring_gap
from ...solvers.running import clock
from .definitions import nearest_of_a_median
from .ksubset.exactness import ENUMERATED, exact_claims, inexact
from .processor_sets import knapsacks
from .running.claim import Claim, Outcome, Trial, failed, passed
from .running.samples import (
    draw_samples,
    every_subset,
    of_one_axis,
    on_graphs,
    price_all,
)
from .running.shrink import survey

_MOST_FREE = 9
EXACT, QUICK_EXACT = 300, 60
STARTS, QUICK_STARTS = 400, 100
RINGS, QUICK_RINGS = 300, 40
TREES, QUICK_TREES = 60, 12
GRIDS, QUICK_GRIDS = 40, 6
GRAPHS, QUICK_GRAPHS = 6000, 300


# Distances and costs


def walks(topology: Topology) -> dict[Site, dict[Site, int]]:
    """Count the hops between all places by walking from link to link.

    Links of a tree weigh, so that there the shortest walk is that of least weight.
    """
    from networkx import Graph, all_pairs_dijkstra_path_length

    links = Graph()
    links.add_nodes_from(topology.locations())
    if tree := topology.tree:
        for v, up in enumerate(tree.parent):
            if up >= 0:
                links.add_edge((v,), (up,), weight=tree.weight[v])
    else:
        grid = topology.grid
        assert grid
        for site, axis in product(grid.locations(), range(grid.dimension)):
            x, side = site[axis] + 1, grid.shape[axis]
            if grid.rings[axis]:
                x %= side
            if x < side:
                links.add_edge(site, (*site[:axis], x, *site[axis + 1 :]), weight=1)
    return dict(all_pairs_dijkstra_path_length(links))


def _tree(random: Random, nodes: int, processors: int, reach: int) -> Tree:
    """Return a random tree; the parent of a node is at most ``reach`` before it."""
    parent = (-1, *(random.randrange(max(0, v - reach), v) for v in range(1, nodes)))
    weight = tuple(random.randint(0, 5) for _ in range(nodes))
    return Tree(parent, weight, tuple(random.sample(range(nodes), processors)))


def networks(seed: int, quick: bool) -> Iterator[tuple[Topology, list[int]]]:
    """Yield networks with sides of 1 and 2 among them, and numbers to choose."""
    random = Random(f"closeknit networks {seed}")
    shapes = [(7,), (2,), (5, 4), (2, 6), (1, 9), (3, 2, 2), (2, 2, 2, 2)]
    shapes += [] if quick else [(12,), (6, 7), (13, 2), (4, 4, 3), (3, 3, 3, 2)]
    ks = [2, 7, 8, 9, 10, 16]
    for shape in shapes:
        yield Mesh(shape), ks
        yield Torus(shape), ks
    for nodes in (2, 20, 60):
        yield _tree(random, nodes, max(2, 3 * nodes // 4), nodes), ks
    yield _tree(random, 300, 200, 30), [3, 120]
    yield _tree(random, 280, 270, 280), [257, 270]


def costs(trial: Trial) -> Outcome:
    """Walk through networks, and add up what the pairs of random choices are apart."""
    random = Random(f"closeknit costs {trial.seed}")
    seen = 0
    for topology, ks in networks(trial.seed, trial.quick):
        free = tuple(topology.locations())
        apart = walks(topology)
        for k in ks:
            if k > len(free):
                continue
            seen += 1
            instance = KSubset(f"{topology.kind}-{len(free)}-k{k}", topology, free, k)
            chosen = random.sample(range(len(free)), k)
            wanted = sum(apart[free[i]][free[j]] for i, j in combinations(chosen, 2))
            paid = cost(instance, chosen)
            wrong = "" if paid == wanted else f"{k} of them cost {paid}, not {wanted}"
            for i, j in [(0, len(free) - 1), *(random.sample(range(len(free)), 2),)]:
                hops = topology.distance(free[i], free[j])
                if hops != apart[free[i]][free[j]]:
                    wrong = f"{free[i]} and {free[j]} are {hops} apart, not "
                    wrong += f"{apart[free[i]][free[j]]}"
            if wrong:
                return failed(wrong, seen, instance)
    return passed(f"as by walking, seed {trial.seed}", seen)


# Searches and programs


def _drawn(trial: Trial) -> Iterator[KSubset]:
    count = 2 * (QUICK_EXACT if trial.quick else EXACT)
    # distances-bb was once wrong on this one, and on one in a thousand of `on_graphs`
    yield random_regular(14, 3, 4, seed=86670)
    yield from every_subset(2, 4, least_k=2)
    yield from draw_samples(trial.seed, count)
    yield from of_one_axis(trial.seed, count)
    yield from on_graphs(trial.seed, QUICK_GRAPHS if trial.quick else GRAPHS)


def least_on_a_tree(_: Trial, instance: KSubset) -> int:
    """Return the least cost on a tree: the plain program, a table for every node."""
    tree, k = instance.topology.tree, instance.k
    assert tree
    free = {v for (v,) in instance.free}
    tables = [[0, 0] if v in free else [0] for v in range(len(tree.parent))]
    for v in reversed(tree.order[1:]):
        weight, up = tree.weight[v], tree.parent[v]
        mine = [
            paid + weight * c * (k - c) for c, paid in enumerate(tables[v]) if c <= k
        ]
        above = tables[up]
        merged = [2**62] * (len(above) + len(mine) - 1)
        for i, one in enumerate(above):
            for j, other in enumerate(mine):
                merged[i + j] = min(merged[i + j], one + other)
        tables[up] = merged[: k + 1]
    return tables[tree.order[0]][k]


def rings(seed: int, count: int) -> Iterator[KSubset]:
    """Yield rings on which windows of consecutive processors mostly fail.

    That is rare: they are the one known, turned round, mirrored, and a little changed.
    """
    random = Random(f"closeknit rings {seed}")
    known = ring_gap().instance
    [side] = known.topology.size
    for number in range(count):
        turn, way = random.randrange(side), random.choice((1, -1))
        moved = random.sample(range(known.n), random.choice((0, 0, 1, 2)))
        free = {
            (way * x + turn + (i in moved) * random.choice((1, -1))) % side
            for i, (x,) in enumerate(known.free)
        }
        if random.random() < 0.3:
            free.add(random.randrange(side))
        sites = tuple((x,) for x in sorted(free))
        yield KSubset(f"ring-{number}", known.topology, sites, known.k, seed=seed)


def trees(seed: int, count: int) -> Iterator[KSubset]:
    """Yield trees of 30 to 300 nodes, bushy ones and long ones."""
    random = Random(f"closeknit trees {seed}")
    for number in range(count):
        nodes = random.choice((30, 60, 120, 300))
        processors = random.randint(14, nodes * 3 // 4)
        tree = _tree(random, nodes, processors, random.choice((2, 10, nodes)))
        free = list(tree.locations())
        k = random.randint(2, len(free) - 1)
        yield KSubset(f"tree-{number}", tree, tuple(free), k, seed=seed)


def on_one_axis(trial: Trial) -> Outcome:
    """Compare ring-dp with enumeration, and tree-dp with the plain program."""
    many = (QUICK_RINGS, QUICK_TREES) if trial.quick else (RINGS, TREES)
    on_rings = partial(inexact, trial, "ring-dp")
    on_trees = partial(inexact, trial, "tree-dp", reference=least_on_a_tree)
    return survey(
        f"as by the plain reference, seed {trial.seed}",
        (rings(trial.seed, many[0]), on_rings),
        (trees(trial.seed, many[1]), on_trees),
    )


def planes(seed: int, count: int) -> Iterator[KSubset]:
    """Yield small meshes of which an even number is chosen: costs of any parity."""
    random = Random(f"closeknit planes {seed}")
    for number in range(count):
        mesh = Mesh((random.randint(3, 5), random.randint(3, 5)))
        free = random.sample(list(mesh.locations()), random.randint(6, 9))
        k = random.choice((4, 4, 6)) if len(free) > 6 else 4
        yield KSubset(f"plane-{number}", mesh, tuple(sorted(free)), k, seed=seed)


def _starts(instance: KSubset | Sukp) -> tuple[int, list[tuple[int, ...]]]:
    """Return the least cost, and choices that cost just more than it."""
    first: dict[int, tuple[int, ...]] = {}
    for chosen, paid in price_all(instance).items():
        first.setdefault(paid, chosen)
    least, *more = sorted(first)
    return least, [first[paid] for paid in more[:2]]


def _stuck(instance: KSubset | Sukp) -> str:
    name, make = "cuts-bb", cast("Callable[..., Any]", cuts_bb.CutsSearch)
    if isinstance(instance, Sukp):
        name, make = "sukp-bb", sukp_bb.ExclusionSearch
    least, starts = _starts(instance)
    for first in starts:
        search = make(instance, first)
        search.run(clock.now() + 60)
        if (search.best, search.bound) != (least, least):
            return (
                f"{name} begins with {cost(instance, first)} and proves "
                f"{search.bound}; {least} is least"
            )
        if check(instance, search.chosen) or cost(instance, search.chosen) != least:
            return f"{name} ends with {search.chosen}, which does not cost {least}"
    return ""


def improving(trial: Trial) -> Outcome:
    """Begin searches with choices that are barely not optimal."""
    count = QUICK_STARTS if trial.quick else STARTS
    samples = (*draw_samples(trial.seed, count), *planes(trial.seed, count))
    return survey(
        f"the optimum is found from what is next to it, seed {trial.seed}",
        ((x for x in samples if x.n <= _MOST_FREE and 1 < x.k < x.n), _stuck),
        (knapsacks(trial.seed, count // 4), _stuck),
    )


def grids(trial: Trial) -> Outcome:
    """Compare mm with its definition on meshes that are too large for a grid."""
    count = QUICK_GRIDS if trial.quick else GRIDS
    return survey(
        f"as by definition, seed {trial.seed}",
        (_wide(trial.seed, count), partial(nearest_of_a_median, trial)),
    )


def _wide(seed: int, count: int) -> Iterator[KSubset]:
    """Yield meshes of more than 4096 cells, with 17 free processors each."""
    random = Random(f"closeknit grids {seed}")
    for number in range(1, count + 1):
        mesh = Mesh((random.randint(70, 120), random.randint(70, 120)))
        free = random.sample(list(mesh.locations()), 17)
        k = random.randint(2, 16)
        yield KSubset(f"grid-{number}", mesh, tuple(sorted(free)), k)


EXACT_CLAIMS = tuple(
    exact_claims(
        "ksubset",
        _drawn,
        f"every choice of free processors and k of a 2x4 mesh; {2 * EXACT} samples "
        f"({2 * QUICK_EXACT} if quick) of up to 16 free processors, as many lines, "
        f"rings and trees, and {GRAPHS} ({QUICK_GRAPHS}) graphs, drawn or of switches, "
        f"of 13 to 20; {ENUMERATED}",
    )
)
"""One for every exact search of our own, one for models: a solver's word."""

LARGER_CLAIMS = (
    Claim(
        name="costs-are-pair-sums",
        statement="A choice costs the sum of the shortest walks between its "
        "processors, however many are chosen and however the sum is formed.",
        source="by definition of the problem",
        tested="random choices of up to 16 on meshes and tori, of sides 1 and 2 among "
        "them, and of up to 270 on trees of up to 300 nodes; walks from link to link",
        test=costs,
    ),
    Claim(
        name="programmes-are-exact-when-large",
        statement="ring-dp and tree-dp are exact on larger instances than those "
        "enumerated elsewhere.",
        source="derived, docs/science/theory.md",
        tested=f"{RINGS} rings ({QUICK_RINGS} if quick) like the one on which "
        f"windows fail, every choice; {TREES} trees ({QUICK_TREES}) of up to 300 "
        "nodes, by a plain dynamic programme",
        test=on_one_axis,
    ),
    Claim(
        name="searches-improve-by-one",
        statement="cuts-bb and sukp-bb find the optimum also when they start from a "
        "choice that costs slightly more.",
        source="by definition of the problems",
        tested=f"samples with at most {_MOST_FREE} free processors, of {STARTS} "
        f"({QUICK_STARTS} if quick), as many small meshes, and {STARTS // 4} "
        f"({QUICK_STARTS // 4}) knapsacks; started from the second and third best cost",
        test=improving,
    ),
    Claim(
        name="mm-is-nearest-on-large-grids",
        statement="mm costs as much as the cheapest k nearest processors of an "
        "intersection, also on meshes of more than 4096 cells.",
        source="Bender et al. 2008, section 2.1",
        tested=f"17 random processors on {GRIDS} meshes ({QUICK_GRIDS} if quick) of "
        "sides 70 to 120, every intersection",
        test=grids,
    ),
)
