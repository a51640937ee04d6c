"""Deriving entries of the frontier again: instances, costs, bounds and ratios."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from ...instances import InputError
from ...instances.errors import TooLong
from ...instances.support import support_of
from ...proofs.checking import CheckLimits
from ...proofs.checking.alarm import end_in_time
from ...proofs.checking.kinds import reading_proof
from ...reports.claims.ksubset.families import find_misstatement
from ...reports.claims.running.claim import Trial, Undecided
from ...reports.frontier.entries import FrontierEntry, NotHere, make_within
from ...reports.frontier.worst import WorstInstance
from ...solvers import Grade, Proof, Status, solution_errors
from ..examining import examine


def check_entry(
    where: Path,
    entry: FrontierEntry | WorstInstance,
    limits: CheckLimits,
    *,
    plain: bool = False,
) -> tuple[str, str]:
    """Derive an entry again; return ``holds``, ``wrong`` or ``not checked``, and why.

    What lies outside of the folder and is not there, or takes longer than the limit, is
    ``not checked``; what else cannot be followed is wrong.
    """
    limits = limits.from_now()
    try:
        if isinstance(entry, WorstInstance):
            why = find_misstatement(Trial(time_limit=limits.seconds), entry)
        else:
            why = _find_untruth(where, entry, limits, plain)
    except (NotHere, TooLong, Undecided) as error:
        return "not checked", str(error)
    except InputError as error:
        why = str(error)
    return "wrong" if why else "holds", why


def _find_untruth(
    where: Path, entry: FrontierEntry, limits: CheckLimits, plain: bool
) -> str:
    """Return what is not true of an entry, or not shown; "" if all is."""
    claimed = entry.claims
    instance = make_within(limits, entry.read)
    if wrong := end_in_time(limits, partial(solution_errors, instance, claimed)):
        return wrong[0]  # also where the proof is not here
    if claimed.status is Status.UNKNOWN:
        return "status: is unknown: there is neither a choice nor a proof of none"
    if bool(entry.proved) != (claimed.proof is not None):
        return "proved: must be given with a proof, and only with one"
    size = support_of(instance).features(instance)
    if (size.n, size.k) != (entry.n, entry.k):
        return f"n, k: are {entry.n}, {entry.k}, not {size.n}, {size.k}"
    path = None if entry.proof is None else entry.proof.path(where)
    if path is not None:
        with reading_proof(path) as (kind, _):
            if claimed.proof != (known := Proof(Grade.CHECKED, kind)):
                return f"proof: is {known}, not {claimed.proof}"
    found = examine(instance, claimed, path, limits=limits, plain=plain)
    return next(iter(found.wrong or found.objection((), "a proof")), "")
