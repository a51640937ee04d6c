"""Morgenstern's tables, with few requests, and the statistics behind them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from closeknit.cli.app import run
from closeknit.papers.morgenstern1994.findings import (
    lead,
    slips,
    statements,
)
from closeknit.papers.morgenstern1994.printed import (
    TABLE_1,
    TABLE_2,
    TABLE_3,
)
from closeknit.papers.morgenstern1994.runs import (
    RUNS,
    Laboratory,
    RunGroup,
    mean,
    relative,
)
from closeknit.simulation.submesh.stream import Uniform

from ...data import REFERENCE
from ..studies import rows_of

ALIKE_256 = [f"{sides}: iss, fs-f, as, fs-1" for sides in ("uniform", "normal")]
ALIKE_1024 = [f"{side}: iss, fs-f" for side in (1024, 512, 256, 128, 64)]


@pytest.mark.parametrize(
    ("table", "requests", "rows", "alike"),
    [
        ("morgenstern-table1", 6, 16, ALIKE_256),
        ("morgenstern-table2", 5, 8, []),  # prints iss only of those that place alike
        pytest.param("morgenstern-table3", 12, 22, ALIKE_1024, marks=pytest.mark.slow),
    ],
)
def test_a_table_from_the_command_line(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    table: str,
    requests: int,
    rows: int,
    alike: list[str],
) -> None:
    words = ["reproduce", table, "--first", str(requests), "--out", str(tmp_path)]
    assert run(words) == 0
    shown = capsys.readouterr().out
    # a part: only utilisation is set beside the paper's, and nothing is judged
    assert "completion times cannot be compared" in shown
    assert re.search(r"Farthest from the paper: utilisation by \S+ %", shown)
    assert "completion time by" not in shown
    assert "(holds" not in shown
    assert "place alike" not in shown or "(not judged: " in shown
    times = rows_of(tmp_path / "times.csv")
    assert len(times) == rows
    by = {(row["sides"], row["method"]): row for row in times}
    for (sides, method), row in by.items():
        ours = float(row["completion time, all runs"])
        assert row["completion time, paper"] == row["completion time, off %"] == ""
        used = float(row["utilisation %, all runs"])
        off = float(row["utilisation %, off %"])
        paper = float(row["utilisation %, paper"])
        assert off == pytest.approx(100 * (used / paper - 1))
        # Nobody beats the best possible but where residents stay as they were turned.
        if table == "morgenstern-table1":
            assert float(by[sides, "mig"]["completion time, all runs"]) <= ours
        if method == "fs-f":
            like = by[sides, "iss"]
            name = "completion time, 5 runs"
            assert float(row[name]) == pytest.approx(float(like[name]))
    ranking = rows_of(tmp_path / "ranking.csv")
    assert {row["runs"] for row in ranking} <= {str(RUNS), "5"}
    for row in rows_of(tmp_path / "work.csv"):
        assert float(row["paper, least"]) <= float(row["paper, most"])
        # of a request, so that queues of any length can be compared
        ours = float(row["ours, all runs"])
        assert 0.3 < ours / float(row["paper, most"]) < 3
    found = rows_of(tmp_path / "findings.csv")
    same = [row for row in found if row["claim"].endswith(" place alike")]
    assert [row["claim"].removesuffix(" place alike") for row in same] == alike
    assert {row["ours"] for row in same} <= {"equal in every run"}
    assert (tmp_path / "report.html").exists()


def test_what_is_printed_is_what_the_paper_prints() -> None:
    ours = {"MIG": "mig", "FS_f": "fs-f", "FS_1": "fs-1", "FS_n": "fs-n"}
    for name, table in (
        ("table1_256_no_rotation", TABLE_1),
        ("table2_256_rotation", TABLE_2),
        ("table3_1024", TABLE_3),
    ):
        rows = rows_of(REFERENCE / f"morgenstern_{name}.csv")
        assert len(rows) == len(table)
        for row, printed in zip(rows, table, strict=True):
            group = row.pop("distribution", None) or row.pop("side_max")
            method = row.pop("method")
            assert printed.group == group
            assert printed.method == ours.get(method, method.lower())
            for key, text in row.items():
                assert getattr(printed, key) == (float(text) if text else None)


def test_slips_of_the_paper_are_found_by_arithmetic() -> None:
    group = RunGroup("normal", (256, 256), 1, Uniform(1, 2))
    rows = [row for row in TABLE_2 if row.group == "normal"]
    found = list(slips([(group, rows)]))
    assert [f.claim.split(":")[0] for f in found] == ["normal, mig"]
    assert "56.46 % would fit" in found[0].remark
    assert not list(slips([(group, rows[1:])]))


def test_intervals_are_student_s() -> None:
    # 1, 2, 3, 4: mean 2.5, deviation 1.2910, t(0.975; 3) = 3.1824
    found = mean([1, 2, 3, 4])
    assert found.value == 2.5
    assert found.half == pytest.approx(3.1824 * 1.2910 / 2, rel=1e-4)
    assert found.differs
    assert not mean([-1.0, 1.0]).differs
    assert relative([11, 22], [10, 20]).value == pytest.approx(10)


def test_runs_are_made_once_and_follow_the_seed() -> None:
    group = RunGroup("small", (16, 16), 40, Uniform(1, 16))
    one, other = Laboratory(7), Laboratory(8)
    assert one.measure(group, "iss", 0) is one.measure(group, "iss", 0)
    assert one.measure(group, "iss", 1) == other.measure(group, "iss", 0)
    judged = one.measure(group, "iss", 0, judged=True)
    assert judged.completion_time == one.measure(group, "iss", 0).completion_time
    assert judged.undecided_failures == 0
    assert judged.migration_failures is not None
    assert judged.migration_failures <= judged.external_failures
    same = one.measure(group, "fs-f", 0, judged=True)
    assert same.migration_failures == judged.migration_failures


@pytest.mark.slow
def test_beyond_the_paper_from_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["reproduce", "morgenstern-beyond", "--first", "8"]
    assert run([*words, "--out", str(tmp_path)]) == 0
    assert "snug" in capsys.readouterr().out
    policies = rows_of(tmp_path / "policies.csv")
    assert len(policies) == 2 * 3 * 4
    by = {(r["sides"], r["policy"], r["method"]): r for r in policies}
    for row in policies:
        if row["policy"] == "first come first served":
            assert float(row["against fcfs, %"]) == 0
            best = by[row["sides"], row["policy"], "mig"]["completion time"]
            assert float(best) <= float(row["completion time"])
    budgets = rows_of(tmp_path / "budgets.csv")
    assert [row["moves"] for row in budgets] == ["0", "1", "2", "4", "any"] * 2
    for first in (0, 5):
        times = [float(r["completion time"]) for r in budgets[first : first + 5]]
        assert times[0] >= times[-1]
        assert min(times) == pytest.approx(times[-1])
        assert {r["undecided"] for r in budgets[first : first + 5]} == {"0"}
    gains = rows_of(tmp_path / "snug.csv")
    assert len(gains) == 9
    assert all(float(row["times as slow"]) > 0 for row in gains)


def test_a_whole_queue_is_judged_and_says_by_what() -> None:
    group = RunGroup("uniform", (256, 256), 6, Uniform(1, 256))
    rows = [row for row in TABLE_1 if row.group == "uniform"][1:4]
    laboratory = Laboratory(0)
    whole = list(statements(laboratory, group, rows))
    assert all(one.holds is not None and one.criterion for one in whole)
    assert whole[0].holds is False  # 6 requests for the paper's 1000
    assert "within 4 % of the printed figure; 0 of 3 are" in whole[0].criterion
    part = list(statements(laboratory, group, rows, whole=False))
    assert [one.claim for one in part] == [one.claim for one in whole[1:]]
    assert "completion time by" in lead(laboratory, [(group, rows)])[0]
