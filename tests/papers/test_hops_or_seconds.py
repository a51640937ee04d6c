"""Hops or seconds: states, sets, objectives, times, correlations, the command."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr

from closeknit.cli.app import run as closeknit
from closeknit.instances import InputError
from closeknit.network.runs import engine_for
from closeknit.papers.hops_or_seconds import study as study_module
from closeknit.papers.hops_or_seconds.figures import (
    AllRuns,
    Run,
    correlations,
)
from closeknit.papers.hops_or_seconds.machines import (
    LOADS,
    MACHINES,
    NODES,
    OPTIMAL,
    SIZES,
    choices,
    names,
    state,
)
from closeknit.papers.hops_or_seconds.objectives import (
    LINK,
    OBJECTIVES,
    OF_SET,
    OF_TRAFFIC,
    PAIR_SUM,
    StaticLoads,
    all_to_all,
    of_set,
)
from closeknit.papers.hops_or_seconds.parts import (
    START,
    Found,
    Part,
    run,
    time_job,
    traffic_objectives,
)
from closeknit.papers.hops_or_seconds.study import _findings, verdict
from closeknit.papers.hops_or_seconds.workloads import (
    KERNELS,
    MEASURED,
    made,
    messages,
    phits,
)

# States and sets


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("busy", [0.5, 0.9])
def test_others_hold_what_is_not_free(name: str, busy: float) -> None:
    machine = MACHINES[name]
    found = state(machine, busy, 7)
    held = np.concatenate(found.others)
    assert sorted([*held, *found.free]) == list(range(machine.processors))
    assert {len(one) for one in found.others} <= set(SIZES)
    share = len(held) / machine.processors
    assert busy - max(SIZES) / machine.processors < share <= busy
    again = state(machine, busy, 7)
    assert all(map(np.array_equal, found.others, again.others))
    assert not np.array_equal(found.free, state(machine, busy, 8).free)


@pytest.mark.parametrize("name", MACHINES)
def test_everyone_chooses_free_processors(name: str) -> None:
    machine = MACHINES[name]
    there = state(machine, 0.9, 1)
    found = choices(machine, there, 8, 1)
    assert found.proven
    assert found.names == names(machine)
    assert len(found.which) == len(found.names)
    assert set(found.which.tolist()) == set(range(len(found.sets)))
    for one in found.sets:
        assert len(set(one.tolist()) & set(there.free.tolist())) == 8
        assert all(a < b for a, b in pairwise(one.tolist()))
    static = StaticLoads(machine)
    sums = [of_set(machine, static, one)[0] for one in found.sets]
    assert sums[found.which[0]] == min(sums)
    assert found.names[0] == OPTIMAL


def test_only_jobs_that_leave_a_choice_are_judged() -> None:
    assert LOADS["90 % busy"].sizes(MACHINES["mesh"]) == (8, 16)
    assert LOADS["75 % busy"].sizes(MACHINES["mesh"]) == (8, 16, 32)


# Objectives


def objectives(name: str, used: Sequence[int]) -> dict[str, float]:
    machine = MACHINES[name]
    values = of_set(machine, StaticLoads(machine), np.array(used))
    return dict(zip(OF_SET, values, strict=True))


def test_objectives_of_squares_are_those_by_hand() -> None:
    """Two tasks on each side of every cut, and two links to cross it."""
    for name in ("mesh", "torus"):
        assert list(objectives(name, [17, 18, 33, 34]).values()) == [
            *(8, 2, 4, 1),
            2 * 960,
        ]
    apart = objectives("mesh", [0, 3, 48, 51])
    assert list(apart.values()) == [24, 6, 16, 4, 2 * 960]
    round_the_edge = objectives("torus", [0, 15])
    assert list(round_the_edge.values()) == [1, 1, 2, 1, 960]


def test_objectives_of_switches_are_those_by_hand() -> None:
    assert list(objectives("fat-tree", [0, 1, 2]).values()) == [6, 2, 4, 1, 0]
    # two leaves of one pod: each sends two tasks' messages over four ways up
    assert list(objectives("fat-tree", [0, 1, 4, 5]).values()) == [
        *(2 * 2 + 4 * 4, 4, 16, 2),
        4 * 960 / 4,
    ]
    assert objectives("fat-tree", [0, 255])["bounding box"] == 256
    assert list(objectives("dragonfly", [0, 1, 2]).values()) == [6, 2, 18, 1, 0]
    group = objectives("dragonfly", [0, 1, 3, 4])
    assert list(group.values()) == [2 * 2 + 4 * 3, 3, 18, 2, 4 * 960]


def test_loads_of_others_add_up() -> None:
    static = StaticLoads(MACHINES["mesh"])
    one = static.loads(all_to_all(4), [0, 1, 2, 3])
    other = static.loads(all_to_all(4), [1, 2, 3, 4])
    assert one.max() == 4 * 960
    assert (one + other).max() == (4 + 3) * 960  # the middle of one
    again = static.loads(all_to_all(4), [0, 1, 2, 3])
    assert np.array_equal(one, again)


# Workloads


def test_only_links_that_the_job_uses_count_among_others() -> None:
    """A link of others that no choice changes would hide the job."""
    loads, background = np.array([0, 3, 5]), np.array([100, 4, 1])
    assert traffic_objectives(loads, background) == [8, 5, 7]
    assert traffic_objectives(loads, np.zeros(1, np.int64)) == [8, 5, 5]
    assert traffic_objectives(0 * loads, background) == [0, 0, 0]


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("tasks", SIZES)
def test_tasks_send_what_they_may(name: str, tasks: int) -> None:
    found = made(name, tasks, 2**14, None)
    assert found.tasks == tasks
    assert 0.9 < found.bytes / tasks / 2**14 < 1.1
    sent = phits(name, tasks, 2**14, None)
    lengths = messages(name, tasks, 2**14, None).length
    assert sent.sum() <= lengths.sum()
    assert not np.diagonal(sent).any()


def measured(path: Path, ranks: int) -> Path:
    """Write what ranks send around a ring, and some bytes of set-up."""
    rows = [f"{i},{(i + 1) % ranks},6400,1" for i in range(ranks)]
    rows += [f"0,{i},4,1" for i in range(2, ranks)]
    path.write_text("\n".join(["src,dst,bytes,messages", *rows]) + "\n")
    return path


def test_ranks_are_merged(tmp_path: Path) -> None:
    path = measured(tmp_path / "ring.csv", 64)
    sent = phits(MEASURED, 8, 2**10, str(path))
    assert np.argwhere(sent).tolist() == sorted([i, (i + 1) % 8] for i in range(8))
    assert set(sent[sent > 0].tolist()) == {2**10 // 4}
    with pytest.raises(InputError, match=r"ranks: .*multiple of 8"):
        made(MEASURED, 8, 2**10, str(measured(tmp_path / "odd.csv", 65)))
    quiet = tmp_path / "quiet.csv"
    quiet.write_text("src,dst,bytes,messages\n0,63,4,1\n")
    with pytest.raises(InputError, match="no messages of 1000 bytes"):
        made(MEASURED, 8, 2**10, str(quiet))


# Times


def test_far_from_others_a_job_takes_as_long_as_alone() -> None:
    machine = MACHINES["torus"]
    own = messages("2M", 8, 2**10, None)

    def time(places: list[int], others: list[list[int]]) -> tuple[int, float]:
        engine = engine_for(machine.network, machine.switching, packet=16)
        far = [messages("2M", 8, 2**10, None).on(one) for one in others]
        return time_job(engine, own.on(places), far, seed=0)

    here = [0, 1, 2, 3, 16, 17, 18, 19]
    alone, nothing = time(here, [])
    assert nothing == 0
    far = [p + 136 for p in here]
    cycles, rate = time(here, [far])
    assert cycles == alone
    # nobody waits: what is sent in one go of the others, over and over
    assert rate == pytest.approx(8 * 2**10 / 4 / alone, rel=0.35)
    row = list(range(8))
    crossed, _ = time(row, [[4, 5, 6, 7, 8, 9, 10, 11]])
    assert crossed > time(row, [])[0]
    assert time(here, [far]) == (cycles, rate)


def test_others_that_never_end_in_time_still_send() -> None:
    machine = MACHINES["mesh"]
    engine = engine_for(machine.network, machine.switching, packet=16)
    slow = messages("n-to-n", 32, 2**15, None).on(list(range(64, 96)))
    own = messages("2M", 8, 2**10, None).on(list(range(8)))
    cycles, rate = time_job(engine, own, [slow], seed=0)
    assert engine.time == START + cycles
    assert rate > 0


# How it is judged


def test_correlations_are_spearman_s() -> None:
    random = np.random.default_rng(0)
    values = random.integers(0, 6, (20, 3)).astype(float)
    times = random.integers(0, 9, 20).astype(float)
    expected = [spearmanr(values[:, i], times).statistic for i in range(3)]
    assert correlations(values, times) == pytest.approx(expected)
    assert correlations(values, np.ones(20)).tolist() == [0, 0, 0]


def made_up(
    machine: str = "torus",
    load: str = "alone",
    seed: int = 0,
    *,
    times: Sequence[int] = (10, 20, 30),
    rates: Sequence[float] = (3.0, 2.0, 1.0),
) -> Run:
    """Make up a state of three sets; the pair sum ranks them 1, 2, 3."""
    part = Part(
        shape=(256,),
        nodes=NODES,
        seed=seed,
        machine=machine,
        load=load,
        k=8,
        workloads=("2M",),
        budget=64,
        traffic=None,
        digest="",
    )
    who = names(MACHINES[machine])
    of_all = np.ones((3, len(OF_SET)))
    of_all[:, OF_SET.index(PAIR_SUM)] = [1, 2, 3]
    of_all[:, OF_SET.index(LINK)] = [3, 1, 1]
    which = [0 if n == OPTIMAL else 2 if n.startswith("random") else 1 for n in who]
    found = Found(
        times=np.array([times]),
        others=np.array([rates]),
        of_set=of_all,
        of_traffic=np.ones((1, 3, len(OF_TRAFFIC))),
        which=np.array(which),
        proven=np.array([1]),
    )
    assert part.fits(found)
    return Run(part, found, who)


def test_losses_are_those_of_the_least_objective() -> None:
    one = made_up()
    (rhos,), (losses,) = one.rhos, one.regrets
    assert rhos[OBJECTIVES.index(PAIR_SUM)] == 1
    assert rhos[OBJECTIVES.index(LINK)] == pytest.approx(-np.sqrt(3) / 2)
    assert losses[OBJECTIVES.index(PAIR_SUM)] == 0
    assert losses[OBJECTIVES.index(LINK)] == pytest.approx(150)  # of 20 and 30
    assert losses[OBJECTIVES.index("pieces")] == pytest.approx(100)  # of all


def outcome(*runs: Run) -> AllRuns:
    by: dict[tuple[str, str], list[Run]] = {}
    for one in runs:
        by.setdefault((one.part.machine, one.part.load), []).append(one)
    return AllRuns(("2M",), by)


def test_differences_are_of_logarithms() -> None:
    whole = outcome(made_up(seed=0), made_up(seed=1, times=(10, 20, 120)))
    runs = whole.of("torus")
    gap = whole.above(runs, "random")
    assert gap.value == pytest.approx(500)  # of 3 and 12 times the middle is 6 times
    assert (gap.low, gap.high) == pytest.approx((200, 1100))
    less = whole.above(runs, "mm", others=True)
    assert less.value == pytest.approx(-100 / 3)
    single = whole.above(runs[:1], "random")
    assert single.value == pytest.approx(200)
    assert single.sign == 0


def test_a_state_counts_once_for_all_its_loads() -> None:
    """Two loads of two states are two draws, not four."""
    runs = [
        made_up(load=load, seed=seed, times=times)
        for load in ("alone", "75 % busy")
        for seed, times in enumerate([(10, 20, 30), (30, 20, 10)])
    ]
    found = outcome(*runs)
    rho = found.rhos(runs)[OBJECTIVES.index(PAIR_SUM)]
    assert (rho.value, rho.low, rho.high) == (0, -1, 1)


def test_findings_follow_the_intervals() -> None:
    better = [
        made_up(load=load, seed=seed, times=(10, 20, 30 + seed))
        for load in LOADS
        for seed in range(3)
    ]
    assert [f.holds for f in _findings(outcome(*better))] == [True] * 4
    assert verdict(outcome(*better)) == (
        "Sets of fewer hops are surely faster on: torus; the load of the busiest link "
        "surely predicts time better on: none."
    )
    worse = [
        made_up(load=load, seed=seed, times=(30 + seed, 20, 10), rates=(1, 2, 3))
        for load in LOADS
        for seed in range(3)
    ]
    assert [f.holds for f in _findings(outcome(*worse))] == [False] * 4
    assert "faster on: none; " in verdict(outcome(*worse))
    assert verdict(outcome(*worse)).endswith("better on: torus.")
    alone = [made_up(seed=seed) for seed in range(3)]
    assert [f.holds for f in _findings(outcome(*alone))] == [True, True, True, None]


# From the command line


def test_small_runs_from_end_to_end(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(study_module, "LINEUP", ("torus", "fat-tree"))
    monkeypatch.setattr(study_module, "LOADED", ("alone", "90 % busy"))
    monkeypatch.setattr(study_module, "KERNELS", ("2M",))
    monkeypatch.setattr(study_module, "BUDGET", 512)
    traffic = measured(tmp_path / "ring.csv", 64)
    out = tmp_path / "out"
    words = ["reproduce", "hops-or-seconds", "--first", "2", "--jobs", "1"]
    words += ["--traffic", str(traffic), "--out", str(out)]
    assert closeknit(words) == 0
    shown = capsys.readouterr().out
    assert "Torus: rho with time is " in shown
    with (out / "correlations.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["objective"] for row in rows] == list(OBJECTIVES)
    with (out / "differences.csv").open() as file:
        worth = list(csv.DictReader(file))
    assert {row["set of"] for row in worth} >= {"mm", "quadrant", "shuffle", "random"}
    assert all((row["others, %"] == "") == (row["load"] == "alone") for row in worth)
    with (out / "worth_torus.csv").open() as file:
        heads = csv.DictReader(file).fieldnames
    assert heads == ["set of", "alone", "90 % busy", "others, 90 % busy"]
    with (out / "cells.csv").open() as file:
        cells = list(csv.DictReader(file))
    assert len(cells) == 2 * 2 * 3 * len(OBJECTIVES)
    before = {path.name: path.read_bytes() for path in out.glob("*.*")}

    # One part has been lost: it is run again, and the rest taken as it is.
    kept = sorted((out / "parts").iterdir())
    assert len(kept) == 2 * 2 * 2
    stamps = {path: path.stat().st_mtime_ns for path in kept[1:]}
    content = kept[0].read_bytes()
    kept[0].unlink()
    assert closeknit(words) == 0
    assert kept[0].read_bytes() == content
    assert all(path.stat().st_mtime_ns == stamp for path, stamp in stamps.items())
    assert {path.name: path.read_bytes() for path in out.glob("*.*")} == before
    page = (out / "report.html").read_text()
    assert "http" not in page.replace("http://www.w3.org/", "")
    assert page.count("<svg") == 1 + 2 * 2


def test_a_part_is_the_same_again() -> None:
    one = made_up(machine="mesh", load="90 % busy").part
    found = run(one)
    assert one.fits(found)
    assert (found.times > 0).all()
    assert (found.others > 0).all()
    assert run(one).pack() == found.pack()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["hops-or-seconds", "--traffic", "none.csv"], "none.csv"),
        (["hops-or-seconds", "--load", "0.5"], "--load: is not for hops-or-seconds"),
        (["mache-table2", "--traffic", "x"], "--traffic: is not for mache-table2"),
    ],
)
def test_bad_input_is_one_line(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    complaint: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert closeknit(["reproduce", *words]) == 2
    said = capsys.readouterr().err
    assert complaint in said
    assert said.count("\n") == 1
