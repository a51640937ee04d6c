"""The page on a run on a network: every link is drawn, the busiest darkest."""

from __future__ import annotations

import re

import numpy as np
import pytest

from closeknit.instances import Grid, Mesh, Torus
from closeknit.network.engine import Network
from closeknit.network.kary_tree import KaryTree
from closeknit.network.page import (
    heat_map,
    latencies,
    network_page,
    segments,
    sorted_loads,
)
from closeknit.network.runs import Finished, run_network
from closeknit.network.workloads.format import Workload
from closeknit.network.workloads.table import workload


def one_message(network: Network) -> Finished:
    rows = np.array([(0, 1, 64)])
    job = Workload("one", 2, rows, np.zeros((0, 2), np.int64))
    return run_network(network, job, "0,1")


def lines(svg: str) -> list[tuple[str, float]]:
    """Return every line of the links: its way, and how dark it is."""
    found = re.findall(r'<path d="(M[^"]*)"[^>]*style="([^"]*var\(--b\)[^"]*)"', svg)
    dark = [re.search(r"stroke-opacity: ([\d.]+)", style) for _, style in found]
    return [
        (way, float(one[1]) if one else 1.0)
        for (way, _), one in zip(found, dark, strict=True)
    ]


@pytest.mark.parametrize(
    ("network", "links"),
    [(Mesh(3, 4), 34), (Torus(3, 4), 48), (Mesh(5), 8), (Torus(5), 10)],
)
def test_every_link_is_drawn_once(network: Grid, links: int) -> None:
    run = one_message(network)
    found = lines(heat_map(network, run).svg)
    assert len(found) == links == run.summary.links
    assert len({way for way, _ in found}) == links
    assert sorted({dark for _, dark in found}) == [0.06, 1.0]
    assert [dark for _, dark in found].count(1.0) == 1


def test_links_are_on_the_right_of_their_way() -> None:
    (lone,) = segments(Mesh(2, 2), np.array([[0, 1]]))
    assert lone[0, 0] < lone[1, 0]  # to the right
    assert lone[0, 1] == lone[1, 1] > 0  # rows run downwards
    (around,) = segments(Torus(1, 5), np.array([[4, 0]]))
    assert around[0, 0] > 4
    assert around[1, 0] > around[0, 0]


def test_curves_end_where_they_should() -> None:
    run = run_network(Torus(8, 8), workload("3M", 64, 256), "random", seed=1)
    for plot in (sorted_loads(run), latencies(run)):
        assert plot.svg.count("<svg") == 1
        assert "var(--a)" in plot.svg
    assert "100" in latencies(run).svg


@pytest.mark.parametrize("network", [Torus(4, 4), Mesh(2, 2, 4), KaryTree(4, 2)])
def test_pages_of_all_networks(network: Network) -> None:
    run = run_network(network, workload("BU", 8, 256), "mm", instances=2)
    page = network_page("two of BU <here>", network, run)
    assert page == network_page("two of BU <here>", network, run)
    assert "two of BU &lt;here&gt;" in page
    assert page.count('class="plot"') == 2 + (network.kind == "torus")
    assert str(run.summary.time_cycles) in page


def test_a_run_without_messages_has_a_page() -> None:
    silent = Workload(
        "silent", 2, np.zeros((0, 3), np.int64), np.zeros((0, 2), np.int64)
    )
    page = network_page("nothing", Mesh(2), run_network(Mesh(2), silent, "row"))
    assert "time_cycles" in page
