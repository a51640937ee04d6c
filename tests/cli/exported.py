"""Models that `export` wrote, and solvers that read them back."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from ortools.sat.python import cp_model

from closeknit.cli.app import run
from closeknit.instances import write_instance

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


def exported(instance: Any, folder: Path, form: str, *words: str) -> Path:
    """Export an instance in a form, with these options."""
    file, out = folder / "instance.json", folder / f"model.{form}"
    write_instance(instance, file)
    assert run(["export", str(file), "--to", form, *words, "--out", str(out)]) == 0
    return out


def optimum_of(model: Path) -> int | None:
    """Return the optimum of a model, None if it is infeasible."""
    return by_cp_sat(model) if model.suffix == ".cpsat" else by_highs(model)


def by_highs(model: Path) -> int | None:
    """Solve a model file in a process that has never seen closeknit."""
    ended = subprocess.run(
        [sys.executable, "-c", HIGHS, str(model)],
        capture_output=True,
        text=True,
        check=True,
    )
    last = ended.stdout.splitlines()[-1]
    assert last == "Infeasible" or last.lstrip("-").isdigit()
    return None if last == "Infeasible" else int(last)


def by_cp_sat(model: Path) -> int | None:
    """Solve a model of CP-SAT, by one worker."""
    read = cp_model.CpModel()
    assert read.proto.parse_text_format(model.read_text())
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    status = solver.solve(read)
    if status == cp_model.INFEASIBLE:
        return None
    assert status == cp_model.OPTIMAL
    return round(float(solver.objective_value))
