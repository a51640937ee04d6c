"""Service times on a simulated network: figures of the paper, loads, statistics."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from closeknit.cli.app import run as closeknit
from closeknit.instances import Mesh
from closeknit.methods.allocators import allocator
from closeknit.reports.reproductions.mache1999_network import study
from closeknit.reports.reproductions.mache1999_network.figures import Figures, columns
from closeknit.reports.reproductions.mache1999_network.findings import findings
from closeknit.reports.reproductions.mache1999_network.parts import (
    STEPS,
    Found,
    Model,
    Part,
    run,
    tuned,
)
from closeknit.reports.reproductions.mache1999_network.printed import (
    INTERARRIVAL,
    MC,
    PAGING,
    PLAS,
    RANK,
    SERVICE,
    SHARES,
    SIX,
)
from closeknit.simulation.network.jobs import Deliveries, MixedTraffic
from closeknit.simulation.network.worm import RigidWorms
from closeknit.simulation.stream import End, Start, simulate

from ...data import REFERENCE, needs


@needs("reference/mache_table2.csv")
def test_the_figures_are_those_of_the_paper() -> None:
    with (REFERENCE / "mache_table2.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(SIX) * len(SHARES)
    for row in rows:
        name = {"mc": MC}.get(row["strategy"].lower(), row["strategy"].lower())
        at = SHARES.index(int(row["io_pct"]))
        assert SERVICE[name][at] == float(row["service_time"])
        assert RANK[name][at] == int(row["rank"])
        assert INTERARRIVAL[SHARES[at]] == int(row["interarrival_time"])


def part(**changes: object) -> Part:
    plain = {
        "shape": (4, 5),
        "nodes": 0,
        "seed": 3,
        "strategies": ("mc", "mc-elongated", "paging"),
        "share": 40,
        "jobs": 60,
        "model": Model(sizes="exponential:4", messages=40.0),
        "interarrival": 60.0,
    }
    return Part(**(plain | changes))  # type: ignore[arg-type]


def test_a_part_is_what_the_stream_gives() -> None:
    """The same from the events, with traffic drawn anew for every strategy."""
    one = part()
    found = run(one)
    jobs = one.jobs_at(one.interarrival)
    for i, name in enumerate(one.strategies):
        traffic = MixedTraffic(shape=(4, 5), share=0.4, messages=40.0)
        ends = Deliveries(RigidWorms(traffic.network, axes=(1, 0)), traffic, seed=3)
        begun: dict[int, int] = {}
        service, wait, held, last = [], [], 0, 0
        for event in simulate(jobs, allocator(name, Mesh(4, 5), seed=3), ends=ends):
            last = event.time
            if isinstance(event, Start):
                begun[event.job.number] = event.time
                wait.append(event.time - event.job.submit)
            else:
                assert isinstance(event, End)
                service.append(event.time - begun[event.job.number])
                held += service[-1] * event.job.processors
        assert found.service[i] == pytest.approx(np.mean(service))
        assert found.wait[i] == pytest.approx(np.mean(wait))
        assert found.utilisation[i] == pytest.approx(100 * held / (20 * last))
    assert len(set(found.service.tolist())) == 3


def test_a_load_is_found_by_interpolation() -> None:
    for start in (40.0, 150.0, 300.0, 5000.0):
        tried = tuned(lambda gap: min(99.0, 9000 / gap), start)
        assert abs(9000 / tried.best - 65) <= 3
        assert tried.utilisation.tolist() == [
            min(99.0, 9000 / gap) for gap in tried.interarrival
        ]
    never = tuned(lambda gap: 10.0, 100.0)  # too few jobs, whatever the gap
    assert len(never.interarrival) == STEPS
    assert never.best == 100.0


def made_up(share: int, service: dict[str, list[float]]) -> Figures:
    values = np.array([service[name] for name in SIX]).T
    return Figures(
        share=share,
        strategies=SIX,
        interarrival=100.0,
        service=values,
        wait=0 * values,
        utilisation=0 * values + 65,
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


def test_columns_stack_the_streams() -> None:
    found = {
        (share, seed): Found(
            service=np.arange(8.0) + seed,
            wait=np.zeros(8),
            utilisation=np.full(8, float(share)),
        )
        for share in SHARES
        for seed in (4, 5)
    }
    names = (*SIX, *study.OURS)
    made = columns(names, dict.fromkeys(SHARES, 9.0), found, (4, 5))
    assert [column.share for column in made] == list(SHARES)
    assert made[0].service.shape == (2, 8)
    assert made[0].mean("thrifty") == 11.5


def test_small_runs_from_end_to_end(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(study, "STREAMS", 2)
    monkeypatch.setattr(study, "MESH", (4, 5))
    monkeypatch.setattr(study, "MODEL", Model(messages=20.0))
    out = tmp_path / "out"
    words = ["reproduce", "mache-table2", "--first", "8", "--jobs", "1"]
    words += ["--out", str(out)]
    assert closeknit(words) == 0
    said = capsys.readouterr().out
    assert "no more than the first 8 jobs of each stream" in said
    text = (out / "report.md").read_text()
    assert "2 streams of 8 jobs, seeds 0 to 1" in text
    assert "chosen after seeing what ranking" in text
    with (out / "service.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == len(SHARES) * 8
    assert (out / "report.html").read_text().count("<svg") == 1

    # One part has been lost: it is run again, and the rest taken as it is.
    before = (out / "service.csv").read_bytes()
    parts = sorted((out / "parts").iterdir())
    assert len(parts) == 3 * len(SHARES)
    stamps = {path: path.stat().st_mtime_ns for path in parts[1:]}
    parts[0].unlink()
    assert closeknit(words) == 0
    assert (out / "service.csv").read_bytes() == before
    assert parts[0].exists()
    assert all(path.stat().st_mtime_ns == stamp for path, stamp in stamps.items())


@pytest.mark.parametrize("option", ["--load", "--shape", "--trace", "--every"])
def test_other_options_are_refused(
    capsys: pytest.CaptureFixture[str], option: str
) -> None:
    value = {"--load": "0.5", "--shape": "4x5", "--trace": "x", "--every": "2"}[option]
    assert closeknit(["reproduce", "mache-table2", option, value]) == 2
    said = capsys.readouterr().err
    assert f"{option}: is not for mache-table2" in said
    assert said.count("\n") == 1
