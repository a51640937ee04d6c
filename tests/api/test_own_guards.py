"""Own methods and what guards them: guarantees, changed code, scripts, CI."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import closeknit as ck
from closeknit.cli import app
from closeknit.instances import read_instance, write_instance
from closeknit.reports.campaigns.store import FILE, rows_in

from ..in_process import stay_in_process
from ..paths import ROOT

JOB = ck.ksubset(ck.Mesh(4, 4), k=4, busy=[(0, 1), (1, 1), (2, 2)], name="job")
RULES = '''
from fractions import Fraction

def order(site):
    return site

def spread(instance, settings):
    """Take every other processor."""
    free = sorted(instance.free, key=order)
    return (free[::2] + free[1::2])[: instance.k]

def promised(instance, settings):
    return spread(instance, settings)

promised.guarantee = lambda instance: Fraction(1)

def first(instance, settings):
    return instance.free[: instance.k]
'''
Run = Callable[..., tuple[int, str, str]]


def spread(instance: Any, settings: ck.Settings) -> Any:
    free = sorted(instance.free)
    return (free[::2] + free[1::2])[: instance.k]


def invalid(instance: Any, settings: ck.Settings) -> Any:
    return [0] * instance.k


def optimal(instance: Any, settings: ck.Settings) -> Any:
    return ck.solve(instance).chosen


def medians(instance: Any, settings: ck.Settings) -> Any:
    return ck.solve(instance, "mm").chosen


def promising(rule: Any, factor: Any = 1) -> Any:
    def promised(instance: Any, settings: ck.Settings) -> Any:
        return rule(instance, settings)

    promised.guarantee = lambda instance: factor  # type: ignore[attr-defined]
    return promised


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Run]:
    """Run a command of a newcomer in a folder of its own.

    In this process, but for campaigns that start others.
    """
    (tmp_path / "my_rules.py").write_text(RULES)
    (tmp_path / "jobs").mkdir()
    write_instance(JOB, tmp_path / "jobs" / "job.json")

    def call(*words: str, **variables: str) -> tuple[int, str, str]:
        sys.modules.pop("my_rules", None)  # which may have changed
        capsys.readouterr()
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(tmp_path)
            patch.syspath_prepend(str(tmp_path))
            stay_in_process(patch)
            for name, value in variables.items():
                patch.setenv(name, value)
            return app.run(list(words)), *capsys.readouterr()

    yield call
    sys.modules.pop("my_rules", None)


def in_new_process(where: Path, *words: str, **variables: str) -> tuple[int, str, str]:
    """Run Python there."""
    ended = subprocess.run(
        [sys.executable, *words],
        cwd=where,
        env={**os.environ, "PYTHONPATH": str(ROOT), **variables},
        capture_output=True,
        text=True,
        timeout=300,
    )
    return ended.returncode, ended.stdout, ended.stderr


# Guarantees


def test_a_stated_guarantee_is_tested() -> None:
    kept = ck.verify(promising(medians, 2), quick=True)
    assert kept.holds
    assert (kept[0]["instances"] or 0) > 500
    for jobs in (1, 2):
        broken = ck.verify(promising(spread), "bender-lemma-3", quick=True, jobs=jobs)
        assert [row["verdict"] for row in broken] == ["broken", "holds"]
        assert not broken.holds
    said = broken[0]["result"]
    assert re.match(r"promised costs \d+, above 1 times the optimum \d+, ratio", said)
    found = broken[0]["counterexample"]
    chosen = ck.solve(found, spread)
    least = ck.solve(found).cost
    assert isinstance(chosen.cost, int)
    assert isinstance(least, int)
    assert chosen.cost > least


def test_an_answer_that_is_not_valid_breaks_it_on_a_named_instance() -> None:
    table = ck.verify(promising(invalid, 100), quick=True)
    assert table[0]["verdict"] == "broken"
    assert "a processor is chosen twice" in table[0]["result"]
    assert table[0]["counterexample"] is not None


def test_a_rule_cannot_take_the_place_of_the_exact_route() -> None:
    def auto(instance: Any, settings: ck.Settings) -> Any:
        return spread(instance, settings)

    auto.guarantee = lambda instance: 1  # type: ignore[attr-defined]
    assert not ck.verify(auto, quick=True).holds


def test_a_guarantee_that_is_never_stated_does_not_hold() -> None:
    table = ck.verify(promising(spread, None), quick=True)
    assert table[0]["verdict"] == "broken"


def test_two_rules_of_one_name_are_both_tested() -> None:
    table = ck.verify(promising(spread), promising(invalid), quick=True)
    names = [(row["claim"], row["verdict"]) for row in table]
    assert names == [("promised", "broken"), ("promised#2", "broken")]


@pytest.mark.parametrize(
    ("factor", "said"),
    [
        (lambda i: 1 / 0, "promised.guarantee: ZeroDivisionError: division by zero"),
        (lambda i: sys.exit(0), "promised.guarantee: SystemExit: 0"),
        *(
            (lambda i, one=one: one, "promised.guarantee: must be an integer or a Frac")
            for one in (float("nan"), 1.6, "5", True)
        ),
    ],
)
def test_a_guarantee_that_is_no_factor_is_refused(factor: Any, said: str) -> None:
    rule = promising(spread)
    rule.guarantee = factor
    table = ck.verify(rule, quick=True)
    assert not table.holds
    assert said in table[0]["result"]
    with pytest.raises((ck.InputError, ck.SolverError)) as caught:
        ck.compare(JOB, [rule])
    assert str(caught.value).startswith(said)


@pytest.mark.parametrize(
    "why", [lambda i: 1 / 0, lambda i: True, lambda i: sys.exit(0)]
)
def test_a_reason_that_is_no_text_is_refused(why: Any) -> None:
    rule = promising(spread)
    rule.refuses = why
    with pytest.raises((ck.InputError, ck.SolverError), match=r"^promised\.refuses: "):
        ck.solve(JOB, rule)


def test_the_exit_of_a_module_is_not_that_of_a_command(
    run: Run, tmp_path: Path
) -> None:
    (tmp_path / "leaves.py").write_text("import sys; sys.exit(0)", encoding="utf-8")
    status, _, said = run("verify", "leaves:rule")
    assert status == 2
    assert said.endswith("cannot be imported: SystemExit: 0: 'leaves:rule'\n")


def test_what_states_nothing_is_refused_in_one_line() -> None:
    with pytest.raises(ck.InputError, match="spread: states no guarantee"):
        ck.verify(spread)
    with pytest.raises(ck.InputError, match="must be a method, its name, or"):
        ck.verify(7)  # type: ignore[arg-type]
    constant = promising(spread)
    constant.guarantee = Fraction(2)
    with pytest.raises(ck.InputError, match=r"promised\.guarantee: must be a function"):
        ck.verify(constant)
    elsewhere = promising(spread)
    elsewhere.problem = "sukp"
    with pytest.raises(ck.InputError, match="is for another problem"):
        ck.verify(elsewhere)


def test_verify_on_the_command_line(run: Run, tmp_path: Path) -> None:
    words = ("verify", "my_rules:promised", "--quick", "--junit", "claims.xml")
    status, said, complained = run(*words, GITHUB_ACTIONS="true")
    assert status == 1
    assert "my_rules:promised: broken: my_rules:promised costs" in said
    assert "::error title=closeknit verify::my_rules:promised: broken" in complained
    file = tmp_path / "closeknit-counterexamples" / "my_rules-promised.json"
    assert read_instance(file).source.startswith("counterexample to my_rules:promised")
    failure = ElementTree.parse(tmp_path / "claims.xml").getroot().find(".//failure")
    assert failure is not None
    assert "ratio" in failure.attrib["message"]
    status, _, complained = run("verify", "my_rules:spread", GITHUB_ACTIONS="true")
    assert status == 2
    assert "my_rules:spread: states no guarantee" in complained
    assert "::error title=closeknit::my_rules:spread: states no" in complained
    for name in ("my_rules:gone", "no_such_module:rule"):
        status, _, complained = run("verify", name)
        assert (status, complained.count("\n")) == (2, 1)  # and no "::error" line


def test_what_is_above_a_guarantee_is_named_with_its_figures(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["-m", "closeknit", "ratios", "jobs", "--methods", "my_rules:promised,mm"]
    status, said, complained = in_new_process(
        tmp_path, *words, "--out", "out", GITHUB_ACTIONS="true"
    )
    cost, least = ck.solve(JOB, spread).cost, ck.solve(JOB).cost
    assert isinstance(cost, int)
    assert isinstance(least, int)
    ratio = Fraction(cost, least)
    line = (
        f"my_rules:promised on job: cost {cost}, ratio {ratio} ({float(ratio):.4f}) to "
        f"the optimum {least}, above its guarantee 1"
    )
    assert status == 1
    assert f"1 row above a proven guarantee.\n  {line}\n" in said
    assert complained.endswith(f"::error title=closeknit ratios::{line}\n")
    stay_in_process(monkeypatch)
    report = ck.ratios(JOB, tmp_path / "api", methods=promising(spread))
    assert not report.holds
    assert report.problems == [line.replace("my_rules:", "")]


def test_methods_that_answer_nothing_measure_nothing(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stay_in_process(monkeypatch)
    words = ("ratios", "jobs", "--methods", "tree-dp", "--out", "out")
    status, _, complained = run(*words)
    assert status == 2
    assert complained == (
        "closeknit: no method answered (tree-dp: needs a tree, or a graph with the "
        "distances of one)\n"
    )
    assert not ck.ratios(JOB, tmp_path / "api", methods="tree-dp").holds
    assert ck.ratios(JOB, tmp_path / "exact", methods="auto").holds


# Changed code


def test_a_changed_method_is_run_again_and_only_that(run: Run, tmp_path: Path) -> None:
    words = ("ratios", "jobs", "--methods", "my_rules:spread,my_rules:first,mm")

    def costs(*more: str) -> tuple[dict[str, Any], list[str]]:
        status, said, _ = run(*words, "--out", "out", *more)
        assert status == 0
        rows = rows_in(tmp_path / "out" / FILE)
        told = [one for one in said.splitlines()[2:-2] if "machine code" not in one]
        return {row.method: row.cost for row in rows}, told

    before, said = costs()
    assert said == []
    assert costs() == (before, ["4 rows kept from an earlier run."])
    for old, new in (
        ("free[::2] + free[1::2]", "free"),
        ("return site", "return -site[0], -site[1]"),
    ):
        text = (tmp_path / "my_rules.py").read_text()
        (tmp_path / "my_rules.py").write_text(text.replace(old, new))
        after, said = costs()
        assert said == [
            "3 rows kept from an earlier run; 1 row made by code that has changed "
            "was set aside, in results.sqlite.old."
        ]
        changed = {name for name in before if after[name] != before[name]}
        assert changed == {"my_rules:spread"}
        assert len(rows_in(tmp_path / "out" / f"{FILE}.old")) == 4
        before = after


def test_code_that_cannot_be_read_is_never_reused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stay_in_process(monkeypatch)

    def dynamic(instance: Any, settings: ck.Settings) -> Any:
        return eval("instance.free[: instance.k]")

    finished = []
    for _ in range(2):
        ck.ratios(JOB, tmp_path, methods=[dynamic, "mm"], jobs=1)
        rows = rows_in(tmp_path / FILE)
        assert sorted(row.method for row in rows) == ["auto", "dynamic", "mm"]
        finished.append({row.method: row.code for row in rows})
    assert finished[0]["dynamic"] != finished[1]["dynamic"]
    assert finished[0]["mm"] == finished[1]["mm"]


# Scripts


@pytest.mark.slow
def test_the_page_is_a_script_that_runs_in_an_empty_folder(tmp_path: Path) -> None:
    """Without asking for ``__main__``, and again from what the first run kept."""
    page = (ROOT / "docs" / "use" / "own-heuristic.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", page, re.M | re.S)
    text = "\n".join(blocks)
    assert "time_limit=5" in text
    (tmp_path / "script.py").write_text(text.replace("time_limit=5", "time_limit=1"))
    for _ in range(2):
        status, said, complained = in_new_process(tmp_path, "script.py")
        assert status == 0, complained
        assert "Traceback" not in complained
        assert "above 8 times the optimum 0" in said
