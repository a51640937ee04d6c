"""Run a formulation with CP-SAT, in this process."""

from __future__ import annotations

import sys
from math import ceil, isfinite
from threading import Thread
from time import perf_counter

from .formulation import CpFormulation, settle
from .interrupt import deferred
from .result import Grade, Limit, Proof, Result, SolverError
from .settings import DEFAULT, Settings

if "highspy" in sys.modules:
    raise SolverError(
        "cp-sat cannot run here: highspy is loaded in this process, and the two "
        "cannot live together; use either one in a process of its own."
    )
try:
    import ortools
    from ortools.sat.python import cp_model
except ModuleNotFoundError as error:
    raise SolverError(
        f"cp-sat is not installed ({error.name}): pip install ortools"
    ) from None

_TOLERANCE = 1e-6
"""CP-SAT counts in integers; its bound is a float only on the way out."""
_POLL = 0.05


def solve(
    formulation: CpFormulation,
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
    settings
        Time limit (what is left of it since ``start``), seed, threads, memory. One
        thread and one seed: one result, unless a limit ends the search.
    start
        ``time.perf_counter()`` when the run began, building included.

    Raises
    ------
    SolverError
        When the model is rejected, or the solution fails ``instances.check``.
    """
    start = perf_counter() if start is None else start
    solver = cp_model.CpSolver()
    solver.parameters.parse_text_format(formulation.parameters)
    left = max(0.0, settings.time_limit - (perf_counter() - start))
    solver.parameters.max_time_in_seconds = left
    solver.parameters.random_seed = settings.seed
    solver.parameters.num_workers = settings.threads
    # Its own handler would swallow Ctrl-C, and kill the program at the third.
    solver.parameters.catch_sigint_signal = False
    if settings.memory_mb is not None:
        solver.parameters.max_memory_in_mb = settings.memory_mb

    began = perf_counter()
    code, interrupted = _run(solver, formulation.model)
    spent = perf_counter() - began
    by = f"cp-sat {ortools.__version__}"
    if code == cp_model.MODEL_INVALID:
        why = formulation.model.validate() or "no reason given"
        raise SolverError(f"{by} rejects the model {formulation.name}: {why}")
    below = formulation.below
    if code == cp_model.INFEASIBLE and below is None:
        raise SolverError(
            f"{by} finds {formulation.name} infeasible, but any choice is a solution."
        )
    values = None
    if code in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        values = [solver.value(x) for x in formulation.variables]
    bound = solver.best_objective_bound
    proved = None
    if isfinite(bound):
        proved = max(0, -(-ceil(bound - _TOLERANCE) // formulation.unit))
    if below is not None:
        if code == cp_model.INFEASIBLE:
            proved = below
        elif proved is not None:
            proved = min(proved, below)
    limit = None
    if interrupted:
        limit = Limit.INTERRUPT
    elif code not in (cp_model.OPTIMAL, cp_model.INFEASIBLE):
        early = settings.memory_mb is not None and spent < 0.9 * left
        limit = Limit.MEMORY if early else Limit.TIME
    return settle(
        formulation,
        values,
        proved,
        Proof(Grade.SOLVER, by),
        limit=limit,
        start=start,
        seed=settings.seed,
    )


def _run(solver: cp_model.CpSolver, model: cp_model.CpModel) -> tuple[int, bool]:
    """Search in a thread, so that this one hears Ctrl-C and can pass it on."""
    outcome: list[int] = []
    failure: list[BaseException] = []

    def search() -> None:
        try:
            outcome.append(solver.solve(model))
        except BaseException as error:
            failure.append(error)

    thread = Thread(target=search, daemon=True)
    with deferred() as pressed:
        thread.start()
        while thread.is_alive():
            thread.join(_POLL)
            if pressed.is_set():  # again and again: it may not have begun before
                solver.stop_search()
    if failure:
        raise SolverError(f"cp-sat failed: {failure[0]}")
    return outcome[0], pressed.is_set()
