"""Run a mixed-integer formulation in a process of its own.

highspy and ortools cannot live in one process, and a solver that hangs, crashes or
eats all memory must not take the program down: so every MIP solver is a child
process that gets a folder, a time limit and, if asked for, a memory limit. Past
its time it is killed, with everything it started.
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
from math import ceil, isfinite
from pathlib import Path
from time import perf_counter
from typing import Any

from .formulation import MipFormulation, settle
from .interrupt import deferred
from .mip_backends import cbc_progress
from .result import Grade, Limit, Proof, Result, SolverError
from .settings import DEFAULT, Settings

BACKENDS = {
    "highs": "closeknit.solvers.mip_backends:highs",
    "scip": "closeknit.solvers.mip_backends:scip",
    "cbc": "closeknit.solvers.mip_backends:cbc",
}
"""Where each solver is driven from; imported in the child process only."""

QUADRATIC = {"scip": "closeknit.solvers.scip_quadratic:scip"}
"""The same for models with concave quadratic costs."""

INSTALL = {
    "highspy": "pip install highspy",
    "pyscipopt": "pip install pyscipopt",
    "cbc": "pip install 'pulp[cbc]', or put cbc on the path",
    "pulp": "pip install pulp",
}

GRACE = 5.0
"""Seconds past the time limit before a solver is killed."""
_POLL = 0.05
_ABSOLUTE, _RELATIVE = 1e-3, 1e-9
"""Float bounds are lowered by this much before they are rounded up: solvers
accept 1e-6 as zero in each of up to some thousand terms."""
_EXACT = 2**50
"""Objective coefficients of this size have no room for such tolerances."""
_FULL = re.compile("bad_alloc|MemoryError|out of memory|allocate memory", re.I)


def solve(
    formulation: MipFormulation,
    backend: str,
    *,
    settings: Settings = DEFAULT,
    start: float | None = None,
) -> Result:
    """Solve a formulation; the solution is checked and priced anew.

    Ctrl-C ends the search with what it has and the limit ``interrupt``; a second
    Ctrl-C is a KeyboardInterrupt.

    Parameters
    ----------
    formulation
        What to solve.
    backend
        A key of `BACKENDS`.
    settings
        Time limit (what is left of it since ``start``), seed, threads, and the
        memory that the child process may use on top of its libraries.
    start
        ``time.perf_counter()`` when the run began, building included.

    Raises
    ------
    SolverError
        When the solver is missing, crashes, hangs, answers nonsense or a wrong
        solution; it is named.
    """
    start = perf_counter() if start is None else start
    _refuse_inexact(formulation)
    with tempfile.TemporaryDirectory(prefix="closeknit-") as name:
        folder = Path(name)
        _hand_over(formulation, backend, settings, start, folder)
        ended, code = _run(folder, settings, start)
        outcome = _outcome(folder, backend)
        complaint = _tail(folder / "stderr")
        values, bound, version = _progress(folder)
        begun = (folder / "progress.jsonl").exists()
    version = version or backend
    limit = ended
    if outcome is not None:
        version = str(outcome.get("version") or version)
        limit = ended or _limit(outcome, backend, formulation.name)
        if outcome.get("values") is not None:
            values = outcome["values"]
        if outcome.get("bound") is not None:
            bound = max(outcome["bound"], -1.0 if bound is None else bound)
    elif ended is None:
        if settings.memory_mb is None or not _FULL.search(complaint):
            raise SolverError(_crash(backend, code, complaint))
        limit = Limit.MEMORY
    elif ended is Limit.TIME and begun and values is None and bound is None:
        raise SolverError(
            f"{backend} hung: killed {GRACE:g} s past its limit, nothing found."
        )
    return settle(
        formulation,
        None if values is None else [round(v) for v in values],
        _rounded_up(bound, formulation.unit, formulation.slack),
        Proof(Grade.SOLVER, version),
        limit=limit,
        start=start,
        seed=settings.seed,
    )


def _refuse_inexact(formulation: MipFormulation) -> None:
    most = formulation.most
    if most >= _EXACT:
        raise SolverError(
            f"{formulation.name}: distances of {most} are too large for a solver that "
            "counts in floats; use cp-sat or cuts-bb."
        )


def _hand_over(
    formulation: MipFormulation,
    backend: str,
    settings: Settings,
    start: float,
    folder: Path,
) -> None:
    formulation.write(folder / "model.json")
    left = settings.time_limit - (perf_counter() - start)
    drivers = QUADRATIC if formulation.form == "quadratic" else BACKENDS
    job = {
        "backend": drivers[backend],
        "form": formulation.form,
        "deadline": time.time() + left,
        "seed": settings.seed,
        "threads": settings.threads,
        "memory_mb": settings.memory_mb,
        "variables": formulation.names,
        "warm": formulation.hint is not None,
    }
    (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")


def _run(folder: Path, settings: Settings, start: float) -> tuple[Limit | None, int]:
    """Wait for the child; say what ended it early, and its exit state."""
    hard = start + settings.time_limit + GRACE
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
        try:
            while True:
                try:
                    return None, child.wait(_POLL)
                except subprocess.TimeoutExpired:
                    pass
                if pressed.is_set():
                    return Limit.INTERRUPT, 0
                if perf_counter() > hard:
                    return Limit.TIME, 0
        finally:
            _kill(child)


def _kill(child: subprocess.Popen[bytes]) -> None:
    """End the child and all it started; it leads a group of its own."""
    with suppress(ProcessLookupError, PermissionError):  # all gone already
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    if child.stdin:
        child.stdin.close()


def _outcome(folder: Path, backend: str) -> dict[str, Any] | None:
    """Return the child's answer, None if it did not get so far."""
    file = folder / "outcome.json"
    if not file.exists():
        return None
    try:
        outcome = json.loads(file.read_text(encoding="utf-8"))
        if not isinstance(outcome["status"], str):
            raise TypeError
        return {
            **outcome,
            "values": _numbers(outcome.get("values")),
            "bound": _number(outcome.get("bound")),
        }
    except (ValueError, TypeError, KeyError):
        raise SolverError(f"{backend} answered nonsense.") from None


def _progress(folder: Path) -> tuple[list[float] | None, float | None, str]:
    """Return the last solution and the best bound noted on the way, and by whom."""
    values, bound, version = None, cbc_progress(folder), ""
    file = folder / "progress.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    for line in lines:
        try:
            note = json.loads(line)
            values = _numbers(note.get("values")) or values
            said = _number(note.get("bound"))
            version = str(note.get("version") or version)
        except (ValueError, TypeError, AttributeError):
            continue  # cut off in the middle when it was killed
        if said is not None and (bound is None or said > bound):
            bound = said
    return values, bound, version


def _numbers(values: Any) -> list[float] | None:
    if values is None:
        return None
    return [float(value) for value in values]


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


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


def _rounded_up(bound: float | None, unit: int, slack: float = 0.0) -> int | None:
    """Turn a solver's float into a bound on the pair sum."""
    if bound is None or not isfinite(bound):
        return None
    safe = ceil(bound - slack - _ABSOLUTE - _RELATIVE * abs(bound))
    return max(0, -(-safe // unit))


def _crash(backend: str, code: int, complaint: str) -> str:
    if code < 0:
        try:
            how = f"was ended by {signal.Signals(-code).name}"
        except ValueError:
            how = f"was ended by signal {-code}"
    else:
        how = f"ended with status {code} and no answer"
    return f"{backend} crashed: {how}{': ' + complaint if complaint else ''}."


def _tail(file: Path) -> str:
    """Return the last line that says something."""
    lines: Sequence[str] = file.read_text(errors="replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "")
