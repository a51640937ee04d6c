"""Mean flow time with a network: streams, what is run, statistics, the command."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from closeknit.cli.app import run as closeknit
from closeknit.instances import InputError
from closeknit.papers.bender2008_flow.figures import (
    PRINTED,
    Setting,
    pace_of,
)
from closeknit.papers.bender2008_flow.parts import (
    CUT,
    MESH,
    SECONDS,
    CutCurve,
    FlowModel,
    Found,
    Part,
    quota,
    run,
)
from closeknit.papers.bender2008_flow.streams import (
    SHAKE,
    shaken,
    stream,
)
from closeknit.papers.bender2008_flow.study import LINEUP, _findings
from closeknit.simulation.stream.jobs import StreamJob

from ..data import IPSC, needs
from .studies import lose_a_part, pictures, rows_of, told_apart, trace

# Streams


def log(folder: Path, *sizes: int) -> str:
    """Write a log: a job every 100 s, of 60 s."""
    return trace(folder, [(100 * i, 60, size) for i, size in enumerate(sizes)])


def test_sizes_are_divided_and_rounded_up(tmp_path: Path) -> None:
    found = stream(log(tmp_path, 1, 4, 5, 128), seed=0, first=None)
    assert [job.processors for job in found.jobs] == [1, 1, 2, 32]
    assert [job.number for job in found.jobs] == [0, 1, 2, 3]
    assert found.load == Fraction((1 + 1 + 2 + 32) * 60, 32 * 300)
    assert "4 jobs, 2 of them of one processor" in found.about


def test_logs_of_larger_machines_are_refused(tmp_path: Path) -> None:
    for sizes, told in (
        ((4, 256), "1 jobs of more than 128 processors"),
        ((256,), "no job that can be run"),
    ):
        with pytest.raises(InputError, match=told):
            stream(log(tmp_path, *sizes), seed=0, first=None)


@needs("data/swf")
def test_the_log_is_that_of_the_paper() -> None:
    found = stream(str(IPSC), seed=0, first=None)
    assert len(found.jobs) == 18239
    assert max(job.processors for job in found.jobs) == 32
    assert round(float(found.load), 2) == 0.47


def test_a_shaken_stream_has_the_same_jobs_at_other_times() -> None:
    jobs = stream(None, seed=3, first=300).jobs
    assert shaken(jobs, 3, 0) is jobs
    one, other = shaken(jobs, 3, 1), shaken(jobs, 3, 2)
    assert one == shaken(jobs, 3, 1)
    assert one != other
    assert one[0].submit == 0
    assert [job.submit for job in one] == sorted(job.submit for job in one)
    by_number = sorted(one, key=lambda job: job.number)
    assert [j.processors for j in by_number] == [j.processors for j in jobs]
    moves = [a.submit - b.submit for a, b in zip(by_number, jobs, strict=True)]
    assert max(moves) - min(moves) <= 2 * SHAKE
    assert len(set(moves)) > 100


# What is run


def part(jobs: tuple[StreamJob, ...], **changes: object) -> Part:
    plain: dict[str, object] = {
        "shape": MESH.shape,
        "nodes": 1000,
        "seed": 0,
        "jobs": jobs,
        "strategy": "mc1x1",
        "model": FlowModel(),
        "pace": 40.0,
        "stretch": Fraction(1),
        "number": 0,
    }
    return Part(**(plain | changes))  # type: ignore[arg-type]


def job(number: int, submit: int, processors: int, seconds: int) -> StreamJob:
    return StreamJob(number, submit, processors, seconds, seconds)


def test_two_neighbours_talk_undisturbed() -> None:
    """Each message takes L + 2 cycles, and waits for the one before it."""
    seconds = 7 * SECONDS
    jobs = (job(0, 0, 2, seconds), job(1, 100 * SECONDS, 1, seconds))
    assert quota(jobs[0]) == 7
    found = run(part(jobs))
    assert found.service.tolist() == [7 * (16 + 2), 7 * 40]
    assert found.flow.tolist() == found.service.tolist()
    last = 100 * 40 + 7 * 40
    assert found.used.tolist() == [2 * 7 * 18 + 7 * 40, 32 * last]
    sizes, sent = np.array([2, 1]), np.array([7, 7])
    assert pace_of(sizes, sent, found) == 18


def test_a_job_that_waits_flows_longer() -> None:
    jobs = (job(0, 0, 32, SECONDS), job(1, 0, 1, SECONDS), job(2, 0, 2, SECONDS))
    found = run(part(jobs))
    whole = int(found.service[0])
    assert found.flow.tolist() == [whole, whole + 40, whole + 18]
    early = run(part(jobs, strategy="optimal", model=FlowModel(policy="easy")))
    assert early.flow[0] == whole


def test_jobs_of_a_shaken_stream_are_found_by_their_numbers() -> None:
    jobs = (job(1, 0, 2, SECONDS), job(0, 1, 4, 9 * SECONDS))
    found = run(part(jobs))
    assert found.service[0] > 9 * 18 > found.service[1] == 18


def test_the_cut_curve_jumps_once() -> None:
    order = CutCurve().order
    assert sorted(order.tolist()) == list(range(32))
    cells = np.stack(np.unravel_index(order, MESH.shape), axis=1)
    steps = np.abs(np.diff(cells, axis=0)).sum(axis=1)
    assert sorted(steps.tolist()) == [1] * 30 + [7]
    jobs = tuple(job(i, 0, 8, SECONDS) for i in range(4))
    assert (run(part(jobs, strategy=CUT)).flow > 0).all()


def test_parts_are_told_apart() -> None:
    told_apart(
        part((job(0, 0, 2, 60),)),
        {"strategy": "mm"},
        {"model": FlowModel(length=4)},
        {"pace": 41.0},
        {"stretch": Fraction(1, 2)},
        {"jobs": (job(0, 1, 2, 60),)},
    )


# How it is judged


def setting(flows: Mapping[str, int], runs: int = 2) -> Setting:
    """Make up flow times, the same for 26 jobs but for some noise."""
    noise = np.arange(26) % 3

    def found(flow: int, run: int) -> Found:
        values = (flow + noise + run).astype(np.int64)
        return Found(flow=values, service=values // 2, used=np.array([1, 2]))

    return Setting(
        "made up",
        Fraction(1, 2),
        2.0,
        {name: [found(f, r) for r in range(runs)] for name, f in flows.items()},
    )


def test_differences_are_paired_by_job() -> None:
    one = setting({"mc1x1": 99, "mm": 198})
    gap = one.above("mc1x1", "mm")
    assert gap.value == pytest.approx(100 * (99 / 100.46), abs=0.5)
    assert gap.low > 97
    assert one.worse_in("mc1x1", "mm") == 2
    assert one.worse_in("mm", "mc1x1") == 0
    assert one.mean("mm") == pytest.approx((198.5 + noise_mean()) / 2)
    assert one.utilisation("mm") == 50


def noise_mean() -> float:
    return float((np.arange(26) % 3).mean())


def flows(order: tuple[str, ...]) -> dict[str, int]:
    return {name: 100 * (i + 1) for i, name in enumerate(order)}


def test_the_paper_s_ranking_holds_where_it_is_met() -> None:
    told = setting(flows((*PRINTED, CUT)))
    assert told.order() == list(PRINTED)
    assert told.rho() == told.rho(1) == pytest.approx(1)
    assert [f.holds for f in _findings([told])] == [True] * 4
    turned = setting(flows((CUT, *PRINTED[::-1])))
    assert turned.rho() == pytest.approx(-1)
    assert [f.holds for f in _findings([turned])] == [False] * 4
    equal = setting(dict.fromkeys((*PRINTED, CUT), 100))
    assert [f.holds for f in _findings([equal])] == [None] * 4


# From the command line


def test_small_runs_from_end_to_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = log(tmp_path, *[1, 8, 32, 64, 16, 128, 4, 100] * 4)
    out = tmp_path / "out"
    words = ["reproduce", "bender-flow", "--trace", path, "--out", str(out)]
    words += ["--jobs", "1", "--load", "0.5"]
    assert closeknit(words) == 0
    shown = capsys.readouterr().out
    assert "At load 0.50 the paper's four rank" in shown
    rows = {row["strategy"]: row for row in rows_of(out / "load_050.csv")}
    assert set(rows) == set(LINEUP)
    assert float(rows["mc1x1"]["service time"]) >= 1
    times = [float(row["flow time"]) for row in rows.values()]
    assert times == sorted(times)
    assert times[0] < times[-1]
    lines = rows_of(out / "assumptions.csv")
    assert lines[0]["assumption"] == "load 0.50"
    assert len(lines) == 5
    assert all(float(line["mc1x1"]) == 100 for line in lines)
    lose_a_part(words, out)
    assert pictures(out) == 0
