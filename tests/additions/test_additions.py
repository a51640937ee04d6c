"""The recipes of CONTRIBUTING.md, followed to the letter in a copy of the packages."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from closeknit.instances import mesh, write_ksubset

from ..paths import ROOT

MARK = re.compile(
    r"<!-- (?P<kind>file|change): (?P<path>\S+) -->\n```(?:python|diff)\n"
    r"(?P<text>.*?)^```",
    re.MULTILINE | re.DOTALL,
)


def change(source: str, diff: str) -> str:
    """Insert lines that begin with + after the line above them, which is unique.

    A line that begins with - is one above which goes.
    """
    lines = source.splitlines()
    at = None
    for line in diff.splitlines():
        if line.startswith("@@"):
            at = None
        elif line.startswith("+"):
            assert at is not None, f"nothing says where {line!r} belongs"
            at += 1
            lines.insert(at, line[1:])
        else:
            after = [i for i, one in enumerate(lines) if one == line[1:]]
            if at is not None:
                after = [i for i in after if i == at + 1]
            assert len(after) == 1 or at is None, f"{line!r} does not follow"
            assert after, f"{line!r} is not there"
            at = after[0]
            if line.startswith("-"):
                del lines[at]
                at -= 1
    return "\n".join([*lines, ""])


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the packages and their links, and add what the recipes add."""
    house = tmp_path_factory.mktemp("house")
    ignored = shutil.ignore_patterns("__pycache__", "*.nbi", "*.nbc")
    for link in (ROOT / "closeknit").iterdir():
        if link.is_symlink():
            shutil.copytree(ROOT / link.name, house / link.name, ignore=ignored)
    shutil.copytree(ROOT / "closeknit", house / "closeknit", True, ignored)
    recipes = list(MARK.finditer((ROOT / "CONTRIBUTING.md").read_text("utf-8")))
    assert [one["kind"] for one in recipes] == [
        *(["file", "change"] * 5),
        *("file", "change", "file", "change", "file", "file", "change", "change"),
    ]
    for one in recipes:
        path = house / one["path"]
        if one["kind"] == "file":
            assert not path.exists()
            path.write_text(one["text"], "utf-8")
        else:
            path.write_text(change(path.read_text("utf-8"), one["text"]), "utf-8")
    write_ksubset(mesh(6, 6, k=4), house / "job.json")
    return house


def closeknit(house: Path, *words: str) -> str:
    """Run a command of the copy; kernels are interpreted, so that none is compiled."""
    done = subprocess.run(
        [sys.executable, "-m", "closeknit", *words],
        cwd=house,
        env={**os.environ, "PYTHONPATH": str(house), "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def listed(house: Path) -> str:
    """List the methods for k-subsets."""
    return closeknit(house, "methods", "ksubset")


def test_a_heuristic_is_listed_and_solves(house: Path, listed: str) -> None:
    assert re.search(r"\btoy\b", listed)
    solved = closeknit(house, "solve", "job.json", "--method", "toy")
    assert "4 of 36 free processors, toy" in solved
    assert re.search(r"^ +cost +10\b", solved, re.MULTILINE)  # a corner, its next three


def test_a_topology_goes_through_methods_reports_and_pictures(house: Path) -> None:
    topology = {"kind": "rook", "shape": [3, 3]}
    head = {"format": "closeknit/ksubset", "version": 1, "topology": topology}
    job = house / "rook.json"
    job.write_text(json.dumps({**head, "busy": [[0, 0]], "k": 3}), "utf-8")
    shown = closeknit(house, "compare", "rook.json", "--all")
    found = re.findall(r"^(\S+) +(\d+) +\S+ +\S+", shown, re.MULTILINE)
    assert dict(found)["auto"] == "3"  # a row or a column: every two are neighbours
    assert {"mm", "mm-inc", "random", "row-major"} <= set(dict(found))
    for method in ("cuts-bb", "mc1x1", "hilbert/best-fit", "tree-dp"):
        assert method not in dict(found)
    closeknit(house, "ratios", "rook.json", "--methods", "mm,mm-inc", "--out", "rooks")
    rows = (house / "rooks" / "ratios.csv").read_text("utf-8")
    assert "rook" in rows
    closeknit(house, "plot", "rook.json", "--out", "rook.svg")
    assert (house / "rook.svg").read_text("utf-8").startswith("<svg")
    rooks = ["--kind", "rook", "--shape", "4x4", "--sizes", "uniform:1:6"]
    streams = ["simulate", "stream", "--requests", "20", "--method", "mm,mm-inc,random"]
    shown = closeknit(house, *streams, *rooks)
    assert re.findall(r"^allocator +(\S+)", shown, re.M) == ["mm", "mm-inc", "random"]
    solved = closeknit(house, "solve", "rook.json", "--json")
    (house / "rook.solution.json").write_text(solved, "utf-8")
    checked = closeknit(house, "check", "rook.json", "rook.solution.json")
    assert "holds: optimal, cost 3, bound 3" in checked


def test_an_allocator_serves_a_stream(house: Path, listed: str) -> None:
    drawn = ["--shape", "8x8", "--requests", "30", "--seed", "1"]
    for name in ("last", "toy"):  # a class of its own; the heuristic above
        shown = closeknit(house, "simulate", "stream", "--method", name, *drawn)
        assert name in shown
        assert "30" in shown
    assert "last" in re.findall(r"[\w/-]+", listed)


def test_a_claim_is_verified_and_can_break(house: Path) -> None:
    shown = closeknit(house, "verify", "two-are-neighbours", "--quick")
    assert "two neighbours cost one hop" in shown
    claim = house / "reports" / "claims" / "toy.py"
    right = claim.read_text("utf-8")
    claim.write_text(right.replace("!= 1", "!= 2"), "utf-8")
    try:
        with pytest.raises(AssertionError):
            closeknit(house, "verify", "two-are-neighbours", "--quick")
    finally:
        claim.write_text(right, "utf-8")


def test_a_reproduction_is_run(house: Path) -> None:
    assert "toy" in closeknit(house, "reproduce", "--list").split()
    closeknit(house, "reproduce", "toy", "--out", "found")
    rows = (house / "found" / "towns.csv").read_text("utf-8").split()
    assert rows[-4:] == ["2,1", "3,4", "4,8", "5,16"]


def test_a_problem_goes_through_commands_and_reports(house: Path) -> None:
    head = {"format": "closeknit/coolest", "version": 1}
    job = house / "cool.json"
    job.write_text(json.dumps({**head, "temperatures": [30, 10, 20], "k": 2}), "utf-8")
    assert re.search(r"^auto\b", closeknit(house, "methods", "coolest"), re.MULTILINE)
    solved = closeknit(house, "solve", "cool.json", "--json")
    (house / "cool.solution.json").write_text(solved, "utf-8")
    checked = closeknit(house, "check", "cool.json", "cool.solution.json")
    assert "holds: optimal, cost 30, bound 30" in checked
    closeknit(house, "plot", "cool.json", "--out", "cool.svg")
    assert (house / "cool.svg").read_text("utf-8").startswith("<svg")
    closeknit(house, "ratios", "cool.json", "--out", "cooler")
    rows = (house / "cooler" / "ratios.csv").read_text("utf-8")
    assert re.search(r"coolest.*auto", rows)
    page = (house / "cooler" / "report.html").read_text("utf-8")
    assert "Costs are sums of temperatures" in page
