from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ortools.sat.python import cp_model

from closeknit.cli.app import run
from closeknit.formulations import catalogue
from closeknit.instances import KSubset, Points, write_ksubset

from .test_bounds import optimum, some

HIGHS = """
import sys, highspy
engine = highspy.Highs()
engine.setOptionValue("output_flag", False)
assert engine.readModel(sys.argv[1]) == highspy.HighsStatus.kOk
engine.setOptionValue("mip_rel_gap", 0.0)
engine.run()
print(round(engine.getInfo().objective_function_value))
"""


def odd_torus() -> KSubset:
    """Return an instance whose cuts weigh half a hop."""
    return next(
        i
        for seed in range(2, 300, 6)
        if (i := some(seed, most=9)).k >= 3 and i.n >= 7 and i.cuts.denominator == 2
    )


def written(instance: KSubset, tmp_path: Path) -> str:
    file = tmp_path / "instance.json"
    write_ksubset(instance, file)
    return str(file)


def by_highs(model: Path) -> int:
    """Solve a model file in a process that has never seen closeknit."""
    ended = subprocess.run(
        [sys.executable, "-c", HIGHS, str(model)],
        capture_output=True,
        text=True,
        check=True,
    )
    return int(ended.stdout.split()[-1])


@pytest.mark.parametrize("form", ["lp", "mps"])
@pytest.mark.parametrize("name", catalogue.MIP)
def test_highs_reads_it_and_finds_the_optimum(
    name: str, form: str, tmp_path: Path
) -> None:
    instance = odd_torus()
    file = written(instance, tmp_path)
    out = tmp_path / f"model.{form}"
    arguments = ["export", file, "--to", form, "--formulation", name]
    assert run([*arguments, "--out", str(out)]) == 0
    head = out.read_text().splitlines()[0]
    times = 1 if name in ("pairs", "rlt") else 2
    assert head.endswith(f"{name}; the objective is {times} times the pair sum")
    assert by_highs(out) == times * optimum(instance)


@pytest.mark.parametrize("bare", [[], ["--bare"]])
@pytest.mark.parametrize("name", catalogue.CP)
def test_cp_sat_reads_it_and_finds_the_optimum(
    name: str, bare: list[str], tmp_path: Path, capsys: Any
) -> None:
    instance = odd_torus()
    file = written(instance, tmp_path)
    arguments = ["export", file, "--to", "cpsat", "--formulation", name]
    assert run([*arguments, *bare]) == 0
    text = capsys.readouterr().out
    assert text.startswith(f"# closeknit: {instance.name}, k = {instance.k}, {name};")
    model = cp_model.CpModel()
    assert model.proto.parse_text_format(text)
    solver = cp_model.CpSolver()
    assert solver.solve(model) == cp_model.OPTIMAL
    times = 2 if name.startswith("cuts") else 1
    assert solver.objective_value == times * optimum(instance)


def test_the_default_is_the_same_on_standard_output(
    tmp_path: Path, capsys: Any
) -> None:
    file = written(some(1), tmp_path)
    assert run(["export", file, "--to", "lp"]) == 0
    shown = capsys.readouterr().out
    out = tmp_path / "model.lp"
    arguments = ["export", file, "--to", "lp", "--formulation", "cuts-unary"]
    assert run([*arguments, "--out", str(out)]) == 0
    assert out.read_text() == shown
    assert capsys.readouterr().out == ""


def test_decimals_are_said_in_the_first_line(tmp_path: Path, capsys: Any) -> None:
    points = Points(((0, 0), (15, 0), (20, 5)), scale=10)
    file = written(KSubset("p", points, points.coordinates, 2), tmp_path)
    assert run(["export", file, "--to", "mps"]) == 0
    assert "the objective is 10 times the pair sum" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (
            ["--to", "lp", "--formulation", "moon"],
            "--formulation: must be one of pairs",
        ),
        (["--to", "cpsat", "--formulation", "rlt"], "for cpsat, not 'rlt'"),
        (["--to", "xml"], "invalid choice: 'xml'"),
        ([], "--to"),
        (["--to", "lp", "--out", "/no/such/folder/x.lp"], "cannot be written"),
    ],
)
def test_bad_options_are_one_line(
    arguments: list[str], complaint: str, tmp_path: Path, capsys: Any
) -> None:
    file = written(some(1), tmp_path)
    assert run(["export", file, *arguments]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("closeknit: ")
    assert complaint in shown.err
    assert shown.err.count("\n") == 1


def test_bad_files_are_one_line(tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "broken.json"
    file.write_text('{"format": "closeknit/ksubset"')
    assert run(["export", str(file), "--to", "lp"]) == 2
    line = capsys.readouterr().err
    assert str(file) in line
    assert line.count("\n") == 1


def test_what_fits_into_no_memory_is_refused(tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "large.json"
    file.write_text(
        '{"format": "closeknit/ksubset", "version": 1, "k": 5,'
        ' "topology": {"kind": "mesh", "shape": [2000]}}'
    )
    arguments = ["export", str(file), "--to", "lp", "--formulation", "pairs"]
    assert run(arguments) == 2
    assert "a variable for each of 1999000 pairs" in capsys.readouterr().err
