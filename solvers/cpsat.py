"""Run a formulation with CP-SAT, in this process."""

from __future__ import annotations

import atexit
import sys
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil, floor, inf, isfinite
from threading import Event, Thread

from ..instances import Value
from . import clock, logs
from .formulation import CpFormulation, Level, to_result
from .interrupt import deferred, grace
from .result import Grade, Limit, Proof, Result, SolverError, Status
from .settings import DEFAULT, Settings

if "highspy" in sys.modules:
    raise SolverError(
        "cp-sat cannot run here: highspy is loaded in this process, and the two "
        "cannot share a process; use either one in a process of its own."
    )
try:
    import ortools
    from ortools.sat.python import cp_model
except ModuleNotFoundError as error:
    raise SolverError(
        f"cp-sat is not installed ({error.name}): pip install ortools"
    ) from None

_TOLERANCE = 1e-6
"""CP-SAT computes in integers; only the reported bound is a float."""
_EXACT = 2.0**52
"""Neighbouring floats up to twice this differ by at most one."""
_POLL = 0.05
_STOP_TIMEOUT = 1.0
"""Seconds that a search has to end after Ctrl-C."""
_EXIT_TIMEOUT = 30.0
"""Seconds that abandoned searches have to end at exit."""

_abandoned: list[tuple[Thread, cp_model.CpSolver]] = []

BY = f"cp-sat {ortools.__version__}"
"""Name of the solver in proofs."""


def solve(
    formulation: CpFormulation,
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
    settings
        Time limit (measured from ``start``), seed, threads, memory. With one thread,
        equal seeds give equal results unless a limit ends the search.
    start
        ``clock.now()`` at the start of the run, including model building.

    Raises
    ------
    SolverError
        If the model is rejected, or the solution fails ``instances.check``.
    """
    start = clock.now() if start is None else start
    with deferred() as pressed:
        if formulation.levels:
            found = _minimise_levels(formulation, settings, start, pressed)
        else:
            found = _attempt(formulation, settings, start, pressed)
            if found.bound is not None:
                found.proved = formulation.bound_of(found.bound)
    if found.infeasible:
        if found.values is not None or formulation.hint is not None:
            raise SolverError(f"{BY} finds {formulation.name} infeasible and solved.")
        return Result(
            status=Status.INFEASIBLE,
            proof=Proof(Grade.SOLVER, BY),
            seconds=clock.now() - start,
            seed=settings.seed,
        )
    return to_result(
        formulation,
        found.values,
        found.proved,
        Proof(Grade.SOLVER, BY),
        limit=found.limit,
        start=start,
        seed=settings.seed,
    )


@dataclass(frozen=True, slots=True)
class Decision:
    """The answer for a model without an objective.

    Parameters
    ----------
    values
        Values of the requested variables; None if no solution was found.
    impossible
        Whether the model is proved infeasible.
    limit
        What ended the search early.
    """

    values: list[int] | None = None
    impossible: bool = False
    limit: Limit | None = None


def decide(
    model: cp_model.CpModel,
    variables: Sequence[cp_model.IntVar],
    *,
    settings: Settings = DEFAULT,
    start: float | None = None,
    parameters: str = "",
) -> Decision:
    """Find any solution of a model or prove it infeasible; for limits see `solve`.

    The node limit counts conflicts; with one thread it is deterministic.

    Raises
    ------
    SolverError
        If the model is rejected.
    """
    start = clock.now() if start is None else start
    solver, left = _solver(parameters, settings, start)
    if settings.node_limit is not None:
        solver.parameters.max_number_of_conflicts = settings.node_limit
    with deferred() as pressed:
        began = clock.now()
        code = _run(solver, model, pressed, _late(settings, start))
        spent = clock.now() - began
    if code is None:
        return Decision(limit=Limit.INTERRUPT if pressed.is_set() else Limit.TIME)
    if code == cp_model.MODEL_INVALID:
        why = model.validate() or "no reason given"
        raise SolverError(f"{BY} rejects the model {model.name}: {why}")
    if code in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return Decision([solver.value(x) for x in variables])
    if code == cp_model.INFEASIBLE:
        return Decision(impossible=True)
    if pressed.is_set():
        return Decision(limit=Limit.INTERRUPT)
    early = spent < 0.9 * left
    if early and solver.num_conflicts >= (settings.node_limit or inf):
        return Decision(limit=Limit.NODES)
    if early and settings.memory_mb is not None:
        return Decision(limit=Limit.MEMORY)
    return Decision(limit=Limit.TIME)


@dataclass(slots=True)
class _Attempt:
    """The outcome of one search.

    Attributes
    ----------
    values
        Values of ``formulation.variables``.
    solution
        Values of all variables of the model, by index.
    bound
        Lower bound on the model's objective.
    proved
        Lower bound on the cost.
    optimal
        Whether the solution is proved optimal.
    limit
        What ended the search early, if anything.
    infeasible
        Whether the model is proved infeasible.
    """

    values: list[int] | None = None
    solution: list[int] | None = None
    optimal: bool = False
    bound: int | None = None
    proved: Value | None = None
    limit: Limit | None = None
    infeasible: bool = False


def _attempt(
    formulation: CpFormulation, settings: Settings, start: float, pressed: Event
) -> _Attempt:
    """Minimise the model's current objective."""
    solver, left = _solver(formulation.parameters, settings, start)
    listener = _Listener()
    solver.best_bound_callback = listener.bounds.append
    began = clock.now()
    code = _run(solver, formulation.model, pressed, _late(settings, start), listener)
    spent = clock.now() - began
    if code is None:
        return _partial(formulation, listener, pressed)
    if code == cp_model.MODEL_INVALID:
        why = formulation.model.validate() or "no reason given"
        raise SolverError(f"{BY} rejects the model {formulation.name}: {why}")
    below = formulation.below
    lost = code == cp_model.INFEASIBLE and below is None
    if lost and not formulation.may_be_infeasible:
        raise SolverError(
            f"{BY} finds {formulation.name} infeasible, but any choice is a solution."
        )
    found = _Attempt(infeasible=lost)
    if code in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        found.values = [solver.value(x) for x in formulation.variables]
        found.solution = list(solver.response_proto.solution)
    found.optimal = code == cp_model.OPTIMAL
    if isfinite(solver.best_objective_bound):
        bound = float(solver.best_objective_bound)
        offset = formulation.model.proto.objective.offset
        if abs(bound) < _EXACT or not found.optimal or offset:
            found.bound = _integer_bound(bound)
        else:
            found.bound = int(solver.response_proto.inner_objective_lower_bound)
    if below is not None:
        most = below * formulation.unit
        if code == cp_model.INFEASIBLE:
            found.bound = most
        elif found.bound is not None:
            found.bound = min(found.bound, most)
    if pressed.is_set():
        found.limit = Limit.INTERRUPT
    elif code not in (cp_model.OPTIMAL, cp_model.INFEASIBLE):
        early = settings.memory_mb is not None and spent < 0.9 * left
        found.limit = Limit.MEMORY if early else Limit.TIME
    return found


def _solver(
    parameters: str, settings: Settings, start: float
) -> tuple[cp_model.CpSolver, float]:
    """Return a solver with all parameters set, and its time limit in seconds."""
    solver = cp_model.CpSolver()
    options = solver.parameters
    options.parse_text_format(parameters)
    left = max(0.0, settings.time_limit - (clock.now() - start))
    options.max_time_in_seconds = left
    options.random_seed = settings.seed
    options.num_workers = settings.threads
    # CP-SAT's own handler would swallow Ctrl-C and kill the program at the third.
    options.catch_sigint_signal = False
    if settings.memory_mb is not None:
        options.max_memory_in_mb = settings.memory_mb
    if logs.enabled():
        options.log_search_progress = True
        options.log_to_stdout = False
        solver.log_callback = partial(logs.note, "cp-sat")
    return solver, left


class _Listener(cp_model.CpSolverSolutionCallback):  # type: ignore[misc]
    """Keeps the last solution and bound, in case the search does not end in time."""

    def __init__(self) -> None:
        super().__init__()
        self.solution: list[int] | None = None
        self.bounds: deque[float] = deque(maxlen=1)

    def on_solution_callback(self) -> None:
        """Keep the values of all variables."""
        self.solution = list(self.response_proto.solution)


def _partial(formulation: CpFormulation, heard: _Listener, pressed: Event) -> _Attempt:
    """Return the outcome of a search that did not end in time."""
    found = _Attempt(limit=Limit.INTERRUPT if pressed.is_set() else Limit.TIME)
    found.solution = heard.solution
    if found.solution is not None:
        found.values = [found.solution[x.index] for x in formulation.variables]
    if heard.bounds and isfinite(heard.bounds[0]):
        found.bound = _integer_bound(heard.bounds[0])
        if formulation.below is not None:
            most = formulation.below * formulation.unit
            found.bound = min(found.bound, most)
    return found


def _integer_bound(bound: float) -> int:
    """Round CP-SAT's float bound on the objective to an integer bound."""
    if abs(bound) < _EXACT:
        return ceil(bound - _TOLERANCE)
    return floor(bound - abs(bound) / _EXACT)  # it may have been rounded upwards


def _minimise_levels(
    formulation: CpFormulation, settings: Settings, start: float, pressed: Event
) -> _Attempt:
    """Minimise the first level, fix it at its optimum, minimise the second, and so on.

    Each search starts from the previous solution. A level at which that solution costs
    nothing needs no search. The model is modified.
    """
    model = formulation.model
    optima: list[int] = []
    best = _Attempt()
    for level in formulation.levels:
        if best.solution is not None:
            if _sum(level, best.solution) == 0:
                optima.append(0)
                continue
            if pressed.is_set() or clock.now() - start >= settings.time_limit:
                best.limit = Limit.INTERRUPT if pressed.is_set() else Limit.TIME
                break
            model.clear_hints()
            for index, value in enumerate(best.solution):
                model.add_hint(model.get_int_var_from_proto_index(index), value)
        variables = [x for x, _ in level.terms]
        total = cp_model.LinearExpr.weighted_sum(variables, [w for _, w in level.terms])
        model.minimize(total)
        found = _attempt(formulation, settings, start, pressed)
        if found.solution is None:
            found.values, found.solution = best.values, best.solution
        best = found
        if not best.optimal or best.solution is None:
            break
        optima.append(_sum(level, best.solution))
        best.bound = None
        model.add(total <= optima[-1])
    if optima or best.bound is not None:
        best.proved = formulation.bound_of(best.bound, optima)
    return best


def still_searching() -> bool:
    """Whether an abandoned search is still running.

    Python must not shut down while it is; ``os._exit`` is safe.
    """
    return any(thread.is_alive() for thread, _ in _abandoned)


@atexit.register
def _stop_searching() -> None:
    for thread, solver in _abandoned:
        solver.stop_search()
        thread.join(_EXIT_TIMEOUT)


def _late(settings: Settings, start: float) -> float:
    return start + settings.time_limit + grace(settings.time_limit)


def _sum(level: Level, solution: list[int]) -> int:
    return sum(weight * solution[x.index] for x, weight in level.terms)


def _run(
    solver: cp_model.CpSolver,
    model: cp_model.CpModel,
    pressed: Event,
    late: float,
    listener: _Listener | None = None,
) -> int | None:
    """Search in a thread, so that this one receives Ctrl-C and can stop the search.

    Presolve may ignore its time limit and stop requests for seconds. The search is
    therefore abandoned when ``clock.now()`` passes ``late``: None is returned, and
    neither solver nor model may be used again.
    """
    outcome: list[int] = []
    failure: list[BaseException] = []

    def search() -> None:
        try:
            outcome.append(solver.solve(model, listener))
        except BaseException as error:
            failure.append(error)

    thread = Thread(target=search, daemon=True)
    thread.start()
    asked = False
    while thread.is_alive():
        thread.join(_POLL)
        if pressed.is_set():  # repeated, as the search may not have begun before
            late = late if asked else clock.now() + _STOP_TIMEOUT
            asked = True
            solver.stop_search()
        if clock.now() > late and thread.is_alive():
            solver.stop_search()
            _abandoned.append((thread, solver))
            return None
    if failure:
        raise SolverError(f"cp-sat failed: {failure[0]}")
    return outcome[0]
