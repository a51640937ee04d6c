"""Check that stored rows belong to their instances, before anything is concluded."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ...instances import InputError, Instance, Value, problem_of
from ...instances.support import support_of
from ...instances.support.record import Features
from .rows import Row, digest


def audit(
    instances: Iterable[Instance], rows: Iterable[Row], file: str | Path = ""
) -> list[Row]:
    """Return the rows about these instances, each selection checked and priced again.

    Rows belong to an instance by digest. A selection lists positions, and an instance
    of the same digest but of another name may list its parts in another order: such a
    row is left out if its selection does not have its cost here. The first row that
    disagrees with its own instance raises InputError, which names ``file``.
    """
    by_digest: dict[str, list[Instance]] = {}
    features: dict[str, Features] = {}
    for instance in instances:
        by_digest.setdefault(digest(instance), []).append(instance)
        features[instance.name] = support_of(instance).features(instance)
    prices: dict[tuple[str, tuple[int, ...]], Value | str] = {}
    kept = []
    for row in rows:
        known = by_digest.get(row.sha256)
        if known is None:
            continue
        own = [instance for instance in known if instance.name == row.instance]
        instance = (own or known)[0]
        try:
            _check_features(instance, features[instance.name], row)
            if row.selection is not None:
                place = instance.name, row.selection
                if place not in prices:
                    prices[place] = _price(instance, row.selection)
                _same_cost(row, prices[place])
        except InputError as error:
            if not own:
                continue
            raise InputError(
                error.problem,
                f"{row.method} on {row.instance}: {error.field}",
                error.value,
                file=file,
            ) from None
        kept.append(row)
    return kept


def _check_features(instance: Instance, features: Features, row: Row) -> None:
    for field, stored, true in (
        ("problem", row.problem, problem_of(instance).name),
        ("topology", row.topology, features.structure),
        ("shape", row.shape, features.shape),
        *((name, getattr(row, name), getattr(features, name)) for name in _COUNTS),
    ):
        if stored != true:
            raise InputError(f"must be {true}, as the instance has it", field, stored)


_COUNTS = ("n", "k", "d", "locations")


def _price(instance: Instance, selection: tuple[int, ...]) -> Value | str:
    """Return the cost by the definition, or what is wrong."""
    problem = problem_of(instance)
    wrong = problem.check(instance, selection)
    return "; ".join(wrong) if wrong else problem.cost(instance, selection)


def _same_cost(row: Row, price: Value | str) -> None:
    if isinstance(price, str):
        raise InputError(f"is no solution: {price}", "selection")
    if row.cost != price:
        raise InputError(
            f"must be {price}, as the selection is priced", "cost", row.cost
        )
