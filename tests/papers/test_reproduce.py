"""``closeknit reproduce``: studies of processor selection, small, and their pages."""

from __future__ import annotations

import lzma
import re
from pathlib import Path

import pytest

from closeknit.cli.app import run
from closeknit.instances.procset.sample_machine import system
from closeknit.papers.catalogue import RunOptions
from closeknit.papers.drakenberg2012.quality import Asked, build_document
from closeknit.papers.drakenberg2012.week_stream import (
    NODES,
    Pricer,
    stream,
)
from closeknit.reports.pages.csv_tables import csv_of
from closeknit.reports.pages.document import Document, Table
from closeknit.reports.pages.html import html_of
from closeknit.reports.pages.markdown import markdown_of

from .studies import pictures, rows_of


@pytest.mark.parametrize(
    ("name", "jobs", "table", "column"),
    [
        ("drakenberg-quality", 10, "by_surplus", "optimal, realistic, %"),
        ("drakenberg-time", 4, "times", "exact: frontier-dp, mean ms"),
        ("drakenberg-linecards", 25, "by_size", "lookahead, mean"),
    ],
)
def test_a_study_from_the_command_line(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    name: str,
    jobs: int,
    table: str,
    column: str,
) -> None:
    out = tmp_path / "out"
    assert run(["reproduce", name, "--first", str(jobs), "--out", str(out)]) == 0
    shown = capsys.readouterr().out
    assert str(out / "report.html") in shown
    assert f"A part: no more than the first {jobs} jobs." in shown
    # whatever is judged says by what
    assert not re.search(r"\((holds|does not hold)\)", shown)
    assert re.search(r"\((holds|does not hold|not judged): ", shown)
    assert bool(pictures(out)) == (name != "drakenberg-quality")
    text = (out / "report.md").read_text()
    assert f"seed 0, with the moments of section 6.1; {jobs} jobs" in text
    rows = rows_of(out / f"{table}.csv")
    assert any(float(row[column]) > 0 for row in rows if row[column])
    assert {"claim", "paper", "ours"} <= {*rows_of(out / "findings.csv")[0]}


def test_a_trace_in_place_of_the_week(tmp_path: Path) -> None:
    rows = [
        # number submit wait run allocated ... preceding think
        "1 0 0 100 3 -1 -1 3 -1 -1 1 1 1 1 1 1 -1 -1",
        "2 5 0 100 300 -1 -1 300 -1 -1 1 1 1 1 1 1 -1 -1",
        "3 9 0 50 2 -1 -1 2 -1 -1 1 1 1 1 1 1 1 7",
    ]
    path = tmp_path / "small.swf.xz"
    path.write_bytes(lzma.compress("\n".join(rows).encode()))
    jobs, about = stream(RunOptions(trace=str(path)))
    assert [(job.number, job.processors, job.follows) for job in jobs] == [
        (1, 3, None),
        (3, 2, 1),
    ]
    assert jobs[1].submit == 7
    assert "2 jobs" in about
    out = tmp_path / "out"
    words = ["drakenberg-linecards", "--trace", str(path), "--out", str(out)]
    assert run(["reproduce", *words]) == 0
    assert (out / "by_size.csv").read_text().count("\n") == 3


def test_prices_are_those_of_the_definition() -> None:
    from closeknit.instances import cost

    machine = system("node", "realistic")
    price = Pricer(NODES, machine.sets)
    for chosen in ([0], [0, 1, 30], list(range(20, 60)), list(range(256))):
        assert price.cost(chosen) == cost(machine.ask(1), chosen)


def test_statements_are_judged_by_their_counts() -> None:
    def asked(paid: int, real: int, plain: int) -> Asked:
        return Asked(
            surplus=3,
            nodes=2,
            realistic=(paid,),
            best_realistic=(1,),
            judged_realistic=(real,),
            judged_uniform=(plain,),
            best_uniform=(1,),
            printed=(5,),
            same=paid == 1,
        )

    good = build_document([asked(1, 1, 2)] * 30 + [asked(1, 1, 1)] * 300, "made up", 0)
    rest = next(f for f in good.findings if "lead to the better" in f.claim)
    assert (rest.ours, rest.holds) == ("30 of 30", True)
    assert good.findings[0].ours == "0 of 330"
    assert good.findings[0].holds is True
    bad = build_document([asked(2, 2, 1)] * 100, "made up", 0)
    assert bad.findings[0].holds is False
    assert "harm" in str(bad.lead[1])
    as_printed = next(t for t in bad.tables if t.name == "as_printed")
    assert [row[2] for row in as_printed.rows] == [0, 0]


def test_pages_write_what_they_are_given_and_nothing_else() -> None:
    table = Table(
        name="numbers",
        caption="A <caption>",
        columns=("*name", "value"),
        rows=(("a|b", 1.23456), ("<i>", None)),
    )
    from closeknit.reports.pages.document import Section

    study = Document(
        name="x",
        title="T & t",
        source="S",
        lead=("L",),
        sections=(Section(title="Part", tables=(table,)),),
        notes=("N",),
    )
    page = html_of(study)
    assert "T &amp; t" in page
    assert "&lt;i&gt;" in page
    assert html_of(study) == page
    text = markdown_of(study)
    assert "| a\\|b | 1.23 |" in text
    assert csv_of(table) == "name,value\na|b,1.23456\n<i>,\n"
