"""Every dialect that the documentation says is read, by a small file and its source."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from closeknit.cli.app import run
from closeknit.clusters.state import parse_report
from closeknit.clusters.topologies import Hierarchy, read_cluster
from closeknit.instances import InputError
from closeknit.instances.topologies.graph_files import read_graph
from closeknit.simulation.swf import read_swf

from ..paths import ROOT

FOLDER = Path(__file__).parent
FILES: list[dict[str, Any]] = tomllib.loads(
    (FOLDER / "index.toml").read_text(encoding="utf-8")
)["file"]
NAMES = [f"{entry['name']}-{i}" for i, entry in enumerate(FILES)]


def check_topology(path: Path, entry: dict[str, Any], options: dict[str, Any]) -> None:
    cluster = read_cluster(path, **options)
    assert len(cluster.index) == entry["nodes"]
    assert len(cluster.fabrics) == entry.get("parts", 1)
    assert entry.get("note", "") in cluster.summary()
    if "note" not in entry:
        assert "left out" not in cluster.summary()
    if "leaves" in entry:
        [fabric] = cluster.fabrics
        assert isinstance(fabric, Hierarchy)
        assert fabric.leaves() == entry["leaves"]


def check_graph(path: Path, entry: dict[str, Any], _: object) -> None:
    graph = read_graph(path)
    sizes = (graph.nodes, len(graph.edges), len(graph.processors))
    assert sizes == (entry["nodes"], entry["edges"], entry["processors"])
    assert graph.notes == ((entry["note"],) if "note" in entry else ())


def check_free(path: Path, free: int, _: object) -> None:
    """Ask the command, which prints how many nodes it takes as free."""
    tree = path.with_name("tree.conf")
    tree.write_text("SwitchName=s Nodes=n[1-4]", encoding="utf-8")
    out = path.with_name("answer.json")
    words = ["--topology", str(tree), "--free", f"@{path}", "-k", "1", "--json"]
    status = run(["select", *words, str(out)])
    if status == 2:
        raise InputError("refused")
    assert json.loads(out.read_text(encoding="utf-8"))["free"] == free


def check_holders(path: Path, holders: dict[str, list[str]], _: object) -> None:
    found = parse_report(path.read_text(encoding="utf-8")).holders
    assert {node: list(jobs) for node, jobs in found.items()} == holders


def check_jobs(path: Path, jobs: int, _: object) -> None:
    assert len(list(read_swf(path))) == jobs


CHECKS: dict[str, Callable[[Path, Any, Any], None]] = {
    "topology": check_topology,
    "graph": check_graph,
    "free": check_free,
    "holders": check_holders,
    "jobs": check_jobs,
}


def copied(entry: dict[str, Any], folder: Path, *, spoilt: bool = False) -> Path:
    """Write a file of the corpus into a folder, as it is or spoilt; return its path."""
    text = (FOLDER / entry["name"]).read_text(encoding="utf-8")
    if spoilt:
        old, new, _ = entry["spoil"]
        assert old in text
        text = text.replace(old, new, -1 if entry.get("everywhere") else 1)
    path = folder / str(entry["name"])
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("entry", FILES, ids=NAMES)
def test_it_is_read_with_the_counts_made_by_hand(
    entry: dict[str, Any], tmp_path: Path
) -> None:
    assert len(entry["source"]) > 8
    path = copied(entry, tmp_path)
    [what] = CHECKS.keys() & entry.keys()
    CHECKS[what](path, entry[what], entry.get("options", {}))


@pytest.mark.parametrize("entry", FILES, ids=NAMES)
def test_its_spoilt_twin_is_refused_in_one_line(
    entry: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = copied(entry, tmp_path, spoilt=True)
    [what] = CHECKS.keys() & entry.keys()
    with pytest.raises(InputError) as raised:
        CHECKS[what](path, entry[what], entry.get("options", {}))
    said = capsys.readouterr().err.strip() or str(raised.value)
    assert entry["spoil"][2] in said
    assert "\n" not in said


def test_every_file_is_in_the_index_and_every_format_of_the_page_has_one() -> None:
    there = {path.name for path in FOLDER.iterdir() if path.suffix != ".py"}
    there -= {"index.toml", "__pycache__"}
    assert there == {entry["name"] for entry in FILES}
    page = (ROOT / "docs" / "clusters" / "clusters.md").read_text(encoding="utf-8")
    own = ("CSV `", "what topograph answers")  # ours, and what other rows are
    rows = re.findall(r"^\| ([^|]+) \|", page.partition("The format shows")[0], re.M)
    known = " ".join(entry["name"] + entry["source"] for entry in FILES).lower()
    for row in rows[2:]:
        if not row.startswith(own):
            words = re.findall(r"[\w.]{5,}", row.lower())
            assert any(word in known for word in words), row
