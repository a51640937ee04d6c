"""Methods of users: run, checked and priced beside those of closeknit."""

from __future__ import annotations

import importlib.metadata
import logging
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import closeknit as ck
from closeknit.cli.app import run
from closeknit.methods import user_methods as own
from closeknit.solvers import Grade, Proof, answer
from closeknit.solvers.running import clock

from ..in_process import stay_in_process
from ..paths import ROOT

api: Any = ck
JOB = ck.ksubset(ck.Mesh(6, 6), k=5, busy=[(0, 3), (1, 3)], name="job")
MODULE = '''
def first(instance, settings):
    """Take the first free processors.

    Guarantee: none.
    """
    return instance.free[: instance.k]

def broken(instance, settings):
    return [0] * instance.k

def crashing(instance, settings):
    return 1 / 0
'''


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    (tmp_path / "my_rules.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield "my_rules"
    sys.modules.pop("my_rules", None)


def first(instance: ck.KSubset, settings: ck.Settings) -> Any:
    return instance.free[: instance.k]


@pytest.mark.parametrize(
    "selection",
    [
        [0, 1, 2, 3, 4],
        {4, 3, 2, 1, 0},
        np.arange(5),
        JOB.free[:5],
        np.array(JOB.free[:5]),
        (tuple(site) for site in [list(one) for one in JOB.free[:5]]),
    ],
    ids=["list", "set", "array", "sites", "array of sites", "generator"],
)
def test_indices_and_locations_are_accepted(selection: Any) -> None:
    solution = ck.solve(JOB, lambda instance, settings: selection)
    assert solution.chosen == (0, 1, 2, 3, 4)
    assert solution.cost == ck.cost(JOB, (0, 1, 2, 3, 4))
    assert solution.bound is None


def test_names_and_placements_are_accepted() -> None:
    names = ck.procset(["a", "b"], 1, [("s", ["a"], 1)])
    assert ck.solve(names, lambda instance, settings: ["b"]).cost == (0,)
    room = ck.submesh((4, 4), (2, 2))
    assert ck.solve(room, lambda i, s: {"at": [0, 0, 1, 1]}).cost == (0, 0, 0)
    tree = ck.ksubset(api.Tree([-1, 0, 0], [0, 1, 1], [1, 2]), k=1)
    assert ck.solve(tree, lambda i, s: [[2]]).selection == [2]


@pytest.mark.parametrize(
    ("rule", "error"),
    [
        (lambda i, s: [0, 0, 1, 2, 3], "a processor is chosen twice"),
        (lambda i, s: [0, 1], "2 processors chosen, not 5"),
        (lambda i, s: [(0, 3), (0, 0), (0, 1), (0, 2), (0, 4)], "not a free processor"),
        (lambda i, s: [True] * 5, "must list indices or locations"),
        (lambda i, s: "abc", "must list indices or locations"),
        (lambda i, s: 1 / 0, "ZeroDivisionError: division by zero"),
        (lambda i, s: i.nothing, "AttributeError"),
        (lambda i, s: sys.exit(0), "SystemExit: 0"),
        (lambda i, s: dict.fromkeys(i.names), "must list indices or locations"),
        (lambda i, s: {"a", 1, (0, 0)}, "must list indices or locations"),
        (
            lambda i, s: ck.Result(
                status=ck.Status.FEASIBLE, chosen=(0, 1, 2, 3, 4), objective=1
            ),
            "claims a cost of 1, but its selection costs",
        ),
        (
            lambda i, s: answer(
                i, range(5), start=0, bound=1, proof=Proof(Grade.CHECKED, "me")
            ),
            "",
        ),
    ],
)
def test_a_failure_is_a_row_and_not_an_abort(rule: Any, error: str) -> None:
    table = ck.compare(JOB, ["mm", rule])
    assert [row["method"] for row in table] == ["mm", "<lambda>", "auto"]
    row = table[1]
    assert row["status"] == ("failed" if error else "feasible")
    assert error in row["error"]
    assert table[2]["ratio"] == 1
    if error:
        with pytest.raises(ck.SolverError, match="<lambda>"):
            ck.solve(JOB, rule)


def test_a_bound_is_the_word_of_the_method_until_it_is_confirmed() -> None:
    def sure(instance: Any, settings: ck.Settings) -> ck.Result:
        found = ck.solve(instance).result
        assert found.chosen is not None
        return answer(
            instance,
            found.chosen,
            start=clock.now(),
            bound=found.bound,
            proof=Proof(Grade.CHECKED, "believe me"),
        )

    solution = ck.solve(JOB, sure)
    assert str(solution.proof).startswith("confirmed: sure, ")
    (line,) = ck.check(solution)
    assert "not re-derived (confirmed: sure, " in line
    assert ck.check(solution, accept="confirmed") == []
    assert str(ck.solve(JOB, sure, time_limit=0).proof) == "solver: sure"


def test_an_instance_may_be_refused() -> None:
    def only_tori(instance: Any, settings: ck.Settings) -> Any:
        raise ck.InputError("is for tori", field="only_tori")

    assert ck.compare(JOB, only_tori)[0]["status"] == "refused"


def test_a_method_is_interrupted_when_its_time_is_over() -> None:
    def endless(instance: Any, settings: ck.Settings) -> Any:
        while True:
            pass

    solution = ck.solve(JOB, endless, time_limit=0.2)
    assert solution.seconds < 5
    assert solution.result.limit is not None


def test_names_are_kept_apart() -> None:
    def mm(instance: Any, settings: ck.Settings) -> Any:
        return instance.free[: instance.k]

    rules: list[Any] = ["mm", mm, lambda i, s: i.free[:5], lambda i, s: i.free[:5]]
    names = [row["method"] for row in ck.compare(JOB, rules)]
    assert names == ["mm", f"{__name__}:mm", "<lambda>", "<lambda>#2", "auto"]


def test_a_campaign_runs_methods_of_modules_and_of_notebooks(
    module: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    jobs = [JOB, ck.ksubset(ck.Mesh(5, 5), k=4, name="other")]
    rules: list[Any] = ["mm", f"{module}:first", f"{module}:crashing", lambda i, s: [0]]
    with caplog.at_level(logging.INFO, logger="closeknit"):
        found = ck.ratios(jobs, tmp_path / "out", methods=rules, jobs=1)
    assert "10 of 10 runs done" in caplog.text
    assert not found.holds
    assert found.page.read_text("utf-8").count("my_rules:first")
    status = {(row["instance"], row["method"]): row["status"] for row in found}
    for job in jobs:
        assert status[job.name, "mm"] == status[job.name, "my_rules:first"]
        assert status[job.name, "my_rules:crashing"] == "failed"
        assert status[job.name, "<lambda>"] == "failed"
    costs = found.to_frame()["cost"]
    assert costs["job", "my_rules:first"] == ck.cost(JOB, range(5))
    again = ck.ratios(jobs, tmp_path / "out", methods=rules, jobs=1)
    assert again.rows == found.rows  # nothing was run again


def test_the_command_line_and_studies_name_methods_of_modules(
    module: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stay_in_process(monkeypatch)
    job = str(tmp_path / "job.json")
    ck.write_instance(JOB, job)
    assert run(["solve", job, "--method", f"{module}:first"]) == 0
    assert "my_rules:first" in capsys.readouterr().out
    assert run(["compare", job, "--methods", f"mm,{module}:broken"]) == 1
    assert run(["solve", job, "--method", f"{module}:none"]) == 2
    assert "my_rules has no none" in capsys.readouterr().err
    study = tmp_path / "study.toml"
    study.write_text(
        'format = "closeknit/study"\nversion = 1\ntime-limit = 10\n'
        f'methods = ["mm", "{module}:first"]\n'
        '[[instances]]\nfiles = "job.json"\n'
    )
    found = ck.ratios(study, tmp_path / "out", jobs=1)
    assert found.holds
    assert {row["method"] for row in found} == {"mm", "my_rules:first", "auto"}


def test_worst_searches_against_a_method_of_ones_own() -> None:
    found = ck.worst(first, shape=(4, 4), k=3, n=6, evaluations=50)
    assert found is not None
    assert found.ratio > 1
    chosen = found.instance.free[:3]
    assert found.cost == sum(
        ck.Mesh(4, 4).distance(p, q) for i, p in enumerate(chosen) for q in chosen[:i]
    )


def test_only_what_can_be_imported_is_sent_elsewhere(module: str) -> None:
    method = own.import_method(f"{module}:first")
    assert pickle.loads(pickle.dumps(method)).name == "my_rules:first"
    with pytest.raises(TypeError, match="define it in a module"):
        pickle.dumps(own.own_method(lambda i, s: []))


def test_entry_points_are_no_names(
    module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a package offered by them is named module:name."""
    entry = importlib.metadata.EntryPoint(
        "ksubset.my-rule", f"{module}:first", "closeknit.methods"
    )
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda **_: [entry])
    with pytest.raises(ck.InputError, match="no such method"):
        ck.solve(JOB, "my-rule")
    assert "my-rule" not in api.methods("ksubset")
    assert ck.solve(JOB, f"{module}:first").method == f"{module}:first"


def test_the_example_runs() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "own_method.py")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.count("middle_out  feasible") == 3
