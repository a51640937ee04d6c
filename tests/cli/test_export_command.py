from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from ortools.sat.python import cp_model

from closeknit.cli.app import run
from closeknit.formulations.ksubset import catalogue
from closeknit.instances import (
    KSubset,
    Points,
    ProcessorSet,
    ProcSet,
    Sukp,
    arrays,
    write_ksubset,
    write_procset,
    write_sukp,
)

from ..oracles import optimum
from ..strategies import seeded_ksubset

HIGHS = """
import sys, highspy
engine = highspy.Highs()
engine.setOptionValue("output_flag", False)
assert engine.readModel(sys.argv[1]) == highspy.HighsStatus.kOk
engine.setOptionValue("mip_rel_gap", 0.0)
engine.run()
status = engine.getModelStatus()
if status == highspy.HighsModelStatus.kOptimal:
    print(round(engine.getInfo().objective_function_value))
else:
    print(engine.modelStatusToString(status))
"""


def odd_torus() -> KSubset:
    """Return an instance whose cuts weigh half a hop."""
    return next(
        i
        for seed in range(2, 300, 6)
        if (i := seeded_ksubset(seed, most=9)).k >= 3
        and i.n >= 7
        and arrays.cuts(i).denominator == 2
    )


def written(instance: KSubset, tmp_path: Path) -> str:
    file = tmp_path / "instance.json"
    write_ksubset(instance, file)
    return str(file)


def by_highs(model: Path) -> int | str:
    """Solve a model file in a process that has never seen closeknit.

    Returns the optimum, or the status where there is none.
    """
    ended = subprocess.run(
        [sys.executable, "-c", HIGHS, str(model)],
        capture_output=True,
        text=True,
        check=True,
    )
    last = ended.stdout.splitlines()[-1]
    return int(last) if last.lstrip("-").isdigit() else last


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
    file = written(seeded_ksubset(1), tmp_path)
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
    file = written(seeded_ksubset(1), tmp_path)
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


# Processor sets and set-union knapsacks

CARDS = ProcSet(
    "cards",
    tuple("abcdef"),
    tuple(range(6)),
    2,
    (
        ProcessorSet("left", (0, 1), (4, 0, 7)),
        ProcessorSet("right", (2, 3), (4, 0, 7)),
        ProcessorSet("front", (0, 2), (0, 3, 0)),
        ProcessorSet("back", (1, 3), (0, 5, 5)),
        ProcessorSet("far", (4, 5), (8, 0, 0)),
    ),
)
"""Two of six: both of a card, at (4, 8, 12). In units: (1, 8, 12)."""
BAG = Sukp("bag", (7, 6, 5, 9), (3, 4, 2, 6), ((0, 1), (1, 2), (0, 2), (3, 0)), 9)
"""The best leaves out a profit of 9."""


def write_instance(instance: ProcSet | Sukp, file: Path) -> None:
    if isinstance(instance, ProcSet):
        write_procset(instance, file)
    else:
        write_sukp(instance, file)


def exported(instance: ProcSet | Sukp, folder: Path, *arguments: str) -> Path:
    file = folder / "instance.json"
    out = folder / f"model.{arguments[1]}"
    write_instance(instance, file)
    assert run(["export", str(file), *arguments, "--out", str(out)]) == 0
    return out


def by_cp_sat(model: Path) -> int:
    read = cp_model.CpModel()
    assert read.proto.parse_text_format(model.read_text())
    solver = cp_model.CpSolver()
    assert solver.solve(read) == cp_model.OPTIMAL
    return round(float(solver.objective_value))


@pytest.mark.parametrize("form", ["lp", "mps", "cpsat"])
def test_levels_of_processor_sets_are_written_one_by_one(
    form: str, tmp_path: Path
) -> None:
    solve = by_cp_sat if form == "cpsat" else by_highs
    one = exported(CARDS, tmp_path, "--to", form, "--level", "1")
    head = one.read_text().splitlines()[0]
    expected = "cards, 2 of 6, classes; 4 times the objective is level 1"
    assert head.endswith(f"closeknit: {expected}")
    assert solve(one) == 1
    assert solve(exported(CARDS, tmp_path, "--to", form, "--level", "2")) == 0
    two = exported(CARDS, tmp_path, "--to", form, "--level", "2", "--at-most", "4")
    assert solve(two) == 8
    three = ["--to", form, "--level", "3", "--at-most", "7,8"]
    assert solve(exported(CARDS, tmp_path, *three)) == 12


@pytest.mark.parametrize("form", ["lp", "mps", "cpsat"])
def test_all_levels_of_processor_sets_are_folded_into_one(
    form: str, tmp_path: Path
) -> None:
    model = exported(CARDS, tmp_path, "--to", form)
    head = model.read_text().splitlines()[0]
    # Level 3 adds up to 19 at most, level 2 to 8.
    folded = "180 * level 1 / 4 + 20 * level 2 / 1 + 1 * level 3 / 1"
    assert head.endswith(f"cards, 2 of 6, classes; the objective is {folded}")
    solve = by_cp_sat if form == "cpsat" else by_highs
    assert solve(model) == 180 + 20 * 8 + 12


@pytest.mark.parametrize("form", ["lp", "mps", "cpsat"])
def test_a_request_for_more_than_there_is_makes_an_infeasible_model(
    form: str, tmp_path: Path
) -> None:
    none = replace(CARDS, available=(), request=1)
    model = exported(none, tmp_path, "--to", form, "--level", "1")
    if form == "cpsat":
        read = cp_model.CpModel()
        assert read.proto.parse_text_format(model.read_text())
        assert cp_model.CpSolver().solve(read) == cp_model.INFEASIBLE
    else:
        assert by_highs(model) == "Infeasible"


@pytest.mark.parametrize("form", ["lp", "mps", "cpsat"])
def test_the_profit_left_out_is_written(form: str, tmp_path: Path) -> None:
    model = exported(BAG, tmp_path, "--to", form)
    head = model.read_text().splitlines()[0]
    expected = "bag, 4 items, 4 elements, union; the objective is 27 less the profit"
    assert head.endswith(expected)
    solve = by_cp_sat if form == "cpsat" else by_highs
    assert solve(model) == 9


@pytest.mark.parametrize(
    ("instance", "arguments", "complaint"),
    [
        (CARDS, ["--level", "4"], "--level: must lie between 1 and 3, not 4"),
        (CARDS, ["--level", "2", "--at-most", "1,2"], "--at-most: must be 1 numbers"),
        (CARDS, ["--level", "2", "--at-most", "x"], "--at-most: must be 1 numbers"),
        (CARDS, ["--at-most", "4"], "--at-most: needs --level"),
        (CARDS, ["--formulation", "pairs"], "--formulation: must be one of classes"),
        (BAG, ["--formulation", "classes"], "--formulation: must be one of union"),
        (BAG, ["--level", "1"], "--level: is for processor sets"),
        (
            Sukp("dear", (10**12, 1), (1,), ((0,), (0,)), 0),
            [],
            "--to: has numbers of more than 12 digits, which lp text would cut off",
        ),
        (
            replace(
                CARDS,
                sets=(
                    ProcessorSet("s", (0,), (3, 2**59)),
                    ProcessorSet("t", (1,), (3, 1)),
                ),
            ),
            [],
            "do not fit into one objective of 50 bits; minimise the levels one by one",
        ),
    ],
)
def test_bad_options_for_other_problems_are_one_line(
    instance: ProcSet | Sukp,
    arguments: list[str],
    complaint: str,
    tmp_path: Path,
    capsys: Any,
) -> None:
    file = tmp_path / "instance.json"
    write_instance(instance, file)
    status = run(["export", str(file), "--to", "lp", *arguments])
    shown = capsys.readouterr()
    assert status == 2
    assert complaint in shown.err
    assert shown.err.count("\n") == 1


def test_distances_that_text_would_cut_off_are_refused(
    tmp_path: Path, capsys: Any
) -> None:
    far = Points(((0,), (1,), (10**12,)))
    file = written(KSubset("far", far, far.coordinates, 2), tmp_path)
    assert run(["export", file, "--to", "mps", "--formulation", "pairs"]) == 2
    assert "mps text would cut off; write cpsat" in capsys.readouterr().err
    assert run(["export", file, "--to", "cpsat", "--formulation", "pairs"]) == 0
