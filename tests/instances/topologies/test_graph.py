"""Graphs: distances against networkx, cuts against known families, readers."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.cli.app import run
from closeknit.instances import (
    Graph,
    Grid,
    InputError,
    KSubset,
    Torus,
    arrays,
    cost,
    read_ksubset,
    sha256,
    write_ksubset,
)
from closeknit.instances.ksubset.graph_generators import (
    dragonfly,
    dragonfly_network,
    fat_tree,
    fat_tree_network,
    hypercube,
    random_regular,
)
from closeknit.instances.ksubset.json import chosen_of, parse_ksubset
from closeknit.instances.support.ksubset import selection_of
from closeknit.instances.topologies.graph_files import (
    parse_graphml,
    parse_node_link,
    read_graph,
)
from closeknit.methods import METHODS
from closeknit.solvers import Status

from ...strategies import graphs, graphs_of_grids, graphs_of_trees

RING = tuple((v, (v + 1) % 5, 1) for v in range(5))


def as_networkx(graph: Graph) -> Any:
    made = nx.Graph()
    made.add_nodes_from(range(graph.nodes))
    made.add_weighted_edges_from(graph.edges)
    return made


def whole(graph: Graph | Grid, k: int = 1) -> KSubset:
    return KSubset("whole", graph, tuple(graph.locations()), k)


# --- distances -----------------------------------------------------------------


@settings(max_examples=150, deadline=None)
@given(graph=graphs())
def test_distances_are_those_of_networkx(graph: Graph) -> None:
    expected = dict(nx.all_pairs_dijkstra_path_length(as_networkx(graph)))
    for row, p in zip(arrays.table(graph).tolist(), graph.processors, strict=True):
        assert row == [expected[p][v] for v in range(graph.nodes)]
    for p, q in combinations(range(graph.nodes), 2):
        assert graph.distance((p,), (q,)) == graph.distance((q,), (p,))
        assert graph.distance((p,), (q,)) == expected[p][q]
    assert all(graph.distance((v,), (v,)) == 0 for v in range(graph.nodes))
    instance = whole(graph, k=min(3, len(graph.processors)))
    hops = arrays.hops(instance)
    assert hops.tolist() == [[expected[p][q] for q in graph.processors]
                             for p in graph.processors]  # fmt: skip
    assert int(hops.max()) <= graph.spread(instance.free)
    every = range(instance.n)
    everything = KSubset("all", graph, instance.free, instance.n)
    assert cost(everything, every) == int(hops.sum()) // 2


def test_more_sources_than_rows_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("closeknit.instances.topologies.graph._KEPT", 2)
    graph = Graph(5, RING, (0, 1, 2, 3, 4))
    assert [graph.distance((v,), (0,)) for v in range(5)] == [0, 1, 2, 2, 1]


def test_many_sources_at_once_and_long_links() -> None:
    made = nx.random_regular_graph(3, 90, seed=5)
    for length in (1, 7):
        nx.set_edge_attributes(made, length, "weight")
        graph = Graph.from_networkx(made)
        expected = dict(nx.all_pairs_shortest_path_length(made))
        found = [[length * expected[p][q] for q in made] for p in made]
        assert arrays.table(graph).tolist() == found


# --- cuts ------------------------------------------------------------------------


def has_cuts(graph: Graph, free: list[int] | None = None) -> bool:
    """Whether cuts are found; those found must add up to the distances.

    They are the same in plain Python and in arrays.
    """
    assert graph.embedding == arrays.embedding(graph)
    if graph.embedding is None:
        with pytest.raises(InputError, match="needs distances that are sums of cuts"):
            graph.cuts(whole(graph).free)
        return False
    sites = tuple((v,) for v in (graph.processors if free is None else free))
    instance = KSubset("free", graph, sites, 1)
    cuts = arrays.cuts(instance)
    for i, j in combinations(range(instance.n), 2):
        apart = cuts.weights[cuts.sides[:, i] != cuts.sides[:, j]].sum()
        hops = graph.distance(instance.free[i], instance.free[j])
        assert apart == hops * cuts.denominator
    inside = cuts.sides.sum(axis=1)
    assert ((inside > 0) & (inside < instance.n)).all()
    for h, up in enumerate(cuts.parent):
        assert up < 0 or (cuts.sides[h] <= cuts.sides[up]).all()
    return True


TREES = [nx.path_graph(9), nx.star_graph(7), nx.complete_graph(5)]
OTHERS = [
    nx.hypercube_graph(4),
    nx.cycle_graph(8),
    nx.grid_2d_graph(4, 5),
    nx.grid_2d_graph(4, 6, periodic=True),
    nx.desargues_graph(),
    nx.cycle_graph(7),
    nx.grid_graph((3, 4, 5), periodic=True),
    nx.cartesian_product(nx.complete_graph(5), nx.path_graph(3)),
]


@pytest.mark.parametrize("made", [*TREES, *OTHERS], ids=str)
def test_known_families_have_cuts(made: Any) -> None:
    graph = Graph.from_networkx(made)
    assert has_cuts(graph)
    assert graph.embedding is not None
    assert graph.embedding.is_tree == (made in TREES)
    assert has_cuts(graph, list(graph.processors[1::2]))


@pytest.mark.parametrize(
    "made",
    [
        nx.petersen_graph(),
        nx.complete_bipartite_graph(2, 3),
        nx.icosahedral_graph(),
        nx.heawood_graph(),
    ],
)
def test_others_have_none(made: Any) -> None:
    assert not has_cuts(Graph.from_networkx(made))


@settings(max_examples=100, deadline=None)
@given(graph=st.one_of(graphs_of_trees(), graphs_of_grids()))
def test_trees_and_grids_have_cuts(graph: Graph) -> None:
    assert has_cuts(graph)


@settings(max_examples=150, deadline=None)
@given(graph=graphs())
def test_cuts_found_are_distances(graph: Graph) -> None:
    has_cuts(graph)


@pytest.mark.parametrize("sides", [(7,), (5, 4), (3, 3, 5)])
def test_a_torus_costs_the_same_as_its_graph(sides: tuple[int, ...]) -> None:
    torus = Torus(sides)
    graph = Graph.from_networkx(nx.grid_graph(sides[::-1], periodic=True))
    assert graph.embedding is not None
    assert {len(graph.embedding.sides), arrays.cuts(whole(torus)).weights.size} == {
        sum(side if side % 2 else side // 2 for side in sides)
    }
    for k in (2, 5):
        solved = METHODS["ksubset"]["cuts-bb"](whole(graph, k=k))
        assert solved.status is Status.OPTIMAL
        on_torus = METHODS["ksubset"]["cuts-bb"](whole(torus, k=k))
        assert solved.objective == on_torus.objective


def test_a_class_of_unequal_lengths_is_no_cut() -> None:
    square = Graph(4, ((0, 1, 1), (1, 2, 1), (2, 3, 2), (0, 3, 1)), (0, 1, 2, 3))
    assert not has_cuts(square)


def test_hosts_of_a_fat_tree_are_as_far_apart_as_on_a_tree() -> None:
    network = fat_tree_network(4)
    assert not nx.is_tree(as_networkx(network))
    assert network.embedding is not None
    assert network.embedding.is_tree
    assert has_cuts(network)


# --- generators -------------------------------------------------------------------


@pytest.mark.parametrize(("a", "p", "h"), [(4, 2, 2), (2, 1, 1), (1, 1, 3), (3, 2, 1)])
def test_a_dragonfly_has_one_link_between_any_two_groups(
    a: int, p: int, h: int
) -> None:
    network = dragonfly_network(a, p, h)
    groups = a * h + 1
    routers = groups * a
    assert len(network.processors) == routers * p
    assert network.nodes == routers * (1 + p)
    between: dict[tuple[int, int], int] = {}
    degree = [0] * network.nodes
    for u, v, length in network.edges:
        assert length == 1
        degree[u] += 1
        degree[v] += 1
        if v < routers:
            key = u // a, v // a
            between[key] = between.get(key, 0) + 1
    assert set(degree[:routers]) == {a - 1 + h + p}
    assert set(degree[routers:]) == {1}
    for x, y in combinations(range(groups), 2):
        assert between[x, y] == 1
    assert all(between.get((x, x), 0) == a * (a - 1) // 2 for x in range(groups))


def test_a_fat_tree_is_that_of_al_fares() -> None:
    network = fat_tree_network(6)
    assert len(network.processors) == 6**3 // 4
    degree = [len(some) for some in network.neighbours]
    assert sorted(degree) == [1] * 54 + [6] * (18 + 18 + 9)
    hops = arrays.hops(whole(network))
    counts = [int((hops[0] == d).sum()) for d in (2, 4, 6)]
    assert counts == [2, 6, 45]


def test_families_draw_what_is_free_and_are_reproducible() -> None:
    one = random_regular(20, 3, 5, 12, seed=7)
    assert one == random_regular(20, 3, 5, 12, seed=7)
    assert one.n == 12
    assert all(len(some) == 3 for some in one.topology.neighbours)  # type: ignore[attr-defined]
    cube = hypercube(4, 3)
    assert as_networkx(cube.topology).number_of_edges() == 32  # type: ignore[arg-type]
    assert cube.seed is None


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: dragonfly(0, 1, 1, 1), "a: must be at least 1, not 0"),
        (lambda: dragonfly(90, 90, 90, 1), "topology: the network must"),
        (lambda: fat_tree(5, 1), "radix: must be even and at least 2"),
        (lambda: fat_tree(128, 1), "topology: the network must have"),
        (lambda: hypercube(13, 1), "d: must be at most 12, not 13"),
        (lambda: random_regular(7, 3, 1), "degree: must be below n, "),
        (lambda: random_regular(8, 1, 1), "degree: no connected graph"),
        (lambda: random_regular(8, 3, 1, seed=-1), "seed: must be"),
        (lambda: hypercube(3, 1, 9), "free: must leave between 1 and"),
        (lambda: hypercube(3, 9), "k: must be at most the number"),
    ],
)
def test_bad_numbers_are_refused(make: Callable[[], KSubset], message: str) -> None:
    with pytest.raises(InputError) as caught:
        make()
    assert str(caught.value).startswith(message)


# --- files --------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(graph=graphs(), data=st.data())
def test_instance_files_give_the_graph_back(graph: Graph, data: st.DataObject) -> None:
    name = [f"node {v}" for v in range(graph.nodes)]
    named = Graph(graph.nodes, graph.edges, graph.processors, names=tuple(name))
    instance = whole(named)
    edges = data.draw(st.permutations([[v, u, w] for u, v, w in graph.edges]))
    processors = list(reversed(graph.processors))
    again = parse_ksubset(of_file(graph.nodes, edges, processors=processors))
    assert again.topology == named
    assert sha256(again) == sha256(instance)
    assert selection_of(instance, [0]) == [graph.processors[0]]
    assert chosen_of(instance, [graph.processors[0]]) == (0,)


def test_names_and_decimals_survive(tmp_path: Path) -> None:
    made = nx.Graph()
    made.add_edge("a", "b", weight=0.5)
    made.add_edge("b", "c", weight=1.25)
    graph = Graph.from_networkx(made)
    assert (graph.scale, graph.edges) == (100, ((0, 1, 50), (1, 2, 125)))
    write_ksubset(whole(graph), tmp_path / "one.json")
    found = read_ksubset(tmp_path / "one.json")
    assert found == whole(graph)
    assert isinstance(found.topology, Graph)
    assert found.topology.names == ("a", "b", "c")
    assert cost(found, [0, 2]) == 175


def of_file(nodes: int, edges: Any, **more: Any) -> dict[str, Any]:
    """Return the document of an instance on a graph."""
    topology = {"kind": "graph", "nodes": nodes, "edges": edges, **more}
    return {"format": "closeknit/ksubset", "version": 1, "topology": topology, "k": 1}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"nodes": 0}, "topology.nodes: must lie between 1 and 65536, not 0"),
        ({"nodes": 10**9}, "topology.nodes: must lie between 1 and 65536, not 1000000"),
        ({"nodes": 2.5}, "topology.nodes: must be an integer"),
        ({"nodes": 4}, "topology.edges: not connected: no path from node 0 to 1 node"),
        ({"edges": 1}, "topology.edges: must be a list, not 1"),
        ({"edges": [[0, 1], [1]]}, "topology.edges[1]: must be [node, node, length]"),
        ({"edges": [[0, 1], [1, 3]]}, "topology.edges[1]: no such node: 3"),
        ({"edges": [[0, 1], [1, -1]]}, "topology.edges[1]: no such node: -1"),
        ({"edges": [[0, 1], [1, 1]]}, "topology.edges[1]: joins a node to itself: 1"),
        ({"edges": [[0, 1], [1, 0]]}, "topology.edges[1]: listed twice: [0, 1]"),
        ({"edges": [[0, 1, 0], [1, 2]]}, "topology.edges[0]: must be positive and be"),
        ({"edges": [[0, 1, "x"], [1, 2]]}, "topology.edges[0][2]: must be a number"),
        ({"edges": [[0, 1, 2**53], [1, 2]]}, "topology.edges[0]: must be positive and"),
        ({"processors": []}, "topology.processors: needs at least one node"),
        ({"processors": [3]}, "topology.processors[0]: no such node: 3"),
        ({"processors": [1, 1]}, "topology.processors[1]: listed twice: 1"),
        ({"names": ["a"]}, "topology.names: must have 3 entries, one per node, not 1"),
        ({"names": ["a", "b", 3]}, "topology.names[2]: must be a string, not 3"),
        ({"colour": 1}, "topology.colour: unknown field"),
    ],
)
def test_bad_instance_files_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_ksubset(of_file(**{"nodes": 3, "edges": [[0, 1], [1, 2, 2]], **change}))
    assert str(caught.value).startswith(message)


def test_too_many_distances_are_refused() -> None:
    edges = tuple((v, v + 1, 1) for v in range(8191))
    with pytest.raises(
        InputError, match=r"^topology\.processors: times 8192 nodes must"
    ):
        Graph(8192, edges, tuple(range(8192)))
    assert Graph(8192, edges, (0, 8191)).distance((0,), (8191,)) == 8191


def test_every_format_is_read(tmp_path: Path) -> None:
    made = nx.petersen_graph()
    nx.set_edge_attributes(made, 1.5, "weight")
    nx.set_node_attributes(made, {v: int(v != 3) for v in made}, "processor")
    nx.write_graphml(made, tmp_path / "one.graphml")
    text = json.dumps(nx.node_link_data(made, edges="links"))
    (tmp_path / "one.json").write_text(text, encoding="utf-8")
    for form in ("graphml", "json"):
        graph = read_graph(tmp_path / f"one.{form}")
        assert graph == Graph.from_networkx(made)
        assert graph.processors == (0, 1, 2, 4, 5, 6, 7, 8, 9)
        assert graph.scale == 10


def test_networkx_graphs_of_all_kinds() -> None:
    multi = nx.MultiGraph([(0, 1, {"weight": 3}), (0, 1, {"weight": 2}), (1, 1)])
    assert Graph.from_networkx(multi).edges == ((0, 1, 2),)
    assert Graph.from_networkx(multi, processors=[1]).processors == (1,)
    with pytest.raises(
        InputError, match=r"^graph: must be undirected, not 'directed'$"
    ):
        Graph.from_networkx(nx.DiGraph([(0, 1)]))
    with pytest.raises(InputError, match=r"^processors: no such node: '7'$"):
        Graph.from_networkx(multi, processors=[7])


BOMB = (
    '<!DOCTYPE g [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    "<graphml>&b;</graphml>"
)
EXTERNAL = BOMB.replace('a "aaaaaaaaaa"', 'a SYSTEM "file:///etc/passwd"')


@pytest.mark.parametrize(
    ("parse", "text", "message"),
    [
        (parse_graphml, BOMB, "DOCTYPE: has a document type, which is not read"),
        (parse_graphml, EXTERNAL, "DOCTYPE: has a document type, which is not read"),
        (parse_graphml, "<graphml>", "not XML: no element found"),
        (parse_graphml, "", "not XML: no element found"),
        (parse_graphml, "<a>" * 70 + "</a>" * 70, "not usable XML: nested too deeply"),
        (parse_graphml, "<graphml/>", "not usable GraphML: "),
        (parse_node_link, "[]", "document: must be an object"),
        (parse_node_link, "{", "not JSON: "),
        (parse_node_link, '{"nodes": 1}', "nodes: must be a list, not 1"),
        (parse_node_link, '{"nodes": [{}]}', "nodes[0].id: must be text or an integer"),
        (parse_node_link, '{"nodes": [], "links": []}', "topology.nodes: must lie "),
        (
            parse_node_link,
            '{"nodes": [{"id": 1}, {"id": 1}], "links": []}',
            "nodes[1].id: listed twice: '1'",
        ),
        (
            parse_node_link,
            '{"nodes": [{"id": 1}], "edges": [{"source": 1, "target": "x"}]}',
            "edges[0].target: no such node: 'x'",
        ),
        (
            parse_node_link,
            '{"nodes": [{"id": 1}, {"id": 2}], '
            '"edges": [{"source": 1, "target": 2, "weight": "far"}]}',
            "edges[0]: must be a number, not 'far'",
        ),
        (
            parse_node_link,
            '{"directed": true, "nodes": [], "links": []}',
            "directed: must be false, not True",
        ),
    ],
)
def test_bad_files_of_others_are_refused(
    parse: Callable[[str], Graph], text: str, message: str
) -> None:
    with pytest.raises(InputError) as caught:
        parse(text)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_the_command_makes_an_instance_of_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bad.graphml").write_text(BOMB, encoding="utf-8")
    nx.write_graphml(nx.cycle_graph(6), tmp_path / "ring.graphml")
    nx.write_gml(nx.cycle_graph(6), tmp_path / "ring.gml")
    ring, out = str(tmp_path / "ring.graphml"), str(tmp_path)
    said = run(["generate", "graph", "--file", ring, "--k", "3", "--out", out])
    assert said == 0
    made = read_ksubset(tmp_path / "ring-full-k3.json")
    assert isinstance(made.topology, Graph)
    assert made.topology.nodes == 6
    assert run(["solve", str(tmp_path / "ring-full-k3.json")]) == 0
    assert "cost    4" in capsys.readouterr().out
    for name in ("bad.graphml", "ring.gml", "none.json", "ring.txt"):
        path = str(tmp_path / name)
        assert run(["generate", "graph", "--file", path, "--k", "3"]) == 2
        said_wrong = capsys.readouterr().err
        assert said_wrong.startswith(f"closeknit: {path}: ")
        assert said_wrong.count("\n") == 1
