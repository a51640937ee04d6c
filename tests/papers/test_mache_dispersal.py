"""Dispersal and balance against load: workloads, means, verdicts, the command."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from closeknit.cli.app import run as closeknit
from closeknit.instances import InputError, Mesh
from closeknit.instances.ksubset import dispersal
from closeknit.methods.allocators.table import allocator
from closeknit.papers.bender2008_table1.streams import offered_load
from closeknit.papers.mache1999.curves import (
    BALANCE,
    DISPERSAL,
    SYSTEM,
    Curves,
)
from closeknit.papers.mache1999.findings import (
    SIX,
    Trend,
    findings,
    summary,
    trend,
)
from closeknit.papers.mache1999.parts import AUTO, Found, Part, run
from closeknit.papers.mache1999.study import (
    LOADS,
    OUR_LOADS,
    OURS,
    lineup,
)
from closeknit.papers.mache1999.workloads import SEEDS, workloads
from closeknit.papers.parts import PartStore
from closeknit.reports.pages.bootstrap import Estimate
from closeknit.simulation.stream.jobs import generate, rescale
from closeknit.simulation.stream.measures import measure
from closeknit.simulation.stream.simulator import JobEnd, Start, simulate

from ..data import PARAGON, needs
from ..in_process import stay_in_process
from .studies import lose_a_part, pictures, rows_of, told_apart, trace

SHAPE = (6, 7)


def part(**changes: object) -> Part:
    streams = tuple(
        tuple(generate(50, seed=seed, most=42, sizes="exponential:7"))
        for seed in (3, 4)
    )
    plain = Part(
        shape=SHAPE,
        streams=streams,
        load=Fraction(7, 10),
        strategy="mc",
        nodes=1000,
        seed=0,
    )
    return replace(plain, **changes)  # type: ignore[arg-type]


# What is measured


@pytest.mark.parametrize("strategy", ["mc-elongated", "random", "mbs", AUTO])
def test_what_is_found_is_what_the_definitions_say(strategy: str) -> None:
    one = part(strategy=strategy)
    found = run(one)
    assert len(found.k) == 100
    row = 0
    for number, stream in enumerate(one.streams):
        jobs = rescale(stream, offered_load(stream, 42) / one.load)
        placing = allocator(strategy, mesh := Mesh(SHAPE), seed=number)
        held: set[int] = set()
        events = list(simulate(jobs, placing))
        for event, following in zip(events, [*events[1:], None], strict=True):
            if isinstance(event, JobEnd):
                held -= set(event.grant.held.tolist())
            if isinstance(event, Start):
                held |= set(event.grant.held.tolist())
                sites = [placing.places[i] for i in event.grant.used]
                assert found.affected[row] == dispersal.nodes_affected(mesh, sites)
                assert found.balance[row] == dispersal.balance_factor(mesh, sites)
                assert found.pieces[row] == dispersal.pieces(mesh, sites)
                assert found.start[row] == event.time
                lean = span = 0
                row += 1
            until = following.time if following else event.time
            span += until - event.time
            lean += (until - event.time) * dispersal.balance_factor(
                mesh, [placing.places[i] for i in held]
            )
            if following is None or isinstance(following, Start):
                assert (found.span[row - 1], found.lean[row - 1]) == (span, lean)
    assert set(found.proved.tolist()) <= ({0, 1} if strategy == AUTO else {-1})


def test_means_are_those_of_the_stream() -> None:
    one = part(streams=part().streams[:1])
    made = Curves(name="made", processors=42, found={"mc": {one.load: run(one)}})
    jobs = rescale(one.streams[0], offered_load(one.streams[0], 42) / one.load)
    summary, _ = measure(jobs, allocator("mc", Mesh(SHAPE)))
    for which, value in (
        (DISPERSAL, summary.mean_nodes_affected),
        (BALANCE, summary.mean_balance_factor),
        (SYSTEM, summary.system_balance_factor),
    ):
        mean = made.mean(which, "mc", one.load)
        assert mean.value == pytest.approx(value)
        assert mean.low <= mean.value <= mean.high
    assert made.utilisation("mc", one.load) == pytest.approx(summary.utilization_pct)


def test_everybody_sees_the_same_starts() -> None:
    starts = [run(part(strategy=name)).start for name in SIX]
    assert all(np.array_equal(starts[0], other) for other in starts)


def test_parts_have_keys_that_say_what_they_depend_on(tmp_path: Path) -> None:
    one = part()
    told_apart(
        one,
        {"shape": (7, 6)},
        {"streams": one.streams[:1]},
        {"streams": one.streams[::-1]},
        {"load": Fraction(1, 2)},
        {"strategy": "plas"},
        {"nodes": 9},
        {"seed": 1},
    )
    store = PartStore(tmp_path, Found)
    store.put(one, found := run(one))
    kept = store.get(part())
    assert kept is not None
    assert kept.pack() == found.pack()
    (path,) = tmp_path.iterdir()
    path.write_bytes(run(part(streams=one.streams[:1])).pack())
    assert store.get(one) is None


# Workloads


def test_workload_one_in_both_readings() -> None:
    sizes, sides = workloads(None, (16, 22), seed=5, first=None)
    assert (sizes.jobs, sides.jobs) == (1000 * SEEDS, 1000 * SEEDS)
    for made in (sizes, sides):
        mean = sum(job.processors for jobs in made.streams for job in jobs) / made.jobs
        assert mean == pytest.approx(16, abs=1.2)  # sides are at least 1
    assert all(job.shape is None for job in sizes.streams[0])
    assert all(job.shape is not None for job in sides.streams[0])
    again, _ = workloads(None, (16, 22), seed=6, first=None)
    assert again.streams[0] == sizes.streams[1]


def test_a_load_is_met() -> None:
    for load in LOADS:
        stream = part().streams[0]
        jobs = rescale(stream, offered_load(stream, 42) / load)
        assert float(offered_load(jobs, 42)) == pytest.approx(float(load), rel=0.01)


@needs("data/swf")
def test_workload_two_is_the_papers_by_number() -> None:
    made = list(workloads(str(PARAGON), (16, 22), seed=0, first=None))[-1]
    assert made.name == "II"
    assert made.jobs == 6087
    assert "mean size 19.58 processors" in made.about[1]
    with pytest.raises(InputError, match=r"shape: is too small: \d+ of 6087"):
        list(workloads(str(PARAGON), (8, 8), seed=0, first=None))


def log(folder: Path, *sizes: int) -> str:
    """Write a log: a job each minute, of five minutes."""
    return trace(folder, [(60 * i, 300, size) for i, size in enumerate(sizes)])


def test_any_other_trace_is_taken_as_it_is(tmp_path: Path) -> None:
    made = list(workloads(log(tmp_path, 4, 1, 30, 9), SHAPE, seed=0, first=3))[-1]
    assert [job.processors for job in made.streams[0]] == [4, 1, 30]
    assert "all jobs" in made.about[0]


# How it is judged


def made_up(
    means: dict[str, list[float]],
    *,
    balance: dict[str, list[float]] | None = None,
    n: int = 400,
) -> Curves:
    """Give the strategies means at as many loads, with noise that all share."""
    loads = [Fraction(i + 1, 10) for i in range(len(next(iter(means.values()))))]
    noise = np.random.default_rng(0).integers(-200, 200, size=n)
    noise[-1] -= noise.sum()
    ones = np.ones(n, dtype=np.int64)

    def found(spread: float, lean: float) -> Found:
        return Found(
            k=ones,
            start=ones,
            affected=(1000 * spread + noise).astype(np.int64),
            balance=(1000 * lean + noise).astype(np.int64),
            pieces=ones,
            pairs=ones,
            span=ones,
            lean=(1000 * lean + noise).astype(np.int64),
            work=ones,
            proved=-ones,
        )

    leans = balance or means
    return Curves(
        name="made up",
        processors=2,
        found={
            name: {
                load: found(spread, lean)
                for load, spread, lean in zip(loads, spreads, leans[name], strict=True)
            }
            for name, spreads in means.items()
        },
    )


AS_TOLD = {
    "mc-elongated": [2.0, 3.0, 4.0],
    "plas": [4.0, 5.0, 6.0],
    "mc": [2.0, 3.0, 5.0],
    "random": [20.0, 21.0, 22.0],
    "mbs": [8.0, 9.0, 10.0],
    "paging": [4.0, 5.0, 7.0],
}
BALANCED = {
    "mc-elongated": [2.0, 2.0, 2.0],
    "plas": [1.0, 1.0, 1.0],
    "mc": [9.0, 8.0, 7.0],
    "random": [3.0, 3.0, 3.0],
    "mbs": [9.0, 8.0, 7.0],
    "paging": [9.0, 8.0, 7.0],
}


def verdicts(curves: Curves) -> dict[str, bool | None]:
    return {f.claim.removeprefix("made up: "): f.holds for f in findings([curves])}


def test_what_is_as_told_holds() -> None:
    found = verdicts(made_up(AS_TOLD, balance=BALANCED))
    contiguity = found.popitem()  # all of one piece here: nothing to tell
    assert contiguity[1] is None
    assert set(found.values()) == {True}
    assert len(found) == 8


def test_the_contrary_does_not_hold() -> None:
    turned = {name: [30 - x for x in line] for name, line in AS_TOLD.items()}
    leans = {name: [30 - x for x in line] for name, line in BALANCED.items()}
    found = verdicts(made_up(turned, balance=leans))
    found.popitem()
    assert set(found.values()) == {False}


def test_the_summary_tells_where() -> None:
    good = made_up(AS_TOLD, balance=BALANCED)
    bent = made_up({**AS_TOLD, "plas": [4.0, 2.9, 6.0]}, balance=BALANCED)
    about = list(summary([good, replace(bent, name="bent")]))
    assert about[0] == (
        "“dispersal of mc-elongated is much lower than that of plas” holds on made "
        "up; does not hold on bent."
    )
    assert about[-1].startswith("On every workload holds: the balance factor")


def test_one_load_is_enough_to_the_contrary() -> None:
    bent = {**AS_TOLD, "plas": [4.0, 2.9, 6.0]}
    finding = findings([made_up(bent, balance=BALANCED)])[0]
    assert finding.holds is False
    assert "at load 0.2" in finding.remark
    assert "0.97 times" in finding.ours
    level = {**AS_TOLD, "plas": [4.0, 3.0, 6.0]}
    finding = findings([made_up(level, balance=BALANCED)])[0]
    assert finding.holds is None


def test_a_trend_may_not_turn() -> None:
    hill = {**BALANCED, "mbs": [7.5, 9.0, 7.0]}
    curves = made_up(AS_TOLD, balance=hill)
    found = trend(curves, BALANCE, "mbs", -1)
    assert found.ends.sign == -1
    assert found.holds is False
    assert [(float(a), float(b)) for a, b, _ in found.against] == [(0.1, 0.2)]
    assert "from load 0.1 to 0.2" in found.astray
    assert found.as_text == "mbs 7500.00 by way of 9000.00 at 0.2 to 7000.00"
    assert trend(curves, BALANCE, "mc", -1).holds is True


def test_a_trend_that_may_be_chance_is_left_open() -> None:
    flat = Estimate(0.1, -0.2, 0.4)
    about = Trend(
        strategy="x",
        direction=1,
        means=[(Fraction(1), 1.0), (Fraction(2), 1.1)],
        ends=flat,
        steps=[(Fraction(1), Fraction(2), flat)],
    )
    assert about.holds is None
    assert "from end to end" in about.astray


def test_differences_are_paired() -> None:
    curves = made_up({"mc": [5.0], "plas": [5.01]}, n=900)
    gap = curves.gap(DISPERSAL, "mc", "plas", Fraction(1, 10))
    assert gap.value == pytest.approx(10)
    assert gap.high - gap.low < 1e-6


# From the command line


def test_small_runs_from_end_to_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stay_in_process(monkeypatch)
    out = tmp_path / "out"
    words = ["reproduce", "mache-dispersal", "--shape", "4x5", "--first", "6"]
    words += ["--jobs", "2", "--out", str(out)]
    assert closeknit(words) == 0
    assert str(out / "report.html") in capsys.readouterr().out
    text = (out / "report.md").read_text()
    assert "10 streams of 6 jobs, seeds 0 to 9" in text
    assert "Workload II is left out: no trace was given (--trace FILE)." in text
    assert not (out / "points_ii.csv").exists()
    more = [*words, "--trace", log(tmp_path, *[4, 1, 20, 9, 16, 2] * 3)]
    lose_a_part(more, out, same="points_i_sides.csv")
    assert pictures(out) == 9
    able, _ = lineup((4, 5))
    assert set(able) == {*SIX, *OURS}
    rows = rows_of(out / "points_ii.csv")
    assert len(rows) == len(SIX) * len(LOADS) + len(OURS) * len(OUR_LOADS)
    for row in rows:
        assert 1 <= float(row["nodes affected"]) <= 20
        assert 0 < float(row["utilisation, %"]) <= 100
    assert len(rows_of(out / "findings.csv")) == 27
