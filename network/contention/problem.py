"""The entry of the contention problem in the tables of the core."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ...instances.problems import Problem, describe_problem
from ...instances.support import ksubset as of_jobs
from ...instances.support.record import Support
from ...instances.value import Value
from . import files
from . import instance as contention
from .bounds import derive_bound
from .instance import Contention


def _describe(instance: Contention) -> str:
    what = f"power {instance.power}" if instance.power else "busiest link"
    return f"{of_jobs.describe(instance.job)}, {instance.routing}, {what}"


def _document(instance: Contention) -> dict[str, Any]:
    job = of_jobs.document_of(instance.job)
    return {**job, "format": files.FORMAT, **files.definition_of(instance)}


def _text(instance: Contention, value: Value) -> str:
    if isinstance(value, int):
        return f"{value / instance.common**instance.power:.6g} of contention"
    load = f"load {value[0] / instance.common:.6g}"
    return ", ".join([load, *(f"{hops} hops" for hops in value[1:])])


PROBLEM: Problem = describe_problem(
    Contention,
    contention,
    files,
    parse=files.parse_contention,
    derive_bound=derive_bound,
    levels=lambda one: None if one.power else 2,
    dearest=contention.dearest,
)
"""What the core asks of a problem."""

SUPPORT = Support(
    features=lambda one: of_jobs.features(one.job),
    describe=_describe,
    document_of=_document,
    selection_of=lambda one, chosen: of_jobs.selection_of(one.job, chosen),
    names_of=lambda one, chosen: of_jobs.names_of(one.job, chosen),
    locate=lambda one, listed: of_jobs.locate(one.job, listed),
    chosen_by_names=lambda one, listed: of_jobs.chosen_by_names(one.job, listed),
    any_choice=lambda one: range(one.k),
    write_cost=_text,
)
"""What commands, reports and methods ask of it."""


def methods() -> Mapping[str, Any]:
    """Return the table of methods."""
    from .table import TABLE

    return TABLE


def labels(networks: Any) -> Any:
    """Return what reports state of the problem, from what they state of networks."""
    return replace(
        networks,
        title="Processors that load links little",
        costs="Costs are what a job adds to powers of how far links are used, or how "
        "far its busiest link is used, then hops.",
        scale=lambda instance: 1,
    )
