"""Formulations from several threads, in folders whose names libraries may dislike."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from closeknit.methods import METHODS

PROGRAM = """
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
import closeknit as ck
from closeknit.solvers.modelling import load_pulp

JOBS = {
    "ksubset": ck.ksubset(ck.Mesh(4, 4), k=4, busy=[(0, 0), (1, 2)]),
    "procset": "instances/random-18-12sets-of5-l3-full-r8-s1.json",
    "sukp": "instances/sukp-18x16-density15pct-capacity50pct-s1.json",
    "submesh": "instances/submesh.json",
}
TOGETHER = Barrier(3)

def solve(task):
    problem, method = task
    if method is None:  # the first in each thread: all begin together
        method = "cuts-unary/highs"
        TOGETHER.wait(60)
        load_pulp().LpProblem
    try:
        found = ck.solve(JOBS[problem], method=method, time_limit=100)
        return [problem, method, found.status.value, str(found.cost)]
    except BaseException as error:
        return [problem, method, type(error).__name__, str(error)]

tasks = [("ksubset", None)] * 3 + json.loads(sys.argv[1])
with ThreadPoolExecutor(3) as pool:
    found = list(pool.map(solve, tasks))
print(json.dumps(found))
"""


@pytest.mark.parametrize("every", [7, pytest.param(1, marks=pytest.mark.slow)])
def test_formulations_from_three_threads(every: int, tmp_path: Path) -> None:
    place = tmp_path / "ein Ordner für ‚alles‘"
    temporary = place / "vorläufig & kurz"
    (place / "instances").mkdir(parents=True)
    temporary.mkdir()
    data = Path(str(files("closeknit") / "instances" / "data"))
    for file in data.glob("*.json"):
        (place / "instances" / file.name).write_bytes(file.read_bytes())
    submesh = subprocess.run(
        [
            *(sys.executable, "-m", "closeknit", "generate", "submesh"),
            *("--shape", "6x6", "--most", "3", "--out", str(place / "instances")),
        ],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\n")[0]
    Path(submesh).rename(place / "instances" / "submesh.json")
    tasks = [
        (problem, name)
        for problem, table in METHODS.items()
        for name in table
        if name.rpartition("/")[2] in ("cpsat", "highs", "cbc", "exact")
    ]
    assert len(tasks) > 15
    tasks = tasks[::every]
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(tasks)],
        cwd=place,
        env={**os.environ, "TMPDIR": str(temporary)},
        capture_output=True,
        text=True,
        check=False,
        timeout=500,
    )
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout)
    answers = {
        problem: {(status, cost) for one, _, status, cost in found if one == problem}
        for problem in {one for one, *_ in found}
    }
    assert all(len(given) == 1 for given in answers.values()), found
    assert {status for given in answers.values() for status, _ in given} == {"optimal"}
    assert list(temporary.iterdir()) == []
