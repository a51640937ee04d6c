"""Two commits are compared by a rule that chance seldom fools; no test is timed."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from math import exp, log
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import wilcoxon

from ..modules import loaded
from ..paths import ROOT

BENCHMARKS = ROOT / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))
rows = loaded(BENCHMARKS / "compare_rows.py")
verdicts = loaded(BENCHMARKS / "compare_verdicts.py")
compare = loaded(BENCHMARKS / "compare.py")
sys.path.remove(str(BENCHMARKS))
Verdict = verdicts.Verdict

NOISE = st.lists(
    st.floats(-0.5, 0.5).map(lambda x: round(x, 3)), min_size=6, max_size=12
)


def runs_of(
    factor: float, noise: list[float], answers: tuple[str, str] = ("1", "1")
) -> Any:
    """Return runs in which B takes a factor as long, but for a noise of the pairs."""
    runs = verdicts.Runs()
    for moved in noise:
        pair = {
            "A": {"cpu": 1.0, "wall": 9.0, "answers": [answers[0]]},
            "B": {"cpu": factor * exp(moved), "wall": 1.0, "answers": [answers[1]]},
        }
        runs.add(pair, "cpu")
    return runs


@given(NOISE, st.floats(0.25, 4))
def test_the_interval_holds_what_wilcoxon_does_not_reject(
    noise: list[float], asked: float
) -> None:
    """The interval is made from counts; SciPy's test asks about one ratio at a time."""
    seconds = runs_of(1.0, noise).seconds
    middle, low, high = verdicts.ratio_of(seconds)
    assert low <= middle <= high
    off = [log(b / a) - log(asked) for a, b in seconds]
    ranks = sorted(map(abs, off))
    if any(y - x < 1e-9 for x, y in zip([0.0, *ranks], ranks, strict=False)):
        return  # the exact test is for differences that are neither 0 nor alike
    kept = wilcoxon(off, method="exact").pvalue > 0.05
    assert kept == (low <= asked <= high)


@pytest.mark.parametrize("seed", range(3))
def test_the_same_commit_under_load_is_even(seed: int) -> None:
    """Of 2000 rows of noise of 30 %, none fails in two runs, and few are named."""
    draw = random.Random(seed)

    def compared() -> Any:
        noise = [draw.gauss(0, 0.3) for _ in range(9)]
        return verdicts.compare("select", runs_of(1.0, noise))

    pairs = [(compared(), compared()) for _ in range(2000)]
    assert not [one for one in pairs if verdicts.failures(*([x] for x in one))]
    assert sum(first.verdict is not Verdict.EVEN for first, _ in pairs) < 40
    holds = sum(first.ratio[1] <= 1 <= first.ratio[2] for first, _ in pairs)
    assert 0.93 < holds / 2000 < 0.98


class Planted:
    """A side whose rows take what a plan lists, without taking it."""

    def __init__(self, name: str, plan: dict[str, Any], asked: list[str]) -> None:
        self.name, self.plan, self.asked = name, plan, asked

    def ask(self, row: str) -> dict[str, Any]:
        """Return what is planned for the row."""
        self.asked.append(f"{self.name} {row}")
        found = self.plan.get(f"{self.name} {row}", 1.0)
        if isinstance(found, list):
            found = found.pop(0) if len(found) > 1 else found[0]
        if isinstance(found, dict):
            return found
        return {"cpu": found, "wall": found, "answers": ["cost 1"]}

    def close(self) -> None:
        """There is no process."""


def planted(
    plan: dict[str, Any], tmp_path: Path, *words: str
) -> tuple[int, dict[str, Any], list[str]]:
    """Run a report on planted sides; return status, document and what was asked."""
    asked: list[str] = []
    out = tmp_path / "found.json"
    named = ("sukp", "select", "points")
    words = ("A,B", "--rows", ",".join(named), "--json", str(out), *words)
    args = compare.options(words)
    status = compare.report(named, lambda name: Planted(name, plan, asked), args)
    return status, json.loads(out.read_text("utf-8")), asked


def test_sides_take_turns_and_only_what_is_suspicious_runs_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    slow = {"B sukp": 2.0, "B select": 1.3}
    status, found, asked = planted(slow, tmp_path, "--pairs", "6")
    first = [one["verdict"] for one in found["rows"]]
    assert first == ["much slower", "slower", "even"]
    assert status == 1
    assert found["failures"] == ["sukp"]
    assert [one["row"] for one in found["again"]] == ["sukp"]
    assert asked[:4] == ["A sukp", "B sukp", "B select", "A select"]
    assert asked[6:8] == ["B sukp", "A sukp"]
    assert asked.count("B sukp") == 12
    assert asked.count("B select") == 6
    assert "Beyond 1.5 in two runs: sukp" in capsys.readouterr().out


def test_slowness_that_does_not_come_back_is_no_failure(tmp_path: Path) -> None:
    plan = {"B sukp": [2.0] * 6 + [1.0]}
    status, found, _ = planted(plan, tmp_path, "--pairs", "6")
    assert status == 0
    assert found["rows"][0]["verdict"] == "much slower"
    assert found["again"][0]["verdict"] == "even"


def test_what_a_commit_does_not_know_is_never_good(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    plan = {"A sukp": {"unknown": "KeyError: 'sukp'"}, "B points": {"failed": "killed"}}
    out = tmp_path / "summary.md"
    status, found, asked = planted(plan, tmp_path, "--markdown", str(out))
    assert [one["verdict"] for one in found["rows"]] == [
        "not compared",
        "even",
        "fails now",
    ]
    assert found["summary"] == "3 rows: 1 even, 1 fails now, 1 not compared"
    assert status == 1
    assert found["failures"] == ["points"]
    assert asked.count("A sukp") == 1
    assert "A unknown: KeyError: 'sukp'" in out.read_text("utf-8")
    assert "::warning title=Speed::points: fails now: B failed" in (
        capsys.readouterr().out
    )


def test_a_comparison_of_nothing_does_not_pass(tmp_path: Path) -> None:
    names = ("sukp", "select", "points")
    plan = {f"A {name}": {"unknown": "ImportError"} for name in names}
    status, found, _ = planted(plan, tmp_path)
    assert status == 1
    assert found["failures"] == []


def test_other_answers_are_named() -> None:
    runs = runs_of(1.0, [0.0] * 6, ("cost 9, optimal", "cost 8, optimal"))
    one = verdicts.compare("sukp", runs)
    assert one.verdict is Verdict.EVEN
    assert one.note.startswith("ANSWERS DIFFER: A (0, 'cost 9, optimal'), B")
    assert verdicts.summary([one]) == "1 rows: 1 even, answers differ in 1"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["A,B", "--pairs", "5"], "--pairs: must be at least 6, not 5"),
        (["A,B", "--rows", "sukp,none"], "--rows: no such row: none"),
        (["A"], "two commits are needed"),
        (["A,"], "two commits are needed"),
        (["A,B", "--json", "/no/such/a.json"], "no file can be written there: /no/su"),
        (["A,B", "--markdown", "/"], "no file can be written there: /"),
    ],
)
def test_bad_words_are_named(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        compare.main(words)
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err


def test_pins_that_cannot_be_installed_are_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = tmp_path / "before"
    tree.mkdir()
    (tree / "pyproject.toml").write_text("[project]\ndependencies = []\n")
    (tree / "constraints.txt").write_text("")

    def create(home: Path, with_pip: bool) -> None:
        (home / "bin").mkdir(parents=True)
        (home / "bin" / "python").symlink_to("/bin/false")

    monkeypatch.setattr(compare.venv, "create", create)
    with pytest.raises(SystemExit) as stopped:
        compare.python_for(tree, tmp_path)
    assert stopped.value.code == 2
    assert capsys.readouterr().err.endswith("pip cannot install what before pins\n")


@pytest.mark.parametrize("name", ["no-such-commit", "--help", "HEAD:README.md"])
def test_an_unknown_commit_is_one_line(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        compare.main([f"HEAD,{name}"])
    assert stopped.value.code == 2
    assert capsys.readouterr().err == f"compare: there is no commit {name!r}\n"


def test_a_commit_is_not_compared_with_itself(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever its names; nothing is unpacked or measured for it."""
    monkeypatch.delattr(compare, "TemporaryDirectory")
    assert compare.main(["HEAD,HEAD~0"]) == 2
    assert capsys.readouterr().err == "compare: HEAD,HEAD~0: the same commit\n"


def test_a_worker_answers_for_its_own_tree_only(tmp_path: Path) -> None:
    """A tree without closeknit must not be answered for by the one installed."""
    worker = compare.Worker(sys.executable, ROOT)
    found = worker.ask("links-tree")
    worker.close()
    assert found["cpu"] > 0
    assert found["wall"] > 0
    assert all("optimal" in one for one in found["answers"])
    done = subprocess.run(
        [sys.executable, str(compare.SCRIPT), str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        input="links-tree\n",
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert f"not from {tmp_path}" in done.stderr


def test_a_worker_that_dies_or_hangs_fails_its_row_alone(tmp_path: Path) -> None:
    script = tmp_path / "rows.py"
    script.write_text(
        "import os, sys, time\n"
        "for line in sys.stdin:\n"
        "    if line == 'dies\\n': os._exit(7)\n"
        "    if line == 'hangs\\n': time.sleep(600)\n"
        "    print('{\"cpu\": 1}', flush=True)\n",
        encoding="utf-8",
    )
    worker = compare.Worker(sys.executable, tmp_path, script, seconds=20)
    assert worker.ask("dies") == {"failed": "its process ended with status 7"}
    assert worker.ask("good") == {"cpu": 1}
    worker.close()
    worker = compare.Worker(sys.executable, tmp_path, script, seconds=0.2)
    assert worker.ask("hangs") == {"failed": "took more than 0.2 s"}
    worker.close()


def test_a_row_that_a_commit_lacks_or_that_raises_is_told_apart() -> None:
    def lacks(seed: int) -> Any:
        raise ImportError("no module")

    def raises(seed: int) -> Any:
        def case() -> str:
            raise ValueError("wrong")

        return case

    assert rows.measure(rows.Row(lacks, 1)) == {"unknown": "ImportError: no module"}
    assert rows.measure(rows.Row(raises, 1)) == {"failed": "ValueError: wrong"}
