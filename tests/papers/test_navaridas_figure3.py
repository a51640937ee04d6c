"""Time against placement: placements, parts, verdicts, the command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from closeknit.cli.app import run as closeknit
from closeknit.network.workloads.table import WORKLOADS
from closeknit.papers.navaridas2009 import study as study_module
from closeknit.papers.navaridas2009.findings import findings
from closeknit.papers.navaridas2009.machines import (
    ALL,
    COLUMN,
    CONSECUTIVE,
    QUADRANT,
    RANDOM,
    ROW,
    SEEDS,
    SHUFFLE,
    SIDES,
    FilledNetwork,
    machines,
    message_bytes,
)
from closeknit.papers.navaridas2009.panels import Panel
from closeknit.papers.navaridas2009.parts import Found, Part, run
from closeknit.papers.navaridas2009.tables import ours_table
from closeknit.papers.parts import PartStore

from .studies import lose_a_part, pictures, rows_of, told_apart

TORUS, TREE = FilledNetwork("torus", 16), FilledNetwork("fat-tree", 16)


def part(**changes: object) -> Part:
    plain = Part(
        shape=(8, 8),
        nodes=0,
        seed=0,
        topology="torus",
        workload="2M",
        size=128,
        places=tuple(range(64)),
        placement=ROW,
    )
    return replace(plain, **changes)  # type: ignore[arg-type]


# Placements


def test_the_machines_are_those_of_the_paper() -> None:
    assert [(m.name, m.nodes, m.instances) for m in machines(None)] == [
        ("8x8 torus", 64, 1),
        ("4-ary 3-tree", 64, 1),
        ("16x16 torus", 256, 4),
        ("4-ary 4-tree", 256, 4),
        ("32x32 torus", 1024, 16),
        ("4-ary 5-tree", 1024, 16),
    ]
    for machine in machines(None):
        assert len(list(machine.network.locations())) == machine.nodes
    assert machines((8, 8)) == machines(None)[:2]
    assert QUADRANT not in FilledNetwork("torus", 8).of_paper


def cells(places: Sequence[int], job: int) -> list[tuple[int, int]]:
    """Rows and columns of the 16x16 torus that an instance is on, in order."""
    return [divmod(p, 16) for p in places[64 * job : 64 * (job + 1)]]


def test_placements_of_the_torus_are_as_defined() -> None:
    (row,), (column,), (quadrant,) = (
        TORUS.places(name, 0) for name in (ROW, COLUMN, QUADRANT)
    )
    assert row == tuple(range(256))
    assert cells(column, 1) == [(y, x) for x in range(4, 8) for y in range(16)]
    for job, (top, left) in enumerate([(0, 0), (0, 8), (8, 0), (8, 8)]):
        assert cells(quadrant, job) == [
            (top + y, left + x) for y in range(8) for x in range(8)
        ]


def test_placements_of_the_tree_are_as_defined() -> None:
    (consecutive,), (shuffle,) = (
        TREE.places(name, 0) for name in (CONSECUTIVE, SHUFFLE)
    )
    assert consecutive == tuple(range(256))
    assert shuffle == tuple(4 * s + p for p in range(4) for s in range(64))


@pytest.mark.parametrize("machine", [TORUS, TREE])
def test_everyone_places_every_task_on_a_node_of_its_own(
    machine: FilledNetwork,
) -> None:
    for name in (*machine.of_paper, *machine.ours):
        orders = machine.places(name, 3)
        assert orders == machine.places(name, 3)
        assert len(set(orders)) == (SEEDS if name == RANDOM else 1)
        assert all(sorted(order) == list(range(256)) for order in orders)
    assert machine.places(RANDOM, 4)[0] == machine.places(RANDOM, 3)[1]


def test_messages_are_shorter_unless_full() -> None:
    for machine in machines(None):
        for name in ALL:
            size = WORKLOADS[name].size
            assert message_bytes(name, machine, full=True) == size
            shorter = message_bytes(name, machine, full=False)
            assert shorter == (size if name == "WF" else size // SIDES[machine.side])


# What is run


def test_neighbours_on_neighbours_meet_nobody() -> None:
    """A mesh on a torus of as many nodes: one link, as fast as a node can send."""
    found = run(part())
    assert found.time == 1 + 4 * 2 * 16
    assert found.hops == 1
    assert found.busiest == 2 * 16
    assert found.links[0] == 224 * 2


def test_instances_apart_end_as_one_alone() -> None:
    alone = run(part(workload="FT")).time
    (order,) = TORUS.places(QUADRANT, 0)
    found = run(part(shape=(16, 16), workload="2M", places=order))
    assert found.ended.tolist() == [129] * 4
    (order,) = TREE.places(CONSECUTIVE, 0)
    single = run(part(shape=(4, 3), topology="fat-tree", workload="BU"))
    four = run(
        part(shape=(4, 4), topology="fat-tree", workload="BU", places=order, seed=7)
    )
    assert len(four.ended) == 4
    assert max(four.ended) < 1.5 * single.time
    assert alone > single.time


def test_no_run_is_quicker_than_its_busiest_link() -> None:
    for name in ("FT", "MG", "2W"):
        for topology, shape in (("torus", (8, 8)), ("fat-tree", (4, 3))):
            found = run(part(workload=name, topology=topology, shape=shape))
            assert 0 < found.busiest <= found.time


def test_the_same_part_gives_the_same_outcome(tmp_path: Path) -> None:
    one = part(topology="fat-tree", shape=(4, 3), workload="FT")
    assert run(one).pack() == run(one).pack()
    store = PartStore(tmp_path, Found)
    store.put(one, found := run(one))
    kept = store.get(replace(one, placement="another name"))
    assert kept is not None
    assert kept.pack() == found.pack()
    told_apart(
        one,
        {"seed": 1},
        {"size": 64},
        {"workload": "BU"},
        {"places": tuple(range(64))[::-1]},
        {"topology": "torus", "shape": (8, 8)},
    )


# How it is judged


def panel(machine: FilledNetwork, times: Mapping[str, Mapping[str, int]]) -> Panel:
    """Make a panel up of ratios in hundredths; random has some noise of mean 0."""

    def found(time: int) -> Found:
        ends = np.full(machine.instances, time, dtype=np.int64)
        return Found(ended=ends, links=np.array([1, 1, 1], dtype=np.int64))

    return Panel(
        machine=machine,
        found={
            name: {
                placement: tuple(
                    found(time + noise)
                    for noise in ((-9, -3, 0, 5, 7) if placement == RANDOM else (0,))
                )
                for placement, time in {
                    **dict.fromkeys(machine.ours, 150),
                    **by_placement,
                }.items()
            }
            for name, by_placement in times.items()
        },
        sizes=dict.fromkeys(times, 64),
    )


MOST = {
    ("torus", 8): 250,
    ("fat-tree", 8): 250,
    ("torus", 16): 450,
    ("fat-tree", 16): 400,
    ("torus", 32): 850,
    ("fat-tree", 32): 600,
}


def as_told(machine: FilledNetwork) -> dict[str, dict[str, int]]:
    """Make times up of which everything holds that the paper says."""
    most = MOST[machine.topology, machine.side]
    ratios = dict.fromkeys(ALL, 60 + 10 * machine.side)
    ratios |= dict.fromkeys(("2W", "3W"), 105)
    ratios |= {"LU": most, "BT": most - 10, "SP": most - 20, "IS": 120}
    torus = machine.topology == "torus"
    ratios |= {"2M": most - 30 if torus else 110, "BU": 115 if torus else 220}
    times = {}
    for name, ratio in ratios.items():
        if not torus:
            times[name] = {RANDOM: ratio, CONSECUTIVE: 100, SHUFFLE: ratio * 9 // 10}
            times[name][SHUFFLE] = max(100, times[name][SHUFFLE])
            continue
        line = min(110, ratio) if machine.instances > 1 else 100
        times[name] = {RANDOM: ratio, ROW: line, COLUMN: line}
        if machine.instances > 1:
            times[name][QUADRANT] = 100
    if torus and machine.instances == 1:
        times["FT"] = {RANDOM: 100, ROW: 130, COLUMN: 130}
    return times


def test_what_is_as_told_holds() -> None:
    found = list(findings([panel(m, as_told(m)) for m in machines(None)]))
    assert [f.claim for f in found if not f.holds] == []
    assert len(found) == 19


def test_the_contrary_does_not_hold() -> None:
    """The best becomes the worst, and everything matters alike but what should."""

    def turned(machine: FilledNetwork) -> dict[str, dict[str, int]]:
        worst = 4000 // machine.side
        out: dict[str, dict[str, int]] = {}
        for name in ALL:
            times = dict.fromkeys(machine.of_paper, worst)
            times[RANDOM] = 100
            if ROW in times:
                times[ROW] = worst * 8 // 10
            little = name in ("LU", "BT", "SP", "FT", "2M") and ROW in times
            if little or name in ("LU", "BT", "SP"):
                times = {one: 100 + i for i, one in enumerate(times)}
            out[name] = times
        out["IS"][RANDOM] = 90
        out["FT"] = {**dict.fromkeys(machine.of_paper, 100), RANDOM: 102}
        if machine.topology == "fat-tree":
            out["BU"] = dict.fromkeys(machine.of_paper, 100)
        return out

    found = list(findings([panel(m, turned(m)) for m in machines(None)]))
    held = [f.claim for f in found if f.holds]
    assert held == []
    assert len(found) == 19


def test_exceptions_are_named() -> None:
    times = as_told(TREE)
    times["CG"] = {RANDOM: 150, CONSECUTIVE: 300, SHUFFLE: 100}
    found = {f.claim: f for f in findings([panel(TREE, times)])}
    best = found["consecutive placement is the best on the fat-tree"]
    assert best.ours == "fat-tree 256 13 of 14"
    assert best.holds
    assert best.remark == "fat-tree 256: others better: CG (random, shuffle)"
    worst = found["random placement is the worst, with very few exceptions"]
    assert worst.remark == "fat-tree 256: others worse: CG (consecutive)"
    assert not any("torus" in one.ours for one in found.values())


def test_ours_are_counted_against_the_best_of_the_paper() -> None:
    times = as_told(TREE)
    times["CG"]["mm-inc"], times["BI"]["mm-inc"] = 90, 100
    ((_, name, better, equal, *_),) = ours_table([panel(TREE, times)]).rows
    assert (name, better, equal) == ("mm-inc", 1, 1)


# From the command line


def test_small_runs_from_end_to_end(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(study_module, "message_bytes", lambda *_, **__: 64)
    out = tmp_path / "out"
    words = ["reproduce", "navaridas-figure3", "--shape", "8x8"]
    words += ["--jobs", "2", "--out", str(out)]
    assert closeknit(words) == 0
    shown = capsys.readouterr().out
    assert str(out / "report.html") in shown
    assert "the largest worst-to-best ratio on the torus of 64 nodes" in shown
    rows = {row["workload"]: row for row in rows_of(out / "torus_64.csv")}
    assert tuple(rows) == ALL
    assert float(rows["2M"]["row"]) == 1
    assert float(rows["2M"]["random"]) > 1.5
    assert rows["2M"]["best, cycles"] == str(1 + 4 * 16)
    assert rows["2M"]["thrifty"] == rows["2M"]["row"]  # the same processors
    assert len(rows_of(out / "runs.csv")) == len(ALL) * (2 * SEEDS + 7)
    assert lose_a_part(words, out) == len(ALL) * (2 * SEEDS + 4)
    assert pictures(out) == 2
