"""Run a formulation with CP-SAT, in this process."""

from __future__ import annotations

import atexit
import sys
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf, isfinite
from threading import Event, Thread

from ..instances import Value
from ..instances.outcome import Result
from ..instances.result import Grade, Limit, Proof, Status
from .formulation import CpFormulation, Level, Standing, to_result
from .later import by_cpsat, cp_model
from .running import clock, logs, progress
from .running.errors import SolverError
from .running.interrupt import deferred, grace
from .running.settings import DEFAULT, Settings
from .running.tolerances import EXACT, integer_bound

if "highspy" in sys.modules:
    raise SolverError(
        "cp-sat cannot run here: highspy is loaded in this process, and the two "
        "cannot live together; use either one in a process of its own."
    )
BY = by_cpsat()
"""Name of the solver in proofs."""

_POLL = 0.05
_PATIENCE = 1.0
"""Seconds that a search has to end after Ctrl-C."""
_LAST = 30.0
"""Seconds that searches left alone have to end when the program does."""

_left_alone: list[tuple[Thread, cp_model.CpSolver]] = []


def solve(
    formulation: CpFormulation,
    *,
    settings: Settings = DEFAULT,
    start: float | None = None,
    part: bool = False,
) -> Result:
    """Solve a formulation; the solution is checked and priced again.

    Ctrl-C ends the search with what it has and the limit ``interrupt``; a second Ctrl-C
    is a KeyboardInterrupt. The time limit counts from ``start``, building included. One
    thread and one seed: one result, unless a limit ends the search. ``part`` as for
    `Standing`. Raises SolverError when the model is rejected, or the solution fails
    ``instances.check``.
    """
    start = clock.now() if start is None else start
    standing = Standing(formulation, part=part)
    with deferred() as pressed:
        if formulation.levels:
            found = _by_level(formulation, settings, start, pressed, standing)
        else:
            found = _attempt(formulation, settings, start, pressed, standing)
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
class Decided:
    """Whether a model has a solution; if it has an objective, the best one found."""

    values: list[int] | None = None
    """Of the variables asked for; None if no solution was found."""
    impossible: bool = False
    """Whether there is none."""
    bound: int | None = None
    """On the objective, if the model has one."""
    limit: Limit | None = None
    """What ended the search early."""


def decide(
    model: cp_model.CpModel,
    variables: Sequence[cp_model.IntVar],
    *,
    settings: Settings = DEFAULT,
    start: float | None = None,
    parameters: str = "",
) -> Decided:
    """Find any solution of a model, or that there is none; for limits see `solve`.

    If the model has an objective, it is minimised; its coefficients are integers. A
    node limit counts conflicts: with one thread, the same answer every time. Raises
    SolverError when the model is rejected.
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
        return Decided(limit=Limit.INTERRUPT if pressed.is_set() else Limit.TIME)
    if code == cp_model.MODEL_INVALID:
        why = model.validate() or "no reason given"
        raise SolverError(f"{BY} rejects the model {model.name}: {why}")
    if code == cp_model.INFEASIBLE:
        return Decided(impossible=True)
    found = Decided()
    if code in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        found = Decided([solver.value(x) for x in variables])
    if model.has_objective() and isfinite(solver.best_objective_bound):
        found = replace(
            found,
            bound=integer_bound(
                solver.best_objective_bound, model.proto.objective.offset
            ),
        )
    if code == cp_model.OPTIMAL or (found.values and not model.has_objective()):
        return found
    if pressed.is_set():
        return replace(found, limit=Limit.INTERRUPT)
    early = spent < 0.9 * left
    if early and solver.num_conflicts >= (settings.node_limit or inf):
        return replace(found, limit=Limit.NODES)
    if early and settings.memory_mb is not None:
        return replace(found, limit=Limit.MEMORY)
    return replace(found, limit=Limit.TIME)


@dataclass(slots=True)
class _Attempt:
    """What came of one search, or of the levels searched until now."""

    values: list[int] | None = None
    """Of ``formulation.variables``."""
    solution: list[int] | None = None
    """Of all variables of the model, by their index."""
    optimal: bool = False
    """Whether the solution is proved to be the best."""
    bound: int | None = None
    """On the model's objective."""
    proved: Value | None = None
    """On the cost."""
    limit: Limit | None = None
    """What ended the search; None if it ended by itself."""
    infeasible: bool = False
    """Whether there is no solution at all, where that may be."""


def _attempt(
    formulation: CpFormulation,
    settings: Settings,
    start: float,
    pressed: Event,
    standing: Standing,
    optima: Sequence[int] = (),
) -> _Attempt:
    """Search once for the least objective of the model; optima: of former levels."""
    solver, left = _solver(formulation.parameters, settings, start)
    heard = _Listener(formulation, standing, optima)
    solver.best_bound_callback = heard.bounds.append
    began = clock.now()
    code = _run(solver, formulation.model, pressed, _late(settings, start), heard)
    spent = clock.now() - began
    if code is None:
        return heard.so_far(Limit.INTERRUPT if pressed.is_set() else Limit.TIME)
    if code == cp_model.MODEL_INVALID:
        why = formulation.model.validate() or "no reason given"
        raise SolverError(f"{BY} rejects the model {formulation.name}: {why}")
    lost = code == cp_model.INFEASIBLE
    if lost and not formulation.may_be_infeasible:
        raise SolverError(
            f"{BY} finds {formulation.name} infeasible, but any choice is a solution."
        )
    found = _Attempt(infeasible=lost, optimal=code == cp_model.OPTIMAL)
    if code in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        found.values = [solver.value(x) for x in formulation.variables]
        found.solution = list(solver.response_proto.solution)
    if isfinite(solver.best_objective_bound):
        bound = float(solver.best_objective_bound)
        exact = found.optimal and not formulation.model.proto.objective.offset
        if abs(bound) < EXACT or not exact:
            found.bound = integer_bound(bound, formulation.model.proto.objective.offset)
        else:
            found.bound = int(solver.response_proto.inner_objective_lower_bound)
    if pressed.is_set():
        found.limit = Limit.INTERRUPT
    elif code not in (cp_model.OPTIMAL, cp_model.INFEASIBLE):
        early = settings.memory_mb is not None and spent < 0.9 * left
        found.limit = Limit.MEMORY if early else Limit.TIME
    return found


def _solver(
    parameters: str, settings: Settings, start: float
) -> tuple[cp_model.CpSolver, float]:
    """Return a solver with all parameters set, and the seconds that it has."""
    solver = cp_model.CpSolver()
    options = solver.parameters
    options.parse_text_format(parameters)
    left = max(0.0, settings.time_limit - (clock.now() - start))
    options.max_time_in_seconds = left
    options.random_seed = settings.seed
    options.num_workers = settings.threads
    # Its own handler would swallow Ctrl-C, and kill the program at the third.
    options.catch_sigint_signal = False
    if settings.memory_mb is not None:
        options.max_memory_in_mb = settings.memory_mb
    if logs.enabled():
        options.log_search_progress = True
        options.log_to_stdout = False
        solver.log_callback = partial(logs.note, "cp-sat")
    return solver, left


class _Listener(cp_model.CpSolverSolutionCallback):  # type: ignore[misc]
    """Keeps what is found on the way, in case that the search does not end in time."""

    def __init__(
        self, formulation: CpFormulation, standing: Standing, optima: Sequence[int]
    ) -> None:
        super().__init__()
        self.solution: list[int] | None = None
        self.bounds: deque[float] = deque(maxlen=1)
        self._told: object = None
        self.standing = standing
        self._formulation = formulation
        self._optima = optima

    def on_solution_callback(self) -> None:
        """Keep the values of all variables."""
        self.solution = list(self.response_proto.solution)

    def report(self) -> None:
        """Report what is new, see `Standing`."""
        news = self.solution, *self.bounds
        if news != self._told:
            self._told = news
            known = self.so_far()
            self.standing.update(known.values, known.proved)

    def so_far(self, limit: Limit | None = None) -> _Attempt:
        """Return what was found until now, and what it proves of the cost."""
        formulation = self._formulation
        found = _Attempt(solution=self.solution, limit=limit)
        if found.solution is not None:
            found.values = [found.solution[x.index] for x in formulation.variables]
        if self.bounds and isfinite(self.bounds[0]):
            found.bound = integer_bound(
                self.bounds[0], formulation.model.proto.objective.offset
            )
            found.proved = formulation.bound_of(found.bound, self._optima)
        return found


def _by_level(
    formulation: CpFormulation,
    settings: Settings,
    start: float,
    pressed: Event,
    standing: Standing,
) -> _Attempt:
    """Minimise the first level, keep it there, minimise the second, and so on.

    Each search starts from the solution of the one before. A level at which that
    solution costs nothing needs no search, but is kept at nothing too. The model is not
    the same afterwards.
    """
    model = formulation.model
    optima: list[int] = []
    best = _Attempt()
    for level in formulation.levels:
        variables = [x for x, _ in level.terms]
        total = cp_model.LinearExpr.weighted_sum(variables, [w for _, w in level.terms])
        if best.solution is not None:
            if _sum(level, best.solution) == 0:
                optima.append(0)
                model.add(total <= 0)
                continue
            if pressed.is_set() or clock.now() - start >= settings.time_limit:
                best.limit = Limit.INTERRUPT if pressed.is_set() else Limit.TIME
                break
            model.clear_hints()
            for index, value in enumerate(best.solution):
                model.add_hint(model.get_int_var_from_proto_index(index), value)
        model.minimize(total)
        found = _attempt(formulation, settings, start, pressed, standing, optima)
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
    """Whether a search that was left alone has not ended yet.

    Python must not shut down under it; ``os._exit`` is safe.
    """
    return any(thread.is_alive() for thread, _ in _left_alone)


@atexit.register
def _stop_searching() -> None:
    for thread, solver in _left_alone:
        solver.stop_search()
        thread.join(_LAST)


def _late(settings: Settings, start: float) -> float:
    return start + settings.time_limit + grace(settings.time_limit)


def _sum(level: Level, solution: list[int]) -> int:
    return sum(weight * solution[x.index] for x, weight in level.terms)


def _run(
    solver: cp_model.CpSolver,
    model: cp_model.CpModel,
    pressed: Event,
    late: float,
    heard: _Listener | None = None,
) -> int | None:
    """Search in a thread, so that this one hears Ctrl-C and can pass it on.

    Presolve looks at neither the clock nor the order to stop for seconds on end. So
    past a reading of ``clock.now()`` the search is left to itself: None is
    returned, and neither solver nor model may be used again.
    """
    outcome: list[int] = []
    failure: list[BaseException] = []

    def search() -> None:
        try:
            outcome.append(solver.solve(model, heard))
        except BaseException as error:
            failure.append(error)

    thread = Thread(target=search, daemon=True)
    thread.start()
    asked = False
    while thread.is_alive():
        thread.join(_POLL)
        if heard is not None and progress.is_observed():
            heard.report()
        if pressed.is_set():  # again and again: it may not have begun before
            late = late if asked else clock.now() + _PATIENCE
            asked = True
            solver.stop_search()
        if clock.now() > late and thread.is_alive():
            solver.stop_search()
            _left_alone.append((thread, solver))
            return None
    if failure:
        raise SolverError(f"cp-sat failed: {failure[0]}")
    return outcome[0]
