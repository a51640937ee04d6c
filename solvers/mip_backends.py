"""HiGHS, SCIP and CBC, mostly through PuLP; they run only in a solver's process.

A backend is a function that solves a `Job`. Optimality gaps are 0; improved solutions
and bounds are reported as they are found.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Sequence
from importlib import import_module
from math import inf
from pathlib import Path
from typing import Any

from .mip_worker import Job

_EVERY = 0.25
"""Minimal seconds between two reports of a bound."""


def highs(job: Job) -> None:
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
        bound=_finite(info.mip_dual_bound),
        values=[v.varValue for v in job.chosen] if found else None,
        version=version,
    )


def scip(job: Job) -> None:
    """Run SCIP."""
    pyscipopt = import_module("pyscipopt")
    pulp = import_module("pulp")
    version = f"scip {pyscipopt.Model().version()}"
    job.note(version=version)

    class Scip(pulp.SCIP_PY):  # type: ignore[misc, name-defined]
        def callSolver(self, lp: Any) -> None:
            model = lp.solverModel
            model.setParam("randomization/randomseedshift", job.seed % 2**31)
            scip_progress(pyscipopt, model, job, [v.solverVar for v in job.chosen])
            model.optimizeNogil()

    solver = Scip(
        msg=job.log, timeLimit=job.seconds, gapRel=0.0, gapAbs=0.0, warmStart=job.warm
    )
    solver.actualSolve(job.model)
    asked = [v.solverVar for v in job.chosen]
    scip_end(job.model.solverModel, job, asked, version)


def scip_progress(pyscipopt: Any, engine: Any, job: Job, asked: Sequence[Any]) -> None:
    """Make SCIP report improved solutions (values of some variables) and bounds."""
    kinds = pyscipopt.SCIP_EVENTTYPE

    class Listener(pyscipopt.Eventhdlr):  # type: ignore[misc]
        last = (-inf, 0.0)

        def eventinit(self) -> None:
            self.model.catchEvent(kinds.BESTSOLFOUND, self)
            self.model.catchEvent(kinds.NODESOLVED, self)

        def eventexit(self) -> None:
            self.model.dropEvent(kinds.BESTSOLFOUND, self)
            self.model.dropEvent(kinds.NODESOLVED, self)

        def eventexec(self, event: Any) -> None:
            if event.getType() == kinds.BESTSOLFOUND:
                best = self.model.getBestSol()
                job.note(values=[best[v] for v in asked])
            bound = self.model.getDualbound()
            if bound > self.last[0] and time.monotonic() > self.last[1] + _EVERY:
                self.last = bound, time.monotonic()
                job.note(bound=_finite(bound))

    engine.includeEventhdlr(Listener(), "progress", "reports solutions and bounds")


def scip_end(engine: Any, job: Job, asked: Sequence[Any], version: str) -> None:
    """Report SCIP's final status, bound and solution."""
    statuses = {
        "optimal": "optimal",
        "timelimit": "time",
        "memlimit": "memory",
        "infeasible": "infeasible",
    }
    status = engine.getStatus()
    found = engine.getNSols() > 0
    best = engine.getBestSol() if found else None
    job.end(
        status=statuses.get(status, f"error: {status}"),
        bound=_finite(engine.getDualbound()),
        values=[best[v] for v in asked] if best is not None else None,
        version=version,
    )


def scip_quadratic(job: Job) -> None:
    """Build a model with concave quadratic costs; run SCIP's branch and bound."""
    pyscipopt = import_module("pyscipopt")
    engine = pyscipopt.Model()
    version = f"scip {engine.version()}"
    job.note(version=version)
    engine.hideOutput(not job.log)
    described = job.model
    variables = [
        engine.addVar(name=name, lb=low, ub=high, vtype=kind)
        for name, low, high, _, kind in described.variables
    ]
    for terms, low, high in described.rows:
        total = pyscipopt.quicksum(weight * variables[i] for i, weight in terms)
        if low == high:
            engine.addCons(total == low)
            continue
        if low is not None:
            engine.addCons(total >= low)
        if high is not None:
            engine.addCons(total <= high)
    for z, c, total in described.squares:
        engine.addCons(variables[z] >= total * variables[c] - variables[c] ** 2)
    prices = [weight * variables[i] for i, weight in described.prices]
    engine.setObjective(pyscipopt.quicksum(prices), "minimize")
    engine.setParam("limits/time", job.seconds)
    engine.setParam("limits/gap", 0.0)
    engine.setParam("limits/absgap", 0.0)
    engine.setParam("randomization/randomseedshift", job.seed % 2**31)
    if job.warm:
        start = engine.createSol()
        for variable, (*_, value, _kind) in zip(
            variables, described.variables, strict=True
        ):
            engine.setSolVal(start, variable, value)
        engine.addSol(start)
    by_name = {entry[0]: i for i, entry in enumerate(described.variables)}
    asked = [variables[by_name[name]] for name in job.chosen]
    scip_progress(pyscipopt, engine, job, asked)
    engine.optimizeNogil()
    scip_end(engine, job, asked, version)


def cbc(job: Job) -> None:
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


def _finite(bound: float) -> float | None:
    return float(bound) if abs(bound) < 1e20 else None
