"""Table 1 of 2008: what is asked, how it is judged, and that it goes on when killed."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from fractions import Fraction
from itertools import compress, pairwise
from pathlib import Path

import numpy as np
import pytest

from closeknit.cli.app import run as closeknit
from closeknit.instances import InputError, KSubset, Mesh, cost
from closeknit.methods import KSUBSET
from closeknit.methods.allocators.table import allocator
from closeknit.papers.bender2008_table1 import printed
from closeknit.papers.bender2008_table1.entries import SituationRow, relative
from closeknit.papers.bender2008_table1.findings import (
    RankingFinding,
    column_verdict,
    diagonal_verdict,
    findings,
    judge,
    row_verdict,
)
from closeknit.papers.bender2008_table1.parts import (
    NOT_ASKED,
    OPTIMAL,
    REFUSED,
    Found,
    Part,
    run,
    usable,
)
from closeknit.papers.bender2008_table1.streams import (
    offered_load,
    stream,
)
from closeknit.papers.bender2008_table1.study import CORE, lineup
from closeknit.papers.bender2008_table1.tables import printed_gap
from closeknit.papers.parts import PartStore
from closeknit.reports.pages.bootstrap import Estimate
from closeknit.simulation.stream.jobs import StreamJob, generate
from closeknit.simulation.stream.simulator import Start, simulate

from ..data import REFERENCE
from .studies import pictures, rows_of, told_apart, trace

SHAPE = (5, 6)


def part(**changes: object) -> Part:
    jobs = generate(60, seed=3, most=30, sizes="exponential:6", interarrival=200.0)
    plain = Part(
        shape=SHAPE,
        jobs=tuple(jobs),
        situation="mm",
        always=("mc1x1", "mm", "hilbert/best-fit"),
        sometimes=("mbs", "random", OPTIMAL),
        every=3,
        nodes=10_000,
        seed=0,
    )
    return replace(plain, **changes)  # type: ignore[arg-type]


# What is asked


@pytest.mark.parametrize("situation", ["mm", "hilbert/best-fit", OPTIMAL])
def test_decisions_are_those_of_the_methods(situation: str) -> None:
    one = part(situation=situation)
    found = run(one)
    placing = allocator("auto" if situation == OPTIMAL else situation, Mesh(SHAPE))
    starts = [e for e in simulate(one.jobs, placing) if isinstance(e, Start)]
    assert len(starts) == len(found.k) == 60
    for i, start in enumerate(starts):
        free = tuple(compress(placing.places, start.idle))
        met = KSubset("met", Mesh(SHAPE), free, start.job.processors)
        numbers = np.flatnonzero(start.idle)
        given = np.searchsorted(numbers, start.grant.used)
        assert found.own[i] == cost(met, given.tolist())
        assert (found.k[i], found.free[i], found.start[i]) == (met.k, met.n, start.time)
        for column, name in enumerate(one.decisions):
            answer = found.costs[i, column]
            if name in one.sometimes and i % 3:
                assert answer == NOT_ASKED
            elif name in ("mc1x1", "mm", "hilbert/best-fit"):
                assert answer == KSUBSET[name](met).objective
            elif name == OPTIMAL:
                assert answer == KSUBSET["auto"](met).objective == found.bound[i]
            else:
                assert answer >= found.costs[i, -1] or answer == REFUSED
        assert (found.bound[i] == NOT_ASKED) == bool(i % 3)


def test_the_diagonal_is_what_was_given() -> None:
    found = run(part(situation="random", every=1))
    assert np.array_equal(found.costs[:, 4], found.own)
    found = run(part(situation="mbs", every=1))
    assert np.array_equal(found.costs[:, 3], found.own)


def test_a_proof_that_runs_out_is_counted() -> None:
    jobs = tuple(generate(40, seed=1, most=256, sizes="exponential:60"))
    row = SituationRow(
        one := part(shape=(16, 16), jobs=jobs, every=1, nodes=1), run(one)
    )
    assert row.open > 0
    ratios = row.ratios("hilbert/best-fit")
    assert ratios.jobs == ratios.proven + row.open
    assert ratios.low is not None
    assert ratios.high is not None
    assert 1 <= ratios.low < ratios.high


def test_parts_have_names_that_say_what_they_depend_on() -> None:
    one = part()
    told_apart(
        one,
        {"shape": (6, 5)},
        {"jobs": one.jobs[1:]},
        {"situation": "mc1x1"},
        {"always": one.always[:2]},
        {"sometimes": one.sometimes[:2]},
        {"every": 2},
        {"nodes": 9},
        {"seed": 1},
    )
    assert part().key == one.key


def test_a_store_gives_back_what_was_put_and_mistrusts_the_rest(tmp_path: Path) -> None:
    one, store = part(), PartStore(tmp_path / "parts", Found)
    assert store.get(one) is None
    found = run(one)
    store.put(one, found)
    (path,) = (tmp_path / "parts").iterdir()
    again = store.get(one)
    assert again is not None
    assert again.pack() == found.pack() == path.read_bytes()
    for wrong in (b"", path.read_bytes()[:500], b"no archive at all"):
        path.write_bytes(wrong)
        assert store.get(one) is None
    shorter = replace(found, costs=found.costs[1:])
    path.write_bytes(shorter.pack())
    assert store.get(one) is None


def test_who_cannot_be_on_a_mesh_is_left_out() -> None:
    assert usable(["mm", OPTIMAL], (4, 4)) == {"mm": "", OPTIMAL: ""}
    reasons = usable(["mm", "line-window"], (3, 3, 3))
    assert reasons["mm"] == ""
    assert reasons["line-window"].startswith("needs free processors")
    for shape in ((4, 4), (1, 9), (3, 3, 3)):
        able, missing = lineup(shape)
        assert able[-1] == OPTIMAL
        assert len(able) + len(missing) == len(lineup((4, 4))[0])


# How it is judged


def made_up(
    costs: dict[str, list[int]], optima: list[int], bound: list[int]
) -> SituationRow:
    columns = [*costs.values(), optima]
    n = len(optima)
    one = part(
        jobs=tuple(StreamJob(i, i, 2, 1, 1) for i in range(n)),
        always=tuple(costs),
        sometimes=(OPTIMAL,),
        every=1,
    )
    twos = np.full(n, 2)
    found = Found(
        start=np.arange(n),
        k=twos,
        free=twos,
        own=np.array(columns[0]),
        costs=np.array(columns).T,
        bound=np.array(bound),
    )
    return SituationRow(one, found)


def test_ratios_are_exact() -> None:
    row = made_up({"a": [7, 9, 12, -2]}, [6, 9, 10, 5], [6, 9, 8, 5])
    ratios = row.ratios("a")
    assert (ratios.jobs, ratios.refused, ratios.proven) == (3, 1, 2)
    assert (ratios.of_sums, ratios.worst) == (Fraction(16, 15), Fraction(7, 6))
    assert ratios.optimal == 1
    assert ratios.mean == pytest.approx((7 / 6 + 1) / 2, abs=1e-12)
    assert (ratios.low, ratios.high) == (Fraction(28, 25), Fraction(28, 23))
    assert row.open == 1


def test_nothing_to_compare_gives_no_ratio() -> None:
    ratios = made_up({"a": [-2, -2]}, [6, 9], [6, 9]).ratios("a")
    assert (ratios.jobs, ratios.refused) == (0, 2)
    assert (ratios.of_sums, ratios.mean, ratios.worst) == (None, None, None)
    assert (ratios.low, ratios.high) == (None, None)


def steps(*gaps: tuple[float, float]) -> RankingFinding:
    return RankingFinding(tuple(("x", Estimate((a + b) / 2, a, b)) for a, b in gaps))


def test_a_ranking_holds_only_where_every_step_is_certain() -> None:
    up, level, down = steps((1, 2)), steps((1, 2), (-1, 2)), steps((1, 2), (-2, -1))
    assert (up.holds, level.holds, down.holds) == (True, None, False)
    assert (up.in_order, level.in_order, down.in_order) == (True, True, False)
    assert judge([up, up]) is True
    assert judge([up, level]) is None
    assert judge([up, level, down]) is False


def a_table(table: tuple[tuple[int, ...], ...]) -> dict[str, SituationRow]:
    """Make rows whose means are a table's, with noise that all columns share."""
    noise = np.random.default_rng(0).integers(-200, 200, size=400)
    noise[-1] -= noise.sum()
    names = list(printed.EVERYWHERE.values())
    rows = {}
    for i, name in enumerate(names):
        costs = {
            other: (mean + noise).tolist()
            for other, mean in zip(names, table[i], strict=True)
        }
        row = made_up(costs, [1] * 400, [1] * 400)
        found = replace(row.found, own=np.array(costs[name]))
        rows[name] = SituationRow(replace(row.part, situation=name), found)
    return rows


def test_the_papers_own_table_has_the_papers_rankings() -> None:
    rows = a_table(printed.PRINTED)
    variant = printed.EVERYWHERE
    for name in printed.NAMES:
        verdict = row_verdict(rows[variant[name]], variant)
        assert verdict.holds is True
        for (step, gap), (better, _) in zip(
            verdict.steps, pairwise(printed.IN_A_ROW), strict=True
        ):
            assert gap.value == pytest.approx(printed_gap(name, better, step))
        assert column_verdict(rows, variant, name).holds is True
    assert diagonal_verdict(rows, variant).holds is True


def test_a_table_turned_round_has_none_of_them() -> None:
    turned = tuple(tuple(10_000 - x for x in row) for row in printed.PRINTED)
    rows = a_table(turned)
    rows |= {
        name: rows[all_]
        for name, all_ in zip(
            printed.AS_DEFINED.values(), printed.EVERYWHERE.values(), strict=True
        )
    }
    variant = printed.EVERYWHERE
    assert row_verdict(rows[variant["MM"]], variant).holds is False
    assert diagonal_verdict(rows, variant).holds is False
    named = dict(rows)
    for name in printed.AS_DEFINED.values():
        row = named[name]
        columns = tuple(printed.AS_DEFINED.values())
        named[name] = SituationRow(replace(row.part, always=columns), row.found)
    for finding in findings({"timed": {**named, "hilbert/best-fit": _both(rows)}}):
        assert finding.holds is False


def _both(rows: dict[str, SituationRow]) -> SituationRow:
    """Give a row the columns of both variants."""
    row = rows["hilbert/best-fit"]
    names = (*printed.EVERYWHERE.values(), *list(printed.AS_DEFINED.values())[:3])
    costs = np.concatenate(
        [row.found.costs[:, :4], row.found.costs[:, :3], row.found.costs[:, 4:]], axis=1
    )
    return SituationRow(
        replace(row.part, always=names), replace(row.found, costs=costs)
    )


def test_differences_are_paired() -> None:
    noise = np.random.default_rng(4).integers(0, 10_000, size=900)
    gap = relative(noise + 1000, noise + 1010)
    assert gap.sign == 1
    assert gap.high - gap.low < 0.01


def test_what_is_printed_is_what_the_paper_prints() -> None:
    rows = [list(row.values()) for row in rows_of(REFERENCE / "bender_table1.csv")]
    assert [tuple(map(int, row[1:])) for row in rows] == list(printed.PRINTED)


# Streams


def test_the_partition_that_did_most_is_taken(tmp_path: Path) -> None:
    jobs = [(0, 9, 1, 1), (5, 90, 4, 2), (9, 9, 2, 1), (95, 10, 2, 2)]
    found = stream(trace(tmp_path, jobs), (4, 4), seed=0)
    assert "partition 2" in found.about[0]
    timed, packed = found.states
    assert [job.submit for job in timed.jobs] == [0, 90]
    assert [job.submit for job in packed.jobs] == [0, 0]
    assert [job.processors for job in packed.jobs] == [4, 2]


def test_a_load_is_met_by_stretching(tmp_path: Path) -> None:
    path = trace(tmp_path, [(100 * i, 400, 8) for i in range(50)])
    found = stream(path, (4, 4), seed=0)  # twice what the machine can do
    assert float(offered_load(found.states[0].jobs, 16)) == pytest.approx(0.7, abs=0.01)
    assert "brought to 0.70" in found.states[0].about
    found = stream(path, (4, 4), seed=0, load=Fraction(3, 2))
    assert float(offered_load(found.states[0].jobs, 16)) == pytest.approx(1.5, abs=0.01)
    timed = stream(path, (8, 8), seed=0).states[0]
    assert [job.submit for job in timed.jobs][:2] == [0, 100]


def test_a_stream_is_drawn_where_there_is_no_trace() -> None:
    one = stream(None, (8, 8), seed=1, first=200)
    assert one == stream(None, (8, 8), seed=1, first=200)
    assert one != stream(None, (8, 8), seed=2, first=200)
    assert max(job.processors for job in one.states[0].jobs) <= 64


def test_some_jobs_may_be_too_large_but_not_many(tmp_path: Path) -> None:
    path = trace(tmp_path, [(i, 5, 17 if i < 2 else 4) for i in range(200)])
    about = stream(path, (4, 4), seed=0).about
    assert "2 larger than the machine" in about[0]
    with pytest.raises(InputError, match="shape: is too small: 200 of 200 jobs"):
        stream(path, (1, 3), seed=0)


# From the command line


WORDS = ["reproduce", "bender-table1", "--shape", "4x5", "--first", "40"]
WORDS += ["--every", "2"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run it once, undisturbed."""
    out = tmp_path_factory.mktemp("whole")
    assert closeknit([*WORDS, "--jobs", "2", "--out", str(out)]) == 0
    return out


def test_a_small_run_from_end_to_end(whole: Path) -> None:
    assert pictures(whole) == 0
    assert "40 jobs" in (whole / "report.md").read_text()
    jobs = stream(None, (4, 5), seed=0, first=40)
    one = Part(
        shape=(4, 5),
        jobs=jobs.states[1].jobs,
        situation="mm-all",
        always=CORE,
        sometimes=lineup((4, 5))[0][len(CORE) :],
        every=2,
        nodes=200_000,
        seed=0,
    )
    found = run(one)
    table = {row["situation"]: row for row in rows_of(whole / "table1_packed.csv")}
    for name, method in printed.EVERYWHERE.items():
        mean = found.costs[:, CORE.index(method)].mean()
        assert float(table["MM"][f"{name}, every location"]) == pytest.approx(mean)
        paper = printed.PRINTED[1][printed.NAMES.index(name)]
        assert int(table["MM"][f"{name}, paper"]) == paper
    row = SituationRow(one, found)
    checked = 0
    for entry in rows_of(whole / "entries_packed.csv"):
        if entry["situation"] == "mm-all":
            ratios = row.ratios(entry["decision"])
            assert Fraction(entry["sum over sum"]) == ratios.of_sums
            assert Fraction(entry["worst"]) == ratios.worst
            checked += 1
        if entry["decision"] == OPTIMAL:
            assert entry["sum over sum"] == "1"
    assert checked == len(one.decisions)


def files_of(out: Path) -> dict[str, bytes]:
    return {str(p.relative_to(out)): p.read_bytes() for p in out.rglob("*.*")}


@pytest.mark.slow
def test_a_killed_run_goes_on_where_it_was(whole: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = [sys.executable, "-m", "closeknit", *WORDS, "--jobs", "1"]
    process = subprocess.Popen([*command, "--out", str(out)], start_new_session=True)
    parts = out / "parts"
    deadline = time.monotonic() + 120
    while not (parts.exists() and len(list(parts.glob("*.npz"))) >= 3):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert not (out / "report.html").exists()
    before = {path: path.stat().st_mtime_ns for path in parts.glob("*.npz")}
    assert 3 <= len(before) < len(list((whole / "parts").iterdir()))
    assert closeknit([*WORDS, "--jobs", "1", "--out", str(out)]) == 0
    assert all(path.stat().st_mtime_ns == then for path, then in before.items())
    mine = files_of(out)
    left_over = [name for name in mine if re.match(r"parts/\.", name)]  # half written
    assert {n: b for n, b in mine.items() if n not in left_over} == files_of(whole)
