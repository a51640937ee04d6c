"""What ``closeknit reproduce`` refuses, each in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from closeknit.cli.app import run
from closeknit.papers.table import REPRODUCTIONS

from .studies import trace

LOG = "1 0 -1 {} 1 -1 -1 -1 -1 -1 -1 1 1 -1 -1 -1 -1 -1\n"
FILES = {
    "empty.swf": "\n",
    "short.swf": "1 2 3\n",
    "single.swf": LOG.format(60),
    "letter.swf": LOG.format("x"),
    "bad/bad.csv": "src,dst,bytes,messages\n0,1,-1,1\n",
}


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("", "TABLE: is needed"),
        ("drakenberg-qualty", "did you mean drakenberg-quality"),
        # options of all
        ("drakenberg-quality --first 0", "--first: must be at least 1"),
        ("drakenberg-quality --seed -1", "argument --seed"),
        ("bender-table1 --shape 16x", "argument --shape"),
        ("bender-table1 --shape 0x4", "argument --shape"),
        ("bender-table1 --load 0", "--load: must be above 0"),
        ("bender-table1 --every 0", "--every: must be at least 1"),
        ("bender-table1 --jobs 0", "--jobs: must be at least 1"),
        # options of others
        ("bender-figure2 --seed 0", "--seed: is not for bender-figure2"),
        ("bender-figure2 --traffic .", "--traffic: is not for bender-figure2"),
        ("drakenberg-time --shape 4x4", "--shape: is not for drakenberg-time"),
        ("hops-or-seconds --load 0.5", "--load: is not for hops-or-seconds"),
        ("hops-or-seconds --traffic x", "--traffic: is not for hops-or-seconds"),
        ("mache-dispersal --full", "--full: is not for mache-dispersal"),
        ("mache-dispersal --load 0.5", "--load: is not for mache-dispersal"),
        ("mache-table2 --every 2", "--every: is not for mache-table2"),
        ("mache-table2 --load 0.5", "--load: is not for mache-table2"),
        ("mache-table2 --shape 4x5", "--shape: is not for mache-table2"),
        ("mache-table2 --trace x", "--trace: is not for mache-table2"),
        ("mache-table2 --traffic x", "--traffic: is not for mache-table2"),
        ("navaridas-figure3 --first 3", "--first: is not for navaridas-figure3"),
        ("task-mapping --first 3", "--first: is not for task-mapping"),
        # traces
        ("bender-flow --trace empty.swf", "has no jobs"),
        ("bender-flow --trace single.swf", "of several processors"),
        ("bender-flow --trace letter.swf", "run time"),
        ("bender-table1 --trace /no/trace", "/no/trace: cannot be read"),
        ("bender-table1 --trace short.swf", "short.swf:1: run time: is missing"),
        (
            "bender-table1 --trace small.swf --shape 1x3",
            "--shape: is too small: 2 of 2 jobs of small",
        ),
        ("drakenberg-quality --trace /no/trace", "/no/trace: cannot be read"),
        ("mache-dispersal --trace /no/trace", "/no/trace: cannot be read"),
        ("mache-dispersal --trace short.swf", "short.swf:1: run time: is missing"),
        (
            "mache-dispersal --trace small.swf --shape 4x5",
            "--shape: is too small: 1 of 2 jobs of small",
        ),
        ("online-rule --trace none.swf", "none.swf: cannot be read"),
        # machines
        ("mache-dispersal --shape 3x5", "--shape: is too small: 15 processors"),
        (
            "mache-dispersal --shape 4x4x4",
            "--shape: mc-elongated needs a mesh or a torus of two",
        ),
        ("navaridas-figure3 --shape 9x9", "--shape: must be one of 8x8, "),
        ("navaridas-figure3 --shape 8x8x8", "not '8x8x8'"),
        # data that is not there
        ("pmed", "CLOSEKNIT_DATA: must name the folder"),
        ("task-mapping", "traffic: needs a folder of measured communication, or CLOS"),
        (
            "task-mapping --traffic none",
            "traffic: has no measured communication of 64 ranks",
        ),
        ("task-mapping --traffic bad", "line 2: bytes: must be at least 0, not -1"),
    ],
)
def test_bad_input_is_one_line(
    words: str,
    complaint: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.delenv("CLOSEKNIT_DATA", raising=False)
    monkeypatch.chdir(tmp_path)
    for folder in ("none", "bad"):
        Path(folder).mkdir()
    for name, text in FILES.items():
        Path(name).write_text(text)
    trace(tmp_path, [(0, 5, 21), (1, 5, 4)])
    assert run(["reproduce", *words.split()]) == 2
    said = capsys.readouterr().err
    assert complaint in said
    assert said.count("\n") == 1


def test_lists_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["reproduce", "--list"]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in REPRODUCTIONS)
