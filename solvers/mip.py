"""Run a mixed-integer formulation in a process of its own.

highspy and ortools cannot live in one process, and a solver that hangs, crashes or
eats all memory must not take the program down: so every MIP solver is a child
process that gets a folder, a time limit and, if asked for, a memory limit. Past
its time it is killed, with everything it started; what it has noted until then counts.
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
from ..instances.outcome import Result
from ..instances.result import Grade, Limit, Proof, Status
from ..instances.value import as_tuple
from .formulation import MipFormulation, Standing, to_result
from .mip_backends import cbc_progress
from .running import clock, logs, progress
from .running.errors import SolverError
from .running.interrupt import OutOfTimeError, alarm_postponed, deferred, grace
from .running.settings import DEFAULT, Settings
from .running.tolerances import round_up

BACKENDS = {
    "highs": "closeknit.solvers.mip_backends:highs",
    "cbc": "closeknit.solvers.mip_backends:cbc",
}
"""Where each solver is driven from; imported in the child process only."""

INSTALL = {
    "highspy": "pip install highspy",
    "cbc": "pip install 'pulp[cbc]', or put cbc on the path",
    "pulp": "pip install pulp",
}

_POLL = 0.05
_REPORT = 0.2
"""Seconds between two looks at what a child has noted."""
_NOTED = ("progress.jsonl", "cbc*.log")
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
    """Solve a formulation; the solution is checked and priced again.

    Ctrl-C ends the search with what it has and the limit ``interrupt``; a second Ctrl-C
    is a KeyboardInterrupt. The time limit counts from ``start``, building included; the
    memory limit is what the child process may use on top of its libraries. Raises
    SolverError when the solver is missing, crashes, answers nonsense or a wrong
    solution; it is named. One that does not answer in time is no error.
    """
    start = clock.now() if start is None else start
    known, complaint = _Known(), ""
    outcome: dict[str, Any] | None = None
    ended: Limit | None
    code = 0
    try:
        _refuse_inexact(formulation)
        with tempfile.TemporaryDirectory(prefix="closeknit-") as name:
            folder = Path(name)
            _hand_over(formulation, backend, settings, start, folder)
            ended, code = _run(formulation, folder, backend, settings, start)
            with alarm_postponed():
                outcome = _outcome(folder, backend)
                known = _progress(folder)
                complaint = "" if ended else _tail(folder / "stderr")
    except OutOfTimeError:  # the model is too large to be handed over in time
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
        if settings.memory_mb is None or not _FULL.search(complaint):
            raise SolverError(_crash(backend, code, complaint))
        limit = Limit.MEMORY
    values, bound = _best_known(formulation, known)
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
class _Known:
    """What a child process has reported."""

    version: str = ""
    """Of the solver."""
    optima: list[int] = field(default_factory=list)
    """Of the first levels, where there are levels."""
    bound: float | None = None
    """On the objective, or on that of the level after these."""
    values: dict[int, list[float]] = field(default_factory=dict)
    """The last solution of each level that has any."""

    def take(self, report: dict[str, Any]) -> None:
        """Learn from a note or from the outcome.

        Raises ValueError, TypeError when it is nonsense.
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


def _best_known(
    formulation: MipFormulation, known: _Known
) -> tuple[list[int] | None, Value | None]:
    """Return the best of the solutions, and the bound on the cost."""
    found = [[round(v) for v in values] for values in known.values.values()]
    bound = round_up(known.bound)
    proved = None
    if bound is not None or known.optima:
        proved = formulation.bound_of(bound, known.optima)
    if len(found) < 2:
        return found[0] if found else None, proved
    instance, decode = formulation.instance, formulation.decode
    best = min(found, key=lambda values: as_tuple(cost(instance, decode(values))))
    return best, proved


def _refuse_inexact(formulation: MipFormulation) -> None:
    most = formulation.most
    if most >= _EXACT:
        raise SolverError(
            f"{formulation.name}: costs of {most} are too large for a solver that "
            "computes in floating point; use cpsat, or a search of closeknit's own."
        )


def _hand_over(
    formulation: MipFormulation,
    backend: str,
    settings: Settings,
    start: float,
    folder: Path,
) -> None:
    formulation.write(folder / "model.json")
    left = settings.time_limit - (clock.now() - start)
    job = {
        "backend": BACKENDS[backend],
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
    formulation: MipFormulation,
    folder: Path,
    backend: str,
    settings: Settings,
    start: float,
) -> tuple[Limit | None, int]:
    """Wait for the child; return what ended it early, and its exit status."""
    soft = start + settings.time_limit
    hard = soft + grace(settings.time_limit)
    if clock.now() >= soft:
        return Limit.TIME, 0
    with (
        (folder / "stdout").open("wb") as out,
        (folder / "stderr").open("wb") as err,
        deferred() as pressed,  # which the alarm sets, too
        alarm_postponed(),
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
        output = logs.LogFollower(backend, folder) if logs.enabled() else None
        report = _Reporter(formulation, folder) if progress.is_observed() else None
        try:
            while True:
                try:
                    return None, child.wait(_POLL)
                except subprocess.TimeoutExpired:
                    pass
                if output is not None:
                    output.follow()
                if report is not None:
                    report()
                if pressed.is_set():
                    return Limit.INTERRUPT, 0
                if clock.now() > hard:
                    return Limit.TIME, 0
        finally:
            _kill(child)
            if output is not None:
                output.follow(to_the_end=True)


class _Reporter:
    """Reports what a child has noted so far, whenever its files have grown."""

    def __init__(self, formulation: MipFormulation, folder: Path) -> None:
        self._formulation = formulation
        self._folder = folder
        self._standing = Standing(formulation)
        self._last = 0.0
        self._seen = -1

    def __call__(self) -> None:
        if clock.now() - self._last < _REPORT:
            return
        self._last = clock.now()
        files = (file for name in _NOTED for file in self._folder.glob(name))
        size = sum(file.stat().st_size for file in files)
        if size != self._seen:
            self._seen = size
            known = _progress(self._folder)
            self._standing.update(*_best_known(self._formulation, known))


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
        _Known().take(outcome)
    except (ValueError, TypeError, KeyError):
        raise SolverError(f"{backend} returned a malformed answer.") from None
    return dict(outcome)


def _progress(folder: Path) -> _Known:
    """Return what was noted on the way."""
    known = _Known()
    file = folder / "progress.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    for line in lines:
        try:
            known.take(json.loads(line))
        except (ValueError, TypeError, AttributeError):
            continue  # cut off in the middle when it was killed
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
    """Return the last line that is not blank."""
    lines: Sequence[str] = file.read_text(errors="replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "")
