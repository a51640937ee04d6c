"""The worst instances known, as boards with the case that they are."""

from __future__ import annotations

from functools import cache
from typing import Any

from ...instances import InputError
from ...instances.ksubset.worst_cases import WorstCase
from ...instances.reading import fields
from ...methods import KSUBSET
from ...solvers import Settings
from ..frontier.worst import WorstInstance, read_worst
from ..pages.numbers import decimal, fraction
from .board import of_instance
from .choices import length


def _case(case: WorstCase) -> dict[str, Any]:
    """Describe a worst case; its method is run."""
    result = KSUBSET[case.method](case.instance, Settings(time_limit=2.0))
    paid = result.objective if isinstance(result.objective, int) else None
    return {
        "method": case.method,
        "cost": length(case.instance, case.cost),
        "optimum": length(case.instance, case.optimum),
        "ratio": decimal(case.ratio),
        "exactly": fraction(case.ratio),
        "measured": length(case.instance, paid),
        "agrees": paid == case.cost,
        "statement": case.statement,
        "source": case.source,
    }


@cache
def _ledger() -> list[WorstInstance]:
    entries = read_worst().values()
    return sorted(entries, key=lambda one: (one.method, -one.ratio))


def ledger() -> list[dict[str, Any]]:
    """List the worst instances known, by method, the worst first."""
    return [
        {"method": one.method, "network": one.key[1], "k": one.instance.k}
        | {"ratio": decimal(one.ratio)}
        for one in _ledger()
    ]


def worst(body: dict[str, Any]) -> dict[str, Any]:
    """Return an entry of `ledger` by its ``index``, as the page loads a board."""
    fields.only(body, ("index",), ("index",), "")
    index = fields.integer(body["index"], "index")
    if not 0 <= index < len(_ledger()):
        raise InputError(f"must be below {len(_ledger())}", "index", index)
    entry = _ledger()[index]
    case = WorstCase(
        instance=entry.instance,
        method=entry.method,
        cost=entry.cost,
        optimum=entry.optimum,
        statement=f"the worst known for {entry.method} here: {entry.how}",
        source=f"frontier/worst-ratios.json, {entry.date}",
    )
    return {**of_instance(entry.instance), "case": _case(case)}
