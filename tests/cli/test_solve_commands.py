"""solve, compare, check and methods, through the real command line."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from closeknit.cli.app import run
from closeknit.instances import KSubset, Mesh, Points, Torus, mesh, write_ksubset
from closeknit.methods import KSUBSET, SUKP, Method, interpreted_or_compiled
from closeknit.solvers import DEFAULT, Result, Settings, answer
from closeknit.solvers.running import clock

COMMAND = [sys.executable, "-m", "closeknit"]


def half_full(*shape: int, k: int, seed: int = 0) -> KSubset:
    cells = list(Mesh(shape).locations())
    free = random.Random(seed).sample(cells, len(cells) // 2)
    return KSubset(f"half-{seed}", Mesh(shape), tuple(free), k, seed=seed)


@pytest.fixture
def path(tmp_path: Path) -> str:
    file = tmp_path / "half.json"
    write_ksubset(half_full(16, 16, k=16), file)
    return str(file)


def test_solve_proves_a_half_full_16x16_mesh(path: str, capsys: Any) -> None:
    assert run(["solve", path, "--json", "-"]) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    solution = json.loads(shown.out)  # nothing but JSON
    assert solution["status"] == "optimal"
    assert solution["objective"] == solution["bound"]
    assert solution["proof"]["grade"] in ("checked", "enumerated")
    assert len(solution["selection"]) == 16


@pytest.mark.parametrize(("seconds", "is_said"), [(0.9, False), (1.1, True)])
def test_warm_is_recommended_where_machine_code_was_missed(
    path: str, capsys: Any, monkeypatch: Any, seconds: float, is_said: bool
) -> None:
    monkeypatch.setattr(interpreted_or_compiled, "without_machine_code", seconds)
    assert run(["solve", path, "--method", "mm"]) == 0
    assert ("`closeknit warm ksubset`, once" in capsys.readouterr().err) is is_said


def test_check_derives_a_checked_bound_again(tmp_path: Path, capsys: Any) -> None:
    file, out = tmp_path / "full.json", tmp_path / "solution.json"
    write_ksubset(mesh(5, 5, k=9), file)
    run(["solve", str(file), "--json", str(out)])
    solution = json.loads(out.read_text())
    assert solution["proof"] == {"grade": "checked", "by": "town bound"}
    assert run(["check", str(file), str(out)]) == 0
    solution["proof"]["by"] = "star bound"  # true, but too weak for this claim
    out.write_text(json.dumps(solution))
    capsys.readouterr()
    assert run(["check", str(file), str(out)]) == 1
    assert "the star bound proves 54" in capsys.readouterr().out


def test_a_malformed_solution_is_bad_input(
    path: str, tmp_path: Path, capsys: Any
) -> None:
    """What is refused else is in tests/instances/test_files.py."""
    out = tmp_path / "solution.json"
    run(["solve", path, "--json", str(out)])
    solution = json.loads(out.read_text())
    for change, status in (({"version": 2}, 2), ({"selection": "all"}, 1)):
        out.write_text(json.dumps({**solution, **change}))
        capsys.readouterr()
        assert run(["check", path, str(out)]) == status
        shown = capsys.readouterr()
        assert (shown.err.count("\n"), shown.out.count("\n")) == (
            status == 2,
            status == 1,
        )
        assert f"{out}: {next(iter(change))}" in shown.err + shown.out


def test_lengths_are_given_in_the_units_of_the_file(
    tmp_path: Path, capsys: Any
) -> None:
    file = tmp_path / "points.json"
    sites = ((0, 0), (5, 0), (0, 25))
    write_ksubset(KSubset("tenths", Points(sites, 10), sites, 2), file)
    assert run(["solve", str(file)]) == 0
    shown = capsys.readouterr().out
    assert "cost    1/2" in shown or "cost    0.5" in shown
    assert "chosen  0,0 0.5,0" in shown


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("--time-limit 0", "--time-limit: must be seconds above 0"),
        ("--time-limit nan", "--time-limit: must be seconds above 0"),
        ("--time-limit x", "--time-limit: must be a number, not 'x'"),
        ("--seed 1.5", "--seed: must be a whole number, not '1.5'"),
        ("--memory 0", "--memory: must be an integer from 1 to 2^31 - 1"),
        ("--method mc1x1 --ties best", "--ties: mc1x1 breaks ties"),
        ("--colour red", "unrecognized arguments"),
    ],
)
def test_bad_options_are_told_in_one_line(
    options: str, told: str, path: str, refusal: Callable[..., str]
) -> None:
    assert told in refusal("solve", path, options)


@pytest.fixture
def hard(tmp_path: Path) -> str:
    """A torus that takes longer than any test waits."""
    cells = random.Random(6).sample(list(Torus((30, 30)).locations()), 700)
    file = tmp_path / "torus.json"
    write_ksubset(KSubset("torus", Torus((30, 30)), tuple(cells), 100), file)
    return str(file)


def test_limits_give_the_best_so_far(hard: str, capsys: Any) -> None:
    assert run(["solve", hard, "--time-limit", "1", "--json", "-"]) == 0
    solution = json.loads(capsys.readouterr().out)
    assert (solution["status"], solution["limit"]) == ("feasible", "time")
    assert 0 < solution["bound"] < solution["objective"]


def test_ctrl_c_gives_the_best_so_far(hard: str) -> None:
    run(["solve", hard, "--time-limit", "1"])  # compiled before it is timed
    for patience in (3, 10, 30):  # on a slow machine it may still be starting
        process = subprocess.Popen(
            [*COMMAND, "solve", hard, "--json", "-"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        time.sleep(patience)
        os.kill(process.pid, signal.SIGINT)
        output, errors = process.communicate(timeout=300)
        assert "Traceback" not in errors or "import" in errors
        if process.returncode == 0:
            break
    solution = json.loads(output)
    assert (solution["status"], solution["limit"]) == ("feasible", "interrupt")
    assert process.returncode == 0


def test_compare_gives_exact_ratios(path: str, capsys: Any) -> None:
    assert run(["compare", path, "--all", "--json", "-"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    by_method = {row["method"]: row for row in rows}
    assert {"mm", "mm-inc", "mc1x1", "row-major", "auto"} <= set(by_method)
    assert "ring-window" not in by_method  # takes no mesh
    optimum = by_method["auto"]["cost"]
    assert by_method["auto"]["ratio"] == "1"
    for row in rows:
        top, _, bottom = row["ratio"].partition("/")
        assert int(top) * optimum == row["cost"] * int(bottom or 1)


def test_compare_breaks_no_name_of_a_method(path: str, capsys: Any) -> None:
    names = ("hilbert/sorted-free", "paging-1", "mc1x1-all")
    assert run(["compare", path, "--methods", ",".join(names)]) == 0
    shown = capsys.readouterr().out
    assert "guarantee" in shown
    assert set(names) <= {line.split(" ")[0] for line in shown.splitlines()}


def test_compare_says_why_a_method_is_refused(path: str, capsys: Any) -> None:
    assert run(["compare", path, "--methods", "ring-window", "--json", "-"]) == 0
    row = json.loads(capsys.readouterr().out.splitlines()[0])
    assert row["status"] == "refused"
    assert "needs a torus" in row["error"]


def far_apart(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Take the first and the last processors."""
    half = instance.k // 2
    chosen = (*range(half), *range(instance.n - instance.k + half, instance.n))
    return answer(instance, chosen, start=clock.now())


def test_compare_fails_when_a_guarantee_is_broken(
    path: str, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    saboteur = Method("mm", far_apart, guarantee=KSUBSET["mm"].guarantee)
    table = MappingProxyType({**KSUBSET, "mm": saboteur})
    monkeypatch.setattr("closeknit.methods.METHODS", {"ksubset": table})
    assert run(["compare", path, "--methods", "mm"]) == 1
    error = capsys.readouterr().err
    assert re.fullmatch(
        r"closeknit: half-0: mm: cost (\d+), ratio (\d+/\d+) \([\d.]+\) "
        r"to the optimum \d+, above its guarantee 7/4\n",
        error,
    )


def test_methods_say_whether_the_seed_matters(capsys: Any) -> None:
    assert run(["methods", "sukp"]) == 0
    heads = [line for line in capsys.readouterr().out.splitlines() if "(sukp" in line]
    for line, (name, method) in zip(heads, SUKP.items(), strict=True):
        assert line.startswith(f"{name} (sukp, ")
        assert line.endswith(", seeded)") == method.seeded


def test_a_seed_is_welcome_where_it_does_not_matter(path: str, capsys: Any) -> None:
    assert not KSUBSET["mm"].seeded
    answers = []
    for seed in ("1", "2"):
        words = ["--method", "mm", "--seed", seed, "--json", "-"]
        assert run(["solve", path, *words]) == 0
        said = capsys.readouterr()
        assert said.err == ""
        answers.append(json.loads(said.out)["selection"])
    assert answers[0] == answers[1]


@pytest.mark.parametrize("name", KSUBSET)
def test_every_method_says_what_it_promises(name: str) -> None:
    method = KSUBSET[name]
    assert method.summary.endswith(".")
    for what in ("Guarantee", "Time", "Source"):
        assert method.doc_entry(what), what


def test_no_command_is_an_error_of_one_line(refusal: Callable[..., str]) -> None:
    assert "COMMAND" in refusal()
