"""Errors name the argument in Python, at the command line the option that sets it."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import closeknit as ck
from closeknit.cli.app import run

ROOT = Path(__file__).parents[2]
JOB = ck.ksubset(ck.Mesh(3, 3), k=3, name="job")
PACKAGES = (
    *("api", "methods", "exact", "heuristics", "formulations", "solvers", "instances"),
    *("reports/adversary", "reports/campaigns", "reports/ratios"),
    "papers",
)

CALLS: list[tuple[Callable[..., Any], dict[str, Any], str, str]] = [
    (ck.worst, {"method": "mm", "k": 0}, "worst mm --k 0", "k"),
    (ck.worst, {"method": "mm", "k": 3, "n": 2}, "worst mm --k 3 --n 2", "n"),
    (
        ck.worst,
        {"method": "mm", "points": True, "exhaustive": True},
        "worst mm --d 2 --exhaustive",
        "exhaustive",
    ),
    (ck.solve, {"job": JOB, "method": "no"}, "solve {file} --method no", "method"),
    (ck.solve, {"job": JOB, "seed": -1}, "solve {file} --seed -1", "seed"),
    (ck.solve, {"job": JOB, "threads": 0}, "solve {file} --threads 0", "threads"),
    (ck.solve, {"job": JOB, "node_limit": 0}, "solve {file} --node-limit 0", ""),
    (
        ck.solve,
        {"job": JOB, "proof_kind": "certificate"},
        "solve {file} --proof-kind certificate",
        "proof_kind",
    ),
    (ck.compare, {"job": JOB, "methods": "no"}, "compare {file} --methods no", ""),
    (ck.compare, {"job": JOB, "exact": "mm"}, "compare {file} --exact mm", "exact"),
    (
        ck.solve,
        {"job": JOB, "method": "mc1x1", "ties": "best"},
        "solve {file} --method mc1x1 --ties best",
        "ties",
    ),
]


@pytest.mark.parametrize(("call", "given", "command", "name"), CALLS)
def test_an_argument_in_python_is_an_option_at_the_command_line(
    call: Callable[..., Any],
    given: dict[str, Any],
    command: str,
    name: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    name = name or list(given)[-1]
    with pytest.raises(ck.InputError) as caught:
        call(**given)
    assert str(caught.value).startswith(f"{name}: ")
    assert "--" not in str(caught.value)
    ck.write_instance(JOB, tmp_path / "job.json")
    assert run(command.format(file=tmp_path / "job.json").split()) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"closeknit: --{name.replace('_', '-')}: ")
    assert str(caught.value).partition(": ")[2] in said


def test_a_proof_that_is_needed_is_named_as_the_argument(tmp_path: Path) -> None:
    job = ck.ksubset(ck.Mesh(3, 3), k=3, busy=[(1, 1)])
    solution = ck.solve(job, method="cuts-bb")
    (objection,) = ck.check(job, solution)
    assert objection.endswith(": give proof or accept")
    kept = ck.solve(job, proof=tmp_path / "p")
    with pytest.raises(ck.InputError, match=r"^proof: is needed to check this proof"):
        ck.check(kept)


def test_no_error_below_the_command_line_names_an_option() -> None:
    """But the one that gives both names."""
    found = set()
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            if "commands" in path.parts:
                continue
            for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(call, ast.Call) and "InputError" in ast.dump(call.func):
                    found |= {
                        one.value
                        for one in ast.walk(call)
                        if isinstance(one, ast.Constant)
                        and isinstance(one.value, str)
                        and re.search(r"(^|\W)--[a-z]", one.value)
                    }
    assert found == {" needs --max-runs, in Python max_runs"}
