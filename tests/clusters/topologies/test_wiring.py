"""Fabrics from cables: hops as networkx counts them, whatever they become."""

from __future__ import annotations

import random

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.clusters.topologies import Cluster, Hierarchy, parse_cluster
from closeknit.clusters.topologies.wiring import tree_topology
from closeknit.instances import InputError

from ..clusters import hierarchy, space_of


def cluster_of(graph: nx.Graph) -> Cluster:
    rows = [f"{a},{b},1" for a, b in graph.edges]
    return parse_cluster("\n".join(["a,b,links", *rows]))


def agree(graph: nx.Graph) -> Cluster:
    """Compare all hops; return the cluster."""
    cluster = cluster_of(graph)
    away = dict(nx.all_pairs_shortest_path_length(graph))
    hosts = {v for v in graph if not str(v).startswith("S-")}
    assert set(cluster.index) == hosts
    for fabric in cluster.fabrics:
        for i, a in enumerate(fabric.nodes):
            for j, b in enumerate(fabric.nodes):
                assert fabric.distance(i, j) == away[a][b]
        if isinstance(fabric, Hierarchy):
            tree = tree_topology(fabric)
            first, last = tree.processors[0], tree.processors[-1]
            apart = fabric.distance(0, len(fabric.nodes) - 1)
            assert tree.distance((first,), (last,)) == 2 * apart
    return cluster


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 9), st.integers(0, 4))
def test_random_fabrics(seed: int, switches: int, more: int) -> None:
    chance = random.Random(seed)
    graph = nx.Graph()
    for v in range(1, switches):
        graph.add_edge(f"S-{v}", f"S-{chance.randrange(v)}")
    for _ in range(more):
        a, b = chance.randrange(switches), chance.randrange(switches)
        if a != b:
            graph.add_edge(f"S-{a}", f"S-{b}")
    for h in range(chance.randrange(1, 14)):
        for _ in range(1 + (chance.random() < 0.2)):
            graph.add_edge(f"h{h}", f"S-{chance.randrange(switches)}")
    agree(graph)


def test_fat_trees_with_several_spines_become_trees_with_their_leaves() -> None:
    graph = nx.Graph()
    for leaf in range(4):
        for spine in range(3):
            graph.add_edge(f"S-leaf{leaf}", f"S-spine{spine}")
        for host in range(leaf + 2):
            graph.add_edge(f"S-leaf{leaf}", f"h{leaf}-{host}")
    fabric = hierarchy(agree(graph))
    assert sorted(fabric.domains[1:]) == [f"S-leaf{leaf}" for leaf in range(4)]
    assert fabric.summary() == "2-level tree, 4 leaf switches, 14 nodes"


def test_hosts_on_rails_form_groups() -> None:
    graph = nx.Graph()
    for pod in range(2):
        for rail in range(4):
            graph.add_edge(f"S-{pod}-{rail}", "S-spine")
            for host in range(3):
                graph.add_edge(f"S-{pod}-{rail}", f"h{pod}{host}")
    fabric = hierarchy(agree(graph))
    assert sorted(fabric.count(range(6)).tolist(), reverse=True)[:2] == [3, 3]


@pytest.mark.parametrize("switches", [4, 5, 6])
def test_rings_of_switches_stay_graphs(switches: int) -> None:
    graph = nx.relabel_nodes(nx.cycle_graph(switches), lambda v: f"S-{v}")
    for v in range(switches):
        graph.add_edge(f"S-{v}", f"h{v}")
    assert space_of(agree(graph)).nodes


def test_parts_without_a_connection_are_fabrics_of_their_own() -> None:
    graph = nx.Graph([("S-1", "a"), ("S-1", "b"), ("S-2", "c")])
    cluster = agree(graph)
    assert [len(fabric.nodes) for fabric in cluster.fabrics] == [2, 1]
    assert "2 parts without a connection, 3 nodes" in cluster.summary()


def test_cables_that_are_repeated_are_parallel_unless_a_column_counts_them() -> None:
    rows = "S-1,h1\nh2,S-1\nS-1,h2\nS-1,h2\n"
    summary = parse_cluster("a,b\n" + rows).summary()
    assert "2 nodes; 2 parallel cables counted once" in summary
    with pytest.raises(InputError, match=r"4: cable: is listed twice: 'S-1,h2'"):
        parse_cluster("a,b,links\n" + rows.replace("\n", ",1\n"))
