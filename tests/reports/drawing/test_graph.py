"""Pictures of graphs: drawn when small, listed when large, always the same."""

from __future__ import annotations

from xml.etree import ElementTree

import networkx as nx

from closeknit.instances import Graph, KSubset
from closeknit.instances.ksubset.graph_generators import dragonfly
from closeknit.reports.drawing.drawing import draw

SVG = "{http://www.w3.org/2000/svg}"


def test_small_graphs_are_drawn() -> None:
    network = Graph.from_networkx(nx.petersen_graph(), processors=range(8))
    instance = KSubset("petersen", network, tuple((v,) for v in range(6)), 2)
    picture = draw(instance, {"mm": (1, 3)})
    assert picture == draw(instance, {"mm": (1, 3)})
    root = ElementTree.fromstring(picture)
    kinds = [one.get("class") for one in root.iter(f"{SVG}rect")]
    legend = 1  # a swatch for each kind
    assert kinds.count("ck-a") == 2 + legend
    assert kinds.count("ck-free") == 4 + legend
    assert kinds.count("ck-busy") == 2 + legend
    assert len([one for one in root.iter(f"{SVG}circle")]) == 2
    [links] = [one for one in root.iter(f"{SVG}path") if one.get("class") == "ck-edge"]
    assert (links.get("d") or "").count("M") == 15


def test_large_graphs_are_listed_by_switch() -> None:
    instance = dragonfly(8, 4, 4, 8)
    picture = draw(instance, {"auto": range(8)})
    assert "a graph of 1320 nodes is not drawn; chosen nodes are listed" in picture
    assert "at 0: 264, 265, 266, 267" in picture
    assert "at 1: 268, 269, 270, 271" in picture


def test_a_single_node_is_drawn() -> None:
    lone = KSubset("lone", Graph(1, (), (0,)), ((0,),), 1)
    root = ElementTree.fromstring(draw(lone, {"mm": (0,)}))
    assert [one.get("class") for one in root.iter(f"{SVG}rect")].count("ck-a") == 2
