"""Proofs of the answers of a campaign, kept in a folder next to its store."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from contextlib import closing
from functools import partial
from hashlib import sha256 as sha256_of
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ...instances import InputError, sha256
from ...instances.reading.files import read_text
from ...instances.reading.parsing import parse_json
from ...instances.value import as_tuple
from ...instances.writing.files import file_in, folder, write_text
from ...proofs.checking.folder import Entry
from ...proofs.writing.proof_files import still_held, write_index
from ...solvers import Result, Status
from ..campaigns.campaign import Runner
from ..campaigns.pool import Call, Failure
from ..ratios.scoring import FOLDER, InstanceVerdict
from .proving import prove, text_of, write_entry

OPEN = "open.json"
_TRIES = 8
"""Ways to prove an answer, at most; each may take the limit, and its check more."""
_GRACE = 120.0


def kept_proofs(
    verdicts: Iterable[InstanceVerdict],
    out: Path,
    *,
    seconds: float,
    runner: Runner,
    again: bool = False,
    progress: Callable[[int, int, str], None] = lambda done, total, what: None,
) -> dict[str, Entry]:
    """Prove the answers of a campaign whose proofs ``out/proofs`` does not hold yet.

    Parameters
    ----------
    verdicts
        What is known of each instance; the best solution is what is proved.
    out
        The folder of the store. Files of ``out/proofs`` are named by the SHA-256 of
        their content; ``index.json`` lists them, ``open.json`` what was not proved, so
        that it is not tried again within the same limit.
    seconds
        Limit of each way to prove an answer.
    runner
        Where to run, see `campaign.run`.
    again
        Try what was not proved before.
    progress
        Called with the answers proved, all, and the last one.

    Returns
    -------
    dict
        Entries of the index by name of the instance.
    """
    where = folder(out / FOLDER)
    found = {one.name: one for one in still_held(where)}
    tried = {} if again else _read_attempts(where)
    due = []
    names = []
    for verdict in verdicts:
        name = verdict.instance.name
        answer = answer_of(verdict)
        if answer is None:
            continue
        names.append(name)
        digest = sha256_of(text_of(verdict.instance)).hexdigest()
        if name in found and (
            (found[name].instance.sha256, found[name].cost)
            != (digest, answer[1].objective)
        ):
            del found[name]
        if name in found:
            continue
        if _identity(verdict, seconds) not in tried:
            due.append((verdict, *answer))
    calls = [
        Call(
            partial(prove, verdict.instance, method, result, seconds),
            _TRIES * 11 * seconds + _GRACE,
            preparing=900.0,
        )
        for verdict, method, result in due
    ]
    done = len(names) - len(due)
    with closing(runner(calls)) as outcomes:
        for position, outcome in outcomes:
            verdict = due[position][0]
            name = verdict.instance.name
            if isinstance(outcome, Failure) or outcome.kept is None:
                tried[_identity(verdict, seconds)] = f"{name}: {outcome.why}"
                write_text(file_in(where, OPEN), json.dumps(tried, indent=1) + "\n")
            else:
                found[name] = write_entry(
                    where, verdict.instance, outcome, by_digest=True
                )
                write_index(where, found.values())
            done += 1
            progress(done, len(names), f"proof of {name}")
    write_index(where, found.values())
    return {name: found[name] for name in names if name in found}


def _read_attempts(where: Path) -> dict[str, str]:
    path = where / OPEN
    if not path.exists():
        return {}
    tried: Any = parse_json(read_text(path), file=path)
    if not isinstance(tried, dict) or not all(
        isinstance(why, str) for why in tried.values()
    ):
        raise InputError("is not a list of what was tried", file=path)
    return tried


def _identity(verdict: InstanceVerdict, seconds: float) -> str:
    """Return what makes a try the same: instance, best cost, version, limit."""
    best = verdict.best.cost if verdict.best else None
    what = (sha256(verdict.instance), best, version("closeknit"), seconds)
    return " ".join(map(str, what))


def answer_of(verdict: InstanceVerdict) -> tuple[str, Result] | None:
    """Return the best answer, and the method that gave it; None without any."""
    if verdict.infeasible and verdict.refuted is not None:
        row = verdict.refuted
        return row.method, Result(status=Status.INFEASIBLE, proof=row.proof)
    row_of_best = verdict.best
    if row_of_best is None or verdict.contradiction or row_of_best.cost is None:
        return None
    bound = verdict.bound
    if bound is not None and as_tuple(bound) > as_tuple(row_of_best.cost):
        return None
    optimal = bound == row_of_best.cost
    return row_of_best.method, Result(
        status=Status.OPTIMAL if optimal else Status.FEASIBLE,
        chosen=row_of_best.selection,
        objective=row_of_best.cost,
        bound=bound,
        proof=verdict.proof,
        seconds=row_of_best.seconds or 0.0,
    )
