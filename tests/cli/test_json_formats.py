"""JSON answers about clusters name their format and version, and obey its schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from closeknit.cli.app import run
from closeknit.solvers.kernels import interpreted

from ..paths import ROOT

TREE = (
    "SwitchName=a Nodes=a[1-4]\nSwitchName=b Nodes=b[1-4]\nSwitchName=t Switches=a,b\n"
)
DECISION = {"job": {"name": "1", "k": 2}, "busy": "", "chosen": "a1,b1"}
UNKNOWN = {"job": {"name": "2", "k": 2}, "busy": "", "chosen": "z9,b1"}


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("select", "-k 3 --busy a1 --json"),
        ("select", "-k 3 --format json"),
        ("select", "-k 9 --json"),
        ("why", "-k 6 --busy a[1-3] --json"),
        ("why", "-k 3 --json"),
        ("why", "-k 9 --json"),
        ("fragmentation", "--busy a1 --sizes 2 --format json"),
        ("defrag", "--busy @JOBS --assume-up --json"),
        ("grade", "GRADED --json"),
    ],
)
def test_an_answer_obeys_the_schema_of_its_format(
    name: str, words: str, tmp_path: Path, capsys: Any
) -> None:
    (tmp_path / "tree").write_text(TREE)
    jobs = json.dumps({"id": "7", "nodes": "a1,b1"}) + "\n"
    (tmp_path / "JOBS").write_text(jobs)
    (tmp_path / "GRADED").write_text(f"{json.dumps(DECISION)}\n{json.dumps(UNKNOWN)}\n")
    for file in ("JOBS", "GRADED"):
        words = words.replace(file, str(tmp_path / file))
    with interpreted():
        run([name, "--topology", str(tmp_path / "tree"), *words.split()])
    out = capsys.readouterr().out
    documents = out.splitlines() if name == "grade" else [out]
    assert len(documents) == (3 if name == "grade" else 1)
    for text in documents:
        _obeys(json.loads(text), name)


def test_an_answer_by_a_configuration_obeys_its_schema(capsys: Any) -> None:
    words = "select --config drakenberg-figure-6 --queue cluster --pes 8 --json"
    with interpreted():
        run(words.split())
    _obeys(json.loads(capsys.readouterr().out), "select-processors")


def _obeys(document: dict[str, Any], name: str) -> None:
    file = ROOT / "docs" / "schema" / f"{name}.schema.json"
    schema = json.loads(file.read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    checked = Draft202012Validator(schema)
    assert not [error.message for error in checked.iter_errors(document)]
    assert (document["format"], document["version"]) == (f"closeknit/{name}", 1)
    assert list(checked.iter_errors({**document, "version": 2}))
    assert list(
        checked.iter_errors({k: document[k] for k in document if k != "format"})
    )
