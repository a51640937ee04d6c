"""Claims about the loads of links: packets, cuts, hops and times agree with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import permutations

import numpy as np

from ...instances import IntArray, Mesh, Torus, Tree
from ...instances.ksubset.graph_generators import dragonfly_network, fat_tree_network
from ...reports.claims.running.claim import Claim, Outcome, Trial, failed, passed
from ..cut_through.engine import PACKET, CutThrough
from ..engine import Engine, Network
from ..kary_tree import KaryTree
from ..loads import LoadTable, Routes, routings_of
from ..messages import Messages
from ..runs import links_of
from ..worm.engine import RigidWorms
from .networks import NONE

RUNS, ERRORS = 200, 4
"""Runs of a routing that draws or adapts, and standard errors that are allowed."""
DRAWS, QUICK_DRAWS = 40, 8
_TREE = Tree((-1, 0, 0, 1, 1, 2, 2, 2), (0, *[1] * 7), (3, 4, 5, 6, 7))
_NETWORKS = (
    *(Mesh(4, 3), Torus(4, 4), Torus(5, 2, 4), KaryTree(2, 3), _TREE),
    *(dragonfly_network(2, 1, 1), dragonfly_network(4, 2, 2), fat_tree_network(4)),
)
_QUICK = (Mesh(3, 4), Torus(4, 3), KaryTree(2, 3), dragonfly_network(2, 1, 1))


def _cases(quick: bool) -> Iterator[tuple[Network, str, Routes]]:
    """Yield all networks with all their routings."""
    for network in _QUICK if quick else _NETWORKS:
        for routing in routings_of(network):
            if routing == "table":
                if network.graph is not None:
                    table = _table_of(Routes(network, "d-mod-k"))
                    yield network, routing, Routes(network, routing, table)
            else:
                yield network, routing, Routes(network, routing)


def _table_of(routes: Routes) -> list[list[int]]:
    """Write the routes of a graph as a table."""
    graph = routes.network.graph
    assert graph
    table = []
    for p, host in enumerate(graph.processors):
        row = [near[0][0] for near in graph.neighbours]  # of hosts the only one
        row[host] = -1
        for v, links in routes.steps(routes.stop[p], p).items():
            row[v] = routes.links[links[0]][1]
        if routes.stop[p] != host:
            row[routes.stop[p]] = host
        table.append(row)
    return table


def _counted(routes: Routes, engine: Engine) -> IntArray:
    """Return what the links of routes have carried in an engine."""
    ends, carried = links_of(engine)
    by_link = Counter[tuple[int, int]]()  # both ways round a ring of two are one link
    for (u, v), flits in zip(ends.tolist(), carried.tolist(), strict=True):
        by_link[u, v] += flits
    return np.array([by_link[link] for link in routes.links], np.int64)


def _engine(network: Network, routes: Routes, seed: int) -> Engine:
    if routes.routing == "table":
        return CutThrough(network, table=np.array(routes.table), seed=seed)
    if routes.routing == "d-mod-k":
        table = _table_of(routes) if network.graph else None
        return CutThrough(network, table=table and np.array(table), seed=seed)
    return CutThrough(network, routing=routes.routing, seed=seed)


def _apart(places: IntArray, flits: int) -> Messages:
    """Return a message from everyone to everyone, one after the other."""
    source, target = (places[i] for i in np.nonzero(~np.eye(len(places), dtype=bool)))
    length = np.full(len(source), flits)
    return Messages(source, target, length, 400 * np.arange(len(source)), NONE, NONE)


def match_packets(trial: Trial) -> Outcome:
    """Compare loads with the counters of the engines, link by link."""
    draw = np.random.default_rng([trial.seed, 33])
    seen = 0
    for network, routing, routes in _cases(trial.quick):
        table, n = LoadTable(routes), len(routes.stop)
        places = np.sort(draw.choice(n, min(n, 6), replace=False))
        due = table.of(places.tolist()) / table.whole
        runs = 1 if routes.is_fixed else RUNS
        found = []
        for run in range(runs):
            engine = _engine(network, routes, run)
            engine.add(_apart(places, PACKET))
            engine.finish()
            found.append(_counted(routes, engine) / PACKET)
        counts = np.array(found)
        seen += len(routes.links)
        error = counts.std(axis=0, ddof=1) / np.sqrt(runs) if runs > 1 else 0
        far = np.abs(counts.mean(axis=0) - due) > ERRORS * error + 1e-9
        if len(wrong := np.flatnonzero(far)):
            e = int(wrong[0])
            mean = counts[:, e].mean()
            return failed(
                f"{network}, {routing}: link {routes.links[e]} carries {mean:g} "
                f"packets, not {due[e]:g}",
                seen,
            )
        if network.grid and routing == "dimension-order":
            worms = RigidWorms(network.grid)
            worms.add(_apart(places, 5))
            worms.finish()
            if (_counted(routes, worms) != 5 * due).any():
                return failed(f"{network}: worms go other ways", seen)
    return passed(f"{seen} links carry what the table says", seen)


def _drawn(trial: Trial) -> Iterator[tuple[Routes, list[int], IntArray, int]]:
    """Yield routes, drawn places, the loads of links and their whole.

    They are those of tables, and for the last places those from which costs are priced.
    """
    draw = np.random.default_rng([trial.seed, 34])
    for _, routing, routes in _cases(trial.quick):
        if routing == "valiant":  # not by shortest ways
            continue
        table, n = LoadTable(routes), len(routes.stop)
        for _ in range(QUICK_DRAWS if trial.quick else DRAWS):
            k = int(draw.integers(2, n + 1))
            places = np.sort(draw.choice(n, k, replace=False)).tolist()
            yield routes, places, table.of(places), table.whole
        sent = ((p, q, table.whole) for p, q in permutations(places, 2))
        carried, links = routes.carry(sent), range(len(routes.links))
        loads = np.array([int(carried.get(e, 0)) for e in links], np.int64)
        yield routes, places, loads, table.whole


def add_up_over_cuts(trial: Trial) -> Outcome:
    """Sum the loads of the links of every cut, each way."""
    seen = 0
    for routes, places, loads, whole in _drawn(trial):
        cuts = _cuts(routes)
        ends = np.array(routes.links).reshape(-1, 2)
        stops = np.array([routes.stop[p] for p in places])
        for inside in cuts:
            c = int(inside[stops].sum())
            begin, end = inside[ends].T
            for way in (begin & ~end, end & ~begin):
                seen += 1
                carried = int(loads[way].sum())
                if carried != whole * c * (len(places) - c):
                    return failed(
                        f"{routes.network}, {routes.routing}: a cut with {c} of "
                        f"{len(places)} below carries {carried} of {whole}",
                        seen,
                    )
    return passed("the links of every cut carry c (k - c) each way", seen)


def _cuts(routes: Routes) -> list[np.ndarray]:
    """Return the sides of the cuts of a grid or a tree, as flags of nodes."""
    network = routes.network
    if network.grid is None:
        tree = network.tree
        if tree is None:
            return []
        below = np.eye(len(tree.parent), dtype=np.bool_)
        for v in sorted(range(len(tree.parent)), reverse=True):
            if tree.parent[v] >= 0:
                below[tree.parent[v]] |= below[v]
        return [below[v] for v, up in enumerate(tree.parent) if up >= 0]
    at = np.array(list(network.locations()))
    found = []
    for axis, (side, ring) in enumerate(
        zip(network.grid.shape, network.grid.rings, strict=True)
    ):
        if ring and side % 2:  # cuts of odd rings are not between nodes
            continue
        for x in range(side // 2 if ring else side - 1):
            found.append((at[:, axis] > x) & (at[:, axis] <= x + side // 2))
            if not ring:
                found[-1] = at[:, axis] > x
    return found


def sum_to_the_pair_sum(trial: Trial) -> Outcome:
    """Sum all loads, each times the length of its link."""
    seen = 0
    for routes, places, loads, whole in _drawn(trial):
        far = [routes.away(v) for v in (routes.stop[p] for p in places)]
        hops = sum(row[routes.stop[q]] for row in far for q in places)
        seen += 1
        if int(loads.sum()) != whole * hops:
            return failed(
                f"{routes.network}, {routes.routing}: loads of {places} sum up to "
                f"{int(loads.sum())} of {whole}, not {hops}",
                seen,
            )
    return passed("loads add up to the hops of all pairs", seen)


def bound_times(trial: Trial) -> Outcome:
    """Run all-to-all at once where routes are fixed."""
    seen = 0
    for routes, places, loads, _ in _drawn(trial):
        if not routes.is_fixed:
            continue
        some = np.array(places)
        engine = _engine(routes.network, routes, 0)
        source, target = (some[i] for i in np.nonzero(~np.eye(len(some), dtype=bool)))
        length = np.full(len(source), 2 * PACKET)
        engine.add(Messages(source, target, length, 0 * source, NONE, NONE))
        took, least = engine.finish(), 2 * PACKET * int(loads.max(initial=0))
        seen += 1
        if took < least:
            return failed(
                f"{routes.network}, {routes.routing}: {took} cycles, less than {least} "
                "of the busiest link",
                seen,
            )
    return passed("no run is faster than its busiest link", seen)


_ALL = "all routings of meshes, tori, k-ary trees, trees, dragonflies and fat-trees"
LOAD_CLAIMS = (
    Claim(
        name="loads-match-packets",
        statement="Simulated links carry what the table of loads says: flit by flit "
        f"where routes are fixed, within {ERRORS} standard errors of the mean of "
        f"{RUNS} runs where they are drawn or adapt.",
        source="derived, docs/papers/hops-or-seconds.md",
        tested=_ALL,
        test=match_packets,
    ),
    Claim(
        name="loads-of-a-cut-add-up",
        statement="With shortest ways the links of a cut carry c (k - c) each way.",
        source="derived, docs/papers/hops-or-seconds.md",
        tested=f"all cuts of grids and trees, {DRAWS} sets each",
        test=add_up_over_cuts,
    ),
    Claim(
        name="sum-of-loads-is-twice-the-pair-sum",
        statement="With shortest ways the loads of all links add up to twice the pair "
        "sum between switches.",
        source="derived, docs/papers/hops-or-seconds.md",
        tested=f"{_ALL}, {DRAWS} sets each",
        test=sum_to_the_pair_sum,
    ),
    Claim(
        name="links-bound-time",
        statement="With fixed routes no run is faster than its busiest link.",
        source="derived, docs/papers/hops-or-seconds.md",
        tested="all-to-all at once by packets, on the same networks",
        test=bound_times,
    ),
)
