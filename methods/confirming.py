"""Asking other code whether what a solver claims is true.

General solvers have bugs: CP-SAT 9.15 is known to return wrong optima, and HiGHS wrong
bounds. What is of grade ``solver`` is therefore compared with the answers of other
code, an own search first, then another solver, as far as the time limit leaves time.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

from ..instances import InputError, Instance, problem_of
from ..instances.outcome import confirmation, programs_of
from ..instances.reading.json_text import dumps
from ..instances.support import support_of
from ..instances.value import as_tuple, cost_text
from ..instances.writing.files import file_in, write_text
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
    solution_of,
)
from ..solvers.running import clock
from ..solvers.running.interrupt import run_alarmed
from ..solvers.running.logs import LOG
from ..solvers.running.method import AnyMethod
from . import METHODS
from .interpreted_or_compiled import run_once
from .proofs import prove_and_cite
from .user_methods import OwnMethod

SECOND = {
    "ksubset": ("cuts-unary/cpsat", "rlt/highs", "pairs/cpsat", "pairs/highs"),
    "procset": ("classes/cpsat", "classes/highs", "opb/exact"),
    "sukp": ("union/cpsat", "union/highs", "opb/exact"),
    "submesh": ("moves/cpsat",),
}
"""Methods that are asked last, by problem, the fastest first; none with the model of
the one that answered, whose fault both would share."""

FORMAT = "closeknit/contradiction"
_FOR_A_NO, _FOR_A_BOUND, _TIMES = 20.0, 10.0, 10
"""Seconds for asking others, or so many times what the search took, if that is longer:
nearly all that can be proved at all is proved by then."""
_LEAST = 0.05
"""Seconds below which no other method is run."""


def run_and_confirm(
    method: AnyMethod, instance: Instance, settings: Settings = DEFAULT
) -> Result:
    """Run a method once, as `run_once` does, and `confirm` what it claims.

    A method from outside may do anything, so it is called once only.
    """
    start = clock.now()
    run = method if isinstance(method, OwnMethod) else None
    result = run(instance, settings) if run else run_once(method, instance, settings)
    return confirm(instance, method.name, result, settings.remaining(start))


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
        Their time limit is for this alone; without any time nothing is asked. Each
        that is asked has half of what is left, the last one all of it; all together
        have ten seconds, twenty about a "no", or ten times what the search took.
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
    return ask_others(instance, name, result, settings, where=where)


def ask_others(
    instance: Instance,
    name: str,
    result: Result,
    settings: Settings,
    *,
    refuted: str = "",
    where: Path | None = None,
) -> Result:
    """Ask other code about any answer that has a proof; see `confirm`.

    ``refuted`` is why an own proof has refuted it already.
    """
    proof = result.proof
    assert proof is not None
    no = result.status is Status.INFEASIBLE
    most = max(_FOR_A_NO if no else _FOR_A_BOUND, _TIMES * result.seconds)
    deadline = clock.now() + min(settings.time_limit, most)
    witnesses = list(_witnesses(instance, name, result, settings))
    for number, (other, ask) in enumerate(witnesses, 1):
        left = deadline - clock.now()
        if left < _LEAST:
            break
        try:
            found = ask(left if number == len(witnesses) else left / 2)
        except KeyboardInterrupt:
            break
        except Refuted as error:
            refuted = str(error)
            continue
        except (InputError, SolverError) as error:
            LOG.debug("%s does not confirm %s: %s", other, name, error)
            continue
        if why := contradiction(name, result, other, found):
            path = keep_both(instance, {name: result, other: found}, why, where)
            raise Contradiction(f"{instance.name}: {why}; both answers are in {path}")
        if found.proof is not None and agree(result, found):
            confirmed = confirmation(proof, found.proof)
            if confirmed is not None and not refuted:
                return replace(result, proof=confirmed)
        if found.limit is Limit.INTERRUPT:
            break
    if refuted:
        why = f"{name} ({proof}) claims {answer_text(result)}, but {refuted}"
        path = keep_both(instance, {name: result}, why, where)
        raise Contradiction(f"{instance.name}: {why}; the answer is in {path}")
    return result


def prove_again(instance: Instance, result: Result, seconds: float) -> Result | None:
    """Prove an answer by a certificate or an own proof, which is checked, not kept.

    Returns the answer with that proof; None if there is none within the limit. Raises
    `Refuted` where the proof shows that the answer is wrong.
    """

    def prove() -> Result | None:
        with TemporaryDirectory(prefix="closeknit-") as name:
            path = Path(name) / "proof"
            found = prove_and_cite(instance, result, path, seconds=seconds, exact=False)
            return found.result if found.kept else None

    try:
        return run_alarmed(seconds, prove)[0]
    except SolverError as error:
        raise Refuted(str(error)) from None
    except OSError as error:  # the disk is full, or cannot be written
        why = error.strerror or str(error)
        raise InputError(f"cannot be written: {why}", file=gettempdir()) from None


class Refuted(Exception):
    """The proof of an answer shows that it is wrong."""


Witness = tuple[str, Callable[[float], Result]]
"""Who is asked, and the function that asks within a limit in seconds."""


def _witnesses(
    instance: Instance, name: str, result: Result, settings: Settings
) -> Iterator[Witness]:
    """Yield whom to ask: ``auto``, an own proof, then one for each other solver."""
    assert result.proof is not None
    problem = problem_of(instance).name
    table = METHODS[problem]

    def ask(method: AnyMethod, seconds: float) -> Result:
        own = replace(settings, time_limit=seconds, ties=Ties.LEX)
        return run_once(method, instance, own)

    if name != "auto":
        yield "auto", partial(ask, table["auto"])
    yield "an own proof", lambda left: prove_again(instance, result, left) or result
    asked = set(programs_of(result.proof))
    own_model = name.rpartition("/")[0]
    for other in SECOND.get(problem, ()):
        model, _, backend = other.replace("cpsat", "cp-sat").rpartition("/")
        known = backend in asked or model == own_model
        if not (known or table[other].refusal(instance)):
            asked.add(backend)
            yield other, partial(ask, table[other])


def answer_text(result: Result) -> str:
    """Write what a method answered in a few words."""
    known = [result.status.value]
    known += [f"cost {cost_text(result.objective)}"] * (result.objective is not None)
    known += [f"bound {cost_text(result.bound)}"] * (result.bound is not None)
    return ", ".join(known)


def contradiction(name: str, result: Result, other: str, found: Result) -> str:
    """Describe how two answers about one instance contradict each other; "" if not."""
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
            as_tuple(answer.objective) < as_tuple(claimed.bound)
        ):
            bound = cost_text(claimed.bound)
            return f"{one} ({claimed.proof}) claims at least {bound}, but {priced}"
    return ""


def agree(result: Result, found: Result) -> bool:
    """Whether the second answer claims what the first does, or more."""
    if result.bound is None or found.bound is None:
        return result.status is found.status is Status.INFEASIBLE
    return as_tuple(found.bound) >= as_tuple(result.bound)


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
            "instance": support_of(instance).document_of(instance),
            "solutions": solutions,
        }
    )
    digest = sha256(f"{instance.name}: {why}".encode()).hexdigest()
    name = f"contradiction-{digest[:16]}.json"
    state = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    places = (where, Path(state).expanduser() / "closeknit", Path(gettempdir()))
    error: InputError | None = None
    for place in filter(None, places):
        try:
            path = file_in(place, name)
            write_text(path, f"{text}\n")
        except (InputError, RuntimeError) as refused:  # no home
            error = refused if isinstance(refused, InputError) else error
            continue
        return path
    raise error or InputError("cannot be written", file=name)
