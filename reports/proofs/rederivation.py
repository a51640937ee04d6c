"""The answers of a campaign, derived again: once an instance, and on some rows."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ...instances import InputError, Instance, sha256
from ...instances.reading.files import read_text
from ...instances.reading.parsing import parse_json
from ...instances.writing.files import file_in, write_text
from ...methods import AnyMethod
from ...methods.rederiving import (
    MOST_INTERPRETED,
    OPEN,
    Rederived,
    count_text,
    draw_some,
    interpret,
    rederivable,
    rederive,
    seconds_for,
)
from ...methods.user_methods import OwnMethod
from ...solvers import Grade, Limit, Proof, Result, Settings
from ..campaigns.campaign import Runner
from ..campaigns.pool import Call, Failure, OutOfMemory, mark_started
from ..campaigns.rows import Row
from ..ratios.report import Report
from .campaign import answer_of

FILE = "rederived.json"
_HELD, _OPEN = "derived again", "not finished"
_CONFIRMED = "confirmed: "
_GRACE = 600.0
"""Seconds in which kernels may be compiled."""


@dataclass(frozen=True, slots=True)
class Rederivation:
    """The outcomes of deriving answers again.

    Parameters
    ----------
    optima
        By name of the instance: its optimum, or that it has none.
    interpreted
        By name of the instance: its rows whose kernels were interpreted.
    """

    optima: Mapping[str, Rederived]
    interpreted: Mapping[str, Sequence[Rederived]]

    @property
    def wrong(self) -> dict[str, str]:
        """By name of the instance, what contradicts an answer about it."""
        found: dict[str, str] = {}
        for name in (*self.optima, *self.interpreted):
            several = [self.optima.get(name, OPEN), *self.interpreted.get(name, ())]
            if why := "; ".join(one.wrong for one in several if one.wrong):
                found[name] = why
        return found

    @property
    def confirmed(self) -> dict[str, Proof]:
        """By name of the instance, what vouches for its bound now."""
        return {name: one.proof for name, one in self.optima.items() if one.proof}

    def __str__(self) -> str:
        rows = [one for several in self.interpreted.values() for one in several]
        optima = count_text(self.optima.values(), "proven answers derived again")
        return f"{optima}; {count_text(rows, 'rows interpreted')}" if rows else optima


@dataclass(frozen=True, slots=True)
class _Task:
    """One answer to derive again, and by what it is known in the file."""

    identity: str
    name: str
    call: Call
    interprets: bool = False


def rederive_all(
    report: Report,
    out: Path,
    *,
    settings: Settings,
    runner: Runner,
    again: bool = False,
    progress: Callable[[int, int, str], None] = lambda done, total, what: None,
) -> Rederivation:
    """Derive the answers of a campaign again, each within a limit of its own.

    Once an instance, within the longer of 1 s and ten times the search: an optimum, or
    infeasibility, that a search of closeknit enumerated, by its certificate or proof;
    the word of a solver, by other code, and not beyond the limit of its run. Of the
    rows of own methods on at most 64 processors or items, 1 in 20, drawn by the seed,
    by the source of the kernels.

    Parameters
    ----------
    report
        On the campaign.
    out
        The folder of the store. ``rederived.json`` lists what was derived again, and
        what was not finished, so that it is not tried again.
    settings
        Of the campaign.
    runner
        Where to run, see `campaign.run`.
    again
        Try what was not finished before.
    progress
        Called with the answers derived, all, and the last one.
    """
    path = out / FILE
    before = _read(path)
    tasks = [*_optima(report, out), *_rows(report, settings.seed)]
    known = {
        task.identity: _of_word(word)
        for task in tasks
        if (word := before.get(task.identity)) and not (again and word == _OPEN)
    }
    due = [task for task in tasks if task.identity not in known]
    with closing(runner([task.call for task in due])) as outcomes:
        for done, (position, outcome) in enumerate(outcomes, 1):
            task = due[position]
            known[task.identity] = one = _understand(outcome, task.name)
            if not one.wrong:
                held = str(one.proof or _HELD)
                before[task.identity] = held if one.finished else _OPEN
                write_text(file_in(out, FILE), json.dumps(before, indent=1) + "\n")
            progress(done, len(due), f"deriving {task.name} again")
    interpreted: dict[str, list[Rederived]] = {}
    for task in tasks:
        if task.interprets:
            interpreted.setdefault(task.name, []).append(known[task.identity])
    optima = {t.name: known[t.identity] for t in tasks if not t.interprets}
    return Rederivation(optima, interpreted)


def _understand(outcome: Rederived | Failure, name: str) -> Rederived:
    """Return what an outcome means: an unforeseen one is no good news."""
    if not isinstance(outcome, Failure):
        return outcome
    if isinstance(outcome, OutOfMemory) or "still running" in outcome.why:
        return OPEN
    return Rederived(f"{name}: deriving its answer again failed: {outcome.why}")


def _optima(report: Report, out: Path) -> Iterator[_Task]:
    for verdict in report.verdicts:
        answer = answer_of(verdict)
        row = verdict.refuted if verdict.infeasible else verdict.proved
        if answer is None or row is None:
            continue
        result, solving = answer[1], row.seconds or 0.0
        seconds = 0.0
        if rederivable(result):
            seconds = seconds_for(solving)
        elif result.proof is not None and result.proof.grade is Grade.SOLVER:
            seconds = min(row.time_limit - solving, seconds_for(solving))
        if seconds <= 0.0:
            continue
        what = verdict.instance, row.method, result, seconds, out.absolute()
        function = partial(_rederive, *what)
        answered = sha256(verdict.instance), row.method, result.objective, result.proof
        yield _Task(
            " ".join(map(str, (*answered, version("closeknit")))),
            verdict.instance.name,
            Call(function, 2 * seconds + _GRACE, preparing=900.0),
        )


def _rederive(
    instance: Instance, name: str, result: Result, seconds: float, out: Path
) -> Rederived:
    mark_started()
    return rederive(instance, name, result, seconds, out)


def _rows(report: Report, seed: int) -> Iterator[_Task]:
    methods = report.methods
    instances = {v.instance.name: v.instance for v in report.verdicts}
    eligible = [
        row
        for row in report.rows
        if row.ran
        and row.n <= MOST_INTERPRETED
        and row.limit not in (Limit.TIME.value, Limit.MEMORY.value)
        and (method := methods[row.problem].get(row.method)) is not None
        and not (isinstance(method, OwnMethod) or method.runs_solver)
    ]
    for row in draw_some(eligible, seed):
        seconds = seconds_for(row.seconds or 0.0)
        method = methods[row.problem][row.method]
        call = partial(_interpret, method, instances[row.instance], row, seconds)
        yield _Task(
            " ".join(map(str, ("interpreted", *row.key, row.cost, row.bound))),
            row.instance,
            Call(call, 2 * seconds + _GRACE, preparing=900.0),
            interprets=True,
        )


def _interpret(
    method: AnyMethod, instance: Instance, row: Row, seconds: float
) -> Rederived:
    mark_started()
    settings = Settings(time_limit=seconds, node_limit=row.node_limit, seed=row.seed)
    answer = row.cost, row.bound, row.status
    return interpret(method, instance, row.method, answer, settings)


def _read(path: Path) -> dict[str, str]:
    if not path.exists():
        return {}
    known: Any = parse_json(read_text(path), file=path)
    words = known.values() if isinstance(known, dict) else [None]
    if not all(
        isinstance(word, str)
        and (word in (_HELD, _OPEN) or word.startswith(_CONFIRMED))
        for word in words
    ):
        raise InputError("is not a list of what was derived again", file=path)
    return dict(known)


def _of_word(word: str) -> Rederived:
    if word.startswith(_CONFIRMED):
        by = word.removeprefix(_CONFIRMED)
        return Rederived(proof=Proof(Grade.CONFIRMED, by))
    return OPEN if word == _OPEN else Rederived()
