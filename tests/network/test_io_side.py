"""I/O nodes along a side of a mesh."""

from __future__ import annotations

import numpy as np
import pytest

from closeknit.instances import InputError, Mesh, Torus
from closeknit.network.runs import run_network
from closeknit.network.workloads.io_side import SIDES, IoSide
from closeknit.network.workloads.table import workload


@pytest.mark.parametrize("side", SIDES)
def test_processors_stay_a_mesh_beside_the_io_nodes(side: str) -> None:
    grid = Mesh(3, 5)
    found = IoSide(grid, side)
    sites = np.array(list(found.network.locations()))
    nodes = found.nodes(np.arange(15))
    assert sorted([*nodes.tolist(), *found.io.tolist()]) == list(range(len(sites)))
    moved = sites[nodes] - np.array(list(grid.locations()))
    assert (moved == moved[0]).all()  # all by as much
    along = 0 if side in ("west", "east") else 1
    edge = {"west": 0, "east": 5, "north": 0, "south": 3}[side]
    assert (sites[found.io][:, 1 - along] == edge).all()
    assert sites[found.io][:, along].tolist() == list(range(grid.shape[along]))


def test_io_runs_on_the_side() -> None:
    """Each of two tasks sends to both I/O nodes, one flit each; hops by hand."""
    io = IoSide(Mesh(2, 3), "west")
    job = workload("io", 2, 64, 2)
    run = run_network(Mesh(2, 3), job, "0,5", io=io)
    assert [place.tolist() for place in run.places] == [[1, 7, 0, 4]]
    hops = 1 + 2 + 4 + 3
    assert run.summary.flits_carried == 16 * hops
    both = run_network(Mesh(2, 3), job, "0,5,1,2", instances=2, io=io)
    assert [place[2:].tolist() for place in both.places] == [[0, 4], [0, 4]]


def test_refusals() -> None:
    with pytest.raises(InputError, match=r"^io-nodes: needs a mesh of two axes"):
        IoSide(Torus(3, 3), "west")
    with pytest.raises(InputError, match=r"^io-nodes: needs a mesh of two axes"):
        IoSide(Mesh(3, 3, 3), "west")
    with pytest.raises(InputError, match=r"^io-nodes: must be one of west, east"):
        IoSide(Mesh(3, 3), "up")
    with pytest.raises(InputError, match=r"^workload: has no I/O nodes: '2M'"):
        workload("2M", 4, 64, 2)
    job = workload("io", 2, 64, 3)
    with pytest.raises(InputError, match=r"^io: must have 2 I/O nodes, .*, not 3"):
        run_network(Mesh(2, 3), job, "row", io=IoSide(Mesh(2, 3)))
