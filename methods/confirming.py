"""Asking other code whether what a solver claims is true.

General solvers have bugs: CP-SAT 9.15 is known to return wrong optima, and HiGHS wrong
bounds. What is of grade ``solver`` is therefore compared with the answers of other
code, an own search first, then another solver, as far as the time limit leaves time.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from tempfile import gettempdir

from ..instances import InputError, Instance, problem_of
from ..instances.files import folder, write_text
from ..instances.json_text import dumps
from ..instances.value import cost_text, ordered
from ..solvers import (
    DEFAULT,
    Contradiction,
    Grade,
    Limit,
    Result,
    Settings,
    SolverError,
    Status,
    Ties,
    clock,
    solution_of,
)
from ..solvers.logs import LOG
from ..solvers.method import AnyMethod
from . import METHODS
from .own import OwnMethod
from .tiers import run_once

SECOND = {
    "ksubset": ("rlt/highs", "cuts-median/cpsat", "pairs/highs", "pairs/cpsat"),
    "procset": ("classes/cpsat", "classes/highs"),
    "sukp": ("union/cpsat", "union/highs"),
    "submesh": ("left-below/highs", "moves/cpsat", "opb/exact"),
}
"""Methods that are asked after ``auto``, by problem, the fastest first."""

FORMAT = "closeknit/contradiction"
_LEAST = 0.05
"""Seconds below which no other method is run."""


def run_confirmed(
    method: AnyMethod, instance: Instance, settings: Settings = DEFAULT
) -> Result:
    """Run a method once, as `run_once` does, and `confirm` what it claims.

    A method from outside may do anything, so it is called once only.
    """
    start = clock.now()
    run = method if isinstance(method, OwnMethod) else None
    result = run(instance, settings) if run else run_once(method, instance, settings)
    left = max(0.0, settings.time_limit - (clock.now() - start))
    return confirm(instance, method.name, result, replace(settings, time_limit=left))


def confirm(
    instance: Instance,
    name: str,
    result: Result,
    settings: Settings = DEFAULT,
    *,
    where: Path | None = None,
) -> Result:
    """Ask other code about a bound or an infeasibility that a solver alone claims.

    Parameters
    ----------
    instance, name, result
        The instance, the method that was run on it, and what it returned.
    settings
        Their time limit is for this alone; without any time nothing is asked. Every
        method asked has half of what is left, the last one all of it.
    where
        Folder of the file that a contradiction leaves; see `keep_both`.

    Returns
    -------
    Result
        The result, of grade ``confirmed`` where other code claims the same; its
        seconds are those of the method alone. After Ctrl-C, as it was.

    Raises
    ------
    Contradiction
        If one of the answers must be wrong.
    """
    proof = result.proof
    if proof is None or proof.grade is not Grade.SOLVER:
        return result
    deadline = clock.now() + settings.time_limit
    methods = [one for one in _others(instance, proof.code) if one.name != name]
    for number, method in enumerate(methods, 1):
        left = deadline - clock.now()
        if left < _LEAST:
            break
        share = left if number == len(methods) else left / 2
        try:
            found = run_once(
                method, instance, replace(settings, time_limit=share, ties=Ties.LEX)
            )
        except KeyboardInterrupt:
            break
        except (InputError, SolverError) as error:
            LOG.debug("%s does not confirm %s: %s", method.name, name, error)
            continue
        if why := contradiction(name, result, method.name, found):
            path = keep_both(instance, {name: result, method.name: found}, why, where)
            raise Contradiction(f"{instance.name}: {why}; both answers are in {path}")
        if _agree(result, found) and found.proof is not None:
            confirmed = proof.confirmed_by(found.proof)
            if confirmed is not None:
                return replace(result, proof=confirmed)
        if found.limit is Limit.INTERRUPT:
            break
    return result


def _others(instance: Instance, code: frozenset[str]) -> Iterator[AnyMethod]:
    """Yield the methods to ask: ``auto``, then one for each other solver."""
    problem = problem_of(instance).name
    table = METHODS[problem]
    yield table["auto"]
    asked = set(code)
    for name in SECOND[problem]:
        backend = name.rpartition("/")[2].replace("cpsat", "cp-sat")
        refuses = table[name].refuses
        if backend not in asked and not (refuses and refuses(instance)):
            asked.add(backend)
            yield table[name]


def contradiction(name: str, result: Result, other: str, found: Result) -> str:
    """Return which of two answers about one instance contradict each other; or ""."""
    for one, claimed, two, answer in (
        (name, result, other, found),
        (other, found, name, result),
    ):
        if answer.objective is None:
            continue
        priced = f"{two} found a choice of cost {cost_text(answer.objective)}"
        if claimed.status is Status.INFEASIBLE:
            return (
                f"{one} ({claimed.proof}) claims that there is no choice, but {priced}"
            )
        if claimed.bound is not None and (
            ordered(answer.objective) < ordered(claimed.bound)
        ):
            bound = cost_text(claimed.bound)
            return f"{one} ({claimed.proof}) claims at least {bound}, but {priced}"
    return ""


def _agree(result: Result, found: Result) -> bool:
    """Whether the second answer claims what the first does, or more."""
    if result.bound is None or found.bound is None:
        return result.status is found.status is Status.INFEASIBLE
    return ordered(found.bound) >= ordered(result.bound)


def keep_both(
    instance: Instance, answers: dict[str, Result], why: str, where: Path | None = None
) -> Path:
    """Write an instance and contradicting answers about it to a file; return its path.

    It lies in ``where``, else in ``closeknit`` in the user's folder of states
    (``XDG_STATE_HOME``, ``~/.local/state``), else in the folder of temporary files.
    """
    solutions = [solution_of(instance, name, one) for name, one in answers.items()]
    text = dumps(
        {
            **{"format": FORMAT, "version": 1, "why": why},
            "instance": problem_of(instance).document_of(instance),
            "solutions": solutions,
        }
    )
    name = f"contradiction-{sha256(text.encode()).hexdigest()[:16]}.json"
    state = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    places = (where, Path(state).expanduser() / "closeknit", Path(gettempdir()))
    error: InputError | None = None
    for place in filter(None, places):
        try:
            path = folder(place) / name
            write_text(path, f"{text}\n")
        except (InputError, RuntimeError) as refused:  # no home
            error = refused if isinstance(refused, InputError) else error
            continue
        return path
    raise error or InputError("cannot be written", file=name)
