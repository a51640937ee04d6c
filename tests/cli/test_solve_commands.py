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
from pathlib import Path
from types import MappingProxyType
from typing import Any
from xml.etree import ElementTree

import pytest

from closeknit.cli.app import run
from closeknit.instances import KSubset, Mesh, Points, Torus, mesh, write_ksubset
from closeknit.methods import KSUBSET, SUKP, Method, interpreted_or_compiled
from closeknit.solvers import DEFAULT, Result, Settings, Status, answer
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


def test_solve_proves_a_half_full_16x16_mesh(path: str) -> None:
    ended = subprocess.run(
        [*COMMAND, "solve", path, "--json", "-"], capture_output=True, text=True
    )
    assert ended.returncode == 0
    assert ended.stderr == ""
    solution = json.loads(ended.stdout)  # nothing but JSON
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


def test_solve_and_check_agree(path: str, tmp_path: Path, capsys: Any) -> None:
    out = tmp_path / "solution.json"
    assert run(["solve", path, "--json", str(out)]) == 0
    shown = capsys.readouterr().out
    assert "status  optimal" in shown
    assert "16 of 128 free processors" in shown
    assert run(["check", path, str(out)]) == 1
    assert "not re-derived (enumerated: " in capsys.readouterr().out
    assert run(["check", "--prove", path, str(out)]) == 0
    said = capsys.readouterr().out
    assert "holds: optimal" in said
    assert "proved again" in said


def tampered(document: dict[str, Any], field: str) -> dict[str, Any]:
    """Change one field so that the file still reads but is untrue."""
    lie = dict(document)
    selection = document["selection"]
    lie[field] = {
        "instance": "another",
        "sha256": "0" * 64,
        "objective": document["objective"] + 1,
        "bound": document["bound"] - 1,
        "status": "feasible",
        "selection": [*selection[:-1], selection[0]],
    }[field]
    return lie


@pytest.mark.parametrize(
    "field", ["instance", "sha256", "objective", "bound", "status", "selection"]
)
def test_check_refuses_a_tampered_solution(
    field: str, path: str, tmp_path: Path, capsys: Any
) -> None:
    out = tmp_path / "solution.json"
    run(["solve", path, "--json", str(out)])
    lie = tampered(json.loads(out.read_text()), field)
    out.write_text(json.dumps(lie))
    capsys.readouterr()
    assert run(["check", path, str(out)]) == 1
    shown = capsys.readouterr()
    told = "status" if field == "bound" else field  # bound and status disagree
    assert f"{told}:" in shown.out or f"{told}[" in shown.out
    assert shown.err == ""


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
    solution["proof"]["by"] = "hearsay"
    out.write_text(json.dumps(solution))
    assert run(["check", str(file), str(out)]) == 1


def test_check_proves_a_false_bound_wrong(path: str, tmp_path: Path) -> None:
    out = tmp_path / "solution.json"
    run(["solve", path, "--method", "row-major", "--json", str(out)])
    solution = json.loads(out.read_text())
    solution["bound"] = solution["objective"]
    solution["status"] = "optimal"
    solution["proof"] = {"grade": "enumerated", "by": "cuts-bb"}
    out.write_text(json.dumps(solution))
    assert run(["check", path, str(out)]) == 1  # nothing re-derives it
    assert run(["check", path, str(out), "--accept", "enumerated"]) == 0
    assert run(["check", path, str(out), "--prove"]) == 1


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"version": 2}, "version"),
        ({"format": "closeknit/ksubset"}, "format"),
        ({"status": "excellent"}, "status"),
        ({"extra": 1}, "extra"),
        ({"objective": 1.5}, "objective"),
        ({"proof": {"grade": "divine", "by": "x"}}, "proof.grade"),
        ({"proof": {"grade": "solver", "by": ""}}, "proof.by"),
        ({"selection": "all"}, "selection"),
    ],
)
def test_a_malformed_solution_is_bad_input(
    change: dict[str, Any], field: str, path: str, tmp_path: Path, capsys: Any
) -> None:
    out = tmp_path / "solution.json"
    run(["solve", path, "--json", str(out)])
    out.write_text(json.dumps({**json.loads(out.read_text()), **change}))
    capsys.readouterr()
    status = run(["check", path, str(out)])
    shown = capsys.readouterr()
    if field == "selection":  # readable, but no selection of this instance
        assert status == 1
        assert "selection" in shown.out
        return
    assert status == 2
    assert shown.err.count("\n") == 1
    assert f"{out}: {field}" in shown.err


def test_several_files_give_one_object_a_line(
    path: str, tmp_path: Path, capsys: Any
) -> None:
    other = tmp_path / "other.json"
    write_ksubset(mesh(3, 3, k=4), other)
    assert run(["solve", path, str(other), "--json", "-"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [json.loads(line)["instance"] for line in lines] == [
        "half-0",
        "3x3-full-k4",
    ]


def test_a_plot_is_drawn(path: str, tmp_path: Path) -> None:
    picture = tmp_path / "plot.svg"
    assert run(["solve", path, "--plot", str(picture)]) == 0
    assert ElementTree.fromstring(picture.read_text()).tag.endswith("svg")


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
    ("arguments", "told"),
    [
        (["--time-limit", "0"], "--time-limit: must be seconds above 0"),
        (["--time-limit", "nan"], "--time-limit: must be seconds above 0"),
        (["--time-limit", "x"], "--time-limit: must be a number, not 'x'"),
        (["--seed", "1.5"], "--seed: must be a whole number, not '1.5'"),
        (["--threads", "0"], "--threads: must be an integer from 1 to 2^31 - 1"),
        (["--seed", "-1"], "--seed: must be an integer from 0 to 2^31 - 1"),
        (["--node-limit", "0"], "--node-limit: must be an integer from 1 to 2^31 - 1"),
        (["--memory", "0"], "--memory: must be an integer from 1 to 2^31 - 1"),
        (
            ["--method", "mmm"],
            "--method: no such method for ksubset: 'mmm' (did you mean mm?)",
        ),
        (["--method", "mc1x1", "--ties", "best"], "--ties: mc1x1 breaks ties"),
        (["--json", "/nowhere/at/all.json"], "/nowhere/at/all.json: cannot be"),
        (["--plot", "/nowhere/at/all.svg"], "/nowhere/at/all.svg: cannot be"),
        (["--colour", "red"], "unrecognized arguments"),
    ],
)
def test_bad_options_are_told_in_one_line(
    arguments: list[str], told: str, path: str, capsys: Any
) -> None:
    assert run(["solve", path, *arguments]) == 2
    error = capsys.readouterr().err
    assert told in error
    assert error.count("\n") == 1


def test_limits_give_the_best_so_far(tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "torus.json"
    cells = random.Random(6).sample(list(Torus((30, 30)).locations()), 700)
    write_ksubset(KSubset("torus", Torus((30, 30)), tuple(cells), 100), file)
    assert run(["solve", str(file), "--time-limit", "1", "--json", "-"]) == 0
    solution = json.loads(capsys.readouterr().out)
    assert (solution["status"], solution["limit"]) == ("feasible", "time")
    assert 0 < solution["bound"] < solution["objective"]


def test_ctrl_c_gives_the_best_so_far(tmp_path: Path) -> None:
    file = tmp_path / "torus.json"
    cells = random.Random(6).sample(list(Torus((30, 30)).locations()), 700)
    instance = KSubset("torus", Torus((30, 30)), tuple(cells), 100)
    write_ksubset(instance, file)
    KSUBSET["auto"](instance, Settings(time_limit=2))  # compiled before it is timed
    for patience in (3, 10, 30):  # on a slow machine it may still be starting
        process = subprocess.Popen(
            [*COMMAND, "solve", str(file), "--json", "-"],
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
    begins = [line.split(" ")[0] for line in capsys.readouterr().out.splitlines()]
    assert set(names) <= set(begins)


def test_compare_says_why_a_method_is_refused(path: str, capsys: Any) -> None:
    assert run(["compare", path, "--methods", "ring-window", "--json", "-"]) == 0
    row = json.loads(capsys.readouterr().out.splitlines()[0])
    assert row["status"] == "refused"
    assert "needs a torus" in row["error"]


def test_compare_prints_a_table(path: str, capsys: Any) -> None:
    assert run(["compare", path, "--methods", "mm, mc1x1"]) == 0
    shown = capsys.readouterr().out
    assert "mm" in shown
    assert "guarantee" in shown
    assert run(["compare", path, "--methods", "mm,nothing"]) == 2
    assert run(["compare", path, "--exact", "nothing"]) == 2


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


def test_methods_are_listed_with_what_they_promise(capsys: Any) -> None:
    assert run(["methods", "ksubset"]) == 0
    shown = capsys.readouterr().out
    for name in ("mm", "mm-free", "mm-inc", "mc1x1", "cuts-bb", "bruteforce"):
        assert name in shown


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


def test_help_is_complete_and_loads_nothing_heavy() -> None:
    ended = subprocess.run([*COMMAND, "--help"], capture_output=True, text=True)
    assert ended.returncode == 0
    for command in ("solve", "compare", "check", "methods"):
        assert f"    {command}" in ended.stdout
    loaded = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys\nfrom closeknit.cli.app import run\n"
            "try: run(['--help'])\nexcept SystemExit: pass\n"
            "print(sorted({'numba', 'ortools', 'pulp', 'matplotlib', 'rich', 'scipy'}"
            " & set(sys.modules)), file=sys.stderr)",
        ],
        capture_output=True,
        text=True,
    )
    assert loaded.stderr == "[]\n"


def test_no_command_is_an_error_of_one_line() -> None:
    ended = subprocess.run(COMMAND, capture_output=True, text=True)
    assert ended.returncode == 2
    assert ended.stderr.count("\n") == 1


def test_unknown_status_exits_with_4(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def idle(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
        return Result(status=Status.UNKNOWN)

    table = MappingProxyType({"auto": Method("auto", idle)})
    monkeypatch.setattr("closeknit.methods.METHODS", {"ksubset": table})
    assert run(["solve", path]) == 4
