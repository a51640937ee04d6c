"""Every command of docs/use/verify-in-ci.md fails on planted faults, and on nothing.

What CI checks of this repository is in test_checks_fail.py.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from closeknit.cli.app import run
from closeknit.instances import mesh, write_instance
from closeknit.methods import METHODS
from closeknit.proofs.checking.folder import KINDS
from closeknit.proofs.writing.proof_files import write_index
from closeknit.reports.campaigns.rows import Row
from closeknit.reports.campaigns.store import ResultStore
from closeknit.reports.proofs.proving import certify, write_entry
from closeknit.solvers import Settings

from ..in_process import stay_in_process
from ..paths import ROOT
from ..toys import made, small

Capsys = pytest.CaptureFixture[str]
RULES = """
from fractions import Fraction

def unkept(instance, settings):
    free = sorted(instance.free)
    return (free[::3] + free[1::3] + free[2::3])[: instance.k]

unkept.guarantee = lambda instance: Fraction(1)

def crashing(instance, settings):
    return 1 / 0

def invalid(instance, settings):
    return [0] * instance.k

def silent(instance, settings):
    return None

def stated(instance, settings):
    return instance.free[: instance.k]

stated.guarantee = lambda instance: Fraction(9)

def unproven(instance, settings):
    return stated(instance, settings)

unproven.exact = True
"""


def quiet(words: str, tmp_path: Path) -> int:
    return run([word.replace("{}", str(tmp_path)) for word in words.split()])


# Commands of docs/use/verify-in-ci.md

COMMANDS = {
    "verify": [
        ("verify planted_rules:unkept --quick", 1, "above 1 times the optimum"),
        ("verify planted_rules:invalid --quick", 2, "states no guarantee"),
        ("verify no-such-*", 2, "unknown claim"),
        ("verify mm-upper-bound no-such-*", 2, "unknown claim"),
    ],
    "verify --proofs": [
        ("verify --proofs {}/altered", 1, "its digest is not that of the index"),
        ("verify --proofs {}/lost", 2, "cannot be read"),
        ("verify --proofs {}/none", 2, "nothing was checked"),
        ("verify --proofs {}/nowhere", 2, "cannot be read"),
    ],
    "ratios": [
        ("--methods planted_rules:unkept", 1, "above its guarantee 1"),
        ("--methods planted_rules:crashing", 1, "2 runs failed"),
        ("--methods planted_rules:invalid", 1, "a processor is chosen twice"),
        ("--methods planted_rules:silent", 2, "no method answered"),
        ("--methods tree-dp", 2, "no method answered"),
        (
            "--methods planted_rules:stated --exact planted_rules:unproven",
            *(2, "none of 2 stated guarantees could be tested"),
        ),
        ("--methods tabu", 2, "no such method"),
    ],
    "ratios compare": [
        ("ratios compare {}/before {}/worse", 1, "1 worse"),
        ("ratios compare {}/before {}/part", 1, "1 only in A"),
        ("ratios compare {}/before {}/other", 2, "nothing was compared"),
        ("ratios compare {}/before {}/before/results.sqlite", 2, "is A itself"),
        ("ratios compare {}/before {}/nowhere", 2, "there is no store"),
    ],
    "compare": [
        (
            "compare {}/job.json --methods planted_rules:unkept",
            1,
            "above its guarantee",
        ),
        ("compare {}/job.json --methods planted_rules:crashing", 1, "failed: "),
    ],
}
"""Commands with a fault in what they are given, their exit status, what they say."""


@pytest.fixture(autouse=True)
def rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "planted_rules.py").write_text(RULES)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    yield
    sys.modules.pop("planted_rules", None)


def fails(words: str, status: int, said: str, where: Path, capsys: Capsys) -> None:
    assert quiet(words, where) == status, words
    told = capsys.readouterr()
    assert said in told.out + told.err
    if status == 2:
        assert told.err.count("closeknit: ") == ("unusable" not in told.out)
        assert "Traceback" not in told.err


@pytest.mark.parametrize(("words", "status", "said"), COMMANDS["verify"])
def test_verify(
    words: str, status: int, said: str, tmp_path: Path, capsys: Capsys
) -> None:
    fails(words, status, said, tmp_path, capsys)


def test_verify_proofs(tmp_path: Path, capsys: Capsys) -> None:
    instance = mesh(3, 3, k=3)
    kept = tmp_path / "kept"
    kept.mkdir()
    limit = Settings(time_limit=20)
    result = METHODS["ksubset"]["auto"](instance, limit)
    proven = certify(instance, "auto", result, 20, KINDS)
    entry = write_entry(kept, instance, proven)
    write_index(kept, [entry], "for a test")
    assert quiet("verify --proofs {}/kept", tmp_path) == 0
    for name in ("altered", "lost", "none"):
        shutil.copytree(kept, tmp_path / name)
    solution = tmp_path / "altered" / entry.solution.file
    solution.write_text(solution.read_text().replace("optimal", "optimal "))
    (tmp_path / "lost" / entry.solution.file).unlink()
    write_index(tmp_path / "none", [])
    capsys.readouterr()
    for words, status, said in COMMANDS["verify --proofs"]:
        fails(words, status, said, tmp_path, capsys)


@pytest.mark.parametrize(("words", "status", "said"), COMMANDS["ratios"])
def test_ratios(
    words: str,
    status: int,
    said: str,
    tmp_path: Path,
    capsys: Capsys,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stay_in_process(monkeypatch)
    (tmp_path / "jobs").mkdir()
    for k in (3, 4):
        write_instance(small(f"job-{k}", k, busy=2), tmp_path / "jobs" / f"{k}.json")
    command = f"ratios {{}}/jobs --out {{}}/out --jobs 1 {words}"
    fails(command, status, said, tmp_path, capsys)


def test_ratios_of_an_empty_folder(tmp_path: Path, capsys: Capsys) -> None:
    (tmp_path / "empty").mkdir()
    command = "ratios {}/empty --out {}/out"
    fails(command, 2, "no instance file", tmp_path, capsys)


def test_ratios_compare(tmp_path: Path, capsys: Capsys) -> None:
    def stored(name: str, *rows: Row) -> None:
        with ResultStore(tmp_path / name) as store:
            for row in rows:
                store.append(row)

    chosen = {"cost": 4, "selection": (0, 1, 4)}
    both = [made(small("a"), method, **chosen) for method in ("mm", "random")]
    worse = made(small("a"), "mm", cost=5, selection=(0, 1, 2))
    stored("before", *both)
    stored("worse", worse, both[1])
    stored("part", both[0])
    stored("other", made(small("b"), "mm", **chosen))
    shutil.copytree(tmp_path / "before", tmp_path / "same")
    assert quiet("ratios compare {}/before {}/same", tmp_path) == 0
    capsys.readouterr()
    for words, status, said in COMMANDS["ratios compare"]:
        fails(words, status, said, tmp_path, capsys)


@pytest.mark.parametrize(("words", "status", "said"), COMMANDS["compare"])
def test_compare(
    words: str, status: int, said: str, tmp_path: Path, capsys: Capsys
) -> None:
    write_instance(small("job", 4, busy=2), tmp_path / "job.json")
    fails(words, status, said, tmp_path, capsys)


# What the pages say


def test_the_pages_list_the_guards() -> None:
    page = (ROOT / "docs" / "use" / "verify-in-ci.md").read_text()
    shown = set(re.findall(r"^    \$? ?closeknit (.*)$", page, re.M))
    known = sorted(COMMANDS, key=len, reverse=True)
    unknown = [one for one in shown if not one.startswith(tuple(known))]
    assert unknown == [one for one in unknown if one.startswith("check ")]
    rows = re.findall(r"^\| `closeknit ([^`]*)` \|", page, re.M)
    assert set(COMMANDS) <= set(rows)
