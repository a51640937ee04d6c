"""``closeknit simulate stream``, through the real command line."""

from __future__ import annotations

import csv
import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from closeknit.cli.app import run
from closeknit.simulation.stream.jobs import generate
from closeknit.simulation.stream.measures import Meter
from closeknit.simulation.stream.simulator import Event, StartPolicy

from ...data import IPSC, needs

LINES = """\
1 100 0 50 4 -1 -1 4 60 -1 1 1 1 -1 0 1 -1 -1
2 100 0 70 9 -1 -1 9 99 -1 1 1 1 -1 0 1 -1 -1
3 120 0 20 4 -1 -1 4 20 -1 1 1 1 -1 0 1 -1 -1
4 130 0 -1 4 -1 -1 4 60 -1 1 1 1 -1 0 1 -1 -1
5 140 0 10 40 -1 -1 40 -1 -1 1 1 1 -1 0 1 -1 -1
"""
MEASURES = {
    *("jobs", "makespan_s", "mean_pair_sum", "mean_average_distance_hops"),
    *("mean_nodes_affected", "mean_balance_factor", "system_balance_factor"),
    *("contiguous_pct", "mean_pieces", "utilization_pct", "offered_load_pct"),
    *("mean_wait_s", "mean_flow_time_s", "internal_fragmentation_pct"),
    *("mean_idle_fragmentation_pct", "partial"),
}
ON_TRACE = "--method row-major --shape 3x4 --trace"
WORMS = f"--network wormhole {ON_TRACE}"


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "log.swf"
    path.write_text(LINES)
    return path


def stream(options: str) -> int:
    return run(["simulate", "stream", *options.split()])


def _measures(capsys: pytest.CaptureFixture[str], options: str) -> dict[str, float]:
    assert stream(f"{options} --json -") == 0
    found: dict[str, float] = json.loads(capsys.readouterr().out)
    return found


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open() as lines:
        return list(csv.DictReader(lines))


def test_one_object_of_measures(capsys: pytest.CaptureFixture[str]) -> None:
    options = "--method mm-inc --shape 8x8 --requests 60 --seed"
    found = _measures(capsys, f"{options} 3")
    assert set(found) == MEASURES
    assert found["jobs"] == 60
    assert found["partial"] is False
    assert found["mean_pair_sum"] > 0
    assert found == _measures(capsys, f"{options} 3")
    assert found != _measures(capsys, f"{options} 4")


def test_the_jobs_of_a_trace(
    trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = tmp_path / "jobs.csv"
    options = f"{ON_TRACE} {trace} --skip-larger --jobs-csv {rows}"
    assert stream(options) == 0
    said = capsys.readouterr()
    assert "2 jobs skipped (1 no run time; 1 larger than the machine)" in said.err
    assert "jobs                         3\n" in said.out
    assert "internal_fragmentation_pct   0.00\n" in said.out
    # 3 passes 2: four are idle, and it has gone when 1 is expected to end
    starts = {"fcfs": "1 0, 2 50, 3 120", "easy": "1 0, 3 20, 2 50"}
    for policy, told in starts.items():
        assert stream(f"{options} --policy {policy}") == 0
        began = [f"{row['number']} {row['start_s']}" for row in rows_of(rows)]
        assert ", ".join(began) == told


def test_what_is_taken_of_a_trace(
    trace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = f"{ON_TRACE} {trace}"
    assert _measures(capsys, f"{options} --range 1:3")["jobs"] == 2
    found = _measures(capsys, f"{options} --divide 4 --scale-arrivals 1/2")
    assert found["jobs"] == 4
    # 1, 3, 1 and 10 processors for 50, 70, 20 and 10 s; the last comes at 20
    assert found["offered_load_pct"] == pytest.approx(100 * 380 / (20 * 12))


def test_boxes_and_trees(capsys: pytest.CaptureFixture[str]) -> None:
    on_torus = "--method mc --kind torus --shape 5x7 --sizes box:uniform:1:4"
    boxes = _measures(capsys, f"--requests 20 {on_torus}")
    assert boxes["mean_nodes_affected"] >= 1
    on_tree = "--method mm --kind tree --shape 3x4 --sizes uniform:1:6"
    tree = _measures(capsys, f"--requests 20 {on_tree}")
    assert tree["mean_nodes_affected"] is None
    assert tree["mean_pair_sum"] > 0


def test_several_allocators_are_a_line_each(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.jsonl"
    options = "--method mm,random --kind torus --shape 4x4x2 --requests 25"
    options += f" --interarrival 300 --service uniform:5:9 --json {out}"
    assert stream(options) == 0
    assert capsys.readouterr().out.count("mean_wait_s") == 2
    first, second = map(json.loads, out.read_text().splitlines())
    assert set(first) == MEASURES | {"allocator"}
    assert (first["allocator"], second["allocator"]) == ("mm", "random")
    assert first["mean_pair_sum"] < second["mean_pair_sum"]
    assert first["utilization_pct"] == second["utilization_pct"]


@needs("data/swf")
def test_a_log_is_run_and_scaled(capsys: pytest.CaptureFixture[str]) -> None:
    options = f"--method mm --shape 4x8 --divide 4 --range 0:400 --trace {IPSC}"
    slow = _measures(capsys, options)
    fast = _measures(capsys, f"{options} --scale-arrivals 0.2")
    assert slow["jobs"] == fast["jobs"] == 400
    assert fast["mean_wait_s"] > slow["mean_wait_s"]
    assert fast["utilization_pct"] > slow["utilization_pct"]


MM = "--method mm --shape 4x4"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--shape 4x4 --method mmm", "--method: no such allocator: 'mmm' (did you"),
        ("--shape 4x4 --method mm,", "--method: no such allocator"),
        ("--method mm", "the following arguments are required: --shape"),
        ("--method mm --shape 4x0", "argument --shape: must be sides such as 16x22"),
        (f"{MM} --policy sjf", "argument --policy: invalid choice: 'sjf'"),
        (f"{MM} --requests 0", "--requests: must be from 1 to"),
        (f"{MM} --sizes uniform:1:17", "--sizes: must run between whole"),
        (f"{MM} --sizes box:uniform:1:5", "--sizes: must run between whole"),
        (
            "--method mm --kind tree --shape 3 --sizes box:uniform:1:2",
            "--sizes: needs a mesh",
        ),
        (f"{MM} --interarrival -1", "--interarrival: must be from 0 to"),
        (f"{MM} --divide 2", "--divide: is for the jobs of a trace"),
        (f"{MM} --skip-larger", "--skip-larger: is for the jobs of a trace"),
        (f"{MM} --trace TRACE --sizes uniform:1:2", "--sizes: is for"),
        (f"{MM} --trace TRACE --divide 0", "--divide: must be at least 1"),
        (f"{MM} --trace TRACE --scale-arrivals 0", "--scale-arrivals: must be above 0"),
        (
            f"{MM} --trace TRACE",
            "TRACE: job 5: larger than the machine (16 processors); --skip-larger "
            "skips such: 40",
        ),
        (f"{MM} --trace TRACE --range 3:4", "TRACE: no job of these"),
        (f"{MM} --trace BAD", "BAD:2: submit time: is missing"),
        ("--method mbs --kind tree --shape 4x4", "topology: needs a mesh or a torus"),
        ("--method ring-dp --shape 4x4 --requests 5", "ring-dp: needs a torus"),
        (
            "--method mm,mc1x1 --shape 4x4 --jobs-csv x.csv",
            "--jobs-csv: takes a single method",
        ),
    ],
)
def test_what_is_wrong_is_one_line(
    options: str, message: str, trace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = trace.with_name("bad.swf")
    bad.write_text(LINES.splitlines()[0] + "\n7\n")
    for name, path in (("TRACE", trace), ("BAD", bad)):
        options = options.replace(name, str(path))
        message = message.replace(name, str(path))
    assert stream(options) == 2
    said = capsys.readouterr().err
    assert said.splitlines()[-1].startswith(f"closeknit: {message}")
    assert "Traceback" not in said


def test_an_interrupt_gives_the_measures_so_far(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    see = Meter.see

    def pressing(meter: Meter, event: Event) -> None:
        see(meter, event)
        if len(meter.rows) == 7:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Meter, "see", pressing)
    rows = tmp_path / "jobs.csv"
    options = f"{MM} --requests 50 --jobs-csv {rows} --json -"
    assert stream(f"{options} --sizes uniform:1:4") == 130
    said = capsys.readouterr()
    found = json.loads(said.out)
    assert found["partial"] is True
    assert found["jobs"] == 7
    assert "interrupted after 7 of 50 starts under mm" in said.err
    assert len(rows.read_text().splitlines()) == 8
    # pressed twice, nobody is waited for

    def pressing_twice(meter: Meter, event: Event) -> None:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Meter, "see", pressing_twice)
    assert stream(options) == 130
    assert capsys.readouterr().err == "closeknit: interrupted\n"


def test_nothing_but_json_on_standard_output() -> None:
    options = "--method mc1x1 --shape 5x4x3 --requests 30 --policy easy --json -"
    done = subprocess.run(
        [sys.executable, "-m", "closeknit", "simulate", "stream", *options.split()],
        capture_output=True,
        text=True,
        check=True,
    )
    assert set(json.loads(done.stdout)) == MEASURES
    assert done.stderr == ""


def test_boxes_say_their_shapes() -> None:
    jobs = generate(50, seed=1, most=352, sides=(16, 22), sizes="box:exponential:4")
    for job in jobs:
        assert job.shape is not None
        rows, columns = job.shape
        assert job.processors == rows * columns
        assert rows <= 16
        assert columns <= 22
    assert {policy.value for policy in StartPolicy} == {"fcfs", "easy"}


def test_a_network_decides_when_jobs_end(
    trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = tmp_path / "jobs.csv"
    options = "--skip-larger --size 40 --cycles 100"
    found = _measures(capsys, f"{WORMS} {trace} {options} --jobs-csv {rows}")
    assert set(found) == {
        *(f"{name[:-2]}_cycles" if name.endswith("_s") else name for name in MEASURES),
        *("flits_carried", "links", "busiest_link", "busiest_link_flits"),
        "busiest_link_share",
    }
    # of 4, 9 and 4 tasks each sends ten flits to all others; they meet on three rows
    hops = {4: 16, 9: 150}  # three in the first row, one below; three rows of four
    assert found["flits_carried"] > 10 * (2 * hops[4] + hops[9] // 2)
    told = rows_of(rows)
    assert [row["submit_cycles"] for row in told] == ["0", "0", "2000"]
    assert told[0]["start_cycles"] == "0"
    # 9 wait for the end of the first 4, whose messages take 3 times at least 12 cycles
    assert told[1]["start_cycles"] == told[0]["end_cycles"]
    assert int(told[0]["end_cycles"]) >= 3 * 12
    assert int(told[2]["end_cycles"]) - int(told[2]["start_cycles"]) == int(
        told[0]["end_cycles"]
    )


def test_messages_by_the_run_time(
    trace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = f"{WORMS} {trace} --skip-larger --size 4 --messages"
    found = _measures(capsys, f"{options} run-time")
    # 50, 70 and 20 messages of a flit, each at least one hop
    assert found["flits_carried"] >= 140
    more = _measures(capsys, f"{options} uniform:500:500")
    assert more["makespan_cycles"] > found["makespan_cycles"]


def test_packets_run_streams(capsys: pytest.CaptureFixture[str]) -> None:
    options = "--method mm,random --requests 20 --network cut-through --json -"
    options += " --interarrival 200 --traffic n-to-n --shape"
    for shape in ("4x4", "3x4 --kind tree"):
        assert stream(f"{options} {shape}") == 0
        near, far = map(json.loads, capsys.readouterr().out.splitlines())
        assert near["flits_carried"] < far["flits_carried"]
        assert near["mean_flow_time_cycles"] > 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("--traffic io", "--traffic: is for --network"),
        ("--cycles 5", "--cycles: is for --network"),
        ("--network wormhole --cycles 0", "--cycles: must be at least 1, not 0"),
        ("--network cut-through --traffic BU", "job 1: tasks: must be a power of two"),
        (
            "--network cut-through --traffic io --kind torus",
            "--traffic: needs a mesh o",
        ),
        (
            "--network cut-through --traffic mixed",
            "--messages: must be given for mixed",
        ),
        ("--network cut-through --messages many", "--messages: must be exponential:ME"),
        ("--network wormhole --io-share 1", "--io-share: is for mixed"),
        (
            "--network cut-through --routing minimal",
            "--routing: must be one of adaptiv",
        ),
        ("--network wormhole --packet 0", "--packet: must be at least 1, not 0"),
        (
            "--network cut-through --service uniform:1:2",
            "--service: is for run times, ",
        ),
        ("--network wormhole --kind tree", "--network: needs a mesh or a torus, not"),
    ],
)
def test_networks_refuse_in_one_line(
    words: str, told: str, refusal: Callable[..., str]
) -> None:
    on = "simulate stream --method mm --shape 7x9 --requests 3"
    assert refusal(on, words).startswith(told)
