"""Run a mixed-integer formulation with a solver in a child process.

highspy and ortools cannot share a process, and a solver that hangs, crashes or exhausts
memory must not end the program. A child process has a folder, a time limit and an
optional memory limit. At its time limit its process group is killed; the bounds and
solutions that it has reported by then are used.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..instances import Value, cost
from ..instances.value import ordered
from . import clock, logs
from .formulation import MipFormulation, to_result
from .interrupt import OutOfTimeError, alarm_postponed, deferred, grace
from .mip_backends import cbc_progress
from .result import Grade, Limit, Proof, Result, SolverError, Status
from .settings import DEFAULT, Settings
from .tolerances import rounded_up

BACKENDS = {
    "highs": "closeknit.solvers.mip_backends:highs",
    "scip": "closeknit.solvers.mip_backends:scip",
    "cbc": "closeknit.solvers.mip_backends:cbc",
}
"""Entry point of each solver, imported in the child process only."""

QUADRATIC = {"scip": "closeknit.solvers.scip_quadratic:scip"}
"""Entry points for models with concave quadratic costs."""

INSTALL = {
    "highspy": "pip install highspy",
    "pyscipopt": "pip install pyscipopt",
    "cbc": "pip install 'pulp[cbc]', or put cbc on the path",
    "pulp": "pip install pulp",
}

_POLL = 0.05
_EXACT = 2**50
"""Objective coefficients from this size on are too large for a solver's tolerances."""
_OUT_OF_MEMORY = re.compile("bad_alloc|MemoryError|out of memory|allocate memory", re.I)


def solve(
    formulation: MipFormulation,
    backend: str,
    *,
    settings: Settings = DEFAULT,
    start: float | None = None,
) -> Result:
    """Solve a formulation; the solution is checked and priced again.

    Ctrl-C ends the search with the best solution and the limit ``interrupt``; a second
    Ctrl-C raises KeyboardInterrupt.

    Parameters
    ----------
    formulation
        The model to solve.
    backend
        A key of `BACKENDS`.
    settings
        Time limit (measured from ``start``), seed, threads, and the memory that the
        child process may use in addition to its libraries.
    start
        ``clock.now()`` at the start of the run, including model building.

    Raises
    ------
    SolverError
        If the solver is not installed, crashes, or returns an invalid answer or a wrong
        solution. Reaching the time limit is not an error.
    """
    start = clock.now() if start is None else start
    known, stderr = _Report(), ""
    outcome: dict[str, Any] | None = None
    ended: Limit | None
    code = 0
    try:
        _refuse_inexact(formulation)
        with tempfile.TemporaryDirectory(prefix="closeknit-") as name:
            folder = Path(name)
            _write_job(formulation, backend, settings, start, folder)
            ended, code = _run(folder, backend, settings, start)
            with alarm_postponed():
                outcome = _outcome(folder, backend)
                known = _progress(folder)
                stderr = "" if ended else _last_line(folder / "stderr")
    except OutOfTimeError:  # the model is too large to be written in time
        ended = Limit.TIME
    except KeyboardInterrupt:
        ended = Limit.INTERRUPT
    known.version = known.version or backend
    limit = ended
    if outcome is not None:
        if outcome["status"] == "infeasible" and formulation.may_be_infeasible:
            return Result(
                status=Status.INFEASIBLE,
                proof=Proof(Grade.SOLVER, str(outcome.get("version") or backend)),
                seconds=clock.now() - start,
                seed=settings.seed,
            )
        known.take(outcome)
        limit = ended or _limit(outcome, backend, formulation.name)
    elif ended is None:
        if settings.memory_mb is None or not _OUT_OF_MEMORY.search(stderr):
            raise SolverError(_crash(backend, code, stderr))
        limit = Limit.MEMORY
    values, bound = _priced(formulation, known)
    return to_result(
        formulation,
        values,
        bound,
        Proof(Grade.SOLVER, known.version),
        limit=limit,
        start=start,
        seed=settings.seed,
    )


@dataclass(slots=True)
class _Report:
    """The best bounds and solutions that a child process has reported.

    Attributes
    ----------
    version
        Name and version of the solver.
    optima
        Optima of the first levels, if there are levels.
    bound
        Bound on the objective, or on the first level without an optimum.
    values
        The last solution of each level.
    """

    version: str = ""
    optima: list[int] = field(default_factory=list)
    bound: float | None = None
    values: dict[int, list[float]] = field(default_factory=dict)

    def take(self, report: dict[str, Any]) -> None:
        """Merge a progress note or the outcome.

        Raises
        ------
        ValueError, TypeError
            If it is malformed.
        """
        values, bound = report.get("values"), report.get("bound")
        optima = [int(v) for v in report.get("optima") or ()]
        values = None if values is None else [float(v) for v in values]
        bound = None if bound is None else float(bound)
        if len(optima) > len(self.optima):
            self.optima, self.bound = optima, None
        if values is not None:
            self.values[len(optima)] = values
        if bound is not None and (self.bound is None or bound > self.bound):
            self.bound = bound
        self.version = str(report.get("version") or self.version)


def _priced(
    formulation: MipFormulation, known: _Report
) -> tuple[list[int] | None, Value | None]:
    """Return the cheapest solution, and the bound on the cost."""
    found = [[round(v) for v in values] for values in known.values.values()]
    bound = rounded_up(known.bound, slack=formulation.slack)
    proved = None
    if bound is not None or known.optima:
        proved = formulation.bound_of(bound, known.optima)
    if len(found) < 2:
        return found[0] if found else None, proved
    instance, decode = formulation.instance, formulation.decode
    best = min(found, key=lambda values: ordered(cost(instance, decode(values))))
    return best, proved


def _refuse_inexact(formulation: MipFormulation) -> None:
    most = formulation.most
    if most >= _EXACT:
        raise SolverError(
            f"{formulation.name}: costs of {most} are too large for a solver that "
            "computes in floats; use cpsat or one of closeknit's own searches."
        )


def _write_job(
    formulation: MipFormulation,
    backend: str,
    settings: Settings,
    start: float,
    folder: Path,
) -> None:
    formulation.write(folder / "model.json")
    left = settings.time_limit - (clock.now() - start)
    drivers = QUADRATIC if formulation.form == "quadratic" else BACKENDS
    job = {
        "backend": drivers[backend],
        "form": formulation.form,
        "deadline": time.monotonic() + left,
        "seed": settings.seed,
        "threads": settings.threads,
        "memory_mb": settings.memory_mb,
        "variables": formulation.names,
        "levels": formulation.objectives,
        "warm": formulation.hint is not None,
        "log": logs.enabled(),
    }
    (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")


def _run(
    folder: Path, backend: str, settings: Settings, start: float
) -> tuple[Limit | None, int]:
    """Run the child process; return the limit that ended it, if any, and its status."""
    soft = start + settings.time_limit
    hard = soft + grace(settings.time_limit)
    if clock.now() >= soft:
        return Limit.TIME, 0
    with (
        (folder / "stdout").open("wb") as out,
        (folder / "stderr").open("wb") as err,
        deferred() as pressed,
    ):
        child = subprocess.Popen(
            [sys.executable, "-m", f"{__package__}.mip_worker", str(folder)],
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=err,
            cwd=folder,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            start_new_session=True,
        )
        output = logs.Follower(backend, folder) if logs.enabled() else None
        try:
            while True:
                try:
                    return None, child.wait(_POLL)
                except subprocess.TimeoutExpired:
                    pass
                if output is not None:
                    output.follow()
                if pressed.is_set():
                    return Limit.INTERRUPT, 0
                if clock.now() > hard:
                    return Limit.TIME, 0
        finally:
            _kill(child)
            if output is not None:
                output.follow(to_the_end=True)


def _kill(child: subprocess.Popen[bytes]) -> None:
    """Kill the child's process group."""
    with suppress(ProcessLookupError, PermissionError):  # it has ended already
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    if child.stdin:
        child.stdin.close()


def _outcome(folder: Path, backend: str) -> dict[str, Any] | None:
    """Return the child's answer, or None if it has not written one."""
    file = folder / "outcome.json"
    if not file.exists():
        return None
    try:
        outcome = json.loads(file.read_text(encoding="utf-8"))
        if not isinstance(outcome["status"], str):
            raise TypeError
        _Report().take(outcome)
    except (ValueError, TypeError, KeyError):
        raise SolverError(f"{backend} returned a malformed answer.") from None
    return dict(outcome)


def _progress(folder: Path) -> _Report:
    """Return the bounds and solutions reported during the search."""
    known = _Report()
    file = folder / "progress.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    for line in lines:
        try:
            known.take(json.loads(line))
        except (ValueError, TypeError, AttributeError):
            continue  # truncated when the process was killed
    known.take({"bound": cbc_progress(folder, len(known.optima))})
    return known


def _limit(outcome: dict[str, Any], backend: str, model: str) -> Limit | None:
    status = outcome["status"]
    if status == "optimal":
        return None
    if status == "time":
        return Limit.TIME
    if status == "memory":
        return Limit.MEMORY
    if status == "missing":
        name = str(outcome.get("missing"))
        how = INSTALL.get(name, f"pip install {name}")
        raise SolverError(f"{backend} is not installed ({name}): {how}")
    if status == "infeasible":
        raise SolverError(
            f"{backend} finds {model} infeasible, but any choice is a solution."
        )
    raise SolverError(f"{backend} failed on {model}: {status}")


def _crash(backend: str, code: int, stderr: str) -> str:
    if code < 0:
        try:
            how = f"was ended by {signal.Signals(-code).name}"
        except ValueError:
            how = f"was ended by signal {-code}"
    else:
        how = f"ended with status {code} and no answer"
    return f"{backend} crashed: {how}{': ' + stderr if stderr else ''}."


def _last_line(file: Path) -> str:
    """Return the last line that is not blank."""
    lines: Sequence[str] = file.read_text(errors="replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "")
