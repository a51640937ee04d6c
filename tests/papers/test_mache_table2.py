"""Service times on a simulated network: figures of the paper, loads, statistics."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from closeknit.cli.app import run as closeknit
from closeknit.instances import Mesh
from closeknit.methods.allocators.table import allocator
from closeknit.network.jobs import Deliveries, MixedTraffic
from closeknit.network.worm.engine import RigidWorms
from closeknit.papers.bender2008_table1.parts import OPTIMAL
from closeknit.papers.catalogue import RunOptions
from closeknit.papers.mache1999_network import loads, study
from closeknit.papers.mache1999_network.figures import BY_ROWS, Figures
from closeknit.papers.mache1999_network.findings import findings
from closeknit.papers.mache1999_network.loads import (
    STEPS,
    LoadCase,
    following,
    nearest,
    search_loads,
)
from closeknit.papers.mache1999_network.parts import Found, Part, run
from closeknit.papers.mache1999_network.printed import (
    INTERARRIVAL,
    MC,
    PAGING,
    PLAS,
    RANK,
    SERVICE,
    SHARES,
    SIX,
)
from closeknit.papers.mache1999_network.variants import variants
from closeknit.simulation.stream.measures import measure

from ..data import REFERENCE
from .studies import lose_a_part, pictures, rows_of


def test_the_figures_are_those_of_the_paper() -> None:
    rows = rows_of(REFERENCE / "mache_table2.csv")
    assert len(rows) == len(SIX) * len(SHARES)
    for row in rows:
        name = {"mc": MC}.get(row["strategy"].lower(), row["strategy"].lower())
        at = SHARES.index(int(row["io_pct"]))
        assert SERVICE[name][at] == float(row["service_time"])
        assert RANK[name][at] == int(row["rank"])
        assert INTERARRIVAL[SHARES[at]] == int(row["interarrival_time"])


TRAFFIC = MixedTraffic(shape=(4, 5), share=0.4, messages=40.0)


def part(**changes: object) -> Part:
    plain = Part(
        shape=(4, 5),
        nodes=20_000,
        seed=3,
        strategies=("mc", "mc-elongated", "paging", OPTIMAL),
        traffic=TRAFFIC,
        sizes="exponential:4",
        jobs=60,
        interarrival=60.0,
    )
    return replace(plain, **changes)  # type: ignore[arg-type]


def test_a_part_is_what_the_stream_gives() -> None:
    """The same by the measures of streams, with a strategy at a time."""
    one = part()
    found = run(one)
    for i, name in enumerate(one.strategies):
        ends = Deliveries(RigidWorms(TRAFFIC.network, axes=(1, 0)), TRAFFIC, seed=3)
        method = "auto" if name == OPTIMAL else name
        machine = allocator(method, Mesh(4, 5), seed=3)
        summary, rows = measure(one.stream(), machine, ends=ends)
        times = [row.end_s - row.start_s for row in rows]
        assert found.service[i] == pytest.approx(np.mean(times))
        assert found.wait[i] == pytest.approx(summary.mean_wait_s)
        assert found.utilisation[i] == pytest.approx(summary.utilization_pct)
        assert found.proved[i] == (100 if name == OPTIMAL else 0)
    assert len(set(found.service.tolist())) == len(one.strategies)


def case(**changes: object) -> LoadCase:
    return replace(LoadCase(traffic=TRAFFIC, start=100.0), **changes)  # type: ignore[arg-type]


def test_a_load_is_found_by_interpolation() -> None:
    for start in (40.0, 150.0, 300.0, 5000.0):
        tried: dict[float, float] = {}
        gap: float | None = start
        while gap is not None:
            tried[gap] = min(99.0, 9000 / gap)
            gap = following(tried, 65, 3)
        assert abs(9000 / nearest(tried, 65) - 65) <= 3
    tried, gap = {}, 100.0
    while gap is not None:  # too few jobs, whatever the gap
        tried[gap] = 10.0
        gap = following(tried, 65, 3)
    assert len(tried) == STEPS
    assert nearest(tried, 65) == 100.0
    # where utilisation hardly depends on the load, by how little it does
    assert following({100.0: 70.0}, 65, 3) == pytest.approx(108, abs=0.5)
    second = following({100.0: 70.0, 108.0: 69.0}, 65, 3)
    assert second is not None
    assert second > 130


def test_the_load_is_searched_on_few_streams_and_then_on_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Streams differ: what fits the first is not near enough on all of them."""
    ran: list[tuple[int, float]] = []

    def given(parts: dict[Part, Part], *_: object) -> dict[Part, Found]:
        found = {}
        for one in parts:
            ran.append((one.seed, one.interarrival))
            busy = min(100, (8000 + 2000 * one.seed) / one.interarrival)
            six = np.full(len(SIX), busy)
            found[one] = Found(service=six, wait=six, utilisation=six, proved=six)
        return found

    monkeypatch.setattr(loads, "run_all", given)
    cases = {"a": case(), "b": case(start=400.0, goal=40.0)}
    found = search_loads(cases, 10, ((0,), (0, 1, 2, 3)), RunOptions())
    for name, goal in (("a", 65), ("b", 40)):
        gap = found[name].interarrival
        busy = [float(one.utilisation[0]) for one in found[name].found]
        assert len(busy) == 4
        assert abs(np.mean(busy) - goal) <= 5
        assert found[name].tried[gap] == pytest.approx(np.mean(busy))
        assert abs(8000 / gap - goal) > 5  # it has moved on
    assert len(ran) == len(set(ran))  # nothing twice


def made_up(share: int, service: dict[str, list[float]]) -> Figures:
    values = np.array([service[name] for name in SIX]).T
    return Figures(
        share=share,
        strategies=SIX,
        interarrival=100.0,
        service=values,
        wait=0 * values,
        utilisation=0 * values + 65,
        proved=0 * values,
    )


def test_ranks_and_paired_differences() -> None:
    """Means that differ by less than they vary, yet by the same on each stream."""
    base = np.array([100.0, 300.0, 200.0])
    service = {name: (base + 10 * i).tolist() for i, name in enumerate(SIX)}
    service[PAGING] = (base + 50 + np.array([-1.0, 0, 1])).tolist()
    one = made_up(40, service)
    assert one.ranks == dict(zip(SIX, range(1, 7), strict=True))
    mean, deviation = one.less(PAGING, PLAS)
    assert mean == pytest.approx(40)
    assert deviation == pytest.approx(1 / 3**0.5)
    gap = one.gap(PAGING, PLAS)  # 4.3027 is Student's quantile for three streams
    assert gap.high - gap.value == pytest.approx(4.3027 / 3**0.5, abs=1e-3)
    assert gap.sign == 1
    # the paper has plas before mc, and random before mbs before paging: as here
    assert one.rho == pytest.approx(1.0)
    service[PAGING] = (base - 50).tolist()  # first, not last: 30 of 70 are gone
    assert made_up(40, service).rho == pytest.approx(1 - 6 * 30 / 210)


def test_findings_follow_the_figures() -> None:
    """Of the paper's own figures all statements hold, but for an error of theirs."""
    noise = np.array([0.0, 0.1, -0.1])
    made = {
        share: made_up(
            share,
            {
                name: (100 + SERVICE[name][i] + noise * n).tolist()
                for n, name in enumerate(SIX)
            },
        )
        for i, share in enumerate(SHARES)
    }
    found = list(findings(list(made.values())))
    assert len(found) == 10
    lost = [one.claim for one in found if not one.holds]
    assert lost == ["mc-elongated is first of six at 60 % I/O"]  # as the text has it
    made[0].service[:, SIX.index(MC)] += 1000
    made[100].service[:, SIX.index(PAGING)] -= 9000
    lost = [one.claim for one in findings(list(made.values())) if not one.holds]
    assert "mc/column-major is first of six at 0 % I/O" in lost
    assert "paging is last where there is I/O" in lost


def test_columns_stack_streams_and_strategies() -> None:
    def found(first: float, count: int) -> Found:
        plain = np.zeros(count)
        service = np.arange(first, first + count)
        return Found(service=service, wait=plain, utilisation=plain + 65, proved=plain)

    rows = [(found(seed, 6), found(100 + seed, len(study.OTHERS))) for seed in (4, 5)]
    made = Figures.of_streams(40, (*SIX, *study.OTHERS), 9.0, rows)
    assert made.service.shape == (2, 6 + len(study.OTHERS))
    assert made.mean(PLAS) == 5.5
    assert made.mean(BY_ROWS) == 104.5
    assert made.of("thrifty").tolist() == [106.0, 107.0]
    assert made.some(1).of("thrifty").tolist() == [106.0]
    assert made.by_rows().mean(MC) == 104.5
    assert made.by_rows().order == [name for name in SIX if name != MC] + [MC]


def test_every_variant_is_another_run() -> None:
    """All at the same load: what is drawn and sent differs."""
    column = made_up(40, {name: [1.0] for name in SIX})
    lineup = list(variants(replace(TRAFFIC, messages=32.0)))
    assert len({one.name for one in lineup}) == len(lineup)
    cases = {one.name: one.case(column) for one in lineup}
    assert {one.traffic.share for one in cases.values()} == {0.4}
    plain = replace(next(iter(cases.values())), traffic=replace(TRAFFIC, messages=32.0))
    served = {
        name: run(case.part(30.0, 60, 3, (PLAS, PAGING))).service.tolist()
        for name, case in {"": plain, **cases}.items()
        if case.goal == 65
    }
    assert len(served) == len(lineup) - 1  # two that differ by the load alone, and ""
    assert len({tuple(times) for times in served.values()}) == len(served)


def test_small_runs_from_end_to_end(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(study, "STREAMS", 2)
    monkeypatch.setattr(study, "FEW", 1)
    monkeypatch.setattr(study, "SOME", 1)
    monkeypatch.setattr(study, "TRAFFIC", replace(TRAFFIC, messages=20.0))
    monkeypatch.setattr(study, "variants", lambda base: list(variants(base))[2:4])
    monkeypatch.setattr(loads, "STEPS", 1)
    out = tmp_path / "out"
    words = ["reproduce", "mache-table2", "--first", "8", "--jobs", "1", "--full"]
    words += ["--out", str(out)]
    assert closeknit(words) == 0
    said = capsys.readouterr().out
    assert "no more than the first 8 jobs of each stream" in said
    text = (out / "report.md").read_text()
    assert "2 streams of 8 jobs, seeds 0 to 1" in text
    assert "chosen after seeing what ranking" in text
    assert len(rows_of(out / "service.csv")) == len(SHARES) * 10
    assert pictures(out) == 0
    rows = rows_of(out / "sensitivity.csv")
    assert [row["decision"] for row in rows] == [
        *("as in the table", "ties of mc by rows", "as in the table, on fewer streams"),
        *("first I/O node of a task: the top one", "5 messages of a job"),
    ]
    assert [row["streams"] for row in rows] == ["2", "2", "1", "1", "1"]
    # twice two streams, and two variants
    assert lose_a_part(words, out) == 6 * len(SHARES)
