"""What `closeknit warm network` compiles is all that runs need."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from numba.core import event

from closeknit.cli.app import run
from closeknit.instances import Mesh, Torus
from closeknit.instances.topologies.tree import switch_tree
from closeknit.network.contention.constructor import contention
from closeknit.network.contention.table import TABLE
from closeknit.network.engine import Network
from closeknit.network.kary_tree import KaryTree
from closeknit.network.mapping.table import order_ranks
from closeknit.network.processor_numbers import network_named
from closeknit.network.runs import Switching, run_network
from closeknit.network.warming import NETWORK_KERNELS
from closeknit.network.workloads.table import workload
from closeknit.reports.campaigns import compiling, pool
from closeknit.reports.campaigns.pool import Call

NETWORKS: list[tuple[Network, Switching]] = [
    *((grid, way) for grid in (Mesh(3, 4), Torus(4, 4)) for way in Switching),
    (KaryTree(2, 3), Switching.CUT_THROUGH),
    (network_named("dragonfly:2,2,1"), Switching.CUT_THROUGH),
]


def test_after_warming_nothing_is_compiled() -> None:
    for warm in NETWORK_KERNELS.values():
        warm()
    with event.install_recorder("numba:compile") as compiled:
        for network, switching in NETWORKS:
            for name in ("BU", "2W"):
                run_network(network, workload(name, 8, 99), "mm", switching=switching)
        _choose_and_order()
    assert compiled.buffer == []


def _choose_and_order() -> None:
    """Solve what loads links, and order ranks, with all kinds of arrays."""
    tree = switch_tree((3, 2, 2))
    for network in (tree, Mesh(3, 3)):
        for traffic in ("all-to-all", "ring"):
            for objective in ("contention", "links"):
                job = contention(network, 4, traffic=traffic, objective=objective)
                for method in TABLE.values():
                    if not method.refusal(job):
                        method(job)
    apart = np.abs(np.subtract.outer(np.arange(7), np.arange(7)))
    for sent in (apart % 3, np.ones((7, 7), int) - np.eye(7, dtype=int)):
        for name in ("annealing", "exact"):
            order_ranks(sent, apart, name)


def test_networks_are_compiled_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    done: list[str] = []
    names = {run: name for name, run in NETWORK_KERNELS.items()}

    def run_here(calls: list[Call], jobs: int) -> Iterator[tuple[int, None]]:
        for i, call in enumerate(calls):
            assert isinstance(call.function, partial)
            done.extend(names[run] for run in call.function.args[0])
            yield i, None

    ready = tmp_path / "ready.json"
    monkeypatch.setattr(compiling, "_ready_file", lambda: ready)
    monkeypatch.setattr(pool, "run", run_here)
    for _ in range(2):
        assert compiling.compile_all(["network"], jobs=1) == []
    assert done == list(NETWORK_KERNELS)
    assert run(["warm", "network"]) == 0
    assert "the kernels of the methods are compiled" in capsys.readouterr().out
    assert done == list(NETWORK_KERNELS)
