"""The claim that the worst instances known are as bad as the ledger says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ...instances import InputError
from ...methods import KSUBSET
from ..adversary.worst_known import PATH, Entry, read_worst_known
from .claim import Claim, Outcome, Trial, Untrue, refuted


def ledger_is_true(trial: Trial, path: str | Path = PATH) -> Outcome:
    """Run method and exact route on every instance of a ledger again."""
    try:
        entries = read_worst_known(path)
    except InputError as error:
        return refuted(str(error), 0)
    for seen, entry in enumerate(entries.values(), 1):
        if wrong := _wrong(trial, entry):
            return refuted(
                f"{entry.method} on {entry.key[1]}, k = {entry.key[2]}: {wrong}",
                seen,
                entry.instance,
            )
    methods = len({entry.method for entry in entries.values()})
    return Outcome(
        holds=bool(entries),
        result=f"costs, optima and ratios as written, none above a guarantee; "
        f"{len(entries)} entries of {methods} methods"
        if entries
        else "the ledger is empty",
        instances=len(entries),
    )


def _wrong(trial: Trial, entry: Entry) -> str:
    """Describe what is not as written; "" if all is."""
    if entry.method not in KSUBSET:
        return "there is no such method"
    try:
        paid = replace(trial, seed=0).pay(entry.method, entry.instance)
        optimum = trial.optimum(entry.instance)
    except (InputError, Untrue) as error:
        return str(error)
    if paid != entry.cost:
        return f"costs {paid}, not {entry.cost}"
    if optimum != entry.optimum:
        return f"the optimum is {optimum}, not {entry.optimum}"
    promise = KSUBSET[entry.method].guarantee
    factor = promise(entry.instance) if promise else None
    if factor is not None and entry.ratio > factor:
        return f"ratio {entry.ratio} is above the guarantee {factor}"
    return ""


LEDGER_CLAIMS = (
    Claim(
        name="worst-known-ledger",
        statement="On the worst instances known, costs and optima are those in the "
        "ledger, and no ratio is above a guarantee.",
        source="reports/adversary/worst_known.json, docs/worst-known.md",
        tested="every entry, method and exact route run again; optima proved",
        test=ledger_is_true,
    ),
)
