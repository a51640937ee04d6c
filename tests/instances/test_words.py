"""Numbers agree with their nouns, in instances, tables, answers and notes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import closeknit as ck
from closeknit.cli.app import run
from closeknit.instances.words import with_noun

WRONG = re.compile(r"(?<![\d.,/-])1 (?:[a-z]+ )?[a-z]+(?<!s)s\b(?! is)")


def test_nouns_of_other_endings() -> None:
    assert with_noun(1, "box") == "1 box"
    assert [with_noun(2, one) for one in ("box", "branch", "query", "way", "pass")] == [
        *("2 boxes", "2 branches", "2 queries", "2 ways", "2 passes")
    ]


def test_a_single_thing_has_no_plural(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    topology, single = tmp_path / "topology.conf", tmp_path / "single.json"
    topology.write_text("SwitchName=s0 Nodes=a[1-3]\n")
    ck.write_instance(ck.sukp([1], [1], [[0]], 1), single)
    assert run(["solve", str(single)]) == 0
    switches = ["--objective", "switches", "--busy", "a1"]
    assert run(["select", "--topology", str(topology), "-k", "2", *switches]) == 0
    for command in ("why", "fragmentation"):
        k = ["-k", "1"] * (command == "why")
        run([command, "--topology", str(topology), "--free", "a1", *k])
    out = capsys.readouterr().out
    assert "bound       1 switch, 2 hops\n" in out
    assert "1 item, 1 element" in out
    assert not WRONG.findall(out), out
    job = ck.ksubset(ck.Mesh(2, 1), k=1)
    for shown in (repr(ck.compare(job, exact="auto", methods=[])), str(job.topology)):
        assert not WRONG.findall(shown)
