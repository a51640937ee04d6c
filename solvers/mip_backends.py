"""HiGHS and CBC through PuLP; they run only in a solver's process.

A backend is a function that solves a `ModelRun`. Optimality gaps are 0; improved
solutions and bounds are reported as they are found.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from importlib import import_module
from math import inf
from pathlib import Path
from typing import Any

from .mip_worker import ModelRun

_EVERY = 0.25
"""Minimal seconds between two reports of a bound."""


def highs(job: ModelRun) -> None:
    """Run HiGHS."""
    highspy = import_module("highspy")
    pulp = import_module("pulp")
    kinds = highspy.cb.HighsCallbackType
    last = [-inf, 0.0]
    version = f"highs {highspy.Highs().version()}"
    job.note(version=version)

    def report(kind: Any, text: str, out: Any, into: Any, data: Any) -> None:
        if kind == kinds.kCallbackMipImprovingSolution:
            job.note(values=_at(job.chosen, out.mip_solution))
        bound = float(out.mip_dual_bound)
        if abs(bound) < inf and bound > last[0] and time.monotonic() > last[1] + _EVERY:
            last[:] = bound, time.monotonic()
            job.note(bound=bound)

    class Highs(pulp.HiGHS):  # type: ignore[misc, name-defined]
        def callSolver(self, lp: Any) -> None:
            if job.warm:
                start = highspy.HighsSolution()
                start.col_value = [v.varValue or 0.0 for v in lp.variables()]
                lp.solverModel.setSolution(start)
            super().callSolver(lp)

        def findSolutionValues(self, lp: Any) -> tuple[int, int]:
            """Take over the values, if there are any; the status is read below.

            PuLP's own looks values and states up that HiGHS need not have after an
            error in its numbers or at a limit of memory, and then raises.
            """
            values = list(lp.solverModel.getSolution().col_value)
            for v in lp.variables() if values else ():
                v.varValue = values[v.index]
            states = pulp.constants
            return states.LpStatusNotSolved, states.LpSolutionNoSolutionFound

    solver = Highs(
        msg=job.log,
        timeLimit=job.seconds,
        gapRel=0.0,
        gapAbs=0.0,
        threads=job.threads,
        random_seed=job.seed,
        callbackTuple=(report, None),
        callbacksToActivate=[
            kinds.kCallbackMipImprovingSolution,
            kinds.kCallbackMipInterrupt,
        ],
    )
    solver.actualSolve(job.model)
    engine = job.model.solverModel
    state = highspy.HighsModelStatus
    statuses = {
        state.kOptimal: "optimal",
        state.kTimeLimit: "time",
        state.kInfeasible: "infeasible",
        state.kModelEmpty: "optimal",
    }
    memory = getattr(state, "kMemoryLimit", None)
    if memory is not None:
        statuses[memory] = "memory"
    status = engine.getModelStatus()
    info = engine.getInfo()
    found = info.primal_solution_status == 2
    job.end(
        status=statuses.get(status, f"error: {engine.modelStatusToString(status)}"),
        bound=bound if abs(bound := info.mip_dual_bound) < 1e20 else None,
        values=[v.varValue for v in job.chosen] if found else None,
        version=version,
    )


def cbc(job: ModelRun) -> None:
    """Run CBC, bundled with PuLP or found on the path."""
    pulp = import_module("pulp")
    solver = None
    known = {
        "msg": False,
        "timeLimit": job.seconds,
        "gapRel": 0.0,
        "gapAbs": 0.0,
        "threads": job.threads if job.threads > 1 else None,
        "warmStart": job.warm,
        "logPath": str(job.folder / cbc_log(len(job.optima))),
        "options": [f"randomCbcSeed {job.seed % 2**31}"],
    }
    on_path = pulp.COIN_CMD(**known)
    bundled = getattr(pulp, "PULP_CBC_CMD", None)
    if bundled is not None and bundled(msg=False).available():
        solver = bundled(**known)
    elif on_path.available():
        solver = on_path
    if solver is None:
        raise ModuleNotFoundError("cbc", name="cbc")
    solver.tmpDir = str(job.folder)
    solver.actualSolve(job.model)
    log = (job.folder / cbc_log(len(job.optima))).read_text(errors="replace")
    constants = pulp.constants
    integral = (
        constants.LpSolutionOptimal,
        constants.LpSolutionIntegerFeasible,
    )
    found = job.model.sol_status in integral
    if "Result - Optimal solution found" in log:
        status = "optimal"
    elif "Stopped on time" in log or "Result - Stopped" in log:
        status = "time"
    elif job.model.sol_status == constants.LpSolutionInfeasible:
        status = "infeasible"
    else:
        status = "error: no result in its log"
    bound = cbc_bound(log)
    if status == "optimal":
        bound = pulp.value(job.model.objective) or 0.0
    version = re.search(r"^Version: (\S+)", log, re.MULTILINE)
    job.end(
        status=status,
        bound=bound,
        values=[v.varValue for v in job.chosen] if found else None,
        version=f"cbc {version[1]}" if version else "cbc",
    )


def cbc_log(level: int) -> str:
    """Return the name of CBC's log file for a level."""
    return f"cbc{level}.log"


def cbc_bound(log: str) -> float | None:
    """Return the best bound in CBC's log, if any."""
    number = r"([-+]?\d[\d.]*(?:e[-+]?\d+)?)"
    found = re.findall(rf"best possible {number}|^Lower bound: +{number}", log, re.M)
    bounds = [float(a or b) for a, b in found]
    return max(bounds) if bounds else None


def cbc_progress(folder: Path, level: int) -> float | None:
    """Return the bound in the log of a CBC run that may have been stopped, if any."""
    try:
        return cbc_bound((folder / cbc_log(level)).read_text(errors="replace"))
    except OSError:
        return None


def _at(chosen: Iterable[Any], values: Any) -> list[float]:
    return [float(values[v.index]) for v in chosen]
