"""Drawings of clusters: every node is there once, in its colour; nothing overlaps."""

from __future__ import annotations

import random
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from closeknit.clusters.pages.drawing import (
    LeafPanel,
    cluster_drawing,
    panels,
)
from closeknit.clusters.topologies import Hierarchy, parse_cluster
from closeknit.reports.drawing.shapes import Canvas

from ..clusters import hierarchy

SVG = "{http://www.w3.org/2000/svg}"


def svg_of(panel: LeafPanel) -> str:
    """Return a panel alone."""
    picture = panel.picture
    size = {"width": picture.width, "height": picture.height}
    return Canvas(**size, title="", description="", mark="t", shapes=picture.shapes).svg


def tree(leaves: int, nodes: int, tops: int) -> Hierarchy:
    """Make a tree of so many leaves with so many nodes each, below some switches."""
    lines = [f"SwitchName=s{v} Nodes=s{v}n[1-{nodes}]" for v in range(leaves)]
    for g in range(tops):
        below = ",".join(f"s{v}" for v in range(g, leaves, tops))
        lines.append(f"SwitchName=g{g} Switches={below}")
    lines.append(f"SwitchName=top Switches=g[0-{tops - 1}]")
    return hierarchy(parse_cluster("\n".join(lines)))


def squares(svg: str) -> dict[str, list[tuple[float, float]]]:
    """Return the corners of the squares of every kind, from the paths of a picture."""
    found: dict[str, list[tuple[float, float]]] = {}
    for path in ET.fromstring(svg).iter(f"{SVG}path"):
        starts = re.findall(r"M([-\d.]+) ([-\d.]+)", path.get("d", ""))
        kind = path.get("class", "")
        found.setdefault(kind, []).extend((float(x), float(y)) for x, y in starts)
    return found


@pytest.mark.parametrize(
    ("leaves", "nodes", "tops"), [(10, 4, 1), (45, 32, 1), (6, 70, 2)]
)
def test_every_node_is_drawn_once(leaves: int, nodes: int, tops: int) -> None:
    fabric = tree(leaves, nodes, tops)
    chance = random.Random(1)
    free = np.array([chance.random() < 0.5 for _ in fabric.nodes])
    chosen = np.flatnonzero(free)[:7].tolist()
    found, note = panels([(fabric, free, chosen)])
    assert note == ""
    assert sum(one.nodes for one in found) == len(fabric.nodes)
    assert sum(one.free for one in found) == int(free.sum())
    assert sum(one.chosen for one in found) == 7
    counts = {"ck-a": 0, "ck-free": 0, "ck-busy": 0}
    for one in found:
        corners = squares(svg_of(one))
        every = [corner for kind in counts for corner in corners.get(kind, ())]
        assert len(set(every)) == len(every) == one.nodes
        assert all(0 <= x <= one.picture.width - 7 for x, _ in every)
        assert all(0 <= y <= one.picture.height for _, y in every)
        for kind in counts:
            counts[kind] += len(corners.get(kind, ()))
    assert counts == {
        "ck-a": 7,
        "ck-free": int(free.sum()) - 7,
        "ck-busy": int((~free).sum()),
    }


def test_the_drawing_fits_a_telephone_and_says_the_grade() -> None:
    fabric = tree(40, 32, 5)
    free = np.ones(len(fabric.nodes), dtype=np.bool_)
    found, note = panels([(fabric, free, [0, 1])])
    drawing = cluster_drawing(found, title="T", about=["2 hops: optimal"], note=note)
    assert drawing.width <= 385
    texts = [one.text for one in ET.fromstring(drawing.svg).iter(f"{SVG}text")]
    assert "2 hops: optimal" in texts
    assert "g0: 256 of 256 free, 2 chosen" in texts
    assert {"chosen", "free", "busy", "numbers: free/all"} <= set(texts)


def test_switches_between_the_top_and_the_leaves_are_named() -> None:
    for tops, shown in ((1, []), (2, ["g0", "g1"])):
        fabric = tree(6, 4, tops)
        found, _ = panels([(fabric, np.ones(24, dtype=np.bool_), [0])])
        drawn = ET.fromstring(svg_of(found[0])).iter(f"{SVG}text")
        places = {one.text: (one.get("x"), one.get("y")) for one in drawn}
        assert [name for name in places if name and name[0] == "g"] == shown
        assert len(set(places.values())) == len(places)


def test_of_a_large_machine_only_what_matters_is_drawn() -> None:
    fabric = tree(160, 32, 8)
    free = np.ones(len(fabric.nodes), dtype=np.bool_)
    found, note = panels([(fabric, free, [0])])
    assert [(one.title, one.chosen) for one in found] == [("g0", 1)]
    assert note == "not drawn: 7 further parts"
    assert isinstance(found[0], LeafPanel)
