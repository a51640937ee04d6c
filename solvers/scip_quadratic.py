"""SCIP through PySCIPOpt, for models with concave quadratic costs.

Runs only in a solver's process; see ``mip_worker`` and ``mip_backends``.
"""

from __future__ import annotations

from importlib import import_module

from .mip_backends import scip_end, scip_progress
from .mip_worker import Job


def scip(job: Job) -> None:
    """Build the model and run SCIP's spatial branch and bound."""
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
